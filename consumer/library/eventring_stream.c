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

/* Recordings that arrive through a pipe or a socket, as a source of words.

   A stream has the bytes of a recording file: its first bytes, then chunks.  Only
   the present segment is in memory.  An [advance] takes the chunks that have
   arrived, up to the next segment, and never waits; opening waits for the first
   segment: its horizon gives the rate of the clock.

       first bytes, PROCESS, SCHEMA ... SEGMENT   SCHEMA, SEGMENT   END, INDEX
       +----------- open --------------------+    +- advance ---+   +- over -+

   A connection that breaks may be replaced by another one
   (eventring_resume_stream), which begins an interval of the same process: first
   bytes, PROCESS, SCHEMA, and segments from the place on that was sent.

   The index is of no use here.  The trailer after it is read and dropped, so
   that the sender can write it; more bytes are damage.  Only the first process
   of a merged recording is read; the others are counted. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eventring_chunks.h"
#include "eventring_cursor.h"
#include "eventring_reader.h"
#include "eventring_recorded.h"

/* Chunks without events that one [advance] takes at most: a sender that never
   rests cannot keep it busy for ever. */
#define TAKEN_CHUNKS 1000

/* The most bytes of a chunk that is no segment: a full schema has less. */
#define MAX_OTHER_RAW ((uint64_t) 32 << 20)

/* The kind that next_chunk gives to the chunks of other processes. */
#define CHUNK_FOREIGN UINT32_MAX

struct stream {
  struct recorded shown;
  int fd;
  uint64_t offset;              /* of the chunk that arrives */
  struct chunk chunk;           /* its header... */
  size_t header_have;           /* ...of which so many bytes are there */
  size_t stored_have;
  char *stored, *raw, *other;   /* [raw]: of the segment that is shown */
  size_t stored_capacity, raw_capacity, other_capacity;
  ZSTD_DCtx *zstd;
  char *note;

  uint64_t *from;               /* of each ring of the interval that begins, see
                                   RECORDING_ANY; NULL: none begins */
  uint64_t shift;
  int state;                    /* of the process at the end of the stream */
  int ended;                    /* the last chunk ended an interval */
  int flushed;                  /* events after the horizon were let out */
  int index;                    /* the rest has no chunks... */
  size_t trailer_have;          /* ...but so many bytes of the trailer */
  int over;                     /* no more bytes will come */

  int begun;                    /* a segment was shown */
  int resume;                   /* the option */
  int broken;                   /* another connection is waited for */
  int resumed;                  /* it is there, and its PROCESS is not */
  size_t start_have;            /* bytes of its start, in [start] */
  struct recording_start start;
};

/* Bytes */

/* Waits until the stream has bytes or ends.  A signal does not end the wait. */
static void await(const struct stream *s)
{
  struct pollfd fd = { .fd = s->fd, .events = POLLIN };
  while (poll(&fd, 1, -1) < 0 && errno == EINTR) { /* again */ }
}

/* Reads bytes that have arrived to [to], until *have is [size]; with [wait] 1,
   also waits for them.  Sets s->over at the end of the stream, and after an
   error of the connection, which ends it too.  Returns 1 when all are there,
   else 0. */
static int receive(struct stream *s, void *to, size_t *have, size_t size,
                   int wait)
{
  while (*have < size && !s->over) {
    struct pollfd fd = { .fd = s->fd, .events = POLLIN };
    ssize_t n;
    if (wait) await(s);
    else if (poll(&fd, 1, 0) <= 0) return 0;
    n = read(s->fd, (char *) to + *have, size - *have);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) s->over = 1;
    else *have += (size_t) n;
  }
  return *have == size;
}

/* Chunks */

/* Marks the stream as damaged from the present chunk on, and ends it. */
static void give_up(struct stream *s)
{
  if (s->shown.source.damaged_at == 0)
    s->shown.source.damaged_at = s->offset == 0 ? 1 : s->offset;
  s->over = 1;
}

/* Returns 1 when the sums and sizes of the header of the present chunk are
   possible, else 0. */
