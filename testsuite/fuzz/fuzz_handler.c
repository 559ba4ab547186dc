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

/* The handlers of eventring serve, behind the checks of access.  An input is a
   sequence of requests, with a NUL between two:

     METHOD ADDRESS\nBODY

   The server shows a ring file of this process, which counts as running, ring
   files of programs that have ended, and a recording.  Their real ids differ
   from run to run, therefore the ids 0 to FILES - 1 in an address mean these
   files, and FILES means the recording that was saved last; an id of a rule
   means the rule with this number in the list.  After each input the rules, the
   recordings that go on and the store are removed, so that an input gives the
   same result again.

   No process is attached to: the list of programs is not asked for, and a POST
   with the id of a possible process is left out. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <sanitizer/lsan_interface.h>
#include "caml/eventring_format.h"
#include "download.h"
#include "findings.h"
#include "fuzz.h"
#include "live_json.h"
#include "query.h"
#include "recordings.h"
#include "registry.h"
#include "routes.h"
#include "rules.h"
#include "saved.h"
#include "store.h"
#include "store_edit.h"

/* Requests of an input; the rest is left out. */
#define REQUESTS 8

/* The largest id that Linux gives to a process. */
#define LARGEST_PID 4194304

#define FILES 6

static char folder[128], store[160];
static char paths[FILES][160];    /* in the order of the registry */
static uint64_t ids[FILES];
static struct settings settings = { .store = store };

/* The header of the file that counts as running, and its first contents. */
static struct eventring_header *header, first_header;

/* Files */

int make_ring(int argc, char **argv);
int make_profile(int argc, char **argv);

/* Makes a ring file of the kind [kind]. */
static void make_ended(const char *kind, char *path)
{
  char *arguments[] = { "make_ring", (char *) kind, path, NULL };
  CHECK(make_ring(3, arguments) == 0);
}

/* Makes a ring file of this process, which began 20 s ago, and maps it. */
static void make_running(char *path)
{
  char pid[32], monotonic[64], boot[64] = "boot=";
  struct timespec now;
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  CHECK(file != NULL && fgets(boot + 5, sizeof boot - 5, file) != NULL);
  fclose(file);
  boot[strcspn(boot, "\n")] = '\0';
  clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(pid, sizeof pid, "pid=%d", (int) getpid());
  snprintf(monotonic, sizeof monotonic, "monotonic=%lld",
           (long long) (now.tv_sec - 20) * 1000000000);
  char *arguments[] = { "make_ring", "summary", path, pid, boot, monotonic,
                        "state=1", NULL };
  CHECK(make_ring(7, arguments) == 0);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  CHECK(fd >= 0);
  header = mmap(NULL, sizeof *header, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                0);
  CHECK(header != MAP_FAILED);
  close(fd);
  memcpy(&first_header, header, sizeof first_header);
}

/* Makes a ring file with samples. */
static void make_samples(char *path)
{
  static const char lines[] =
    "mapping 1000 2000 0 0123456789abcdef /nowhere/a/path\n"
    "mapping 3000 1000 1000 - /nowhere/b\n"
    "event 1024 1 4 handle\n"
    "event 1025 10 4 get\n"
    "at 1 100 0\n"
    "begin 1025 1\n"
    "begin 1024\n"
    "at 1000 100 0\n"
    "sample 100 0 1 1234 2345 1300\n"
    "sample 50 1 1 1234 2345 1300\n"
    "sample 200 0 7 4567 1234\n"
    "at 2000 100 0\n"
    "end 1024\n"
    "end 1025 1\n";
  FILE *own = stdin;
  char *arguments[] = { "make_profile", path, NULL };
  stdin = fmemopen((char *) lines, sizeof lines - 1, "r");
  CHECK(stdin != NULL && make_profile(2, arguments) == 0);
  fclose(stdin);
  stdin = own;
}

/* Records the ring file at [from] to [to]. */
static void make_recording(const char *from, const char *to)
{
  struct eventring_options options = { .size = sizeof options };
  struct eventring_record_options record = { .size = sizeof record };
  struct eventring_cursor *cursor;
  struct eventring_recorder *recorder;
  CHECK(eventring_open(from, &options, &cursor) == 0);
  CHECK(eventring_record(to, cursor, &record, &recorder) == 0);
  CHECK(eventring_record_end(recorder) == 0);
  CHECK(eventring_record_close(recorder) == 0);
  eventring_close(cursor);
}

