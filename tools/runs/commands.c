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
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common.h"
#include "json.h"
#include "runs/batch.h"
#include "runs/commands.h"
#include "files.h"
#include "runs/sources.h"

/* Labels */

#define LABEL_SIZE 160

/* Appends [word], after a space if it is not the first, to the [used] bytes of
   [label]; what has no room is cut. */
static void add_word(char label[LABEL_SIZE], size_t *used, const char *word)
{
  if (*used >= LABEL_SIZE) return;
  int n = snprintf(label + *used, LABEL_SIZE - *used, "%s%s",
                   *used > 0 ? " " : "", word);
  *used += n > 0 ? (size_t) n : 0;
}

/* Writes the command line of [command] to [label], cut to its size. */
static void join_words(char label[LABEL_SIZE], json_t *command)
{
  size_t used = 0;
  const json_t *argv = json_object_get(command, "argv");
  const char *name;
  json_t *value;
  label[0] = '\0';
  json_object_foreach(json_object_get(command, "variables"), name, value) {
    char word[LABEL_SIZE];
    snprintf(word, sizeof word, "%s=%s", name, json_string_value(value));
    add_word(label, &used, word);
  }
  for (size_t i = 0; i < json_array_size(argv); i++)
    add_word(label, &used, json_string_value(json_array_get(argv, i)));
}

/* Writes the label numbered [way] of [command]: the name of the program, its path
   as given, or the command line. */
static void derive_label(char label[LABEL_SIZE], json_t *command, int way)
{
  const char *program = json_string_value(
      json_array_get(json_object_get(command, "argv"), 0)),
    *slash = strrchr(program, '/');
  if (way == 2)
    join_words(label, command);
  else
    snprintf(label, LABEL_SIZE, "%s",
             way == 0 && slash != NULL ? slash + 1 : program);
}

static bool is_taken(const json_t *commands, size_t count, const char *label)
{
  for (size_t i = 0; i < count; i++) {
    const char *other = json_string_value(
      json_object_get(json_array_get(commands, i), "label"));
    if (other != NULL && strcmp(other, label) == 0) return true;
  }
  return false;
}

/* Sets the labels of the commands from [from] on, in the way [way].  Returns
   whether all differ; with [number], labels get numbers until they do. */
static bool set_labels(json_t *commands, size_t from, int way, bool number)
{
  for (size_t i = from; i < json_array_size(commands); i++) {
    json_t *command = json_array_get(commands, i);
    char label[LABEL_SIZE], numbered[LABEL_SIZE + 32];
    derive_label(label, command, way);
    snprintf(numbered, sizeof numbered, "%s", label);
    for (int n = 2; is_taken(commands, i, numbered); n++) {
      if (!number) return false;
      snprintf(numbered, sizeof numbered, "%s (%d)", label, n);
    }
    json_object_set_new(command, "label", json_text(numbered));
  }
  return true;
}

/* Labels the commands: the first by [given], the others by the shortest text
   that tells them apart. */
static void label_commands(const struct command *usage, json_t *commands,
                           const json_t *given)
{
  size_t count = json_array_size(given);
  if (count > json_array_size(commands))
    usage_error(usage, "%s: %zu labels for %zu commands", usage->name, count,
                json_array_size(commands));
  for (size_t i = 0; i < count; i++) {
    const char *label = json_string_value(json_array_get(given, i));
    if (label[0] == '\0' || strlen(label) >= LABEL_SIZE
        || is_taken(commands, i, label))
      usage_error(usage, "%s: --label '%s' is empty, too long or a second one",
                  usage->name, label);
    json_object_set_new(json_array_get(commands, i), "label",
                        json_text(label));
  }
  for (int way = 0; way <= 2; way++)
    if (set_labels(commands, count, way, false)) return;
  set_labels(commands, count, 2, true);
}

/* Returns the number of bytes before the = of [word], if it is an assignment to
   a variable of the environment, else 0. */
static size_t variable_length(const char *word)
{
  size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                         "abcdefghijklmnopqrstuvwxyz0123456789");
  return word[length] == '=' && !(word[0] >= '0' && word[0] <= '9') ? length : 0;
}

/* Returns the command of the [count] words at [words] as a new JSON object:
   `variables`, and `argv`. */
