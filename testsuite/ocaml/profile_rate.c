#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* To be preloaded: timers of processor time become timers of real time with a
   period of $PERIOD ns, whatever time they are set to.  The kernel looks at the
   former at its ticks only.  So the clock of the ticks of a thread is its precise
   processor time instead. */

int clock_gettime(clockid_t clock, struct timespec *time)
{
  static int (*real)(clockid_t, struct timespec *);
  /* The kernel's CPUCLOCK_PROF of a thread, and its CPUCLOCK_SCHED. */
  if (clock < 0 && (clock & 7) == 4)
    return (int) syscall(SYS_clock_gettime, clock | 2, time);
  if (real == NULL)
    real = (int (*)(clockid_t, struct timespec *))
      dlsym(RTLD_NEXT, "clock_gettime");
  return real(clock, time);
}

int timer_create(clockid_t clock, struct sigevent *restrict event,
                 timer_t *restrict timer)
{
  int (*real)(clockid_t, struct sigevent *, timer_t *) =
    (int (*)(clockid_t, struct sigevent *, timer_t *))
      dlsym(RTLD_NEXT, "timer_create");
  (void) clock;
  return real(CLOCK_MONOTONIC, event, timer);
}

int timer_settime(timer_t timer, int flags,
                  const struct itimerspec *restrict spec,
                  struct itimerspec *restrict old)
{
  static int (*real)(timer_t, int, const struct itimerspec *,
                     struct itimerspec *);
  static long period;
  struct itimerspec ours = *spec, now;
  if (real == NULL) {
    period = atol(getenv("PERIOD"));
    real = (int (*)(timer_t, int, const struct itimerspec *,
                    struct itimerspec *)) dlsym(RTLD_NEXT, "timer_settime");
  }
  (void) flags;
  /* The sampler's; not the only signal of timeout(1). */
  if (spec->it_interval.tv_nsec != 0 && spec->it_value.tv_nsec != 0) {
    if (timer_gettime(timer, &now) == 0 && now.it_interval.tv_nsec == period)
      return 0;
    ours.it_value = ours.it_interval = (struct timespec) { 0, period };
  }
  return real(timer, 0, &ours, old);
}