static int is_possible(const struct chunk *c)
{
  return c->sum == recording_sum(c, offsetof(struct chunk, sum))
         && c->raw <= RECORDING_MAX_RAW
         && c->stored <= ZSTD_compressBound(RECORDING_MAX_RAW)
         && c->shift % RECORDING_SHIFT == 0
         && c->shift / RECORDING_SHIFT < RECORDING_MAX_JOINED
         && c->process < RECORDING_MAX_PROCESSES;
}

/* Drops the trailer.  Bytes after the trailer, such as another recording, are
   damage.  With [wait] 1, waits for the end of the stream. */
static void drop_trailer(struct stream *s, int wait)
{
  char trailer[sizeof(struct recording_trailer) + 1];
  if (receive(s, trailer, &s->trailer_have, sizeof trailer, wait)) {
    s->offset += sizeof(struct recording_trailer);
    give_up(s);
  }
}

/* Reads the first bytes of a connection that replaces another one, and ends the
   stream if they are not of a recording.  Returns 1 when they are there, else
   0. */
static int next_start(struct stream *s)
{
  if (!receive(s, &s->start, &s->start_have, sizeof s->start, 0)) return 0;
  s->offset = sizeof s->start;
  if (eventring_check_start(&s->start, &(struct eventring_options) { .size = 0 },
                            "") < 0)
    return give_up(s), 0;
  return 1;
}

/* Reads the next chunk, and its stored bytes to s->stored.  Returns 1; 0
   when it has not arrived as a whole, or when the stream is over; or
   EVENTRING_E_MEMORY.  With [wait] 1, waits for it. */
static int next_chunk(struct stream *s, int wait)
{
  /* After a header that is damaged, its fields must not be used. */
  if (s->over && s->shown.source.damaged_at != 0) return 0;
  if (s->index) return drop_trailer(s, wait), 0;
  if (s->start_have < sizeof s->start && !next_start(s)) return 0;
  if (s->header_have < sizeof s->chunk) {
    if (!receive(s, &s->chunk, &s->header_have, sizeof s->chunk, wait)) {
      if (s->over && s->header_have > 0 && !s->resume) give_up(s);
      return 0;
    }
    if (!is_possible(&s->chunk)) return give_up(s), 0;
    s->stored_have = 0;
    if (!eventring_reserve(&s->stored, &s->stored_capacity, (size_t) s->chunk.stored))
      return EVENTRING_E_MEMORY;
  }
  if (!receive(s, s->stored, &s->stored_have, (size_t) s->chunk.stored, wait)) {
    if (s->over && !s->resume) give_up(s);
    return 0;
  }
  if (recording_sum(s->stored, s->chunk.stored) != s->chunk.content)
    return give_up(s), 0;
  s->header_have = 0;
  if (s->chunk.process >= s->shown.source.processes)
    s->shown.source.processes = s->chunk.process + 1;
  if (s->chunk.process > 0) s->chunk.kind = CHUNK_FOREIGN;
  return 1;
}

/* Decompresses the present chunk to *buffer, of *capacity bytes.  Returns 0,
   EVENTRING_E_DAMAGED or EVENTRING_E_MEMORY. */
static int decompress(struct stream *s, char **buffer, size_t *capacity)
{
  size_t n;
  if (!eventring_reserve(buffer, capacity, (size_t) s->chunk.raw + 1))
    return EVENTRING_E_MEMORY;
  n = ZSTD_decompressDCtx(s->zstd, *buffer, (size_t) s->chunk.raw, s->stored,
                          (size_t) s->chunk.stored);
  return ZSTD_isError(n) || n != s->chunk.raw ? EVENTRING_E_DAMAGED : 0;
}

/* Forgets the words of the last connection: positions begin anew. */
static void empty_rings(struct stream *s)
{
  for (uint32_t i = 0; i < s->shown.header.rings; i++) {
    s->shown.slots[i].tail = s->shown.slots[i].reserve = 0;
    s->shown.source.rings[i].first = 0;
  }
}

/* Begins an interval with the PROCESS chunk in s->other.  Returns 0,
   EVENTRING_E_DAMAGED when the chunk is impossible or of another process, or
   EVENTRING_E_MEMORY. */
