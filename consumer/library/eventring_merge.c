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

/* A recording made of others: joined, cut, put side by side.

   Segments are copied as they are stored.  The changes are outside of them: the
   process and the shift of positions in each struct chunk, and, in the END of
   an interval, the times between which events count, since a cut goes through
   the middle of a segment.  An input of several intervals becomes several
   intervals again.  The events between the times are also read, to count
   them.  A damaged chunk is left out if the caller wants that: readers count
   the events of a missing segment as lost. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eventring_chunks.h"
#include "eventring_reader.h"
#include "eventring_source.h"

struct merging {
  const char *path;             /* of the output */
  struct eventring_options say;
  struct chunk_writer to;
  uint32_t process;
  uint64_t shift;               /* of the next interval */
  struct eventring_header first; /* of the process, as it began */

  /* The input that is being copied. */
  const struct eventring_merge_input *input;
  struct eventring_cursor *cursor; /* for its clock; until the next is open,
                                   which may be of the same file */
  struct chunk_reader from;
  struct process_end end;          /* as it will be written */
  int open;                     /* it has a PROCESS and no END yet */
  int ended;                    /* it had an END */
  uint64_t before;              /* horizon of its segment before */
  uint64_t from_ticks, to_ticks; /* a segment with nothing between these is left
                                   out */
};

/* How long, at most, events may come later than their times say, and how
   wrong a clock may be measured. */
#define LATE_NS 1000000000
#define CLOCK_NS 1000000

/* Returns [error], and writes its message, unless it is damage that is left
   out.  [what] says how the input is damaged or wrong, and may be NULL for other
   errors; a system error is of the output, with its reason in errno. */
static int say(struct merging *j, int error, const char *what)
{
  int reason = errno;
  if (error == EVENTRING_E_SYSTEM)
    return fail(&j->say, error, "cannot write %s: %s", j->path,
                strerror(reason));
  if (error == EVENTRING_E_DAMAGED && j->input->left_out != NULL) return error;
  if (error == EVENTRING_E_DAMAGED)
    return fail(&j->say, error, "%s is damaged: %s; see eventring check",
                j->input->path, what);
  return fail(&j->say, error, "%s: %s", j->input->path,
              error == EVENTRING_E_MEMORY ? "out of memory" : what);
}

/* Returns 1 when only events between two times are taken from the input; 0 when
   both times are equal, for all events. */
static int is_cut(const struct eventring_merge_input *p)
{
  return p->from_ns != p->to_ns;
}

/* Copies the stored bytes of chunk [e] of the input to the output, with the
   process number and the shift of the output.  Returns 0 or an error, with its
   message. */
static int append(struct merging *j, const struct index_entry *e)
{
  struct chunk c = e->chunk;
  int err = eventring_read_stored(&j->from, e);
  if (err < 0) return say(j, err, "a chunk is not what was written");
  c.process = j->process;
  c.shift = j->shift;
  err = eventring_append(&j->to, c, j->from.stored);
  return err < 0 ? say(j, err, NULL) : 0;
}

static int write_chunk(struct merging *j, uint32_t kind, const void *bytes,
                       size_t size)
{
  int err = eventring_write_chunk(
    &j->to, (struct chunk) { .kind = kind, .process = j->process,
                             .shift = j->shift },
    bytes, size);
  return err < 0 ? say(j, err, NULL) : 0;
}

static int read_chunk(struct merging *j, const struct index_entry *e)
{
  int err = eventring_read_chunk(&j->from, e);
  return err < 0 ? say(j, err, "a chunk is not what was written") : 0;
}

/* Returns 1 when segment [e] may have events between the times of the input;
   else 0.  [before] is the horizon of the segment before it, 0 for the
   first. */
static int is_wanted(const struct merging *j, const struct index_entry *e,
                     uint64_t before)
{
  return e->chunk.horizon >= j->from_ticks && before <= j->to_ticks;
}

/* Returns 1 when the interval that begins with chunk [e], a PROCESS, keeps its
   first segment in the output, or has no segment; 0 when that segment is left
   out. */
static int is_whole_from_start(const struct merging *j,
                               const struct index_entry *e)
{
  const struct index_entry *end = j->from.chunks + j->from.count;
  const struct chunk begin = e->chunk;
  while (++e < end)
    if (e->chunk.kind == CHUNK_SEGMENT && e->chunk.process == begin.process
        && e->chunk.shift == begin.shift)
      return is_wanted(j, e, 0);
  return 1;
}

