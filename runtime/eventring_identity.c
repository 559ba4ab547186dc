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

/* The identity of the process, by which a reader knows whether it still lives,
   and the clock that its events are timed with. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "caml/config.h"
#include "caml/eventring.h"
#include "caml/version.h"
#include "eventring_internal.h"

/* Reads, in one attempt, the first [size] - 1 bytes of the file [path] into
   [buffer], and a NUL after them.  Returns the number of bytes without the NUL:
   0 when the file is empty or cannot be read. */
static size_t read_file(const char *path, char *buffer, size_t size)
{
  ssize_t n = -1;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    n = read(fd, buffer, size - 1);
    close(fd);
  }
  if (n < 0) n = 0;
  buffer[n] = '\0';
  return n;
}

#ifndef NATIVE_CODE
/* Returns the part of [path] after its last slash; [path] if it has none. */
static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}
#endif

void caml_ring_identify(struct eventring_header *h)
{
  h->pid = getpid();
#ifdef __linux__
  char buffer[1024];
  read_file("/proc/self/stat", buffer, sizeof(buffer));
  /* The second field, a name in parentheses, may hold anything: count fields
     from the last parenthesis on. */
  char *p = strrchr(buffer, ')');
  for (int field = 2; p != NULL && field < 28; ) {
    p = strchr(p + 1, ' ');
    field++;
    if (p != NULL && field == 22) h->start_time = strtoull(p + 1, NULL, 10);
    if (p != NULL && field == 28) h->start_stack = strtoull(p + 1, NULL, 10);
  }
  read_file("/proc/sys/kernel/random/boot_id", buffer, sizeof(buffer));
  snprintf(h->boot_id, sizeof(h->boot_id), "%.*s",
           (int) strcspn(buffer, "\n"), buffer);
  struct stat st;
  if (stat("/proc/self/ns/pid", &st) == 0) h->pid_namespace = st.st_ino;
  if (stat("/proc/self/ns/time", &st) == 0) h->time_namespace = st.st_ino;
  ssize_t n = readlink("/proc/self/exe", h->program, sizeof(h->program) - 1);
  if (n < 0) {
    /* A folder in which /proc is not mounted is the root. */
    const char *name = (const char *) getauxval(AT_EXECFN);
    snprintf(h->program, sizeof(h->program), "%.*s",
             (int) sizeof(h->program) - 1, name != NULL ? name : "");
  }
  size_t length = read_file("/proc/self/cmdline", buffer, sizeof(buffer));
  if (length == 0)
    length = (size_t) snprintf(buffer, sizeof(buffer), "%.*s",
                               (int) sizeof(buffer) - 1,
                               program_invocation_name);
  p = buffer;
#ifndef NATIVE_CODE
  /* ocamlrun PROGRAM: the program is meant.  A name that is cut off by the
     buffer has nothing behind it. */
  size_t next = strlen(p) + 1;
  if (strncmp(base_name(p), "ocamlrun", 8) == 0
      && next < length && p[next] != '\0' && p[next] != '-')
    p += next;
#else
  (void) length;
#endif
  snprintf(h->argv0, sizeof(h->argv0), "%.*s", (int) sizeof(h->argv0) - 1, p);
#endif
  snprintf(h->runtime, sizeof(h->runtime), "%.*s",
           (int) sizeof(h->runtime) - 1, OCAML_VERSION_STRING);
}

uint32_t caml_ring_choose_clock(void)
{
  /* The counter of x86-64 is reliable if the processor reports that it runs
     evenly and the kernel, which has compared the processors' counters, uses
     it. */
  uint32_t clock = EVENTRING_CLOCK_MONOTONIC;
  if (caml_ring_config.monotonic) return clock;
#if defined(__x86_64__) && defined(__linux__)
  unsigned a, b, c, d;
  char source[32];
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8)) {
    read_file("/sys/devices/system/clocksource/clocksource0/"
              "current_clocksource", source, sizeof(source));
    if (strcmp(source, "tsc\n") == 0) clock = EVENTRING_CLOCK_TSC;
  }
#elif defined(__aarch64__)
  clock = EVENTRING_CLOCK_CNTVCT;
#endif
  return clock;
}
