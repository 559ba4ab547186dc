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

/* The results of diagnosis.h as JSON; doc/JSON.md describes it. */

#ifndef RENDER_DIAGNOSIS_JSON_H
#define RENDER_DIAGNOSIS_JSON_H

#include <jansson.h>
#include "diagnosis.h"

/* Returns a new JSON object with the results of [d], which was finished.  The
   caller frees it with json_decref. */
json_t *json_diagnosis(struct diagnosis *d);

#endif /* RENDER_DIAGNOSIS_JSON_H */
