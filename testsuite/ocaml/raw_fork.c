/* fork(2) behind the runtime's back: the child is a C program, and ends after
   a while in which it would show if it wrote into its parent's ring. */

#include <sys/types.h>
#include <unistd.h>
#include <caml/mlvalues.h>

value test_raw_fork(value unit)
{
  pid_t pid = fork();
  (void) unit;
  if (pid == 0) {
    usleep(50000);
    _exit(0);
  }
  return Val_int(pid);
}
