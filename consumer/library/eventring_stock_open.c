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

/* Opening a .events file of stock OCaml: the file says neither which process
   wrote it nor which version of OCaml, so its rings are gone through once, and
   the process is looked at if it lives. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/eventring_clock.h"
#include "caml/eventring_format.h"
#include "eventring_proc.h"
#include "eventring_reader.h"
#include "eventring_source.h"
#include "eventring_stock.h"
#include "eventring_stock_events.h"

/* Facts found by going through the rings once. */
struct survey {
  uint64_t oldest, newest;      /* times; 0: there are no events */
  uint64_t started, pid;        /* of "ring_start"; 0: it is gone */
  int stopped;
  uint64_t before_5_3, since_5_3; /* ends of minor collections so numbered */
};

/* Updates the survey [v] by one event of [length] words.  [after_allocated] is
   1 when the event before was a counter that the runtime writes before the end
   of a minor collection. */
static void survey_event(struct survey *v, const uint64_t *event,
                         uint32_t length, int after_allocated)
{
  const uint32_t id = ID(event[0]);
  if (v->oldest == 0 || event[1] < v->oldest) v->oldest = event[1];
  if (event[1] > v->newest) v->newest = event[1];
  if (IS_USER(event[0])) return;
  if (TYPE(event[0]) == RUNTIME_LIFECYCLE && id == STOCK_RING_START
      && length > 2) {
    v->started = event[1];
    v->pid = event[2];
  }
  if (TYPE(event[0]) == RUNTIME_LIFECYCLE && id == STOCK_RING_STOP)
    v->stopped = 1;
  if (TYPE(event[0]) == RUNTIME_END && after_allocated) {
    v->before_5_3 += id == STOCK_MINOR_BEFORE_5_3;
    v->since_5_3 += id == STOCK_MINOR_SINCE_5_3;
  }
}

/* Updates the survey [v] by the events of ring [ring] that can be read, without
   moving its position; with s->from_now, moves the position to the present tail
   of the ring. */
static void survey_ring(struct stock *s, uint32_t ring, struct survey *v)
{
  uint64_t position = 0, lost = 0, tail;
  int after_allocated = 0;
  int64_t n, length = 0;

  while (position <= s->layout.ring_words + lost && length >= 0
         && (n = eventring_stock_copy(s, ring, &position, &lost, &tail)) > 0) {
    uint64_t i = 0;
    for (; i < (uint64_t) n; i += (uint64_t) length) {
      const uint64_t *event = s->copy + i;
      length = eventring_stock_length(s, position, i, (uint64_t) n, tail);
      if (length <= 0) break;
      if (!IS_USER(event[0]) && TYPE(event[0]) == RUNTIME_INTERNAL) continue;
      survey_event(v, event, (uint32_t) length, after_allocated);
      after_allocated = !IS_USER(event[0])
        && TYPE(event[0]) == RUNTIME_COUNTER
        && (ID(event[0]) == STOCK_MINOR_ALLOCATED
            || ID(event[0]) == STOCK_MINOR_ALLOCATED_WORDS);
    }
    position += i;
  }
  if (s->from_now)
    s->rings[ring].position =
      __atomic_load_n(&ring_header(s, ring)->tail, __ATOMIC_ACQUIRE);
}

/* Returns the number of the process in a path that ends with <pid>.events, or 0
   when [path] has no such name. */
static long named_pid(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *end;
  long pid = strtol(name, &end, 10);
  return end > name && strcmp(end, ".events") == 0 && pid > 0 && pid <= INT_MAX
         ? pid : 0;
}

