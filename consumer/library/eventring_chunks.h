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

/* A recording as a list of chunks.  The reader of recordings, the checker and
   the merger read it by these functions, the recorder and the merger write
   it. */

#ifndef EVENTRING_CHUNKS_H
#define EVENTRING_CHUNKS_H

#include <stddef.h>
#include <stdlib.h>
#include <zstd.h>
#include "eventring_reader.h"
#include "eventring_recording.h"

struct eventring_options;

/* Reading.  Nothing of the file is trusted: every entry of the list was checked
   against its sum, the file's size, and bounds. */
struct chunk_reader {
  int fd;
  uint64_t size;                /* of the file */
  struct index_entry *chunks;   /* in the order of the file */
  size_t count, capacity;
  uint64_t raw_left;            /* bytes that more chunks may become */
  int indexed;                  /* the list is from the index */
  uint64_t damaged_at;          /* where the list ends before the file does; 0:
                                   it does not */
  ZSTD_DCtx *zstd;
  int *users;                   /* readers that share the list */
  char *stored, *raw;           /* of the last chunk read */
  size_t stored_capacity, raw_capacity;
};

/* Checks the first bytes of a recording: magic, version, sizes and sum.  [path]
   is for messages.  Returns 0 or an error, with its message. */
int eventring_check_start(const struct recording_start *start,
                          const struct eventring_options *o, const char *path);

/* Initialises [r], whatever its content, and makes the list of chunks of the
   recording [fd], an open file of [size] bytes.  A list that ends before the
   file does is no error: see [damaged_at].  [fd] belongs to [r] from then on,
   also after a failure; eventring_close_chunks closes the file and frees the
   list.  [path] is for messages.  Returns 0 or an error, with its message. */
int eventring_list_chunks(struct chunk_reader *r, int fd, uint64_t size,
                          const struct eventring_options *o, const char *path);
void eventring_close_chunks(struct chunk_reader *r);

/* Initialises [r] for [fd] like eventring_list_chunks, but shares the list of
   chunks of [other], a reader of the same file.  Either reader may be closed
   first.  [fd] belongs to [r], also after a failure.  Returns 0 or an error,
   with its message. */
int eventring_share_chunks(struct chunk_reader *r, int fd,
                           const struct chunk_reader *other,
                           const struct eventring_options *o, const char *path);

/* Initialises [r] for the chunks of [source], which must read a recording.  Uses
   the file that the source has open, not its path, which may lead to another file
   by now.  Either may be closed first; eventring_close_chunks is needed also
   after a failure.  [path] is for messages.  Returns 0 or an error, with its
   message. */
struct eventring_source;
int eventring_share_recording(struct chunk_reader *r,
                              const struct eventring_source *source,
                              const struct eventring_options *o,
                              const char *path);

/* Reads [length] bytes at [offset] of the file into [to].  Returns 1, or 0,
   with [to] undefined, when the file does not have these bytes or cannot be
   read. */
int eventring_read_at(const struct chunk_reader *r, uint64_t offset, void *to,
                      uint64_t length);

/* Makes *buffer, of *capacity bytes, at least [size] bytes large; its content
   is lost when it is enlarged.  Returns 1, or 0 when there is no memory;
   *buffer is then NULL, of 0 bytes. */
static inline int eventring_reserve(char **buffer, size_t *capacity, size_t size)
{
  if (size <= *capacity) return 1;
  free(*buffer);
  *buffer = malloc(size);
  *capacity = *buffer == NULL ? 0 : size;
  return *buffer != NULL;
}

/* Reads the stored (compressed) bytes of chunk [e] into r->stored, where they
   stay until the next chunk is read, and compares them with their sum.  Returns
   0, EVENTRING_E_DAMAGED or EVENTRING_E_MEMORY. */
int eventring_read_stored(struct chunk_reader *r, const struct index_entry *e);

