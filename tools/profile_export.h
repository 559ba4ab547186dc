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

/* Profiles in the formats of other programs. */

#ifndef TOOLS_PROFILE_EXPORT_H
#define TOOLS_PROFILE_EXPORT_H

#include <jansson.h>
#include "common.h"
#include "profile.h"
#include "profile_origin.h"

/* Writes a flame graph of [profile] to a new file at [path]: one page of HTML
   that needs no other file.  With [base], which may be NULL, colours show the
   difference to that profile, which the page calls [base_name]; if that is NULL,
   the growth since then.  An existing file is overwritten only if [force] is
   true.  Returns STATUS_OK, or STATUS_CANNOT_WRITE with a message. */
enum status write_flame(const char *path, bool force,
                        const struct profile_origin *origin,
                        const struct profile *profile,
                        const struct profile *base, const char *base_name);

/* Returns the first [max] entries of a table of [profile], as JSON.  The caller
   owns the result. */
json_t *json_profile_table(const struct profile *profile, enum profile_by by,
                           size_t max);

/* Prints [profile] as JSON, compared with [base] if that is not NULL. */
void print_profile_json(const struct profile_origin *origin,
                        const struct profile *profile,
                        const struct profile *base);

#endif /* TOOLS_PROFILE_EXPORT_H */
