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

#define CAML_INTERNALS

/* Input and output of channels and of the Unix library.

   An operation is one event, written when it is over:

       caml_eventring_io_begin      the system call,      Caml_eventring_io_end
       |  (its domain lock is       without the lock      (the lock is taken
       |   released)                                       again)  |
       |<------------------------ duration ----------------------->|

   So the event of the blocking section in it, which is a wait, lies within it.
   The semantic patches in upstream/ put the calls around the blocking
   sections of runtime/unix.c and of files of the Unix library. */

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/misc.h"
#include "caml/mlvalues.h"
#include "caml/runtime_events.h"

CAMLexport uint64_t caml_eventring_io_begin(void)
{
  return caml_eventring_work_begin(EVENTRING_IO);
}

/* Returns the kind of file of [descriptor], one of EV_FILE_...  May change errno. */
static enum caml_eventring_value kind_of(int descriptor)
{
  struct stat st;
  if (fstat(descriptor, &st) != 0) return EV_FILE_UNKNOWN;
  switch (st.st_mode & S_IFMT) {
  case S_IFREG: return EV_FILE_REGULAR;
  case S_IFIFO: return EV_FILE_PIPE;
  case S_IFSOCK: return EV_FILE_SOCKET;
  case S_IFCHR:
    return isatty(descriptor) ? EV_FILE_TERMINAL : EV_FILE_DEVICE;
  case S_IFBLK: return EV_FILE_DEVICE;
  default: return EV_FILE_OTHER;
  }
}

CAML_EVENTRING_COLD
CAMLexport void caml_eventring_io_end(uint64_t since,
                                      enum caml_eventring_value operation,
                                      int descriptor, intnat bytes, int failed)
{
  int err = errno;
  uint64_t now = caml_eventring_ticks();
  if (!Caml_eventring_on(EVENTRING_IO)) return;
  uint64_t field[] = { now - since, 0, 0, operation, (uint64_t) bytes,
                       failed ? (uint64_t) err : 0, (uint32_t) descriptor,
                       kind_of(descriptor) };
  caml_eventring_emit_stack_at(EV_IO, now, field, 8);
  errno = err;
}
