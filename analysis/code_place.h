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

/* A place in machine code, and a place in the source. */

#ifndef ANALYSIS_CODE_PLACE_H
#define ANALYSIS_CODE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

/* A place in machine code. */
struct code_address {
  uint64_t address;
  bool returns;                 /* a return address, which is behind the call;
                                   else the address of an instruction */
  uint8_t allocation;           /* one of the allocations that the code of the
                                   call makes in one step: 1 for the first; 0:
                                   the call itself */
};

/* A place in the source, as the files with machine code have it.  Texts are
   valid until the file is closed. */
struct code_place {
  const char *function;         /* as the debug information has it; NULL: as
                                   the symbol */
  const char *file;             /* NULL: not known */
  const char *folder;           /* NULL: not known */
  uint32_t line;                /* 0: not known */
};

#endif /* ANALYSIS_CODE_PLACE_H */
