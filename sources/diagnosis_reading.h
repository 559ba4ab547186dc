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

/* From the events of a cursor to a finished diagnosis. */

#ifndef SOURCES_DIAGNOSIS_READING_H
#define SOURCES_DIAGNOSIS_READING_H

#include "diagnosis.h"

/* begin_diagnosis returns a new diagnosis, never NULL, which gets each event of the
   cursor by take_diagnosis_event; diagnosis_is_quiet is called each time a read
   returned no events, as the function [quiet] of a struct reading.  end_diagnosis
   applies the rules of diagnosis.h, and passes [last] to diagnosis_finish.  The
   caller frees the diagnosis with free_diagnosis before it closes the cursor. */
struct diagnosis *begin_diagnosis(struct eventring_cursor *cursor);
void take_diagnosis_event(void *diagnosis, const struct eventring_event *event);
void diagnosis_is_quiet(void *diagnosis);
void end_diagnosis(struct diagnosis *d, struct eventring_cursor *cursor,
                   const struct headline *last);

#endif /* SOURCES_DIAGNOSIS_READING_H */
