// BUILD: -Ifleet fleet/late.c -ldl
/* If this breaks, a command that needs a library for networks crashes, or says nothing of
   the library that is missing. */

#include "late.h"
#include "ring_test.h"

static void a_function_is_found_once(void **state)
{
  void *address = NULL;
  void *found = late_function(&address, LATE_CURL, "curl_version");
  (void) state;
  assert_non_null(found);
  assert_ptr_equal(address, found);
  assert_non_null(strstr(((char *(*)(void)) found)(), "libcurl/"));
  assert_ptr_equal(late_function(&address, LATE_CURL, "not looked for"), found);
}

static char said[500];
static void say(const char *why) { snprintf(said, sizeof said, "%s", why); }

static void a_missing_function_is_named(void **state)
{
  void *address = NULL;
  (void) state;
  no_library = say;
  late_function(&address, LATE_CURL, "no_such_function");
  assert_non_null(strstr(said, "no_such_function"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_function_is_found_once),
    cmocka_unit_test(a_missing_function_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
