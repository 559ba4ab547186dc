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

#ifndef TOOLS_PACE_H
#define TOOLS_PACE_H

#include <stdint.h>

struct pace {
  uint64_t ring_words;
  long sleep_ns;
};

struct pace new_pace(uint64_t ring_words);

/* After a look that found [words] new words in all rings together: the time
   until the next.  It is a tenth of what the rings would take to fill at this
   rate, and short enough that a sudden start is not missed. */
long next_sleep(struct pace *pace, uint64_t words);

#endif /* TOOLS_PACE_H */
