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

/* Sources: the words that the reader decodes, from a file of any format.  Not
   for users.

     ring file ------ eventring_ring_file.c --\
     recording ------ eventring_recording.c ---> source --> cursor --> events
     .events file --- eventring_stock.c ------/

   A source shows words in the layout of eventring_format.h: a header, a schema,
   a directory with a slot for each ring, and the words of each ring from some
   position on.  For a ring file these are the mapped file itself; other formats
   make them in memory, and more of them at each [advance]. */

#ifndef EVENTRING_SOURCE_H
#define EVENTRING_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include "caml/eventring_format.h"

struct eventring_options;
struct eventring_cursor;
struct recording_clock;
struct stat;

/* The words of a ring.  The word at position p is words[(p - first) & mask];
   positions below [first] have no word. */
struct eventring_words {
  const uint64_t *words;
  uint64_t first;
  uint64_t mask;
  uint64_t needed;              /* set by the reader, which has taken the words
                                   below this */
  uint64_t from;                /* where the source begins anew: how many events
                                   the ring had before that; UINT64_MAX: not
                                   known */
};

/* The begin of a span: words 0, 1 and 3 of the header of its block, but with the
   thread that wrote the event; the event word, and the payload, which may have
   one word. */
struct eventring_open_span {
  uint64_t base;
  int64_t ns;
  uint64_t who;
  uint64_t word;
  uint64_t payload;
  uint32_t ring;
  int32_t thread_id;            /* of the threads library, or -1 */
};

enum {
  EVENTRING_MORE = 1,           /* there are more words */
  EVENTRING_ANEW = 2            /* the rings begin anew with these; the clock is
                                   measured anew too */
};

struct eventring_source {
  struct eventring_header checked; /* as it was at open, all of it possible */
  const struct eventring_header *header; /* as it is now */
  const char *schema;           /* entries of header->schema_entry_size */
  const char *directory;        /* slots of header->slot_size */
  struct eventring_words *rings;
  uint64_t lap;                 /* words below reserve that are not overwritten
                                   yet */

  /* 1: header, schema and directory change while the process runs.
     0: all of them were written before; the state of the process then is
     [state], as eventring_state returns it */
  int live;
  int state;

  /* The mapped file, of eventring_map_file; NULL: none. */
  char *map;
  size_t map_size;

  /* Makes more words of the rings visible, after the reader has returned all
     events up to the horizon.  Words from the block of [needed] on stay
     visible, perhaps at another address.  Returns EVENTRING_MORE or
     EVENTRING_ANEW when there are more words, 0 when there are none at present
     or for ever, or an error of eventring_reader.h.  NULL: words appear by
     themselves, in the mapped file. */
  int (*advance)(struct eventring_source *source);

  /* Set by [advance].  horizon: the ticks up to which all events of all rings
     are visible.  behind: 1 when [advance] has left events that the process has
     already written, else 0. */
  uint64_t horizon;
  int behind;

  /* Only events from from_ns to before to_ns belong to the file; 0, 0: all
     events. */
  int64_t from_ns, to_ns;

  /* For eventring_get_info and eventring_note. */
  int format;
  int lost_is_bound;
  uint32_t processes;
  int64_t first_ns, last_ns;
  uint64_t damaged_at;          /* or eventring_cut_at */
  uint64_t events, lost;
  const char *note;
  const char *node;
  const struct recording_clock *clocks;
  uint32_t clock_count;

  /* The spans that were open where the source begins, with EVENTRING_ANEW. */
  const struct eventring_open_span *open_spans;
  uint32_t open_count;

  /* Moves the source to a place from which [advance] shows all events of time
     [ticks] and later; the rings begin anew there.  Returns 0 or an error.
     NULL: the source cannot do so. */
  int (*seek)(struct eventring_source *source, uint64_t ticks);

  /* Frees the source, with all that it has mapped or opened. */
  void (*close)(struct eventring_source *source);
};

/* A format of files. */
struct eventring_format {
  /* The reason why files of this format cannot be controlled, for a message;
     NULL: they can be controlled. */
  const char *no_control;

  /* Returns 1 when a file that begins with these [length] bytes has this
     format, else 0; [length] may be 0. */
  int (*is)(const void *bytes, size_t length);

