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

/* The metrics of the processes that run here and are shown, and of the processes
   of the hub. */

#include <stdio.h>
#include <stdlib.h>
#include "fleet_metrics.h"
#include "live_json.h"
#include "memory.h"
#include "metric_pages.h"
#include "metrics_text.h"
#include "registry.h"
#include "windows.h"

/* The metrics of all processes. */
struct collection {
  struct metric_pages *pages;
  int32_t *pids;                  /* of the processes so far */
  size_t pid_count, pid_room;
};

static void print_view(struct view_data *d, void *state)
{
  char **text = state;
  size_t size;
  FILE *out = open_memstream(text, &size);
  if (out == NULL) out_of_memory();
  if (d->metrics == NULL) d->metrics = new_metrics(live_summary(d->live));
  print_metrics(out, d->metrics);
  fclose(out);
}

/* Returns whether [pid] is a process that was added before; if not, it is from
   now on. */
static bool is_added(struct collection *m, int32_t pid)
{
  for (size_t i = 0; i < m->pid_count; i++)
    if (m->pids[i] == pid) return true;
  m->pids = with_room(m->pids, m->pid_count, &m->pid_room, sizeof *m->pids);
  m->pids[m->pid_count++] = pid;
  return false;
}

struct is_wanted { bool running; int32_t pid; };

static void look(struct view_data *d, void *state)
{
  struct is_wanted *wanted = state;
  wanted->running = d->state == EVENTRING_STATE_RUNNING;
  wanted->pid = d->pid;
}

/* Adds each process that runs. */
static void add_process(void *state, const struct registry_entry *entry)
{
  struct collection *m = state;
  struct is_wanted wanted = { false, 0 };
  char *text = NULL;
  if (entry->view == NULL || !view_look(entry->view, look, &wanted)
      || !wanted.running || is_added(m, wanted.pid))
    return;
  char label[32];
  snprintf(label, sizeof label, "process=\"%d\"", wanted.pid);
  if (view_look(entry->view, print_view, &text))
    add_metric_page(m->pages, text, label, NULL);
  free(text);
}

struct answer answer_metrics(const struct asked *asked)
{
  const struct settings *settings = asked->settings;
  struct collection m = { .pages = new_metric_pages() };
  char *text = NULL;
  size_t size;
  visit_registry(add_process, &m);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) out_of_memory();
  fprintf(out, "# HELP eventring_processes Processes that run and are shown.\n"
          "# TYPE eventring_processes gauge\neventring_processes %zu\n",
          m.pid_count);
  if (settings->hub != NULL) add_fleet_metrics(m.pages, settings->hub, out);
  print_metric_pages(out, m.pages);
  fclose(out);
  free_metric_pages(m.pages);
  free(m.pids);
  return (struct answer) { .status = 200, .text = text,
                           .type = "text/plain; version=0.0.4" };
}
