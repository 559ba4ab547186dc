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

/* eventring top: a live view of a process.

   The loop reads new events into live statistics (live_stats.h) some twenty
   times a second, more often when there are many, so that a busy program's
   rings do not overtake the reader.  It makes and draws a screen (top_screen.h)
   as often as the user wants, or when a key was pressed.  Drawing on the
   terminal is in top_screen.c; the keys are here. */

#define _GNU_SOURCE
#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "category.h"
#include "event_reader.h"
#include "follow.h"
#include "options.h"
#include "parse.h"
#include "reconnect.h"
#include "hub_target.h"
#include "sessions.h"
#include "targets.h"
#include "top_all.h"
#include "top_functions.h"
#include "top_hub.h"
#include "top_phase.h"
#include "top_screen.h"
#include "top_terminal.h"

static const char usage[] =
"Usage: eventring top [OPTION...] [PID|FILE|NODE/PID]...\n"
"Shows live statistics of a process on the whole terminal.\n"
"Without an argument: of the only traced process, or a list to choose from.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_HUB, OPTION_RECONNECT, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Each domain has a line: its activity now, its share of time in the collector,\n"
"allocation and collections per second, and its pauses.  Below are the spans of\n"
"the program with the most time in the last 10 seconds, and the longest pauses\n"
"of the last minute with their causes.  Key f shows the functions with the most\n"
"processor time in the last 10 seconds instead, from the samples of the process.\n"
"\n"
"  q  quit                        c  choose the categories recorded\n"
"  p  pause or resume recording   s  choose the process; arrows: next one\n"
"  f  functions, or domains       r  forget the longest so far\n"
"  + -  poll more or less often   h  help\n"
"  space  freeze the screen\n"
"With --all: a row for each process; Enter looks at it, a returns.\n"
"Prints a short summary when it ends.  eventring stat --interval prints similar\n"
"statistics without a terminal.\n";

/* The time between two reads of the rings: the faster the rings fill, the
   shorter. */
#define WAIT_SHORTEST_MS 3
#define WAIT_LONGEST_MS 48
#define MANY_EVENTS 8192
/* The longest time of a read, so that a fast writer does not keep us from
   reading the keys. */
#define READ_AT_MOST_NS (SECOND_NS / 10)
/* The part of a recording that is read: this long before its end. */
#define RECORDING_NS (60 * SECOND_NS)
#define PROCESSES 256

static const int64_t intervals[] = {
  SECOND_NS / 10, SECOND_NS / 5, SECOND_NS / 2, SECOND_NS, 2 * SECOND_NS,
  5 * SECOND_NS, 10 * SECOND_NS
};
#define INTERVALS ((int) (sizeof intervals / sizeof *intervals))

struct top {
  const char *dir;                /* or NULL */
  struct top_all *all;            /* NULL: without --all */
  struct top_hub *hub;            /* that has the process, or NULL */
  struct eventring_cursor *cursor;        /* NULL: no process chosen yet */
  struct live_stats *live;
  struct top_functions *functions;
  struct sessions *sessions;
  long pid;                       /* as we call it */
  bool controlled;
  char why_not[SCREEN_TEXT];      /* it is not controlled */
  struct eventring_info info;
  int state;
  uint64_t lost_before;
  int wait_ms;
  int interval;                   /* of drawing: which of them */
  bool quit;
  bool cut;                       /* the ring file was cut shorter */
  struct connection connection;   /* of a stream */
  enum screen_view shown;         /* of the process: its domains or functions */
  struct eventring_process *processes;
  int process_count;
  struct screen screen;
};

__attribute__((format(printf, 2, 3)))
static void say(struct top *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(t->screen.message, sizeof t->screen.message, format, arguments);
  va_end(arguments);
}

/* The process that is looked at */

/* Closes the process that is shown, if there is one. */
static void leave(struct top *t)
{
  if (t->cursor == NULL) return;
  free_live_stats(t->live);
  free_top_functions(t->functions);
  free_sessions(t->sessions);
  if (t->hub != NULL) close_hub_recording(t->cursor);
  else eventring_close(t->cursor);
  t->cursor = NULL;
}

