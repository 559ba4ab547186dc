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

/* Recordings, as a source of words; see eventring_recording.h for the file.

   Opening a recording goes through the intervals of the chosen process, and
   reads the whole schema and the beginning and end of each interval.  Each
   [advance] reads one segment.  Its runs are the words of the rings; a ring
   without a run has nothing new.  At the end of an interval that no other file
   continues, one advance reads no segment but lets the reader return the rest,
   events after the horizon; where another interval begins, the reader begins
   anew. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eventring_chunks.h"
#include "eventring_reader.h"
#include "eventring_recorded.h"
#include "eventring_source.h"

struct interval {
  struct eventring_header header; /* as of its end */
  uint64_t *from;               /* of each ring, see RECORDING_ANY */
  size_t first, end;            /* its segments */
  uint64_t shift;
  uint32_t continued;
  int ended;                    /* it has an END */
  int64_t from_ns, to_ns;
};

struct recording {
  struct recorded shown;        /* its header: of the present interval */
  struct chunk_reader file;
  char *note;

  struct interval *intervals;
  size_t intervals_count;
  struct index_entry *segments; /* of the process */
  size_t segments_count;

  size_t interval;              /* the present one; SIZE_MAX: none yet */
  size_t next;                  /* segment */
  int flushed;                  /* events after the horizon were let out */
  int sought;                   /* to the middle of an interval */
};

/* The number of processes of the file and, of process [process], everything but
   the segments */

/* Adds an interval, which begins with the PROCESS chunk [c] of [size] bytes at
   [bytes].  The chunk's header is not checked yet, except that [rings] is
   checked here, where it is used.  Forgets the schema so far, which the
   interval tells again, and the state of the process.  Returns 0,
   EVENTRING_E_MEMORY, or EVENTRING_E_DAMAGED when the chunk is impossible or of
   another process than the first interval. */
static int begin_interval(struct recording *r, const struct chunk *c,
                       const char *bytes, size_t size)
{
  struct interval *p;
  size_t from;
  void *more = realloc(r->intervals,
                       (r->intervals_count + 1) * sizeof *r->intervals);
  if (more == NULL) return EVENTRING_E_MEMORY;
  r->intervals = more;
  if (size < sizeof p->header) return EVENTRING_E_DAMAGED;
  p = &r->intervals[r->intervals_count];
  memset(p, 0, sizeof *p);
  memcpy(&p->header, bytes, sizeof p->header);
  p->shift = c->shift;
  p->first = p->end = r->segments_count;
  from = (size_t) p->header.rings * sizeof *p->from;
  if (p->header.rings == 0 || p->header.rings > EVENTRING_MAX_RINGS
      || size - sizeof p->header < from
      || (r->intervals_count > 0
          && (!eventring_same_process(&r->intervals[0].header, &p->header)
              || c->shift <= p[-1].shift)))
    return EVENTRING_E_DAMAGED;
  p->from = malloc(from);
  if (p->from == NULL) return EVENTRING_E_MEMORY;
  memcpy(p->from, bytes + sizeof p->header, from);
  r->intervals_count++;
  /* It tells the whole schema again. */
  r->shown.schema_size = 0;
  r->shown.source.state = EVENTRING_STATE_UNKNOWN;
  return 0;
}

/* Adds [count] to *sum.  The sum becomes RECORDING_ANY when [count] or *sum is
   not known. */
static void add_count(uint64_t *sum, uint64_t count)
{
  *sum = *sum > INT64_MAX || count > INT64_MAX ? RECORDING_ANY : *sum + count;
}

/* Ends interval [p] with the content of its END chunk, [size] bytes: takes its
   header, its times and the state of the process, and adds its numbers to the
   source's.  Returns 0, or EVENTRING_E_DAMAGED, with nothing changed, when the
   chunk is too short or of another process. */
static int end_interval(struct recording *r, struct interval *p,
                        const char *bytes, size_t size)
{
  struct process_end end;
  if (size < sizeof end) return EVENTRING_E_DAMAGED;
  memcpy(&end, bytes, sizeof end);
  if (!eventring_same_process(&p->header, &end.header))
    return EVENTRING_E_DAMAGED;
  p->header = end.header;
  p->from_ns = end.from_ns;
  p->to_ns = end.to_ns;
  p->continued = end.continued;
  p->ended = 1;
  r->shown.source.state = end.state >= EVENTRING_STATE_ENDED
                    && end.state <= EVENTRING_STATE_UNKNOWN
                    ? (int) end.state : EVENTRING_STATE_UNKNOWN;
  add_count(&r->shown.source.events, end.events);
  add_count(&r->shown.source.lost, end.lost);
  return 0;
}

