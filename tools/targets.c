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

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "hub_target.h"
#include "operand.h"
#include "processes.h"
#include "targets.h"
#include "text.h"

/* One target */

static bool has_option(const struct command *command, enum option_id option)
{
  for (const enum option_id *id = command->options; *id != OPTION_END; id++)
    if (*id == option) return true;
  return false;
}

/* Calls fetch_hub_target for a command that has the option --hub; returns NULL
   for others. */
static char *fetch_if_allowed(const struct command *command,
                              const char *target)
{
  return has_option(command, OPTION_HUB) ? fetch_hub_target(command, target)
                                         : NULL;
}

struct eventring_cursor *open_target(const struct command *command,
                                     int argc, char **argv,
                                     const char *dir, bool control)
{
  if (optind >= argc && control)
    usage_error(command, "%s: missing process or file", command->name);
  if (optind >= argc && has_hub_option())
    usage_error(command, "%s: missing process (eventring ps --hub lists them)",
                command->name);
  if (optind >= argc) return open_only_process(command, dir);
  if (optind + 1 < argc)
    usage_error(command, "%s: unexpected argument '%s': takes one process or file",
                command->name, argv[optind + 1]);
  char *fetched = fetch_if_allowed(command, argv[optind]);
  if (fetched != NULL) {
    struct eventring_cursor *cursor =
      open_one(command, fetched, dir, control, 0, NULL);
    free(fetched);
    return cursor;
  }
  char *path = allocate(strlen(argv[optind]) + 1, 1);
  strcpy(path, argv[optind]);
  uint32_t number = take_process(path);
  struct eventring_cursor *cursor =
    open_one(command, path, dir, control, number > 0 ? number - 1 : 0, NULL);
  free(path);
  uint32_t processes = target_info(cursor).processes;
  if (number == 0 && processes > 1)
    note("%s has %u processes, and this is the first; %s:2 is the next",
         argv[optind], processes, argv[optind]);
  return cursor;
}

struct eventring_cursor *open_another(const struct command *command,
                                      const char *target, const char *dir)
{
  char *fetched = fetch_if_allowed(command, target);
  struct eventring_cursor *cursor =
    open_one(command, fetched != NULL ? fetched : target, dir, false, 0, NULL);
  free(fetched);
  return cursor;
}

/* Several */

/* Returns the difference of the wall clock and CLOCK_MONOTONIC when tracing
   started, in nanoseconds. */
static int64_t wall_offset(const struct eventring_info *info)
{
  return (int64_t) ((uint64_t) info->started_realtime_ns
                    - (uint64_t) info->started_ns);
}

bool same_clock(const struct eventring_info *a, const struct eventring_info *b)
{
  return (a->same_boot && b->same_boot)
      || (a->boot_id[0] != '\0' && a->time_namespace == b->time_namespace
          && memcmp(a->boot_id, b->boot_id, sizeof a->boot_id) == 0);
}

/* Returns the nanoseconds to add to times of [other] so that they are on the
   clock of [first]: 0 if both have the same clock, or the wall clock of one is
   not known; else the difference by the wall clocks. */
static int64_t shift_to(const struct eventring_info *first,
                        const struct eventring_info *other)
{
  if (same_clock(first, other) || first->started_realtime_ns == 0
      || other->started_realtime_ns == 0)
    return 0;
  return (int64_t) ((uint64_t) wall_offset(other)
                    - (uint64_t) wall_offset(first));
}

struct source *add_source(struct source *sources, int count,
                          struct eventring_cursor *cursor)
{
  sources = reallocate(sources, (size_t) count + 1, sizeof *sources);
  sources[count] = (struct source) { .cursor = cursor };
  if (count > 0) {
    struct eventring_info first = target_info(sources[0].cursor);
    struct eventring_info other = target_info(cursor);
    struct hub_clock a, b;
    if (!same_clock(&first, &other) && clock_at_hub(sources[0].cursor, &a)
        && clock_at_hub(cursor, &b))
      sources[count].shift_ns = time_since(b.offset_ns, a.offset_ns);
    else
      sources[count].shift_ns = shift_to(&first, &other);
  }
  return sources;
}

/* Prints that the order is not certain between events that are closer than
   [ns]. */
static void note_bound(int64_t ns)
{
  char text[QUANTITY_SIZE];
  note("the hub has compared the clocks of the nodes: events of different nodes "
       "that are at most %s apart have no certain order",
       format_duration(text, (uint64_t) ns));
}

void note_clocks(const struct source *sources, int count)
{
  int64_t greatest_ns = 0;
  for (int i = 1; i < count; i++) {
    struct eventring_info first = target_info(sources[0].cursor);
    struct eventring_info other = target_info(sources[i].cursor);
    struct hub_clock a, b;
    if (same_clock(&first, &other)) continue;
    if (clock_at_hub(sources[0].cursor, &a)
        && clock_at_hub(sources[i].cursor, &b)) {
      if (a.bound_ns > greatest_ns) greatest_ns = a.bound_ns;
      if (b.bound_ns > greatest_ns) greatest_ns = b.bound_ns;
      continue;
    }
    note("the processes had different clocks: different machines, or different "
         "starts of a machine, are put in order by their wall clocks, with an "
         "error that was not measured, so their order is not certain");
    return;
  }
  /* Between any two processes, the errors of both add up. */
  if (greatest_ns > 0) note_bound(time_after(greatest_ns, greatest_ns));
}

int open_targets(const struct command *command, int argc, char **argv,
                 const char *dir, struct source **sources)
{
  int count = 0;
  *sources = NULL;
  if (optind >= argc && has_hub_option())
    usage_error(command, "%s: missing process (eventring ps --hub lists them)",
                command->name);
  if (optind >= argc)
    *sources = add_source(NULL, count++, open_only_process(command, dir));
  for (int i = optind; i < argc; i++) {
    struct eventring_cursor *share_with = NULL;
    char *fetched = fetch_if_allowed(command, argv[i]);
    const uint32_t number = fetched == NULL ? take_process(argv[i]) : 0;
    uint32_t process = number > 0 ? number - 1 : 0, end = process + 1;
    for (; process < end; process++) {
      struct eventring_cursor *cursor =
        open_one(command, fetched != NULL ? fetched : argv[i], dir, false,
                 process, share_with);
      share_with = cursor;
      if (number == 0) end = target_info(cursor).processes;
      *sources = add_source(*sources, count, cursor);
      (*sources)[count++].process = process;
    }
    free(fetched);
  }
  return count;
}

void close_targets(struct source *sources, int count)
{
  for (int i = 0; i < count; i++) eventring_close(sources[i].cursor);
  free(sources);
}
