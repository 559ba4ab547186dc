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

/* The facts in the manifests of runs, and in which of them two groups of runs
   differ.

   A fact is called by the way to it in the manifest, such as git.commit.  The
   facts of a group are a JSON object: for each fact an array of its different
   values.  Facts that vary all the time, such as the load, are left out. */

#ifndef RENDER_FACTS_H
#define RENDER_FACTS_H

#include <jansson.h>

/* Adds the facts of [manifest] to [facts]. */
void add_manifest(json_t *facts, json_t *manifest);

/* Adds the values of all facts in [others] to [facts]. */
void merge_facts(json_t *facts, json_t *others);

/* Returns a new JSON array with an object for each fact with other values in
   [a] than in [b], in any order: its name `fact`, and the arrays `base` and
   `values`, which are empty when there are no values. */
json_t *fact_differences(json_t *a, json_t *b);

#endif /* RENDER_FACTS_H */
