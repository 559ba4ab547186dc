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

/* The manifest of a recording.  The arguments of the process, the build id of its
   program and its OCAMLRUNPARAM are only known while it lives, and are taken from
   /proc. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "debug_file.h"
#include "json.h"
#include "manifest.h"
#include "machine.h"
#include "target.h"

#define ARGUMENTS (64 << 10)      /* bytes of them, at most */

/* Returns a new JSON string of [length] bytes; if they are not UTF-8, all bytes
   that are not ASCII become question marks.  Returns JSON null when there is no
   memory. */
static json_t *text(const char *bytes, size_t length)
{
  json_t *string = json_stringn(bytes, length);
  if (string != NULL) return string;
  char *copy = malloc(length + 1);
  if (copy == NULL) return json_null();
  for (size_t i = 0; i < length; i++)
    copy[i] = (unsigned char) bytes[i] < 128 ? bytes[i] : '?';
  string = json_stringn(copy, length);
  free(copy);
  return string;
}

/* Returns a new JSON array of the arguments of process [pid], from the first
   ARGUMENTS bytes of its /proc/PID/cmdline, so the last one may be cut.
   Returns NULL when the arguments cannot be read or there are none. */
static json_t *arguments(uint32_t pid)
{
  char path[64], *bytes = malloc(ARGUMENTS);
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/cmdline", pid);
  FILE *file = fopen(path, "re");
  size_t length = file == NULL || bytes == NULL
                  ? 0 : fread(bytes, 1, ARGUMENTS, file);
  json_t *list = length == 0 ? NULL : json_array();
  for (size_t i = 0; i < length; ) {
    size_t n = strnlen(bytes + i, length - i);
    json_array_append_new(list, text(bytes + i, n));
    i += n + 1;
  }
  if (file != NULL) fclose(file);
  free(bytes);
  return list;
}

/* Adds the value of OCAMLRUNPARAM in the environment with which process [pid]
   was started to [all], and no other variable. */
static void add_parameters(json_t *all, uint32_t pid)
{
  static const char name[] = "OCAMLRUNPARAM=";
  char path[64], *variable = NULL;
  size_t room = 0;
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/environ", pid);
  FILE *file = fopen(path, "re");
  while (file != NULL
         && getdelim(&variable, &room, '\0', file) > 0)
    if (strncmp(variable, name, sizeof name - 1) == 0) {
      const char *value = variable + sizeof name - 1;
      json_object_set_new(all, "OCAMLRUNPARAM", text(value, strlen(value)));
      break;
    }
  free(variable);
  if (file != NULL) fclose(file);
}

/* Adds the build id of the program of process [pid] to [all], if it has one. */
static void add_build_id(json_t *all, uint32_t pid)
{
  unsigned char id[BUILD_ID_SIZE];
  char path[64], digits[2 * BUILD_ID_SIZE + 1] = "";
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
  int fd = open_elf_file(path);
  size_t size = fd < 0 ? 0 : read_build_id(fd, id);
  for (size_t i = 0; i < size; i++) snprintf(digits + 2 * i, 3, "%02x", id[i]);
  if (size > 0) json_object_set_new(all, "build_id", json_string(digits));
  if (fd >= 0) close(fd);
}

/* Facts about this machine that stay the same, which take some time to read. */
static char processor[256];
static json_int_t memory_mib;

static void read_machine(void)
{
  json_t *facts = machine_facts();
  const char *model = json_string_value(
    json_object_get(json_object_get(facts, "processor"), "model"));
  snprintf(processor, sizeof processor, "%s", model != NULL ? model : "");
  memory_mib = json_integer_value(json_object_get(facts, "memory_mib"));
  json_decref(facts);
}

/* Returns a new JSON object that describes this machine, with its CPUs that are
   online; JSON null when uname fails. */
static json_t *machine(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct utsname u;
  if (uname(&u) < 0) return json_null();
  pthread_once(&once, read_machine);
  return json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:I}", "system", u.sysname,
                   "release", u.release, "architecture", u.machine, "host",
                   u.nodename, "cpus", (int) sysconf(_SC_NPROCESSORS_ONLN),
                   "processor", text(processor, strlen(processor)),
                   "memory_mib", memory_mib);
}

/* Returns a new JSON array of the names of the categories in [mask], without
   those that the file does not have. */
