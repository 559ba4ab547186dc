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

/* The data of a recorder: eventring_recorder.c decides when rings are copied
   and writes the file, eventring_recorder_rings.c copies and counts,
   eventring_recorder_open.c follows open spans, eventring_recorder_events.c lets
   a cursor read the copied events.  Not for users. */

#ifndef EVENTRING_RECORDER_H
#define EVENTRING_RECORDER_H

#include "eventring_chunks.h"
#include "eventring_reader.h"
#include "eventring_source.h"

/* Copying is much faster than compressing.  So rings are looked at while a
   segment is compressed as well, and their new words wait in memory, up to so
   many; further words wait in the rings. */
#define WAITING_WORDS ((uint64_t) 1 << 22)

/* How far a ring has come. */
struct mark {
  uint64_t index;               /* events of the ring before; RECORDING_ANY: not
                                   known, since none was seen */
  uint64_t events, lost;        /* copied and missed since the recorder began */
};

struct copied {                 /* of a ring */
  uint64_t *words;
  uint64_t capacity;
  uint64_t used;                /* the most words of the last segments */
  uint64_t count;               /* words there are */
  uint64_t sent;                /* of them, in a segment before */
  uint64_t first;               /* position in the recording of words[0], the
                                   beginning of a block */
  uint64_t position;            /* in the ring, where to go on */
  uint64_t events;              /* copied, without the events of the last
                                   block */
  uint64_t lost;
  struct mark begin;            /* of the file */
  struct mark window;           /* before the first segment of the window */
  struct mark horizon, end;     /* of the last segment: at its horizon, and with
                                   all of its words */
  int held_back;                /* there is more in the ring */
  int late;                     /* the last segment has events of it that are
                                   of after its horizon */
};

/* A segment that is held, or of the window, and how far the rings had come with
   it. */
struct packet {
  struct packet *next;
  struct chunk chunk;
  char *stored;
  struct mark marks[];
};

struct eventring_recorder {
  struct eventring_cursor *cursor;
  struct eventring_source *source;
  struct eventring_record_options options;
  char *path;
  struct chunk_writer file;
  int failed;                   /* the error that ended it, or 0 */
  int broken;                   /* the error that ended the file only, or 0 */
  int broken_told;              /* a step has returned it */
  int ended;
  struct eventring_record_totals done; /* in files before the present one */

  struct copied *rings;
  uint64_t words;               /* copied and in no segment yet */
  uint64_t copied;              /* since it began */
  int stepped;                  /* a step was made */
  int flush_wanted;             /* the program has asked for a flush that is not
                                   complete */
  int64_t since_ns;             /* when the last segment was written */
  uint64_t flushes;             /* that the program had asked for then */
  uint64_t horizon;
  int64_t horizon_ns;
  int64_t from_ns;              /* when the present file begins: at the last
                                   horizon before it, or hold_ns before its first;
                                   0: not known */
  uint32_t schema_count;        /* entries in the present file */
  uint32_t schema_limit;        /* no more than these are written */

  int hold;
  struct packet *held, **held_end; /* with the option window_bytes, the window */
  uint64_t held_bytes;          /* compressed */

  char *note, *node;
  int64_t clock_ns;             /* when the last sample of the clocks was made */
  struct open_spans *open;      /* NULL: no receiver can join */
  struct copied_events *events; /* NULL: no cursor reads them */
  char *raw;                    /* of the chunk being made */
  size_t raw_capacity;
  size_t raw_used;              /* by the largest of the last chunks */
  uint32_t segments;            /* since memory was given back */
};

/* Stops the recorder: makes the error code [error] its failure, in place of any
   earlier one, and writes a message that begins with [what], such as "cannot
   write", and has the path and the reason.  errno must still be that of the
   failure, unless [error] is EVENTRING_E_MEMORY.  Returns [error]. */
int eventring_give_up(struct eventring_recorder *r, int error,
                      const char *what);

/* Returns the index of the first word of the block that the last of [count]
   copied words is in; 0 when [count] is 0. */
uint64_t eventring_last_block(const struct eventring_recorder *r,
                              uint64_t count);

/* Returns the number of events that ring [c] had up to time [horizon] in ticks,
   and the numbers of events copied and missed until then since the recorder
   began, as the copied words show.  Returns c->begin when no words were
   copied. */
struct mark eventring_mark_of(const struct eventring_recorder *r,
                              const struct copied *c, uint64_t horizon);

/* Returns the index in c->words of the block that time [horizon] (ticks) falls
   into: the last block that begins at or before that time, or 0 when none
   does. */
uint64_t eventring_horizon_block(const struct eventring_recorder *r,
                                 const struct copied *c, uint64_t horizon);

/* Copies the new words of all rings, one turn each.  Returns 1 when a ring has
   more words, 0 when none has, or the error that stopped the recorder. */
int eventring_copy_rings(struct eventring_recorder *r);

/* Counts a segment that is about to be made.  After some segments, gives back
   the memory that none of them has used: a program that wrote much at once may
   be quiet for hours.  The content of r->raw may be gone then; the copied words
   stay. */
void eventring_give_back(struct eventring_recorder *r);

/* Returns a new table of the open spans of the rings of [r], of which none is open;
   NULL when there is no memory. */
struct open_spans *eventring_new_open(const struct eventring_recorder *r);
void eventring_free_open(struct open_spans *open);

/* Takes the begins and ends of spans in the copied words of ring [ring] into
   r->open: those after the last call, up to time [horizon] in ticks. */
void eventring_follow_open(struct eventring_recorder *r, uint32_t ring,
                           uint64_t horizon);

/* Lists the spans that are open at the last horizon, in the order of their begins,
   and returns their number. */
uint32_t eventring_list_open(struct eventring_recorder *r);

/* Copies the first [count] spans of the list to [to]. */
void eventring_copy_open(const struct eventring_recorder *r,
                         struct eventring_open_span *to, uint32_t count);

/* Keeps a copy of the segment in r->raw, [size] bytes with the horizon
   [horizon], until the cursor of eventring_record_events shows it.  Returns 0
   or EVENTRING_E_MEMORY. */
int eventring_keep_events(struct eventring_recorder *r, size_t size,
                          uint64_t horizon);

/* Returns 1 when there is a cursor of eventring_record_events that does not show
   the last segment yet, else 0. */
int eventring_has_unread(const struct eventring_recorder *r);

#endif /* EVENTRING_RECORDER_H */
