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

/* The comparison of two processes or recordings. */

#ifndef SERVE_COMPARE_H
#define SERVE_COMPARE_H

#include "answer.h"
#include "query.h"
#include "settings.h"

/* Returns the differences between the two processes of the query, each in its
   window. */
struct answer compare_views(const struct asked *asked);

#endif /* SERVE_COMPARE_H */