static json_t *categories(struct eventring_cursor *cursor, uint32_t mask)
{
  json_t *list = json_array();
  for (uint32_t bit = 0; bit < 32; bit++) {
    const char *name = eventring_category(cursor, bit);
    if ((mask >> bit & 1) != 0 && name != NULL)
      json_array_append_new(list, text(name, strlen(name)));
  }
  return list;
}

json_t *json_date(int64_t realtime_ns)
{
  time_t seconds = (time_t) (realtime_ns / 1000000000);
  struct tm when;
  char day[64];
  if (gmtime_r(&seconds, &when) == NULL
      || strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &when) == 0)
    return json_null();
  return json_sprintf("%s.%09" PRId64 "Z", day, realtime_ns % 1000000000);
}

/* Returns the facts that every manifest has, as a new JSON object. */
static json_t *facts(struct eventring_cursor *cursor)
{
  static const char *const clocks[] = { "?", "monotonic", "tsc", "cntvct" };
  struct eventring_info info = target_info(cursor);
  json_t *all = json_object(), *argv = NULL;
  if (eventring_state(cursor) == EVENTRING_STATE_RUNNING
      && !info.pid_is_elsewhere) {
    argv = arguments(info.pid);
    add_parameters(all, info.pid);
    add_build_id(all, info.pid);
  }
  json_object_set_new(all, "program",
                      text(info.program, strlen(info.program)));
  if (argv == NULL && info.argv0[0] != '\0') {
    argv = json_array();
    json_array_append_new(argv, text(info.argv0, strlen(info.argv0)));
  }
  if (argv != NULL) json_object_set_new(all, "argv", argv);
  json_object_set_new(all, "pid", json_integer(info.pid));
  if (info.parent_pid != 0)
    json_object_set_new(all, "parent_pid", json_integer(info.parent_pid));
  json_object_set_new(all, "runtime",
                      text(info.runtime, strlen(info.runtime)));
  json_object_set_new(all, "eventring",
                      json_string(eventring_reader_version()));
  json_object_set_new(all, "machine", machine());
  json_object_set_new(all, "clock", json_string(clocks[info.clock & 3]));
  json_object_set_new(all, "rings", json_integer(info.rings));
  json_object_set_new(all, "ring_words",
                      json_integer((json_int_t) info.ring_words));
  json_object_set_new(all, "categories",
                      categories(cursor, info.active | info.resume));
  json_object_set_new(all, "started", json_date(info.started_realtime_ns));
  json_object_set_new(all, "recorded", json_date(realtime_ns()));
  return all;
}

/* Returns the text of [all], and frees [all]. */
static char *text_of(json_t *all)
{
  char *result = dump_json(all, JSON_COMPACT);
  json_decref(all);
  return result;
}

char *new_manifest(struct eventring_cursor *cursor, const char *trigger)
{
  json_t *all = facts(cursor);
  if (trigger != NULL)
    json_object_set_new(all, "trigger", text(trigger, strlen(trigger)));
  return text_of(all);
}

/* Nodes */

char *new_node(const char *name)
{
  char boot_id[64] = "";
  json_t *all = json_object(), *facts = machine();
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file != NULL && fgets(boot_id, sizeof boot_id, file) != NULL)
    boot_id[strcspn(boot_id, "\n")] = '\0';
  if (file != NULL) fclose(file);
  if (name != NULL)
    json_object_set_new(all, "node", text(name, strlen(name)));
  else
    json_object_set(all, "node", json_object_get(facts, "host"));
  json_object_set_new(all, "boot_id", json_string(boot_id));
  json_object_set_new(all, "machine", facts);
  return text_of(all);
}

void record_node(struct eventring_recorder *recorder)
{
  char *node = new_node(NULL);
  eventring_record_node(recorder, node);
  free(node);
}

/* Saved recordings */

json_t *json_fired_event(const struct fired_event *event)
{
  if (event->name[0] == '\0') return json_null();
  return json_pack(
    "{s:o, s:I, s:o, s:I, s:I}", "event", text(event->name, strlen(event->name)),
    "ns", (json_int_t) event->ns,
    "took_ns", event->took_ns < 0 ? json_null() : json_integer(event->took_ns),
    "domain", (json_int_t) event->domain, "thread", (json_int_t) event->thread);
}

