/* Figures of real runs of programs, as measure-runs writes them, and functions
   that both calibrations call: drawing of rounds, binomial interval, TAP. */

#ifndef REAL_RUNS_H
#define REAL_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include "statistics.h"

#define FIGURES 32

struct real_runs {
  size_t figures;
  size_t count;                       /* of runs */
  char names[FIGURES][32];
  double *values[FIGURES];            /* of each figure, in the order of time */
};

/* Reads [path]; ends the program when it cannot. */
struct real_runs read_runs(const char *path);

/* Fills a batch of [rounds] rounds of the figure [figure] from a block of
   consecutive runs that begins at run [first]: two runs a round, each given to
   a side at random by [labels], one bit a round. */
void draw_rounds(const struct real_runs *runs, size_t figure, size_t first,
                 uint64_t labels, size_t rounds, double *a, double *b);

/* The numbers of hits between which [trials] with probability [chance] stay in
   99 % of cases. */
struct range {
  size_t low, high;
};
struct range binomial_range(size_t trials, double chance);

/* Prints a line of TAP: whether [hits] of [trials] are within the range of
   [chance].  Returns the same. */
bool within_range(const char *name, size_t hits, size_t trials, double chance);

/* Prints a line of TAP. */
bool print_result(bool passed, const char *name);

/* Prints the plan of TAP; returns the exit code. */
int print_plan(void);

#endif
