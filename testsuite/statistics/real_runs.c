#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "real_runs.h"

static size_t tests, failures;

static _Noreturn void bail_out(const char *path, const char *why)
{
  printf("Bail out! %s: %s\n", path, why);
  exit(1);
}

struct real_runs read_runs(const char *path)
{
  struct real_runs runs = { 0 };
  char line[4096];
  size_t room = 0;
  FILE *file = fopen(path, "re");
  if (file == NULL || fgets(line, sizeof line, file) == NULL)
    bail_out(path, "cannot be read");
  for (char *rest, *name = strtok_r(line, "\t\n", &rest);
       name != NULL && runs.figures < FIGURES;
       name = strtok_r(NULL, "\t\n", &rest))
    snprintf(runs.names[runs.figures++], sizeof *runs.names, "%s", name);
  while (fgets(line, sizeof line, file) != NULL) {
    if (runs.count == room) {
      room = room == 0 ? 256 : 2 * room;
      for (size_t i = 0; i < runs.figures; i++)
        runs.values[i] = reallocate(runs.values[i], room, sizeof(double));
    }
    char *at = line;
    for (size_t i = 0; i < runs.figures; i++) {
      char *end;
      runs.values[i][runs.count] = strtod(at, &end);
      if (end == at) bail_out(path, "a line has too few figures");
      at = end;
    }
    runs.count++;
  }
  fclose(file);
  if (runs.count < 1000) bail_out(path, "less than 1,000 runs");
  return runs;
}

void draw_rounds(const struct real_runs *runs, size_t figure, size_t first,
                 uint64_t labels, size_t rounds, double *a, double *b)
{
  const double *value = runs->values[figure] + first;
  for (size_t i = 0; i < rounds; i++) {
    size_t swap = labels >> i & 1;
    a[i] = value[2 * i + swap];
    b[i] = value[2 * i + 1 - swap];
  }
}

struct range binomial_range(size_t trials, double chance)
{
  struct range range = { 0, trials };
  double n = (double) trials, below = 0;
  bool found = false;
  for (size_t k = 0; k <= trials; k++) {
    double i = (double) k;
    below += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1)
                 + i * log(chance) + (n - i) * log1p(-chance));
    if (!found && below > 0.005) {
      range.low = k;
      found = true;
    }
    if (below >= 0.995) {
      range.high = k;
      break;
    }
  }
  return range;
}

bool print_result(bool passed, const char *name)
{
  printf("%sok %zu - %s\n", passed ? "" : "not ", ++tests, name);
  fflush(stdout);
  failures += !passed;
  return passed;
}

bool within_range(const char *name, size_t hits, size_t trials, double chance)
{
  struct range range = binomial_range(trials, chance);
  printf("# %s: %.2f %% of %zu, 99 %% range %.2f to %.2f %%\n", name,
         100 * (double) hits / (double) trials, trials,
         100 * (double) range.low / (double) trials,
         100 * (double) range.high / (double) trials);
  return print_result(hits >= range.low && hits <= range.high, name);
}

int print_plan(void)
{
  printf("1..%zu\n", tests);
  return failures > 0;
}
