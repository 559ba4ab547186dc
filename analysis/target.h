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

/* Facts about the process behind a cursor, and the clock of its events. */

#ifndef ANALYSIS_TARGET_H
#define ANALYSIS_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include "eventring_reader.h"

/* Returns the contents of the file's header, and the present state of the
   recording. */
struct eventring_info target_info(struct eventring_cursor *cursor);

/* Returns the present time on the clock of the events. */
int64_t monotonic_ns(void);

/* Returns how long ago the process began to trace. */
int64_t age_ns(const struct eventring_info *info);

/* Returns the CPU time that the process has used since it began; -1: it is not
   known. */
int64_t process_cpu_ns(struct eventring_cursor *cursor);

/* Returns how many events of all rings the cursor will never see. */
uint64_t lost_events(struct eventring_cursor *cursor);

#endif /* ANALYSIS_TARGET_H */
