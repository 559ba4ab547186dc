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

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "actions.h"
#include "eventring_reader.h"
#include "own_command.h"
#include "stacks.h"
#include "view.h"

/* Copies the id of the process, if it runs and is one of this pid namespace, to
   *state. */
static void copy_pid(struct view_data *data, void *state)
{
  if (data->state == EVENTRING_STATE_RUNNING && !data->info.pid_is_elsewhere)
    *(int32_t *) state = data->info.pid;
}

/* Returns whether process [pid] traces to the file at [path]: a file may have the number of
   any process in it. */
static bool is_file_of(int32_t pid, const char *path)
{
  struct eventring_cursor *cursor;
  struct stat shown, its;
  if (eventring_open_pid(pid, NULL, NULL, &cursor) < 0) return false;
  const bool same = stat(path, &shown) == 0 && stat(eventring_path(cursor), &its) == 0
                    && shown.st_dev == its.st_dev && shown.st_ino == its.st_ino;
  eventring_close(cursor);
  return same;
}

/* Returns the stacks of process [pid], whose ring file is at [path]. */
static struct answer stacks_of(const struct asked *asked, int32_t pid, const char *path)
{
  char number[16];
  snprintf(number, sizeof number, "%" PRId32, pid);
  const char *const argv[] = { OWN_PROGRAM, "stacks", "--json", number, NULL };
  if (!is_file_of(pid, path))
    return refusal(409, "process %s has another file than this one", number);
  return answer_own_command(asked, argv, ".", "");
}

struct answer stacks_of_view(const struct asked *asked)
{
  int32_t pid = 0;
  view_look(asked->view, copy_pid, &pid);
  struct answer answer = pid > 0 ? stacks_of(asked, pid, view_path(asked->view))
    : refusal(409, "the process does not run, or in another pid namespace");
  add_action(asked->origin, view_id(asked->view), "stacks",
             answer.status == 200 ? "ok" : "refused");
  return answer;
}
