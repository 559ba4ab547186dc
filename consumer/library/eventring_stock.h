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

/* The .events files of stock OCaml, for the files that read them.

     eventring_stock.c           translates events to words of ours
     eventring_stock_open.c      opens a file: which process, which version
     eventring_stock_version.c   finds the version in an executable */

#ifndef EVENTRING_STOCK_H
#define EVENTRING_STOCK_H

#include <stddef.h>
#include <stdint.h>
#include "caml/eventring_format.h"
#include "eventring_source.h"

/* The file */

#define LAYOUT_VERSION 1
#define NAME_SIZE 128

struct stock_header {
  uint64_t version;
  uint64_t rings;
  uint64_t ring_header_size;    /* bytes */
  uint64_t ring_size;           /* bytes */
  uint64_t ring_words;
  uint64_t ring_headers;        /* offset */
  uint64_t data;                /* offset */
  uint64_t names;               /* offset; 0 in OCaml 5.0 */
};

struct ring_header {
  uint64_t head, tail;          /* atomic */
};

enum { RUNTIME_INTERNAL, RUNTIME_LIFECYCLE, RUNTIME_BEGIN, RUNTIME_END,
       RUNTIME_COUNTER, RUNTIME_ALLOC };
enum { USER_UNIT, USER_INT, USER_BEGIN, USER_END, USER_CUSTOM };

#define LENGTH(word) ((uint32_t) ((word) >> 54))
#define IS_USER(word) (((word) >> 53 & 1) != 0)
#define TYPE(word) ((uint32_t) ((word) >> 49 & 15))
#define ID(word) ((uint32_t) ((word) >> 36 & 0x1FFF))
#define MAX_LENGTH 1023
#define MAX_USER_EVENTS 8192

/* Our translation of it */

#define BLOCK_WORDS EVENTRING_MAX_BLOCK_WORDS

/* Words of theirs copied at a time. */
#define COPY_WORDS 8192

/* Schema entries: each id once, and the categories. */
#define MAX_SCHEMA (EVENTRING_FIRST_USER_ID + MAX_USER_EVENTS + 32)

struct stock_event;

struct stock_ring {
  uint64_t position;            /* in theirs */
  uint64_t lost;                /* words, not yet told */
  uint64_t *words;              /* BUFFER_WORDS; NULL until there is one */
  uint64_t count;               /* of them, used */
  uint64_t events;              /* translated, and those lost before */
  uint64_t base;                /* of the block being filled */
  uint64_t newest;              /* time translated */
  uint8_t fresh;                /* the next event begins a block */
  uint8_t damaged;              /* its header is, and that has been told */
};

struct stock {
  struct eventring_source source;
  struct stock_header layout;   /* as it was checked */
  struct eventring_header header;
  struct eventring_slot *slots;
  struct eventring_words *words;
  struct eventring_schema_entry *schema;
  struct stock_ring *rings;
  int from_now;
  int alive;                    /* when it was opened */
  int stopping;                 /* "ring_stop" was seen, at: */
  uint64_t stopped;
  const struct stock_event *phases[256], *counters[256]; /* by their id */
  uint8_t described[EVENTRING_FIRST_USER_ID + MAX_USER_EVENTS];
  uint64_t copy[COPY_WORDS];
};

static inline const struct ring_header *ring_header(
  const struct stock *s, uint32_t ring)
{
  return (const struct ring_header *)
    (s->source.map + s->layout.ring_headers + ring * s->layout.ring_header_size);
}

/* eventring_stock.c */

/* Copies words of ring [ring] to s->copy, from *position on, as many as the
   ring has and s->copy holds.  Sets *tail to the tail of the ring.  When the
   words at *position were overwritten, moves *position to the oldest event left
   and adds the number of lost words to *lost.  Returns the number of words
   copied, 0 when there are none at present or the writer overtook each of
   several copies, or -1 when the ring's head and tail are impossible, or the
   tail is before *position. */
int64_t eventring_stock_copy(struct stock *s, uint32_t ring,
                             uint64_t *position, uint64_t *lost,
                             uint64_t *tail);

/* Returns the length in words of the event at s->copy[i].  The copy has [n]
   words, the first from position [position] of the ring; the ring ends at
   position [tail].  Returns 0 when the event goes on after the end of the copy,
   -1 when no writer wrote it.  Does not look at the payload. */
int64_t eventring_stock_length(const struct stock *s, uint64_t position,
                               uint64_t i, uint64_t n, uint64_t tail);

/* Fills s->schema, which must be empty, with the categories and the runtime's
   events, and sets the tables by id, s->phases and s->counters, for the numbers
   of events in OCaml 5.[minor]. */
void eventring_stock_schema(struct stock *s, int minor);

/* Stores in the header that tracing ended at time [ticks], with the state
   [state]: EVENTRING_ENDED or EVENTRING_REPLACED. */
void eventring_stock_end(struct stock *s, uint32_t state, uint64_t ticks);

/* Implements the [advance] of the source: translates the new events of all
   rings, and makes their words visible.  Sets the source's [horizon] and
   [behind].  When the process has stopped tracing or another program writes the
   file, sets the state and end in the header.  Returns 1 when there are new
   words, 0 when there are none, or EVENTRING_E_DAMAGED, with or without new
   words, when a ring has words that no writer writes, which are skipped. */
int eventring_stock_advance(struct eventring_source *source);

/* Finds, in the first 256 MiB of /proc/PID/exe, the version of OCaml, such as
   "5.3.0", that compiled the executable of process [pid].  Writes the version
   to [version], of [size] bytes, and returns its second number, 3 in the
   example; or writes "" and returns -1 when the version cannot be found, or two
   versions are. */
int eventring_stock_version(int pid, char *version, size_t size);

#endif /* EVENTRING_STOCK_H */
