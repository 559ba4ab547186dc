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
#include <unistd.h>
#include "processes.h"
#include "targets.h"

/* One target */

uint32_t take_process(char *target)
{
  char *colon = strrchr(target, ':');
  if (colon == NULL || !is_number(colon + 1) || strlen(colon + 1) > 4
      || access(target, F_OK) == 0)
    return 0;
  unsigned long number = strtoul(colon + 1, NULL, 10);
  if (number == 0) return 0;
  *colon = '\0';
  /* A process id has no processes. */
  if (is_number(target)) {
    *colon = ':';
    return 0;
  }
  return (uint32_t) number;
}

struct eventring_cursor *open_target(const struct command *command,
                                     int argc, char **argv,
                                     const char *dir, bool control)
{
  if (optind >= argc && control)
    usage_error(command, "%s: which process or file?", command->name);
  if (optind >= argc) return open_only_process(command, dir);
  if (optind + 1 < argc)
    usage_error(command, "%s: unexpected argument '%s': takes one process or file",
                command->name, argv[optind + 1]);
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

/* Several */

/* Returns the difference of the wall clock and CLOCK_MONOTONIC when tracing
   started, in nanoseconds. */
static int64_t wall_offset(const struct eventring_info *info)
{
  return (int64_t) ((uint64_t) info->started_realtime_ns
                    - (uint64_t) info->started_ns);
}

/* Returns the nanoseconds to add to times of [other] so that they are on the
   clock of [first]: 0 if both are of the present start of the machine, or the
   wall clock of one is not known; else the difference by the wall clocks. */
static int64_t shift_to(const struct eventring_info *first,
                        const struct eventring_info *other)
{
  if ((first->same_boot && other->same_boot)
      || first->started_realtime_ns == 0 || other->started_realtime_ns == 0)
    return 0;
  return (int64_t) ((uint64_t) wall_offset(other)
                    - (uint64_t) wall_offset(first));
}

/* Adds a source for [cursor] to the array [sources] of [count] sources, and
   returns the array, which may have moved.  Its times are shifted to the clock
   of the first source.  Ends the program with a message when there is no
   memory. */
static struct source *add_source(struct source *sources, int count,
                                 struct eventring_cursor *cursor)
{
  struct source *more = realloc(sources,
                                ((size_t) count + 1) * sizeof *more);
  if (more == NULL) {
    complain("not enough memory");
    exit(STATUS_CANNOT_READ);
  }
  more[count] = (struct source) { .cursor = cursor };
  if (count > 0) {
    struct eventring_info first = target_info(more[0].cursor);
    struct eventring_info other = target_info(cursor);
    more[count].shift_ns = shift_to(&first, &other);
  }
  return more;
}

int open_targets(const struct command *command, int argc, char **argv,
                 const char *dir, struct source **sources)
{
  int count = 0;
  *sources = NULL;
  if (optind >= argc)
    *sources = add_source(NULL, count++, open_only_process(command, dir));
  for (int i = optind; i < argc; i++) {
    struct eventring_cursor *share_with = NULL;
    const uint32_t number = take_process(argv[i]);
    uint32_t process = number > 0 ? number - 1 : 0, end = process + 1;
    for (; process < end; process++) {
      struct eventring_cursor *cursor =
        open_one(command, argv[i], dir, false, process, share_with);
      share_with = cursor;
      if (number == 0) end = target_info(cursor).processes;
      *sources = add_source(*sources, count++, cursor);
    }
  }
  return count;
}

void close_targets(struct source *sources, int count)
{
  for (int i = 0; i < count; i++) eventring_close(sources[i].cursor);
  free(sources);
}
