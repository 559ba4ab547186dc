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

/* The samples of the last seconds of a process, for a profile of these seconds
   that is made anew each time that it is shown.

     struct live_samples *s = new_live_samples(cursor);
     for each event: live_sample(s, event);
     struct profile *profile = live_profile(s, now, symbols);

   Memory is bounded: of more samples than LIVE_SAMPLES, or of samples with more
   than LIVE_SAMPLE_WORDS words in all, the oldest ones are forgotten. */

#ifndef ANALYSIS_LIVE_SAMPLES_H
#define ANALYSIS_LIVE_SAMPLES_H

#include "eventring_reader.h"
#include "profile.h"

#define LIVE_SAMPLES 65536
#define LIVE_SAMPLE_WORDS (UINT32_C(1) << 21)

struct live_samples;

/* Creates an empty window of the process that [cursor] reads.  Never returns
   NULL (see memory.h).  The caller frees the window with free_live_samples; the
   cursor must stay open while the window is used. */
struct live_samples *new_live_samples(struct eventring_cursor *cursor);
void free_live_samples(struct live_samples *samples);

/* Copies [event] if it is a sample.  The caller passes every event. */
void live_sample(struct live_samples *samples,
                 const struct eventring_event *event);

/* Forgets the samples more than LIVE_WINDOW_NS before [now], and returns the
   finished profile of the others.  [symbols] must stay valid as long as the
   profile, which the caller frees with free_profile before the window. */
struct profile *live_profile(struct live_samples *samples, int64_t now,
                             struct symbols *symbols);

#endif /* ANALYSIS_LIVE_SAMPLES_H */