static int64_t ns_of(struct timespec t)
{
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns the time when this machine started, in ns since the epoch. */
static int64_t boot_ns(void)
{
  return eventring_clock_ns(CLOCK_REALTIME)
    - eventring_clock_ns(CLOCK_BOOTTIME);
}

/* Returns the state of the process that wrote the file: EVENTRING_STATE_RUNNING
   when process [pid] still writes it, or may write it but cannot be looked
   into; _KILLED when the process is gone or its number belongs to a later
   process; _REPLACED when the process runs another program.  A [pid] of 0 is a
   process that is gone.  [st] describes the file, the time of which may be
   wrong by a second. */
static int writer_state(int pid, const struct stat *st)
{
  const uint64_t second = 1000000000;
  uint64_t start_time, start_stack, tick = second
                                           / (uint64_t) sysconf(_SC_CLK_TCK);
  int mapped;
  if (pid <= 0 || !eventring_process_fields(pid, &start_time, &start_stack))
    return EVENTRING_STATE_KILLED;
  mapped = eventring_is_mapped(pid, st);
  if (mapped == 1) return EVENTRING_STATE_RUNNING;
  /* The file of a process was written after it started.  Neither time is
     exact. */
  if (start_time > INT64_MAX / tick
      || boot_ns() + (int64_t) (start_time * tick)
         > ns_of(st->st_mtim) + (int64_t) second)
    return EVENTRING_STATE_KILLED;
  return mapped == 0 ? EVENTRING_STATE_REPLACED : EVENTRING_STATE_RUNNING;
}

/* Reads the first line, cut to fit, of the file at [path] to [to], of [size]
   bytes; "" when the file cannot be read. */
static void read_line(const char *path, char *to, size_t size)
{
  if (eventring_read_small(path, to, size) == 0) to[0] = 0;
  to[strcspn(to, "\n")] = 0;
}

/* Sets the fields of the header that describe the process: program, argv0,
   start_time and start_stack.  [pid] is the caller's number of the process.  A
   text that cannot be read becomes "", a number 0. */
static void fill_process(struct stock *s, int pid)
{
  struct eventring_header *h = &s->header;
  char path[64];
  ssize_t n;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  n = readlink(path, h->program, sizeof h->program - 1);
  h->program[n > 0 ? n : 0] = 0;
  snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
  read_line(path, h->argv0, sizeof h->argv0);
  eventring_process_fields(pid, &h->start_time, &h->start_stack);
}

/* Sets the start of tracing and the boot id in the header, by the times of the
   events in [v] and the modification time of the file in [st].  The boot id is
   that of this machine, or "another" when the times are of before its start. */
static void fill_times(struct stock *s, const struct stat *st,
                       const struct survey *v)
{
  struct eventring_header *h = &s->header;
  struct eventring_instant now = eventring_now(EVENTRING_CLOCK_MONOTONIC);
  uint64_t started = v->started != 0 ? v->started : v->oldest;
  if (started == 0) started = now.ticks;
  h->started.ticks = started;
  h->started.monotonic_ns = (int64_t) started;
  if (ns_of(st->st_mtim) >= boot_ns() && v->newest <= now.ticks) {
    read_line("/proc/sys/kernel/random/boot_id", h->boot_id,
              sizeof h->boot_id);
    h->started.realtime_ns = eventring_shifted(
      now.realtime_ns, (int64_t) now.ticks, (int64_t) started);
  } else {
    strcpy(h->boot_id, "another");
    h->started.realtime_ns =
      eventring_shifted(ns_of(st->st_mtim), (int64_t) v->newest,
                        (int64_t) started);
  }
}

/* Returns the minor version of OCaml by which events in the file are numbered:
   by the content of the file, else by the executable of process [pid], if
   s->alive, else the newest known.  Also sets the header's [runtime] to the
   certain part of the version. */
static int fill_version(struct stock *s, int pid, const struct survey *v)
{
  char found[sizeof s->header.runtime] = "";
  int of_program = -1, minor = STOCK_NEWEST;
  const char *guess = "5.1 or later";

  if (s->alive) of_program = eventring_stock_version(pid, found, sizeof found);
  if (v->before_5_3 > v->since_5_3
      || (v->since_5_3 == 0
          && (s->layout.names == 0
              || (of_program >= 0 && of_program <= STOCK_BEFORE_5_3)))) {
    minor = STOCK_BEFORE_5_3;
    guess = s->layout.names == 0 ? "5.0" : "5.1 or 5.2";
  } else if (v->since_5_3 > 0) {
    guess = "5.3 or later";
  }
  /* A program may hold any string; the file has the last word. */
  if (of_program >= 0
      && (of_program <= STOCK_BEFORE_5_3) == (minor == STOCK_BEFORE_5_3))
    guess = found;
  snprintf(s->header.runtime, sizeof s->header.runtime, "%s", guess);
  return minor;
}

static void fill_header(struct stock *s, const char *path, int pid,
                        const struct stat *st)
{
  struct eventring_header *h = &s->header;
  struct survey v = { .oldest = 0 };
  uint32_t all = EVENTRING_GC | EVENTRING_GC_DETAIL | EVENTRING_DOMAIN
                 | EVENTRING_SYNC_DETAIL | EVENTRING_USER;
  int state;

  for (uint32_t i = 0; i < s->layout.rings; i++) survey_ring(s, i, &v);
  memcpy(h->magic, STOCK_MAGIC, sizeof h->magic);
  h->version_major = EVENTRING_VERSION_MAJOR;
  h->version_minor = EVENTRING_VERSION_MINOR;
  h->header_size = sizeof *h;
  h->schema_offset = EVENTRING_PAGE;
  h->schema_entry_size = sizeof(struct eventring_schema_entry);
  h->schema_capacity = MAX_SCHEMA;
  h->slot_size = sizeof(struct eventring_slot);
  h->directory_offset = h->schema_offset
    + (uint64_t) h->schema_capacity * h->schema_entry_size;
  h->rings = (uint32_t) s->layout.rings;
  h->rings_offset = h->directory_offset + (uint64_t) h->rings * h->slot_size;
  h->ring_words = s->layout.ring_words > 2 * BLOCK_WORDS
                  ? s->layout.ring_words : 2 * BLOCK_WORDS;
  h->block_words = BLOCK_WORDS;
  h->file_size = h->rings_offset + h->rings * h->ring_words * 8;
  h->clock = EVENTRING_CLOCK_MONOTONIC;
  h->control = (uint64_t) all << 32 | all;
  h->state = EVENTRING_RUNNING;

  h->pid = (uint32_t) named_pid(path);
  if (h->pid == 0 && v.pid <= INT_MAX) h->pid = (uint32_t) v.pid;
  if (pid == 0) pid = (int) h->pid;
  fill_times(s, st, &v);
  state = writer_state(pid, st);
  s->alive = state == EVENTRING_STATE_RUNNING;
  if (s->alive) {
    fill_process(s, pid);
  } else {
    h->start_time = UINT64_MAX; /* of no process */
    if (h->pid == 0) strcpy(h->boot_id, "another");
    if (v.stopped) eventring_stock_end(s, EVENTRING_ENDED, v.newest);
    else if (state == EVENTRING_STATE_REPLACED)
      eventring_stock_end(s, EVENTRING_REPLACED, v.newest);
  }
  eventring_stock_schema(s, fill_version(s, pid, &v));
}

static int is_stock(const void *bytes, size_t length)
{
  struct stock_header h;
  if (length < sizeof h) return 0;
  memcpy(&h, bytes, sizeof h);
  return h.version >= LAYOUT_VERSION && h.version < 16
    && h.rings > 0 && h.rings <= 1 << 16
    && h.ring_header_size >= sizeof(struct ring_header)
    && h.ring_header_size < 1 << 16 && h.ring_headers < 1 << 16;
}

static int check(const struct stock_header *h, uint64_t size,
                 const struct eventring_options *o, const char *path)
{
  uint64_t end;
  if (h->version != LAYOUT_VERSION)
    return fail(o, EVENTRING_E_VERSION,
                "%s: a file of OCaml's Runtime_events with layout version %llu,"
                " and this reader knows %d; use a newer one", path,
                (unsigned long long) h->version, LAYOUT_VERSION);
  if (h->rings > EVENTRING_MAX_RINGS || h->ring_header_size % 8 != 0
      || h->ring_words == 0 || (h->ring_words & (h->ring_words - 1)) != 0
      || h->ring_words > (uint64_t) 1 << EVENTRING_MAX_LOG_WORDS
      || h->ring_size != h->ring_words * 8
      || h->ring_headers < sizeof *h || h->ring_headers % 8 != 0
      || h->data % 8 != 0
      || h->data < h->ring_headers + h->rings * h->ring_header_size
      || h->data > (uint64_t) 1 << 32)
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: %llu rings of %llu words (%llu bytes) at "
                "%llu, their headers of %llu bytes at %llu", path,
                (unsigned long long) h->rings,
                (unsigned long long) h->ring_words,
                (unsigned long long) h->ring_size,
                (unsigned long long) h->data,
                (unsigned long long) h->ring_header_size,
                (unsigned long long) h->ring_headers);
  end = h->data + h->rings * h->ring_size;
  if (h->names != 0
      && (h->names < end || h->names > UINT64_MAX / 2))
    return fail(o, EVENTRING_E_HEADER,
                "%s: damaged header: names of events at %llu, before the end "
                "of the rings at %llu", path, (unsigned long long) h->names,
                (unsigned long long) end);
  if (h->names != 0) end = h->names + MAX_USER_EVENTS * NAME_SIZE;
  if (size < end)
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %llu bytes, and its header says %llu; copy the "
                "file again", path, (unsigned long long) size,
                (unsigned long long) end);
  return 0;
}