static int end_interval(struct merging *j);

/* Begins an interval of the output with the PROCESS chunk [e] of the input,
   after ending an open one.  With [join] 1 it must be of the same process as
   the interval before.  When the interval loses its first segment, the numbers
   of events before it become unknown.  Returns 0 or an error, with its
   message. */
static int begin_interval(struct merging *j, const struct index_entry *e,
                          int join)
{
  int continues = join && j->end.continued;
  struct eventring_header h;
  int err = j->open ? end_interval(j) : 0;
  if (err == 0) err = read_chunk(j, e);
  if (err < 0) return err;
  if (e->chunk.raw < sizeof h)
    return say(j, EVENTRING_E_DAMAGED, "a process without a header");
  memcpy(&h, j->from.raw, sizeof h);
  if (!join) {
    j->first = h;
  } else if (h.pid != j->first.pid || h.start_time != j->first.start_time
             || h.started.ticks != j->first.started.ticks
             || memcmp(h.boot_id, j->first.boot_id, sizeof h.boot_id) != 0) {
    return fail(&j->say, EVENTRING_E_ARGUMENT, "%s is of process %u, and what "
                "is before it of process %u or another time: only recordings "
                "of one process follow each other", j->input->path, h.pid,
                j->first.pid);
  }
  if (j->shift / RECORDING_SHIFT >= RECORDING_MAX_JOINED)
    return fail(&j->say, EVENTRING_E_ARGUMENT, "%s: more than %d intervals of "
                "one process", j->input->path, RECORDING_MAX_JOINED);
  j->end = (struct process_end) { .state = EVENTRING_STATE_UNKNOWN,
                                  .header = h };
  /* The number of its new events is only known by reading it. */
  if (join && !continues) j->end.events = RECORDING_ANY;
  j->open = 1;
  j->ended = 0;
  j->before = 0;
  if (is_whole_from_start(j, e)) return append(j, e);
  /* Events that are left out are not missing. */
  memset(j->from.raw + sizeof h, 0xFF, (size_t) e->chunk.raw - sizeof h);
  return write_chunk(j, CHUNK_PROCESS, j->from.raw, (size_t) e->chunk.raw);
}

/* Copies segment [e] of the input to the output if it has wanted events.  In
   both cases the interval then lasts to the segment's horizon, until an END
   says better.  Returns 0 or an error, with its message. */
static int take_segment(struct merging *j, const struct index_entry *e)
{
  int wanted = is_wanted(j, e, j->before);
  j->before = e->chunk.horizon;
  /* Without an END, this is how long it went on. */
  if (j->before != UINT64_MAX)
    j->end.header.ended = (struct eventring_instant) {
      e->chunk.horizon, e->chunk.last_ns,
      eventring_shifted(j->end.header.started.realtime_ns,
                        j->end.header.started.monotonic_ns,
                        e->chunk.last_ns) };
  return wanted ? append(j, e) : 0;
}

/* Reads END chunk [e] of the input into j->end, without its numbers when the
   numbers of the interval are not known; end_interval writes it later.  Returns
   0 or an error, with its message. */
static int take_end(struct merging *j, const struct index_entry *e)
{
  int counted = j->end.events != RECORDING_ANY;
  int err = read_chunk(j, e);
  if (err < 0) return err;
  if (e->chunk.raw < sizeof j->end)
    return say(j, EVENTRING_E_DAMAGED, "an end that is too short");
  memcpy(&j->end, j->from.raw, sizeof j->end);
  if (!counted) j->end.events = j->end.lost = RECORDING_ANY;
  j->ended = 1;
  return 0;
}

/* Returns the number of intervals of the process that the input has. */
static int intervals_of_input(const struct merging *j)
{
  int intervals = 0;
  for (size_t i = 0; i < j->from.count; i++)
    intervals += j->from.chunks[i].chunk.kind == CHUNK_PROCESS
                 && j->from.chunks[i].chunk.process == j->input->process;
  return intervals;
}

/* Reads the events of the input between its times, and sets the numbers of
   events and losses of the open interval.  The numbers become unknown when the
   input has several intervals or cannot be read. */
