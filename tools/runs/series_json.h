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

/* Series of versions as JSON. */

#ifndef TOOLS_RUNS_SERIES_JSON_H
#define TOOLS_RUNS_SERIES_JSON_H

#include "runs/series.h"

/* Returns [result] as a new JSON object, described in doc/JSON.md. */
json_t *json_series(const struct timeline_result *result);

#endif /* TOOLS_RUNS_SERIES_JSON_H */
