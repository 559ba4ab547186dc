/* Linked into programs that are built with ThreadSanitizer, which knows memory
   by its address: the writer of a ring file and a reader in the same process
   map it each for itself, and a race between the two would not be seen.  So a
   reader that maps a file that is mapped for writing here gets the same
   addresses (the linker's --wrap brings us the calls). */

#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

void *__real_mmap(void *at, size_t size, int prot, int flags, int fd,
                  off_t offset);
int __real_munmap(void *at, size_t size);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
                  off_t offset);
int __wrap_munmap(void *at, size_t size);

/* The file that was last mapped for writing, and how often it is mapped. */
static struct {
  void *at;
  size_t size;
  dev_t dev;
  ino_t ino;
  int uses;
} shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd,
                  off_t offset)
{
  struct stat st;
  void *result = NULL;
  if (at != NULL || flags != MAP_SHARED || offset != 0 || fstat(fd, &st) != 0)
    return __real_mmap(at, size, prot, flags, fd, offset);
  pthread_mutex_lock(&lock);
  if (shared.uses > 0 && prot == PROT_READ && size == shared.size
      && st.st_dev == shared.dev && st.st_ino == shared.ino) {
    shared.uses++;
    result = shared.at;
  } else {
    result = __real_mmap(at, size, prot, flags, fd, offset);
    if (shared.uses == 0 && prot & PROT_WRITE && result != MAP_FAILED) {
      shared.at = result;
      shared.size = size;
      shared.dev = st.st_dev;
      shared.ino = st.st_ino;
      shared.uses = 1;
    }
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int __wrap_munmap(void *at, size_t size)
{
  int mine;
  pthread_mutex_lock(&lock);
  mine = shared.uses > 0 && at == shared.at;
  if (mine) mine = --shared.uses > 0;
  pthread_mutex_unlock(&lock);
  return mine ? 0 : __real_munmap(at, size);
}
