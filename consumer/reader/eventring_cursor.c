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

/* Cursors: opening and closing, the state of the process, information about the
   file, and control of the process by its readers. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eventring_cursor.h"

_Static_assert(EVENTRING_STATE_RUNNING == (int) EVENTRING_RUNNING
               && EVENTRING_STATE_ENDED == (int) EVENTRING_ENDED
               && EVENTRING_STATE_REPLACED == (int) EVENTRING_REPLACED
               && EVENTRING_STATE_KILLED > (int) EVENTRING_REPLACED,
               "states of eventring_reader.h and eventring_format.h");
_Static_assert(sizeof ((struct eventring_info *) 0)->program
               == sizeof ((struct eventring_header *) 0)->program
               && sizeof ((struct eventring_info *) 0)->runtime
                  == sizeof ((struct eventring_header *) 0)->runtime
               && sizeof ((struct eventring_info *) 0)->argv0
                  == sizeof ((struct eventring_header *) 0)->argv0,
               "texts of eventring_reader.h and eventring_format.h");

/* The process */

/* Returns the state of the process that wrote the file:
   EVENTRING_STATE_RUNNING, _KILLED when the process does not exist any more, or
   _REPLACED when it runs another program.  Compares the boot ids and looks at
   /proc; for a process that our pid namespace does not show, tests whether any
   process may still write the file.  The state in the header is not looked
   at. */
static int process_state(const struct eventring_cursor *c)
{
  uint64_t start_time, start_stack;

  if (c->boot == BOOT_OTHER) return EVENTRING_STATE_KILLED;
  /* The process has the file mapped for writing while it lives. */
  if (c->elsewhere)
    return eventring_has_writer(c->path, &c->file) ? EVENTRING_STATE_RUNNING
                                                   : EVENTRING_STATE_KILLED;
  if (!eventring_process_fields(c->pid, &start_time, &start_stack))
    return EVENTRING_STATE_KILLED;
  /* Times of the two namespaces have nothing to do with each other. */
  if (c->other_time) {
    if (!eventring_has_writer(c->path, &c->file)) return EVENTRING_STATE_KILLED;
  } else if (c->start_time != 0 && start_time != 0
             && start_time != c->start_time) {
    return EVENTRING_STATE_KILLED;
  }
  /* The system shows 0 or 1 to users that may not know the address. */
  if (c->start_stack != 0 && start_stack > 1
      && start_stack != c->start_stack)
    return EVENTRING_STATE_REPLACED;
  return EVENTRING_STATE_RUNNING;
}

int eventring_state(struct eventring_cursor *c)
{
  int state;
  if (c == NULL) return EVENTRING_E_ARGUMENT;
  if (!c->source->live) return c->source->state;
  switch (__atomic_load_n(&c->shared->state, __ATOMIC_ACQUIRE)) {
  case EVENTRING_ENDED: return EVENTRING_STATE_ENDED;
  case EVENTRING_REPLACED: return EVENTRING_STATE_REPLACED;
  default:
    state = process_state(c);
    if (state == EVENTRING_STATE_RUNNING) return state;
    c->gone = 1;
    /* It may have ended in order while we asked. */
    switch (__atomic_load_n(&c->shared->state, __ATOMIC_ACQUIRE)) {
    case EVENTRING_ENDED: return EVENTRING_STATE_ENDED;
    case EVENTRING_REPLACED: return EVENTRING_STATE_REPLACED;
    default: return state;
    }
  }
}

char eventring_thread_state(struct eventring_cursor *c, uint32_t thread)
{
  int ends;
  char state;
  if (c == NULL || !c->source->live || c->elsewhere || thread == 0) return 0;
  state = eventring_task_state(c->pid, thread, &ends);
  return state == 'R' && ends ? 'X' : state;
}

/* Returns whether the header has the threshold.  Headers of format 1.3 have
   zeros in its place. */
static int has_threshold(const struct eventring_cursor *c)
{
  return c->header.version_minor >= 4
    && c->header.header_size
         >= offsetof(struct eventring_header, threshold) + sizeof(uint64_t);
}

/* Returns whether the header has the fields of samples. */
static int has_samples(const struct eventring_cursor *c)
{
  return c->header.version_minor >= 5
    && c->header.header_size >= EVENTRING_HEADER_1_5;
}

/* Returns whether the header has the period of samples of allocation. */
static int has_alloc_samples(const struct eventring_cursor *c)
{
  return c->header.version_minor >= 7
    && c->header.header_size >= EVENTRING_HEADER_1_7;
}

/* Returns whether the process knows requests for rings of another size, and the
   header counts flushes. */
static int has_requests(const struct eventring_cursor *c)
{
  return c->header.version_minor >= 6
    && c->header.header_size >= EVENTRING_HEADER_1_6;
}

