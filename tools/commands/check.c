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

/* eventring check: tests that a file is as its writer wrote it, and that its
   events make sense. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "balance_text.h"
#include "common.h"
#include "follow.h"
#include "json.h"
#include "operand.h"
#include "options.h"
#include "parse.h"
#include "processes.h"
#include "runs/run_file.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring check [OPTION...] [PID|FILE...]\n"
"Verifies recordings, runs, ring files and the rings of running processes: the\n"
"structure, checksums, index, names, the header of every block, every event and\n"
"their number.  Then verifies that the events are consistent: time never goes\n"
"back, every begin has an end, no duration is longer than the trace, and\n"
"collections have causes.  Of a tombstone, prints the counts.\n";

/* Rings of a process, at most. */
#define MAX_RINGS 4096

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_FOLLOW, OPTION_JSON, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Prints a line for each finding, with its byte position in the file or with the\n"
"event; then a summary line.  Spans cut off by the start, a gap or the end are\n"
"counted and are no findings.  --json prints an object for each file.  The exit\n"
"status is 1 if there are findings.\n";

struct findings {
  uint64_t count;
  json_t *list;                   /* NULL: print them */
};

/* The function that eventring_verify calls for each finding; [state] is a
   struct findings.  Counts the finding, and prints it or appends it to the
   list.  [offset] is its place in the file, in bytes. */
static void found(void *state, uint64_t offset, const char *what)
{
  struct findings *f = state;
  f->count++;
  if (f->list == NULL)
    printf("byte %" PRIu64 ": %s\n", offset, what);
  else
    json_array_append_new(f->list,
                          json_pack("{s:I, s:o}", "byte", (json_int_t) offset,
                                    "what", json_text(what)));
}

/* Returns a new JSON integer with the value [n], or JSON null if [n] is
   UINT64_MAX, which stands for an unknown number. */
static json_t *count(uint64_t n)
{
  return n == UINT64_MAX ? json_null() : json_integer((json_int_t) n);
}

/* Arrays and objects of a manifest that are inside of each other, at most: a
   deeper one would be printed with more indentation than content. */
#define MANIFEST_DEPTH 16

/* Returns whether [value] has at most [depth] arrays and objects inside of each
   other. */
static bool is_shallow(const json_t *value, int depth)
{
  if (!json_is_array(value) && !json_is_object(value)) return true;
  if (depth == 0) return false;
  for (size_t i = 0; i < json_array_size(value); i++)
    if (!is_shallow(json_array_get(value, i), depth - 1)) return false;
  for (void *i = json_object_iter((json_t *) value); i != NULL;
       i = json_object_iter_next((json_t *) value, i))
    if (!is_shallow(json_object_iter_value(i), depth - 1)) return false;
  return true;
}

/* Returns a new JSON value with the manifest in [note], which may be NULL, or
   JSON null if [note] is no JSON or too deep. */
static json_t *manifest_json(const char *note)
{
  json_t *manifest = note == NULL ? NULL : json_loads(note, 0, NULL);
  if (manifest != NULL && is_shallow(manifest, MANIFEST_DEPTH))
    return manifest;
  json_decref(manifest);
  return json_null();
}

/* Prints the object for the file at [path] on standard output and frees
   [processes] and [findings]. */
static void print_file(const char *path, bool right, json_t *processes,
                       json_t *findings)
{
  print_json(json_pack("{s:o, s:b, s:o, s:o}", "file", json_text(path),
                       "right", right, "processes", processes, "findings",
                       findings), false);
}

/* Returns a new JSON object that describes process [process] of the recording
   at [path], after a check of its events.  Sets *right to false when this check
   has findings or fails; does not set it otherwise.  [share_with] is an open
   cursor of the same file, or NULL.  If the file cannot be opened, ends the
   program with a message. */
