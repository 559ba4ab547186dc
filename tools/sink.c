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

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common.h"
#include "sink.h"

/* Returns [path], without slashes at its end, with ".PID.part" after it.  A
   long name is cut so that the result is not longer than NAME_MAX. */
char *temporary_name(const char *path)
{
  char ending[32];
  int ending_length = snprintf(ending, sizeof ending, ".%ld.part",
                               (long) getpid());
  size_t length = strlen(path), longest = NAME_MAX - (size_t) ending_length;
  while (length > 1 && path[length - 1] == '/') length--;
  const char *slash = memrchr(path, '/', length);
  size_t begin = slash == NULL ? 0 : (size_t) (slash + 1 - path);
  if (length - begin > longest) length = begin + longest;
  char *name = allocate(length + sizeof ending, 1);
  memcpy(name, path, length);
  strcpy(name + length, ending);
  return name;
}

/* Opens the file of the sink and sets [sink->fd].  Unless [sink->path] names a
   file that is not regular, creates a new file and sets [sink->temporary] to
   its name.  Returns false, with a message, when the file cannot be opened, is
   an input, or exists while [force] is false; [sink->temporary] may then be
   set. */
static bool open_file(struct sink *sink, bool force)
{
  const char *path = sink->path;
  struct stat there;
  int flags = O_WRONLY | O_CLOEXEC;
  if (refuse_input(path)) return false;
  if (stat(path, &there) < 0 || S_ISREG(there.st_mode)) {
    if (refuse_existing(path, force)) return false;
    sink->temporary = temporary_name(path);
    flags |= O_CREAT | O_EXCL;
  }
  sink->fd = open(sink->temporary != NULL ? sink->temporary : path, flags,
                  0666);
  if (sink->fd >= 0) return true;
  complain("%s: cannot write it: %s", path, strerror(errno));
  return false;
}

struct sink *open_sink(const char *path, bool force)
{
  struct sink *sink = malloc(sizeof *sink);
  if (sink == NULL) {
    complain("not enough memory");
    return NULL;
  }
  sink->path = strcmp(path, "-") == 0 ? NULL : path;
  sink->temporary = NULL;
  sink->force = force;
  sink->fd = STDOUT_FILENO;
  sink->error = 0;
  sink->used = 0;
  if (sink->path == NULL || open_file(sink, force)) return sink;
  free(sink->temporary);
  free(sink);
  return NULL;
}

void sink_flush(struct sink *sink)
{
  for (size_t done = 0; done < sink->used && sink->error == 0; ) {
    ssize_t n = write(sink->fd, sink->buffer + done, sink->used - done);
    if (n >= 0)
      done += (size_t) n;
    else if (errno != EINTR)
      sink->error = errno;
  }
  sink->used = 0;
}

char *sink_room(struct sink *sink, size_t size)
{
  if (size > SINK_SIZE - sink->used) sink_flush(sink);
  return sink->buffer + sink->used;
}

void sink_write(struct sink *sink, const void *bytes, size_t size)
{
  const char *from = bytes;
  while (size > 0) {
    size_t part = size < SINK_SIZE ? size : SINK_SIZE;
    memcpy(sink_room(sink, part), from, part);
    sink->used += part;
    from += part;
    size -= part;
  }
}

/* Renames [temporary] to [path], where nothing must be.  Returns 0, or -1 with
   errno, EEXIST if something is there. */
static int rename_new(const char *temporary, const char *path)
{
  struct stat there;
  if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  /* The file system cannot do that, perhaps no links either. */
  if (link(temporary, path) == 0) return unlink(temporary);
  if (errno == EEXIST) return -1;
  if (lstat(path, &there) < 0) return rename(temporary, path);
  errno = EEXIST;
  return -1;
}

bool give_name(const char *temporary, const char *path, bool force)
{
  if ((force ? rename(temporary, path) : rename_new(temporary, path)) == 0)
    return true;
  int reason = errno;
  if (reason != EEXIST || !refuse_existing(path, force))
    complain("%s: cannot write it: %s", path, strerror(reason));
  return false;
}

void report_sink(const struct sink *sink)
{
  complain("%s: cannot write it: %s",
           sink->path == NULL ? "standard output" : sink->path,
           strerror(sink->error));
}

bool close_sink(struct sink *sink, bool keep)
{
  if (keep) sink_flush(sink);
  if (sink->path != NULL && close(sink->fd) < 0 && sink->error == 0)
    sink->error = errno;
  /* A reader that closed the pipe needs no more. */
  if (sink->path == NULL && sink->error == EPIPE) sink->error = 0;
  bool right = sink->error == 0 || !keep;
  if (!right) report_sink(sink);
  else if (keep && sink->path != NULL && sink->temporary != NULL)
    right = give_name(sink->temporary, sink->path, sink->force);
  if (sink->temporary != NULL && !(keep && right)) unlink(sink->temporary);
  free(sink->temporary);
  free(sink);
  return right;
}

bool write_printed(const char *path, bool force,
                   void (*print)(FILE *out, void *what), void *what)
{
  struct sink *sink = open_sink(path, force);
  if (sink == NULL) return false;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  bool made = out != NULL;
  if (made) print(out, what);
  made = made && fclose(out) == 0;
  if (made) sink_write(sink, text, size);
  else complain("not enough memory");
  free(text);
  return close_sink(sink, made) && made;
}