static json_t *new_command(const struct command *usage, char **words, int count)
{
  json_t *argv = json_array(), *variables = json_object();
  for (int i = 0; i < count; i++) {
    size_t length = json_array_size(argv) == 0 ? variable_length(words[i]) : 0;
    json_t *word = json_string(words[i] + (length > 0 ? length + 1 : 0));
    if (word == NULL)
      usage_error(usage, "%s: the argument '%s' is not UTF-8", usage->name,
                  words[i]);
    if (length > 0) {
      char *name = strndup(words[i], length);
      if (name == NULL) out_of_memory();
      json_object_set_new(variables, name, word);
      free(name);
    } else
      json_array_append_new(argv, word);
  }
  if (json_array_size(argv) == 0)
    usage_error(usage, "%s: no command stands between two --", usage->name);
  return json_pack("{s:o, s:o}", "variables", variables, "argv", argv);
}

json_t *new_commands(const struct command *usage, int argc, char **argv,
                     const json_t *given)
{
  json_t *commands = json_array();
  if (argc == 0) usage_error(usage, "%s: missing command", usage->name);
  for (int i = 0, first = 0; i <= argc; i++)
    if (i == argc || strcmp(argv[i], "--") == 0) {
      json_array_append_new(commands,
                            new_command(usage, argv + first, i - first));
      first = i + 1;
    }
  if (json_array_size(commands) > BATCH_COMMANDS)
    usage_error(usage, "%s: more than %d commands", usage->name,
                BATCH_COMMANDS);
  label_commands(usage, commands, given);
  return commands;
}

/* Facts */

/* Returns whether anything is at the path [name], relative to [dir]. */
static bool is_at(const char *dir, const char *name)
{
  char path[PATH_MAX];
  const bool absolute = name[0] == '/';
  snprintf(path, sizeof path, "%s%s%s", absolute ? "" : dir,
           absolute ? "" : "/", name);
  return strchr(name, '/') != NULL && access(path, F_OK) == 0;
}

/* Adds facts about the program of [command], whose [directory] is set.  Returns
   false, with a message, when there is no such program. */
static bool add_program(json_t *command)
{
  const char *dir = json_string_value(json_object_get(command, "directory")),
    *name = json_string_value(
      json_array_get(json_object_get(command, "argv"), 0));
  char *path = find_program(name, dir);
  json_t *program = path == NULL ? NULL
    : program_facts(path, json_object_get(command, "unknown"));
  if (path == NULL)
    complain("cannot run %s: %s", name,
             is_at(dir, name) ? "it is no file that can be executed"
             : "no such program");
  else if (program == NULL)
    complain("cannot run %s: %s", name, strerror(errno));
  free(path);
  json_object_set_new(command, "program", program);
  return program != NULL;
}

/* Adds the facts about the folder of [command]. */
static void add_sources(json_t *command)
{
  json_t *unknown = json_array();
  const char *dir = json_string_value(json_object_get(command, "directory"));
  json_object_set_new(command, "unknown", unknown);
  json_object_set_new(command, "compiler", compiler_facts(dir, unknown));
  json_object_set_new(command, "git", git_facts(dir, unknown));
  json_object_set_new(command, "packages", package_facts(dir, unknown));
}

/* Copies the facts about the folder from [other] to [command], which has the
   same. */
static void copy_sources(json_t *command, const json_t *other)
{
  static const char *const members[] = { "compiler", "git", "packages" };
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    json_object_set(command, members[i], json_object_get(other, members[i]));
  json_object_set_new(command, "unknown",
                      json_copy(json_object_get(other, "unknown")));
}

bool add_facts(json_t *commands)
{
  const json_t *before = NULL;
  json_t *sources = NULL;
  for (size_t i = 0; i < json_array_size(commands); i++) {
    json_t *command = json_array_get(commands, i);
    const json_t *dir = json_object_get(command, "directory");
    if (before != NULL && json_equal(dir, before))
      copy_sources(command, sources);
    else {
      add_sources(command);
      json_decref(sources);
      sources = json_copy(command);
      json_object_set_new(sources, "unknown",
                          json_copy(json_object_get(command, "unknown")));
    }
    before = dir;
    if (!add_program(command)) {
      json_decref(sources);
      return false;
    }
  }
  json_decref(sources);
  return true;
}