static void count_cut(struct merging *j)
{
  const struct eventring_merge_input *p = j->input;
  const int64_t until = p->to_ns < INT64_MAX - LATE_NS ? p->to_ns + LATE_NS
                                                       : INT64_MAX;
  struct eventring_event events[256];
  int64_t last = INT64_MIN;
  int n = intervals_of_input(j) == 1 ? eventring_seek(j->cursor, p->from_ns)
                                     : EVENTRING_E_ARGUMENT;
  j->end.events = j->end.lost = 0;
  while (n >= 0 && last < until
         && (n = eventring_read(j->cursor, events, 256)) > 0)
    for (int i = 0; i < n; i++) {
      last = events[i].ns;
      if (last < p->from_ns || last >= p->to_ns) continue;
      if (events[i].form == EVENTRING_EV_LOST)
        j->end.lost += events[i].payload[0];
      else j->end.events++;
    }
  if (n < 0) j->end.events = j->end.lost = RECORDING_ANY;
}

static int end_interval(struct merging *j)
{
  const struct eventring_merge_input *p = j->input;
  struct process_end *end = &j->end;
  int err;
  if (is_cut(p)) {
    int all = end->from_ns == end->to_ns;
    if (all || p->from_ns > end->from_ns) end->from_ns = p->from_ns;
    if (all || p->to_ns < end->to_ns) end->to_ns = p->to_ns;
    if (end->from_ns >= end->to_ns) {
      /* Nothing is between these. */
      end->from_ns = 1;
      end->to_ns = 0;
    }
  }
  if (!j->ended) end->events = end->lost = RECORDING_ANY;
  else if (is_cut(p) && end->events != RECORDING_ANY) count_cut(j);
  err = write_chunk(j, CHUNK_END, end, sizeof *end);
  j->open = 0;
  j->shift += RECORDING_SHIFT;
  return err;
}

static int copy_chunk(struct merging *j, const struct index_entry *e, int join)
{
  switch (e->chunk.kind) {
  case CHUNK_PROCESS: return begin_interval(j, e, join);
  case CHUNK_SEGMENT: return j->open ? take_segment(j, e) : 0;
  case CHUNK_END: return j->open ? take_end(j, e) : 0;
  /* Spans that were open at the beginning may have ended where a cut begins. */
  case CHUNK_OPEN: return j->open && !is_cut(j->input) ? append(j, e) : 0;
  default: return j->open ? append(j, e) : 0;
  }
}

/* Copies chunk [e] of the input to the output, or leaves it out when it is
   damaged and the caller wants that.  Without a segment, the numbers of the
   interval are not known.  Returns 0 or an error, with its message. */
static int take_chunk(struct merging *j, const struct index_entry *e, int join)
{
  int err = copy_chunk(j, e, join);
  if (err != EVENTRING_E_DAMAGED || j->input->left_out == NULL) return err;
  if (e->chunk.kind == CHUNK_SEGMENT) {
    ++*j->input->left_out;
    j->end.events = j->end.lost = RECORDING_ANY;
  }
  return 0;
}

/* Opens a cursor on input [p], which must be a recording, for its clock, sets
   j->from to read its chunks, and closes the cursor on the input before.
   Returns 0 or an error, with its message. */
static int open_input(struct merging *j, const struct eventring_merge_input *p)
{
  struct eventring_options o = j->say;
  struct eventring_cursor *cursor;
  int err;
  o.size = sizeof o;
  o.process = p->process;
  o.share_with = j->cursor;
  err = eventring_open(p->path, &o, &cursor);
  eventring_close(j->cursor);
  j->cursor = cursor;
  if (err < 0) return err;
  if (eventring_cursor_source(j->cursor)->format != EVENTRING_FORMAT_RECORDING)
    return fail(&j->say, EVENTRING_E_ARGUMENT, "%s is not a recording",
                p->path);
  return eventring_share_recording(
    &j->from, eventring_cursor_source(j->cursor), &j->say, p->path);
}

/* Copies the chunks of input [p] to the output; [first] is 1 for the first
   input.  An input that does not join the one before begins another process of
   the output.  Returns 0 or an error, with its message. */
