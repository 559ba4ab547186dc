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

/* eventring stat: the summary of a process, and how it changes.  The text is in
   summary_text.c, the JSON in json.c.

   An interval ends when the next event is later than its end or, while the
   process runs and has no events for now, when the clock has passed its end. */

#include <inttypes.h>
#include <stdio.h>
#include "all_processes.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "summary_text.h"
#include "targets.h"
#include "text.h"
#include "wall_clock.h"

static const char usage[] =
"Usage: eventring stat [OPTION...] [PID|FILE]...\n"
"Prints the garbage collector's share of the time, its pauses and their causes;\n"
"then collections, words, stops, waits, spans and requests.  For a running\n"
"process, takes the events that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_FOLLOW, OPTION_FROM, OPTION_HUB, OPTION_INTERVAL,
  OPTION_JSON, OPTION_RECONNECT, OPTION_TO, OPTION_HELP, OPTION_END
};

static const char notes[] =
"A pause is a time in which the collector kept a domain's code from running.\n"
"  watched        from the first event of the domain in the rings to its end\n"
"  collecting     in pauses; running: in its code; waiting: all threads waited\n"
"  any            all pauses; pauses that overlap or touch are one\n"
"  stopped        stop-the-world sections, from the stop of the domain on\n"
"  while waiting  collections by the backup thread: no pauses, in no other row\n"
"  p50, p90 ...   percentiles (exact to 1 %)\n"
"  caused         a minor collection or a stop counts once for all domains\n";

struct stat {
  struct summary *summary;
  bool json;
  bool running;                   /* the clock ends intervals */
  int64_t ahead_ns;               /* the clock of the process, of ours */
  int64_t interval_ns;            /* 0: none */
  int64_t last_ns;                /* of the events */
  bool counting;                  /* the first interval has begun */
  int64_t since_ns, next_ns;      /* of the present interval */
  uint64_t lines;
  struct summary_tally before;
  uint64_t lost_before;
  int64_t cpu_before, cpu_at_ns;  /* processor time, read at this time of our
                                     clock, when the interval began */
};

/* Intervals */

#define SHORTEST_NS (INT64_C(10) * 1000 * 1000)
#define LONGEST_NS (INT64_C(3600) * 1000 * 1000000000)
#define LINES_A_HEAD 20

/* Writes [count] in [seconds] as a rate, without a unit, into [buffer].
   Returns [buffer]. */
static const char *per_second(char buffer[QUANTITY_SIZE], uint64_t count,
                              double seconds)
{
  double rate = (double) count / seconds;
  snprintf(buffer, QUANTITY_SIZE, "%.*f", rate < 99.95 ? 1 : 0, rate);
  return buffer;
}

/* Prints the line of an interval of [seconds] that ends at [next_ns]: its
   amounts [t], recent pauses, [lost] events, and [cpu], the share of a CPU that
   was used, negative if it is not known.  Prints a head before every
   LINES_A_HEAD lines. */
static void print_line(struct stat *st, const struct summary_tally *t,
                       double seconds, uint64_t lost, double cpu)
{
  struct summary *s = st->summary;
  const struct summary_numbers *all = summary_numbers(s);
  const struct histogram *pauses = &all->recent[PAUSE_ANY];
  char share[QUANTITY_SIZE] = "-", used[QUANTITY_SIZE] = "-",
    minor[QUANTITY_SIZE], allocated[QUANTITY_SIZE], promoted[QUANTITY_SIZE],
    p99[QUANTITY_SIZE] = "-", max[QUANTITY_SIZE] = "-";
  if (st->lines++ % LINES_A_HEAD == 0)
    puts("   time  domains     gc    cpu  minor/s    alloc/s    promo/s"
         "      p99      max");
  if (t->watched_ns > 0) format_share(share, gc_share(t));
  if (cpu >= 0) format_share(used, cpu);
  if (pauses->count > 0) {
    format_duration(p99, histogram_quantile(pauses, 0.99));
    format_duration(max, pauses->max);
  }
  printf("%7.1f  %7" PRIu32 "  %5s  %5s  %7s  %9s  %9s  %7s  %7s",
         (double) (st->next_ns - target_info(all->cursor).started_ns) / 1e9,
         summary_living_domains(s), share, used,
         per_second(minor, t->minor_collections, seconds),
         format_bytes(allocated,
                      (uint64_t) (8 * (double) all_allocated_words(t) / seconds)),
         format_bytes(promoted,
                      (uint64_t) (8 * (double) t->promoted_words / seconds)),
         p99, max);
  if (lost > 0) printf("  %" PRIu64 " events lost", lost);
  putchar('\n');
}

static void print_interval_json(struct stat *st,
                                const struct summary_tally *t, uint64_t ns,
                                uint64_t lost, int64_t cpu_ns)
{
  json_t *line = json_interval(st->summary, t, ns);
  json_object_set_new(line, "until_ns", json_integer(st->next_ns));
  json_object_set_new(line, "lost_events", json_integer((json_int_t) lost));
  json_object_set_new(line, "cpu_ns",
                      cpu_ns >= 0 ? json_integer(cpu_ns) : json_null());
  print_json(line, true);
}