static json_t *describe_process(const char *path, uint32_t process,
                             struct eventring_cursor *share_with, bool *right)
{
  static const char *const states[] = { "?", "running", "ended", "replaced",
                                        "killed", "unknown" };
  struct eventring_cursor *cursor =
    open_recorded_process(path, process, share_with);
  struct eventring_info info = target_info(cursor);
  const char *note = eventring_note(cursor);
  int state = eventring_state(cursor);
  struct balance sum;
  if (balance_events(cursor, &sum) != STATUS_OK) *right = false;
  json_t *described = json_pack(
    "{s:o, s:i, s:s, s:I, s:o, s:I, s:I, s:I, s:I}",
    "manifest", manifest_json(note), "pid", (int) info.pid, "state", states[state >= 0 && state <= 5 ? state : 0],
    "events", (json_int_t) sum.events, "recorded_events",
    count(info.format == EVENTRING_FORMAT_RECORDING ? info.recorded_events
                                                    : UINT64_MAX),
    "lost", (json_int_t) lost_events(cursor), "spans", (json_int_t) sum.spans,
    "cut_off", (json_int_t) sum.cut_off, "unbalanced",
    (json_int_t) sum.findings);
  eventring_close(cursor);
  return described;
}

/* Checks the events of each process of the file at [path], prints the result of
   all checks of the file on standard output as a JSON object, and frees the
   list of the findings [f].  [first] is a cursor of the file.  Returns
   STATUS_OK, or STATUS_FINDING when something is wrong. */
static enum status print_findings(const char *path,
                                  struct eventring_cursor *first,
                                  struct findings *f)
{
  uint32_t processes = target_info(first).processes;
  bool right = f->count == 0;
  json_t *list = json_array();
  for (uint32_t process = 0; process < processes; process++)
    json_array_append_new(list, describe_process(path, process, first, &right));
  print_file(path, right, list, f->list);
  return right ? STATUS_OK : STATUS_FINDING;
}

/* Checks the events of the process that [cursor] reads, prints the findings,
   and prints a note of the number of lost events, if there are any.  [follow]:
   reads until the process ends.  Returns STATUS_OK, STATUS_FINDING or
   STATUS_CANNOT_READ, as check_events does. */
static enum status check_part(struct eventring_cursor *cursor, bool follow)
{
  enum status status = check_events(cursor, follow);
  uint64_t lost = lost_events(cursor);
  if (lost > 0)
    note("%s: %s%" PRIu64 " %s overwritten before they could be read",
         eventring_path(cursor), at_most(cursor), lost,
         lost == 1 ? "event was" : "events were");
  return status;
}

/* Checks the file at [path]: its structure, and the events of each of its
   processes; without [json], these only if the structure is right.  Prints the
   findings as text or, if [json] is true, as a JSON object.  Returns STATUS_OK;
   STATUS_FINDING when something is wrong, with a message, also in the object,
   when the file is so damaged that it cannot be opened; STATUS_CANNOT_READ,
   with a message, when the file cannot be read. */
static enum status check_file(const char *path, bool follow, bool json)
{
  struct findings f = { 0, json ? json_array() : NULL };
  char why[512] = "";
  struct eventring_options open = { .size = sizeof open, .message = why,
                                    .message_size = sizeof why };
  int error = eventring_verify(path, &open, found, &f);
  switch (error) {
  case 0: break;
  case EVENTRING_E_HEADER: case EVENTRING_E_TRUNCATED: case EVENTRING_E_DAMAGED:
    complain("%s", why);
    if (json) {
      json_array_append_new(f.list, json_pack("{s:n, s:o}", "byte", "what",
                                              json_text(why)));
      print_file(path, false, json_array(), f.list);
    }
    return STATUS_FINDING;
  default:
    complain("%s", why[0] != '\0' ? why : eventring_strerror(error));
    return STATUS_CANNOT_READ;
  }
  struct eventring_cursor *first = open_recorded_process(path, 0, NULL);
  uint32_t processes = target_info(first).processes;
  enum status status = f.count == 0 ? STATUS_OK : STATUS_FINDING;
  if (json) status = print_findings(path, first, &f);
  /* The sense of events is checked only when they are as written. */
  for (uint32_t process = 0;
       process < processes && f.count == 0 && !json; process++) {
    struct eventring_cursor *cursor =
      open_recorded_process(path, process, first);
    enum status sense = check_part(cursor, follow);
    if (status == STATUS_OK) status = sense;
    eventring_close(cursor);
  }
  eventring_close(first);
  return status;
}

