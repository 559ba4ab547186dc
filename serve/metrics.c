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

/* print_metrics prints one process.  Prometheus wants all series of a metric
   together, so the texts of the processes are merged by metric, and each series
   gets the label process. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "live_json.h"
#include "memory.h"
#include "metrics_text.h"
#include "registry.h"
#include "windows.h"

/* A metric: its two lines of comment, and its series. */
struct metric {
  char *name;
  char *head;
  FILE *out;                      /* to [series] */
  char *series;
  size_t size;
};

/* The metrics of all processes. */
struct collection {
  struct metric *list;
  size_t count, room;
  int32_t *pids;                  /* of the processes so far */
  size_t pid_count, pid_room;
};

/* Returns the metric [name] of [length] bytes, a new one with the comment
   [head] if necessary. */
static struct metric *metric_of(struct collection *m, const char *name,
                                size_t length, const char *head,
                                size_t head_length)
{
  for (size_t i = 0; i < m->count; i++)
    if (strncmp(m->list[i].name, name, length) == 0
        && m->list[i].name[length] == '\0')
      return &m->list[i];
  m->list = with_room(m->list, m->count, &m->room, sizeof *m->list);
  struct metric *metric = &m->list[m->count++];
  *metric = (struct metric) { .name = strndup(name, length),
                              .head = strndup(head, head_length) };
  metric->out = open_memstream(&metric->series, &metric->size);
  if (metric->name == NULL || metric->head == NULL || metric->out == NULL)
    out_of_memory();
  return metric;
}

/* Prints the series [line] of [length] bytes with the label process. */
static void add_series(FILE *out, const char *line, size_t length, int32_t pid)
{
  size_t name = strcspn(line, "{ ");
  bool labels = line[name] == '{';
  fprintf(out, "%.*s{process=\"%d\"%s", (int) name, line, pid,
          labels ? "," : "}");
  fwrite(line + name + labels, 1, length - name - labels, out);
  putc('\n', out);
}

/* Adds the metrics in [text], of the process [pid]: comments of two lines, HELP
   and TYPE, each before its series. */
static void add_text(struct collection *m, const char *text, int32_t pid)
{
  struct metric *metric = NULL;
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    if (strncmp(text, "# HELP ", 7) == 0) {
      size_t both = length + 1 + strcspn(text + length + 1, "\n") + 1;
      metric = metric_of(m, text + 7, strcspn(text + 7, " "), text, both);
      length = both - 1;
    } else if (metric != NULL)
      add_series(metric->out, text, length, pid);
    text += length + (text[length] == '\n');
  }
}

static void print_view(struct view_data *d, void *state)
{
  char **text = state;
  size_t size;
  FILE *out = open_memstream(text, &size);
  if (out == NULL) out_of_memory();
  const struct summary *summary = live_summary(d->live);
  /* Live statistics begin a new summary when there are too many domains. */
  if (d->metrics == NULL || d->metrics_of != summary) {
    free_metrics(d->metrics);
    d->metrics = new_metrics(live_summary(d->live));
    d->metrics_of = summary;
  }
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
  if (view_look(entry->view, print_view, &text)) add_text(m, text, wanted.pid);
  free(text);
}

struct answer answer_metrics(void)
{
  struct collection m = { 0 };
  char *text = NULL;
  size_t size;
  visit_registry(add_process, &m);
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) out_of_memory();
  fprintf(out, "# HELP eventring_processes Processes that run and are shown.\n"
          "# TYPE eventring_processes gauge\neventring_processes %zu\n",
          m.pid_count);
  for (size_t i = 0; i < m.count; i++) {
    fclose(m.list[i].out);
    fputs(m.list[i].head, out);
    fputs(m.list[i].series, out);
    free(m.list[i].name);
    free(m.list[i].head);
    free(m.list[i].series);
  }
  fclose(out);
  free(m.list);
  free(m.pids);
  return (struct answer) { .status = 200, .text = text,
                           .type = "text/plain; version=0.0.4" };
}
