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
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "follow.h"

#define BATCH 512

/* Sleeps between two looks at an idle process. */
#define SLEEP_FIRST_NS (5 * 1000 * 1000)
#define SLEEP_LONGEST_NS (50 * 1000 * 1000)

static volatile sig_atomic_t interrupted = 0;

static void interrupt(int signal)
{
  (void) signal;
  interrupted = 1;
}

/* SA_RESTART keeps a signal from failing a write in progress (nanosleep ends
   all the same); SA_RESETHAND lets a second signal end a program whose output
   nobody takes. */
static void catch_interrupts(void)
{
  struct sigaction action = { .sa_handler = interrupt,
                              .sa_flags = SA_RESTART | (int) SA_RESETHAND };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static int64_t clock_ns(clockid_t clock)
{
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return -1;
  return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t monotonic_ns(void)
{
  return clock_ns(CLOCK_MONOTONIC);
}

int64_t process_cpu_ns(uint32_t pid)
{
  clockid_t clock;
  return clock_getcpuclockid((pid_t) pid, &clock) == 0 ? clock_ns(clock) : -1;
}

/* The time of the last event wanted, when nothing is followed. */
static int64_t last_wanted(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  return info.same_boot && eventring_state(cursor) == EVENTRING_STATE_RUNNING
         ? monotonic_ns() : INT64_MAX;
}

static enum status report_damage(struct eventring_cursor *cursor,
                                 uint64_t blocks)
{
  if (blocks == 0) return STATUS_OK;
  complain("%s: %" PRIu64 " damaged %s left out", eventring_path(cursor),
           blocks, blocks == 1 ? "block was" : "blocks were");
  return STATUS_CANNOT_READ;
}

enum status read_events(struct eventring_cursor *cursor,
                        const struct reading *reading)
{
  struct eventring_event batch[BATCH];
  int64_t last = INT64_MAX;
  uint64_t damaged = 0;
  bool ended = false;
  long sleep_ns = SLEEP_FIRST_NS;

  if (reading->follow) {
    catch_interrupts();
    if (isatty(STDERR_FILENO)) {
      struct eventring_info info = target_info(cursor);
      if (eventring_state(cursor) == EVENTRING_STATE_RUNNING)
        complain("following process %" PRIu32 " until it ends; Ctrl-C stops",
                 info.pid);
    }
  } else {
    last = last_wanted(cursor);
  }

  while (!interrupted) {
    int n = eventring_read(cursor, batch, BATCH);
    if (n == EVENTRING_E_DAMAGED) {
      damaged++;
      continue;
    }
    if (n < 0) {
      complain("%s: %s", eventring_path(cursor), eventring_strerror(n));
      return STATUS_CANNOT_READ;
    }
    for (int i = 0; i < n; i++) {
      if (batch[i].ns > last) goto done;
      if (batch[i].form == EVENTRING_EV_CHANGED && !reading->changes) continue;
      reading->event(reading->state, &batch[i]);
    }
    if (!reading->pass(reading->state, n == 0)) break;
    if (n > 0) {
      sleep_ns = SLEEP_FIRST_NS;
      continue;
    }
    if (!reading->follow || ended) break;
    /* What the process wrote before its end is read once more after the end
       was seen. */
    if (eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
      ended = true;
      continue;
    }
    nanosleep(&(struct timespec) { .tv_nsec = sleep_ns }, NULL);
    sleep_ns = sleep_ns * 2 > SLEEP_LONGEST_NS ? SLEEP_LONGEST_NS
                                               : sleep_ns * 2;
  }
done:
  return report_damage(cursor, damaged);
}

uint64_t lost_events(struct eventring_cursor *cursor)
{
  uint32_t rings = target_info(cursor).rings;
  uint64_t lost = 0;
  for (uint32_t ring = 0; ring < rings; ring++)
    lost += eventring_events_lost(cursor, ring);
  return lost;
}