/* Runs of batches */

/* Returns whether [path] has the name of a run's file, which a user may have
   changed from NNNNNN.json to another name. */
static bool is_run(const char *path)
{
  size_t length = strlen(path);
  return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* The function that check_run calls for each finding; [state] is a struct
   findings. */
static void found_in_run(void *state, const char *what)
{
  struct findings *f = state;
  f->count++;
  if (f->list != NULL)
    json_array_append_new(f->list, json_pack("{s:n, s:o}", "byte", "what",
                                             json_text(what)));
  else {
    print_text(stdout, what, strlen(what), TEXT_LINE);
    putchar('\n');
  }
}

/* Checks the run at [path]: its checksum and the checksums of its recordings.
   Prints the findings as check_file does, and returns its statuses. */
static enum status check_run_file(const char *path, bool json)
{
  struct findings f = { 0, json ? json_array() : NULL };
  char why[512] = "";
  int findings = check_run(path, found_in_run, &f, why, sizeof why);
  if (findings < 0) complain("%s", why);
  if (json && findings >= 0)
    print_file(path, findings == 0, json_array(), f.list);
  else
    json_decref(f.list);
  if (!json && findings == 0)
    puts("the run and its recordings are as they were written");
  return findings < 0 ? STATUS_CANNOT_READ
         : findings > 0 ? STATUS_FINDING : STATUS_OK;
}

/* Tombstones */

/* Returns whether [path] has the name of a tombstone. */
static bool is_tombstone(const char *path)
{
  static const char suffix[] = ".tombstone";
  size_t length = strlen(path);
  return length > strlen(suffix)
         && strcmp(path + length - strlen(suffix), suffix) == 0;
}

/* Prints the tombstone [t]: the process, and how many events it wrote to its
   rings, with their numbers [events]. */
static void print_tombstone(const struct eventring_tombstone *t,
                            const uint64_t *events)
{
  printf("%" PRIi32 " ", t->pid);
  print_text(stdout, t->program, strlen(t->program), TEXT_LINE);
  printf(": %s, wrote %" PRIu64 " events",
         t->state == EVENTRING_STATE_REPLACED ? "replaced" : "ended", t->events);
  const char *before = " (";
  for (uint32_t i = 0; i < t->rings && i < MAX_RINGS; i++)
    if (events[i] != 0) {
      printf("%sring %" PRIu32 ": %" PRIu64, before, i, events[i]);
      before = ", ";
    }
  puts(*before == ',' ? ")" : "");
}

/* Returns a new JSON object that describes the tombstone [t]. */
static json_t *json_tombstone(const struct eventring_tombstone *t,
                              const uint64_t *events)
{
  json_t *rings = json_array();
  for (uint32_t i = 0; i < t->rings && i < MAX_RINGS; i++)
    if (events[i] != 0)
      json_array_append_new(rings, json_pack("{s:i, s:I}", "ring", (int) i,
                                             "events", (json_int_t) events[i]));
  return json_pack(
    "{s:i, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "pid", (int) t->pid,
    "state", t->state == EVENTRING_STATE_REPLACED ? "replaced" : "ended",
    "program", json_text(t->program), "boot_id", json_text(t->boot_id),
    "pid_namespace", (json_int_t) t->pid_namespace,
    "start_time", (json_int_t) t->start_time,
    "started_ns", (json_int_t) t->started_ns,
    "ended_ns", (json_int_t) t->ended_ns, "events", (json_int_t) t->events,
    "rings", rings);
}

/* Prints the tombstone at [path]: a line, or an object for --json.  Returns the
   statuses of check_file. */
static enum status check_tombstone(const char *path, bool json)
{
  static uint64_t events[MAX_RINGS];
  char why[512] = "";
  struct eventring_options open = { .size = sizeof open, .message = why,
                                    .message_size = sizeof why };
  struct eventring_tombstone t = { .size = sizeof t };
  int error = eventring_read_tombstone(path, &open, &t, events, MAX_RINGS);
  switch (error) {
  case 0: break;
  case EVENTRING_E_HEADER: case EVENTRING_E_TRUNCATED:
    complain("%s", why);
    if (json) {
      json_t *what = json_pack("[{s:n, s:o}]", "byte", "what", json_text(why));
      print_file(path, false, json_array(), what);
    }
    return STATUS_FINDING;
  default:
    complain("%s", why[0] != '\0' ? why : eventring_strerror(error));
    return STATUS_CANNOT_READ;
  }
  if (json)
    print_file(path, true, json_pack("[o]", json_tombstone(&t, events)),
               json_array());
  else
    print_tombstone(&t, events);
  return STATUS_OK;
}

struct request {
  const char *dir;
  bool follow, json;
  bool named;                     /* a line names each target before it */
};

/* Checks [target], a process id or the path of a file, or the only traced
   process if [target] is NULL.  Prints a line with [target] before the findings
   if the request has [named] set and not [json].  Returns STATUS_OK;
   STATUS_FINDING when something is wrong; STATUS_CANNOT_READ, with a message,
   when the target cannot be read. */
static enum status check_target(const struct request *request,
                                const char *target)
{
  if (request->named && !request->json && target != NULL) {
    print_text(stdout, target, strlen(target), TEXT_LINE);
    puts(":");
  }
  if (target != NULL && is_run(target) && request->dir == NULL)
    return check_run_file(target, request->json);
  if (target != NULL && is_tombstone(target) && request->dir == NULL)
    return check_tombstone(target, request->json);
  if (target != NULL && refuse_stream(target)) return STATUS_CANNOT_READ;
  if (target != NULL && !is_number(target) && request->dir == NULL)
    return check_file(target, request->follow, request->json);
  struct eventring_cursor *cursor =
    target == NULL ? open_only_process(&check_command, request->dir)
                   : try_open_one(&check_command, target, request->dir, false,
                                  0, NULL);
  if (cursor == NULL) return STATUS_CANNOT_READ;
  enum status status = check_file(eventring_path(cursor), request->follow,
                                  request->json);
  eventring_close(cursor);
  return status;
}

static enum status run(int argc, char **argv)
{
  struct request request = { .dir = NULL };
  int option;
  while ((option = next_option(&check_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: request.dir = optarg; break;
    case OPTION_FOLLOW: request.follow = true; break;
    case OPTION_JSON: request.json = true; break;
    }
  if (request.follow && request.json)
    usage_error(&check_command, "check: --follow and --json exclude each "
                "other");
  if (request.follow && optind + 1 < argc)
    usage_error(&check_command, "check: --follow goes with one process");
  for (int i = optind; i < argc; i++)
    if (take_process(argv[i]) > 0)
      usage_error(&check_command, "check: %s is checked with all of its "
                  "processes, without :N", argv[i]);
  request.named = optind + 1 < argc;
  if (optind >= argc) return finish_output(check_target(&request, NULL));
  enum status worst = STATUS_OK;
  for (int i = optind; i < argc && output_works(); i++) {
    enum status status = check_target(&request, argv[i]);
    if (status > worst) worst = status;
  }
  return finish_output(worst);
}

const struct command check_command = {
  .name = "check", .summary = "verify recordings, ring files and processes",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