/* Reads the new events of the process into the live statistics, for
   READ_AT_MOST_NS at most, and adapts the time until the next read to their
   number. */
static void read_new(struct top *t)
{
  struct event_reader reader;
  const struct eventring_event *event;
  int count = 0;
  read_new_events(&reader, t->cursor, monotonic_ns() + READ_AT_MOST_NS);
  while ((event = next_event(&reader)) != NULL) {
    live_event(t->live, event);
    top_functions_event(t->functions, event);
    count++;
  }
  const bool all = all_are_read(&reader);
  t->cut = target_is_cut(t->cursor);
  if (all) live_idle(t->live);
  char text[CONNECTION_TEXT];
  if (all && keep_connected(&t->connection, t->cursor, text))
    say(t, "%s", text);
  if (count > MANY_EVENTS && t->wait_ms > WAIT_SHORTEST_MS)
    t->wait_ms /= 2;
  else if (count < MANY_EVENTS / 4 && t->wait_ms < WAIT_LONGEST_MS)
    t->wait_ms *= 2;
}

/* Updates the facts about the process and its state. */
static void look_again(struct top *t)
{
  t->info = target_info(t->cursor);
  t->state = eventring_state(t->cursor);
}

/* The process to show: the ring file [path], if not NULL; else the process
   [pid], if not 0; else the next session of the present process. */
struct wanted {
  const char *path;
  int32_t pid;
};

/* A ring file that was opened to show its process. */
struct opened {
  struct eventring_cursor *cursor;        /* NULL: cannot be opened */
  bool controlled;
  char why_not[SCREEN_TEXT];      /* it is not controlled */
  char why[SCREEN_TEXT];          /* it cannot be opened */
};

/* Opens [wanted], for control of the process if [control] is true.  If this
   fails, returns NULL, with the reason in [why]. */
static struct eventring_cursor *open_wanted(struct top *t,
                                            struct wanted wanted, bool control,
                                            char why[SCREEN_TEXT])
{
  struct eventring_options options = {
    .size = sizeof options, .control = control, .changes = 1,
    .message = why, .message_size = SCREEN_TEXT
  };
  struct eventring_cursor *cursor = NULL;
  if (wanted.path != NULL)
    eventring_open(wanted.path, &options, &cursor);
  else if (wanted.pid != 0)
    eventring_open_pid(wanted.pid, t->dir, &options, &cursor);
  else
    cursor = open_next_session(t->sessions, &options);
  return cursor;
}

/* Opens [wanted] for control, or without if that fails.  The next session of a
   process that is not controlled is opened without control. */
static struct opened open_to_show(struct top *t, struct wanted wanted)
{
  struct opened opened = { .controlled = true };
  if (wanted.path == NULL && wanted.pid == 0 && !t->controlled)
    memcpy(opened.why_not, t->why_not, sizeof opened.why_not);
  else
    opened.cursor = open_wanted(t, wanted, true, opened.why_not);
  if (opened.cursor == NULL) {
    opened.controlled = false;
    opened.cursor = open_wanted(t, wanted, false, opened.why);
  }
  return opened;
}

/* Shows the process of [opened], and leaves the present one.  [pid] is the
   process id in our pid namespace, or 0 if it is not known.  [t] owns the
   cursor afterwards. */
static void look_at(struct top *t, const struct opened *opened, long pid)
{
  leave(t);
  t->cursor = opened->cursor;
  t->controlled = opened->controlled;
  memcpy(t->why_not, opened->why_not, sizeof t->why_not);
  t->live = new_live_stats(t->cursor);
  t->functions = new_top_functions(t->cursor);
  t->sessions = new_sessions(t->cursor, NULL);
  look_again(t);
  t->pid = pid != 0 ? pid : t->info.pid;
  if (t->info.format == EVENTRING_FORMAT_RECORDING)
    eventring_seek(t->cursor, time_after(t->info.last_ns, -RECORDING_NS));
  read_new(t);
  t->lost_before = lost_events(t->cursor);
  t->screen.first_domain = t->screen.first_function = 0;
  t->screen.frozen = false;
}

