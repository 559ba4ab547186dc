/* calibrate RUNS BATCHES

   Compares batches of real runs of the same program, RUNS of measure-runs, and
   counts how often rank_test and ratio_interval are wrong: they should be in 5 %
   of batches.  A batch is a block of consecutive runs, so that it has the slow
   changes and the outliers of a real machine.  If this breaks, "slower" has
   another chance to be wrong than eventring compare promises. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "rank_test.h"
#include "ratio_interval.h"
#include "real_runs.h"

#define MOST 40                         /* rounds; labels are bits of 64 */
static const size_t sizes[] = { 6, 8, 10, 15, 20, 30, 40 };
#define SIZES (sizeof sizes / sizeof *sizes)

/* Draws the place of a batch of [rounds]. */
static size_t draw_block(const struct real_runs *runs, size_t rounds,
                         struct generator *g)
{
  return generate_below(g, runs->count - 2 * rounds + 1);
}

/* Prints the share of hits for each number of rounds. */
static void print_sizes(const size_t *hits, const size_t *tried)
{
  for (size_t i = 0; i < SIZES; i++)
    if (tried[i] > 0)
      printf("# %zu rounds: %.1f %% of %zu\n", sizes[i],
             100 * (double) hits[i] / (double) tried[i], tried[i]);
}

static bool is_time(const struct real_runs *runs, size_t figure)
{
  return strstr(runs->names[figure], "faults") == NULL;
}

/* Counts the batches in which any figure is significant.  Batches of less than
   10 rounds are left out: with few rounds, p values are coarse, and smaller than
   5 % divided by the number of figures in less than 5 % of batches. */
static void significant_batches(const struct real_runs *runs, size_t batches)
{
  struct generator g = { 18 };
  double a[MOST], b[MOST], p[FIGURES];
  size_t family = 0, alone = 0, tests = 0;
  size_t of_size[SIZES] = { 0 }, tried[SIZES] = { 0 };
  while (tests < batches * runs->figures) {
    size_t size = generate_below(&g, SIZES), rounds = sizes[size];
    if (rounds < 10) continue;
    size_t first = draw_block(runs, rounds, &g);
    uint64_t labels = generate(&g);     /* a run has all its figures */
    for (size_t f = 0; f < runs->figures; f++) {
      draw_rounds(runs, f, first, labels, rounds, a, b);
      p[f] = rank_test(&(struct sides) {
        .a = a, .b = b, .a_count = rounds, .b_count = rounds, .rounds = true });
      alone += p[f] <= 0.05;
      tests++;
    }
    adjust_p_values(p, runs->figures);
    bool any = false;
    for (size_t f = 0; f < runs->figures; f++) any |= p[f] <= 0.05;
    family += any;
    of_size[size] += any;
    tried[size]++;
  }
  printf("# %.2f %% of %zu single tests are significant\n",
         100 * (double) alone / (double) tests, tests);
  print_sizes(of_size, tried);
  within_range("family-wise, 5 % of batches of equal programs are significant",
               family, batches, 0.05);
}

/* Returns whether the interval of a batch contains the injected ratio. */
static bool covers(const struct real_runs *runs, size_t figure, size_t rounds,
                   double effect, struct generator *g)
{
  double a[MOST], b[MOST];
  draw_rounds(runs, figure, draw_block(runs, rounds, g), generate(g), rounds, a,
              b);
  for (size_t i = 0; i < rounds; i++) b[i] *= effect;
  struct ratio_interval r =
    ratio_interval(&(struct sides) {
        .a = a, .b = b, .a_count = rounds, .b_count = rounds, .rounds = true });
  return r.low <= effect * (1 + 1e-6) && effect <= r.high * (1 + 1e-6);
}

static size_t draw_figure(const struct real_runs *runs, bool time,
                          struct generator *g)
{
  size_t figure;
  do figure = generate_below(g, runs->figures);
  while (is_time(runs, figure) != time);
  return figure;
}

/* Returns the number of intervals of [batches] of [least] to [most] rounds that
   contain the injected ratio. */
