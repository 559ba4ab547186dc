/* peak COMMAND [ARGUMENT...]: runs the command, prints its peak memory in KiB
   on standard error, and exits with its exit code.  A process counts the memory
   of its parent before exec as its own: Python's, if Python did this. */

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  int status;
  struct rusage usage;
  if (argc < 2) return 2;
  pid_t pid = fork();
  if (pid == 0) {
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    _exit(127);
  }
  if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
    perror("peak");
    return 1;
  }
  fprintf(stderr, "peak_kib: %ld\n", usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
