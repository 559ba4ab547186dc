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

/* Functions that the program around the reader may set, before it opens a
   file: to handle a SIGBUS in a mapping that the reader made.  OCaml's runtime does
   so in runtime/runtime_events.c, and the command in analysis/cut_files.c.  Not for
   users.

   The variable has a file of its own, eventring_hooks.c: to set it, a program
   must not link the reader. */

#ifndef EVENTRING_HOOKS_H
#define EVENTRING_HOOKS_H

#include <stddef.h>
#include <stdint.h>

struct eventring_hooks {
  /* Called after the reader has mapped [size] bytes of a ring file at [base].
     Returns 0, or an errno; then the reader does not open the file. */
  int (*guard)(char *base, size_t size);
  /* Called before the reader unmaps the ring file at [base]. */
  void (*unguard)(char *base);
  /* NULL, or returns the offset of the first byte of the ring file at [base] that
     is known to be lost, because the file was cut shorter, and is read as 0; 1 for
     the offset 0, and 0 if none is.  The reader then returns
     EVENTRING_E_TRUNCATED. */
  uint64_t (*cut_at)(const char *base);
};

extern const struct eventring_hooks *eventring_hooks; /* NULL: none are set */

#endif /* EVENTRING_HOOKS_H */
