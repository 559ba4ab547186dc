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


/* See tombstones.h. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "explain.h"
#include "tombstones.h"
#include "memory.h"
#include "stream_facts.h"
#include "target.h"

/* How long to wait after the spool could not be written. */
#define RETRY_NS INT64_C(1000000000)

struct tombstones {
  struct search *search;
  struct spool *spool;
  int64_t age_ns;
  void (*say)(const char *line);
  char **left;                    /* paths to be taken again... */
  size_t count, room;
  int64_t due_ns;                 /* ...at this time */
};

struct tombstones *begin_tombstones(struct search *search, struct spool *spool,
                            int64_t age_ns, void (*say)(const char *line))
{
  struct tombstones *g = allocate(1, sizeof *g);
  g->search = search;
  g->spool = spool;
  g->age_ns = age_ns;
  g->say = say;
  return g;
}

void free_tombstones(struct tombstones *g)
{
  for (size_t i = 0; i < g->count; i++) free(g->left[i]);
  free(g->left);
  free(g);
}

/* Takes the tombstone at [path].  Returns false when it is to be taken again. */
static bool take_tombstone(struct tombstones *g, const char *path)
{
  char why[512] = "";
  struct eventring_tombstone t = { .size = sizeof t };
  struct eventring_options options = { .size = sizeof options, .message = why,
                                       .message_size = sizeof why };
  struct spool_facts facts;
  struct stat st;
  if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode)) return true;
  struct tombstone tombstone = {
    .path = path,
    .changed_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec
  };
  int error = eventring_read_tombstone(path, &options, &t, NULL, 0);
  if (error == EVENTRING_E_PERMISSION || error == EVENTRING_E_NOT_FOUND)
    return true;
  if (error < 0) {
    say_line(g->say, "%s is not counted: %s", path,
             why[0] != '\0' ? why : eventring_strerror(error));
    return true;
  }
  if (realtime_ns() - tombstone.changed_ns > g->age_ns) {
    unlink(path);
    return true;
  }
  facts_of_tombstone(&t, &facts);
  tombstone.events = t.events;
  tombstone.state = t.state == EVENTRING_STATE_REPLACED ? "replaced" : "ended";
  return bury_stream(g->spool, &facts, &tombstone, why, sizeof why);
}

bool take_tombstones(struct tombstones *g)
{
  size_t count, kept = 0;
  char **found = take_found_tombstones(g->search, &count);
  for (size_t i = 0; i < count; i++) {
    g->left = with_room(g->left, g->count, &g->room, sizeof *g->left);
    g->left[g->count++] = found[i];
  }
  free(found);
  if (g->count == 0) return true;
  if (count == 0 && monotonic_ns() < g->due_ns) return false;
  for (size_t i = 0; i < g->count; i++) {
    if (take_tombstone(g, g->left[i])) free(g->left[i]);
    else g->left[kept++] = g->left[i];
  }
  g->count = kept;
  g->due_ns = monotonic_ns() + RETRY_NS;
  return kept == 0;
}
