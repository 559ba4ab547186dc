/* Stops the agent to which it is preloaded, where the files HOLD.open and
   HOLD.search exist, if the variable HOLD is set:

   HOLD.open     the main thread, when it opens its first ring file
   HOLD.search   another thread, when it reads a folder twice running: a search
                 that has listed the processes with their ring files, and the
                 files that others have left, and goes on with tombstones; not
                 the first search

   A thread that waits has made HOLD.open.reached or HOLD.search.reached.

   The main thread sleeps at least 0.1 seconds at a time, so that the agent notices
   late that a path is gone: it looks at a thousandth of its files each time. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void hold(const char *point)
{
  const char *prefix = getenv("HOLD");
  char path[4096], reached[4096 + 8];
  if (prefix == NULL) return;
  snprintf(path, sizeof path, "%s.%s", prefix, point);
  if (access(path, F_OK) < 0) return;
  snprintf(reached, sizeof reached, "%s.reached", path);
  close((int) syscall(SYS_openat, AT_FDCWD, reached, O_WRONLY | O_CREAT, 0600));
  while (access(path, F_OK) == 0) usleep(10000);
}

static void hold_open(const char *path)
{
  static bool opened;
  const char *suffix = strrchr(path, '.');
  if (opened || gettid() != getpid() || suffix == NULL
      || strcmp(suffix, ".eventring") != 0)
    return;
  opened = true;
  hold("open");
}

#define OPEN(name)                                                      \
  int name(const char *path, int flags, ...)                            \
  {                                                                     \
    va_list args;                                                       \
    va_start(args, flags);                                              \
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;    \
    va_end(args);                                                       \
    hold_open(path);                                                    \
    return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);      \
  }
OPEN(open)
OPEN(open64)

int nanosleep(const struct timespec *time, struct timespec *left)
{
  static const struct timespec least = { .tv_nsec = 100000000 };
  if (gettid() == getpid() && time->tv_sec == 0
      && time->tv_nsec < least.tv_nsec)
    time = &least;
  return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left) == 0 ? 0 : -1;
}

DIR *opendir(const char *path)
{
  static _Thread_local char last[4096];
  static _Thread_local int searches;
  if (gettid() != getpid() && strcmp(path, last) == 0 && ++searches > 1)
    hold("search");
  snprintf(last, sizeof last, "%s", path);
  return ((DIR *(*)(const char *)) dlsym(RTLD_NEXT, "opendir"))(path);
}