/* Shows the recording that the hub has now, if it has grown. */
static void refresh_hub(struct top *t)
{
  char why[SCREEN_TEXT];
  const int domain = t->screen.first_domain, function = t->screen.first_function;
  struct opened opened = { .why_not = "it is recorded at a hub" };
  opened.cursor = next_of_hub(t->hub, why, sizeof why);
  if (opened.cursor != NULL) {
    look_at(t, &opened, 0);
    t->screen.first_domain = domain;
    t->screen.first_function = function;
  } else if (why[0] != '\0') say(t, "%s", why);
}

/* Shows the ring file of the new program, if the process has executed another
   program that has one. */
static void follow_exec(struct top *t)
{
  if (t->state != EVENTRING_STATE_REPLACED
      || t->info.format == EVENTRING_FORMAT_STREAM)
    return;
  struct opened opened =
    open_to_show(t, (struct wanted) { .pid = (int32_t) t->pid });
  if (opened.cursor == NULL) return;
  if (target_info(opened.cursor).started_ns == t->info.started_ns)
    eventring_close(opened.cursor);
  else {
    look_at(t, &opened, t->pid);
    say(t, "the process executed another program");
  }
}

/* Shows the next session, if the program has stopped its tracing and started it
   again and still runs. */
static void follow_sessions(struct top *t)
{
  if (t->state != EVENTRING_STATE_ENDED) return;
  struct opened opened = open_to_show(t, (struct wanted) { 0 });
  if (opened.cursor == NULL) return;
  if (process_runs(t->sessions, 0)) {
    look_at(t, &opened, t->pid);
    say(t, "the program stopped its tracing and started it again");
  } else
    eventring_close(opened.cursor);
}

static const char *state_of(const struct top *t)
{
  return t->state == EVENTRING_STATE_ENDED && process_runs(t->sessions, 0)
         ? "stopped its tracing" : state_name(t->state);
}

static void find_processes(struct top *t)
{
  int n = eventring_processes(t->dir, t->processes, PROCESSES);
  t->process_count = n < 0 ? 0 : n < PROCESSES ? n : PROCESSES;
}

static void look_at_process(struct top *t, int which)
{
  const struct eventring_process *p = &t->processes[which];
  struct opened opened = open_to_show(t, (struct wanted) { .path = p->path });
  if (opened.cursor == NULL) {
    say(t, "%s", opened.why);
    return;
  }
  look_at(t, &opened, p->pid);
  t->screen.view = t->shown;
}

/* Shows the process of the selected row of all processes. */
static void look_at_row(struct top *t)
{
  struct opened opened = { .controlled = true };
  opened.cursor = top_all_open(t->all, t->screen.selected_row, true,
                               opened.why_not);
  if (opened.cursor == NULL) {
    opened.controlled = false;
    opened.cursor = top_all_open(t->all, t->screen.selected_row, false,
                                 opened.why);
  }
  if (opened.cursor == NULL) {
    say(t, "%s", opened.why);
    return;
  }
  look_at(t, &opened, 0);
  t->screen.view = t->shown;
}

/* The screen's struct */

static bool is_paused(const struct top *t)
{
  return t->info.active == 0 && t->info.format == EVENTRING_FORMAT_RING;
}

static void append(char text[SCREEN_TEXT], const char *word)
{
  size_t length = strlen(text);
  snprintf(text + length, SCREEN_TEXT - length, "%s", word);
}

/* Returns the mask of the categories that are recorded at present; during a
   pause, of those that will be recorded after the pause. */
static uint32_t mask(const struct top *t)
{
  return t->info.active != 0 ? t->info.active : t->info.resume;
}

