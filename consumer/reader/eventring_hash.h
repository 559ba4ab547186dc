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

/* A hash table from keys of 128 bits to numbers, for libeventring and for the
   programs that analyse events.

   This header is no part of libeventring's interface.  All of its functions are
   inline and none allocates memory, so that a cursor can have a table that is
   allocated when the cursor is opened.

   An entry is in the first free place from the place that its hash selects, and
   all places from there to the entry are in use.  hash_set keeps this true when
   it removes an entry: it moves later entries back.  The author of a file does
   not know the seed of the hash, so he cannot choose keys that collide. */

#ifndef EVENTRING_HASH_H
#define EVENTRING_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* An entry, or a free place with the [value] 0. */
struct hash_place {
  uint64_t key[2];
  uint32_t value;
};

struct hash_table {
  uint64_t seed;                  /* odd */
  int bits;
  struct hash_place *places;      /* 2 to the power of [bits] */
};

/* Makes [table] an empty table of 2^[bits] places, 1 <= [bits] <= 31.  The
   memory [places] must be zeroed, and stays the caller's.  The caller keeps
   half of the places free. */
static inline void hash_init(struct hash_table *table, int bits,
                             struct hash_place *places)
{
  memcpy(&table->seed, (const void *) getauxval(AT_RANDOM),
         sizeof table->seed);
  table->seed |= 1;
  table->bits = bits;
  table->places = places;
}

/* Returns the number of the place that the hash of [key] selects. */
static inline uint32_t hash_of(const struct hash_table *table,
                               const uint64_t key[2])
{
  uint64_t hash = key[0] * table->seed;
  hash = ((hash ^ hash >> 32) + key[1]) * table->seed;
  return (uint32_t) (hash >> (64 - table->bits));
}

static inline uint32_t hash_place_after(const struct hash_table *table,
                                        uint32_t at)
{
  return (at + 1) & ((UINT32_C(1) << table->bits) - 1);
}

/* Returns the number of the place of the entry with the key [key], or of the
   free place for such an entry. */
static inline uint32_t hash_find(const struct hash_table *table,
                                 const uint64_t key[2])
{
  uint32_t at = hash_of(table, key);
  const struct hash_place *places = table->places;
  while (places[at].value != 0
         && (places[at].key[0] != key[0] || places[at].key[1] != key[1]))
    at = hash_place_after(table, at);
  return at;
}

/* Returns the number stored for the key ([k0], [k1]), or 0 when the table has
   no such entry. */
static inline uint32_t hash_get(const struct hash_table *table, uint64_t k0,
                                uint64_t k1)
{
  const uint64_t key[2] = { k0, k1 };
  return table->places[hash_find(table, key)].value;
}

/* Frees the place [hole], and moves entries from later places there, and to the
   places that become free by that, so that hash_find finds them. */
static inline void hash_free_place(struct hash_table *table, uint32_t hole)
{
  const uint32_t mask = (UINT32_C(1) << table->bits) - 1;
  struct hash_place *places = table->places;
  for (uint32_t at = hash_place_after(table, hole); places[at].value != 0;
       at = hash_place_after(table, at)) {
    uint32_t first = hash_of(table, places[at].key);
    /* The entry may move if [hole] is one of the places that hash_find visits
       on the way from [first] to [at]. */
    if (((at - first) & mask) >= ((at - hole) & mask)) {
      places[hole] = places[at];
      hole = at;
    }
  }
  places[hole].value = 0;
}

/* Stores [value] for the key ([k0], [k1]) in place of an earlier number.  If
   [value] is 0, removes the entry. */
static inline void hash_set(struct hash_table *table, uint64_t k0, uint64_t k1,
                            uint32_t value)
{
  const uint64_t key[2] = { k0, k1 };
  uint32_t at = hash_find(table, key);
  if (value != 0)
    table->places[at] = (struct hash_place) { { k0, k1 }, value };
  else if (table->places[at].value != 0)
    hash_free_place(table, at);
}

/* Copies all entries of [from] to [to], a table that has room for them. */
static inline void hash_copy(struct hash_table *to,
                             const struct hash_table *from)
{
  if (from->places == NULL) return;
  for (size_t i = 0; i >> from->bits == 0; i++) {
    const struct hash_place *place = &from->places[i];
    if (place->value != 0)
      hash_set(to, place->key[0], place->key[1], place->value);
  }
}

#endif /* EVENTRING_HASH_H */
