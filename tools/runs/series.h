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

/* Series of runs over the versions of a program, and the changes of their
   figures.

   A series has the runs of one program with the same arguments on one machine.
   Its versions are in the order of their commits, if a repository has all of
   them, else in the order in which they first ran.  Changes of several figures
   at the same place are one shift of the series. */

#ifndef TOOLS_RUNS_SERIES_H
#define TOOLS_RUNS_SERIES_H

#include "change_points.h"
#include "runs/groups.h"
#include "runs/order.h"

/* The fewest versions of a series in which a change can be found. */
#define SERIES_LEAST (CHANGE_STAYS + CHANGE_LEAST)

/* Changes below this share are not listed. */
#define SMALLEST_STEP 0.001

/* The values of one figure in the runs of one version. */
struct version_values { double *list; size_t count, room; };

/* The runs of a version.  [commit] is NULL if it is not known, [subject] if the
   order of commits is not known.  [position] is the place of the commit, or of
   the version in the series when it is ordered by time. */
struct version {
  const char *commit, *subject, *started;
  const char *name;               /* the commit, cut, or the name of a group */
  char short_commit[16];
  int64_t position;
  json_t *facts;
  size_t runs;
};

/* A change of a figure.  It is listed when its p value, corrected for all figures
   of all series, is at most 0.05, and its step is large enough. */
struct figure_change {
  struct change_point point;      /* its indices are versions */
  double p, adjusted_p;
  double median_before, median_after;   /* medians of the versions' medians */
  bool listed;
};

/* A figure of a series; [values], [medians] and [outliers] are by version.  The
   median is NAN when no run has a value. */
struct figure_series {
  const char *name, *unit;
  enum metric_direction direction;
  struct version_values *values;
  double *medians;
  bool *outliers;
  size_t points;                  /* versions with a value */
  bool searched;                  /* for changes: asked for, enough points */
  struct figure_change *changes;
  size_t change_count;
};

/* Listed changes whose ranges overlap.  [low] to [high] is in all ranges,
   [index] the most likely first version after it. */
struct shift {
  size_t before, low, index, high;
  size_t from, to;                /* versions next to it on both sides up to the
                                     next shifts; [to] is not among them */
  struct shift_member { size_t figure, change; } *members;
  size_t count, room;
};

struct series {
  char *name;                     /* label and arguments */
  const char *machine;            /* the key; "" if it is not known */
  const char *processor;
  const json_t *plan;             /* batch.json of the last version, or NULL */
  struct version *versions;
  size_t count;
  size_t runs, failed;
  bool by_commits;
  const struct commit_order *order;     /* of the repository, or NULL */
  struct figure_series *figures;
  size_t figure_count;
  struct shift *shifts;
  size_t shift_count;
};

struct timeline_result {
  struct series *list;            /* by name, then as the first runs */
  size_t count;
  size_t searched;                /* figures of all series, and their changes */
  size_t uncertain, small;        /* changes that are not listed */
  json_t *warnings;               /* texts of one line */
  json_t *plans;                  /* batch.json by folder, or null */
  struct commit_order **orders;   /* of each series */
};

/* Makes series of [groups], which were read and must outlive the result, and
   looks for changes of the figures that match one of [patterns], up to NULL; of
   all but the functions if there is none.  The caller frees the result with
   free_series. */
struct timeline_result *make_series(const struct run_groups *groups,
                                    const char *const *patterns);
void free_series(struct timeline_result *result);

/* Returns whether a figure of a run matches [pattern]. */
bool has_matching_figure(const struct timeline_result *result,
                         const char *pattern);

#endif /* TOOLS_RUNS_SERIES_H */
