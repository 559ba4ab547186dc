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

/* The memory that is alive at several moments, by the line that allocated it,
   estimated from samples of allocation.

     struct live_sites *s = new_live_sites(cursor, from_ns, to_ns, moments);
     for each event up to to_ns: live_sites_event(s, event);
     const struct live_sites_result *result = live_sites_result(s, symbols);

   The time is linear in the number of events.  Memory is bounded: of more than
   LIVE_SITES_BLOCKS sampled blocks, the later ones are left out. */

#ifndef ANALYSIS_LIVE_SITES_H
#define ANALYSIS_LIVE_SITES_H

#include "eventring_reader.h"
#include "symbols.h"

#define LIVE_SITES_BLOCKS (UINT32_C(1) << 20)

/* The most moments, and the most sites that have numbers of their own. */
#define LIVE_SITES_MOMENTS 120
#define LIVE_SITES 10

struct live_site {
  const struct frame *frame;    /* the function, its file and line */
  uint64_t bytes[LIVE_SITES_MOMENTS]; /* alive at each moment */
};

struct live_sites_result {
  uint32_t moments;
  int64_t ns[LIVE_SITES_MOMENTS]; /* CLOCK_MONOTONIC; the last is the end */
  int64_t known_ns;             /* before it the bytes are not known: there was
                                   no sampling, or blocks have been freed by
                                   events that were overwritten */
  int64_t known_until_ns;       /* after it they are not known: sampling has ended */
  uint32_t count;               /* of [sites] */
  struct live_site sites[LIVE_SITES]; /* the largest mean first */
  uint64_t other[LIVE_SITES_MOMENTS]; /* bytes of all other sites */
  uint64_t samples;             /* of blocks that were followed */
  uint64_t left_out;            /* samples that are not among [samples]: their
                                   blocks were not followed, there were too many,
                                   or their sum is impossible */
};

struct live_sites;

/* Creates the sites of the process that [cursor] reads, at [moments] moments, 1
   to LIVE_SITES_MOMENTS, that divide the time from [from_ns] to [to_ns] evenly.
   Never returns NULL.  The caller frees them with free_live_sites; the cursor
   must stay open. */
struct live_sites *new_live_sites(struct eventring_cursor *cursor,
                                  int64_t from_ns, int64_t to_ns,
                                  uint32_t moments);
void free_live_sites(struct live_sites *sites);

/* Takes the next event.  The caller passes every event from the first one of the
   cursor on: a block may be older than the first moment. */
void live_sites_event(struct live_sites *sites,
                      const struct eventring_event *event);

/* Finds the lines with [symbols], and returns the result, which is valid until
   free_live_sites or free_symbols.  To be called once, after the last event. */
const struct live_sites_result *live_sites_result(struct live_sites *sites,
                                                  struct symbols *symbols);

#endif /* ANALYSIS_LIVE_SITES_H */
