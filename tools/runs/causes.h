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

/* Causes that a shift of a series may have, and the commits to run next. */

#ifndef TOOLS_RUNS_CAUSES_H
#define TOOLS_RUNS_CAUSES_H

#include "runs/series.h"

/* A commit after the last version before a shift. */
struct cause_commit {
  const char *hash, *subject;
  bool measured;
  bool likely;                    /* after the version before the most likely
                                     first version, and not after that one */
};

/* The share of a function in the processor time before and after a shift. */
struct cause_function {
  const char *name;
  double before, after, p, adjusted_p;
};

/* The candidates of a shift.  [manifest] is a result of fact_differences without
   the facts that differ for each version; [functions] are those whose share
   differs, the largest difference first. */
struct causes {
  struct cause_commit *commits;
  size_t commit_count;
  json_t *manifest;
  struct cause_function *functions;
  size_t function_count;
};

/* Returns the candidates of [shift].  The texts belong to [s].  The caller frees
   the result with free_causes. */
struct causes find_causes(const struct series *s, const struct shift *shift);
void free_causes(struct causes *causes);

/* The most commits that next_commits returns. */
#define NEXT_COMMITS 3

/* Writes the commits to run next to narrow down [shift], the most useful one
   first; returns their number.  Commits that could not be built are left out. */
size_t next_commits(const struct series *s, const struct shift *shift,
                    const struct ordered_commit *commits[NEXT_COMMITS]);

/* Returns the command line that runs [commit], as the last batch of [s] ran its
   commits, for a shell in the repository's folder, which is in *folder as a new
   text; NULL when there is no such batch.  The caller frees both. */
char *next_command(const struct series *s, const struct ordered_commit *commit,
                   char **folder);

#endif /* TOOLS_RUNS_CAUSES_H */
