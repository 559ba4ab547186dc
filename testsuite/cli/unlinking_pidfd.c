/* Loaded into a reader by LD_PRELOAD: the file UNLINK is removed before the reader
   opens its process, as by a process that ends at this moment. */

#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <unistd.h>

int pidfd_open(pid_t pid, unsigned int flags)
{
  const char *name = getenv("UNLINK");
  if (name == NULL || unlink(name) < 0) abort();
  return (int) syscall(SYS_pidfd_open, pid, flags);
}