static void make_files(void)
{
  static const char *const kinds[FILES] = {
    [1] = "hostile", [2] = "requests", [3] = "lost"
  };
  const char *tmp = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%.100s/handler.XXXXXX",
           tmp != NULL ? tmp : "/tmp");
  CHECK(mkdtemp(folder) != NULL);
  snprintf(store, sizeof store, "%s/store", folder);
  for (int i = 0; i < FILES; i++)
    snprintf(paths[i], sizeof paths[i], "%s/%d", folder, i);
  make_running(paths[0]);
  for (int i = 1; i < 4; i++) make_ended(kinds[i], paths[i]);
  make_samples(paths[4]);
  make_ended("fields", store);
  make_recording(store, paths[5]);
  CHECK(unlink(store) == 0);
}

static void remove_files(void)
{
  for (int i = 0; i < FILES; i++) unlink(paths[i]);
  rmdir(store);
  rmdir(folder);
}

/* Reads new events of all views, as the threads of the server do. */
static void read_views(void)
{
  struct view *views[REGISTRY_VIEWS];
  int count = all_views(views);
  for (int i = 0; i < count; i++) {
    while (view_read(views[i], INT64_MAX / 4) == VIEW_MORE) ;
    update_findings(views[i]);
    json_decref(json_ticks(views[i]));
    drop_view(views[i]);
  }
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  struct view *views[REGISTRY_VIEWS];
  char *operands[FILES], why[512];
  (void) argc;
  (void) argv;
  /* The programs that make ring files end without freeing. */
  __lsan_disable();
  make_files();
  __lsan_enable();
  atexit(remove_files);
  for (int i = 0; i < FILES; i++) operands[i] = paths[i];
  CHECK(open_registry(operands, FILES, why, sizeof why));
  scan_registry();
  CHECK(all_views(views) == FILES);
  for (int i = 0; i < FILES; i++) {
    CHECK(strcmp(view_path(views[i]), paths[i]) == 0);
    ids[i] = view_id(views[i]);
    drop_view(views[i]);
  }
  read_views();
  return 0;
}

/* Ids */

/* Returns the id of the recording that was saved last; 0: none was. */
static uint64_t last_saved(void)
{
  json_t *saved = json_saved(&settings);
  const char *id = json_string_value(json_object_get(
    json_array_get(json_object_get(saved, "saved"), 0), "id"));
  uint64_t number = id != NULL ? strtoull(id, NULL, 16) : 0;
  json_decref(saved);
  return number;
}

static uint64_t real_id(uint64_t id)
{
  return id < FILES ? ids[id] : id == FILES ? last_saved() : id;
}

/* Returns the id of rule [number] of the list, counted from 1; 0 if there is no
   such rule. */
static uint32_t rule_id(uint32_t number)
{
  json_t *rules = json_rules();
  json_int_t id = json_integer_value(json_object_get(
    json_array_get(json_object_get(rules, "rules"), number - 1), "id"));
  json_decref(rules);
  return (uint32_t) id;
}

static void take_real_ids(struct query *query)
{
  query->process = real_id(query->process);
  query->other = real_id(query->other);
  if (query->rule >= 1 && query->rule <= RULES
      && rule_id(query->rule) != 0)
    query->rule = rule_id(query->rule);
}

/* Answers */

/* Checks that an array that [json] may have is not longer than [most]. */
static void check_length(const json_t *json, const char *name, size_t most)
{
  CHECK(json_array_size(json_object_get(json, name)) <= most);
}

static void check_lanes(const json_t *json, const struct query *query)
{
  const json_t *lanes = json_object_get(json, "lanes");
  for (size_t i = 0; i < json_array_size(lanes); i++)
    check_length(json_array_get(lanes, i), "spans",
                 4 * (size_t) query->width + 64);
}

/* Returns the number of nodes of the tree of calls at [node]. */
static size_t count_nodes(const json_t *node)
{
  const json_t *children = json_object_get(node, "children");
  size_t count = 1;
  for (size_t i = 0; i < json_array_size(children); i++)
    count += count_nodes(json_array_get(children, i));
  return count;
}

static bool is_path(const struct query *query, const char *path)
{
  return strcmp(query->route->path, path) == 0;
}