static int begin_interval(struct stream *s)
{
  struct eventring_header h;
  const size_t size = (size_t) s->chunk.raw;
  size_t from;
  if (size < sizeof h) return EVENTRING_E_DAMAGED;
  memcpy(&h, s->other, sizeof h);
  from = (size_t) h.rings * sizeof *s->from;
  if (h.rings == 0 || h.rings > EVENTRING_MAX_RINGS || size - sizeof h < from
      || (s->shown.slots != NULL
          && (!eventring_same_process(&s->shown.header, &h)
              || (s->chunk.shift <= s->shift && !s->resumed))))
    return EVENTRING_E_DAMAGED;
  free(s->from);
  s->from = malloc(from);
  if (s->from == NULL) return EVENTRING_E_MEMORY;
  memcpy(s->from, s->other + sizeof h, from);
  if (s->shown.slots == NULL) s->shown.header = h;
  else eventring_take_header(&s->shown, &h);
  s->shift = s->chunk.shift;
  s->shown.schema_size = 0;
  s->ended = 0;
  if (s->resumed) empty_rings(s);
  s->resumed = 0;
  return 0;
}

/* Adds the SCHEMA chunk in s->other to the schema.  Returns 0,
   EVENTRING_E_DAMAGED when the header has no room for so many entries, or
   EVENTRING_E_MEMORY. */
static int take_schema(struct stream *s)
{
  struct recorded *shown = &s->shown;
  const size_t entry = sizeof(struct eventring_schema_entry);
  int err;
  if (shown->schema_size + s->chunk.raw
      > shown->header.schema_capacity * (uint64_t) entry)
    return EVENTRING_E_DAMAGED;
  err = eventring_take_schema(shown, s->other, (size_t) s->chunk.raw);
  if (err < 0) return err;
  shown->source.schema = shown->schema;
  shown->header.schema_count = (uint32_t) (shown->schema_size / entry);
  return 0;
}

static int take_note(struct stream *s)
{
  free(s->note);
  s->note = malloc((size_t) s->chunk.raw + 1);
  if (s->note == NULL) return EVENTRING_E_MEMORY;
  memcpy(s->note, s->other, (size_t) s->chunk.raw);
  s->note[s->chunk.raw] = '\0';
  s->shown.source.note = s->note;
  return 0;
}

/* Ends the interval with the END chunk in s->other.  The output of eventring cut
   has its bounds only there, when events outside of them have been returned:
   that is damage. */
static int end_interval(struct stream *s)
{
  struct process_end end;
  struct eventring_source *source = &s->shown.source;
  if (s->chunk.raw < sizeof end) return EVENTRING_E_DAMAGED;
  memcpy(&end, s->other, sizeof end);
  if (!eventring_same_process(&s->shown.header, &end.header))
    return EVENTRING_E_DAMAGED;
  eventring_take_header(&s->shown, &end.header);
  s->state = end.state >= EVENTRING_STATE_ENDED
             && end.state <= EVENTRING_STATE_UNKNOWN
             ? (int) end.state : EVENTRING_STATE_UNKNOWN;
  s->ended = !end.continued;
  if (end.from_ns != end.to_ns && source->damaged_at == 0)
    source->damaged_at = s->offset;
  if (source->events != RECORDING_ANY) source->events += end.events;
  if (source->lost != RECORDING_ANY) source->lost += end.lost;
  return 0;
}

/* Takes the present chunk, which is no segment.  Ignores chunks of other
   processes, and kinds of a newer version.  Returns 0, EVENTRING_E_DAMAGED or EVENTRING_E_MEMORY. */
