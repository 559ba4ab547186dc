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

/* For sched_getaffinity */
#define _GNU_SOURCE
#include <sched.h>
#include "diagnosis_reading.h"
#include "manifest.h"
#include "target.h"

/* Returns the number of processors that the process of [cursor] may use, or
   had; 0 when it is not known.  An ended process of this machine may have had
   other limits than this one. */
static uint32_t processors(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  if (info.format == EVENTRING_FORMAT_RECORDING)
    return manifest_processors(cursor);
  bool runs = eventring_state(cursor) == EVENTRING_STATE_RUNNING
              && !info.pid_is_elsewhere;
  cpu_set_t set;
  if (!info.same_boot
      || sched_getaffinity(runs ? info.pid : 0, sizeof set, &set) < 0)
    return 0;
  return (uint32_t) CPU_COUNT(&set);
}

static void say_nothing(void *state, const char *message)
{
  (void) state;
  (void) message;
}

static void take_event(void *state, const struct eventring_event *event)
{
  diagnosis_event(state, event);
}

static bool pass(void *state, bool idle)
{
  if (idle) diagnosis_idle(state);
  return true;
}

struct diagnosis *read_diagnosis(struct eventring_cursor *cursor, bool follow,
                                 enum status *status)
{
  struct diagnosis *d = new_diagnosis(cursor, processors(cursor));
  struct symbols *symbols = new_symbols(cursor, say_nothing, NULL);
  *status = read_events(cursor, &(struct reading) {
    .follow = follow, .changes = true, .state = d, .event = take_event,
    .pass = pass
  });
  diagnosis_finish(d, symbols);
  free_symbols(symbols);
  return d;
}
