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

/* The order of the commits of a repository. */

#ifndef TOOLS_RUNS_ORDER_H
#define TOOLS_RUNS_ORDER_H

#include <jansson.h>
#include <stdint.h>

struct ordered_commit { char *hash, *subject; };

/* Commits from the oldest to the latest; a commit is before its children. */
struct commit_order {
  struct ordered_commit *list;
  size_t count;
  json_t *places;                 /* of each hash in [list] */
};

/* Returns the commits from the common ancestor of [commits], a JSON object with
   hashes as its keys, up to all of them, as the repository at [dir] has them.
   Returns NULL when [dir] is in no repository, or git fails.  Commits that the
   repository does not have are ignored.  The caller frees the result with
   free_commit_order. */
struct commit_order *order_commits(const char *dir, json_t *commits);
void free_commit_order(struct commit_order *order);

/* Returns the place of the commit [hash] in [order], or -1 when it is not there;
   [order] and [hash] may be NULL. */
int64_t place_of_commit(const struct commit_order *order, const char *hash);

#endif /* TOOLS_RUNS_ORDER_H */
