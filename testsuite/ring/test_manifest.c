// BUILD: -Ianalysis -Irender -Isources sources/manifest.c libanalysis.a -ljansson
/* If this breaks, the list of saved recordings says wrong things of a recording that
   somebody else has written, or the page leads to an event that no process has. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "json.h"
#include "machine.h"
#include "manifest.h"

/* manifest.c is linked without the facts of the machine. */
json_t *machine_facts(void)
{
  return json_object();
}

char *dump_json(const json_t *value, size_t flags)
{
  return json_dumps(value, flags);
}

/* Returns the facts that the list takes from a manifest with `fired` [fired]. */
static struct manifest_saved saved_with(const char *fired)
{
  char note[512];
  snprintf(note, sizeof note, "{\"saved\": {\"by\": \"rule\", \"rule\": \"minor\", "
           "\"at\": \"2026-01-02T03:04:05.5Z\", \"fired\": %s}}", fired);
  return manifest_saved(note);
}

static void an_event_is_read_as_it_was_written(void **state)
{
  static const struct fired_event events[] = {
    { "minor", INT64_MAX, 0, UINT32_MAX, UINT32_MAX }, { "\"a\" \\", 0, -1, 0, 1 } };
  (void) state;
  for (size_t i = 0; i < 2; i++) {
    const struct fired_event *want = &events[i];
    json_t *json = json_fired_event(want);
    char *text = json_dumps(json, 0);
    const struct manifest_saved saved = saved_with(text);
    assert_int_equal(saved.by, SAVED_BY_RULE);
    assert_string_equal(saved.fired.name, want->name);
    assert_int_equal(saved.fired.ns, want->ns);
    assert_int_equal(saved.fired.took_ns, want->took_ns);
    assert_int_equal(saved.fired.domain, want->domain);
    assert_int_equal(saved.fired.thread, want->thread);
    free(text);
    json_decref(json);
  }
}

static void an_event_of_no_process_is_not_known(void **state)
{
  static const char *const wrong[] = {
    "null", "7", "[]", "{}", "\"minor\"", "{\"event\": \"minor\"}",
#define EVENT(ns, took, domain, thread)                                              \
    "{\"event\": \"minor\", \"ns\": " ns ", \"took_ns\": " took ", \"domain\": " domain  \
    ", \"thread\": " thread "}"
    EVENT("-1", "null", "0", "0"), EVENT("\"1\"", "null", "0", "0"),
    EVENT("1.0", "null", "0", "0"), EVENT("9", "10", "0", "0"),
    EVENT("9", "-1", "0", "0"), EVENT("9", "\"1\"", "0", "0"),
    EVENT("9", "1", "-1", "0"), EVENT("9", "1", "4294967296", "0"),
    EVENT("9", "1", "0", "-1"), EVENT("9", "1", "0", "4294967296"),
  };
  (void) state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const struct manifest_saved saved = saved_with(wrong[i]);
    assert_string_equal(saved.rule, "minor");
    assert_string_equal(saved.fired.name, "");
    json_t *json = json_fired_event(&saved.fired);
    assert_true(json_is_null(json));
  }
  assert_string_equal(saved_with(EVENT("9", "1", "0", "0")).fired.name, "minor");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_event_is_read_as_it_was_written),
    cmocka_unit_test(an_event_of_no_process_is_not_known)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
