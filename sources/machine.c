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
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "json.h"
#include "capture.h"
#include "files.h"
#include "machine.h"

#define CPUS "/sys/devices/system/cpu/"

/* Facts that stay */

/* Returns a new JSON string with the value of the first line "NAME : VALUE" of
   /proc/cpuinfo, or JSON null. */
static json_t *cpuinfo(const char *info, const char *name)
{
  size_t length = strlen(name);
  for (const char *line = info; line != NULL && *line != '\0'; ) {
    const char *rest = line + length;
    if (strncmp(line, name, length) == 0 && (*rest == '\t' || *rest == ' ')) {
      rest += strspn(rest, " \t");
      if (*rest == ':') {
        rest += 1 + strspn(rest + 1, " \t");
        return json_stringn(rest, strcspn(rest, "\n"));
      }
    }
    line = strchr(line, '\n');
    if (line != NULL) line++;
  }
  return json_null();
}

/* Returns a new JSON object with the facts about the processor. */
static json_t *processor(void)
{
  /* On x86, then on arm64. */
  static const struct { const char *member, *name; } lines[] = {
    { "model", "model name" }, { "microcode", "microcode" },
    { "implementer", "CPU implementer" }, { "part", "CPU part" },
    { "variant", "CPU variant" }, { "revision", "CPU revision" }
  };
  char *info = read_text_file("/proc/cpuinfo");
  json_t *object = json_object();
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    json_t *value = info != NULL ? cpuinfo(info, lines[i].name) : json_null();
    if (i < 2 || !json_is_null(value))
      json_object_set_new(object, lines[i].member, value);
    else
      json_decref(value);
  }
  json_object_set_new(object, "cpus",
                      json_integer(sysconf(_SC_NPROCESSORS_CONF)));
  free(info);
  return object;
}

/* Returns the physical memory in MiB, so that the few pages that differ from
   boot to boot do not count. */
static int64_t memory_mib(void)
{
  int64_t page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_PHYS_PAGES);
  return page * pages >> 20;
}

json_t *machine_facts(void)
{
  struct utsname u = { .sysname = "" };
  char key[CHECKSUM_SIZE];
  uname(&u);
  json_t *facts = json_pack(
    "{s:o, s:s, s:s, s:s, s:s, s:I}", "processor", processor(),
    "system", u.sysname, "release", u.release, "build", u.version,
    "architecture", u.machine, "memory_mib", (json_int_t) memory_mib());
  char *text = dump_json(facts, JSON_COMPACT | JSON_SORT_KEYS);
  checksum_bytes(text, strlen(text), key);
  free(text);
  json_object_set_new(facts, "host", json_text(u.nodename));
  json_object_set_new(facts, "key", json_string(key));
  return facts;
}

/* Facts that vary */

/* Returns a new JSON string with the text of the file at [path], or JSON
   null. */
static json_t *file_text(const char *path)
{
  char *text = read_text_file(path);
  json_t *value = text == NULL ? json_null() : json_text(text);
  free(text);
  return value;
}

static void set_text(json_t *object, const char *member, const char *path)
{
  json_object_set_new(object, member, file_text(path));
}

/* Returns a new JSON value with the different texts of the files that match
   [pattern]: JSON null for none, a string for one, joined by commas. */
static json_t *file_texts(const char *pattern)
{
  glob_t found;
  json_t *seen = json_object(), *result = json_null();
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      char *text = read_text_file(found.gl_pathv[i]);
      if (text != NULL && json_object_get(seen, text) == NULL) {
        json_object_set_new(seen, text, json_true());
        result = json_is_null(result) ? json_text(text)
                 : json_sprintf("%s,%s", json_string_value(result), text);
      }
      free(text);
    }
    globfree(&found);
  }
  json_decref(seen);
  return result;
}

/* The least, mean and greatest number in some files. */
struct numbers { double least, sum, greatest; uint32_t count; };

static void add_number(struct numbers *n, double value)
{
  if (n->count == 0 || value < n->least) n->least = value;
  if (n->count == 0 || value > n->greatest) n->greatest = value;
  n->sum += value;
  n->count++;
}