static void fill_recording(struct top *t)
{
  char *text = t->screen.recording;
  snprintf(text, SCREEN_TEXT, "%s", is_paused(t) ? "paused:" : "recording:");
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(t->cursor, bit);
    if (name == NULL || (mask(t) & UINT32_C(1) << bit) == 0) continue;
    append(text, " ");
    append(text, name);
  }
}

/* Returns the process id in our pid namespace; 0 if the process is in another
   one, or may be on another machine, since its events are a stream. */
static long system_pid(const struct top *t)
{
  return t->info.pid_is_elsewhere
         || t->info.format == EVENTRING_FORMAT_STREAM ? 0 : t->pid;
}

static void fill_process(struct top *t)
{
  struct screen *s = &t->screen;
  char age[QUANTITY_SIZE];
  int64_t span_ns = intervals[t->interval] > SECOND_NS
                    ? intervals[t->interval] : SECOND_NS;
  s->now = live_present(t->live);
  s->ended = t->state != EVENTRING_STATE_RUNNING;
  s->paused = is_paused(t) && !s->ended;
  snprintf(s->process, sizeof s->process, "%ld %s", t->pid, t->info.program);
  snprintf(s->state, sizeof s->state, "%s%s %s",
           s->paused ? "paused" : state_of(t),
           s->ended ? " after" : "",
           format_age(age, time_since(s->now, t->info.started_ns)));
  fill_recording(t);
  s->lost_is_bound = t->info.lost_is_bound != 0;
  s->lost = lost_events(t->cursor) - t->lost_before;

  s->totals = live_process(t->live, s->now, span_ns);
  uint64_t resident = s->ended ? 0 : process_resident_bytes(system_pid(t));
  if (resident != 0) s->totals.resident = resident;
  s->domain_count = live_domains(t->live, s->now, span_ns, s->domains,
                                   SCREEN_DOMAINS);
  const struct phase_facts facts = {
    .cursor = t->cursor, .now = s->now, .paused = is_paused(t),
    .running = t->state == EVENTRING_STATE_RUNNING
  };
  for (int i = 0; i < s->domain_count; i++)
    fill_phase(&facts, &s->domains[i], s->phases[i],
               sizeof s->phases[i]);
  s->span_count = live_spans(t->live, s->now, s->spans, SCREEN_SPANS);
  s->pause_count = list_long_pauses(live_long_pauses(t->live),
                                    s->now - LONG_PAUSES_S * SECOND_NS, INT64_MAX,
                                    s->pauses);
}

/* Sets the reason for having no samples. */
static void explain_no_samples(struct top *t)
{
  char number[16];
  if (t->screen.ended || records_category(t->cursor, "profile"))
    snprintf(t->screen.no_samples, SCREEN_TEXT, "no samples in these seconds");
  else
    snprintf(t->screen.no_samples, SCREEN_TEXT,
             "no samples; to take some: eventring enable %s profile",
             target_operand(t->cursor, number));
}

static void fill_functions(struct top *t)
{
  fill_process(t);
  explain_no_samples(t);
  fill_top_functions(t->functions, &t->screen);
}

static void fill_categories(struct top *t)
{
  struct screen *s = &t->screen;
  s->item_count = 0;
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(t->cursor, bit);
    if (name == NULL) continue;
    struct screen_item *item = &s->items[s->item_count++];
    item->marked = (mask(t) & UINT32_C(1) << bit) != 0;
    snprintf(item->text, sizeof item->text, "%s", name);
  }
}

