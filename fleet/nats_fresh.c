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

/* See nats_fresh.h. */

#include <stdlib.h>
#include <string.h>
#include "locks.h"
#include "nats_fresh.h"

bool open_fresh(struct fresh *f)
{
  *f = (struct fresh) { .nodes = NULL };
  if (!make_hub_token(f->run)) return false;
  pthread_mutex_init(&f->lock, NULL);
  return true;
}

void close_fresh(struct fresh *f)
{
  while (f->nodes != NULL) {
    struct reported_node *node = f->nodes;
    f->nodes = node->next;
    pthread_mutex_destroy(&node->lock);
    free(node);
  }
  pthread_mutex_destroy(&f->lock);
}

bool is_fresh_message(const struct fresh *f, const char *run, const char *time,
                      int64_t age_ns, int64_t now_ns, int64_t *time_ns)
{
  const size_t digits = strlen(time);
  *time_ns = 0;
  if (strcmp(run, f->run) != 0 || digits == 0 || digits > 18
      || strspn(time, "0123456789") != digits)
    return false;
  *time_ns = strtoll(time, NULL, 10);
  return *time_ns >= now_ns - age_ns && *time_ns <= now_ns + FRESH_AHEAD_NS;
}

/* Returns the entry of [node]; NULL when there is no memory for a new one. */
static struct reported_node *find_node(struct fresh *f, const char *node)
{
  struct reported_node *found;
  pthread_mutex_lock(&f->lock);
  for (found = f->nodes; found != NULL; found = found->next)
    if (strcmp(found->node, node) == 0) break;
  if (found == NULL && (found = calloc(1, sizeof *found)) != NULL) {
    memcpy(found->node, node, strlen(node) + 1);
    pthread_mutex_init(&found->lock, NULL);
    found->next = f->nodes;
    f->nodes = found;
  }
  pthread_mutex_unlock(&f->lock);
  return found;
}

/* The caller gets the lock. */
NO_THREAD_SAFETY_ANALYSIS
enum freshness begin_report(struct fresh *f, const char *node, const char *run,
                            const char *time, int64_t now_ns,
                            struct reported_node **reported, int64_t *time_ns)
{
  *reported = NULL;
  if (!is_fresh_message(f, run, time, FRESH_REPORT_NS, now_ns, time_ns))
    return FRESH_OLD;
  struct reported_node *found = find_node(f, node);
  if (found == NULL) return FRESH_OLD;
  pthread_mutex_lock(&found->lock);
  if (*time_ns < found->last_ns) {
    pthread_mutex_unlock(&found->lock);
    return FRESH_OLD;
  }
  *reported = found;
  return *time_ns == found->last_ns ? FRESH_REPEATED : FRESH_NEW;
}

NO_THREAD_SAFETY_ANALYSIS
void end_report(struct reported_node *reported, bool kept, int64_t time_ns)
{
  if (reported == NULL) return;
  if (kept) reported->last_ns = time_ns;
  pthread_mutex_unlock(&reported->lock);
}