  /* Makes a source of the open file [fd] of [size] bytes, and sets *result to
     it.  The caller keeps [fd] and closes it.  [path] is for messages; [pid] is
     the number by which the caller knows the process, or 0.  Returns 0 or an
     error, with its message given to eventring_fail. */
  int (*open)(int fd, uint64_t size, const char *path, int pid,
              const struct eventring_options *options,
              struct eventring_source **result);
};

/* Maps the [size] bytes of the open file [fd], sets [map] and [map_size] of the
   source, and guards the mapping if the program has hooks for that.  Returns 0 or
   an error, with its message, which has [path]. */
int eventring_map_file(struct eventring_source *source, int fd, size_t size,
                       const char *path,
                       const struct eventring_options *options);

/* Unmaps the file of the source, if it has mapped one. */
void eventring_unmap_file(struct eventring_source *source);

/* Returns the offset of the first byte of the mapped file that is known to be
   lost, since the file was cut shorter: see eventring_hooks.h.  0: none. */
uint64_t eventring_cut_at(const struct eventring_source *source);

/* The [magic] of a header that was made of a file of stock OCaml: the counts of
   lost events in its blocks are upper bounds. */
#define STOCK_MAGIC "OCaml 5 .events"

extern const struct eventring_format eventring_ring_format;
extern const struct eventring_format eventring_recording_format;
extern const struct eventring_format eventring_stock_format;

/* The formats that are tried in this order, then NULL.  The last one is taken
   for a file that is of none of the others. */
extern const struct eventring_format *const eventring_formats[];

/* Writes the one line of [options->message], cut to its size; writes nothing
   when that is NULL.  [options] must not be NULL.  Returns [error] so that the
   caller can return it.  The source calls the function fail; the linker,
   eventring_fail. */
#define fail eventring_fail
__attribute__((format(printf, 3, 4)))
int eventring_fail(const struct eventring_options *options, int error,
                   const char *format, ...);

/* Converts [number], an errno of open or mmap, to an enum eventring_error.  A
   number without an error of its own becomes EVENTRING_E_SYSTEM. */
int eventring_error_of(int number);

/* Copies a struct of options, which begins with its size, from [given], of the
   caller, to [mine], of [size] bytes.  Fields that the caller does not know
   become 0.  Returns 0, or EVENTRING_E_ARGUMENT when the caller's size is too
   small for the size itself, or when a field that this library does not know is
   not 0; in the second case [mine] is set all the same, so that the message's
   buffer is known. */
int eventring_take_struct(void *mine, size_t size, const void *given);

/* Copies a result struct of [size] bytes from [mine] to [given], of the caller,
   which begins with its own size: that size is kept, and limits the copy.
   Bytes of [given] that this library does not know become 0. */
void eventring_give_struct(const void *mine, size_t size, void *given);

/* Copies the options [given], of the caller, to [mine].  [given] may be NULL,
   which sets all options to 0, or be of another size than [mine].  Returns 0 or
   an error, with its message.  Empties the caller's message first. */
int eventring_take_options(struct eventring_options *mine,
                           const struct eventring_options *given);

/* Copies the options of a recording, like eventring_take_options, but does not
   empty the message.  Returns 0 or an error, with its message. */
struct eventring_record_options;
int eventring_take_record_options(
  struct eventring_record_options *mine,
  const struct eventring_record_options *given);

/* Opens the file at [path], which must be a regular file, with the checked
   options [options], and sets *result to the new cursor.  [pid] is the number
   by which the caller knows the process, 0 to take it from the file.  Returns 0
   or an error, with its message; *result is then unchanged. */
int eventring_open_path(const char *path, int pid,
                        const struct eventring_options *options,
                        struct eventring_cursor **result);

/* Makes a cursor on [source], which belongs to the cursor from then on, also
   after a failure.  [path] names it in messages; [file] describes its file, all
   zeros when there is none; [pid] as for eventring_open_path.  Returns 0 or an
   error, with its message. */
int eventring_new_cursor(struct eventring_source *source, const char *path,
                         const struct stat *file, int pid,
                         const struct eventring_options *options,
                         struct eventring_cursor **result);

/* Returns 1 when process [pid] has the file [file] mapped for writing, 0 when it
   has not, and -1 when the mappings of the process cannot be read.  The file is
   recognised by device and inode, under any name. */
