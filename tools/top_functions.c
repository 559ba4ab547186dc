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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "common.h"
#include "live_samples.h"
#include "pair_map.h"
#include "top_functions.h"

struct top_functions {
  struct live_samples *samples;
  struct symbols *symbols;
  struct screen *screen;          /* for messages */
};

/* Shows a message of the symbols on the screen. */
static void show_message(void *state, const char *message)
{
  const struct top_functions *f = state;
  if (f->screen != NULL)
    snprintf(f->screen->message, SCREEN_TEXT, "%s", message);
}

struct top_functions *new_top_functions(struct eventring_cursor *cursor)
{
  struct top_functions *f = allocate(1, sizeof *f);
  f->samples = new_live_samples(cursor);
  f->symbols = new_symbols(cursor, show_message, f);
  return f;
}

void free_top_functions(struct top_functions *f)
{
  free_live_samples(f->samples);
  free_symbols(f->symbols);
  free(f);
}

void top_functions_event(struct top_functions *f,
                         const struct eventring_event *event)
{
  live_sample(f->samples, event);
}

static void set_line(struct screen_function *function,
                     const struct frame *frame)
{
  if (frame->file == NULL)
    function->line[0] = '\0';
  else if (frame->line == 0)
    snprintf(function->line, sizeof function->line, "%s", frame->file);
  else
    snprintf(function->line, sizeof function->line, "%s:%" PRIu32,
             frame->file, frame->line);
}

/* Sets the line of each of the first [count] of [functions], which are entries
   of [list]: the first of the table of lines, where the largest time is
   first. */
static void set_lines(const struct profile *profile,
                      const struct profile_entry *list, int count,
                      struct screen_function *functions)
{
  struct pair_map map = new_pair_map();
  size_t lines;
  bool added;
  struct profile_entry *table = profile_table(profile, BY_LINE, &lines);
  for (size_t i = 0; i < lines; i++) {
    const struct frame *frame = &table[i].frame;
    uint32_t at = number_of_pair(&map, (uintptr_t) frame->function,
                                 (uintptr_t) frame->file, &added);
    /* Functions are numbered as they come, and [table] keeps the first lines of
       them in front. */
    if (added) table[at] = table[i];
  }
  for (int i = 0; i < count; i++) {
    uint32_t at = find_pair(&map, (uintptr_t) list[i].frame.function,
                            (uintptr_t) list[i].frame.file);
    set_line(&functions[i],
             at == UINT32_MAX ? &list[i].frame : &table[at].frame);
  }
  free(table);
  free_pair_map(&map);
}

void fill_top_functions(struct top_functions *f, struct screen *screen)
{
  size_t count;
  f->screen = screen;
  struct profile *profile = live_profile(f->samples, screen->now, f->symbols);
  struct profile_entry *list = profile_table(profile, BY_FUNCTION, &count);
  struct profile_sums sums = profile_sums(profile);
  double all = sums.weight == 0 ? 1 : (double) sums.weight;
  screen->samples = sums.samples;
  screen->samples_ns = sums.weight;
  screen->function_count =
    count < SCREEN_FUNCTION_ROWS ? (int) count : SCREEN_FUNCTION_ROWS;
  for (int i = 0; i < screen->function_count; i++) {
    struct screen_function *function = &screen->functions[i];
    function->self = (double) list[i].self.weight / all;
    function->total = (double) list[i].total.weight / all;
    snprintf(function->name, sizeof function->name, "%s",
             list[i].frame.function);
  }
  set_lines(profile, list, screen->function_count, screen->functions);
  if (screen->first_function >= screen->function_count)
    screen->first_function = 0;
  free(list);
  free_profile(profile);
}