static int take_chunk(struct stream *s)
{
  int err;
  if (s->chunk.kind == CHUNK_INDEX || s->chunk.kind > CHUNK_OPEN) {
    s->index = s->chunk.kind == CHUNK_INDEX;
    return 0;
  }
  if (s->chunk.raw > MAX_OTHER_RAW) return EVENTRING_E_DAMAGED;
  err = decompress(s, &s->other, &s->other_capacity);
  if (err < 0) return err;
  if (s->chunk.kind == CHUNK_PROCESS) return begin_interval(s);
  if (s->shown.slots == NULL) return EVENTRING_E_DAMAGED;
  switch (s->chunk.kind) {
  case CHUNK_SCHEMA: return take_schema(s);
  case CHUNK_NOTE: return take_note(s);
  case CHUNK_NODE:
    return eventring_take_node(&s->shown, s->other, (size_t) s->chunk.raw);
  case CHUNK_CLOCK:
    return eventring_take_clocks(&s->shown, s->other, (size_t) s->chunk.raw);
  case CHUNK_OPEN:
    return s->begun ? 0 : eventring_take_open(&s->shown, s->other,
                                              (size_t) s->chunk.raw);
  case CHUNK_END: return end_interval(s);
  default: return 0;
  }
}

/* Adds the length of the chunk just taken to the offset. */
static void leave_chunk(struct stream *s)
{
  s->offset += sizeof s->chunk + s->chunk.stored;
}

/* The source */

/* Shows the segment that has arrived.  Returns EVENTRING_MORE, EVENTRING_ANEW
   for the first one of an interval, or an error; then no words are shown. */
static int show_segment(struct stream *s)
{
  struct recorded *shown = &s->shown;
  const struct chunk *c = &s->chunk;
  int more = EVENTRING_MORE, err;
  eventring_no_words(shown);
  if (c->shift != s->shift || s->resumed) return EVENTRING_E_DAMAGED;
  shown->source.horizon = c->horizon;
  shown->source.last_ns = c->last_ns;
  if (c->horizon != UINT64_MAX)
    shown->header.ended = (struct eventring_instant) {
      c->horizon, c->last_ns,
      eventring_shifted(shown->header.started.realtime_ns,
                        shown->header.started.monotonic_ns, c->last_ns) };
  err = decompress(s, &s->raw, &s->raw_capacity);
  if (err == 0)
    err = eventring_take_segment(shown, s->raw, (size_t) c->raw, c->shift);
  if (err < 0) {
    eventring_no_words(shown);
    return err;
  }
  s->flushed = 0;
  if (s->from != NULL) {
    shown->source.first_ns = c->first_ns;
    for (uint32_t i = 0; i < shown->header.rings; i++)
      shown->source.rings[i].from = s->from[i];
    free(s->from);
    s->from = NULL;
    eventring_show_open(shown, !s->begun);
    s->begun = 1;
    more = EVENTRING_ANEW;
  }
  return more;
}

/* Lets out the events behind the last horizon, once.  Returns EVENTRING_MORE, or
   0 when that has been done. */
static int flush(struct stream *s)
{
  if (s->flushed) return 0;
  s->flushed = 1;
  s->shown.source.horizon = UINT64_MAX;
  return EVENTRING_MORE;
}

/* Returns 1 when the connection has ended before the recording, and may be
   replaced by another one. */
static int is_broken(const struct stream *s)
{
  return s->resume && s->over && !s->ended && s->shown.source.damaged_at == 0;
}

/* Sets the state of the process when the stream is over.  A stream without an
   end was cut. */
static void finish(struct stream *s)
{
  struct eventring_source *source = &s->shown.source;
  if (!s->ended) {
    s->state = EVENTRING_STATE_UNKNOWN;
    source->events = source->lost = RECORDING_ANY;
    give_up(s);
  }
  source->state = s->state;
}

static int advance(struct eventring_source *source)
{
  struct stream *s = (struct stream *) source;
  int more = 0;
  /* The segment that opening has waited for. */
  if (s->header_have == 0 && s->chunk.kind == CHUNK_SEGMENT) {
    s->chunk.kind = 0;
    leave_chunk(s);
    return show_segment(s);
  }
  for (int i = 0; i < TAKEN_CHUNKS && (more = next_chunk(s, 0)) > 0; i++) {
    int err = s->chunk.kind == CHUNK_SEGMENT ? show_segment(s) : take_chunk(s);
    int is_segment = s->chunk.kind == CHUNK_SEGMENT;
    s->chunk.kind = 0;
    if (err == EVENTRING_E_MEMORY) return err;
    if (err < 0 && source->damaged_at == 0) source->damaged_at = s->offset;
    /* Another process, or none: its segments must not be taken for ours. */
    if (err < 0 && s->resumed) give_up(s);
    leave_chunk(s);
    if (err < 0 || is_segment) return err;
    if (s->ended && !s->flushed) return flush(s);
  }
  if (more < 0 || !s->over) return more < 0 ? more : 0;
  s->broken = is_broken(s);
  if (s->broken) return 0;
  if (source->state == EVENTRING_STATE_RUNNING) finish(s);
  return flush(s);
}

