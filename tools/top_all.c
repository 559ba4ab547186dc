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

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "all_processes.h"
#include "event_reader.h"
#include "processes.h"
#include "top_all.h"

/* How long events of a process are read before the next one. */
#define TURN_NS 2000000
/* The part of a recording that is read: this long before its end. */
#define RECORDING_NS (60 * SECOND_NS)

struct row {
  struct eventring_cursor *cursor;
  struct live_stats *live;
  struct process_label label;
  uint32_t process;               /* its number in its file, from 0 */
  uint64_t lost_before;
  int64_t ended_ns;               /* when it was seen to have ended; 0: it runs */
  bool cut;                       /* its ring file was cut shorter */
};

struct top_all {
  const char *dir;
  bool comes_and_goes;            /* there were no operands */
  struct row *rows[SCREEN_ROWS];
  int count, next;                /* the row to be read next */
  uint32_t left_out;              /* processes that are too many */
  int64_t searched_ns;            /* when processes were looked for */
};

/* Adds a row for the process of [cursor], which then belongs to [all], or
   counts it as left out if there are too many.  [label] is copied. */
static void add_row(struct top_all *all, struct eventring_cursor *cursor,
                    const struct process_label *label, uint32_t process)
{
  if (all->count == SCREEN_ROWS) {
    all->left_out++;
    eventring_close(cursor);
    return;
  }
  struct row *row = allocate(1, sizeof *row);
  struct eventring_info info = target_info(cursor);
  row->cursor = cursor;
  row->label = *label;
  row->process = process;
  row->live = new_live_stats(cursor);
  if (info.format == EVENTRING_FORMAT_RECORDING)
    eventring_seek(cursor, time_after(info.last_ns, -RECORDING_NS));
  all->rows[all->count++] = row;
}

static void free_row(struct row *row)
{
  free_live_stats(row->live);
  eventring_close(row->cursor);
  free(row);
}

struct top_all *new_top_all(const struct command *command, int argc,
                            char **argv, const char *dir)
{
  struct top_all *all = allocate(1, sizeof *all);
  all->dir = dir;
  all->comes_and_goes = optind >= argc;
  struct all_processes opened = open_processes(command, argc, argv, dir, true);
  for (int i = 0; i < opened.count; i++) {
    add_row(all, opened.sources[i].cursor, &opened.labels[i],
            opened.labels[i].process);
    opened.sources[i].cursor = NULL;
  }
  close_processes(&opened);
  all->searched_ns = monotonic_ns();
  return all;
}

void free_top_all(struct top_all *all)
{
  for (int i = 0; i < all->count; i++) free_row(all->rows[i]);
  free(all);
}

/* Processes that come and go */

/* Returns whether a row has the file at [path] and its process has not ended. */
static bool has_file(const struct top_all *all, const char *path)
{
  for (int i = 0; i < all->count; i++)
    if (all->rows[i]->ended_ns == 0
        && strcmp(eventring_path(all->rows[i]->cursor), path) == 0)
      return true;
  return false;
}

/* Adds a row for [process] unless there is one, or it cannot be opened. */
static void add_process(struct top_all *all,
                        const struct eventring_process *process)
{
  char why[SCREEN_TEXT];
  struct process_label label;
  if (!process->alive || has_file(all, process->path)) return;
  struct eventring_cursor *cursor =
    open_process(process, (struct eventring_options) { .changes = 1 }, why,
                 sizeof why);
  if (cursor == NULL) return;
  if (has_file(all, eventring_path(cursor))) {
    eventring_close(cursor);
    return;
  }
  describe_process(&label, cursor);
  add_row(all, cursor, &label, 0);
}

static void remove_ended(struct top_all *all)
{
  int kept = 0;
  const int64_t now = monotonic_ns();
  for (int i = 0; i < all->count; i++) {
    struct row *row = all->rows[i];
    if (row->ended_ns != 0 && now - row->ended_ns > TOP_ALL_ENDED_NS)
      free_row(row);
    else
      all->rows[kept++] = row;
  }
  all->count = kept;
}

