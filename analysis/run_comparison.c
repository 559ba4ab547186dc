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

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "rank_test.h"
#include "run_comparison.h"

/* Values of one metric, of runs that have it, with their nodes and rounds. */
struct column {
  struct cell {
    double value;
    size_t node;
    int64_t round;
    size_t samples;
    double variance;
  } *cells;
  size_t count;
};

/* Returns the metric [name] of [run], or NULL.  Most runs have it at the index
   [guess]. */
static const struct metric *metric_of(const struct run_metrics *run,
                                      const char *name, size_t guess)
{
  if (guess < run->count && strcmp(run->metrics[guess].name, name) == 0)
    return &run->metrics[guess];
  for (size_t i = 0; i < run->count; i++)
    if (strcmp(run->metrics[i].name, name) == 0) return &run->metrics[i];
  return NULL;
}

static int compare_cells(const void *x, const void *y)
{
  const struct cell *a = x, *b = y;
  if (a->node != b->node) return a->node < b->node ? -1 : 1;
  return (a->round > b->round) - (a->round < b->round);
}

/* Returns the values of the metric [name], in the order of nodes and rounds; without
   [nodes], all values have the node 0.  [guess] is an index for metric_of.  The caller
   frees the cells. */
static struct column new_column(const struct run_batch *batch, const char *name,
                                bool nodes, size_t guess)
{
  struct column c = { .cells = allocate(batch->count, sizeof *c.cells) };
  for (size_t i = 0; i < batch->count; i++) {
    const struct run_metrics *run = &batch->runs[i];
    const struct metric *m = metric_of(run, name, guess);
    if (m != NULL && !isnan(m->value))
      c.cells[c.count++] = (struct cell) { m->value, nodes ? run->node : 0,
                                           run->round, m->samples, m->variance };
  }
  if (c.count > 1) qsort(c.cells, c.count, sizeof *c.cells, compare_cells);
  return c;
}

/* Leaves the cells of [a] and [b] that are of the same round, once each. */
static void keep_pairs(struct column *a, struct column *b)
{
  size_t i = 0, j = 0, kept = 0;
  while (i < a->count && j < b->count) {
    int order = compare_cells(&a->cells[i], &b->cells[j]);
    if (order < 0) i++;
    else if (order > 0) j++;
    else {
      a->cells[kept] = a->cells[i++];
      b->cells[kept++] = b->cells[j++];
    }
  }
  a->count = b->count = kept;
}

/* Returns the index of the first cell of [c] after [from] that is of another node. */
static size_t node_end(const struct column *c, size_t from)
{
  size_t end = from;
  while (end < c->count && c->cells[end].node == c->cells[from].node) end++;
  return end;
}

/* The values that both batches have on each node: how many. */
struct node_counts { size_t *a, *b, nodes; };

/* Moves the cells from [from] up to [end] of [c] to the place *kept, which is not
   after them, and adds their number to *kept. */
static void keep_cells(struct column *c, size_t from, size_t end, size_t *kept)
{
  for (size_t i = from; i < end; i++) c->cells[(*kept)++] = c->cells[i];
}

/* Leaves the cells of [a] and [b] that are of nodes which both have, and returns how
   many there are of each node.  The caller frees the arrays. */
static struct node_counts keep_shared_nodes(struct column *a, struct column *b)
{
  struct node_counts n = { allocate(a->count, sizeof *n.a),
                           allocate(a->count, sizeof *n.b), 0 };
  size_t i = 0, j = 0, a_kept = 0, b_kept = 0;
  while (i < a->count && j < b->count) {
    size_t a_end = node_end(a, i), b_end = node_end(b, j),
      a_node = a->cells[i].node, b_node = b->cells[j].node;
    if (a_node == b_node) {
      n.a[n.nodes] = a_end - i;
      n.b[n.nodes++] = b_end - j;
      keep_cells(a, i, a_end, &a_kept);
      keep_cells(b, j, b_end, &b_kept);
    }
    if (a_node <= b_node) i = a_end;
    if (b_node <= a_node) j = b_end;
  }
  a->count = a_kept;
  b->count = b_kept;
  return n;
}