static void fill_process_item(struct top *t, int which)
{
  const struct eventring_process *p = &t->processes[which];
  struct screen_item *item = &t->screen.items[which];
  item->marked = t->cursor != NULL && p->pid == t->pid;
  char why[SCREEN_TEXT - 32] = "";
  struct eventring_options options = { .size = sizeof options, .message = why,
                                       .message_size = sizeof why };
  struct eventring_cursor *cursor;
  if (eventring_open(p->path, &options, &cursor) < 0) {
    snprintf(item->text, sizeof item->text, "%7" PRId32 "  %s", p->pid, why);
    return;
  }
  struct eventring_info info = target_info(cursor);
  int state = eventring_state(cursor);
  char age[QUANTITY_SIZE] = "";
  bool running = state == EVENTRING_STATE_RUNNING;
  if (running) format_age(age, age_ns(&info));
  snprintf(item->text, sizeof item->text, "%7" PRId32 "  %-9s  %-7s  %s",
           p->pid, age, running && info.active == 0
                        && info.format == EVENTRING_FORMAT_RING
                        ? "paused" : state_name(state),
           info.program);
  eventring_close(cursor);
}

static void fill_processes(struct top *t)
{
  /* The path: a process and a crash file may have the same pid. */
  char selected[sizeof t->processes[0].path] = "";
  if (t->screen.selected < t->process_count)
    strcpy(selected, t->processes[t->screen.selected].path);
  find_processes(t);
  t->screen.item_count = t->process_count;
  for (int i = 0; i < t->process_count; i++) {
    fill_process_item(t, i);
    if (strcmp(t->processes[i].path, selected) == 0) t->screen.selected = i;
  }
  if (t->screen.selected >= t->process_count) t->screen.selected = 0;
}

static void fill_all(struct top *t)
{
  top_all_fill(t->all, &t->screen, intervals[t->interval] > SECOND_NS
                                   ? intervals[t->interval] : SECOND_NS);
}

static void fill_screen(struct top *t)
{
  if (t->cursor != NULL) {
    look_again(t);
    if (t->hub == NULL) {
      follow_exec(t);
      follow_sessions(t);
    }
  }
  t->screen.interval_ns = intervals[t->interval];
  switch (t->screen.view) {
  case SCREEN_MAIN: if (!t->screen.frozen) fill_process(t); break;
  case SCREEN_FUNCTIONS: if (!t->screen.frozen) fill_functions(t); break;
  case SCREEN_CATEGORIES: fill_categories(t); break;
  case SCREEN_PROCESSES: fill_processes(t); break;
  case SCREEN_HELP: break;
  case SCREEN_ALL: if (!t->screen.frozen) fill_all(t); break;
  }
}

/* Control */

static bool may_control(struct top *t)
{
  look_again(t);
  if (t->state != EVENTRING_STATE_RUNNING)
    say(t, "the process has ended");
  else if (!t->controlled)
    say(t, "cannot be controlled: %s", t->why_not);
  return t->state == EVENTRING_STATE_RUNNING && t->controlled;
}

static void report(struct top *t, int error, const char *done)
{
  if (error < 0)
    say(t, "%s", eventring_strerror(error));
  else
    say(t, "%s", done);
}

static void pause_or_resume(struct top *t)
{
  if (!may_control(t)) return;
  if (is_paused(t))
    report(t, eventring_resume(t->cursor), "recording was resumed");
  else
    report(t, eventring_pause(t->cursor), "recording is paused");
}

static void switch_category(struct top *t)
{
  if (!may_control(t)) return;
  int which = t->screen.selected;
  uint32_t bit = 0;
  while (eventring_category(t->cursor, bit) == NULL || which-- > 0)
    if (++bit == 32) return;
  uint32_t wanted = mask(t) ^ UINT32_C(1) << bit;
  if (wanted == 0)
    say(t, "one category must stay; p pauses the recording");
  else {
    report(t, eventring_set_categories(t->cursor, wanted), "");
    eventring_interrupt(t->cursor);     /* a loop sees it at once, if we may */
  }
}

/* Keys */

static void show_list(struct top *t, enum screen_view view)
{
  t->screen.view = view;
  t->screen.selected = 0;
  if (view == SCREEN_PROCESSES && t->cursor != NULL) {
    find_processes(t);
    for (int i = 0; i < t->process_count; i++)
      if (strcmp(t->processes[i].path, eventring_path(t->cursor)) == 0)
        t->screen.selected = i;
  }
}

