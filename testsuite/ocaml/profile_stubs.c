#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

/* Processor time of the calling thread, in ns. */
static long cpu_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

value test_cpu_ns(value unit)
{
  (void) unit;
  return Val_long(cpu_ns());
}

value test_tid(value unit)
{
  (void) unit;
  return Val_long(syscall(SYS_gettid));
}

static __attribute__((noinline)) void burn(long ms)
{
  long until = cpu_ns() + ms * 1000000;
  while (cpu_ns() < until)
    for (volatile int i = 0; i < 10000; i++) { }
}

/* Works without the domain lock. */
value test_burn_unlocked(value ms)
{
  long n = Long_val(ms);
  caml_enter_blocking_section();
  burn(n);
  caml_leave_blocking_section();
  return Val_unit;
}

static void *c_thread(void *ms)
{
  burn((long) ms);
  printf("c_thread %ld %ld\n", (long) syscall(SYS_gettid), cpu_ns());
  fflush(stdout);
  return NULL;
}

/* Works in a thread that OCaml does not know. */
value test_burn_c_thread(value ms)
{
  pthread_t thread;
  caml_enter_blocking_section();
  if (pthread_create(&thread, NULL, c_thread, (void *) Long_val(ms)) == 0)
    pthread_join(thread, NULL);
  caml_leave_blocking_section();
  return Val_unit;
}

/* Waits and works by turns for [ms] milliseconds, in select, poll, epoll_wait,
   read and nanosleep.  Returns how many waits ended with EINTR. */
value test_waits(value ms)
{
  struct timespec now, end;
  struct epoll_event event;
  uint64_t ticks;
  long interrupted = 0;
  int nothing = epoll_create1(EPOLL_CLOEXEC);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  struct itimerspec often = { { 0, 500000 }, { 0, 500000 } };
  if (nothing < 0 || timer < 0 || timerfd_settime(timer, 0, &often, NULL) != 0)
    return Val_long(-1);
  caml_enter_blocking_section();
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += Long_val(ms) / 1000;
  do {
    struct timeval little = { 0, 500 };
    struct timespec wait = { 0, 300000 };
    if (select(0, NULL, NULL, NULL, &little) < 0 && errno == EINTR)
      interrupted++;
    if (poll(NULL, 0, 1) < 0 && errno == EINTR) interrupted++;
    if (epoll_wait(nothing, &event, 1, 1) < 0 && errno == EINTR) interrupted++;
    if (read(timer, &ticks, sizeof ticks) < 0 && errno == EINTR) interrupted++;
    if (nanosleep(&wait, NULL) != 0 && errno == EINTR) interrupted++;
    for (volatile int i = 0; i < 200000; i++) { }
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec < end.tv_sec
           || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
  caml_leave_blocking_section();
  close(nothing);
  close(timer);
  return Val_long(interrupted);
}
