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

/* The findings of diagnose for each process, as the list of processes shows
   them. */

#ifndef SERVE_FINDINGS_H
#define SERVE_FINDINGS_H

#include <jansson.h>
#include "view.h"

/* Diagnoses the process of [view] anew, if that is due, and keeps the titles of
   the findings in it.  To be called by one thread. */
void update_findings(struct view *view);

/* Returns a new JSON object, as `eventring diagnose --json` prints it, of the
   events in the file of [view]; NULL, with the reason in [why], when it cannot
   be read. */
json_t *diagnose_view(struct view *view, char *why, size_t why_size);

/* Returns the same, as update_findings made it last, if it has. */
json_t *last_diagnosis(struct view *view, char *why, size_t why_size);

#endif /* SERVE_FINDINGS_H */
