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

/* Reasons of failures and messages, as one line of text without
   "eventring: ". */

#ifndef FLEET_EXPLAIN_H
#define FLEET_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the text to [why], of [size] bytes; a longer text is cut.  Returns
   false, for a caller that fails. */
__attribute__((format(printf, 3, 4)))
bool explain(char *why, size_t size, const char *format, ...);

/* Calls [say] with the text as one line; a text above 1 KiB is cut. */
__attribute__((format(printf, 2, 3)))
void say_line(void (*say)(const char *line), const char *format, ...);

#endif /* FLEET_EXPLAIN_H */
