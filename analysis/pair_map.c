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
#include <string.h>
#include <sys/auxv.h>
#include "memory.h"
#include "pair_map.h"

#define ROOM_FIRST 256

struct pair_map new_pair_map(void)
{
  struct pair_map map = { .room = ROOM_FIRST };
  memcpy(&map.seed, (const void *) getauxval(AT_RANDOM), sizeof map.seed);
  map.seed |= 1;
  map.entries = allocate(map.room, sizeof *map.entries);
  return map;
}

void free_pair_map(struct pair_map *map)
{
  free(map->entries);
  map->entries = NULL;
}

/* Returns the entry of the pair, or the free one where it belongs. */
static struct pair_entry *entry_of(const struct pair_map *map, uint64_t a,
                                   uint64_t b)
{
  uint64_t hash = (a * map->seed ^ a >> 32) + b;
  hash *= map->seed;
  size_t at = (hash ^ hash >> 32) & (map->room - 1);
  while (map->entries[at].number != 0
         && (map->entries[at].a != a || map->entries[at].b != b))
    at = (at + 1) & (map->room - 1);
  return &map->entries[at];
}

static void grow(struct pair_map *map)
{
  struct pair_map old = *map;
  map->room = 2 * old.room;
  map->entries = allocate(map->room, sizeof *map->entries);
  for (size_t i = 0; i < old.room; i++)
    if (old.entries[i].number != 0)
      *entry_of(map, old.entries[i].a, old.entries[i].b) = old.entries[i];
  free(old.entries);
}

uint32_t number_of_pair(struct pair_map *map, uint64_t a, uint64_t b,
                        bool *added)
{
  if (2 * (size_t) map->count >= map->room) grow(map);
  struct pair_entry *entry = entry_of(map, a, b);
  *added = entry->number == 0;
  if (*added) *entry = (struct pair_entry) { a, b, ++map->count };
  return entry->number - 1;
}

uint32_t find_pair(const struct pair_map *map, uint64_t a, uint64_t b)
{
  /* 0 - 1 for a free entry. */
  return entry_of(map, a, b)->number - 1;
}
