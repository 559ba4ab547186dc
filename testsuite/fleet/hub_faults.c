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


/* Preloaded to a hub or its client: stops the hub in the middle of a merge, ends
   it before an answer, and changes the clocks of the process.

   HUB_STOP=FILE: each merge adds a line to FILE.reached when it begins to write,
   and waits while FILE exists.  HUB_CLOCKS=FILE: the process adds the two numbers of
   seconds in FILE to CLOCK_REALTIME and to CLOCK_MONOTONIC.  HUB_DIES=FILE: when
   FILE exists, the process removes it and ends as soon as a part is durable. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Returns the seconds to add to [clock]. */
static long shift_of(clockid_t clock)
{
  const char *path = getenv("HUB_CLOCKS");
  char text[64] = "";
  long realtime = 0, monotonic = 0;
  if (path == NULL) return 0;
  int fd = (int) syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  if (read(fd, text, sizeof text - 1) > 0)
    sscanf(text, "%ld %ld", &realtime, &monotonic);
  close(fd);
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? realtime
    : clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE
      || clock == CLOCK_MONOTONIC_RAW ? monotonic : 0;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
  int result = (int) syscall(SYS_clock_gettime, clock, t);
  if (result == 0) t->tv_sec += shift_of(clock);
  return result;
}

time_t time(time_t *t)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (t != NULL) *t = now.tv_sec;
  return now.tv_sec;
}

/* Waits, if [path] is the file of a merge, which is opened. */
static void wait_in_merge(const char *path, int flags)
{
  const char *stop = getenv("HUB_STOP");
  char reached[4096];
  if (stop == NULL || (flags & O_CREAT) == 0 || strstr(path, "/merge-") == NULL)
    return;
  snprintf(reached, sizeof reached, "%s.reached", stop);
  FILE *file = fopen(reached, "a");
  if (file != NULL) {
    fputs("merge\n", file);
    fclose(file);
  }
  while (access(stop, F_OK) == 0) usleep(10000);
}

int open(const char *path, int flags, ...)
{
  va_list arguments;
  va_start(arguments, flags);
  int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0;
  va_end(arguments);
  wait_in_merge(path, flags);
  return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Returns whether the descriptor is that of a part. */
static bool is_part(int fd)
{
  char file[64], target[4096];
  snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(file, target, sizeof target - 1);
  return length > 4 && memcmp(target + length - 4, ".evr", 4) == 0;
}

int fsync(int fd)
{
  const char *file = getenv("HUB_DIES");
  int result = (int) syscall(SYS_fsync, fd);
  if (file != NULL && is_part(fd) && unlink(file) == 0) _exit(9);
  return result;
}