static int take_note(struct recording *r, const char *bytes, size_t size)
{
  free(r->note);
  r->note = malloc(size + 1);
  if (r->note == NULL) return EVENTRING_E_MEMORY;
  memcpy(r->note, bytes, size);
  r->note[size] = '\0';
  return 0;
}

/* Ends interval [p], for which the recorder wrote no END, at its last horizon,
   if it has one: the time of a horizon is known in ticks and in ns.  The
   numbers of events and losses of the recording become unknown. */
static void no_end(struct recording *r, struct interval *p)
{
  const struct chunk *last;
  r->shown.source.events = r->shown.source.lost = RECORDING_ANY;
  if (p->end == p->first) return;
  last = &r->segments[p->end - 1].chunk;
  if (last->horizon == UINT64_MAX) return;
  p->header.ended = (struct eventring_instant) {
    last->horizon, last->last_ns,
    eventring_shifted(p->header.started.realtime_ns,
                      p->header.started.monotonic_ns, last->last_ns) };
}

/* Adds chunk [e] of the chosen process to the recording: a segment to the list
   of segments, the content of other chunks where it belongs.  Ignores kinds of
   a newer version.  Returns 0, EVENTRING_E_DAMAGED or EVENTRING_E_MEMORY. */
static int take_chunk(struct recording *r, const struct index_entry *e)
{
  struct interval *p = r->intervals_count == 0 ? NULL
                    : &r->intervals[r->intervals_count - 1];
  int in_interval = p != NULL && p->shift == e->chunk.shift && !p->ended;
  size_t size = (size_t) e->chunk.raw;
  int err;
  /* A kind of a newer minor version. */
  if (e->chunk.kind > CHUNK_OPEN) return 0;
  if (e->chunk.kind == CHUNK_SEGMENT) {
    if (!in_interval) return EVENTRING_E_DAMAGED;
    r->segments[r->segments_count++] = *e;
    p->end = r->segments_count;
    return 0;
  }
  err = eventring_read_chunk(&r->file, e);
  if (err < 0) return err;
  if (e->chunk.kind != CHUNK_PROCESS && !in_interval)
    return EVENTRING_E_DAMAGED;
  switch (e->chunk.kind) {
  case CHUNK_PROCESS: return begin_interval(r, &e->chunk, r->file.raw, size);
  case CHUNK_SCHEMA: return eventring_take_schema(&r->shown, r->file.raw, size);
  case CHUNK_NOTE: return take_note(r, r->file.raw, size);
  case CHUNK_NODE: return eventring_take_node(&r->shown, r->file.raw, size);
  case CHUNK_CLOCK: return eventring_take_clocks(&r->shown, r->file.raw, size);
  case CHUNK_OPEN:
    return r->intervals_count > 1 ? 0
           : eventring_take_open(&r->shown, r->file.raw, size);
  case CHUNK_END: return end_interval(r, p, r->file.raw, size);
  default: return 0;
  }
}

static int is_cut(const struct interval *p)
{
  return p->from_ns != p->to_ns;
}

/* Reads all chunks of process [process] but the segments, and lists the
   segments.  Sets the header and, in the source, [processes], [first_ns],
   [last_ns] and [damaged_at], the offset of the first damaged chunk; skips
   damaged chunks.  Returns 0, EVENTRING_E_MEMORY, or EVENTRING_E_DAMAGED when
   the process has no interval. */
