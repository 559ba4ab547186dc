/* Loaded into a reader by LD_PRELOAD: the file HIDE is not there the first HIDE_TIMES
   times that the reader looks for it, as if a process created it meanwhile. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int access(const char *path, int mode)
{
  static int times;
  const char *name = getenv("HIDE"), *most = getenv("HIDE_TIMES");
  if (name != NULL && most != NULL && strcmp(path, name) == 0
      && times++ < atoi(most)) {
    errno = ENOENT;
    return -1;
  }
  return (int) syscall(SYS_faccessat, AT_FDCWD, path, mode);
}
