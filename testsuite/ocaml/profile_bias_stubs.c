/* Parts of a program, in functions of their own, that work for a given processor
   time and add it up. */

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <caml/mlvalues.h>

static _Atomic int64_t total[4];

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#define PART(name, i)                                               \
  __attribute__((noinline, noclone)) void name(int64_t ns)         \
  {                                                                 \
    const int64_t began = now();                                    \
    int64_t at = began;                                             \
    while (at - began < ns) {                                       \
      /* Little time in the kernel, of which ticks alone tell. */   \
      for (volatile int n = 0; n < 200000; n++) { }                 \
      at = now();                                                   \
    }                                                               \
    total[i] += at - began;                                         \
  }
PART(part_a, 0)
PART(part_b, 1)
PART(part_c, 2)
PART(part_d, 3)

value bias_work(value part, value ns)
{
  static void (*const parts[])(int64_t) = { part_a, part_b, part_c, part_d };
  parts[Long_val(part)](Long_val(ns));
  return Val_unit;
}

static void *masked(void *ns)
{
  part_b((int64_t) (intptr_t) ns);
  return NULL;
}

static pthread_t thread;

/* Starts a thread that blocks all signals. */
value bias_masked(value ns)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  if (pthread_create(&thread, NULL, masked, (void *) (intptr_t) Long_val(ns)))
    abort();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return Val_unit;
}

value bias_join(value unit)
{
  pthread_join(thread, NULL);
  return unit;
}

value bias_total(value part)
{
  return Val_long(total[Long_val(part)]);
}
