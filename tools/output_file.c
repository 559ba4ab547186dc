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
#include "output_file.h"

/* A sink of open_sink; the sink is the first member, so that a pointer to it is one
   to this. */
struct output_file {
  struct sink sink;
  const char *path;               /* to be; NULL: standard output */
  char *temporary;                /* its name until it is whole, or NULL */
  bool force;                     /* replaces a file with the name [path] */
};

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

/* Opens the file of [out] and sets its descriptor.  Unless [out->path] names a
   file that is not regular, creates a new file and sets [out->temporary] to
   its name.  Returns false, with a message, when the file cannot be opened, is
   an input, or exists while [out->force] is false; [out->temporary] may then be
   set. */
static bool open_file(struct output_file *out)
{
  const char *path = out->path;
  struct stat there;
  int flags = O_WRONLY | O_CLOEXEC;
  if (refuse_input(path)) return false;
  if (stat(path, &there) < 0 || S_ISREG(there.st_mode)) {
    if (refuse_existing(path, out->force)) return false;
    out->temporary = temporary_name(path);
    flags |= O_CREAT | O_EXCL;
  }
  out->sink.fd = open(out->temporary != NULL ? out->temporary : path, flags,
                      0666);
  if (out->sink.fd >= 0) return true;
  complain("%s: cannot write it: %s", path, strerror(errno));
  return false;
}

struct sink *open_sink(const char *path, bool force)
{
  struct output_file *out = malloc(sizeof *out);
  if (out == NULL) {
    complain("not enough memory");
    return NULL;
  }
  begin_sink(&out->sink, STDOUT_FILENO, UINT64_MAX);
  out->path = strcmp(path, "-") == 0 ? NULL : path;
  out->temporary = NULL;
  out->force = force;
  if (out->path == NULL || open_file(out)) return &out->sink;
  free(out->temporary);
  free(out);
  return NULL;
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
  const struct output_file *out = (const struct output_file *) sink;
  complain("%s: cannot write it: %s",
           out->path == NULL ? "standard output" : out->path,
           strerror(sink->error));
}

bool close_sink(struct sink *sink, bool keep)
{
  struct output_file *out = (struct output_file *) sink;
  if (keep) sink_flush(sink);
  if (out->path != NULL && close(sink->fd) < 0 && sink->error == 0)
    sink->error = errno;
  /* A reader that closed the pipe needs no more. */
  if (out->path == NULL && sink->error == EPIPE) sink->error = 0;
  bool right = sink->error == 0 || !keep;
  if (!right) report_sink(sink);
  else if (keep && out->path != NULL && out->temporary != NULL)
    right = give_name(out->temporary, out->path, out->force);
  if (out->temporary != NULL && !(keep && right)) unlink(out->temporary);
  free(out->temporary);
  free(out);
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
