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

/* A map from pairs of numbers to numbers from 0 on, in the order in which the
   pairs were added. */

#ifndef ANALYSIS_PAIR_MAP_H
#define ANALYSIS_PAIR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair_entry { uint64_t a, b; uint32_t number; };

struct pair_map {
  uint64_t seed;
  struct pair_entry *entries;   /* a hash table; a number here is 1 more, and 0
                                   in free entries */
  size_t room;
  uint32_t count;               /* pairs */
};

/* Creates an empty map, in an order that the author of a file cannot know.
   The caller frees it with free_pair_map. */
struct pair_map new_pair_map(void);
void free_pair_map(struct pair_map *map);

/* Returns the number of the pair ([a], [b]), which is added if it is new;
   *added then becomes true, else false. */
uint32_t number_of_pair(struct pair_map *map, uint64_t a, uint64_t b,
                        bool *added);

/* Returns the number of the pair ([a], [b]), or UINT32_MAX when the map does
   not have it. */
uint32_t find_pair(const struct pair_map *map, uint64_t a, uint64_t b);

#endif /* ANALYSIS_PAIR_MAP_H */