static size_t count_hits(const struct real_runs *runs, size_t batches,
                         size_t least, size_t most, double effect,
                         struct generator *g)
{
  size_t hits = 0, made = 0, of_size[SIZES] = { 0 }, tried[SIZES] = { 0 };
  while (made < batches) {
    size_t size = generate_below(g, SIZES);
    if (sizes[size] < least || sizes[size] > most) continue;
    bool hit = covers(runs, draw_figure(runs, true, g), sizes[size], effect, g);
    tried[size]++;
    of_size[size] += hit;
    hits += hit;
    made++;
  }
  print_sizes(of_size, tried);
  return hits;
}

/* From 10 rounds on, the levels that a rank test can have are close to 5 %. */
static void coverage(const struct real_runs *runs, size_t batches, double effect)
{
  struct generator g = { (uint64_t) (effect * 1000) };
  size_t hits = count_hits(runs, batches, 10, MOST, effect, &g);
  char name[100];
  snprintf(name, sizeof name,
           "95 %% of intervals contain the ratio of an effect of %.0f %%",
           100 * (effect - 1));
  within_range(name, hits, batches, 0.95);
}

/* With fewer, the next level below 5 % is taken: 3.1 % of 6 rounds. */
static void coverage_of_few(const struct real_runs *runs, size_t batches)
{
  struct generator g = { 6 };
  size_t hits = count_hits(runs, batches, 0, 9, 1.02, &g);
  print_result(hits >= binomial_range(batches, 0.95).low,
               "at least 95 % of intervals of few rounds contain the ratio");
}

/* Numbers with few values, such as page faults: the interval is closed, so its
   ends are often the true ratio itself. */
static void coverage_of_counts(const struct real_runs *runs, size_t batches)
{
  struct generator g = { 7 };
  size_t hits = 0;
  for (size_t i = 0; i < batches; i++)
    hits += covers(runs, draw_figure(runs, false, &g),
                   sizes[generate_below(&g, SIZES)], 1.02, &g);
  printf("# %.2f %% of %zu\n", 100 * (double) hits / (double) batches, batches);
  print_result(hits >= binomial_range(batches, 0.95).low,
               "at least 95 % of intervals of numbers with few values contain "
               "the ratio");
}

/* Injects the smallest change of a batch into the same runs, given to the sides
   anew: 80 % of the intervals should exclude 1. */
static void power(const struct real_runs *runs, size_t batches)
{
  struct generator g = { 80 };
  double a[MOST], b[MOST];
  size_t shown = 0;
  for (size_t i = 0; i < batches; i++) {
    size_t figure = draw_figure(runs, true, &g);
    size_t rounds = sizes[generate_below(&g, SIZES)];
    size_t first = draw_block(runs, rounds, &g);
    struct sides sides = { .a = a, .b = b, .a_count = rounds, .b_count = rounds,
                           .rounds = true };
    draw_rounds(runs, figure, first, generate(&g), rounds, a, b);
    struct ratio_interval r = ratio_interval(&sides);
    double effect = 1 + smallest_change(&r);
    draw_rounds(runs, figure, first, generate(&g), rounds, a, b);
    for (size_t k = 0; k < rounds; k++) b[k] *= effect;
    r = ratio_interval(&sides);
    shown += r.low > 1;
  }
  double share = (double) shown / (double) batches;
  printf("# %.1f %% of %zu\n", 100 * share, batches);
  print_result(share >= 0.75 && share <= 0.85,
               "the smallest change is shown in 75 to 85 % of batches");
}

int main(int argc, char **argv)
{
  if (argc != 3) {
    fprintf(stderr, "usage: calibrate RUNS BATCHES\n");
    return 2;
  }
  struct real_runs runs = read_runs(argv[1]);
  size_t batches = strtoul(argv[2], NULL, 10);
  significant_batches(&runs, batches);
  coverage(&runs, batches, 1);
  coverage(&runs, batches, 1.01);
  coverage(&runs, batches, 1.02);
  coverage(&runs, batches, 1.05);
  coverage_of_few(&runs, batches);
  coverage_of_counts(&runs, batches);
  power(&runs, batches);
  for (size_t i = 0; i < runs.figures; i++) free(runs.values[i]);
  return print_plan();
}
