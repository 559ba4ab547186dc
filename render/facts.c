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

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "json.h"
#include "facts.h"

/* Room for the name of a fact; longer ones are cut. */
#define NAME_SIZE 512

/* Returns whether the fact [name] says nothing by itself, because it varies from
   run to run or follows from another one. */
static bool is_left_out(const char *name)
{
  static const char *const names[] = {
    "unknown", "recordings", "conditions.load", "conditions.frequency_mhz",
    "conditions.temperature_celsius", "git.describe"
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

static bool contains(const json_t *array, const json_t *value)
{
  for (size_t i = 0; i < json_array_size(array); i++)
    if (json_equal(json_array_get(array, i), value)) return true;
  return false;
}

/* Adds [value] to the values of the fact [name]. */
static void add_fact(json_t *facts, const char *name, json_t *value)
{
  json_t *key = json_text(name);  /* a name that was cut may be no UTF-8 */
  json_t *values = json_object_get(facts, json_string_value(key));
  if (values == NULL) {
    values = json_array();
    json_object_set_new(facts, json_string_value(key), values);
  }
  if (!contains(values, value)) json_array_append(values, value);
  json_decref(key);
}

/* Adds the path and the checksum of [file], the program or a library. */
static void add_file(json_t *facts, const char *name, const json_t *file)
{
  char path[NAME_SIZE];
  snprintf(path, sizeof path, "%s.path", name);
  add_fact(facts, path, json_object_get(file, "path"));
  snprintf(path, sizeof path, "%s.xxh64", name);
  add_fact(facts, path, json_object_get(file, "xxh64"));
}

/* Adds the files in the array [libraries], called by the names of the files
   without their folders. */
static void add_libraries(json_t *facts, const char *name,
                          const json_t *libraries)
{
  for (size_t i = 0; i < json_array_size(libraries); i++) {
    const json_t *file = json_array_get(libraries, i);
    const char *path = json_string_value(json_object_get(file, "path"));
    if (path == NULL) continue;
    const char *slash = strrchr(path, '/');
    char key[NAME_SIZE];
    snprintf(key, sizeof key, "%.100s.%.300s", name, slash != NULL ? slash + 1 : path);
    add_file(facts, key, file);
  }
}

/* Adds the facts in [object], called [name]. */
static void add_object(json_t *facts, const char *name, json_t *object)
{
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    char path[NAME_SIZE];
    snprintf(path, sizeof path, "%s%s%s", name, *name != '\0' ? "." : "", key);
    if (is_left_out(path)) continue;
    if (strcmp(path, "program.executable") == 0) add_file(facts, path, value);
    else if (strcmp(path, "program.libraries") == 0)
      add_libraries(facts, path, value);
    else if (json_is_object(value)) add_object(facts, path, value);
    else add_fact(facts, path, value);
  }
}

static void add_recordings(json_t *facts, const json_t *recordings)
{
  static const char *const members[] = { "runtime", "eventring", "clock",
                                         "rings", "ring_words", "categories" };
  for (size_t i = 0; i < json_array_size(recordings); i++)
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
      char path[NAME_SIZE];
      json_t *value = json_object_get(json_array_get(recordings, i),
                                      members[k]);
      snprintf(path, sizeof path, "recordings.%s", members[k]);
      if (value != NULL) add_fact(facts, path, value);
    }
}

void add_manifest(json_t *facts, json_t *manifest)
{
  add_object(facts, "", manifest);
  add_recordings(facts, json_object_get(manifest, "recordings"));
}

void merge_facts(json_t *facts, json_t *others)
{
  const char *name;
  json_t *values, *value;
  size_t i;
  json_object_foreach(others, name, values) {
    json_array_foreach(values, i, value) {
      add_fact(facts, name, value);
    }
  }
}

static bool same_values(const json_t *a, const json_t *b)
{
  if (json_array_size(a) != json_array_size(b)) return false;
  for (size_t i = 0; i < json_array_size(a); i++)
    if (!contains(b, json_array_get(a, i))) return false;
  return true;
}

static void add_difference(json_t *array, const char *name, json_t *a,
                           json_t *b)
{
  json_array_append_new(array, json_pack(
    "{s:s, s:o, s:o}", "fact", name,
    "base", a != NULL ? json_incref(a) : json_array(),
    "values", b != NULL ? json_incref(b) : json_array()));
}

json_t *fact_differences(json_t *a, json_t *b)
{
  json_t *array = json_array(), *values;
  const char *name;
  json_object_foreach(a, name, values) {
    json_t *others = json_object_get(b, name);
    if (!same_values(values, others))
      add_difference(array, name, values, others);
  }
  json_object_foreach(b, name, values) {
    if (json_object_get(a, name) == NULL)
      add_difference(array, name, NULL, values);
  }
  return array;
}
