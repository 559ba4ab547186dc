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

#include <pthread.h>
#include <stdio.h>
#include "actions.h"
#include "json.h"
#include "live_json.h"
#include "locks.h"
#include "target.h"

struct action {
  int64_t unix_ns;
  uint64_t process;
  char origin[64], action[256], result[256];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct action actions[ACTIONS] GUARDED_BY(lock);
static uint64_t count GUARDED_BY(lock);

void add_action(const char *origin, uint64_t process, const char *action,
                const char *result)
{
  pthread_mutex_lock(&lock);
  struct action *a = &actions[count++ % ACTIONS];
  a->unix_ns = realtime_ns();
  a->process = process;
  snprintf(a->origin, sizeof a->origin, "%s", origin);
  snprintf(a->action, sizeof a->action, "%s", action);
  snprintf(a->result, sizeof a->result, "%s", result);
  pthread_mutex_unlock(&lock);
}

json_t *json_actions(void)
{
  json_t *list = json_array();
  pthread_mutex_lock(&lock);
  uint64_t kept = count < ACTIONS ? count : ACTIONS;
  for (uint64_t i = 1; i <= kept; i++) {
    const struct action *a = &actions[(count - i) % ACTIONS];
    json_array_append_new(list, json_pack(
      "{s:I, s:s, s:o, s:o, s:o}", "unix_ns", (json_int_t) a->unix_ns,
      "origin", a->origin, "process",
      a->process != 0 ? json_id(a->process) : json_null(),
      "action", json_text(a->action), "result", json_text(a->result)));
  }
  pthread_mutex_unlock(&lock);
  return json_pack("{s:o}", "actions", list);
}