/* Checks the limits that doc/HTTP.md gives for the answer [json]. */
static void check_limits(const json_t *json, const struct query *query)
{
  check_length(json, "rules", RULES);
  check_length(json, "recordings", RECORDINGS);
  check_length(json, "actions", 1000);
  check_length(json, "saved", STORE_FILES);
  check_length(json, "processes", REGISTRY_ENTRIES);
  check_length(json, "threads", 256);
  if (is_path(query, "events")) check_length(json, "events", query->limit);
  if (is_path(query, "names")) check_length(json, "names", 2000);
  if (is_path(query, "timeline")) check_lanes(json, query);
  if (is_path(query, "flame")) CHECK(count_nodes(json) <= 20000);
}

/* Checks that [json] is an object with an error in one line. */
static void check_error(const json_t *json)
{
  const char *why = json_string_value(json_object_get(json, "error"));
  CHECK(why != NULL && why[0] != '\0' && strpbrk(why, "\r\n\033") == NULL);
}

static void check_text(const char *text, unsigned status,
                       const struct query *query)
{
  json_error_t error;
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
  CHECK(json_is_object(json));
  if (status == 200) check_limits(json, query);
  else check_error(json);
  json_decref(json);
}

/* Checks that [text] is UTF-8, in lines. */
static void check_lines(const char *text)
{
  json_t *string = json_string(text);
  CHECK(string != NULL && text[0] != '\0' && text[strlen(text) - 1] == '\n');
  json_decref(string);
}

static bool is_known(unsigned status)
{
  return status == 200 || status == 400 || status == 404 || status == 409
         || status == 413
         || status == 500 || status == 503;
}

/* Checks [answer] and frees it. */
static void check_answer(struct answer answer, const struct query *query)
{
  CHECK(is_known(answer.status));
  if (answer.download != NULL) {
    CHECK(download_size(answer.download) > 0
          && strpbrk(download_name(answer.download), "/\"\\\r\n") == NULL);
    close_download(answer.download);
    return;
  }
  CHECK((answer.json != NULL) != (answer.text != NULL));
  char *text = answer.json != NULL ? json_line(answer.json) : answer.text;
  CHECK(text != NULL && strlen(text) > 0);
  if (is_path(query, "/metrics") && answer.status == 200)
    check_lines(text);
  else
    check_text(text, answer.status, query);
  free(text);
}

/* Requests */

/* Returns whether [body] asks to attach to a process that may exist. */
static bool names_process(const char *body)
{
  json_t *json = json_loads(body, 0, NULL);
  json_int_t pid = json_integer_value(json_object_get(json, "pid"));
  json_decref(json);
  return pid >= 1 && pid <= LARGEST_PID;
}

static void ask(enum method method, struct query *query, const char *body)
{
  if (is_path(query, "/api/attach")
      && (method == METHOD_GET || names_process(body)))
    return;
  take_real_ids(query);
  const struct asked asked = { .settings = &settings, .query = query,
                               .origin = "127.0.0.1" };
  check_answer(answer_of_route(asked, method, body), query);
}

/* Judges and answers the request in [text] as serve/http.c does. */
static void take_request(char *text)
{
  struct query query;
  const char *why;
  char *address = strchr(text, ' ');
  if (address == NULL) return;
  *address++ = '\0';
  char *body = address + strcspn(address, "\n");
  if (*body != '\0') *body++ = '\0';
  const enum method method = (enum method) method_of(text);
  if (method == 0 || !query_is_private(address)
      || parse_query(routes, address, &query, &why) != 200
      || (method & methods_of(query.route)) == 0
      || query.route->kind == ROUTE_STREAM)
    return;
  ask(method, &query, body);
}

/* The end of an input */

static bool store_is_used;

static void remove_saved(void *state, const char *name, const struct stat *st)
{
  char why[512];
  (void) state;
  (void) st;
  CHECK(delete_stored(store, name, why, sizeof why) == STORE_DONE);
  store_is_used = true;
}

static void forget_all(void)
{
  uint32_t rule;
  while ((rule = rule_id(1)) != 0)
    json_decref(delete_rule(&(struct asked) {
      .query = &(struct query) { .rule = rule }, .origin = "127.0.0.1" }).json);
  stop_recordings();
  memcpy(header, &first_header, sizeof first_header);
  store_is_used = false;
  visit_store(store, remove_saved, NULL);
  if (store_is_used) scan_registry();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = malloc(size + 1), *at = text;
  if (text == NULL) return 0;
  memcpy(text, data, size);
  text[size] = '\0';
  for (int i = 0; i < REQUESTS && at <= text + size; i++) {
    char *next = at + strlen(at) + 1;
    take_request(at);
    read_views();
    at = next;
  }
  free(text);
  forget_all();
  return 0;
}
