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

/* eventring stacks: the stacks of all threads of a process now. */

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "json.h"
#include "options.h"
#include "stacks_json.h"
#include "text.h"

static const char usage[] =
"Usage: eventring stacks [OPTION...] PID\n"
"Prints for each thread of a process, also of one that does not answer, its\n"
"functions in OCaml and C, its wait, its open spans and its request.\n"
"The process is stopped for some milliseconds, as under a debugger, and some of\n"
"its system calls, such as epoll_wait, end with EINTR.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_JSON, OPTION_HELP, OPTION_END
};

static const char notes[] =
"The system must allow to stop the process: to its user, if ptrace_scope is 0,\n"
"or to root.  Spans and requests need tracing; functions do not.\n";

/* Frames of a stack that are looked for at most, not to stop the process for long. */
#define MOST_FRAMES 10000

/* Functions that call each other again and again are printed once: up to so many, when
   they come so often. */
#define MOST_PERIOD 4
#define LEAST_ROUNDS 3

/* Text */

static const char *text_of(json_t *object, const char *key)
{
  return json_string_value(json_object_get(object, key));
}

static void print_name(const char *text)
{
  print_text(stdout, text, strlen(text), TEXT_COLUMN);
}

/* Prints the name of the thread with the id [id], and its id. */
static void print_thread_name(json_t *threads, json_int_t id)
{
  size_t i;
  json_t *thread;
  json_array_foreach(threads, i, thread) {
    if (json_integer_value(json_object_get(thread, "thread")) == id)
      print_name(text_of(thread, "name"));
  }
  printf(" %" JSON_INTEGER_FORMAT, id);
}

/* How the kinds of waits are printed. */
static const struct { const char *kind, *text; } waits[] = {
  { "mutex", "waits for a mutex" }, { "condition", "waits for a condition" },
  { "domain_lock", "waits for the lock of its domain" },
  { "thread_join", "waits for a thread to end" }
};

static void print_call(json_t *call)
{
  const char *name = text_of(call, "name"), *file = text_of(call, "file");
  json_t *descriptor = json_object_get(call, "descriptor");
  if (name != NULL && strcmp(name, "restart_syscall") == 0) name = "sleep or poll";
  printf(name == NULL ? "in a system call" : "in %s", name);
  if (descriptor == NULL) return;
  printf(" of descriptor %" JSON_INTEGER_FORMAT, json_integer_value(descriptor));
  if (file == NULL) return;
  fputs(" (", stdout);
  print_name(file);
  putchar(')');
}

static void print_activity(json_t *threads, json_t *thread)
{
  const char *waits_for = text_of(thread, "waits_for"), *mutex = text_of(thread, "mutex");
  json_t *call = json_object_get(thread, "call");
  const char *state = text_of(thread, "state");
  if (strcmp(state, "running") == 0 || strcmp(state, "stopped") == 0) {
    fputs(state[0] == 'r' ? "runs" : "stopped by a signal", stdout);
    return;
  }
  for (size_t i = 0; waits_for != NULL && i < sizeof waits / sizeof *waits; i++)
    if (strcmp(waits[i].kind, waits_for) == 0) {
      fputs(waits[i].text, stdout);
      if (mutex == NULL) return;
      printf(", %s, which ", mutex);
      print_thread_name(threads, json_integer_value(json_object_get(thread, "holder")));
      fputs(" has", stdout);
      return;
    }
  if (json_is_null(call)) fputs("state not known", stdout);
  else print_call(call);
}

static void print_frame(json_t *frame)
{
  const char *file = text_of(frame, "file");
  json_t *line = json_object_get(frame, "line");
  fputs("    ", stdout);
  print_name(text_of(frame, "function"));
  if (file != NULL) {
    fputs("  ", stdout);
    print_name(file);
    if (json_is_integer(line)) printf(":%" JSON_INTEGER_FORMAT, json_integer_value(line));
  }
  putchar('\n');
}

/* Returns how often the [period] frames from [at] on come, one time after the other. */
static size_t rounds_of(json_t *frames, size_t at, size_t period)
{
  size_t next = at + period;
  while (next < json_array_size(frames)
         && json_equal(json_array_get(frames, next), json_array_get(frames, next - period)))
    next++;
  return (next - at) / period;
}

static void print_frames(json_t *frames)
{
  for (size_t at = 0; at < json_array_size(frames);) {
    size_t period = 1;
    while (period <= MOST_PERIOD && rounds_of(frames, at, period) < LEAST_ROUNDS) period++;
    if (period > MOST_PERIOD) {
      print_frame(json_array_get(frames, at++));
      continue;
    }
    const size_t rounds = rounds_of(frames, at, period);
    for (size_t i = 0; i < period; i++) print_frame(json_array_get(frames, at + i));
    printf("    ... and again, %zu times in all\n", rounds);
    at += rounds * period;
  }
}

