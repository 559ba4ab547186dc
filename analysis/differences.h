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

/* The differences between two summaries, of two programs or of one program at
   two times: shares, rates per second, durations and sizes, row by row.

   A rate is per second of the time in which the domain that was watched longest
   was watched, so that runs of different length can be compared. */

#ifndef ANALYSIS_DIFFERENCES_H
#define ANALYSIS_DIFFERENCES_H

#include <stddef.h>
#include "summary.h"

enum difference_unit {
  DIFFERENCE_NS, DIFFERENCE_SHARE, DIFFERENCE_PER_S, DIFFERENCE_BYTES,
  DIFFERENCE_BYTES_PER_S
};

/* Groups of rows.  In the last four, each row has the name of a span, a wait, a
   request or a cause. */
enum difference_group {
  DIFFERENCE_TOTAL, DIFFERENCE_PAUSES, DIFFERENCE_CAUSES, DIFFERENCE_SPANS,
  DIFFERENCE_REQUESTS, DIFFERENCE_WAITS, DIFFERENCE_GROUPS
};

/* The number of names of a group that are compared: those with the most time in
   either run. */
#define DIFFERENCE_NAMES 100

/* The size of the name of a row, with its NUL. */
#define DIFFERENCE_NAME 160

/* A row: [a] and [b] are the number in both runs; NAN when it is not known. */
struct difference {
  enum difference_group group;
  char name[DIFFERENCE_NAME];     /* such as "minor", "collector" or a span */
  const char *measure;            /* "p99", "rate", "share" ... */
  enum difference_unit unit;
  double a, b;
};

struct differences {
  struct difference *rows;
  size_t count, room;
};

/* Compares [a] up to [a_until_ns] with [b] up to [b_until_ns], times as
   summary_tally takes them.  Never returns NULL (see memory.h).  The caller
   frees the result with free_differences; the summaries are not needed by
   then. */
struct differences *new_differences(struct summary *a, int64_t a_until_ns,
                                    struct summary *b, int64_t b_until_ns);
void free_differences(struct differences *differences);

#endif /* ANALYSIS_DIFFERENCES_H */
