/* Children that no fork handler sees. */

#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <caml/mlvalues.h>

value test_bare_fork(value clone)
{
  if (Bool_val(clone))
    return Val_int(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  return Val_int(_Fork());
}
