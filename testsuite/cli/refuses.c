/* To be preloaded into `eventring run`: open(2) refuses ring files of children of
   the program for lack of descriptors, as REFUSES says:
   while_recording  until a recording of the program was open and is closed;
   first_child      while the first child lives, the files of all others; the
                    file of the first child, until another one is open. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t program;             /* the first process that was forked */

pid_t fork(void)
{
  pid_t (*next)(void) = (pid_t (*)(void)) dlsym(RTLD_NEXT, "fork");
  const pid_t pid = next();
  if (program == 0 && pid > 0) program = pid;
  return pid;
}

static int ends_with(const char *path, const char *ending)
{
  size_t length = strlen(path), end = strlen(ending);
  return length > end && strcmp(path + length - end, ending) == 0;
}

/* Returns whether a recording is open. */
static int records(void)
{
  char name[64], target[PATH_MAX + 1];
  for (int fd = 3; fd < 64; fd++) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, target, PATH_MAX);
    target[length < 0 ? 0 : length] = 0;
    if (ends_with(target, ".evr")) return 1;
  }
  return 0;
}

static int refuses_while_recording(void)
{
  static int began;
  const int now = records();
  began = began || now;
  return !began || now;
}

static int refuses_first_child(pid_t pid)
{
  static pid_t first, other;
  if (first == 0) first = pid;
  if (pid == first) return other == 0;
  if (kill(first, 0) == 0) return 1;
  other = pid;
  return 0;
}

static int refuses(pid_t pid)
{
  const char *how = getenv("REFUSES");
  if (pid == 0 || pid == program || how == NULL) return 0;
  return strcmp(how, "first_child") == 0 ? refuses_first_child(pid)
                                         : refuses_while_recording();
}

int open64(const char *path, int flags, ...)
{
  const char *name = strrchr(path, '/');
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (name != NULL && ends_with(path, ".eventring") && refuses(atoi(name + 1))) {
    errno = EMFILE;
    return -1;
  }
  return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open(const char *path, int flags, ...) __attribute__((alias("open64")));
