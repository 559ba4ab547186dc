#define _GNU_SOURCE
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <caml/mlvalues.h>

value test_posix_spawn(value program)
{
  char *args[] = { "storm", "domains", "2", NULL };
  pid_t pid;
  int status = -1;
  if (posix_spawn(&pid, String_val(program), NULL, NULL, args, environ) != 0)
    return Val_int(-1);
  while (waitpid(pid, &status, 0) < 0) { }
  return Val_int(status);
}
