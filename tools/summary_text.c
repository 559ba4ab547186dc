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
#include <string.h>
#include "follow.h"
#include "summary_text.h"
#include "text.h"

const char *const pause_names[PAUSES] = {
  [PAUSE_MINOR] = "minor", [PAUSE_SLICE] = "major slice",
  [PAUSE_STOPPED] = "stopped", [PAUSE_ANY] = "any"
};

static const char *const caused_names[CAUSED] = {
  [CAUSED_MINOR] = "minor", [CAUSED_SLICE] = "major slice",
  [CAUSED_STOPPED] = "stopped", [CAUSED_CYCLE] = "major cycle",
  [CAUSED_COMPACTION] = "compaction"
};

static const char *state_name(struct eventring_cursor *cursor)
{
  switch (eventring_state(cursor)) {
  case EVENTRING_STATE_RUNNING: return "running";
  case EVENTRING_STATE_ENDED: return "ended";
  case EVENTRING_STATE_REPLACED: return "replaced by another program";
  case EVENTRING_STATE_KILLED: return "killed";
  default: return "in an unknown state";
  }
}

void print_process(struct summary *s)
{
  struct eventring_info info = target_info(s->cursor);
  char span[QUANTITY_SIZE];
  printf("process %" PRIu32 " ", info.pid);
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  printf(" (%s): %" PRIu64 " %s over %s\n", state_name(s->cursor), s->events,
         s->events == 1 ? "event" : "events",
         format_duration(span, s->last_ns > s->first_ns
                               ? (uint64_t) s->last_ns - (uint64_t) s->first_ns
                               : 0));
}

void print_domain_name(struct summary *s, const struct summary_domain *domain)
{
  const char *name = domain != s->others
                     ? eventring_domain_name(s->cursor, domain->id) : NULL;
  if (name == NULL) return;
  fputs("  \"", stdout);
  print_text(stdout, name, strlen(name), TEXT_QUOTED);
  putchar('"');
}

/* The most frequent first; of two alike, the first. */
static void print_causes_of(struct summary *s, enum caused caused)
{
  uint64_t left[SUMMARY_CAUSES];
  memcpy(left, s->causes[caused], sizeof left);
  for (uint32_t printed = 0; ; printed++) {
    uint32_t most = 0;
    for (uint32_t i = 1; i < SUMMARY_CAUSES; i++)
      if (left[i] > left[most]) most = i;
    if (left[most] == 0) {
      if (printed > 0) putchar('\n');
      return;
    }
    if (printed == 0)
      printf("%-11s  ", caused_names[caused]);
    else
      fputs(", ", stdout);
    const char *name = eventring_value(s->cursor, summary_cause_unit[caused],
                                       most);
    if (name != NULL)
      print_text(stdout, name, strlen(name), TEXT_COLUMN);
    else if (most < SUMMARY_CAUSES - 1)
      printf("#%" PRIu32, most);
    else
      fputs("others", stdout);
    printf(" %" PRIu64, left[most]);
    left[most] = 0;
  }
}

static bool any_causes(const struct summary *s, enum caused last)
{
  for (enum caused caused = 0; caused <= last; caused++)
    for (uint32_t i = 0; i < SUMMARY_CAUSES; i++)
      if (s->causes[caused][i] > 0) return true;
  return false;
}

void print_causes(struct summary *s, enum caused last)
{
  if (any_causes(s, last)) puts("pause        causes");
  for (enum caused caused = 0; caused <= last; caused++)
    print_causes_of(s, caused);
}

void print_lost(struct summary *s)
{
  uint64_t lost = lost_events(s->cursor);
  if (lost > 0)
    printf("%" PRIu64 " %s overwritten before they could be read\n", lost,
           lost == 1 ? "event was" : "events were");
}