static int copy_input(struct merging *j, const struct eventring_merge_input *p,
                      int first)
{
  int join = !first && p->join, err;
  j->input = p;
  memset(&j->from, 0, sizeof j->from);
  j->from.fd = -1;
  err = open_input(j, p);
  if (err == 0) {
    j->from_ticks = 0;
    j->to_ticks = UINT64_MAX;
    if (is_cut(p) && p->from_ns > INT64_MIN + CLOCK_NS)
      j->from_ticks = eventring_ticks_of(j->cursor, p->from_ns - CLOCK_NS);
    if (is_cut(p) && p->to_ns < INT64_MAX - LATE_NS)
      j->to_ticks = eventring_ticks_of(j->cursor, p->to_ns + LATE_NS);
    if (!join) {
      j->shift = 0;
      if (!first && ++j->process == RECORDING_MAX_PROCESSES)
        err = fail(&j->say, EVENTRING_E_ARGUMENT, "%s: more than %d processes",
                   p->path, RECORDING_MAX_PROCESSES);
    }
  }
  for (size_t i = 0; i < j->from.count && err == 0; i++) {
    const struct index_entry *e = &j->from.chunks[i];
    if (e->chunk.process != p->process) continue;
    err = take_chunk(j, e, join);
    if (j->open) join = 1;
  }
  if (err == 0 && j->open) err = end_interval(j);
  eventring_close_chunks(&j->from);
  return err;
}

/* Returns input [i] of the caller's array, in which elements have the caller's
   size, inputs->size. */
static const struct eventring_merge_input *input_at(
  const struct eventring_merge_input *inputs, int i)
{
  return (const struct eventring_merge_input *)
    ((const char *) inputs + (size_t) i * inputs->size);
}

/* Creates the output file, which must be none of the [count] inputs; leaves out
   inputs that cannot be found.  An existing file is overwritten only with
   [replace] 1.  Returns 0 or an error, with its message. */
static int begin_output(struct merging *j,
                        const struct eventring_merge_input *inputs, int count,
                        int replace)
{
  struct stat *files = calloc((size_t) count, sizeof *files);
  int files_count = 0, err;
  if (files == NULL)
    return fail(&j->say, EVENTRING_E_MEMORY, "%s: out of memory", j->path);
  /* An input that is not there is reported when it is opened. */
  for (int i = 0; i < count; i++)
    files_count += stat(input_at(inputs, i)->path, &files[files_count]) == 0;
  err = eventring_begin_chunks(&j->to, j->path, replace, files, files_count);
  free(files);
  if (err == EVENTRING_E_ARGUMENT)
    return eventring_output_is_read(&j->say, j->path);
  return err < 0 ? say(j, err, NULL) : 0;
}

int eventring_recording_merge(const char *path,
                              const struct eventring_merge_input *inputs,
                              int count,
                              const struct eventring_record_options *options)
{
  struct eventring_record_options o;
  struct merging j = { .path = path, .to = { .fd = -1 } };
  struct eventring_merge_input input;
  int err;

  if (path == NULL || inputs == NULL || count <= 0)
    return EVENTRING_E_ARGUMENT;
  err = eventring_take_record_options(&o, options);
  if (err < 0) return err;
  for (int i = 0; i < count; i++)
    if (input_at(inputs, i)->size != inputs->size
        || eventring_take_struct(&input, sizeof input, input_at(inputs, i)) < 0
        || input.path == NULL)
      return EVENTRING_E_ARGUMENT;
  j.say.message = o.message;
  j.say.message_size = o.message_size;
  j.to.zstd = ZSTD_createCCtx();
  if (j.to.zstd == NULL)
    return fail(&j.say, EVENTRING_E_MEMORY, "%s: out of memory", path);
  err = begin_output(&j, inputs, count, o.replace);
  for (int i = 0; i < count && err == 0; i++) {
    eventring_take_struct(&input, sizeof input, input_at(inputs, i));
    err = copy_input(&j, &input, i == 0);
  }
  if (err == 0) {
    err = eventring_end_chunks(&j.to);
    if (err < 0) say(&j, err, NULL);
  }
  /* Leaves no incomplete output; but a device, a FIFO or a link that was there
     before stays. */
  if (err < 0 && j.to.created) unlink(path);
  eventring_close(j.cursor);
  eventring_drop_chunks(&j.to);
  return err;
}
