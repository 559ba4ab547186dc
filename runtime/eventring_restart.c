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
#define _GNU_SOURCE

/* Tracing that starts again: in a forked child, and after an attempt to execute
   another program that failed.  A program without the Unix library is linked
   without this file. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/eventring.h"
#include "caml/memory.h"
#include "caml/osdeps.h"
#include "eventring_internal.h"

/* Starts tracing again after the last session has ended, with the categories of
   [control], the control word of that session, paused if that one was, and the
   ring file in the same directory, even if the program has changed its current
   directory.  Returns 1, or 0 on failure, with a message in [why], which has
   [size] bytes. */
COLD
static int start_again(uint64_t control, char *why, size_t size)
{
  char dir[PATH_MAX + 32];
  control = without_ring_request(control);
  uint32_t mask = (uint32_t) control;
  snprintf(dir, sizeof(dir), "%s", caml_ring_session.path);
  char *slash = strrchr(dir, '/');
  slash[slash == dir] = '\0';           /* the root keeps its slash */
  return caml_eventring_start(dir, caml_ring_session.suffix,
                              mask != 0 ? mask : control >> 32, mask == 0, why,
                              size);
}

COLD
void caml_eventring_restart_in_child(void)
{
  char why[PATH_MAX + 256];
  if (!caml_ring_session.restart) return;
  if (!start_again(caml_ring_session.restart_control, why, sizeof(why)))
    caml_eventring_complain("%s; the forked child is not traced", why);
}

/* The control word of the session that [caml_eventring_exec_begin] has ended in
   this thread, for [caml_eventring_exec_failed]; 0: it has ended none. */
static CAMLthread_local uint64_t control_before_exec;

/* Returns 1 if [file] is a regular file that this process may execute, else
   0. */
static int can_execute(const char *file)
{
  struct stat st;
  return stat(file, &st) == 0 && S_ISREG(st.st_mode)
    && access(file, X_OK) == 0;
}

COLD
CAMLexport void caml_eventring_exec_begin(const char *name, int search)
{
  int err = errno;
  control_before_exec = 0;
  if (caml_eventring_started()) {
    char *found = search && strchr(name, '/') == NULL
      ? caml_search_exe_in_path(name) : NULL;
    if (can_execute(found != NULL ? found : name)) {
      control_before_exec = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
      caml_ring_end_as(EVENTRING_REPLACED);
    }
    caml_stat_free(found);
  }
  errno = err;
}

COLD
CAMLexport void caml_eventring_exec_failed(void)
{
  int err = errno;
  char why[PATH_MAX + 256];
  if (control_before_exec != 0
      && !start_again(control_before_exec, why, sizeof(why)))
    caml_eventring_complain("%s; tracing is off", why);
  control_before_exec = 0;
  errno = err;
}