/* Reads the stored bytes of chunk [e] like eventring_read_stored, and
   decompresses them into r->raw, e->chunk.raw bytes, which stay until the next
   call of this function.  Returns 0, EVENTRING_E_DAMAGED or
   EVENTRING_E_MEMORY. */
int eventring_read_chunk(struct chunk_reader *r, const struct index_entry *e);

/* Reads the next run of a segment, of which *size bytes are left at *p.  Sets
   *run to the run's header and *words to its words, within the segment, and
   moves *p and *size behind the run.  Returns 1; or, without moving them, 0 at
   the end of the segment, or EVENTRING_E_DAMAGED when the run is impossible for
   a process with header [h]. */
int eventring_next_run(const char **p, size_t *size,
                       const struct eventring_header *h, struct run *run,
                       const uint64_t **words);

/* Returns 1 when [c], read from [offset] of the file, has the right sum and
   possible fields, else 0. */
int eventring_possible_chunk(const struct chunk_reader *r, uint64_t offset,
                             const struct chunk *c);

/* Writing.  All functions return 0 or an error; errno has the reason. */
struct chunk_writer {
  int fd;                       /* -1: no file */
  int open;                     /* a file or a sink gets chunks */
  int created;                  /* there was no such file before */
  uint64_t offset;              /* of its end */
  struct index_entry *index;
  size_t count, capacity;
  ZSTD_CCtx *zstd;
  /* Called between the slices of a large chunk while eventring_compress runs,
     with [state]; or NULL. */
  void (*meanwhile)(void *state);
  void *state;
  /* Gets whole chunks, with [sink_state], instead of a file; or NULL. */
  eventring_sink *sink;
  void *sink_state;
  int keep;                     /* the sink may not leave out segments */
};

/* Creates the file at [path], for its owner only, and writes its first bytes,
   struct recording_start.  With [replace] 1 an existing file is overwritten,
   with 0 it is an error.  Sets w->created, also after an error.  A file among
   the [count] files [inputs] is not overwritten, even under another name: then
   EVENTRING_E_ARGUMENT is returned, and the file keeps its content.  Before the
   first call the caller sets w->zstd, [meanwhile], [state], [sink] and
   [sink_state], and the other fields to 0; after eventring_end_chunks [w] can
   begin another file.  After
   another error the file may be open; eventring_drop_chunks closes it. */
struct stat;
int eventring_begin_chunks(struct chunk_writer *w, const char *path,
                           int replace, const struct stat *inputs, int count);

/* Writes to the buffer of [options] the message that the output [path] is also
   an input.  Returns EVENTRING_E_SYSTEM. */
int eventring_output_is_read(const struct eventring_options *options,
                             const char *path);

/* Compresses the [size] bytes at [bytes] into *stored, memory that the caller
   frees, calls w->meanwhile between slices, and sets the fields [raw], [stored]
   and [content] of [c] to match.  After an error *stored and [c] are not
   set. */
int eventring_compress(struct chunk_writer *w, struct chunk *c,
                       const void *bytes, size_t size, char **stored);

/* Appends a chunk to the end of the file: [c], as eventring_compress has set
   it, with its sum, and then the c.stored bytes at [stored].  Adds the chunk to
   the index.  When a write fails, cuts the file to its last whole chunk. */
int eventring_append(struct chunk_writer *w, struct chunk c,
                     const char *stored);

/* Compresses the [size] bytes at [bytes] and appends them as a chunk, like
   eventring_compress and eventring_append.  [c] has the chunk's kind, process
   and other fields that do not result from compressing. */
int eventring_write_chunk(struct chunk_writer *w, struct chunk c,
                          const void *bytes, size_t size);

/* Writes the index and the trailer, and closes the file, also after a failure;
   w->fd is then -1.  The memory stays until eventring_drop_chunks. */
int eventring_end_chunks(struct chunk_writer *w);

/* Frees the writer's index and w->zstd, and closes the file, if it is still
   open, without writing to it. */
void eventring_drop_chunks(struct chunk_writer *w);

#endif /* EVENTRING_CHUNKS_H */