/* Looks for processes that have started or ended, once a second. */
static void search(struct top_all *all)
{
  const int64_t now = monotonic_ns();
  if (!all->comes_and_goes || now - all->searched_ns < SECOND_NS) return;
  all->searched_ns = now;
  all->left_out = 0;
  remove_ended(all);
  size_t count;
  struct eventring_process *list = find_processes(all->dir, &count);
  for (size_t i = 0; i < count; i++) add_process(all, &list[i]);
  free(list);
}

/* Reading */

/* Reads events of [row] for TURN_NS at most.  Returns their number. */
static int read_row(struct row *row)
{
  struct event_reader reader;
  const struct eventring_event *event;
  int events = 0;
  read_new_events(&reader, row->cursor, monotonic_ns() + TURN_NS);
  while ((event = next_event(&reader)) != NULL) {
    live_event(row->live, event);
    events++;
  }
  const bool all = all_are_read(&reader);
  if (all) live_idle(row->live);
  row->cut = target_is_cut(row->cursor);
  if (row->ended_ns == 0
      && (row->cut
          || (all && eventring_state(row->cursor) != EVENTRING_STATE_RUNNING)))
    row->ended_ns = monotonic_ns();
  return events;
}

int top_all_read(struct top_all *all, int64_t budget_ns)
{
  const int64_t began = monotonic_ns();
  int events = 0;
  search(all);
  for (int i = 0; i < all->count && monotonic_ns() - began < budget_ns; i++) {
    if (all->next >= all->count) all->next = 0;
    events += read_row(all->rows[all->next++]);
  }
  return events;
}

/* Rows */

static void fill_row(const struct row *row, struct screen_row *out,
                     int64_t span_ns)
{
  const struct eventring_info info = target_info(row->cursor);
  const int64_t now = live_present(row->live);
  snprintf(out->node, sizeof out->node, "%s",
           row->label.node[0] != '\0' ? row->label.node : "-");
  snprintf(out->process, sizeof out->process, "%" PRId32 " %s", row->label.pid,
           row->label.program);
  snprintf(out->state, sizeof out->state, "%s",
           row->cut ? "cut" : recording_state(row->cursor));
  out->ended = row->cut
               || eventring_state(row->cursor) != EVENTRING_STATE_RUNNING;
  out->totals = live_process(row->live, now, span_ns);
  out->lost = lost_events(row->cursor);
  out->lost_is_bound = info.lost_is_bound != 0;
}

void top_all_fill(struct top_all *all, struct screen *s, int64_t span_ns)
{
  s->row_count = all->count;
  s->rows_left_out = all->left_out;
  s->several_nodes = false;
  for (int i = 0; i < all->count; i++) {
    fill_row(all->rows[i], &s->rows[i], span_ns);
    if (strcmp(s->rows[i].node, s->rows[0].node) != 0) s->several_nodes = true;
  }
  if (s->selected_row >= all->count) s->selected_row = all->count - 1;
  if (s->selected_row < 0) s->selected_row = 0;
}

void top_all_reset_maxima(struct top_all *all)
{
  for (int i = 0; i < all->count; i++) live_reset_maxima(all->rows[i]->live);
}

struct eventring_cursor *top_all_open(struct top_all *all, int which,
                                      bool control, char why[SCREEN_TEXT])
{
  struct eventring_cursor *cursor = NULL;
  snprintf(why, SCREEN_TEXT, "there is no process");
  if (which >= all->count) return NULL;
  const struct row *row = all->rows[which];
  struct eventring_options options = {
    .size = sizeof options, .control = control, .changes = 1,
    .process = row->process, .message = why, .message_size = SCREEN_TEXT
  };
  eventring_open(eventring_path(row->cursor), &options, &cursor);
  return cursor;
}

void top_all_print(struct top_all *all)
{
  for (int i = 0; i < all->count; i++) {
    const struct row *row = all->rows[i];
    struct summary *s = live_summary(row->live);
    printf("process %" PRId32 " ", row->label.pid);
    print_text(stdout, row->label.program, strlen(row->label.program),
               TEXT_LINE);
    printf(" (%s): %" PRIu64 " %s, %s%" PRIu64 " lost\n",
           row->cut ? "its file was cut shorter"
                    : state_name(eventring_state(row->cursor)),
           summary_numbers(s)->events,
           summary_numbers(s)->events == 1 ? "event" : "events",
           at_most(row->cursor), lost_events(row->cursor));
  }
}
