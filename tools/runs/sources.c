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
#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "json.h"
#include "memory.h"
#include "capture.h"
#include "files.h"
#include "runs/sources.h"

static void unknown_fact(json_t *unknown, const char *what)
{
  json_array_append_new(unknown, json_string(what));
}

/* The environment */

/* Variables that change how a program runs, as patterns.  A variable that may
   contain a secret must not get here: manifests are passed on.  SECURITY.md
   names the list. */
static const char *const allowed[] = {
  "OCAMLRUNPARAM", "CAMLRUNPARAM", "OCAML_EVENTRING_CATEGORIES",
  "OCAML_EVENTRING_THRESHOLD", "OCAML_EVENTRING_PROFILE",
  "OCAML_EVENTRING_PROFILE_*", "OCAML_EVENTRING_CLOCK",
  "OCAML_RUNTIME_EVENTS_START", "CAML_LD_LIBRARY_PATH", "OCAMLLIB",
  "OPAM_SWITCH_PREFIX", "LD_LIBRARY_PATH", "LD_PRELOAD", "LD_BIND_NOW",
  "GLIBC_TUNABLES", "MALLOC_*_", "OMP_NUM_THREADS", "PATH", "TMPDIR", "LANG",
  "LC_*", "TZ"
};

static bool is_allowed(const char *name)
{
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    if (fnmatch(allowed[i], name, 0) == 0) return true;
  return false;
}

json_t *environment_facts(void)
{
  json_t *object = json_object();
  for (char **variable = environ; *variable != NULL; variable++) {
    char name[64];
    size_t length = strcspn(*variable, "=");
    if (length >= sizeof name || (*variable)[length] == '\0') continue;
    memcpy(name, *variable, length);
    name[length] = '\0';
    if (is_allowed(name))
      json_object_set_new(object, name, json_text(*variable + length + 1));
  }
  return object;
}

void restore_environment(const json_t *environment)
{
  json_t *present = environment_facts(), *copy = json_deep_copy(environment);
  const char *name;
  json_t *value;
  json_object_foreach(present, name, value)
    if (json_object_get(environment, name) == NULL) unsetenv(name);
  json_object_foreach(copy, name, value)
    if (is_allowed(name) && json_is_string(value))
      setenv(name, json_string_value(value), 1);
  json_decref(copy);
  json_decref(present);
}

size_t environment_bytes(void)
{
  size_t bytes = 0;
  for (char **variable = environ; *variable != NULL; variable++)
    bytes += strlen(*variable) + 1;
  return bytes;
}

/* git */

char *git_output(const char *dir, const char *const arguments[], size_t *size)
{
  const char *argv[16] = { "git" };
  for (int i = 0; i < 14 && arguments[i] != NULL; i++)
    argv[i + 1] = arguments[i];
  size_t length;
  char *text = capture(argv, dir, &length);
  if (text != NULL && length > 0 && text[length - 1] == '\n')
    text[--length] = '\0';
  if (size != NULL) *size = length;
  return text;
}

/* Returns a new JSON string with [text], JSON null for NULL; frees [text]. */
static json_t *taken_text(char *text)
{
  json_t *value = text == NULL ? json_null() : json_text(text);
  free(text);
  return value;
}

/* Returns a new JSON string with a checksum of the uncommitted changes of the
   repository of [dir]: of the difference to the commit, and of the names of
   files that git does not know.  Returns JSON null when there are none. */
static json_t *changes(const char *dir)
{
  size_t size = 0, names_size = 0;
  char *difference = GIT(dir, &size, "diff", "--binary", "--no-ext-diff",
                         "HEAD"),
    *names = GIT(dir, &names_size, "status", "--porcelain", "-z");
  json_t *result = json_null();
  if (difference != NULL && names != NULL && size + names_size > 0) {
    char sum[CHECKSUM_SIZE], *both = allocate(size + names_size, 1);
    memcpy(both, difference, size);
    memcpy(both + size, names, names_size);
    checksum_bytes(both, size + names_size, sum);
    result = json_string(sum);
    free(both);
  }
  free(difference);
  free(names);
  return result;
}

json_t *git_facts(const char *dir, json_t *unknown)
{
  char *commit = GIT(dir, NULL, "rev-parse", "--verify", "HEAD");
  if (commit == NULL) {
    unknown_fact(unknown, "git: the working directory is in no repository with "
                 "a commit, or there is no git");
    return json_null();
  }
  return json_pack(
    "{s:o, s:o, s:o, s:o}", "commit", taken_text(commit),
    "branch", taken_text(GIT(dir, NULL, "symbolic-ref", "-q", "--short",
                             "HEAD")),
    "describe", taken_text(GIT(dir, NULL, "describe", "--always", "--tags")),
    "changes_xxh64", changes(dir));
}

/* The compiler */

/* Returns a new JSON string with the value of the line "NAME: VALUE" of
   [text]; JSON null if it has none. */
static json_t *config_value(const char *text, const char *name)
{
  size_t length = strlen(name);
  for (const char *line = text; line != NULL && *line != '\0'; ) {
    if (strncmp(line, name, length) == 0 && line[length] == ':') {
      const char *value = line + length + 1;
      value += strspn(value, " ");
      return json_stringn(value, strcspn(value, "\n"));
    }
    line = strchr(line, '\n');
    if (line != NULL) line++;
  }
  return json_null();
}

