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
  if (info.format == EVENTRING_FORMAT_RECORDING
      || info.format == EVENTRING_FORMAT_STREAM)
    return manifest_processors(cursor);
  bool runs = eventring_state(cursor) == EVENTRING_STATE_RUNNING
              && !info.pid_is_elsewhere;
  cpu_set_t set;
  if (!info.same_boot
      || sched_getaffinity(runs ? info.pid : 0, sizeof set, &set) < 0)
    return 0;
  return (uint32_t) CPU_COUNT(&set);
}

struct diagnosis *begin_diagnosis(struct eventring_cursor *cursor)
{
  return new_diagnosis(cursor, processors(cursor));
}

void end_diagnosis(struct diagnosis *d, struct eventring_cursor *cursor,
                   const struct headline *last)
{
  struct symbols *symbols = new_symbols(cursor, NULL, NULL);
  diagnosis_finish(d, symbols, last);
  free_symbols(symbols);
}

void take_diagnosis_event(void *diagnosis, const struct eventring_event *event)
{
  diagnosis_event(diagnosis, event);
}

void diagnosis_is_quiet(void *diagnosis)
{
  diagnosis_idle(diagnosis);
}

