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

/* A place in the source, as the files with machine code have it. */

#ifndef ANALYSIS_CODE_PLACE_H
#define ANALYSIS_CODE_PLACE_H

#include <stdint.h>

/* Texts are valid until the file is closed. */
struct code_place {
  const char *function;         /* as the debug information has it; NULL: as
                                   the symbol */
  const char *file;             /* NULL: not known */
  const char *folder;           /* NULL: not known */
  uint32_t line;                /* 0: not known */
};

#endif /* ANALYSIS_CODE_PLACE_H */
