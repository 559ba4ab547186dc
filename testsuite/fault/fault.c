/* Loaded into a program by LD_PRELOAD: system calls that fail on request.

     FAULT=NAME:N:ERROR,...     the Nth call of NAME fails with this errno
     FAULT=NAME:N+:ERROR,...    likewise, and all that come after it
     FAULT_LOG=FILE             grows by a byte for each call that failed

   Calls are counted in each process, a forked child going on from where its
   parent was.  Only calls are counted that are Eventring's to make: a name
   with "eventring" in it, a mapping that is shared with a file, ... */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void log_failure(void)
{
  const char *path = getenv("FAULT_LOG");
  if (path == NULL) return;
  int fd = (int) syscall(SYS_openat, AT_FDCWD, path,
                         O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0 || syscall(SYS_write, fd, "x", 1) != 1) abort();
  syscall(SYS_close, fd);
}

/* Whether this call of [name] fails; then errno says how. */
static int fails(const char *name, atomic_int *calls)
{
  const char *item = getenv("FAULT");
  int n = atomic_fetch_add(calls, 1) + 1;
  size_t length = strlen(name);
  while (item != NULL) {
    char *end;
    if (strncmp(item, name, length) == 0 && item[length] == ':') {
      long at = strtol(item + length + 1, &end, 10);
      int after = *end == '+';
      int error = atoi(end + after + 1);
      if (n == at || (after && n > at)) {
        log_failure();
        errno = error;
        return 1;
      }
    }
    item = strchr(item, ',');
    if (item != NULL) item++;
  }
  return 0;
}

#define FAILS(name) \
  ({ static atomic_int calls; fails(name, &calls); })
#define NEXT(f) \
  ({ static __typeof__(&f) next; \
     if (next == NULL) next = (__typeof__(&f)) dlsym(RTLD_NEXT, #f); \
     next; })

/* Those for large files have a second name. */
#define ALSO(type, name, parameters, arguments) \
  type name##64 parameters; \
  type name##64 parameters { return name arguments; }

static int is_ours(const char *path)
{
  return strstr(path, ".eventring") != NULL;
}

/* Descriptors of /proc and /sys, of which reading may fail. */
static atomic_char of_proc[1024];

static int open_mode(const char *path, int flags, mode_t mode)
{
  int proc = strncmp(path, "/proc/", 6) == 0
    || strncmp(path, "/sys/", 5) == 0;
  if (is_ours(path) && FAILS("open")) return -1;
  if (proc && FAILS("open_proc")) return -1;
  int fd = NEXT(open)(path, flags, mode);
  if (fd >= 0 && fd < 1024) of_proc[fd] = proc;
  return fd;
}

int open(const char *path, int flags, ...)
{
  va_list args;
  va_start(args, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
  va_end(args);
  return open_mode(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
  va_list args;
  va_start(args, flags);
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
  va_end(args);
  return open_mode(path, flags, mode);
}

ssize_t read(int fd, void *buffer, size_t size)
{
  if (fd >= 0 && fd < 1024 && of_proc[fd] && FAILS("read")) return -1;
  return NEXT(read)(fd, buffer, size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
  if (FAILS("pread")) return -1;
  return NEXT(pread)(fd, buffer, size, at);
}
ALSO(ssize_t, pread, (int fd, void *buffer, size_t size, off_t at),
     (fd, buffer, size, at))

ssize_t pwrite(int fd, const void *buffer, size_t size, off_t at)
{
  if (FAILS("pwrite")) return -1;
  return NEXT(pwrite)(fd, buffer, size, at);
}
ALSO(ssize_t, pwrite, (int fd, const void *buffer, size_t size, off_t at),
     (fd, buffer, size, at))

int ftruncate(int fd, off_t size)
{
  if (FAILS("ftruncate")) return -1;
  return NEXT(ftruncate)(fd, size);
}
ALSO(int, ftruncate, (int fd, off_t size), (fd, size))

int posix_fallocate(int fd, off_t at, off_t size)
{
  if (FAILS("posix_fallocate")) return errno;
  return NEXT(posix_fallocate)(fd, at, size);
}
ALSO(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size))

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
  if ((flags & MAP_SHARED) && fd >= 0 && FAILS("mmap")) return MAP_FAILED;
  return NEXT(mmap)(at, size, prot, flags, fd, offset);
}
ALSO(void *, mmap,
     (void *at, size_t size, int prot, int flags, int fd, off_t offset),
     (at, size, prot, flags, fd, offset))

int madvise(void *at, size_t size, int advice)
{
  if (FAILS("madvise")) return -1;
  return NEXT(madvise)(at, size, advice);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
  if (FAILS("clock_gettime")) return -1;
  return NEXT(clock_gettime)(clock, t);
}

int fstat(int fd, struct stat *st)
{
  if (FAILS("fstat")) return -1;
  return NEXT(fstat)(fd, st);
}

int fstat64(int fd, struct stat64 *st)
{
  if (FAILS("fstat")) return -1;
  return NEXT(fstat64)(fd, st);
}

int lstat64(const char *path, struct stat64 *st)
{
  if (is_ours(path) && FAILS("lstat")) return -1;
  return NEXT(lstat64)(path, st);
}

int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
  if (FAILS("timer_create")) return -1;
  return NEXT(timer_create)(clock, event, timer);
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *to,
                  struct itimerspec *from)
{
  if (FAILS("timer_settime")) return -1;
  return NEXT(timer_settime)(timer, flags, to, from);
}

struct dirent64 *readdir64(DIR *directory)
{
  if (FAILS("readdir")) return NULL;
  return NEXT(readdir64)(directory);
}

int unlink(const char *path)
{
  if (is_ours(path) && FAILS("unlink")) return -1;
  return NEXT(unlink)(path);
}

char *realpath(const char *path, char *to)
{
  if (FAILS("realpath")) return NULL;
  return NEXT(realpath)(path, to);
}

char *getcwd(char *to, size_t size)
{
  if (FAILS("getcwd")) return NULL;
  return NEXT(getcwd)(to, size);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
  if (FAILS("readlink")) return -1;
  return NEXT(readlink)(path, to, size);
}

char *strdup(const char *s)
{
  if (FAILS("strdup")) return NULL;
  return NEXT(strdup)(s);
}

int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
  if (number == SIGBUS && FAILS("sigaction")) return -1;
  return NEXT(sigaction)(number, new, old);
}

int prctl(int option, ...)
{
  va_list args;
  va_start(args, option);
  unsigned long a = va_arg(args, unsigned long);
  unsigned long b = va_arg(args, unsigned long);
  unsigned long c = va_arg(args, unsigned long);
  unsigned long d = va_arg(args, unsigned long);
  va_end(args);
  if (FAILS("prctl")) return -1;
  return (int) syscall(SYS_prctl, option, a, b, c, d);
}
