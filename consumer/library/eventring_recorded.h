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

/* The words of a recording that are in memory, shown as the words of rings: one
   segment at a time, of a file (eventring_recording.c) or of a stream
   (eventring_stream.c). */

#ifndef EVENTRING_RECORDED_H
#define EVENTRING_RECORDED_H

#include <stddef.h>
#include "eventring_recording.h"
#include "eventring_source.h"

/* Samples of clocks that are kept: the first ones, and the last one. */
#define RECORDED_CLOCKS 256

struct recorded {
  struct eventring_source source; /* the first member, so that a pointer to it
                                     is one to the whole */
  struct eventring_header header;
  struct eventring_slot *slots;
  char *schema;
  size_t schema_size;           /* bytes */
  char *node;
  struct recording_clock clocks[RECORDED_CLOCKS];
  struct eventring_open_span *open_spans;
  uint32_t open_count;
};

/* Appends the content of a SCHEMA chunk, [size] bytes of entries, to the
   schema; leaves out an incomplete last entry.  The schema may move.  Returns 0
   or EVENTRING_E_MEMORY. */
int eventring_take_schema(struct recorded *r, const char *entries, size_t size);

/* Takes the text of a NODE chunk, [size] bytes, in place of an earlier one.  Returns
   0 or EVENTRING_E_MEMORY. */
int eventring_take_node(struct recorded *r, const char *text, size_t size);

/* Takes the samples of a CLOCK chunk, [size] bytes; leaves out an incomplete last
   one.  Returns 0. */
int eventring_take_clocks(struct recorded *r, const char *samples, size_t size);

/* Takes the spans of an OPEN chunk, [size] bytes, in place of earlier ones;
   leaves out an incomplete last one, and those beyond RECORDING_MAX_OPEN.
   Returns 0 or EVENTRING_E_MEMORY. */
int eventring_take_open(struct recorded *r, const char *spans, size_t size);

/* Makes the source show the spans of eventring_take_open if [at_begin] is 1, else
   none. */
void eventring_show_open(struct recorded *r, int at_begin);

/* Returns 1 when two headers are of the same process, and of the same tracing
   of it, else 0. */
int eventring_same_process(const struct eventring_header *a,
                           const struct eventring_header *b);

/* Completes r->header, of a PROCESS chunk, with the offsets and sizes that a
   ring file of its geometry and [capacity] schema entries would have, checks it
   against the same bounds as the header of a ring file, and makes the source
   show the header, the schema and empty rings.  The caller sets the functions
   of the source.  Returns 0 or an error, with its message. */
int eventring_show_recorded(struct recorded *r, uint32_t capacity,
                            const struct eventring_options *o,
                            const char *path);

/* Frees the memory of [r], but not [r] itself. */
void eventring_free_recorded(struct recorded *r);

/* Makes the runs of a segment, [size] bytes at [p], the words of the rings;
   [shift] is added to their positions.  The bytes must stay until
   eventring_no_words; a ring without a run is not changed.  Returns 0, or
   EVENTRING_E_DAMAGED at the first run that eventring_next_run refuses; the runs
   before it are taken then, and the caller is to call eventring_no_words.  Does
   not check that the positions of a ring increase. */
int eventring_take_segment(struct recorded *r, const char *p, size_t size,
                           uint64_t shift);

/* Makes all rings empty: the words shown so far are not in memory any more. */
void eventring_no_words(struct recorded *r);

/* Takes from [header] those fields that change while a process runs. */
void eventring_take_header(struct recorded *r,
                           const struct eventring_header *header);

#endif /* EVENTRING_RECORDED_H */