static void neighbour(struct top *t, int direction)
{
  find_processes(t);
  if (t->process_count == 0) {
    say(t, "no traced process was found");
    return;
  }
  int at = 0;
  while (at < t->process_count && t->processes[at].pid < t->pid) at++;
  bool here = at < t->process_count && t->processes[at].pid == t->pid;
  if (here && t->process_count == 1) {
    say(t, "no other traced process was found");
    return;
  }
  if (direction < 0 || here) at += direction;
  look_at_process(t, (at + t->process_count) % t->process_count);
}

/* Scrolls the list of [count] lines of which *first is the first one shown. */
static void scroll_list(int *first, int count, int direction)
{
  int wanted = *first + direction;
  if (wanted >= 0 && wanted < count) *first = wanted;
}

static void scroll_shown(struct top *t, int direction)
{
  struct screen *s = &t->screen;
  if (s->view == SCREEN_MAIN)
    scroll_list(&s->first_domain, s->domain_count, direction);
  else
    scroll_list(&s->first_function, s->function_count, direction);
}

static void show(struct top *t, enum screen_view view)
{
  t->screen.view = t->shown = view;
  t->screen.frozen = false;
}

static void change_interval(struct top *t, int direction)
{
  int wanted = t->interval + direction;
  if (wanted < 0 || wanted >= INTERVALS) return;
  t->interval = wanted;
}

/* Keys while a process is shown. */
static void key_in_process(struct top *t, int key)
{
  bool functions = t->screen.view == SCREEN_FUNCTIONS;
  if (t->hub != NULL && (key == 's' || key == KEY_LEFT || key == KEY_RIGHT)) {
    say(t, "eventring ps --hub lists the processes of the hub");
    return;
  }
  switch (key) {
  case 'f': show(t, functions ? SCREEN_MAIN : SCREEN_FUNCTIONS); break;
  case 27: if (functions) show(t, SCREEN_MAIN); break;
  case 'p': pause_or_resume(t); break;
  case 'c': show_list(t, SCREEN_CATEGORIES); break;
  case 's': show_list(t, SCREEN_PROCESSES); break;
  case KEY_LEFT: neighbour(t, -1); break;
  case KEY_RIGHT: neighbour(t, 1); break;
  case KEY_UP: scroll_shown(t, -1); break;
  case KEY_DOWN: scroll_shown(t, 1); break;
  case '+': case '=': change_interval(t, -1); break;
  case '-': change_interval(t, 1); break;
  case 'h': case '?': t->screen.view = SCREEN_HELP; break;
  case 'r':
    live_reset_maxima(t->live);
    say(t, "the longest so far are forgotten");
    break;
  case ' ': t->screen.frozen = !t->screen.frozen; break;
  }
}

static void key_in_list(struct top *t, int key)
{
  struct screen *s = &t->screen;
  bool processes = s->view == SCREEN_PROCESSES;
  switch (key) {
  case KEY_UP: if (s->selected > 0) s->selected--; break;
  case KEY_DOWN: if (s->selected + 1 < s->item_count) s->selected++; break;
  case 27: case 's': case 'c':
    if (t->cursor != NULL) s->view = t->shown;
    break;
  case ' ': case '\n': case '\r': case KEY_ENTER:
    if (!processes)
      switch_category(t);
    else if (s->selected < t->process_count)
      look_at_process(t, s->selected);
    break;
  }
}

/* Keys in the list of all processes. */
static void key_in_all(struct top *t, int key)
{
  struct screen *s = &t->screen;
  switch (key) {
  case KEY_UP: if (s->selected_row > 0) s->selected_row--; break;
  case KEY_DOWN:
    if (s->selected_row + 1 < s->row_count) s->selected_row++;
    break;
  case '+': case '=': change_interval(t, -1); break;
  case '-': change_interval(t, 1); break;
  case 'r': top_all_reset_maxima(t->all); break;
  case ' ': s->frozen = !s->frozen; break;
  case '\n': case '\r': case KEY_ENTER: look_at_row(t); break;
  }
}