int eventring_is_mapped(int pid, const struct stat *file);

/* The size of a header that a reader of format 1.0 needs. */
#define EVENTRING_HEADER_1_0 \
  (offsetof(struct eventring_header, ended) + sizeof(struct eventring_instant))

/* The size of a header that has all fields of format 1.5. */
#define EVENTRING_HEADER_1_5 \
  (offsetof(struct eventring_header, samples_dropped) + sizeof(uint64_t))

/* The size of a header that has all fields of format 1.6. */
#define EVENTRING_HEADER_1_6 \
  (offsetof(struct eventring_header, traced_since_ns) + sizeof(int64_t))

/* Bytes of a header of format 1.7. */
#define EVENTRING_HEADER_1_7 \
  (offsetof(struct eventring_header, alloc_period) + sizeof(uint64_t))

/* Bytes of a header of format 1.10. */
#define EVENTRING_HEADER_1_10 \
  (offsetof(struct eventring_header, session) + sizeof(uint64_t))

/* Checks the sizes, counts and offsets of header [h], on which the reader
   relies, for a file of [actual_size] bytes; does not check magic and version.
   [path] is for the message.  Returns 0 or an error, with its message. */
int eventring_check_header(const struct eventring_header *h,
                           uint64_t actual_size,
                           const struct eventring_options *options,
                           const char *path);

/* Returns [time] plus the distance from [from] to [to].  Times of a file may be
   anything, so the sum may wrap. */
static inline int64_t eventring_shifted(int64_t time, int64_t from, int64_t to)
{
  return (int64_t) ((uint64_t) time + ((uint64_t) to - (uint64_t) from));
}

/* Returns the source that a cursor reads. */
struct eventring_source *eventring_cursor_source(
  struct eventring_cursor *cursor);

/* Returns the description of the cursor's file by fstat, made when the file was
   opened. */
const struct stat *eventring_cursor_file(const struct eventring_cursor *cursor);

/* Returns the position of the block in which the cursor goes on reading ring
   [ring], and sets *index to the number of events that the ring had before the
   next event to be read; 0 when the ring never had words.  *index becomes
   UINT64_MAX when the cursor has read nothing of the ring and wants all events
   that the ring still has. */
uint64_t eventring_position(const struct eventring_cursor *cursor,
                            uint32_t ring, uint64_t *index);

/* Returns the tail of ring [ring]: the number of words that the ring has had
   since it began.  The number is of the file and not checked. */
uint64_t eventring_tail(const struct eventring_cursor *cursor, uint32_t ring);

/* Returns the time in ticks up to which all events of all rings are visible to
   reads after the call; UINT64_MAX: all events, however late.  May wait up to
   1000 ns for writers. */
uint64_t eventring_horizon(struct eventring_cursor *cursor);

/* Converts [ns], a time of CLOCK_MONOTONIC, to ticks, at the rate that the
   cursor has measured.  Returns 0 for an earlier time than ticks can tell,
   UINT64_MAX for a later one. */
uint64_t eventring_ticks_of(const struct eventring_cursor *cursor, int64_t ns);

/* Returns one instant as ticks and as times, from which the rate of the ticks
   can be measured: the present instant when this machine has the clock of the
   file, else the last instant that the cursor has measured the clock with; all
   0 when there is none. */
struct eventring_instant eventring_cursor_instant(
  const struct eventring_cursor *cursor);

/* Returns the present time of CLOCK_MONOTONIC in the time namespace of the
   process; 0 when that time is not known. */
int64_t eventring_cursor_now(const struct eventring_cursor *cursor);

/* Copies words of ring [ring] of the cursor's source, from position *position
   to the end of its block or of the ring's words.  [block] has room for a whole
   block, header->block_words words, and each word is copied to its place in the
   block.  Returns the number of words copied, 0 when there are none, or
   EVENTRING_E_DAMAGED when the slot has words that no writer writes.  When the
   words were overwritten, sets *position to the oldest position that the ring
   still has; the words copied must then be ignored, though their number is
   returned.  Other words of [block] are not changed. */
int eventring_copy_block(struct eventring_cursor *cursor, uint32_t ring,
                         uint64_t *position, uint64_t *block);

#endif /* EVENTRING_SOURCE_H */