/* Returns whether the session has taken over from a session before. */
static int took_over(const struct eventring_cursor *c)
{
  return has_requests(c) && c->header.traced_since_ns != 0
    && c->header.traced_since_ns < c->header.started.monotonic_ns;
}

/* Returns whether the header has the number of the session. */
static int has_session(const struct eventring_cursor *c)
{
  return c->header.version_minor >= 10
    && c->header.header_size >= EVENTRING_HEADER_1_10;
}

int eventring_get_info(struct eventring_cursor *c, struct eventring_info *info)
{
  struct eventring_info mine;
  uint64_t control;

  if (c == NULL || info == NULL || info->size < sizeof info->size)
    return EVENTRING_E_ARGUMENT;
  control = __atomic_load_n(&c->shared->control, __ATOMIC_RELAXED);
  memset(&mine, 0, sizeof mine);
  mine.pid = c->pid;
  mine.own_pid = (int32_t) c->header.pid;
  mine.parent_pid = (int32_t) c->header.parent_pid;
  mine.rings = c->header.rings;
  mine.block_words = c->header.block_words;
  mine.ring_words = c->header.ring_words;
  mine.active = (uint32_t) control & ~EVENTRING_RING_REQUEST;
  mine.resume = (uint32_t) (control >> 32) & ~EVENTRING_RING_REQUEST;
  mine.started_ns = c->started.monotonic_ns;
  mine.started_realtime_ns = c->started.realtime_ns;
  mine.version_major = c->header.version_major;
  mine.version_minor = c->header.version_minor;
  mine.same_boot = c->boot != BOOT_OTHER && !c->other_time;
  mine.clock = (uint8_t) c->header.clock;
  mine.ticks_per_ns = 1 / c->clock.ns_per_tick;
  memcpy(mine.program, c->header.program, sizeof mine.program);
  memcpy(mine.runtime, c->header.runtime, sizeof mine.runtime);
  memcpy(mine.argv0, c->header.argv0, sizeof mine.argv0);
  mine.format = (uint8_t) c->source->format;
  mine.lost_is_bound = (uint8_t) c->source->lost_is_bound;
  mine.processes = c->source->processes;
  mine.first_ns = c->source->first_ns;
  mine.last_ns = c->source->last_ns;
  mine.damaged_at = c->source->damaged_at | eventring_cut_at(c->source);
  mine.recorded_events = c->source->events;
  mine.recorded_lost = c->source->lost;
  mine.pid_namespace = c->header.pid_namespace;
  mine.pid_is_elsewhere = (uint8_t) c->elsewhere;
  /* A file of stock OCaml of another start of the machine has no id of it. */
  if (strchr(c->header.boot_id, '-') != NULL)
    memcpy(mine.boot_id, c->header.boot_id, sizeof mine.boot_id);
  mine.time_namespace = c->header.time_namespace;
  if (has_threshold(c))
    mine.threshold_ns = __atomic_load_n(&c->shared->threshold,
                                        __ATOMIC_RELAXED);
  if (has_samples(c)) {
    mine.sample_period_ns = __atomic_load_n(&c->shared->sample_period,
                                            __ATOMIC_RELAXED);
    mine.samples_dropped = __atomic_load_n(&c->shared->samples_dropped,
                                           __ATOMIC_RELAXED);
    if (c->header.sample_rings_from < c->header.rings)
      mine.sample_rings_from = c->header.sample_rings_from;
  }
  if (has_alloc_samples(c))
    mine.alloc_period_words = __atomic_load_n(&c->shared->alloc_period,
                                              __ATOMIC_RELAXED);
  mine.traced_since_ns = c->traced_since_ns;
  if (has_requests(c))
    mine.flushes = __atomic_load_n(&c->shared->flushes, __ATOMIC_RELAXED);
  if (has_session(c)) mine.session = c->header.session;
  eventring_give_struct(&mine, sizeof mine, info);
  return 0;
}

const char *eventring_note(struct eventring_cursor *c)
{
  return c == NULL ? NULL : c->source->note;
}

/* Returns whether the slots of the file have totals. */
static int has_totals(const struct eventring_cursor *c)
{
  return c->source->format == EVENTRING_FORMAT_RING
    && c->header.version_minor >= 9
    && c->header.slot_size >= sizeof(struct eventring_slot);
}

/* Adds [more] to *sum, but makes it at most a number that is a signed integer as
   bytes, too: a damaged file may have any. */
static void add(uint64_t *sum, uint64_t more)
{
  const uint64_t most = INT64_MAX / 8;
  *sum = *sum < most && more < most - *sum ? *sum + more : most;
}

