/* Makes every child that is forked wait, before anything that was registered
   later runs in it, until its parent has ended. */

#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>
#include <caml/mlvalues.h>

static pid_t parent;

static void wait_for_end_of_parent(void)
{
  while (getppid() == parent) usleep(1000);
}

value test_outlive_parents(value unit)
{
  parent = getpid();
  pthread_atfork(NULL, NULL, wait_for_end_of_parent);
  return unit;
}
