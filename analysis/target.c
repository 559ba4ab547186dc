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

#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "target.h"

/* Returns the information on the file and the recording.  The call of
   eventring_get_info cannot fail with a cursor and this size. */
struct eventring_info target_info(struct eventring_cursor *cursor)
{
  struct eventring_info info = { .size = sizeof info };
  eventring_get_info(cursor, &info);
  return info;
}

static int64_t clock_ns(clockid_t clock)
{
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return -1;
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

bool target_is_cut(struct eventring_cursor *cursor)
{
  const struct eventring_info info = target_info(cursor);
  return info.format != EVENTRING_FORMAT_RECORDING
         && info.format != EVENTRING_FORMAT_STREAM && info.damaged_at != 0;
}

int64_t monotonic_ns(void)
{
  return clock_ns(CLOCK_MONOTONIC);
}

int64_t realtime_ns(void)
{
  return clock_ns(CLOCK_REALTIME);
}

int64_t time_after(int64_t ns, int64_t by)
{
  int64_t sum;
  if (!__builtin_add_overflow(ns, by, &sum)) return sum;
  return by < 0 ? INT64_MIN : INT64_MAX;
}

int64_t time_since(int64_t ns, int64_t begin_ns)
{
  int64_t difference;
  if (!__builtin_sub_overflow(ns, begin_ns, &difference)) return difference;
  return ns < begin_ns ? INT64_MIN : INT64_MAX;
}

/* Sets *ns to the nanoseconds by which CLOCK_MONOTONIC of process [pid] is ahead
   of the clock of the system, and *namespace to its time namespace.  Returns
   whether they are known: a process that enters another namespace has the offsets
   of its children meanwhile. */
static bool read_offset(int32_t pid, int64_t *ns, uint64_t *namespace)
{
  char path[64];
  struct stat own, of_children;
  snprintf(path, sizeof path, "/proc/%" PRIi32 "/ns/time", pid);
  if (stat(path, &own) < 0) return false;
  snprintf(path, sizeof path, "/proc/%" PRIi32 "/ns/time_for_children", pid);
  if (stat(path, &of_children) < 0 || own.st_ino != of_children.st_ino)
    return false;
  snprintf(path, sizeof path, "/proc/%" PRIi32 "/timens_offsets", pid);
  FILE *file = fopen(path, "re");
  int64_t seconds, rest;
  if (file == NULL) return false;
  const bool known = fscanf(file, "monotonic %" SCNi64 " %" SCNi64, &seconds,
                            &rest) == 2;
  fclose(file);
  *ns = known ? seconds * 1000000000 + rest : 0;
  *namespace = own.st_ino;
  return known;
}

/* Sets *ns to the present time on the clock of a process in another time
   namespace of this system.  Returns whether it is known. */
static bool read_other_clock(const struct eventring_info *info, int64_t *ns)
{
  int64_t theirs, ours;
  uint64_t namespace, own;
  if (info->pid_is_elsewhere || info->time_namespace == 0
      || !read_offset(info->pid, &theirs, &namespace)
      || namespace != info->time_namespace
      || !read_offset((int32_t) getpid(), &ours, &own))
    return false;
  *ns = time_after(monotonic_ns(), theirs - ours);
  return true;
}

int64_t present_ns(const struct eventring_info *info)
{
  int64_t ns;
  if (info->same_boot) return monotonic_ns();
  if (read_other_clock(info, &ns)) return ns;
  return time_after(info->started_ns,
                    time_since(realtime_ns(), info->started_realtime_ns));
}

int64_t age_ns(const struct eventring_info *info)
{
  return time_since(present_ns(info), info->started_ns);
}

int64_t process_cpu_ns(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  clockid_t clock;
  return !info.pid_is_elsewhere
         && clock_getcpuclockid((pid_t) info.pid, &clock) == 0
         ? clock_ns(clock) : -1;
}

uint64_t lost_events(struct eventring_cursor *cursor)
{
  uint32_t rings = target_info(cursor).rings;
  uint64_t lost = 0;
  for (uint32_t ring = 0; ring < rings; ring++)
    lost += eventring_events_lost(cursor, ring);
  return lost;
}

const char *process_stat(long pid, char text[STAT_SIZE])
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return NULL;
  const size_t length = fread(text, 1, STAT_SIZE - 1, file);
  fclose(file);
  text[length] = '\0';
  /* The name of the program, in parentheses, may have any characters. */
  const char *behind = strrchr(text, ')');
  return behind == NULL || behind[1] != ' ' ? NULL : behind + 2;
}

bool began_after(long pid, int64_t ns)
{
  char text[STAT_SIZE];
  unsigned long long ticks;
  const char *fields = process_stat(pid, text);
  /* The begin is field 22, and [fields] begins with the third. */
  if (fields == NULL
      || sscanf(fields, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                "%*s %*s %*s %*s %*s %*s %llu", &ticks) != 1)
    return false;
  /* It is counted from the start of the machine, with the time in which the
     machine slept. */
  const double slept_ns =
    (double) time_since(clock_ns(CLOCK_BOOTTIME), monotonic_ns());
  return (double) ticks * 1e9 / (double) sysconf(_SC_CLK_TCK)
         > (double) ns + slept_ns;
}

uint64_t process_resident_bytes(long pid)
{
  char path[64];
  unsigned long long size, resident;
  snprintf(path, sizeof path, "/proc/%ld/statm", pid);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  int n = fscanf(file, "%llu %llu", &size, &resident);
  fclose(file);
  return n == 2 ? resident * (uint64_t) sysconf(_SC_PAGESIZE) : 0;
}

const char *target_operand(struct eventring_cursor *cursor, char number[16])
{
  struct eventring_info info = target_info(cursor);
  if (info.pid_is_elsewhere) return eventring_path(cursor);
  snprintf(number, 16, "%" PRIu32, (uint32_t) info.pid);
  return number;
}

const char *at_most(struct eventring_cursor *cursor)
{
  return target_info(cursor).lost_is_bound ? "at most " : "";
}

const char *state_name(int state)
{
  switch (state) {
  case EVENTRING_STATE_RUNNING: return "running";
  case EVENTRING_STATE_ENDED: return "ended";
  case EVENTRING_STATE_REPLACED: return "replaced by another program";
  case EVENTRING_STATE_KILLED: return "killed";
  case EVENTRING_STATE_UNKNOWN: return "ran on after this recording";
  default: return "in an unknown state";
  }
}
