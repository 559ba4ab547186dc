/* calibrate_changes RUNS SERIES

   Makes series of 100 points from real runs, RUNS of measure-runs, and counts
   the changes that find_change_points reports where there are none, and the steps
   that it misses.  If this breaks, eventring timeline blames a commit that
   changed nothing, or passes over one that did. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "change_points.h"
#include "memory.h"
#include "real_runs.h"

#define POINTS 100
#define LONGEST 130                     /* with points of another machine */
#define MOST_RUNS 15
#define SPIKES_EACH 3

enum kind { PLAIN, SPIKES, DRIFT, MACHINES, KINDS };
static const char *const kinds[] = { "plain", "with spikes", "with drift",
                                     "with machine swaps" };

struct made {
  struct series_point points[LONGEST];
  double values[LONGEST][MOST_RUNS];
  size_t count;
  size_t where[POINTS];                 /* of the points of the first machine */
  double sigma;
  bool correlated;
  size_t spikes[SPIKES_EACH];
};

static double generate_unit(struct generator *g)
{
  return (double) (generate(g) >> 11) / 9007199254740992.;
}

/* Makes a point of [count] consecutive runs from [first] on. */
static void add_point(struct made *m, const struct real_runs *runs,
                      size_t figure, size_t first, size_t count,
                      uint32_t machine)
{
  size_t i = m->count++;
  for (size_t r = 0; r < count; r++)
    m->values[i][r] = runs->values[figure][(first + r) % runs->count];
  m->points[i] = (struct series_point) { m->values[i], count, 10 * (int64_t) i,
                                         machine };
}

static void scale_point(struct made *m, size_t i, double factor)
{
  for (size_t r = 0; r < m->points[i].count; r++) m->values[i][r] *= factor;
}

/* Makes 100 points of 1, 5 or 15 runs of a figure.  The places of the runs are
   drawn for each point, or for each five points together, so that
   their noise is correlated. */
static void make_series(struct made *m, const struct real_runs *runs,
                        enum kind kind, struct generator *g)
{
  static const size_t sizes[] = { 1, 5, 15 };
  size_t figure = generate_below(g, runs->figures);
  size_t size = sizes[generate_below(g, 3)];
  size_t block = generate_below(g, 2) ? 5 : 1, first = 0;
  size_t swap = 20 + generate_below(g, 60);
  double sum = 0, squares = 0;
  m->count = 0;
  m->correlated = block > 1;
  for (size_t i = 0; i < POINTS; i++) {
    if (kind == MACHINES && i == swap)
      for (size_t k = 0; k < 30; k++) {
        add_point(m, runs, figure, generate_below(g, runs->count), size, 2);
        scale_point(m, m->count - 1, 1.25);
      }
    first = i % block == 0 ? generate_below(g, runs->count) : first + size;
    m->where[i] = m->count;
    add_point(m, runs, figure, first, size, 1);
    double y = log(median_of(m->values[m->count - 1], size));
    sum += y;
    squares += y * y;
  }
  m->sigma = sqrt(fmax(squares / POINTS - sum * sum / POINTS / POINTS, 1e-12));

  /* Three single points higher by 5 to 20 sigma, at least five apart. */
  if (kind == SPIKES)
    for (size_t k = 0; k < SPIKES_EACH; k++) {
      m->spikes[k] = 30 * k + 5 + generate_below(g, 25);
      scale_point(m, m->spikes[k], exp(m->sigma * (5 + 15 * generate_unit(g))));
    }
  /* Up or down by 1 to 3 sigma over the whole series. */
  if (kind == DRIFT) {
    double all = m->sigma * (1 + 2 * generate_unit(g));
    if (generate(g) >> 63) all = -all;
    for (size_t i = 0; i < POINTS; i++)
      scale_point(m, i, exp(all * (double) i / POINTS));
  }
}

static bool alarms(const struct made *m, uint64_t seed)
{
  struct change_points *found = find_change_points(m->points, m->count, seed);
  bool alarm = found->count > 0;
  free_change_points(found);
  return alarm;
}

/* An alarm in a series with spikes is theirs if there is none in the same series
   without these points. */
