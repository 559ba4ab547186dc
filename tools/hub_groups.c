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

/* See hub_groups.h. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fleet_comparison.h"
#include "follow.h"
#include "hub_groups.h"
#include "hub_streams.h"
#include "hub_target.h"
#include "json.h"
#include "summary.h"
#include "target.h"

bool is_hub_group(const struct command *command, const char *operand)
{
  if (has_hub_option()) return true;
  return strchr(operand, '/') != NULL && strchr(operand, ':') == NULL
         && access(operand, F_OK) != 0 && chosen_hub(command) != NULL;
}

static void take_event(void *summary, const struct eventring_event *event)
{
  summary_event(summary, event);
}

static bool pass(void *summary, bool idle)
{
  if (idle) summary_idle(summary);
  return true;
}

/* Reads the recording of [cursor], of [node], into [group]. */
static void take_recording(struct run_group *group,
                           struct eventring_cursor *cursor, const char *node)
{
  struct summary *summary = new_summary(cursor);
  read_events(cursor, &(struct reading) {
    .changes = true, .open_spans = true, .state = summary,
    .event = take_event, .pass = pass
  });
  const uint64_t lost = lost_events(cursor);
  json_t *json = json_summary(summary), *facts = new_process_facts(cursor);
  json_object_set_new(facts, "node", json_pack("[o]", json_text(node)));
  merge_facts(group->facts, facts);
  group->lossy += lost > 0;
  group->lost_events += lost;
  add_recorded(group, recorded_figures(json));
  json_decref(facts);
  json_decref(json);
  free_summary(summary);
}

/* Adds the recordings of all processes of the node [operand], NODE/. */
static bool take_node(const struct command *command, struct run_group *group,
                      const char *operand)
{
  const struct hub_url *url = chosen_hub(command);
  struct hub_streams streams;
  char why[512];
  char *node = strdup(operand);
  if (node == NULL) out_of_memory();
  /* The list of nodes tells whether there is such a node. */
  json_t *nodes = get_hub_nodes(url, &node, 1, why, sizeof why);
  const bool got = nodes != NULL
                   && get_hub_streams(url, &node, 1, &streams, why, sizeof why);
  json_decref(nodes);
  free(node);
  if (!got) {
    complain("%s", why);
    return false;
  }
  for (size_t i = 0; i < streams.count; i++) {
    const struct hub_stream *s = &streams.list[i];
    if (s->bytes <= 0) continue;
    struct eventring_cursor *cursor = open_hub_recording(url, s->node,
                                                         s->stream);
    if (cursor == NULL) {
      add_unreadable(group, s->stream);
      continue;
    }
    take_recording(group, cursor, s->node);
    close_hub_recording(cursor);
  }
  free_hub_streams(&streams);
  return true;
}

bool add_hub_group(const struct command *command, struct run_groups *groups,
                   const char *operand)
{
  char node[65];
  struct run_group *group = add_recorded_group(groups, operand);
  if (group == NULL) return false;
  if (is_hub_node(command, operand)) return take_node(command, group, operand);
  char *path = fetch_hub_target(command, operand);
  struct eventring_cursor *cursor = open_one(command, path, NULL, false, 0,
                                             NULL);
  snprintf(node, sizeof node, "%.*s", (int) strcspn(operand, "/"), operand);
  take_recording(group, cursor, node);
  close_hub_recording(cursor);
  free(path);
  return true;
}
