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

/* How long to sleep between two looks at rings that fill. */

#ifndef ANALYSIS_POLL_INTERVAL_H
#define ANALYSIS_POLL_INTERVAL_H

#include <stdint.h>

/* Returns how long to sleep before the next read of the rings, in nanoseconds:
   the time until a quarter of a ring of [ring_words] words is full at the
   present rate, which is [words] words in [passed] nanoseconds.  The result is
   between 50 us and 2 ms, so that a reader does not miss a sudden start; 2 ms
   if [words] is 0. */
long poll_interval_ns(uint64_t ring_words, uint64_t words, int64_t passed);

#endif /* ANALYSIS_POLL_INTERVAL_H */
