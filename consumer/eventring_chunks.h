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
#include <zstd.h>
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

/* Makes the list for the open file [fd], which is the reader's from then on
   (also when it fails).  Returns 0 or an error, with its message. */
int eventring_list_chunks(struct chunk_reader *r, int fd, uint64_t size,
                          const struct eventring_options *o, const char *path);
void eventring_close_chunks(struct chunk_reader *r);

/* Does the same with the list of [other], which is of the same file. */
int eventring_share_chunks(struct chunk_reader *r, int fd,
                           const struct chunk_reader *other,
                           const struct eventring_options *o, const char *path);

/* Returns the chunks of a source that is a recording, else NULL. */
struct eventring_source;
const struct chunk_reader *eventring_recording_chunks(
  const struct eventring_source *source);

/* Reads bytes of the file: 1, or 0 when they are not there. */
int eventring_read_at(const struct chunk_reader *r, uint64_t offset, void *to,
                      uint64_t length);

/* Reads the stored bytes of a chunk to r->stored.  Returns 0,
   EVENTRING_E_DAMAGED or EVENTRING_E_MEMORY. */
int eventring_read_stored(struct chunk_reader *r, const struct index_entry *e);

/* Does the same, and decompresses the stored bytes to r->raw. */
int eventring_read_chunk(struct chunk_reader *r, const struct index_entry *e);

/* Takes the next run of a segment, of which [*size] bytes are left at [*p]:
   its words are at [*words].  Returns 1, 0 at the end of the segment, or
   EVENTRING_E_DAMAGED when the run is impossible for a process with header
   [h]. */
int eventring_next_run(const char **p, size_t *size,
                       const struct eventring_header *h, struct run *run,
                       const uint64_t **words);

/* Returns whether a struct chunk of the file is right, as its own fields and
   its sum show. */
int eventring_possible_chunk(const struct chunk_reader *r, uint64_t offset,
                             const struct chunk *c);

/* Writing.  All functions return 0 or an error; errno has the reason. */
struct chunk_writer {
  int fd;                       /* -1: no file */
  uint64_t offset;              /* of its end */
  struct index_entry *index;
  size_t count, capacity;
  ZSTD_CCtx *zstd;
  /* Called again and again while much is compressed; or NULL. */
  void (*meanwhile)(void *state);
  void *state;
};

/* Makes the file at [path] and writes its first bytes.  With [replace] an
   existing file is overwritten, but never one of the [count] files [inputs], by
   any of its names: then EVENTRING_E_ARGUMENT is returned, and the file stays
   as it is. */
struct stat;
int eventring_begin_chunks(struct chunk_writer *w, const char *path,
                           int replace, const struct stat *inputs, int count);

/* Returns the error, with its message, for an output [path] that is an
   input. */
int eventring_output_is_read(const struct eventring_options *options,
                             const char *path);

/* Compresses [size] bytes to *stored, which the caller frees, and sets the
   fields of [c] that describe them. */
int eventring_compress(struct chunk_writer *w, struct chunk *c,
                       const void *bytes, size_t size, char **stored);

/* Appends a chunk with its stored bytes. */
int eventring_append(struct chunk_writer *w, struct chunk c,
                     const char *stored);

/* Compresses and appends. */
int eventring_write_chunk(struct chunk_writer *w, struct chunk c,
                          const void *bytes, size_t size);

/* Writes index and trailer, and closes the file. */
int eventring_end_chunks(struct chunk_writer *w);

/* Frees the writer's memory, and closes its file if that is still open, without
   writing to it. */
void eventring_drop_chunks(struct chunk_writer *w);

#endif /* EVENTRING_CHUNKS_H */
