/* If this breaks, a hash table loses or mixes up keys, mostly when an entry was
   removed in front of others.  Small tables with few keys of many collisions
   are compared with a plain array, over random changes. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>

#include "eventring_hash.h"

#define KEYS 24
#define BITS 5

static struct hash_place memory[2][1 << (BITS + 1)];

static uint64_t k0(unsigned key) { return (uint64_t) (key / 4) << 60; }
static uint64_t k1(unsigned key) { return (uint64_t) (key % 4) << 62; }

static void assert_same(const struct hash_table *table, const uint32_t *model)
{
  for (unsigned key = 0; key < KEYS; key++)
    assert_int_equal(hash_get(table, k0(key), k1(key)), model[key]);
  assert_int_equal(hash_get(table, 1, 1), 0);
}

static void entries_are_found_after_random_changes(void **state)
{
  uint32_t model[KEYS] = { 0 };
  unsigned count = 0;
  struct hash_table table, larger;
  (void) state;
  hash_init(&table, BITS, memory[0]);
  srandom(1);
  for (uint32_t i = 1; i < 100000; i++) {
    unsigned key = (unsigned) random() % KEYS;
    uint32_t value = random() % 2 == 0 || count == KEYS - 1 ? 0 : i;
    hash_set(&table, k0(key), k1(key), value);
    count += (value != 0) - (model[key] != 0);
    model[key] = value;
    assert_same(&table, model);
  }
  hash_init(&larger, BITS + 1, memory[1]);
  hash_copy(&larger, &table);
  assert_same(&larger, model);

  for (unsigned key = 0; key < KEYS; key++)
    hash_set(&table, k0(key), k1(key), 0);
  for (size_t i = 0; i < 1 << BITS; i++)
    assert_int_equal(memory[0][i].value, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(entries_are_found_after_random_changes)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