static void close_stream(struct eventring_source *source)
{
  struct stream *s = (struct stream *) source;
  close(s->fd);
  ZSTD_freeDCtx(s->zstd);
  free(s->stored);
  free(s->raw);
  free(s->other);
  free(s->note);
  free(s->from);
  eventring_free_recorded(&s->shown);
  free(s);
}

/* The place */

/* Sends the [size] bytes at [bytes] through the socket [fd].  Returns 0, or
   EVENTRING_E_SYSTEM with errno. */
static int send_all(int fd, const void *bytes, size_t size)
{
  const char *p = bytes;
  while (size > 0) {
    ssize_t n = send(fd, p, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return EVENTRING_E_SYSTEM;
    p += n;
    size -= (size_t) n;
  }
  return 0;
}

/* Sends the place of a receiver that has the process with header [h] up to the
   numbers of [rings]; or, when [rings] is NULL, that has nothing.  Returns 0,
   EVENTRING_E_MEMORY, or EVENTRING_E_SYSTEM with errno. */
static int send_place(int fd, const struct eventring_header *h,
                      const struct ring *rings)
{
  const uint32_t count = rings == NULL ? 0 : h->rings;
  const size_t size = sizeof(struct recording_place) + count * sizeof(uint64_t);
  struct recording_place *place = calloc(1, size);
  uint64_t *numbers;
  int err;
  if (place == NULL) return EVENTRING_E_MEMORY;
  numbers = (uint64_t *) (place + 1);
  memcpy(place->magic, RECORDING_PLACE_MAGIC, sizeof place->magic);
  place->size = (uint32_t) size;
  place->rings = count;
  if (count > 0) {
    memcpy(place->boot_id, h->boot_id, sizeof place->boot_id);
    place->pid_namespace = h->pid_namespace;
    place->start_time = h->start_time;
    place->started = h->started;
    place->pid = (uint32_t) h->pid;
  }
  for (uint32_t i = 0; i < count; i++)
    numbers[i] = eventring_ring_place(&rings[i]);
  place->content = recording_sum(numbers, count * sizeof(uint64_t));
  place->sum = recording_sum(place, offsetof(struct recording_place, sum));
  err = send_all(fd, place, size);
  free(place);
  return err;
}

/* Returns the stream that [c] reads; NULL when it reads another source. */
static struct stream *stream_of(const struct eventring_cursor *c)
{
  return c == NULL || c->source->close != close_stream
         ? NULL : (struct stream *) c->source;
}

int eventring_is_broken(const struct eventring_cursor *c)
{
  const struct stream *s = stream_of(c);
  return s != NULL && s->broken;
}

int eventring_resume_stream(struct eventring_cursor *c, int fd)
{
  struct stream *s = stream_of(c);
  int copy, err;
  if (s == NULL || !s->broken) return EVENTRING_E_ARGUMENT;
  if (fd < 0) {
    s->resume = s->broken = 0;
    return 0;
  }
  /* Before the first segment is shown, the receiver has nothing. */
  err = send_place(fd, &s->shown.header, s->begun ? c->rings : NULL);
  if (err < 0) return err;
  copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return EVENTRING_E_SYSTEM;
  close(s->fd);
  s->fd = copy;
  s->offset = 0;
  s->header_have = s->start_have = 0;
  s->chunk.kind = 0;
  s->over = s->broken = s->index = 0;
  s->resumed = 1;
  return 0;
}

/* Opening */

/* Waits for the first bytes of the recording and checks them.  Returns 0 or an
   error, with its message. */
static int take_start(struct stream *s, const struct eventring_options *o,
                      const char *name)
{
  struct recording_start start;
  size_t have = 0;
  if (!receive(s, &start, &have, sizeof start, 1)) {
    if (have == 0)
      return fail(o, EVENTRING_E_TRUNCATED, "%s: ended without a recording",
                  name);
    return fail(o, EVENTRING_E_NOT_A_RING, "%s: not a recording", name);
  }
  s->offset = s->start_have = sizeof start;
  return eventring_check_start(&start, o, name);
}

/* Waits for the chunks up to the first segment, or up to the end of the stream,
   and takes those before it.  Returns 0 or an error, with its message. */
static int take_beginning(struct stream *s, const struct eventring_options *o,
                          const char *name)
{
  int more = 0;
  for (int i = 0; i < TAKEN_CHUNKS && (more = next_chunk(s, 1)) > 0
                  && s->chunk.kind != CHUNK_SEGMENT; i++) {
    int err = take_chunk(s);
    if (err == EVENTRING_E_MEMORY) { more = err; break; }
    if (err < 0) { give_up(s); break; }
    if (s->shown.slots == NULL && s->chunk.kind == CHUNK_PROCESS) {
      err = eventring_show_recorded(&s->shown, s->shown.header.schema_capacity,
                                    o, name);
      if (err < 0) return err;
    }
    leave_chunk(s);
    s->chunk.kind = 0;
    if (s->ended || s->index) break;
  }
  if (more == EVENTRING_E_MEMORY)
    return fail(o, more, "%s: no memory to read it", name);
  if (s->shown.slots == NULL)
    return fail(o, EVENTRING_E_TRUNCATED, "%s: the stream ended or is damaged "
                "before its first event, at byte %llu", name,
                (unsigned long long) s->offset);
  return 0;
}

int eventring_open_stream(int fd, const char *name,
                          const struct eventring_options *options,
                          struct eventring_cursor **result)
{
  struct eventring_options o;
  struct stream *s;
  struct stat none = { 0 };
  int err;
  if (result == NULL || name == NULL || fd < 0) return EVENTRING_E_ARGUMENT;
  *result = NULL;
  err = eventring_take_options(&o, options);
  if (err < 0) return err;
  if (o.control)
    return fail(&o, EVENTRING_E_ARGUMENT, "%s: a stream; only a process can be "
                "controlled, by its number or its ring file", name);
  s = calloc(1, sizeof *s);
  if (s == NULL)
    return fail(&o, EVENTRING_E_MEMORY, "%s: no memory to read it", name);
  s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  s->zstd = ZSTD_createDCtx();
  if (s->fd < 0 || s->zstd == NULL)
    err = fail(&o, EVENTRING_E_SYSTEM, "%s: cannot read it: %s", name,
               strerror(errno));
  /* A sender that takes no more bytes may have sent all of its own. */
  if (err == 0 && o.place && send_place(fd, NULL, NULL) == EVENTRING_E_MEMORY)
    err = fail(&o, EVENTRING_E_MEMORY, "%s: no memory to read it", name);
  s->resume = o.resume;
  if (err == 0) err = take_start(s, &o, name);
  if (err == 0) err = take_beginning(s, &o, name);
  if (err < 0) {
    close_stream(&s->shown.source);
    return err;
  }
  /* The rate of the clock, until more is known. */
  if (s->header_have == 0 && s->chunk.kind == CHUNK_SEGMENT
      && s->chunk.horizon != UINT64_MAX) {
    s->shown.header.ended.ticks = s->chunk.horizon;
    s->shown.header.ended.monotonic_ns = s->chunk.last_ns;
  }
  s->shown.source.processes = 1;
  s->shown.source.state = EVENTRING_STATE_RUNNING;
  s->shown.source.format = EVENTRING_FORMAT_STREAM;
  s->shown.source.note = s->note;
  s->shown.source.advance = advance;
  s->shown.source.close = close_stream;
  return eventring_new_cursor(&s->shown.source, name, &none, 0, &o, result);
}