static int take_process(struct recording *r, uint32_t process)
{
  size_t segments = 0;
  for (size_t i = 0; i < r->file.count; i++)
    segments += r->file.chunks[i].chunk.process == process
                && r->file.chunks[i].chunk.kind == CHUNK_SEGMENT;
  r->segments = calloc(segments + 1, sizeof *r->segments);
  if (r->segments == NULL) return EVENTRING_E_MEMORY;
  r->shown.source.damaged_at = r->file.damaged_at;
  for (size_t i = 0; i < r->file.count; i++) {
    const struct index_entry *e = &r->file.chunks[i];
    int err;
    if (e->chunk.process >= r->shown.source.processes)
      r->shown.source.processes = e->chunk.process + 1;
    if (e->chunk.process != process) continue;
    err = take_chunk(r, e);
    if (err == EVENTRING_E_MEMORY) return err;
    if (err < 0 && r->shown.source.damaged_at == 0)
      r->shown.source.damaged_at = e->offset;
  }
  for (size_t i = 0; i < r->intervals_count; i++)
    if (!r->intervals[i].ended) no_end(r, &r->intervals[i]);
  if (r->intervals_count == 0) return EVENTRING_E_DAMAGED;
  r->shown.header = r->intervals[0].header;
  if (r->segments_count > 0) {
    const struct interval *first = &r->intervals[0];
    const struct interval *last = &r->intervals[r->intervals_count - 1];
    r->shown.source.first_ns = r->segments[0].chunk.first_ns;
    r->shown.source.last_ns = r->segments[r->segments_count - 1].chunk.last_ns;
    if (is_cut(first) && first->from_ns > r->shown.source.first_ns)
      r->shown.source.first_ns = first->from_ns;
    if (is_cut(last) && last->to_ns < r->shown.source.last_ns)
      r->shown.source.last_ns = last->to_ns;
  }
  return 0;
}

/* Segments */

/* Makes interval number [interval] the present one: takes its times, the [from]
   of its rings (unknown after a seek into the middle), and those fields of its
   header that change while a process runs.  The other fields are equal in all
   intervals. */
static void enter_interval(struct recording *r, size_t interval)
{
  const struct interval *p = &r->intervals[interval];
  r->interval = interval;
  r->flushed = 0;
  eventring_take_header(&r->shown, &p->header);
  r->shown.source.from_ns = p->from_ns;
  r->shown.source.to_ns = p->to_ns;
  for (uint32_t i = 0; i < r->shown.header.rings; i++)
    r->shown.source.rings[i].from = r->sought ? RECORDING_ANY : p->from[i];
  eventring_show_open(&r->shown, interval == 0 && !r->sought);
  r->sought = 0;
}

/* Returns the number of the interval that segment number [segment], which must
   exist, is in. */
static size_t interval_of(const struct recording *r, size_t segment)
{
  size_t interval = 0;
  while (r->intervals[interval].end <= segment) interval++;
  return interval;
}

static int advance(struct eventring_source *source)
{
  struct recording *r = (struct recording *) source;
  const struct index_entry *e = &r->segments[r->next];
  int err, more = EVENTRING_MORE;

  /* The events behind the last horizon, of words that are still shown. */
  if (r->interval != SIZE_MAX && r->next == r->intervals[r->interval].end
      && !r->intervals[r->interval].continued && !r->flushed) {
    r->flushed = 1;
    source->horizon = UINT64_MAX;
    return EVENTRING_MORE;
  }
  eventring_no_words(&r->shown);
  if (r->next == r->segments_count) return 0;
  if (r->interval == SIZE_MAX || r->next >= r->intervals[r->interval].end) {
    enter_interval(r, interval_of(r, r->next));
    more = EVENTRING_ANEW;
  }
  r->next++;
  source->horizon = e->chunk.horizon;
  err = eventring_read_chunk(&r->file, e);
  if (err == 0)
    err = eventring_take_segment(&r->shown, r->file.raw, (size_t) e->chunk.raw,
                                 e->chunk.shift);
  if (err < 0) eventring_no_words(&r->shown);
  if (err < 0 && more == EVENTRING_ANEW) r->interval = SIZE_MAX;
  return err < 0 ? err : more;
}

static int seek(struct eventring_source *source, uint64_t ticks)
{
  struct recording *r = (struct recording *) source;
  size_t low = 0, high = r->segments_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (r->segments[middle].chunk.horizon < ticks) low = middle + 1;
    else high = middle;
  }
  /* Events behind the last horizon are in the last segment. */
  r->next = low < r->segments_count || low == 0 ? low : low - 1;
  r->interval = SIZE_MAX;
  r->sought = r->segments_count > 0
              && r->next != r->intervals[interval_of(r, r->next)].first;
  source->horizon = 0;
  for (uint32_t i = 0; i < r->shown.header.rings; i++) {
    r->shown.slots[i].tail = r->shown.slots[i].reserve = 0;
    source->rings[i].first = 0;
  }
  return 0;
}

