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

/* The names that the OCaml compiler gives to symbols. */

#ifndef ANALYSIS_OCAML_NAME_H
#define ANALYSIS_OCAML_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include "code_place.h"

/* Writes the name that OCaml code has for the symbol [symbol] to [name], a
   buffer of [size] bytes: Stdlib.List.map for camlStdlib__List.map_123.
   Returns false, and writes nothing, when OCaml did not make the symbol. */
bool name_of_symbol(const char *symbol, char *name, size_t size);

/* Writes [function], a name from a frame table, to [name], a buffer of [size]
   bytes, with modules separated by dots: Stdlib.List.map for
   Stdlib__List.map. */
void name_of_function(const char *function, char *name, size_t size);

/* Returns whether [symbol] is that of the code of a module that runs when the
   module is initialised: the definitions in it, each of which has a name of its
   own in the frame tables, are one function. */
bool is_module_entry(const char *symbol);

/* Returns whether [name], from a frame table, may be that of the function [symbol]:
   both end in the same name of a value. */
bool is_name_of_symbol(const char *name, const char *symbol);

/* Returns whether [function], a name by one of these functions or from a frame
   table, is that of an anonymous function, such as M.f.(fun). */
bool is_anonymous(const char *function);

/* Writes the name of [function] to [name], a buffer of [size] bytes: as
   name_of_function or name_of_symbol does, with the modules of an OCaml function
   without a name in the frame tables, as far as the functions around it show
   them, and the line of an anonymous OCaml function: M.f.(fun:12).  Returns
   false, and writes nothing, when there is only a symbol that OCaml did not
   make. */
bool name_of_code(const struct code_function *function, char *name,
                  size_t size);

#endif /* ANALYSIS_OCAML_NAME_H */
