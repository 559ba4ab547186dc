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

/* Delays a thread in a window of the runtime, so that the
   actions of other threads, or of a handler of SIGALRM, fall into it.  Preloaded; DELAY holds rules

       FUNCTION@FROM-TO=MILLISECONDS[/TIMES]

   separated by blanks: a call of the function FUNCTION with a return address
   between FROM and TO, addresses of the executable as nm prints them, sleeps
   after it is done, or raises SIGALRM in place of 0 ms; only the first TIMES calls
   if that is given.  The library
   does nothing without DELAY. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
  char function[32];
  unsigned long from, to;
  int ms;
  atomic_int times;             /* that are left */
} rules[16];
static int rule_count;
static uintptr_t base;          /* where the executable begins */

static int find_base(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void) size;
  (void) unused;
  base = info->dlpi_addr;
  return 1;                     /* the first one is the executable */
}

__attribute__((constructor)) static void read_rules(void)
{
  const char *s = getenv("DELAY");
  int n, times;
  dl_iterate_phdr(find_base, NULL);
  while (s != NULL && rule_count < 16
         && sscanf(s, " %31[a-z_0-9]@%lx-%lx=%d%n", rules[rule_count].function,
                   &rules[rule_count].from, &rules[rule_count].to,
                   &rules[rule_count].ms, &n) == 4) {
    s += n;
    times = 1 << 30;
    if (sscanf(s, "/%d%n", &times, &n) == 1) s += n;
    atomic_store(&rules[rule_count].times, times);
    rule_count++;
  }
}

static void delay(const char *function, void *caller)
{
  unsigned long at = (uintptr_t) caller - base;
  for (int i = 0; i < rule_count; i++)
    if (at >= rules[i].from && at < rules[i].to
        && strcmp(function, rules[i].function) == 0
        && atomic_fetch_sub(&rules[i].times, 1) > 0) {
      struct timespec t = { rules[i].ms / 1000,
                            rules[i].ms % 1000 * 1000000L };
      if (getenv("DELAY_SAYS") != NULL
          && write(2, "delayed\n", 8) < 0) { /* nobody listens */ }
      if (rules[i].ms == 0) raise(SIGALRM);
      else while (nanosleep(&t, &t) != 0) { }
    }
}

#define WRAP(type, name, parameters, arguments) \
  type name parameters \
  { \
    static type (*next) parameters; \
    if (next == NULL) *(void **) &next = dlsym(RTLD_NEXT, #name); \
    type result = next arguments; \
    delay(#name, __builtin_return_address(0)); \
    return result; \
  }

WRAP(int, pthread_mutex_lock, (pthread_mutex_t *m), (m))
WRAP(int, pthread_mutex_timedlock,
     (pthread_mutex_t *m, const struct timespec *end), (m, end))
WRAP(int, pthread_mutex_unlock, (pthread_mutex_t *m), (m))
WRAP(void *, mmap, (void *at, size_t size, int prot, int flags, int fd,
                    off_t offset), (at, size, prot, flags, fd, offset))
WRAP(void *, mmap64, (void *at, size_t size, int prot, int flags, int fd,
                      off64_t offset), (at, size, prot, flags, fd, offset))
WRAP(int, munmap, (void *at, size_t size), (at, size))
WRAP(int, madvise, (void *at, size_t size, int advice), (at, size, advice))
WRAP(int, ftruncate, (int fd, off_t size), (fd, size))
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, open, (const char *path, int flags, mode_t mode),
     (path, flags, mode))
WRAP(int, open64, (const char *path, int flags, mode_t mode),
     (path, flags, mode))
WRAP(int, lstat, (const char *path, struct stat *st), (path, st))
WRAP(int, lstat64, (const char *path, struct stat64 *st), (path, st))
WRAP(void *, realloc, (void *block, size_t size), (block, size))