/* Returns a total of ring [ring] in the file. */
static uint64_t total_in_file(const struct eventring_cursor *c, uint32_t ring,
                              enum eventring_total total)
{
  return __atomic_load_n(&slot_of(c, ring)->total[total], __ATOMIC_RELAXED);
}

/* Returns a total of ring [ring], the sessions before included. */
static uint64_t total_of(const struct eventring_cursor *c, uint32_t ring,
                         enum eventring_total total)
{
  uint64_t now = total_in_file(c, ring, total);
  if (c->before == NULL) return now;
  const uint64_t *before = c->before[ring],
    domains = total_in_file(c, ring, EVENTRING_TOTAL_DOMAINS);
  switch (total) {
  case EVENTRING_TOTAL_LONGEST:
    return now > before[total] ? now : before[total];
  case EVENTRING_TOTAL_LAST:
    return domains == 0 ? before[total] : now;
  case EVENTRING_TOTAL_DOMAINS:
    /* The domain that had the ring may have it still. */
    if (domains == 1 && before[total] > 0
        && before[EVENTRING_TOTAL_LAST]
           == total_in_file(c, ring, EVENTRING_TOTAL_LAST))
      return before[total];
    break;
  default:
    break;
  }
  add(&now, before[total]);
  return now;
}

/* Adds the totals of ring [ring] to [sum]; its minor collections are those of
   the total [minor]. */
static void add_totals(const struct eventring_cursor *c, uint32_t ring,
                       enum eventring_total minor,
                       struct eventring_totals *sum)
{
  uint64_t longest_ns = 0;
  add(&sum->minor_collections, total_of(c, ring, minor));
  add(&sum->major_cycles, total_of(c, ring, EVENTRING_TOTAL_CYCLES));
  add(&sum->compactions, total_of(c, ring, EVENTRING_TOTAL_COMPACTIONS));
  add(&sum->major_slices, total_of(c, ring, EVENTRING_TOTAL_SLICES));
  add(&sum->explicit_calls, total_of(c, ring, EVENTRING_TOTAL_CALLS));
  add(&sum->allocated_words, total_of(c, ring, EVENTRING_TOTAL_ALLOCATED));
  add(&sum->promoted_words, total_of(c, ring, EVENTRING_TOTAL_PROMOTED));
  add(&sum->direct_words, total_of(c, ring, EVENTRING_TOTAL_DIRECT));
  add(&sum->pauses, total_of(c, ring, EVENTRING_TOTAL_PAUSES));
  add(&sum->paused_ns, total_of(c, ring, EVENTRING_TOTAL_PAUSED));
  add(&longest_ns, total_of(c, ring, EVENTRING_TOTAL_LONGEST));
  if (longest_ns > sum->longest_pause_ns) sum->longest_pause_ns = longest_ns;
  sum->domains += (uint32_t) total_of(c, ring, EVENTRING_TOTAL_DOMAINS);
}

int eventring_get_totals(struct eventring_cursor *c, uint32_t ring,
                         struct eventring_totals *totals)
{
  struct eventring_totals mine;

  if (c == NULL || totals == NULL || totals->size < sizeof totals->size
      || (ring != EVENTRING_ALL_RINGS && ring >= c->header.rings))
    return EVENTRING_E_ARGUMENT;
  if (!has_totals(c)) return EVENTRING_E_VERSION;
  memset(&mine, 0, sizeof mine);
  if (ring == EVENTRING_ALL_RINGS) {
    for (uint32_t i = 0; i < c->header.rings; i++)
      add_totals(c, i, EVENTRING_TOTAL_MINOR_LED, &mine);
  } else {
    add_totals(c, ring, EVENTRING_TOTAL_MINOR, &mine);
    mine.last_domain = (uint32_t) total_of(c, ring, EVENTRING_TOTAL_LAST);
  }
  eventring_give_struct(&mine, sizeof mine, totals);
  return 0;
}

const char *eventring_path(const struct eventring_cursor *c)
{
  return c == NULL ? NULL : c->path;
}

/* Control.  The word [control] of the header holds two masks of categories,
   [active] and [resume], so that every program that changes one mask changes
   both at once. */

/* Returns the control word with the mask [active] of the categories recorded at
   present and the mask [resume] that resuming restores. */
static uint64_t masks(uint32_t resume, uint32_t active)
{
  return (uint64_t) resume << 32 | active;
}

/* Returns the control word [control] with recording paused; the mask recorded
   before becomes the mask that resuming restores.  A word that is paused is
   returned unchanged. */
static uint64_t paused(uint64_t control)
{
  uint32_t recorded = (uint32_t) control & ~EVENTRING_RING_REQUEST;
  return recorded == 0 ? control : masks(recorded, 0);
}

/* Returns the control word [control] with recording resumed; unchanged when it
   is not paused. */
