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

/* From an address of machine code to functions and source lines.

   A mapping of the ring file says which file has the code.  Function names come
   from the symbols of that file, lines of C code and of interrupted OCaml code
   from its DWARF sections, lines of OCaml calls from the frame tables of the
   OCaml compiler, which also tell inlined calls; ocaml_functions.h tells of
   interrupted code that is inlined.  A separate debug file is used if there is
   one.  Nothing in these files is trusted. */

#ifndef ANALYSIS_SYMBOLS_H
#define ANALYSIS_SYMBOLS_H

#include <stdbool.h>
#include <sys/types.h>
#include "code_place.h"
#include "eventring_reader.h"

/* The owner of the code of a function. */
enum frame_kind {
  FRAME_UNKNOWN,                /* its function is not known */
  FRAME_OCAML,
  FRAME_C,                      /* of C, and of other languages */
  FRAME_RUNTIME,                /* OCaml's runtime, but for its collector */
  FRAME_COLLECTOR,              /* the garbage collector: the runtime's files
                                   that mark, sweep, promote and finalise */
  FRAME_WAIT,                   /* no code: a kind of wait */
  FRAME_KINDS
};

/* A function at work.  Texts are unique within a struct symbols, so that equal
   texts have equal addresses, and valid until free_symbols. */
struct frame {
  const char *function;         /* its name; "[FILE]" when only the file of the
                                   code is known, "[unknown]" when that is not
                                   known either */
  enum frame_kind kind;
  const char *file;             /* of the source; NULL: not known */
  const char *folder;           /* in which the compiler was called with [file];
                                   NULL: not known */
  uint32_t line;                /* from 1; 0: not known */
  bool inlined;                 /* the code is in the function of the next
                                   frame */
};

struct symbols;

/* Creates the symbols of the process that [cursor] reads.  While it runs, a file that
   was replaced, or is in another mount namespace, is read through /proc, if the
   system allows it.  Never returns NULL.  The caller frees them with free_symbols;
   the cursor must stay open.  [say], unless NULL, is called with [state] and a
   message for each file without symbols or lines, at most once a file and reason. */
struct symbols *new_symbols(struct eventring_cursor *cursor,
                            void (*say)(void *state, const char *message),
                            void *state);
void free_symbols(struct symbols *symbols);

/* Files that are not, or no longer, at their path are looked for in [folder] too:
   at the same path below it, or by name in it.  [folder] must stay valid.  To be
   called before the first find_frames. */
void symbols_in(struct symbols *symbols, const char *folder);

/* Creates the symbols of the code in the mappings that [mapping] returns for
   [code] and the numbers from 0 on, up to NULL.  The mappings must stay valid.
   Otherwise as new_symbols. */
struct symbols *new_symbols_of(
  const struct eventring_mapping *(*mapping)(void *code, uint32_t index),
  void *code, void (*say)(void *state, const char *message), void *state);

/* Files are looked for as process [pid] sees them, too.  To be called before the first
   find_frames. */
void symbols_of_process(struct symbols *symbols, pid_t pid);

/* Finds the functions at [code]: the function that has the code there, after
   the functions inlined there, innermost first.  Sets *frames to the first of
   them, valid until free_symbols, and returns their number, at least 1. */
uint32_t find_frames(struct symbols *symbols, struct code_address code,
                     const struct frame **frames);

/* Returns the unique copy of [text] in [symbols]. */
const char *symbols_text(struct symbols *symbols, const char *text);

#endif /* ANALYSIS_SYMBOLS_H */