static void close_recording(struct eventring_source *source)
{
  struct recording *r = (struct recording *) source;
  eventring_close_chunks(&r->file);
  for (size_t i = 0; i < r->intervals_count; i++) free(r->intervals[i].from);
  free(r->intervals);
  free(r->segments);
  eventring_free_recorded(&r->shown);
  free(r->note);
  free(r);
}

/* Opening */

static int is_recording(const void *bytes, size_t length)
{
  return length >= sizeof(struct recording_start)
    && memcmp(bytes, RECORDING_MAGIC, 16) == 0;
}

static int check_process(struct recording *r, const struct eventring_options *o,
                      const char *path)
{
  int err = take_process(r, o->process);
  if (err == EVENTRING_E_MEMORY)
    return fail(o, err, "%s: no memory to read it", path);
  if (err < 0 && o->process >= r->shown.source.processes)
    return fail(o, EVENTRING_E_ARGUMENT, "%s: has %u process%s, so there "
                "is no number %u", path, r->shown.source.processes,
                r->shown.source.processes == 1 ? "" : "es", o->process + 1);
  if (err < 0 && r->shown.source.damaged_at == 0)
    return fail(o, EVENTRING_E_TRUNCATED, "%s: damaged: process number %u of "
                "its %u is missing", path, o->process + 1,
                r->shown.source.processes);
  if (err < 0)
    return fail(o, EVENTRING_E_TRUNCATED, "%s: a recording cut or damaged "
                "before its first event, at byte %llu", path,
                (unsigned long long) r->shown.source.damaged_at);
  return eventring_show_recorded(
    &r->shown, (uint32_t) (r->shown.schema_size
                           / sizeof(struct eventring_schema_entry)) + 1, o,
    path);
}

/* Returns the reader of a source that reads a recording, NULL for other
   sources. */
static const struct chunk_reader *chunks_of(
  const struct eventring_source *source)
{
  return source->close == close_recording
         ? &((const struct recording *) source)->file : NULL;
}

int eventring_share_recording(struct chunk_reader *r,
                              const struct eventring_source *source,
                              const struct eventring_options *o,
                              const char *path)
{
  const struct chunk_reader *chunks = chunks_of(source);
  const int fd = fcntl(chunks->fd, F_DUPFD_CLOEXEC, 0);
  memset(r, 0, sizeof *r);
  r->fd = -1;
  if (fd < 0)
    return fail(o, EVENTRING_E_SYSTEM, "cannot open %s: %s", path,
                strerror(errno));
  return eventring_share_chunks(r, fd, chunks, o, path);
}

/* Makes the list of chunks of the file [fd], of [size] bytes; when
   o->share_with is a cursor on the same file, shares the list of that cursor.
   The recording owns [fd] from then on, also after a failure.  Returns 0 or an
   error, with its message. */
static int list_chunks(struct recording *r, int fd, uint64_t size,
                       const struct eventring_options *o, const char *path)
{
  const struct chunk_reader *other = NULL;
  struct stat st, was;
  if (o->share_with != NULL)
    other = chunks_of(eventring_cursor_source(o->share_with));
  if (other != NULL && other->size == size && fstat(fd, &st) == 0
      && fstat(other->fd, &was) == 0 && st.st_dev == was.st_dev
      && st.st_ino == was.st_ino)
    return eventring_share_chunks(&r->file, fd, other, o, path);
  return eventring_list_chunks(&r->file, fd, size, o, path);
}

static int open_recording(int fd, uint64_t size, const char *path, int pid,
                          const struct eventring_options *o,
                          struct eventring_source **result)
{
  struct recording *r;
  int err;
  (void) pid;
  fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (fd < 0)
    return fail(o, EVENTRING_E_SYSTEM, "cannot open %s: %s", path,
                strerror(errno));
  r = calloc(1, sizeof *r);
  if (r == NULL) {
    close(fd);
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  }
  r->shown.source.processes = 1;
  r->interval = SIZE_MAX;
  err = list_chunks(r, fd, size, o, path);
  if (err == 0) err = check_process(r, o, path);
  if (err < 0) {
    close_recording(&r->shown.source);
    return err;
  }
  r->shown.source.note = r->note;
  r->shown.source.advance = advance;
  r->shown.source.seek = seek;
  r->shown.source.close = close_recording;
  *result = &r->shown.source;
  return 0;
}

const struct eventring_format eventring_recording_format = {
  .no_control = "a recording; only a process can be controlled, by its number "
    "or its ring file",
  .is = is_recording, .open = open_recording
};
