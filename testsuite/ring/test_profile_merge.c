// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis -DMOST_NODES=8 analysis/profile_merge.c libanalysis.a
/* If this breaks, a merged profile loses samples, or its memory grows with the
   number of stacks that the authors of recordings choose. */

#include "profile_nodes.h"
#include "ring_test.h"

/* In place of symbols.c: all code is in one function. */
static struct frame code = { .function = "code" };

struct symbols *new_symbols_of(
  const struct eventring_mapping *(*mapping)(void *of, uint32_t index),
  void *of, void (*say)(void *state, const char *message), void *state)
{
  (void) mapping, (void) of, (void) say, (void) state;
  return (struct symbols *) &code;
}

const char *symbols_text(struct symbols *symbols, const char *text)
{
  (void) symbols;
  return text;
}

uint32_t find_frames(struct symbols *symbols, struct code_address address,
                     const struct frame **frames)
{
  (void) symbols, (void) address;
  *frames = &code;
  return 1;
}

/* The finished profile of a process with one stack of 20 calls, which has the
   samples of [node] numbers 3 and 20. */
static struct profile *deep_profile(struct eventring_cursor *cursor,
                                    struct filter *filter)
{
  struct profile *p = new_profile(cursor, filter, NULL, 0);
  uint32_t at = 0;
  for (uint64_t i = 1; i <= 20; i++)
    at = add_node(p, at, (struct node) { .address = i, .used = true });
  assert_int_equal(at, 20);
  p->nodes[3].value = (struct profile_value) { 20, 0, 2, 8 };
  p->nodes[20].value = (struct profile_value) { 50, 0, 5, 32 };
  p->sums = (struct profile_sums) { .samples = 7, .all_samples = 9,
                                    .weight = 70, .variance = 40 };
  return p;
}

static void stacks_beyond_the_room_are_added_up(void **state)
{
  struct ring_file f;
  (void) state;
  ring_create(&f, &(struct ring_options) { .log_words = 10, .rings = 1 });
  struct eventring_cursor *cursor = ring_open(&f);
  struct filter *filter = new_filter();
  struct profile *merged = new_merged_profile();
  struct profile *one = deep_profile(cursor, filter);
  for (int i = 0; i < 100; i++) profile_add(merged, one);
  profile_finish(merged, new_profile_symbols(merged, NULL, NULL));
  const struct profile_sums sums = profile_sums(merged);
  assert_int_equal(sums.samples, 700);
  assert_int_equal(sums.weight, 7000);
  assert_int_equal(sums.all_samples, 900);
  assert_int_equal(sums.others, 500);
  assert_in_range(merged->nodes_count, 2, 9);
  assert_int_not_equal(merged->others_node, 0);
  assert_int_equal(merged->nodes[merged->others_node].value.weight, 5000);
  assert_int_equal(merged->nodes[3].value.weight, 2000);
  assert_int_equal((int) merged->nodes[3].value.variance, 800);
  assert_int_equal((int) sums.variance, 4000);
  uint32_t count;
  struct profile_node *tree = profile_tree(merged, false, &count);
  assert_int_equal(tree[0].total.weight, 7000);
  assert_string_equal(tree[tree[0].first].function, PROFILE_OTHERS);
  assert_int_equal(tree[tree[0].first].self.weight, 5000);
  free(tree);
  free_profile(one);
  free_profile(merged);
  free_filter(filter);
  eventring_close(cursor);
  ring_destroy(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stacks_beyond_the_room_are_added_up)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
