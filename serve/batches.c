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

#define _GNU_SOURCE               /* POLLRDHUP */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include "batches.h"
#include "capture.h"
#include "json.h"
#include "live_json.h"
#include "query.h"
#include "registry.h"
#include "settings.h"
#include "store.h"
#include "target.h"
#include "unnamed_file.h"

/* The most bytes of an answer, and seconds until there is one. */
#define ANSWER_BYTES ((size_t) 64 << 20)
#define ANSWER_SECONDS 60

/* The most answers at a time, and groups of one. */
#define ANSWERS 4
#define MOST_GROUPS 32

static atomic_int answers;
static atomic_bool stopping;
static _Thread_local int64_t deadline_ns;
static _Thread_local int client;  /* the socket of who waits for the answer */

/* Returns whether the client has closed the connection. */
static bool client_is_gone(void)
{
  struct pollfd end = { client, POLLRDHUP, 0 };
  return poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

static bool is_stopped(void)
{
  return atomic_load(&stopping) || monotonic_ns() > deadline_ns || client_is_gone();
}

void stop_batches(void)
{
  atomic_store(&stopping, true);
}

/* Running a command */

#define PROGRAM "/proc/self/exe"
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

/* Reads the first line of the messages in the file [fd] to [why], without the name of
   the program. */
static void read_message(int fd, char *why, size_t why_size)
{
  static const char head[] = "eventring: ";
  const ssize_t n = pread(fd, why, why_size - 1, 0);
  why[n > 0 ? n : 0] = '\0';
  why[strcspn(why, "\n")] = '\0';
  if (strncmp(why, head, sizeof head - 1) == 0)
    memmove(why, why + sizeof head - 1, strlen(why) - (sizeof head - 1) + 1);
}

/* Returns the answer with the output of the command [argv], or its message, which is in
   the file [messages]. */
static struct answer output_of(const char *const argv[], const char *dir, int messages)
{
  char why[512];
  size_t size = 0;
  deadline_ns = time_after(monotonic_ns(), ANSWER_SECONDS * SECOND_NS);
  char *text = capture_with_messages(argv, dir, messages, ANSWER_BYTES, is_stopped, &size);
  json_t *json = text == NULL || size > ANSWER_BYTES ? NULL
                 : json_loadb(text, size, 0, NULL);
  free(text);
  if (json != NULL) return (struct answer) { .status = 200, .json = json };
  if (size > ANSWER_BYTES)
    return refusal(413, "the answer would have more than %zu bytes", ANSWER_BYTES);
  if (is_stopped())
    return refusal(504, "there is no answer after %d s: choose fewer runs",
                   ANSWER_SECONDS);
  read_message(messages, why, sizeof why);
  return refusal(409, "%s", why[0] != '\0' ? why : "the command failed");
}

/* Returns the answer with the output of the command [argv], run in [dir].  Ends it when
   the client is gone. */
static struct answer answer_command(const struct asked *asked, const char *const argv[],
                                    const char *dir)
{
  struct answer answer;
  if (atomic_fetch_add(&answers, 1) >= ANSWERS) {
    atomic_fetch_sub(&answers, 1);
    return refusal(503, "%d answers about batches are being made: ask again later",
                   ANSWERS);
  }
  client = asked->socket;
  const int messages = unnamed_file(temporary_folder());
  if (messages < 0)
    answer = refusal(409, "cannot make a temporary file");
  else {
    answer = output_of(argv, dir, messages);
    close(messages);
  }
  atomic_fetch_sub(&answers, 1);
  return answer;
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
  const char *const argv[] = { PROGRAM, "list", "--batches", "--json", p.option, NULL };
  return answer_command(asked, argv, p.batches);
}

struct answer answer_runs(const struct asked *asked)
{
  const char *name = asked->query->batch;
  char path[PATH_MAX + QUERY_FILTER + 1];
  struct place p;
  if (!find_batches(asked->settings, &p)) return no_batches();
  if (!is_inside(name, p.batches)) return refuse_name();
  snprintf(path, sizeof path, "%s/%s", p.batches, name);
  const char *const argv[] = { PROGRAM, "list", "--json", "--", path, NULL };
  return answer_command(asked, argv, p.batches);
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
  const char *argv[6 + MOST_GROUPS + 1] = { PROGRAM, name, "--json", p.option };
  size_t fixed = 4;
  if (!find_batches(asked->settings, &p)) return no_batches();
  if (asked->query->other_machines) argv[fixed++] = "--other-machines";
  argv[fixed++] = "--";
  json_t *groups = json_loads(asked->query->groups, 0, NULL);
  struct answer answer = take_groups(groups, p.batches, argv + fixed)
    ? answer_command(asked, argv, p.batches)
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
