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

/* How far back the rings or the recording of a view reach. */

#ifndef SERVE_KEPT_H
#define SERVE_KEPT_H

#include "answer.h"
#include "view.h"

/* Returns the answer to GET kept: of each ring, the time of the
   earliest event that it has now; of a recording, of each domain. */
struct answer answer_kept(const struct asked *asked);

#endif /* SERVE_KEPT_H */