/* The reverse of json_fired_event.  An event that no process can have is not known. */
static struct fired_event read_fired_event(json_t *json)
{
  struct fired_event event = { .took_ns = -1 };
  const char *name;
  json_int_t ns, domain, thread;
  json_t *took;
  if (json_unpack(json, "{s:s, s:I, s:o, s:I, s:I}", "event", &name, "ns", &ns,
                  "took_ns", &took, "domain", &domain, "thread", &thread) < 0
      || ns < 0 || domain < 0 || domain > UINT32_MAX || thread < 0
      || thread > UINT32_MAX || !(json_is_null(took) || json_is_integer(took)))
    return event;
  if (json_is_integer(took)) event.took_ns = json_integer_value(took);
  if (json_is_integer(took) && (event.took_ns < 0 || event.took_ns > ns)) return event;
  snprintf(event.name, sizeof event.name, "%s", name);
  event.ns = ns;
  event.domain = (uint32_t) domain;
  event.thread = (uint32_t) thread;
  return event;
}

char *new_saved_manifest(struct eventring_cursor *cursor, const char *rule,
                         const struct fired_event *fired)
{
  json_t *all = facts(cursor);
  json_t *saved = json_pack("{s:s, s:o}", "by", rule != NULL ? "rule" : "hand",
                            "at", json_date(realtime_ns()));
  if (rule != NULL)
    json_object_set_new(saved, "rule", text(rule, strlen(rule)));
  if (fired != NULL) json_object_set_new(saved, "fired", json_fired_event(fired));
  json_object_set_new(all, "saved", saved);
  return text_of(all);
}

/* Returns the time, in nanoseconds since 1970, of a text that json_date made; 0 for
   any other text or NULL. */
static int64_t parse_date(const char *when)
{
  struct tm tm = { 0 };
  int64_t ns = 0;
  const char *rest = when == NULL ? NULL
                     : strptime(when, "%Y-%m-%dT%H:%M:%S", &tm);
  if (rest == NULL || sscanf(rest, ".%9" SCNd64 "Z", &ns) != 1) return 0;
  int64_t seconds = timegm(&tm);
  return seconds < 0 || seconds > INT32_MAX * INT64_C(4) ? 0
         : seconds * INT64_C(1000000000) + ns;
}

struct manifest_saved manifest_saved(const char *note)
{
  struct manifest_saved saved = { .by = SAVED_UNKNOWN };
  json_t *all = note != NULL ? json_loads(note, 0, NULL) : NULL;
  const json_t *member = json_object_get(all, "saved");
  const char *by = json_string_value(json_object_get(member, "by")),
    *rule = json_string_value(json_object_get(member, "rule"));
  saved.at_ns = parse_date(json_string_value(json_object_get(member, "at")));
  if (by != NULL && strcmp(by, "hand") == 0)
    saved.by = SAVED_BY_HAND;
  else if (by != NULL && strcmp(by, "rule") == 0 && rule != NULL) {
    saved.by = SAVED_BY_RULE;
    snprintf(saved.rule, sizeof saved.rule, "%s", rule);
    saved.fired = read_fired_event(json_object_get(member, "fired"));
  }
  json_decref(all);
  return saved;
}

/* The longest manifest that is read, longer than all arguments of a process. */
#define LONGEST_MANIFEST (4 << 20)

/* Returns the manifest in the recording of [cursor], which the caller frees
   with json_decref; NULL when it has none. */
static json_t *manifest_of(struct eventring_cursor *cursor)
{
  const char *note = eventring_note(cursor);
  return note != NULL && strnlen(note, LONGEST_MANIFEST) < LONGEST_MANIFEST
         ? json_loads(note, 0, NULL) : NULL;
}

uint32_t manifest_processors(struct eventring_cursor *cursor)
{
  json_t *all = manifest_of(cursor);
  json_int_t cpus = json_integer_value(
    json_object_get(json_object_get(all, "machine"), "cpus"));
  json_decref(all);
  return cpus > 0 && cpus < UINT32_MAX ? (uint32_t) cpus : 0;
}

void manifest_host(struct eventring_cursor *cursor, char host[HOST_SIZE])
{
  json_t *all = manifest_of(cursor);
  const char *name = json_string_value(
    json_object_get(json_object_get(all, "machine"), "host"));
  struct utsname u;
  host[0] = '\0';
  if (name != NULL)
    snprintf(host, HOST_SIZE, "%s", name);
  else if (all == NULL && target_info(cursor).same_boot && uname(&u) == 0)
    snprintf(host, HOST_SIZE, "%s", u.nodename);
  json_decref(all);
}
