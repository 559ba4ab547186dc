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

/* The batches of runs in the store (doc/RUNS.md), for clients.  The commands of this
   program read them, and a client gets their output with --json. */

#ifndef SERVE_BATCHES_H
#define SERVE_BATCHES_H

#include "answer.h"

/* Returns the batches of the store. */
struct answer answer_batches(const struct asked *asked);

/* Returns the batch of the query, with all its runs. */
struct answer answer_runs(const struct asked *asked);

/* Shows the recording of a run, the body's {"batch", "number"}, like a file; answers with
   its id. */
struct answer open_run(const struct asked *asked);

/* Returns the comparison of the groups of the query with the first of them, or their
   timeline.  At most two clients wait for one at the same time, others are refused. */
struct answer answer_run_comparison(const struct asked *asked);
struct answer answer_run_timeline(const struct asked *asked);

#endif /* SERVE_BATCHES_H */
