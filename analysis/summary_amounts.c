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

/* Amounts that follow from a summary's public fields alone. */

#include "summary.h"

struct summary_tally tally_difference(const struct summary_tally *later,
                                      const struct summary_tally *earlier)
{
  struct summary_tally t = *later;
  uint64_t *left = (uint64_t *) &t, *less = (uint64_t *) earlier;
  for (size_t i = 0; i < SUMMARY_AMOUNTS; i++)
    left[i] = left[i] > less[i] ? left[i] - less[i] : 0;
  return t;
}

struct summary_heap summary_heap(const struct summary *s)
{
  struct summary_heap all = { 0 };
  for (uint32_t i = 0; i < s->domain_count; i++) {
    const struct summary_domain *d = s->domains[i];
    if (d->ended || !d->heap.known) continue;
    all.known = true;
    all.pool_words += d->heap.pool_words;
    all.pool_live_words += d->heap.pool_live_words;
    all.pool_free_words += d->heap.pool_free_words;
    all.fragmented_words += d->heap.fragmented_words;
    all.large_words += d->heap.large_words;
    all.custom_words += d->heap.custom_words;
  }
  return all;
}
