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

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "processes.h"
#include "text.h"

/* Returns whether the file at [path] is directly in the folder with the status
   [dir], under any name of the folder. */
static bool is_in(const char *path, const struct stat *dir)
{
  char parent[sizeof ((struct eventring_process *) 0)->path];
  struct stat st;
  snprintf(parent, sizeof parent, "%s", path);
  char *slash = strrchr(parent, '/');
  if (slash == NULL) return false;
  slash[slash == parent ? 1 : 0] = '\0';
  return stat(parent, &st) == 0 && st.st_dev == dir->st_dev
      && st.st_ino == dir->st_ino;
}

/* Returns an array of all processes that can be found, and the files in [dir],
   or in the working directory if [dir] is NULL; sets *count to their number.
   The caller frees the array.  Asks again with a larger array if more processes
   start between two calls.  If the search fails, prints a message and ends the
   program with STATUS_CANNOT_READ. */
static struct eventring_process *find_all(const char *dir, size_t *count)
{
  struct eventring_process *list = NULL;
  int room = 0, found;
  while ((found = eventring_processes(dir, list, room)) > room) {
    room = found + 16;
    free(list);
    list = calloc((size_t) room, sizeof *list);
    if (list == NULL) {
      found = EVENTRING_E_MEMORY;
      break;
    }
  }
  if (found < 0) {
    struct stat st;
    const bool is_file = dir != NULL && stat(dir, &st) == 0
                         && !S_ISDIR(st.st_mode);
    complain("cannot look for processes%s%s: %s", dir == NULL ? "" : " in ",
             dir == NULL ? "" : dir,
             is_file ? strerror(ENOTDIR) : eventring_strerror(found));
    exit(STATUS_CANNOT_READ);
  }
  *count = (size_t) found;
  return list;
}

struct eventring_process *find_processes(const char *dir, size_t *count)
{
  struct stat st;
  size_t found;
  struct eventring_process *list = find_all(dir, &found);
  if (dir == NULL || stat(dir, &st) < 0) {
    *count = found;
    return list;
  }
  *count = 0;
  for (size_t i = 0; i < found; i++)
    if (is_in(list[i].path, &st)) list[(*count)++] = list[i];
  return list;
}

/* Opens the ring file of [process], by its number first: only the number
   identifies a process in a container, which has another number for itself.
   Returns NULL, with the reason in [why], when the file cannot be opened. */
struct eventring_cursor *open_process(const struct eventring_process *process,
                                      struct eventring_options options,
                                      char *why, size_t why_size)
{
  struct eventring_cursor *cursor = NULL;
  int error = -1;
  why[0] = '\0';
  options.size = sizeof options;
  options.message = why;
  options.message_size = why_size;
  if (process->alive && !process->elsewhere)
    error = eventring_open_pid(process->pid, NULL, &options, &cursor);
  if (error < 0) error = eventring_open(process->path, &options, &cursor);
  if (error < 0 && why[0] == '\0')
    snprintf(why, why_size, "%s: %s", process->path,
             eventring_strerror(error));
  return cursor;
}

/* Prints a line on standard error for each running process of [list]: its pid,
   or its file if that is the number of another pid namespace, and its program, or the reason why its file cannot be opened. */
static void list_running(const struct eventring_process *list, size_t count)
{
  char why[512];
  for (size_t i = 0; i < count; i++) {
    if (!list[i].alive) continue;
    struct eventring_cursor *cursor =
      open_process(&list[i], (struct eventring_options) { 0 }, why,
                   sizeof why);
    if (list[i].elsewhere) {
      fputs("  ", stderr);
      print_text(stderr, list[i].path, strlen(list[i].path), TEXT_LINE);
      fputs("  ", stderr);
    } else {
      fprintf(stderr, "  %7" PRId32 "  ", list[i].pid);
    }
    if (cursor == NULL)
      print_text(stderr, why, strlen(why), TEXT_LINE);
    else {
      struct eventring_info info = target_info(cursor);
      print_text(stderr, info.program, strlen(info.program), TEXT_LINE);
    }
    fputc('\n', stderr);
    eventring_close(cursor);
  }
}

struct eventring_cursor *open_only_process(const struct command *command,
                                           const char *dir)
{
  size_t count, running = 0, only = 0;
  struct eventring_process *list = find_processes(dir, &count);
  for (size_t i = 0; i < count; i++)
    if (list[i].alive) {
      running++;
      only = i;
    }
  if (running == 0)
    usage_error(command, "%s: no traced process was found; name a process id "
                "or a file", command->name);
  if (running > 1) {
    complain("%s: there are %zu traced processes; name one of them, or a file",
             command->name, running);
    list_running(list, count);
    exit(STATUS_USAGE);
  }
  char why[512];
  struct eventring_cursor *cursor =
    open_process(&list[only], (struct eventring_options) { .changes = 1 }, why,
                 sizeof why);
  free(list);
  if (cursor == NULL) {
    complain("%s", why);
    exit(STATUS_CANNOT_READ);
  }
  return cursor;
}

enum status visit_running(const char *dir, bool control,
                          enum status (*visit)(void *state,
                                               struct eventring_cursor *cursor),
                          void *state, size_t *count)
{
  size_t found;
  struct eventring_process *list = find_processes(dir, &found);
  enum status status = STATUS_OK;
  *count = 0;
  for (size_t i = 0; i < found; i++) {
    if (!list[i].alive) continue;
    char why[512];
    struct eventring_cursor *cursor =
      open_process(&list[i], (struct eventring_options) { .control = control },
                   why, sizeof why);
    ++*count;
    if (cursor == NULL) complain("%s", why);
    if (cursor == NULL || visit(state, cursor) != STATUS_OK)
      status = STATUS_CANNOT_READ;
    eventring_close(cursor);
  }
  free(list);
  return status;
}

enum status no_process_to(const char *action, const char *dir)
{
  complain("there is no traced process%s%s to %s", dir == NULL ? "" : " in ",
           dir == NULL ? "" : dir, action);
  return STATUS_CANNOT_READ;
}

const char *recording_state(struct eventring_cursor *cursor)
{
  switch (eventring_state(cursor)) {
  case EVENTRING_STATE_RUNNING:
    return target_info(cursor).active != 0 ? "recording" : "paused";
  case EVENTRING_STATE_ENDED: return "ended";
  case EVENTRING_STATE_REPLACED: return "replaced";
  case EVENTRING_STATE_KILLED: return "killed";
  default: return "unknown";
  }
}
