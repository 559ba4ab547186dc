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

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include "batches.h"
#include "json.h"
#include "live_json.h"
#include "own_command.h"
#include "query.h"
#include "registry.h"
#include "settings.h"
#include "store.h"
#include "target.h"
#include "unnamed_file.h"

/* The most groups of an answer. */
#define MOST_GROUPS 32

/* The end of the message when an answer takes too long. */
#define ADVICE ": choose fewer runs"

#define STORE_OPTION "--store="

/* The option with the path of the store, and the folder of its batches. */
struct place { char option[sizeof STORE_OPTION + PATH_MAX], batches[PATH_MAX]; };

/* Sets [p] for the store.  Returns false when there are no batches. */
static bool find_batches(const struct settings *settings, struct place *p)
{
  char store[PATH_MAX], path[PATH_MAX + sizeof BATCHES_FOLDER];
  if (settings->store == NULL || realpath(settings->store, store) == NULL) return false;
  snprintf(path, sizeof path, "%s/" BATCHES_FOLDER, store);
  snprintf(p->option, sizeof p->option, STORE_OPTION "%s", store);
  return realpath(path, p->batches) != NULL;
}

/* Names */

/* Returns whether [path] has the component .. */
static bool goes_up(const char *path)
{
  for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
    if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0')) return true;
  return false;
}

/* Returns whether nothing begins at [name], a path below the folder [batches], so that it
   leads nowhere: a label may have the component .. */
static bool leads_nowhere(const char *name, const char *batches)
{
  char first[PATH_MAX + NAME_MAX + 2];
  struct stat st;
  snprintf(first, sizeof first, "%s/%.*s", batches, (int) strcspn(name, "/"), name);
  return strcspn(name, "/") <= NAME_MAX && lstat(first, &st) < 0 && errno == ENOENT;
}

/* Returns whether [name] can only be something in the folder [batches]. */
static bool is_inside(const char *name, const char *batches)
{
  return name[0] != '\0' && name[0] != '/'
         && (!goes_up(name) || leads_nowhere(name, batches));
}

static struct answer refuse_name(void)
{
  return refusal(400, "batch: a name from the list of batches");
}

static struct answer no_batches(void)
{
  return refusal(404, "the store has no batches");
}

/* Answers */

struct answer answer_batches(const struct asked *asked)
{
  struct place p;
  if (!find_batches(asked->settings, &p))
    return (struct answer) {
      .status = 200, .json = json_pack(
        "{s:i, s:o, s:[]}", "version", JSON_VERSION,
        "store", json_text(asked->settings->store), "batches") };
  const char *const argv[] = { OWN_PROGRAM, "list", "--batches", "--json", p.option, NULL };
  return answer_own_command(asked, argv, p.batches, ADVICE);
}

struct answer answer_runs(const struct asked *asked)
{
  const char *name = asked->query->batch;
  char path[PATH_MAX + QUERY_FILTER + 1];
  struct place p;
  if (!find_batches(asked->settings, &p)) return no_batches();
  if (!is_inside(name, p.batches)) return refuse_name();
  snprintf(path, sizeof path, "%s/%s", p.batches, name);
  const char *const argv[] = { OWN_PROGRAM, "list", "--json", "--", path, NULL };
  return answer_own_command(asked, argv, p.batches, ADVICE);
}

struct answer open_run(const struct asked *asked)
{
  const char *name = json_string_value(json_object_get(asked->body, "batch"));
  const json_t *number = json_object_get(asked->body, "number");
  char path[2 * PATH_MAX], why[512];
  struct place p;
  if (!find_batches(asked->settings, &p)) return no_batches();
  if (name == NULL || strlen(name) > NAME_MAX || goes_up(name) || !is_inside(name, p.batches))
    return refuse_name();
  if (!json_is_integer(number)) return refusal(400, "number: that of a run");
  snprintf(path, sizeof path, "%s/%s/%06" JSON_INTEGER_FORMAT ".evr", p.batches, name,
           json_integer_value(number));
  const uint64_t id = show_recording(path, why, sizeof why);
  if (id == 0) return refusal(409, "the recording of the run cannot be read: %s", why);
  return (struct answer) { .status = 200, .json = json_pack("{s:o}", "id", json_id(id)) };
}

/* Writes the texts of [groups], an array, to [argv] with a NULL behind them.  Returns
   false if it has something else than names in the folder [batches]. */
static bool take_groups(const json_t *groups, const char *batches,
                        const char *argv[MOST_GROUPS + 1])
{
  const size_t count = json_array_size(groups);
  if (count == 0 || count > MOST_GROUPS) return false;
  for (size_t i = 0; i < count; i++) {
    argv[i] = json_string_value(json_array_get(groups, i));
    if (argv[i] == NULL || !is_inside(argv[i], batches)) return false;
  }
  argv[count] = NULL;
  return true;
}

/* Returns the output of the command [name] for the groups of the query. */
static struct answer answer_groups(const struct asked *asked, const char *name)
{
  struct place p;
  const char *argv[6 + MOST_GROUPS + 1] = { OWN_PROGRAM, name, "--json", p.option };
  size_t fixed = 4;
  if (!find_batches(asked->settings, &p)) return no_batches();
  if (asked->query->other_machines) argv[fixed++] = "--other-machines";
  argv[fixed++] = "--";
  json_t *groups = json_loads(asked->query->groups, 0, NULL);
  struct answer answer = take_groups(groups, p.batches, argv + fixed)
    ? answer_own_command(asked, argv, p.batches, ADVICE)
    : refusal(400, "groups: a JSON array of 1 to %d texts, BATCH or BATCH:LABEL", MOST_GROUPS);
  json_decref(groups);
  return answer;
}

struct answer answer_run_comparison(const struct asked *asked)
{
  return answer_groups(asked, "compare");
}

struct answer answer_run_timeline(const struct asked *asked)
{
  return answer_groups(asked, "timeline");
}