json_t *compiler_facts(const char *dir, json_t *unknown)
{
  /* The configure options are in the Makefile that the compiler installs. */
  const char *const argv[] = { "ocamlopt", "-config", NULL };
  char *config = capture(argv, dir, NULL);
  if (config == NULL) {
    unknown_fact(unknown, "compiler: no ocamlopt in PATH");
    return json_null();
  }
  char *path = find_program("ocamlopt", dir);
  json_t *facts = json_pack(
    "{s:o, s:o, s:o, s:o, s:o, s:o}", "path", taken_text(path),
    "version", config_value(config, "version"),
    "flambda", config_value(config, "flambda"),
    "architecture", config_value(config, "architecture"),
    "c_compiler", config_value(config, "c_compiler"),
    "c_flags", config_value(config, "ocamlopt_cflags"));
  json_t *library = config_value(config, "standard_library");
  char makefile[PATH_MAX];
  snprintf(makefile, sizeof makefile, "%s/Makefile.config",
           json_string_value(library) != NULL ? json_string_value(library)
                                              : "");
  char *text = read_text_file(makefile),
    *options = text != NULL ? strstr(text, "\nCONFIGURE_ARGS=") : NULL;
  if (options != NULL) {
    options += sizeof "\nCONFIGURE_ARGS=" - 1;
    options[strcspn(options, "\n")] = '\0';
    json_object_set_new(facts, "configure", json_text(options));
  } else {
    json_object_set_new(facts, "configure", json_null());
    unknown_fact(unknown, "compiler: its configure options; Makefile.config "
                 "of its library does not have them");
  }
  free(text);
  free(config);
  json_decref(library);
  return facts;
}

/* Packages */

/* Adds the packages "NAME.VERSION" of the field `installed` of the state of an
   opam switch to [packages].  Returns whether there is such a field. */
static bool add_opam(json_t *packages, char *state)
{
  char *list = strncmp(state, "installed:", 10) == 0 ? state
               : strstr(state, "\ninstalled:");
  char *end = list != NULL ? strchr(list, ']') : NULL;
  if (end == NULL) return false;
  *end = '\0';
  while ((list = strchr(list, '"')) != NULL) {
    char *name = list + 1, *close = strchr(name, '"');
    if (close == NULL) break;
    *close = '\0';
    char *dot = strchr(name, '.');
    if (dot != NULL) *dot = '\0';
    json_object_set_new(packages, name,
                        dot != NULL ? json_text(dot + 1) : json_null());
    list = close + 1;
  }
  return true;
}

/* Returns a new JSON object with the packages of the opam switch in the
   environment, or JSON null. */
static json_t *opam_packages(json_t *unknown)
{
  const char *prefix = getenv("OPAM_SWITCH_PREFIX");
  char path[PATH_MAX];
  if (prefix == NULL) {
    unknown_fact(unknown, "packages: OPAM_SWITCH_PREFIX names no opam switch");
    return json_null();
  }
  snprintf(path, sizeof path, "%s/.opam-switch/switch-state", prefix);
  char *state = read_text_file(path);
  json_t *packages = json_object();
  bool good = state != NULL && add_opam(packages, state);
  free(state);
  if (good) return packages;
  json_decref(packages);
  json_array_append_new(unknown, json_sprintf(
    "packages: cannot read the opam switch %s", prefix));
  return json_null();
}

/* Returns a new JSON value with the version in the dune package file at [path],
   or with its checksum if it has none. */
static json_t *dune_version(const char *path)
{
  char *text = read_text_file(path), sum[CHECKSUM_SIZE];
  if (text == NULL) return json_null();
  const char *version = strstr(text, "(version ");
  json_t *value;
  checksum_bytes(text, strlen(text), sum);
  if (version != NULL) {
    version += sizeof "(version " - 1;
    value = json_stringn(version, strcspn(version, " )\n"));
  } else
    value = json_sprintf("xxh64:%s", sum);
  free(text);
  return value;
}

/* Adds the packages of the dune lock folder [path].  Returns false when there
   is no such folder. */
static bool add_dune(json_t *packages, const char *path)
{
  DIR *folder = opendir(path);
  const struct dirent *entry;
  if (folder == NULL) return false;
  while ((entry = readdir(folder)) != NULL) {
    char file[2 * PATH_MAX], name[NAME_MAX + 1];
    size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 4, ".pkg") != 0) continue;
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    memcpy(name, entry->d_name, length - 4);
    name[length - 4] = '\0';
    json_t *key = json_text(name);
    json_object_set_new(packages, json_string_value(key), dune_version(file));
    json_decref(key);
  }
  closedir(folder);
  return true;
}

/* Returns a new JSON object with the packages of the nearest folder dune.lock
   in [dir] and the folders above it, or JSON null. */
static json_t *dune_packages(const char *dir, json_t *unknown)
{
  json_t *packages = json_object();
  char folder[PATH_MAX], lock[PATH_MAX + 16];
  snprintf(folder, sizeof folder, "%s", dir);
  for (char *end = folder; end != NULL && folder[0] != '\0'; ) {
    snprintf(lock, sizeof lock, "%s/dune.lock", folder);
    if (add_dune(packages, lock)) return packages;
    end = strrchr(folder, '/');
    if (end != NULL) *end = '\0';
  }
  json_decref(packages);
  unknown_fact(unknown, "packages: no dune.lock in the working directory or "
               "above it");
  return json_null();
}

json_t *package_facts(const char *dir, json_t *unknown)
{
  return json_pack("{s:o, s:o}", "opam", opam_packages(unknown),
                   "dune", dune_packages(dir, unknown));
}