/* Shows all processes, if they are wanted, instead of the one. */
static void back_to_all(struct top *t)
{
  if (t->all == NULL) return;
  leave(t);
  t->screen.view = SCREEN_ALL;
  t->screen.frozen = false;
}

static void press(struct top *t, int key)
{
  if (key == KEY_RESIZE) return;
  t->screen.message[0] = '\0';
  if (t->screen.view == SCREEN_HELP)
    t->screen.view = t->shown;
  else if (key == 'q')
    t->quit = true;
  else if (t->screen.view == SCREEN_ALL)
    key_in_all(t, key);
  else if (key == 'a')
    back_to_all(t);
  else if (t->screen.view == t->shown)
    key_in_process(t, key);
  else
    key_in_list(t, key);
}

/* The loop */

static int milliseconds(const struct top *t, int64_t until)
{
  int64_t left = until - monotonic_ns();
  int64_t ms = left <= 0 ? 0 : left / 1000000 + 1;
  return ms < t->wait_ms ? (int) ms : t->wait_ms;
}

static void loop(struct top *t)
{
  int64_t next_draw = 0;
  while (interrupted_by() == 0 && !t->quit && !t->cut) {
    if (t->hub != NULL && !t->screen.frozen) refresh_hub(t);
    if (t->cursor != NULL) read_new(t);
    if (t->all != NULL) top_all_read(t->all, READ_AT_MOST_NS);
    if (monotonic_ns() >= next_draw) {
      fill_screen(t);
      screen_draw(&t->screen);
      next_draw = monotonic_ns() + intervals[t->interval];
    }
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    poll(&input, 1, milliseconds(t, next_draw));
    if (input.revents & (POLLHUP | POLLERR | POLLNVAL)) break;
    /* Asked even without input: a new size is a key as well. */
    for (int key; (key = getch()) != ERR; next_draw = 0) press(t, key);
  }
}

static void print_summary(struct top *t)
{
  if (t->all != NULL) top_all_print(t->all);
  if (t->all != NULL || t->cursor == NULL) return;
  look_again(t);
  read_new(t);
  struct summary *all = live_summary(t->live);
  const struct summary_numbers *numbers = summary_numbers(all);
  struct summary_tally amount = summary_tally(all, NULL, numbers->last_ns);
  const struct histogram *pauses = &numbers->pauses[PAUSE_ANY];
  char a[QUANTITY_SIZE], b[QUANTITY_SIZE], c[QUANTITY_SIZE];
  printf("process %ld ", t->pid);
  print_text(stdout, t->info.program, strlen(t->info.program), TEXT_LINE);
  printf(" (%s): %" PRIu64 " events over %s, %" PRIu64 " lost\n",
         state_of(t), numbers->events,
         format_duration(a, (uint64_t) time_since(numbers->last_ns,
                                                  numbers->first_ns)),
         lost_events(t->cursor) - t->lost_before);
  printf("in the collector %s of the time; %" PRIu64 " minor collections, %"
         PRIu64 " major cycles\n", format_share(a, gc_share(&amount)),
         amount.minor_collections, amount.major_cycles);
  printf("%" PRIu64 " pauses", pauses->count);
  if (pauses->count > 0)
    printf(": median %s, p99 %s, longest %s",
           format_duration(a, histogram_quantile(pauses, 0.5)),
           format_duration(b, histogram_quantile(pauses, 0.99)),
           format_duration(c, pauses->max));
  putchar('\n');
}

/* The command */

static void choose_process(struct top *t)
{
  find_processes(t);
  int running = 0, which = 0;
  for (int i = 0; i < t->process_count; i++)
    if (t->processes[i].alive) {
      if (running++ == 0) t->screen.selected = i;
      which = i;
    }
  if (running == 0) {
    complain("no process that is being traced was found: start one with "
             "OCAML_EVENTRING_START=1, or name its id or file");
    exit(STATUS_CANNOT_READ);
  }
  t->screen.view = SCREEN_PROCESSES;
  if (running == 1) look_at_process(t, which);
}

