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

/* A function, by what the file with its machine code says of it.  Texts are valid
   until the file is closed. */
struct code_function {
  const char *symbol;           /* NULL: not known */
  const char *name;             /* in the debug information; NULL: not known */
  bool inlined_c;               /* [name] is the name of an inlined C function */
  const char *before, *after;   /* of an OCaml function without [name]: the names
                                   of functions that the source defines before
                                   and after it; NULL: there is none */
  uint32_t line, column;        /* of an anonymous OCaml function: where its
                                   definition begins; 0: not known.  [column]
                                   is 0 too when no other begins in the line */
};

/* A place in the source, as the files with machine code have it.  Texts are
   valid until the file is closed. */
struct code_place {
  struct code_function function; /* without symbol and name: the function that
                                   has the code */
  const char *file;             /* NULL: not known */
  const char *folder;           /* NULL: not known */
  uint32_t line;                /* 0: not known */
  uint32_t column;              /* of OCaml code, from 0; 0: or not known */
};

#endif /* ANALYSIS_CODE_PLACE_H */
