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

/* The words of a block: one decoder of the lengths of events for the reader,
   the recorder and the checker.  Not for users. */

#ifndef EVENTRING_WORDS_H
#define EVENTRING_WORDS_H

#include <stdint.h>
#include "caml/eventring_format.h"

/* Finds the payload of the event that begins at words[next], before words[end]:
   sets *payload to the index of its first word, and *count to its number of
   words.  Returns 1, or 0 when the event does not end at or before words[end];
   *count is then the length that the event claims, or UINT32_MAX. */
static inline int eventring_find_payload(const uint64_t *words, uint32_t next,
                                         uint32_t end, uint32_t *payload,
                                         uint32_t *count)
{
  *count = EVENTRING_WORD_LENGTH(words[next]);
  *payload = next + 1;
  if (__builtin_expect(*count == EVENTRING_LENGTH_LONG, 0)) {
    *count = *payload < end ? (uint32_t) words[*payload] : UINT32_MAX;
    ++*payload;
  }
  return __builtin_expect(*payload <= end && *count <= end - *payload, 1);
}

#endif /* EVENTRING_WORDS_H */
