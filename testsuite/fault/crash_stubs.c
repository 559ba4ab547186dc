#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <caml/mlvalues.h>

/* A thread that kills the process after so many steps of its own: KILL="N M",
   N from before the runtime starts, M in the child from its fork.  Steps and
   not time: a busy machine delays both alike. */

static void *kill_later(void *steps)
{
  for (volatile uintptr_t n = (uintptr_t) steps; n > 0; n--) { }
  kill(getpid(), SIGKILL);
  return NULL;
}

static void arm(int which)
{
  char *s = getenv("KILL");
  pthread_t thread;
  uintptr_t steps = 0;
  for (int i = 0; s != NULL && i <= which; i++) steps = strtoul(s, &s, 10);
  if (steps != 0 && pthread_create(&thread, NULL, kill_later, (void *) steps))
    abort();
}

__attribute__((constructor)) static void at_start(void)
{
  arm(0);
}

value test_arm(value which)
{
  arm(Int_val(which));
  return Val_unit;
}