/* Shows the process that the command line names.  Opens it for control, or as
   open_target does if that fails. */
static void look_at_operand(struct top *t, int argc, char **argv)
{
  const char *operand = argv[optind];
  long pid = is_number(operand) ? strtol(operand, NULL, 10) : 0;
  struct wanted wanted = { .path = pid == 0 ? operand : NULL,
                           .pid = (int32_t) pid };
  struct opened opened = { .controlled = true };
  if (optind + 1 == argc && (pid != 0 || t->dir == NULL) && pid <= INT32_MAX)
    opened.cursor = open_wanted(t, wanted, true, opened.why_not);
  if (opened.cursor == NULL) {
    opened.controlled = false;
    opened.cursor = open_target(&top_command, argc, argv, t->dir, false);
  }
  look_at(t, &opened, pid);
}

/* Shows the process of a hub that the command line names. */
static void look_at_hub(struct top *t, int argc, char **argv)
{
  if (argc - optind > 1)
    usage_error(&top_command, "top: unexpected argument '%s': takes one process",
                argv[optind + 1]);
  t->hub = new_top_hub(&top_command, argv[optind]);
  refresh_hub(t);
  if (t->cursor != NULL) return;
  complain("%s", t->screen.message);
  exit(STATUS_CANNOT_READ);
}

static struct top *new_top(const char *dir)
{
  struct top *t = allocate(1, sizeof *t);
  t->processes = allocate(PROCESSES, sizeof *t->processes);
  t->screen.items = allocate(PROCESSES, sizeof *t->screen.items);
  t->screen.rows = allocate(SCREEN_ROWS, sizeof *t->screen.rows);
  t->dir = dir;
  t->wait_ms = WAIT_LONGEST_MS;
  while (intervals[t->interval] < SECOND_NS) t->interval++;
  return t;
}

static void free_top(struct top *t)
{
  leave(t);
  free_top_hub(t->hub);
  if (t->all != NULL) free_top_all(t->all);
  free(t->processes);
  free(t->screen.items);
  free(t->screen.rows);
  free(t);
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool several = false;
  int option;
  while ((option = next_option(&top_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: several = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_HUB: use_hub(&top_command, optarg); break;
    case OPTION_RECONNECT: use_reconnect(&top_command, optarg); break;
    }
  const bool piped = optind < argc && strcmp(argv[optind], "-") == 0;
  if (!isatty(STDOUT_FILENO) || (!isatty(STDIN_FILENO) && !piped))
    usage_error(&top_command, "top: needs a terminal for input and output; "
                "eventring stat --interval prints line by line");

  struct top *t = new_top(dir);
  if (several && has_hub_option())
    usage_error(&top_command, "top: --all and --hub exclude each other; "
                "eventring ps --hub lists processes");
  if (several) {
    t->all = new_top_all(&top_command, argc, argv, dir);
    t->screen.view = SCREEN_ALL;
  } else if (is_top_hub(&top_command, argv[optind])) {
    look_at_hub(t, argc, argv);
  } else if (optind < argc)
    look_at_operand(t, argc, argv);
  else
    choose_process(t);
  if (piped && !terminal_read_keys()) {
    complain("top: cannot open /dev/tty, for keys: %s", strerror(errno));
    exit(STATUS_USAGE);
  }
  if (!screen_open()) {
    const char *term = getenv("TERM");
    complain("top: cannot draw on terminal type %s: set TERM",
             term == NULL ? "(none)" : term);
    free_top(t);
    return STATUS_USAGE;
  }
  catch_interrupts();
  loop(t);
  screen_close();
  if (t->cut) complain("%s: cut shorter while it was read", shown_path(t->cursor));
  else print_summary(t);
  const enum status status = t->cut ? STATUS_CANNOT_READ : STATUS_OK;
  free_top(t);
  return finish_output(status);
}

const struct command top_command = {
  .name = "top", .summary = "show live statistics of a process",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
