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

#include <stdlib.h>
#include "processes.h"
#include "targets.h"

/* The wall clock less CLOCK_MONOTONIC. */
static int64_t wall_offset(const struct eventring_info *info)
{
  return (int64_t) ((uint64_t) info->started_realtime_ns
                    - (uint64_t) info->started_ns);
}

static int64_t shift_to(const struct eventring_info *first,
                        const struct eventring_info *other)
{
  if ((first->same_boot && other->same_boot)
      || first->started_realtime_ns == 0 || other->started_realtime_ns == 0)
    return 0;
  return (int64_t) ((uint64_t) wall_offset(other)
                    - (uint64_t) wall_offset(first));
}

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
    struct eventring_cursor *beside = NULL;
    uint32_t parts = 1;
    for (uint32_t part = 0; part < parts; part++) {
      struct eventring_cursor *cursor =
        open_one(command, argv[i], dir, false, part, beside);
      beside = cursor;
      parts = target_info(cursor).parts;
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
