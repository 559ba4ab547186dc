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
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common.h"
#include "numbered.h"
#include "options.h"
#include "output_file.h"
#include "parts.h"

/* The most programs in one file: not more than a recording can have. */
#define MOST_IN_A_FILE 1000

char *real_output(const char *output)
{
  char *path = strcpy(allocate(strlen(output) + 1, 1), output), to[PATH_MAX];
  struct stat there;
  if (stat(path, &there) == 0) {
    char *real = S_ISREG(there.st_mode) && lstat(path, &there) == 0
                 && S_ISLNK(there.st_mode) ? realpath(path, NULL) : NULL;
    if (real == NULL) return path;
    free(path);
    return real;
  }
  /* As many as the system follows. */
  for (int links = 0; links < 40; links++) {
    const ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0) break;
    to[length] = '\0';
    const char *slash = to[0] == '/' ? NULL : strrchr(path, '/');
    char *next;
    if (asprintf(&next, "%.*s%s",
                 slash == NULL ? 0 : (int) (slash + 1 - path), path, to) < 0)
      out_of_memory();
    free(path);
    path = next;
  }
  return path;
}

void begin_parts(struct parts *p, const char *output, bool force,
                 enum status *status)
{
  struct stat there;
  *p = (struct parts) { .output = output, .force = force, .status = status };
  p->is_file = output != NULL
               && (stat(output, &there) < 0 || S_ISREG(there.st_mode));
}

/* Creates the folder of the parts, beside the output.  Returns whether it is
   there; on failure prints a message and sets the status. */
static bool make_folder(struct parts *p)
{
  if (p->folder != NULL) return true;
  char *copy = strdup(p->output), *folder = NULL;
  if (copy == NULL
      || asprintf(&folder, "%s/eventring-XXXXXX", dirname(copy)) < 0)
    out_of_memory();
  free(copy);
  if (folder != NULL) p->folder = mkdtemp(folder);
  if (p->folder != NULL) return true;
  complain("cannot make a folder for the recordings of several processes, %s: "
           "%s", folder, strerror(errno));
  *p->status = STATUS_CANNOT_WRITE;
  free(folder);
  return false;
}

char *new_part(struct parts *p)
{
  char *path;
  if (p->output == NULL || *p->status != STATUS_OK) return NULL;
  if (!p->is_file) {
    p->left_out++;
    return NULL;
  }
  if (!make_folder(p)) return NULL;
  p->paths = with_room(p->paths, p->count, &p->room, sizeof *p->paths);
  if (asprintf(&path, "%s/%zu.evr", p->folder, p->count + 1) < 0)
    out_of_memory();
  p->paths[p->count++] = path;
  path = strdup(path);
  if (path == NULL) out_of_memory();
  return path;
}

uint32_t joined_files(const struct parts *p)
{
  const size_t programs = p->count + p->first;
  return programs == 0 ? 1
         : (uint32_t) ((programs + MOST_IN_A_FILE - 1) / MOST_IN_A_FILE);
}

/* Returns the path of the file that join_parts makes, which the caller frees. */
static char *joined_path(const struct parts *p)
{
  char *path;
  if (asprintf(&path, "%s/joined.evr", p->folder) < 0) out_of_memory();
  return path;
}

/* Runs `merge` for the [count] recordings at [paths], into the file at [path],
   which must not exist.  Returns its status. */
static enum status merge(const char *path, char **paths, size_t count)
{
  char **argv = allocate(count + 5, sizeof *argv);
  int argc = 0;
  argv[argc++] = "merge";
  argv[argc++] = "-o";
  argv[argc++] = (char *) path;
  argv[argc++] = "--";
  for (size_t i = 0; i < count; i++) argv[argc++] = paths[i];
  optind = 0;
  enum status status = merge_command.run(argc, argv);
  free(argv);
  return status;
}

enum status join_parts(const struct parts *p)
{
  const size_t programs = p->count + p->first;
  char **paths = allocate(programs, sizeof *paths), *joined = joined_path(p);
  size_t done = 0;
  enum status status = STATUS_OK;
  if (p->first) paths[0] = (char *) p->output;
  memcpy(paths + p->first, p->paths, p->count * sizeof *paths);
  for (uint32_t file = 1; done < programs && status == STATUS_OK; file++) {
    size_t count = programs - done < MOST_IN_A_FILE ? programs - done
                                                    : MOST_IN_A_FILE;
    char *output = numbered_path(p->output, file);
    status = merge(joined, paths + done, count);
    if (status == STATUS_OK
        && !give_name(joined, output, p->force || (file == 1 && p->first)))
      status = STATUS_CANNOT_WRITE;
    free(output);
    done += count;
  }
  free(joined);
  free(paths);
  return status;
}

void drop_joined(const struct parts *p)
{
  char *joined = joined_path(p);
  unlink(joined);
  free(joined);
}

void remove_parts(const struct parts *p)
{
  if (p->folder == NULL) return;
  for (size_t i = 0; i < p->count; i++) unlink(p->paths[i]);
  drop_joined(p);
  rmdir(p->folder);
}