/* Returns whether both batches have runs on a node, perhaps on none. */
static bool share_node(const struct run_batch *a, const struct run_batch *b)
{
  for (size_t i = 0; i < a->count; i++)
    for (size_t j = 0; j < b->count; j++)
      if (a->runs[i].node == b->runs[j].node) return true;
  return false;
}

static double *values_of(const struct column *c)
{
  double *values = allocate(c->count, sizeof *values);
  for (size_t i = 0; i < c->count; i++) values[i] = c->cells[i].value;
  return values;
}

/* Returns the sum of the squares of the differences between the values of [c] and
   the means of their nodes, and sets *nodes to the number of nodes. */
static double squares_of(const struct column *c, size_t *nodes)
{
  double squares = 0;
  *nodes = 0;
  for (size_t from = 0, end; from < c->count; from = end) {
    double sum = 0;
    end = node_end(c, from);
    for (size_t i = from; i < end; i++) sum += c->cells[i].value;
    double mean = sum / (double) (end - from);
    for (size_t i = from; i < end; i++)
      squares += (c->cells[i].value - mean) * (c->cells[i].value - mean);
    (*nodes)++;
  }
  return squares;
}

/* Returns the variances of a column.  The variance of a mean within a run, which
   is [variance] / [samples], is a part of the variance of the values. */
static struct variance_parts variances_of(const struct column *c)
{
  double inside = 0, free_samples = 0, of_means = 0;
  size_t nodes;
  for (size_t i = 0; i < c->count; i++) {
    const struct cell *cell = &c->cells[i];
    if (cell->samples < 2) continue;
    inside += (double) (cell->samples - 1) * cell->variance;
    free_samples += (double) (cell->samples - 1);
    of_means += cell->variance / (double) cell->samples;
  }
  double squares = squares_of(c, &nodes), n = (double) c->count;
  return (struct variance_parts) {
    .within = free_samples > 0 ? inside / free_samples : NAN,
    .between = c->count > nodes
      ? fmax(squares / (n - (double) nodes) - of_means / n, 0) : NAN
  };
}

/* Returns the verdict on values that have no ratio, such as counts that are
   mostly 0. */
static struct verdict verdict_without_ratio(const struct comparison_row *row)
{
  double a = row->interval.median_a, b = row->interval.median_b;
  if (row->adjusted_p <= 0.05 && a != b)
    return (struct verdict) { .kind = b < a ? VERDICT_LESS : VERDICT_MORE };
  return (struct verdict) {
    .kind = row->variance_a.between == 0 && row->variance_b.between == 0
            && a == b ? VERDICT_SAME : VERDICT_UNKNOWN };
}

/* Fills all of [row] but [adjusted_p] and [verdict].  [guess] is an index for
   metric_of. */
static void compare_metric(struct comparison_row *row,
                           const struct run_batch *batches, bool rounds,
                           size_t guess)
{
  const bool nodes = share_node(&batches[0], &batches[row->batch]);
  struct column a = new_column(&batches[0], row->name, nodes, guess);
  struct column b = new_column(&batches[row->batch], row->name, nodes, guess);
  struct node_counts counts = { .nodes = 0 };
  if (rounds) keep_pairs(&a, &b);
  else counts = keep_shared_nodes(&a, &b);
  double *a_values = values_of(&a), *b_values = values_of(&b);
  struct sides sides = { .a = a_values, .b = b_values, .a_count = a.count,
                         .b_count = b.count, .rounds = rounds,
                         .a_counts = counts.a, .b_counts = counts.b,
                         .nodes = counts.nodes };
  row->a_runs = a.count;
  row->b_runs = b.count;
  row->interval = ratio_interval(&sides);
  row->smallest_change = smallest_change(&row->interval);
  row->p = rank_test(&sides);
  row->variance_a = variances_of(&a);
  row->variance_b = variances_of(&b);
  free(counts.a);
  free(counts.b);
  free(b_values);
  free(a_values);
  free(b.cells);
  free(a.cells);
}

