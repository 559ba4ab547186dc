/* Parts of a program, in functions of their own, that work for a given processor
   time and add it up. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <caml/mlvalues.h>

static _Atomic int64_t total[6];

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Little time in the kernel, of which ticks alone tell. */
static inline void compute(void)
{
  for (volatile int n = 0; n < 200000; n++) { }
}

/* Little time in user mode. */
static inline void call(void)
{
  static char zeros[1 << 20];
  static int fd = -1;
  if (fd < 0) fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (read(fd, zeros, sizeof(zeros)) != sizeof(zeros)) abort();
}

#define PART(name, i, what)                                         \
  __attribute__((noinline, noclone)) void name(int64_t ns)         \
  {                                                                 \
    const int64_t began = now();                                    \
    int64_t at = began;                                             \
    while (at - began < ns) {                                       \
      what();                                                       \
      at = now();                                                   \
    }                                                               \
    total[i] += at - began;                                         \
  }
PART(part_a, 0, compute)
PART(part_b, 1, compute)
PART(part_c, 2, compute)
PART(part_d, 3, compute)
PART(part_call, 4, call)
PART(part_calls, 5, call)

value bias_work(value part, value ns)
{
  static void (*const parts[])(int64_t) = {
    part_a, part_b, part_c, part_d, part_call, part_calls
  };
  parts[Long_val(part)](Long_val(ns));
  return Val_unit;
}

/* Sleeps for 50 ms, or less. */
value bias_sleep(value unit)
{
  const struct timespec time = { 0, 50000000 };
  nanosleep(&time, NULL);
  return unit;
}

static pthread_t thread;
static _Atomic int stop;

static void *masked(void *unused)
{
  (void) unused;
  while (!stop) part_b(1000000);
  return NULL;
}

/* Starts a thread that blocks all signals and works until bias_join. */
value bias_masked(value unit)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  if (pthread_create(&thread, NULL, masked, NULL)) abort();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return unit;
}

value bias_join(value unit)
{
  stop = 1;
  pthread_join(thread, NULL);
  return unit;
}

value bias_total(value part)
{
  return Val_long(total[Long_val(part)]);
}
