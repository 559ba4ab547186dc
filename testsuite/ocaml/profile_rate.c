#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* To be preloaded: timers of processor time become timers of real time with a
   period of $PERIOD ns.  The kernel looks at the former at its ticks only. */

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
  struct itimerspec ours = *spec;
  if (real == NULL) {
    period = atol(getenv("PERIOD"));
    real = (int (*)(timer_t, int, const struct itimerspec *,
                    struct itimerspec *)) dlsym(RTLD_NEXT, "timer_settime");
  }
  (void) flags;
  if (spec->it_interval.tv_sec != 0 || spec->it_interval.tv_nsec != 0)
    ours.it_value = ours.it_interval = (struct timespec) { 0, period };
  return real(timer, 0, &ours, old);
}
