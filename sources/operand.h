/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* Operands that name a process of a recording. */

#ifndef SOURCES_OPERAND_H
#define SOURCES_OPERAND_H

#include <stdint.h>

/* Removes ":N" from the end of [target], if this means process N of a
   recording, counted from 1, and returns N.  Returns 0, and does not change
   [target], if it has no such end, N is 0 or has more than 4 digits, a file has
   this name, [target] is the address of a stream, or a process id is before the
   colon. */
uint32_t take_process(char *target);

#endif /* SOURCES_OPERAND_H */