static void null_series(const struct real_runs *runs, enum kind kind,
                        size_t series)
{
  struct generator g = { 100 + kind };
  static struct made m;
  size_t count = 0, anyway = 0;
  for (size_t i = 0; i < series; i++) {
    make_series(&m, runs, kind, &g);
    bool alarm = alarms(&m, i);
    if (alarm && kind == SPIKES) {
      for (size_t k = 0; k < SPIKES_EACH; k++) m.points[m.spikes[k]].count = 0;
      if (alarms(&m, i)) {
        alarm = false;
        anyway++;
      }
    }
    count += alarm;
  }
  if (kind == SPIKES)
    printf("# %zu with an alarm also without the spikes\n", anyway);
  char name[100];
  printf("# %s: %zu of %zu\n", kinds[kind], count, series);
  snprintf(name, sizeof name, "series without a change, %s: %s", kinds[kind],
           kind == SPIKES ? "no alarm by them" : "at most 1 % alarms");
  print_result(count <= (kind == SPIKES ? 0 : series / 100), name);
}

/* Whether a change is found among the first [count] points, at [at] or one point
   of its machine away.  *others counts further changes. */
static bool finds(const struct made *m, size_t count, size_t step, size_t *others)
{
  struct change_points *found = find_change_points(m->points, count, step);
  bool hit = false;
  for (size_t i = 0; i < found->count; i++) {
    size_t index = found->list[i].index;
    bool here = index >= m->where[step - 1] && index <= m->where[step + 1];
    hit |= here;
    *others += !here;
  }
  free_change_points(found);
  return hit;
}

/* Steps of at least 3 sigma: how many there are, how many are found in a series
   that ends with the fifth point after the step, and in the whole series. */
struct tally {
  size_t large, soon, later, others;
};

static void count_step(struct made *m, double size, size_t at, struct tally *t)
{
  size_t none = 0;
  for (size_t j = at; j < POINTS; j++)
    scale_point(m, m->where[j], exp(size));
  t->large++;
  t->soon += finds(m, m->where[at + 4] + 1, at, &none);
  t->later += finds(m, m->count, at, &t->others);
}

static void print_tally(const char *name, const struct tally *t)
{
  printf("# %s: of %zu steps, %zu found within 5 points and %zu among all, at "
         "most 1 away; %zu further changes\n", name, t->large, t->soon, t->later,
         t->others);
}

/* Makes a step of 1, 2, 3 or 5 %, up or down, in each series, and counts in
   [all] the steps of at least 3 sigma.  Instead of smaller ones, which need not be
   found, steps of exactly 3 sigma are made, and reported only: when the noise of
   each five points is correlated, every block is such a step. */
static void step_series(const struct real_runs *runs, enum kind kind,
                        size_t series, struct tally *all)
{
  static const double steps[] = { 0.01, 0.02, 0.03, 0.05 };
  struct generator g = { 200 + kind };
  static struct made m;
  struct tally larger = { 0 }, least[2] = { { 0 }, { 0 } };
  for (size_t i = 0; i < series; i++) {
    make_series(&m, runs, kind, &g);
    size_t at = 20 + generate_below(&g, 60);
    double sign = generate(&g) >> 63 ? 1 : -1, size = log1p(steps[i % 4]);
    bool large = size >= 3 * m.sigma;
    count_step(&m, sign * (large ? size : 3 * m.sigma), at,
               large ? &larger : &least[m.correlated]);
  }
  print_tally(kinds[kind], &larger);
  print_tally("  3 sigma, noise independent", &least[0]);
  print_tally("  3 sigma, noise correlated", &least[1]);
  all->large += larger.large;
  all->soon += larger.soon;
  all->later += larger.later;
  all->others += larger.others;
}

int main(int argc, char **argv)
{
  if (argc != 3) {
    fprintf(stderr, "usage: calibrate_changes RUNS SERIES\n");
    return 2;
  }
  struct real_runs runs = read_runs(argv[1]);
  size_t series = strtoul(argv[2], NULL, 10);
  struct tally all = { 0 };
  for (enum kind kind = PLAIN; kind < KINDS; kind++)
    null_series(&runs, kind, series);
  for (enum kind kind = PLAIN; kind < KINDS; kind++)
    step_series(&runs, kind, series, &all);
  print_result(20 * all.soon >= 19 * all.large,
               "95 % of steps of 3 sigma are found within 5 points, at most 1 "
               "away");
  print_result(20 * all.later >= 19 * all.large,
               "95 % of steps of 3 sigma are at most 1 away in the end");
  print_result(all.others * 100 <= all.large,
               "series with a step have at most 1 % other changes");
  for (size_t i = 0; i < runs.figures; i++) free(runs.values[i]);
  return print_plan();
}
