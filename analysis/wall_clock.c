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

#include "target.h"
#include "wall_clock.h"

/* Samples of the clocks differ by some microseconds even while nobody sets the
   clock; a larger difference is a new offset. */
#define SET_NS 1000000

/* Returns the difference of the two clocks, as the times of a file may be
   anything. */
static int64_t offset_of(int64_t realtime_ns, int64_t ns)
{
  return (int64_t) ((uint64_t) realtime_ns - (uint64_t) ns);
}

/* Adds the offset [offset_ns] from [from_ns] on, unless the piece before has the
   same offset or there is no room. */
static void add_piece(struct wall_clock *clock, int64_t from_ns,
                      int64_t offset_ns)
{
  const struct wall_piece *last = &clock->pieces[clock->count - 1];
  int64_t change = time_since(offset_ns, last->offset_ns);
  if (clock->count == WALL_PIECES || from_ns < last->from_ns
      || (change > -SET_NS && change < SET_NS))
    return;
  clock->pieces[clock->count++] = (struct wall_piece) { from_ns, offset_ns };
}

bool read_wall_clock(struct eventring_cursor *cursor, struct wall_clock *clock)
{
  const struct eventring_info info = target_info(cursor);
  struct eventring_clock_sample sample;
  if (info.started_realtime_ns == 0) return false;
  clock->count = 1;
  clock->pieces[0] = (struct wall_piece) {
    INT64_MIN, offset_of(info.started_realtime_ns, info.started_ns) };
  for (uint32_t i = 0; eventring_get_clock_sample(cursor, i, &sample) > 0; i++)
    add_piece(clock, sample.monotonic_ns,
              offset_of(sample.realtime_ns, sample.monotonic_ns));
  return true;
}

int64_t wall_time(const struct wall_clock *clock, int64_t ns)
{
  uint32_t i = clock->count - 1;
  while (i > 0 && clock->pieces[i].from_ns > ns) i--;
  return time_after(ns, clock->pieces[i].offset_ns);
}

int64_t event_time(const struct wall_clock *clock, int64_t wall_ns)
{
  for (uint32_t i = 0; ; i++) {
    const struct wall_piece *p = &clock->pieces[i];
    int64_t ns = time_since(wall_ns, p->offset_ns);
    if (ns < p->from_ns) ns = p->from_ns;
    if (i + 1 == clock->count || ns < p[1].from_ns) return ns;
  }
}
