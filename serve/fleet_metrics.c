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

/* See fleet_metrics.h.  The figures of the agents' reports are always new; the
   figures of recordings come from fleet_readings.h. */

#include "fleet_metrics.h"
#include "fleet_readings.h"
#include "hub_metrics.h"

static void print_gauge(FILE *out, const char *name, const char *help,
                        size_t value)
{
  fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %zu\n", name, help, name,
          name, value);
}

/* Adds the metrics of [readings], and prints how old they are. */
static void add_readings(struct metric_pages *pages,
                         const struct fleet_readings *readings, FILE *out)
{
  for (size_t i = 0; i < readings->count; i++)
    add_stream_metrics(pages, readings->list[i].stream,
                       readings->list[i].text);
  print_gauge(out, "eventring_hub_processes",
              "Processes of the hub that are shown.", readings->count);
  print_gauge(out, "eventring_hub_unread_processes",
              "Of them, processes with figures of the agent only.",
              readings->unread);
  print_gauge(out, "eventring_hub_old_processes",
              "Of them, processes with newer events than their figures.",
              readings->old);
}

void add_fleet_metrics(struct metric_pages *pages, const struct hub_url *hub,
                       FILE *out)
{
  struct fleet_readings readings;
  char why[512];
  bool held = hold_readings(hub, &readings, why, sizeof why);
  bool up = held && add_agent_metrics(pages, hub, NULL, 0, why, sizeof why);
  print_gauge(out, "eventring_hub_up", "1 when the hub has answered.", up);
  if (up) add_readings(pages, &readings, out);
  if (held) release_readings(&readings);
}
