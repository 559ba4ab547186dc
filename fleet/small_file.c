/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* See small_file.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "small_file.h"

bool make_folders(const char *path)
{
  char *part = strdup(path);
  bool made = part != NULL;
  for (char *slash = part;
       made && *slash != '\0' && (slash = strchr(slash + 1, '/')) != NULL; ) {
    *slash = '\0';
    made = mkdir(part, 0700) == 0 || errno == EEXIST || errno == EROFS;
    *slash = '/';
  }
  made = made && (mkdir(part, 0700) == 0 || errno == EEXIST);
  const int error = errno;
  free(part);
  errno = error;
  return made;
}

/* Returns the [size] bytes of [fd] and a 0, which the caller frees; NULL with
   errno. */
static char *read_bytes(int fd, size_t size)
{
  char *text = calloc(1, size + 1);
  size_t done = 0;
  while (text != NULL && done < size) {
    ssize_t n = read(fd, text + done, size - done);
    if (n == 0) break;            /* another process has cut it */
    if (n > 0) {
      done += (size_t) n;
    } else if (errno != EINTR) {
      free(text);
      return NULL;
    }
  }
  return text;
}

char *read_small_file(int folder, const char *name, size_t max)
{
  struct stat st;
  char *text = NULL;
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return NULL;
  int error = fstat(fd, &st) < 0 ? errno
              : !S_ISREG(st.st_mode) ? EINVAL
              : (uint64_t) st.st_size > max ? EFBIG : 0;
  if (error == 0 && (text = read_bytes(fd, (size_t) st.st_size)) == NULL)
    error = errno;
  close(fd);
  errno = error;
  return text;
}

bool replace_small_file(int folder, const char *name, const char *text,
                        bool durable)
{
  char temporary[128];
  const size_t length = strlen(text);
  snprintf(temporary, sizeof temporary, ".%s.new", name);
  int fd = openat(folder, temporary,
                  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return false;
  errno = ENOSPC;                 /* of a write that is cut short */
  bool written = write(fd, text, length) == (ssize_t) length
                 && (!durable || fsync(fd) == 0);
  int error = errno;
  close(fd);
  if (written && renameat(folder, temporary, folder, name) == 0)
    return !durable || fsync(folder) == 0;
  if (written) error = errno;
  unlinkat(folder, temporary, 0);
  errno = error;
  return false;
}
