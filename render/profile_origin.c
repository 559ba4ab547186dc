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

#include "profile_origin.h"
#include "target.h"

struct profile_origin origin_of_process(struct eventring_cursor *cursor)
{
  const struct eventring_info info = target_info(cursor);
  return (struct profile_origin) {
    .cursor = cursor, .lost_events = lost_events(cursor),
    .dropped_samples = info.samples_dropped,
    .sample_period_ns = info.sample_period_ns
  };
}