static struct numbers file_numbers(const char *pattern)
{
  struct numbers n = { .count = 0 };
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) return n;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    char *text = read_text_file(found.gl_pathv[i]), *end = text;
    double value = text != NULL ? strtod(text, &end) : 0;
    if (end != text) add_number(&n, value);
    free(text);
  }
  globfree(&found);
  return n;
}

/* The frequencies of all CPUs in MHz, from cpufreq or else from /proc/cpuinfo,
   which virtual machines have. */
static json_t *frequency(void)
{
  struct numbers n = file_numbers(CPUS "cpu[0-9]*/cpufreq/scaling_cur_freq");
  double unit = 1000;
  char *info = n.count == 0 ? read_text_file("/proc/cpuinfo") : NULL;
  for (const char *line = info; line != NULL;
       line = strstr(line + 1, "cpu MHz")) {
    double mhz;
    if (sscanf(line, "cpu MHz : %lf", &mhz) == 1) add_number(&n, mhz);
    unit = 1;
  }
  free(info);
  if (n.count == 0) return json_null();
  return json_pack("{s:f, s:f, s:f}", "least", n.least / unit, "mean",
                   n.sum / n.count / unit, "greatest", n.greatest / unit);
}

/* The highest temperature of the sensors, in degrees Celsius. */
static json_t *temperature(void)
{
  struct numbers n = file_numbers("/sys/class/thermal/thermal_zone*/temp");
  return n.count > 0 ? json_real(n.greatest / 1000) : json_null();
}

static json_t *load(void)
{
  double loads[3];
  if (getloadavg(loads, 3) != 3) return json_null();
  return json_pack("[f, f, f]", loads[0], loads[1], loads[2]);
}

/* The number of CPUs on which this process may run. */
static json_t *affinity(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) < 0 ? json_null()
         : json_integer(CPU_COUNT(&set));
}

/* Returns a new JSON value with the limit [name] of the cgroup [path] of
   version 2: the limit of the nearest cgroup, this one or one above it, that
   has a limit; JSON null when none has. */
static json_t *cgroup_limit(const char *path, const char *name)
{
  char cgroup[PATH_MAX], file[PATH_MAX + 64];
  snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup%s", path);
  while (strlen(cgroup) >= sizeof "/sys/fs/cgroup" - 1) {
    snprintf(file, sizeof file, "%s/%s", cgroup, name);
    char *text = read_text_file(file);
    json_t *limit = text != NULL && strncmp(text, "max", 3) != 0
                    ? json_text(text) : NULL;
    free(text);
    if (limit != NULL) return limit;
    char *end = strrchr(cgroup, '/');
    if (end == NULL) break;
    *end = '\0';
  }
  return json_null();
}

static json_t *cgroup(void)
{
  static const char *const names[] = { "cpu.max", "memory.max", "memory.high",
                                       "cpuset.cpus.effective", "pids.max" };
  char *list = read_text_file("/proc/self/cgroup");
  const char *line = list != NULL ? strstr(list, "0::") : NULL;
  json_t *object = json_object();
  if (line != NULL && (line == list || line[-1] == '\n')) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int) strcspn(line + 3, "\n"),
             line + 3);
    if (strcmp(path, "/") == 0) path[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      json_object_set_new(object, names[i], cgroup_limit(path, names[i]));
  }
  free(list);
  return object;
}

json_t *machine_conditions(void)
{
  json_t *object = json_pack(
    "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "load", load(),
    "frequency_mhz", frequency(), "temperature_celsius", temperature(),
    "governor", file_texts(CPUS "cpu[0-9]*/cpufreq/scaling_governor"),
    "cpus_online", json_integer(sysconf(_SC_NPROCESSORS_ONLN)),
    "cpus_allowed", affinity(), "cgroup", cgroup());
  set_text(object, "turbo_off", CPUS "intel_pstate/no_turbo");
  set_text(object, "boost", CPUS "cpufreq/boost");
  set_text(object, "smt", CPUS "smt/active");
  set_text(object, "huge_pages",
           "/sys/kernel/mm/transparent_hugepage/enabled");
  set_text(object, "address_space_randomization",
           "/proc/sys/kernel/randomize_va_space");
  return object;
}