/* Returns the number of runs of each batch with which a difference in every run
   can be significant among [tests] metrics: the p value of that
   is 2 divided by the number of ways to share out the runs. */
static size_t least_runs(size_t tests, bool rounds)
{
  size_t runs = 1;
  double ways = 2;
  while (2 / ways * (double) tests > 0.05) {
    runs++;
    ways *= rounds ? 2 : (4 * (double) runs - 2) / (double) runs;
  }
  return runs;
}

static struct verdict verdict_of(const struct comparison_row *row, size_t least,
                                 double margin)
{
  if (isnan(row->interval.ratio)) return verdict_without_ratio(row);
  size_t runs = row->a_runs < row->b_runs ? row->a_runs : row->b_runs;
  struct verdict verdict = ratio_verdict(&row->interval, row->adjusted_p, runs,
                                         margin);
  if (verdict.kind == VERDICT_UNKNOWN && runs + verdict.runs < least)
    verdict.runs = least - runs;
  return verdict;
}

/* Returns whether the rows from [first] on have the metric [name]. */
static bool has_row(const struct run_comparison *comparison, size_t first,
                    const char *name, size_t guess)
{
  if (first + guess < comparison->count
      && strcmp(comparison->rows[first + guess].name, name) == 0)
    return true;
  for (size_t i = first; i < comparison->count; i++)
    if (strcmp(comparison->rows[i].name, name) == 0) return true;
  return false;
}

/* Removes the rows from [first] on of metrics that one of both batches does not
   have. */
static void remove_empty_rows(struct run_comparison *comparison, size_t first)
{
  size_t kept = first;
  for (size_t i = first; i < comparison->count; i++) {
    struct comparison_row row = comparison->rows[i];
    if (row.a_runs > 0 && row.b_runs > 0) comparison->rows[kept++] = row;
  }
  comparison->count = kept;
}

/* Adds a row for each metric of A that [batch] has too. */
static void add_rows(struct run_comparison *comparison, size_t *room,
                     const struct run_batch *batches, size_t batch, bool rounds)
{
  size_t first = comparison->count;
  for (size_t i = 0; i < batches[0].count; i++) {
    const struct run_metrics *run = &batches[0].runs[i];
    for (size_t j = 0; j < run->count; j++) {
      const struct metric *m = &run->metrics[j];
      if (has_row(comparison, first, m->name, j)) continue;
      struct comparison_row row = { .name = m->name, .unit = m->unit,
                                    .direction = m->direction, .batch = batch };
      compare_metric(&row, batches, rounds, j);
      comparison->rows = with_room(comparison->rows, comparison->count, room,
                                   sizeof *comparison->rows);
      comparison->rows[comparison->count++] = row;
    }
  }
  remove_empty_rows(comparison, first);
}

struct run_comparison *compare_batches(const struct run_batch *batches,
                                       size_t count, bool rounds, double margin)
{
  struct run_comparison *comparison = allocate(1, sizeof *comparison);
  size_t room = 0;
  for (size_t batch = 1; batch < count; batch++)
    add_rows(comparison, &room, batches, batch, rounds);

  double *p = allocate(comparison->count, sizeof *p);
  for (size_t i = 0; i < comparison->count; i++) p[i] = comparison->rows[i].p;
  adjust_p_values(p, comparison->count);
  size_t least = least_runs(comparison->count, rounds);
  for (size_t i = 0; i < comparison->count; i++) {
    struct comparison_row *row = &comparison->rows[i];
    row->adjusted_p = p[i];
    row->verdict = verdict_of(row, least, margin);
  }
  free(p);
  return comparison;
}

void free_run_comparison(struct run_comparison *comparison)
{
  if (comparison == NULL) return;
  free(comparison->rows);
  free(comparison);
}
