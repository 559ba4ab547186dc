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

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "capture.h"
#include "runs/order.h"

/* Returns whether [text] is the hash of a commit, so that it is no option. */
static bool is_hash(const char *text)
{
  size_t digits = strspn(text, "0123456789abcdef");
  return text[digits] == '\0' && (digits == 40 || digits == 64);
}

/* Returns the output of git with the [fixed] arguments, up to NULL, then all
   hashes in [commits], then [last] if that is not NULL; NULL when it fails. */
static char *git_with_commits(const char *dir, const char *const *fixed,
                              json_t *commits, const char *last)
{
  const char **argv = allocate(json_object_size(commits) + 16, sizeof *argv);
  size_t count = 0;
  const char *hash;
  json_t *value;
  argv[count++] = "git";
  while (*fixed != NULL) argv[count++] = *fixed++;
  json_object_foreach(commits, hash, value) {
    if (is_hash(hash)) argv[count++] = hash;
  }
  if (last != NULL) {
    argv[count++] = "--not";
    argv[count++] = last;
  }
  char *text = capture(argv, dir, NULL);
  free(argv);
  return text;
}

/* Adds the commit with the [line] "HASH SUBJECT". */
static void add_commit(struct commit_order *order, size_t *room, char *line)
{
  char *space = strchr(line, ' ');
  if (space != NULL) *space = '\0';
  if (!is_hash(line)) return;
  order->list = with_room(order->list, order->count, room, sizeof *order->list);
  json_object_set_new(order->places, line,
                      json_integer((json_int_t) order->count));
  order->list[order->count++] = (struct ordered_commit) {
    copy_of(line), copy_of(space != NULL ? space + 1 : "")
  };
}

/* Returns the list of commits that git prints, two lines for each: "commit HASH"
   and "HASH SUBJECT". */
static char *list_commits(const char *dir, json_t *commits)
{
  static const char *const base_of[] = { "merge-base", "--octopus", NULL };
  static const char *const list_of[] = {
    "rev-list", "--topo-order", "--reverse", "--ignore-missing",
    "--format=%H %s", NULL
  };
  char *base = git_with_commits(dir, base_of, commits, NULL), last[80];
  if (base != NULL) base[strcspn(base, "\n")] = '\0';
  bool has_base = base != NULL && is_hash(base);
  if (has_base) stpcpy(stpcpy(last, base), "^@");
  free(base);
  return git_with_commits(dir, list_of, commits, has_base ? last : NULL);
}

struct commit_order *order_commits(const char *dir, json_t *commits)
{
  size_t room = 0;
  char *text = list_commits(dir, commits), *rest = text;
  if (text == NULL) return NULL;
  struct commit_order *order = allocate(1, sizeof *order);
  order->places = json_object();
  for (char *line; (line = strsep(&rest, "\n")) != NULL; )
    if (strncmp(line, "commit ", 7) != 0) add_commit(order, &room, line);
  free(text);
  return order;
}

void free_commit_order(struct commit_order *order)
{
  if (order == NULL) return;
  for (size_t i = 0; i < order->count; i++) {
    free(order->list[i].hash);
    free(order->list[i].subject);
  }
  free(order->list);
  json_decref(order->places);
  free(order);
}

int64_t place_of_commit(const struct commit_order *order, const char *hash)
{
  const json_t *place = order == NULL || hash == NULL
    ? NULL : json_object_get(order->places, hash);
  return place != NULL ? json_integer_value(place) : -1;
}
