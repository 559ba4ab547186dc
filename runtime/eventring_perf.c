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

/* Events of perf_event_open(2) that send a signal to a thread each time it has
   used the processor for a period, to the microsecond.

   An event needs no file descriptor, which the program might close: a mapping
   of its page keeps it alive. */

#define CAML_INTERNALS
#define _GNU_SOURCE

#include "eventring_internal.h"

#ifdef EVENTRING_SAMPLES

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The control page of an event; it has no other. */
static size_t page_size(void)
{
  return (size_t) sysconf(_SC_PAGESIZE);
}

COLD
uint64_t caml_ring_thread_status(int tid, const char *name, int base)
{
  char text[4096], *line;
  ssize_t n;
  snprintf(text, sizeof(text), "/proc/self/task/%d/status", tid);
  int fd = open(text, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return UINT64_MAX;
  n = read(fd, text, sizeof(text) - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  line = strstr(text, name);
  return line == NULL ? UINT64_MAX
                      : strtoull(line + strlen(name) + 1, NULL, base);
}

static int is_short_of_files(int error)
{
  return error == EMFILE || error == ENFILE;
}

COLD
int caml_ring_open_perf(int tid, int signal, uint64_t period, void **event)
{
  struct perf_event_attr attr = {
    .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
    .config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = period,
    /* A signal in a system call would interrupt it. */
    .exclude_kernel = 1, .exclude_hv = 1, .wakeup_events = 1
  };
  const struct f_owner_ex owner = { F_OWNER_TID, tid };
  errno = 0;
  const uint64_t filter =
    caml_ring_thread_status((int) caml_ring_os_thread_id(), "\nSeccomp", 10);
  /* A filter may end the program for a call that it does not know. */
  if (filter != 0) return filter == UINT64_MAX && is_short_of_files(errno);
  int fd = (int) syscall(SYS_perf_event_open, &attr, tid, -1, -1,
                         PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno == ESRCH || is_short_of_files(errno);
  void *page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) {
    if (fcntl(fd, F_SETOWN_EX, &owner) == 0 && fcntl(fd, F_SETSIG, signal) == 0
        && fcntl(fd, F_SETFL, O_ASYNC) == 0)
      *event = page;
    else
      caml_ring_close_perf(page);
  }
  close(fd);
  /* Else the thread has ended. */
  return page != MAP_FAILED;
}

void caml_ring_close_perf(void *event)
{
  if (event != NULL) munmap(event, page_size());
}

#endif
