/* To be preloaded: takes the time that the sampler's signal handler takes, from
   its first instruction to its last.  Writes the times, in nanoseconds and a
   line each, to the file $HANDLER_TIMES when the program ends. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMES 1000000

static void (*handler)(int, siginfo_t *, void *);
static _Atomic unsigned long taken;
static unsigned times[TIMES];

static long now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void timed(int number, siginfo_t *info, void *context)
{
  long began = now();
  handler(number, info, context);
  long ns = now() - began;
  unsigned long n = atomic_fetch_add(&taken, 1);
  if (n < TIMES) times[n] = (unsigned) ns;
}

int sigaction(int number, const struct sigaction *restrict action,
              struct sigaction *restrict old)
{
  static int (*real)(int, const struct sigaction *, struct sigaction *);
  if (real == NULL)
    real = (int (*)(int, const struct sigaction *, struct sigaction *))
      dlsym(RTLD_NEXT, "sigaction");
  /* The sampler takes SIGURG, or a signal above the C library's own, and looks
     whether its handler is still there. */
  if (action == NULL || !(action->sa_flags & SA_SIGINFO)
      || (number != SIGURG && number <= SIGRTMIN)) {
    int result = real(number, action, old);
    if (old != NULL && old->sa_sigaction == timed)
      old->sa_sigaction = handler;
    return result;
  }
  struct sigaction ours = *action;
  handler = action->sa_sigaction;
  ours.sa_sigaction = timed;
  return real(number, &ours, old);
}

__attribute__((destructor)) static void write_times(void)
{
  const char *path = getenv("HANDLER_TIMES");
  FILE *file = path == NULL ? NULL : fopen(path, "we");
  if (file == NULL) return;
  for (unsigned long n = 0; n < taken && n < TIMES; n++)
    fprintf(file, "%u\n", times[n]);
  fclose(file);
}