static void print_thread(json_t *threads, json_t *thread)
{
  json_t *domain = json_object_get(thread, "domain"), *span,
    *request = json_object_get(thread, "request");
  const char *cut = text_of(thread, "cut");
  size_t i;
  putchar('\n');
  print_thread_name(threads, json_integer_value(json_object_get(thread, "thread")));
  if (json_is_integer(domain))
    printf(", %sdomain %" JSON_INTEGER_FORMAT,
           json_is_true(json_object_get(thread, "backup")) ? "backup thread of " : "",
           json_integer_value(domain));
  fputs(": ", stdout);
  print_activity(threads, thread);
  putchar('\n');
  if (json_is_object(request)) {
    const char *name = text_of(request, "name");
    fputs("  request ", stdout);
    if (name != NULL) print_name(name);
    printf("%s%" JSON_INTEGER_FORMAT "\n", name != NULL ? " " : "",
           json_integer_value(json_object_get(request, "number")));
  }
  json_array_foreach(json_object_get(thread, "spans"), i, span) {
    fputs(i == 0 ? "  spans " : ", ", stdout);
    print_name(json_string_value(span));
  }
  if (i > 0) putchar('\n');
  print_frames(json_object_get(thread, "frames"));
  if (cut != NULL) printf("    ... %s\n", cut);
}

static void print_deadlocks(json_t *threads, json_t *deadlocks)
{
  size_t i, k;
  json_t *circle, *id;
  json_array_foreach(deadlocks, i, circle) {
    const bool itself = json_array_size(circle) == 1;
    fputs("Deadlock: ", stdout);
    json_array_foreach(circle, k, id) {
      if (k > 0) fputs(", ", stdout);
      print_thread_name(threads, json_integer_value(id));
    }
    puts(itself ? " waits for a mutex that it has" : " wait for mutexes of each other");
  }
}

static void print_stacks(json_t *stacks)
{
  char text[QUANTITY_SIZE];
  size_t i;
  json_t *threads = json_object_get(stacks, "threads"), *thread;
  const size_t count = json_array_size(threads);
  printf("Process %" JSON_INTEGER_FORMAT ": %zu thread%s; it was stopped for %s\n",
         json_integer_value(json_object_get(stacks, "pid")), count, count == 1 ? "" : "s",
         format_duration(text, (uint64_t) json_integer_value(
                           json_object_get(stacks, "stopped_ns"))));
  print_deadlocks(threads, json_object_get(stacks, "deadlocks"));
  json_array_foreach(threads, i, thread) {
    print_thread(threads, thread);
  }
}

/* The command */

static void say(void *state, const char *message)
{
  (void) state;
  note("%s", message);
}

/* Returns the process id that the only operand is. */
static pid_t pid_operand(int argc, char **argv)
{
  char *end;
  if (optind + 1 != argc)
    usage_error(&stacks_command, "stacks: needs one process id");
  errno = 0;
  const long pid = strtol(argv[optind], &end, 10);
  if (errno != 0 || *end != '\0' || pid <= 0 || pid > INT32_MAX)
    usage_error(&stacks_command, "stacks: %s is not a process id", argv[optind]);
  return (pid_t) pid;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  char why[MESSAGE_SIZE] = "", failure[MESSAGE_SIZE] = "";
  bool json = false;
  int option;
  while ((option = next_option(&stacks_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_JSON: json = true; break;
    }
  const pid_t pid = pid_operand(argc, argv);
  struct eventring_cursor *cursor;
  const struct eventring_options options = {
    .size = sizeof options, .message = why, .message_size = sizeof why, .changes = 1,
    .open_spans = 1
  };
  if (eventring_open_pid(pid, dir, &options, &cursor) < 0) cursor = NULL;
  else why[0] = '\0';
  json_t *stacks = json_stacks(pid, cursor, MOST_FRAMES, say, NULL, failure,
                               sizeof failure);
  if (stacks == NULL) {
    complain("%s", failure);
    return STATUS_CANNOT_READ;
  }
  if (cursor != NULL && eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    snprintf(why, sizeof why, "the ring file is not of a process that runs");
  if (why[0] != '\0') note("without spans, requests and domains: %s", why);
  if (cursor != NULL) eventring_close(cursor);
  if (!json) print_stacks(stacks);
  if (json) print_json(stacks, false);
  else json_decref(stacks);
  return finish_output(STATUS_OK);
}

const struct command stacks_command = {
  .name = "stacks", .summary = "the stacks of all threads now",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
