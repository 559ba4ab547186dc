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
#include "balance_text.h"
#include "event_text.h"
#include "follow.h"

/* The function [found] of a check; [state] is a struct event_text.  Prints a
   line for the finding on standard output. */
static void print_finding(void *state, const struct eventring_event *event,
                          const char *what)
{
  struct event_text *text = state;
  print_columns(text, event);
  printf("  %s\n", what);
}

/* The function [event] of a struct reading; [state] is the check. */
static void take_event(void *state, const struct eventring_event *event)
{
  check_event(state, event);
}

/* The function [pass] of a struct reading.  Flushes the findings when there are
   no events at present, and ends the reading when standard output fails. */
static bool pass(void *state, bool idle)
{
  (void) state;
  if (idle) fflush(stdout);
  return output_works();
}

/* Prints [count] and the noun [what] on standard output, with an "s" unless
   [count] is 1. */
static void print_count(uint64_t count, const char *what)
{
  printf("%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

static void print_balance(const struct balance *sum)
{
  print_count(sum->events, "event");
  fputs(", ", stdout);
  print_count(sum->spans, "span");
  fputs(", ", stdout);
  if (sum->findings == 0)
    fputs("balanced", stdout);
  else
    print_count(sum->findings, "finding");
  if (sum->cut_off > 0) {
    fputs("; ", stdout);
    print_count(sum->cut_off, "more span");
    fputs(" cut off by the start, a gap or the end", stdout);
  }
  if (sum->user_spans_left_out)
    fputs("; too many spans of the program at once to check them", stdout);
  putchar('\n');
}

/* Passes all events of [cursor] to [check], ends and frees the check, and sets
   *sum to its totals, also when reading fails.  Returns STATUS_OK;
   STATUS_CANNOT_READ, with a message, when the file cannot be read or is
   damaged; else STATUS_FINDING when an event is wrong. */
static enum status read_all(struct eventring_cursor *cursor,
                            struct check *check, bool follow,
                            struct balance *sum)
{
  enum status status = read_events(cursor, &(struct reading) {
    .follow = follow, .changes = true, .state = check, .event = take_event,
    .pass = pass
  });
  *sum = check_end(check);
  free_check(check);
  if (status == STATUS_OK && sum->findings > 0) status = STATUS_FINDING;
  return status;
}

enum status check_events(struct eventring_cursor *cursor, bool follow)
{
  struct event_text text = new_event_text(cursor);
  struct balance sum;
  enum status status = read_all(
    cursor, new_check(cursor, print_finding, &text), follow, &sum);
  print_balance(&sum);
  return status;
}

enum status balance_events(struct eventring_cursor *cursor,
                           struct balance *balance)
{
  return read_all(cursor, new_check(cursor, NULL, NULL), false, balance);
}