static void close_stock(struct eventring_source *source)
{
  struct stock *s = (struct stock *) source;
  eventring_unmap_file(source);
  if (s->rings != NULL)
    for (uint32_t i = 0; i < s->layout.rings; i++) free(s->rings[i].words);
  free(s->rings);
  free(s->words);
  free(s->slots);
  free(s->schema);
  free(s);
}

static int open_stock(int fd, uint64_t size, const char *path, int pid,
                      const struct eventring_options *o,
                      struct eventring_source **result)
{
  struct stock *s;
  struct stock_header h;
  struct stat st;
  int err;

  if (fstat(fd, &st) < 0 || pread(fd, &h, sizeof h, 0) != sizeof h)
    return fail(o, EVENTRING_E_SYSTEM, "cannot read %s: %s", path,
                strerror(errno));
  err = check(&h, size, o, path);
  if (err < 0) return err;
  s = calloc(1, sizeof *s);
  if (s == NULL)
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  s->layout = h;
  s->from_now = o->from_now;
  err = eventring_map_file(&s->source, fd, (size_t) size, path, o);
  if (err < 0) {
    free(s);
    return err;
  }
  s->rings = calloc(h.rings, sizeof *s->rings);
  s->words = calloc(h.rings, sizeof *s->words);
  s->slots = calloc(h.rings, sizeof *s->slots);
  s->schema = calloc(MAX_SCHEMA, sizeof *s->schema);
  if (s->rings == NULL || s->words == NULL || s->slots == NULL
      || s->schema == NULL) {
    close_stock(&s->source);
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  }
  for (uint32_t i = 0; i < h.rings; i++) s->words[i].mask = UINT64_MAX;
  fill_header(s, path, pid, &st);
  s->source.checked = s->header;
  s->source.header = &s->header;
  s->source.schema = (const char *) s->schema;
  s->source.directory = (const char *) s->slots;
  s->source.rings = s->words;
  s->source.lap = UINT64_MAX;
  s->source.live = 1;
  s->source.processes = 1;
  s->source.format = EVENTRING_FORMAT_STOCK;
  s->source.lost_is_bound = 1;
  s->source.advance = eventring_stock_advance;
  s->source.close = close_stock;
  err = eventring_check_header(&s->header, s->header.file_size, o, path);
  if (err < 0) {
    close_stock(&s->source);
    return err;
  }
  *result = &s->source;
  return 0;
}

const struct eventring_format eventring_stock_format = {
  .no_control = "stock OCaml cannot be paused or resumed from outside; the "
    "program can do so with Runtime_events.pause and resume",
  .is = is_stock, .open = open_stock
};
