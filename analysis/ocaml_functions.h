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

/* The functions of OCaml code in a file, and which of them have the code of
   which lines.

   The frame tables have the chain of inlined calls for calls and allocations
   only.  For the other instructions DWARF has the line, of the innermost
   function.  So a line of an instruction that is in the code of a function that
   begins later in the source, or in another source, was inlined from there. */

#ifndef ANALYSIS_OCAML_FUNCTIONS_H
#define ANALYSIS_OCAML_FUNCTIONS_H

#include <elfutils/libdwfl.h>
#include "code_place.h"
#include "code_units.h"
#include "ocaml_frames.h"

struct ocaml_functions;

/* Creates the functions of the OCaml code of [module], whose addresses are [bias]
   above the virtual addresses of the file, with the lines of its [units] and the
   frame tables [frames].  All of them must stay valid.  Never returns NULL.  The
   caller frees the functions with free_ocaml_functions. */
struct ocaml_functions *new_ocaml_functions(Dwfl_Module *module, GElf_Addr bias,
                                            struct code_units *units,
                                            const struct ocaml_frames *frames);
void free_ocaml_functions(struct ocaml_functions *functions);

/* Adds to *function, a function with the virtual address [address], the names of
   the functions around it and, if it is anonymous, its line. */
void complete_function(const struct ocaml_functions *functions,
                       uint64_t address, struct code_function *function);

/* Adds the line to the anonymous function of *place. */
void complete_place(const struct ocaml_functions *functions,
                    struct code_place *place);

/* Finds the places of the instruction at the virtual address [address], if it is
   inlined code: innermost first, and the places where each was inlined after it.
   When the call is not known, the outermost place has no line.  Stores at most
   [max], at least 2, of them in [places], and returns their number; 0 when the
   code is not inlined, or this is not known. */
uint32_t find_inlined(const struct ocaml_functions *functions, uint64_t address,
                      struct code_place *places, uint32_t max);

#endif /* ANALYSIS_OCAML_FUNCTIONS_H */
