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

/* A file with machine code: an ELF executable or a shared library, with its
   symbols, lines and OCaml frame tables. */

#ifndef ANALYSIS_CODE_FILE_H
#define ANALYSIS_CODE_FILE_H

#include <stdbool.h>
#include "code_place.h"
#include "eventring_reader.h"

struct code_file;

/* Why a file has no symbols or no lines; see code_file_problem. */
enum code_problem {
  CODE_FINE,
  CODE_UNREADABLE,              /* cannot be opened, or is no ELF file */
  CODE_OTHER,                   /* its build id differs: it was replaced */
  CODE_STRIPPED,                /* has no symbols */
  CODE_WITHOUT_LINES            /* has symbols only */
};

/* Opens the file of [mapping], which is at [path], with its separate debug file if
   there is one.  Never returns NULL; see code_file_problem.  The caller frees the
   file with close_code_file. */
struct code_file *open_code_file(const struct eventring_mapping *mapping,
                                 const char *path);
void close_code_file(struct code_file *file);

/* Returns the problem of the file, and sets errno: to the reason after
   CODE_UNREADABLE, where 0 means that the file is no ELF file. */
enum code_problem code_file_problem(const struct code_file *file);

/* Finds the places of the instruction or call at [code], whose address is a
   byte of the file: innermost first, and the places where each was inlined
   after it.  Stores at most [max] of them in [places] and returns their number,
   which may be 0.  The file must be CODE_FINE or CODE_WITHOUT_LINES. */
uint32_t find_places(struct code_file *file, struct code_address code,
                     struct code_place *places, uint32_t max);

/* Returns the function with the code at byte [offset] of the file; without a
   symbol when there is none.  If [returns] is true, [offset] is behind a call. */
struct code_function find_function(struct code_file *file, uint64_t offset,
                                   bool returns);

#endif /* ANALYSIS_CODE_FILE_H */
