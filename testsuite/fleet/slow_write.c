/* Loaded into eventring by LD_PRELOAD: each write to the file into which it gets a
   recording from a hub takes half a second. */

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t write(int fd, const void *bytes, size_t size)
{
  char entry[64], target[4096];
  snprintf(entry, sizeof entry, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(entry, target, sizeof target - 1);
  target[length > 0 ? length : 0] = '\0';
  if (strstr(target, "/eventring-hub-") != NULL)
    nanosleep(&(struct timespec) { .tv_nsec = 500000000 }, NULL);
  return syscall(SYS_write, fd, bytes, size);
}