static uint64_t resumed(uint64_t control)
{
  uint32_t resume = (uint32_t) (control >> 32);
  return (uint32_t) control != 0 ? control : masks(resume, resume);
}

/* Opens the file of descriptor [fd] once more, for reading and writing, by way
   of /proc/self/fd.  Returns the new descriptor, or -1 with errno. */
static int open_for_control(int fd)
{
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

/* Maps the header of the cursor's file for writing.  Returns the mapping, with
   *err 0, or NULL with the error in *err, when the cursor was not opened for
   control or the mapping fails.  The caller calls end_control directly after
   its change: to other processes and to this library, a file that is mapped for
   writing belongs to a live process. */
static struct eventring_header *begin_control(struct eventring_cursor *c,
                                              int *err)
{
  void *map;
  int fd;
  *err = EVENTRING_E_ARGUMENT;
  if (c == NULL || c->fd < 0) return NULL;
  fd = open_for_control(c->fd);
  map = fd < 0 ? MAP_FAILED
               : mmap(NULL, sizeof(struct eventring_header),
                      PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  *err = map == MAP_FAILED ? eventring_error_of(errno) : 0;
  if (fd >= 0) close(fd);
  return map == MAP_FAILED ? NULL : map;
}

static void end_control(struct eventring_header *h)
{
  munmap(h, sizeof *h);
}

/* The error of the present ticks of another machine's clock, at most, which are
   computed from the present time. */
#define CLOCK_ERROR_NS 1000000

/* Adds a mark with the present time to the header [h]: the mask of categories
   is changed at about this time.  Called before the change, with [side] -1, and
   after it, with [side] 1.  When this machine does not have the clock of the
   header, as with a program in qemu, the two marks are further apart than the
   error of the ticks.  Does nothing when the header has no marks or the present
   ticks cannot be known. */
static void mark_change(struct eventring_cursor *c, struct eventring_header *h,
                        int side)
{
  uint64_t mark, ticks;
  if (c->header.header_size < HEADER_HAS(marks)) return;
  if (c->own_clock) {
    ticks = eventring_read_clock(c->header.clock);
  } else {
    if (c->boot == BOOT_OTHER || c->other_time) return;
    eventring_calibrate(c);
    if (c->clock.baseline == 0) return;
    ticks = eventring_ticks_of(c, eventring_cursor_now(c)
                                  + side * CLOCK_ERROR_NS);
  }
  mark = __atomic_fetch_add(&h->marks_made, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&h->marks[mark % EVENTRING_MARKS], ticks, __ATOMIC_RELEASE);
}

/* A function that returns the new value of the control word, which was [old];
   may be called several times for one change.  [mask] is the mask to set; only
   to_categories uses it. */
typedef uint64_t change(uint64_t old, uint32_t mask);

static uint64_t to_paused(uint64_t old, uint32_t mask)
{
  (void) mask;
  return paused(old);
}

static uint64_t to_resumed(uint64_t old, uint32_t mask)
{
  (void) mask;
  return resumed(old);
}

static uint64_t to_categories(uint64_t old, uint32_t mask)
{
  return masks(mask, (uint32_t) old ? mask : 0);
}

/* Replaces the control word of the traced process by the result of [change], in
   one step with regard to other programs; marks the change in the header if the
   word becomes another.  Returns 0 or a negative error. */
static int control(struct eventring_cursor *c, change *change, uint32_t mask)
{
  uint64_t old;
  int err;
  struct eventring_header *h = begin_control(c, &err);
  if (h == NULL) return err;
  /* No order: the mask says nothing of any other memory. */
  old = __atomic_load_n(&h->control, __ATOMIC_RELAXED);
  if (change(old, mask) != old) {
    mark_change(c, h, -1);
    while (!__atomic_compare_exchange_n(&h->control, &old, change(old, mask), 1,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      ;
    mark_change(c, h, 1);
  }
  end_control(h);
  return 0;
}

int eventring_pause(struct eventring_cursor *c)
{
  return control(c, to_paused, 0);
}

int eventring_resume(struct eventring_cursor *c)
{
  return control(c, to_resumed, 0);
}

int eventring_set_categories(struct eventring_cursor *c, uint32_t mask)
{
  /* The other bits ask for rings of another size. */
  mask &= ~EVENTRING_RING_REQUEST;
  /* No category at all is eventring_pause, which can be taken back. */
  return mask == 0 ? EVENTRING_E_ARGUMENT : control(c, to_categories, mask);
}

/* Returns whether the process of [c] knows the category of points. */
static int has_points(struct eventring_cursor *c)
{
  const char *name = eventring_category(c, EVENTRING_POINTS_BIT);
  return name != NULL && strcmp(name, "points") == 0;
}

int eventring_ask_points(struct eventring_cursor *c)
{
  uint64_t old;
  int err;
  struct eventring_header *h = begin_control(c, &err);
  if (h == NULL) return err;
  err = has_points(c) ? 0 : EVENTRING_E_VERSION;
  /* Only in the mask [active], so that a resume does not ask once more.  No
     mark: no other category changes, and the process ends this one. */
  old = __atomic_load_n(&h->control, __ATOMIC_RELAXED);
  while (err == 0)
    if ((uint32_t) old == 0) err = EVENTRING_E_ARGUMENT;
    else if (old & EVENTRING_POINTS) err = 1;
    else if (__atomic_compare_exchange_n(&h->control, &old,
                                         old | EVENTRING_POINTS, 1,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      break;
  end_control(h);
  return err;
}

int eventring_withdraw_points(struct eventring_cursor *c)
{
  int err;
  struct eventring_header *h = begin_control(c, &err);
  if (h == NULL) return err;
  if (has_points(c))
    __atomic_fetch_and(&h->control, ~(uint64_t) EVENTRING_POINTS,
                       __ATOMIC_RELAXED);
  else
    err = EVENTRING_E_VERSION;
  end_control(h);
  return err;
}

int eventring_ask_ring_words(struct eventring_cursor *c, uint64_t words)
{
  struct eventring_header *h;
  uint32_t log = EVENTRING_MIN_LOG_WORDS;
  uint64_t old, new;
  int err;
  while (log < EVENTRING_MAX_REQUEST_LOG_WORDS && UINT64_C(1) << log < words)
    log++;
  if (UINT64_C(1) << log != words) return EVENTRING_E_ARGUMENT;
  h = begin_control(c, &err);
  if (h == NULL) return err;
  err = !has_requests(c) ? EVENTRING_E_VERSION
        : c->header.ring_words == words ? 1 : 0;
  /* Only in the mask [active], so that a resume does not ask once more.  No
     mark: no category changes. */
  old = __atomic_load_n(&h->control, __ATOMIC_RELAXED);
  while (err == 0) {
    new = (old & ~(uint64_t) EVENTRING_RING_REQUEST)
          | (uint64_t) log << EVENTRING_REQUEST_SHIFT;
    if (((uint32_t) old & ~EVENTRING_RING_REQUEST) == 0)
      err = EVENTRING_E_ARGUMENT;
    else if (__atomic_compare_exchange_n(&h->control, &old, new, 1,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      break;
  }
  end_control(h);
  return err;
}

uint64_t eventring_ring_words_asked(struct eventring_cursor *c)
{
  uint32_t log;
  if (c == NULL || !has_requests(c)) return 0;
  /* Acquire: when the request is gone, the state that was stored before is
     seen. */
  log = (uint32_t) __atomic_load_n(&c->shared->control, __ATOMIC_ACQUIRE)
        >> EVENTRING_REQUEST_SHIFT;
  return log == 0 ? 0 : UINT64_C(1) << log;
}

int eventring_withdraw_ring_words(struct eventring_cursor *c)
{
  int err;
  struct eventring_header *h = begin_control(c, &err);
  if (h == NULL) return err;
  if (has_requests(c))
    __atomic_fetch_and(&h->control, ~(uint64_t) EVENTRING_RING_REQUEST,
                       __ATOMIC_RELAXED);
  else
    err = EVENTRING_E_VERSION;
  end_control(h);
  return err;
}

int eventring_set_threshold(struct eventring_cursor *c, uint64_t ns)
{
  int err;
  struct eventring_header *h = begin_control(c, &err);
  if (h == NULL) return err;
  if (has_threshold(c))
    /* No order: the number says nothing of any other memory. */
    __atomic_store_n(&h->threshold, ns != 0 ? ns : 1, __ATOMIC_RELAXED);
  else
    err = EVENTRING_E_VERSION;
  end_control(h);
  return err;
}

int eventring_set_sample_period(struct eventring_cursor *c, uint64_t ns)
{
  int err;
  struct eventring_header *h = begin_control(c, &err);
  if (h == NULL) return err;
  if (has_samples(c))
    /* No order: the number says nothing of any other memory. */
    __atomic_store_n(&h->sample_period, ns != 0 ? ns : 1, __ATOMIC_RELAXED);
  else
    err = EVENTRING_E_VERSION;
  end_control(h);
  return err;
}

int eventring_set_alloc_period(struct eventring_cursor *c, uint64_t words)
{
  int err;
  struct eventring_header *h = begin_control(c, &err);
  if (h == NULL) return err;
  if (has_alloc_samples(c))
    /* No order: the number says nothing of any other memory. */
    __atomic_store_n(&h->alloc_period, words != 0 ? words : 1,
                     __ATOMIC_RELAXED);
  else
    err = EVENTRING_E_VERSION;
  end_control(h);
  return err;
}

/* Sets c->pid to the number by which this process knows the process that wrote
   the file: [pid] if it is not 0, else the number in the header, or the result
   of a search when the header's number is of another pid namespace.  When the
   search fails, sets c->elsewhere to 1; c->pid is then the number in that
   namespace.  Does not search for a recording. */
static void find_process(struct eventring_cursor *c, int pid)
{
  uint64_t namespace = c->header.pid_namespace;
  c->pid = pid != 0 ? pid : (int) c->header.pid;
  if (pid != 0 || namespace == 0 || !c->source->live
      || namespace == eventring_pid_namespace(0))
    return;
  pid = eventring_pid_of(namespace, c->header.pid);
  if (pid > 0) c->pid = pid;
  else c->elsewhere = 1;
}

/* Sets c->start_time and c->start_stack to the numbers in the header, by which
   the process is told from others with its pid.  An emulator, such as qemu,
   shows other numbers to its program than the system shows to us: if the system
   does not have those of the header, but the process has the file mapped for
   writing, takes the numbers of the system. */
static void identify_process(struct eventring_cursor *c)
{
  uint64_t start_time, start_stack;
  c->start_time = c->header.start_time;
  c->start_stack = c->header.start_stack;
  if (!c->source->live || c->elsewhere || c->boot == BOOT_OTHER
      || !eventring_process_fields(c->pid, &start_time, &start_stack)
      || (start_time == c->start_time && start_stack == c->start_stack)
      || eventring_is_mapped(c->pid, &c->file) != 1)
    return;
  c->start_time = start_time;
  c->start_stack = start_stack > 1 ? start_stack : 0;
}

/* Memory */

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

/* The sanitizer sees accesses just outside of an array by margins that it is told of.
   It would see them in memory of calloc, too, but marks all bytes of that, which takes
   it ten times as long as a test takes to read a file. */
#if SANITIZED
#include <sanitizer/asan_interface.h>
#define MARGIN ((size_t) 4096)
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void) (start), (void) (bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void) (start), (void) (bytes))
#define MARGIN ((size_t) 0)
#endif

void *eventring_new_array(size_t count, size_t size)
{
  size_t bytes = count * size;
  char *area = mmap(NULL, MARGIN + bytes + MARGIN, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) return NULL;
  ASAN_POISON_MEMORY_REGION(area, MARGIN);
  ASAN_POISON_MEMORY_REGION(area + MARGIN + bytes, MARGIN);
  return area + MARGIN;
}

void eventring_free_array(void *array, size_t count, size_t size)
{
  if (array == NULL) return;
  size_t bytes = MARGIN + count * size + MARGIN;
  char *area = (char *) array - MARGIN;
  ASAN_UNPOISON_MEMORY_REGION(area, bytes);
  munmap(area, bytes);
}

/* Return the bytes of a ring in c->copies and in c->unpacked. */
static size_t copy_size(const struct eventring_header *h)
{
  return (size_t) h->block_words * 8;
}

static size_t unpacked_size(const struct eventring_header *h)
{
  return copy_size(h) * UNPACKED;
}

int eventring_allocate_rings(struct eventring_cursor *c)
{
  const struct eventring_header *h = &c->header;
  c->rings = calloc(h->rings, sizeof *c->rings);
  c->heap = calloc(h->rings, sizeof *c->heap);
  c->copies = eventring_new_array(h->rings, copy_size(h));
  c->unpacked = eventring_new_array(h->rings, unpacked_size(h));
  if (c->rings == NULL || c->heap == NULL || c->copies == NULL
      || c->unpacked == NULL)
    return -1;
  for (uint32_t i = 0; i < h->rings; i++) {
    c->rings[i].copy = c->copies + (size_t) i * h->block_words;
    c->rings[i].unpacked =
      c->unpacked + (size_t) i * h->block_words * UNPACKED;
    /* Events before a recording are not lost by reading it. */
    c->rings[i].index_known = (uint8_t) c->source->live;
  }
  return 0;
}

void eventring_free_rings(struct eventring_cursor *c)
{
  eventring_free_array(c->unpacked, c->header.rings, unpacked_size(&c->header));
  eventring_free_array(c->copies, c->header.rings, copy_size(&c->header));
  free(c->heap);
  free(c->rings);
}

/* Opening */

int eventring_new_cursor(struct eventring_source *source, const char *path,
                         const struct stat *file, int pid,
                         const struct eventring_options *o,
                         struct eventring_cursor **result)
{
  struct eventring_cursor *c = calloc(1, sizeof *c);
  int err;

  if (c == NULL) {
    source->close(source);
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  }
  c->fd = -1;
  c->source = source;
  c->path = strdup(path);
  if (c->path == NULL) {
    err = fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
    goto err_out;
  }
  c->shared = c->source->header;
  c->header = c->source->checked;
  c->header.boot_id[sizeof c->header.boot_id - 1] = 0;
  c->header.program[sizeof c->header.program - 1] = 0;
  c->header.runtime[sizeof c->header.runtime - 1] = 0;
  c->header.argv0[sizeof c->header.argv0 - 1] = 0;
  if (c->header.header_size < HEADER_HAS(argv0)) c->header.argv0[0] = 0;
  c->started = c->header.started;
  c->traced_since_ns = took_over(c) ? c->header.traced_since_ns
                                    : c->header.started.monotonic_ns;
  if (c->header.header_size < HEADER_HAS(pid_namespace))
    c->header.pid_namespace = 0;
  if (c->header.header_size < HEADER_HAS(time_namespace))
    c->header.time_namespace = 0;
  c->wants_open = o->open_spans;
  c->wants_changes = o->changes && c->header.header_size >= HEADER_HAS(marks);
  if (eventring_allocate_rings(c) < 0 || eventring_allocate_schema(c) < 0) {
    err = fail(o, EVENTRING_E_MEMORY,
               "%s: no memory to read %u rings of it", path, c->header.rings);
    goto err_out;
  }

  c->file = *file;
  find_process(c, pid);
  c->boot = eventring_compare_boot(c->header.boot_id);
  identify_process(c);
  c->last_ns = INT64_MIN;
  c->other_time = c->header.time_namespace != 0
                  && eventring_time_namespace() != 0
                  && eventring_time_namespace() != c->header.time_namespace;
  c->own_clock = c->source->live && c->boot != BOOT_OTHER
                 && !(c->other_time
                      && c->header.clock == EVENTRING_CLOCK_MONOTONIC)
                 && eventring_read_clock(c->header.clock) != 0;
  c->clock.ns_per_tick = 1;
  eventring_calibrate(c);
  eventring_state(c);
  if (o->from_now) {
    /* Damage is of before now, and skipped as all that. */
    err = eventring_skip_to_now(c);
    if (err < 0 && err != EVENTRING_E_DAMAGED) {
      fail(o, err, "cannot read %s: %s", path, eventring_strerror(err));
      goto err_out;
    }
  }
  *result = c;
  return 0;

err_out:
  eventring_close(c);
  return err;
}

int eventring_open_path(const char *path, int pid,
                        const struct eventring_options *o,
                        struct eventring_cursor **result)
{
  const struct eventring_format *const *format = eventring_formats;
  struct eventring_source *source = NULL;
  struct eventring_cursor *c = NULL;
  char start[64];
  struct stat st;
  ssize_t have;
  int err, fd;

  /* Never waiting for the other side of a FIFO, never becoming the owner of a
     terminal. */
  fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd >= 0 && o->control) {
    int again = open_for_control(fd);
    if (again < 0) {
      int error = errno;
      close(fd);
      errno = error;
    } else {
      close(again);
    }
    if (again < 0) fd = -1;
  }
  if (fd < 0) {
    const char *control = o->control ? " for control" : "", *why;
    char owner[128];
    err = eventring_error_of(errno);
    why = strerror(errno);
    if (err == EVENTRING_E_PERMISSION && geteuid() != 0
        && stat(path, &st) == 0 && st.st_uid != geteuid())
      fail(o, err, "cannot open %s%s: %s; it belongs to %s: run this as that "
           "user or as root", path, control, why,
           eventring_user(st.st_uid, owner, sizeof owner));
    else
      fail(o, err, "cannot open %s%s: %s", path, control, why);
    goto err_out;
  }
  if (fstat(fd, &st) < 0) {
    err = fail(o, EVENTRING_E_SYSTEM, "cannot look at %s: %s", path,
               strerror(errno));
    goto err_out;
  }
  if (!S_ISREG(st.st_mode)) {
    err = fail(o, EVENTRING_E_NOT_A_RING, "%s: %s, not a ring file", path,
               S_ISDIR(st.st_mode) ? "a directory" : "a special file");
    goto err_out;
  }
  have = pread(fd, start, sizeof start, 0);
  while (format[1] != NULL
         && (have < 0 || !(*format)->is(start, (size_t) have)))
    format++;
  if (o->control && (*format)->no_control != NULL) {
    err = fail(o, EVENTRING_E_ARGUMENT, "%s: %s", path, (*format)->no_control);
  } else {
    err = (*format)->open(fd, (uint64_t) st.st_size, path, pid, o, &source);
  }
  /* There is a source exactly when there was no error. */
  if (source == NULL) goto err_out;
  err = eventring_new_cursor(source, path, &st, pid, o, &c);
  if (c == NULL) goto err_out;
  if (o->control) c->fd = fd;
  else close(fd);
  *result = c;
  return 0;

err_out:
  if (fd >= 0) close(fd);
  return err;
}

struct eventring_source *eventring_cursor_source(struct eventring_cursor *c)
{
  return c->source;
}

const struct stat *eventring_cursor_file(const struct eventring_cursor *c)
{
  return &c->file;
}

/* Closes the file of [c], and frees all of it but the schema. */
static void close_file(struct eventring_cursor *c)
{
  if (c->fd >= 0) close(c->fd);
  if (c->source != NULL) c->source->close(c->source);
  eventring_free_rings(c);
  free(c->path);
}

void eventring_close(struct eventring_cursor *c)
{
  if (c == NULL) return;
  close_file(c);
  for (struct eventring_cursor *former; c != NULL; c = former) {
    former = c->former;
    free(c->before);
    eventring_free_schema(c);
    free(c);
  }
}

/* Returns whether [next] reads a later session of the program of [c]. */
static int is_later_session(const struct eventring_cursor *c,
                            const struct eventring_cursor *next)
{
  const struct eventring_header *h = &c->header, *n = &next->header;
  return c->source->format == EVENTRING_FORMAT_RING
    && next->source->format == EVENTRING_FORMAT_RING
    && n->started.monotonic_ns > h->started.monotonic_ns
    && n->pid == h->pid && n->start_time == h->start_time
    && n->start_stack == h->start_stack && n->rings == h->rings
    && n->sample_rings_from == h->sample_rings_from
    && (!has_session(c) || !has_session(next) || n->session > h->session)
    && strcmp(n->boot_id, h->boot_id) == 0;
}

/* Returns whether [next] took over before the session of [c] ended. */
static int is_at_once(const struct eventring_cursor *c,
                      const struct eventring_cursor *next)
{
  return took_over(next)
    && next->header.started.monotonic_ns <= c->shared->ended.monotonic_ns;
}

int eventring_sessions_between(struct eventring_cursor *c,
                               struct eventring_cursor *next)
{
  if (c == NULL || next == NULL || !is_later_session(c, next))
    return EVENTRING_E_ARGUMENT;
  if (!has_session(c) || !has_session(next))
    return took_over(next) && !is_at_once(c, next);
  const uint64_t between = next->header.session - c->header.session - 1;
  return between < INT_MAX ? (int) between : 0;
}

/* Keeps the totals of the session of [c], with those before, for the next one.
   Returns 0 when there is no memory, else 1. */
static int keep_totals(struct eventring_cursor *c)
{
  uint64_t (*kept)[EVENTRING_TOTALS] = calloc(c->header.rings, sizeof *kept);
  if (kept == NULL) return 0;
  for (uint32_t i = 0; i < c->header.rings; i++)
    for (int total = 0; total < EVENTRING_TOTALS; total++)
      kept[i][total] = total_of(c, i, (enum eventring_total) total);
  free(c->before);
  c->before = kept;
  return 1;
}

int eventring_go_on(struct eventring_cursor *c, struct eventring_cursor *next)
{
  struct eventring_cursor former;
  int at_once, missed = eventring_sessions_between(c, next);
  if (missed < 0) return missed;
  /* The totals of a session include the sessions from which it took over. */
  if (has_totals(c) && next->traced_since_ns > c->header.started.monotonic_ns
      && !keep_totals(c))
    return EVENTRING_E_MEMORY;
  at_once = is_at_once(c, next);
  former = *c;
  *c = *next;
  *next = former;
  c->started = former.started;
  c->traced_since_ns = former.traced_since_ns;
  c->before = former.before;
  next->before = NULL;
  c->wants_changes = former.wants_changes;
  c->last_ticks = former.last_ticks;
  c->last_ns = former.last_ns;
  for (uint32_t i = 0; i < c->header.rings; i++) {
    struct ring *r = &c->rings[i];
    const struct ring *before = &former.rings[i];
    r->read += before->read;
    r->lost += before->lost;
    r->last_ticks = before->last_ticks;
    r->last_ns = before->last_ns;
  }
  if (c->wants_changes && !at_once)
    c->changes[c->changes_left++] = c->header.started.ticks;
  close_file(next);
  eventring_adopt_names(c, next);
  if (eventring_keep_names(next)) c->former = next;
  else {
    c->former = next->former;
    free(next);
  }
  return missed;
}

int eventring_open(const char *path, const struct eventring_options *options,
                   struct eventring_cursor **result)
{
  struct eventring_options o;
  int err;
  if (result == NULL) return EVENTRING_E_ARGUMENT;
  *result = NULL;
  err = eventring_take_options(&o, options);
  if (err < 0) return err;
  if (path == NULL)
    return fail(&o, EVENTRING_E_ARGUMENT, "no path of a ring file was given");
  return eventring_open_path(path, 0, &o, result);
}
