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

#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "actions.h"
#include "attach.h"
#include "eventring_reader.h"
#include "json.h"

/* The most processes in the list. */
#define LISTED 256

#define WAIT_NS INT64_C(1000000000)

static void add_process(json_t *list, int32_t pid)
{
  char link[32], program[PATH_MAX];
  snprintf(link, sizeof link, "/proc/%d/exe", (int) pid);
  ssize_t length = readlink(link, program, sizeof program - 1);
  if (length < 0) return;
  program[length] = '\0';
  json_array_append_new(list, json_pack("{s:i, s:o}", "pid", (int) pid,
                                        "program", json_text(program)));
}

struct answer attachable_processes(const struct asked *asked)
{
  (void) asked;
  int32_t pids[LISTED];
  int count = eventring_attachable(pids, LISTED);
  if (count < 0) return refusal(500, "%s", eventring_strerror(count));
  json_t *list = json_array();
  for (int i = 0; i < count && i < LISTED; i++) add_process(list, pids[i]);
  return (struct answer) {
    .status = 200,
    .json = json_pack("{s:o, s:i}", "processes", list, "count", count)
  };
}

struct answer attach_process(const struct asked *asked)
{
  const json_t *number = json_object_get(asked->body, "pid");
  json_int_t pid = json_is_integer(number) ? json_integer_value(number) : 0;
  char why[512] = "", action[64];
  struct eventring_attach_options options = {
    .size = sizeof options, .wait_ns = WAIT_NS, .message = why,
    .message_size = sizeof why
  };
  if (pid < 1 || pid > INT32_MAX)
    return refusal(400, "pid: an integer, the id of a process");
  int result = eventring_attach((int32_t) pid, &options);
  snprintf(action, sizeof action, "attach to process %d", (int) pid);
  add_action(asked->origin, 0, action, result < 0 ? why : "ok");
  if (result < 0) return refusal(409, "%s", why);
  return (struct answer) {
    .status = 200,
    .json = json_pack("{s:b}", "pending", result == EVENTRING_PENDING)
  };
}