/* Begins an interval at [ns]: stores the amounts to subtract at its end, and
   clears the recent pauses of the summary. */
static void begin_interval(struct stat *st, int64_t ns)
{
  struct summary *s = st->summary;
  const struct summary_numbers *n = summary_numbers(s);
  st->since_ns = ns;
  st->next_ns = ns > INT64_MAX - st->interval_ns ? INT64_MAX
                                                 : ns + st->interval_ns;
  st->before = summary_tally(s, NULL, ns);
  st->lost_before = lost_events(n->cursor);
  st->cpu_before = st->running ? process_cpu_ns(n->cursor) : -1;
  st->cpu_at_ns = monotonic_ns();
  summary_new_interval(s);
}

/* Returns the processor time that the process has used in the present interval of
   [ns] nanoseconds, which ends: at the rate since the interval began by our clock.
   Returns -1 if it is not known: the process does not run, or that time is less
   than half of the interval or more than twice, since events were read late or
   tracing had stopped. */
static int64_t used_cpu_ns(const struct stat *st, uint64_t ns)
{
  int64_t cpu_ns = st->running
    ? process_cpu_ns(summary_numbers(st->summary)->cursor) : -1;
  double share = (double) time_since(monotonic_ns(), st->cpu_at_ns)
               / (double) ns;
  if (cpu_ns < 0 || st->cpu_before < 0 || share < 0.5 || share > 2) return -1;
  return (int64_t) ((double) (cpu_ns - st->cpu_before) / share);
}

/* Ends the present interval, prints its line, as text or as JSON, and flushes
   standard output. */
static void end_interval(struct stat *st)
{
  struct summary *s = st->summary;
  uint64_t ns = (uint64_t) st->next_ns - (uint64_t) st->since_ns;
  struct summary_tally now = summary_tally(s, NULL, st->next_ns);
  struct summary_tally t = tally_difference(&now, &st->before);
  uint64_t lost = lost_events(summary_numbers(s)->cursor) - st->lost_before;
  int64_t cpu_ns = used_cpu_ns(st, ns);
  if (st->json)
    print_interval_json(st, &t, ns, lost, cpu_ns);
  else
    print_line(st, &t, (double) ns / 1e9, lost, (double) cpu_ns / (double) ns);
  fflush(stdout);
}

/* Ends the present interval if [ns] is not before its end, prints its line, and
   begins the interval that contains [ns].  The first such call prints no line,
   and begins the first interval at [ns].  Does nothing without --interval.
   Further intervals between the two, in which a file has no events, are left
   out. */
static void pass_time(struct stat *st, int64_t ns)
{
  if (st->interval_ns == 0 || ns < st->next_ns) return;
  if (!st->counting) {
    st->counting = true;
    begin_interval(st, ns);
    return;
  }
  end_interval(st);
  uint64_t beyond = (uint64_t) ns - (uint64_t) st->next_ns;
  begin_interval(st, ns - (int64_t) (beyond % (uint64_t) st->interval_ns));
}

/* The function [event] of a struct reading; [state] is a struct stat. */
static void take_event(void *state, const struct eventring_event *event)
{
  struct stat *st = state;
  if (event->form != EVENTRING_EV_OPEN) pass_time(st, event->ns);
  if (event->ns > st->last_ns) st->last_ns = event->ns;
  summary_event(st->summary, event);
}

/* The function [pass] of a struct reading; [state] is a struct stat.  While a
   running process has no events, the clock ends intervals.  Ends the reading
   when standard output fails. */
static bool pass(void *state, bool idle)
{
  struct stat *st = state;
  if (idle) {
    summary_idle(st->summary);
    if (st->running
        && eventring_state(summary_numbers(st->summary)->cursor)
           == EVENTRING_STATE_RUNNING)
      pass_time(st, time_after(monotonic_ns(), st->ahead_ns));
  }
  return output_works();
}

/* All processes */

/* The state of `stat --all`: its sum so far. */
struct all_stat {
  struct summary_total total;
  bool json;
};

static void *begin_one(void *command, const struct all_processes *all,
                       int which)
{
  (void) command;
  return new_summary(all->sources[which].cursor);
}

static void take_event_of_one(void *summary,
                              const struct eventring_event *event)
{
  summary_event(summary, event);
}

static void quiet(void *summary)
{
  summary_idle(summary);
}

/* Prints the summary of a process, adds it to the total, and frees it. */
static enum status end_one(void *command, const struct all_processes *all,
                           int which, void *summary)
{
  struct all_stat *st = command;
  if (st->json) {
    json_t *object = json_summary(summary);
    json_label(object, &all->labels[which]);
    print_json(object, true);
  } else {
    print_section(all, which, which == 0);
    print_summary(summary);
  }
  add_to_total(&st->total, summary);
  free_summary(summary);
  return STATUS_OK;
}

