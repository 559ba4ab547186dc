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

/* A profile.proto of pprof. */

#ifndef RENDER_PROFILE_PPROF_H
#define RENDER_PROFILE_PPROF_H

#include <stdbool.h>
#include "profile.h"
#include "profile_origin.h"
#include "sink.h"

/* Writes [profile], which was finished, to [sink], compressed by gzip, with labels
   for thread, domain, request and span; of many processes, without labels, and with
   the files of the code as mappings.  Returns false when there is no memory. */
bool write_pprof(struct sink *sink, const struct profile_origin *origin,
                 const struct profile *profile);

#endif /* RENDER_PROFILE_PPROF_H */
