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

/* A saved recording as JSON; doc/JSON.md describes it. */

#ifndef SOURCES_STORE_JSON_H
#define SOURCES_STORE_JSON_H

#include <jansson.h>
#include "store.h"

/* Returns a new JSON object that describes [stored], a recording of the folder
   [store].  The caller frees it with json_decref. */
json_t *json_stored(const char *store, const struct stored *stored);

/* Returns how long the recording [stored] lasted, in nanoseconds; -1 when that
   is not known. */
int64_t stored_duration_ns(const struct stored *stored);

#endif /* SOURCES_STORE_JSON_H */
