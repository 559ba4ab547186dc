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

/* A clock that can be set while a program runs.  Preloaded; the real-time clock
   of the program is ahead by the number of seconds in the file CLOCK_OFFSET,
   which has 16 bytes, is read at each call, and is changed in its place. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char *text = "0";

__attribute__((constructor)) static void map_offset(void)
{
  const char *path = getenv("CLOCK_OFFSET");
  int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void *map = fd < 0 ? MAP_FAILED
              : mmap(NULL, 16, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) abort();
  text = map;
  close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
  static int (*next)(clockid_t, struct timespec *);
  if (next == NULL)
    *(void **) &next = dlsym(RTLD_NEXT, "clock_gettime");
  int error = next(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
    now->tv_sec += atol(text);
  return error;
}

time_t time(time_t *seconds)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seconds != NULL) *seconds = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
  struct timespec exact;
  (void) zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}
