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

/* Facts about the process behind a cursor, and the clock of its events. */

#ifndef ANALYSIS_TARGET_H
#define ANALYSIS_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

/* Returns the contents of the header of the file that [cursor] reads, and the
   present state of the recording. */
struct eventring_info target_info(struct eventring_cursor *cursor);

/* Returns whether the ring file that [cursor] reads was cut shorter since it was
   opened, as far as reading it has shown: see cut_files.h. */
bool target_is_cut(struct eventring_cursor *cursor);

/* Returns the present time on the clock of the events, CLOCK_MONOTONIC, in
   nanoseconds; -1 when the clock cannot be read. */
int64_t monotonic_ns(void);

/* Returns the present time in nanoseconds since 1970.  It may jump when the
   clock of the system is set. */
int64_t realtime_ns(void);

/* The times of an event that two cursors give may differ by this. */
#define CLOCKS_APART_NS 1000

/* Returns the time [by] nanoseconds after [ns], or before it if [by] is
   negative; INT64_MAX or INT64_MIN when the sum overflows, as it may with the
   times of a file that nobody has recorded. */
int64_t time_after(int64_t ns, int64_t by);

/* Returns the nanoseconds from [begin_ns] to [ns], negative if [ns] is before
   [begin_ns]; INT64_MAX or INT64_MIN when the difference overflows. */
int64_t time_since(int64_t ns, int64_t begin_ns);

/* Returns the time from the start of tracing, as [info] has it, until now, in
   nanoseconds, also if the process has ended. */
int64_t age_ns(const struct eventring_info *info);

/* Returns the present time on the clock of the events of the process, in
   nanoseconds.  If the process is in another time namespace, the time comes from
   the offsets of the two namespaces; if these are not known, or after a restart of
   the system, from the calendar clock, which may have been set in between. */
int64_t present_ns(const struct eventring_info *info);

/* Returns the CPU time that the process of [cursor] has used, in nanoseconds;
   -1 when the time is not known, because the process has ended or is in another
   pid namespace. */
int64_t process_cpu_ns(struct eventring_cursor *cursor);

/* Reads the file /proc/PID/stat of process [pid] into [text].  Returns the place of
   its third field, the state, or NULL when there is no such process or the file
   cannot be read. */
#define STAT_SIZE 1024
const char *process_stat(long pid, char text[STAT_SIZE]);

/* Returns whether process [pid] began later than [ns], a time on our
   CLOCK_MONOTONIC.  A begin is known with an error of 10 ms: it may be taken for
   earlier.  Returns false when it is not known. */
bool began_after(long pid, int64_t ns);

/* Returns the size of the resident memory of process [pid] in bytes; 0 when it
   is not known. */
uint64_t process_resident_bytes(long pid);

/* Returns the number of events in all rings that were lost to [cursor]. */
uint64_t lost_events(struct eventring_cursor *cursor);

/* Returns the operand by which a command of the user finds the process of
   [cursor]: its pid, written to [number], or the path of its file if that pid is
   of another pid namespace. */
const char *target_operand(struct eventring_cursor *cursor, char number[16]);

/* Returns "at most " if the file gives only an upper bound of the number of
   lost events, and "" if the number is exact. */
const char *at_most(struct eventring_cursor *cursor);

/* Returns a description of [state], one of EVENTRING_STATE_..., such as
   "running"; "in an unknown state" for other numbers.  Never NULL. */
const char *state_name(int state);

/* Returns since when the process is traced without a gap, as a time of the wall
   clock: the start of its tracing, also if a session with rings of another size has
   taken over since. */
static inline int64_t traced_since_unix_ns(const struct eventring_info *info)
{
  return (int64_t) ((uint64_t) info->started_realtime_ns
                    - ((uint64_t) info->started_ns
                       - (uint64_t) info->traced_since_ns));
}

#endif /* ANALYSIS_TARGET_H */