/* Prints the summaries of all processes and their sum. */
static enum status print_all(struct all_processes *all, bool json, bool follow)
{
  struct all_stat st = { .json = json };
  enum status status = read_each(all, &(struct each) {
    .command = &st, .open_spans = true, .begin = begin_one,
    .event = take_event_of_one, .quiet = quiet, .end = end_one
  }, follow);
  if (json)
    print_json(json_total(&st.total), true);
  else {
    putchar('\n');
    print_total(&st.total);
  }
  return finish_output(status);
}

/* A window */

/* Returns the time that [text], the value of the option [option], gives for the process
   that [cursor] reads; [otherwise] if it is NULL.  If it is no time, or the file does not
   have the time of day, prints a message and ends the program with STATUS_USAGE. */
static int64_t time_of(const char *option, const char *text, int64_t otherwise,
                       struct eventring_cursor *cursor)
{
  struct time_point time;
  struct wall_clock clock;
  if (text == NULL) return otherwise;
  if (!parse_time_point(text, &time))
    usage_error(&stat_command, "stat: --%s: %s is not a time such as " TIME_EXAMPLES,
                option, text[0] == '\0' ? "''" : text);
  if (!time.wall) return time_after(target_info(cursor).started_ns, time.ns);
  if (!read_wall_clock(cursor, &clock))
    usage_error(&stat_command, "stat: %s does not have the time of day",
                eventring_path(cursor));
  return event_time(&clock, time.ns);
}

/* Limits the summary to the time from [from] to before [to], of which one may be
   NULL. */
static void set_window(struct stat *st, const char *from, const char *to)
{
  struct eventring_cursor *cursor = summary_numbers(st->summary)->cursor;
  const int64_t from_ns = time_of("from", from, target_info(cursor).started_ns, cursor);
  const int64_t to_ns = time_of("to", to, INT64_MAX, cursor);
  if (from_ns >= to_ns) usage_error(&stat_command, "stat: --from is not before --to");
  summary_window(st->summary, from_ns, to_ns);
}

/* Prints the summary at the end; [window]: of a part of the time. */
static void print_all_of(const struct stat *st, bool window)
{
  struct summary *s = st->summary;
  int64_t until_ns = summary_until(s);
  if (window && until_ns < st->last_ns) until_ns = st->last_ns;
  if (window && until_ns > summary_numbers(s)->to_ns)
    until_ns = summary_numbers(s)->to_ns;
  if (st->json)
    print_json(json_summary_until(s, until_ns), st->interval_ns != 0);
  else if (window)
    print_summary_until(s, until_ns);
  else
    print_summary(s);
}

/* The command */

static enum status run(int argc, char **argv)
{
  struct stat st = { 0 };
  const char *dir = NULL, *from = NULL, *to = NULL;
  bool follow = false, several = false;
  int option;
  while ((option = next_option(&stat_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: several = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOLLOW: follow = true; break;
    case OPTION_FROM: from = optarg; break;
    case OPTION_TO: to = optarg; break;
    case OPTION_HUB: use_hub(&stat_command, optarg); break;
    case OPTION_INTERVAL:
      if (!parse_duration(optarg, &st.interval_ns)
          || st.interval_ns < SHORTEST_NS || st.interval_ns > LONGEST_NS)
        usage_error(&stat_command, "stat: %s is not an interval: from 10ms to "
                    "1000h, in seconds or with a unit", optarg);
      follow = true;
      break;
    case OPTION_JSON: st.json = true; break;
    case OPTION_RECONNECT: use_reconnect(&stat_command, optarg); break;
    }

  if (several && st.interval_ns != 0)
    usage_error(&stat_command, "stat: --all and --interval exclude each other; "
                "see eventring top --all");
  if ((from != NULL || to != NULL) && (several || follow))
    usage_error(&stat_command, "stat: --from and --to exclude --all, --follow and "
                "--interval");
  if (several) {
    struct all_processes all = open_processes(&stat_command, argc, argv, dir,
                                              true);
    enum status status = print_all(&all, st.json, follow);
    close_processes(&all);
    return status;
  }
  struct eventring_cursor *cursor =
    open_target(&stat_command, argc, argv, dir, false);
  st.summary = new_summary(cursor);
  if (from != NULL || to != NULL) set_window(&st, from, to);
  st.running = eventring_state(cursor) == EVENTRING_STATE_RUNNING;
  /* Events that are already in the rings do not count for the first
     interval. */
  if (st.running) {
    const struct eventring_info info = target_info(cursor);
    st.next_ns = present_ns(&info);
    st.ahead_ns = time_since(st.next_ns, monotonic_ns());
  }
  enum status status = read_events(cursor, &(struct reading) {
    .follow = follow, .changes = true, .open_spans = true, .state = &st,
    .event = take_event, .pass = pass
  });
  if (!st.json && st.lines > 0) putchar('\n');
  print_all_of(&st, from != NULL || to != NULL);
  status = finish_output(status);
  free_summary(st.summary);
  eventring_close(cursor);
  return status;
}

const struct command stat_command = {
  .name = "stat",
  .summary = "print the collector's share, its pauses and their causes",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
