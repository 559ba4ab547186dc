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

/* eventring pause, resume, enable, disable: tracing switched from outside, in
   one process or in all, or in a process of a node. */

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "category.h"
#include "category_text.h"
#include "common.h"
#include "control_request.h"
#include "event_reader.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "processes.h"
#include "remote_control.h"
#include "target.h"
#include "targets.h"
#include "text.h"

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_HUB, OPTION_JSON, OPTION_QUIET, OPTION_HELP,
  OPTION_END
};

static const enum option_id enable_option_ids[] = {
  OPTION_ALL, OPTION_ALLOC_RATE, OPTION_RATE, OPTION_DIR, OPTION_HUB, OPTION_JSON, OPTION_QUIET,
  OPTION_HELP, OPTION_END
};

static const char notes[] =
"Takes effect at the next probe of every domain.  Repeating it is no error.\n";

static const char pause_usage[] =
"Usage: eventring pause [OPTION...] PID|FILE\n"
"       eventring pause --all [OPTION...]\n"
"Pauses the recording of a running process.  Its ring file stays, with the\n"
"events so far.\n";

static const char resume_usage[] =
"Usage: eventring resume [OPTION...] PID|FILE\n"
"       eventring resume --all [OPTION...]\n"
"Resumes the recording of a running process, with the categories that it\n"
"recorded before the pause and the changes made since.\n";

static const char enable_usage[] =
"Usage: eventring enable [OPTION...] PID|FILE CATEGORY...\n"
"       eventring enable --all [OPTION...] CATEGORY...\n"
"Records these categories of events too: from now on or, if the process is\n"
"paused, when it is resumed.  Several categories may be joined by commas; 'all'\n"
"means all but points, io and the profiles.  eventring categories lists them.\n";

static const char disable_usage[] =
"Usage: eventring disable [OPTION...] PID|FILE CATEGORY...\n"
"       eventring disable --all [OPTION...] CATEGORY...\n"
"Stops recording these categories of events.  Several categories may be joined\n"
"by commas; eventring categories lists them.  The last category cannot be\n"
"disabled: use eventring pause.\n";

/* The arguments of a control command. */
struct request {
  const struct command *command;
  char **categories;              /* lists of names, up to a NULL */
  uint64_t sample_period_ns;      /* 0: as it is */
  uint64_t alloc_period_words;    /* likewise */
  bool quiet;
  json_t *changed;                /* if not NULL, the output of --json */
};

/* The change */

/* Sets *mask to the mask of all categories in the request.  Returns true on
   success; false, with a message, when the process of [cursor] does not have
   one of the categories. */
static bool requested(const struct request *request,
                      struct eventring_cursor *cursor, uint32_t *mask)
{
  *mask = 0;
  for (char **list = request->categories; *list != NULL; list++) {
    uint32_t more;
    if (!find_categories(cursor, *list, &more)) return false;
    *mask |= more;
  }
  return true;
}

/* Sets the rates of samples in the request.  Returns 0 or a negative error. */
static int set_rates(const struct request *request,
                     struct eventring_cursor *cursor)
{
  int error = 0;
  if (request->sample_period_ns != 0)
    error = eventring_set_sample_period(cursor, request->sample_period_ns);
  if (error == 0 && request->alloc_period_words != 0)
    error = eventring_set_alloc_period(cursor, request->alloc_period_words);
  return error;
}

/* Changes the process of [cursor] as requested; [recorded] is its present mask
   of categories.  Returns STATUS_OK; with a message, STATUS_USAGE when a
   category is unknown or no category would be left to record,
   STATUS_CANNOT_READ when the process cannot be changed. */
static enum status change(const struct request *request,
                          struct eventring_cursor *cursor, uint32_t recorded)
{
  int error;
  if (request->command == &pause_command) {
    error = eventring_pause(cursor);
  } else if (request->command == &resume_command) {
    if (recorded == 0) {
      complain("%s: no category to resume; to record: eventring enable %s all",
               eventring_path(cursor), eventring_path(cursor));
      return STATUS_USAGE;
    }
    error = eventring_resume(cursor);
  } else {
    uint32_t mask;
    if (!requested(request, cursor, &mask)) return STATUS_USAGE;
    /* Before the first sample. */
    error = set_rates(request, cursor);
    if (error < 0) {
      complain("%s: cannot set the rate of samples: %s",
               eventring_path(cursor), eventring_strerror(error));
      return STATUS_CANNOT_READ;
    }
    mask = request->command == &enable_command ? recorded | mask
                                               : recorded & ~mask;
    if (mask == 0) {
      complain("%s: nothing would be left to record; to record nothing: "
               "eventring pause %s", eventring_path(cursor),
               eventring_path(cursor));
      return STATUS_USAGE;
    }
    error = eventring_set_categories(cursor, mask);
  }
  if (error < 0) {
    complain("%s: %s", eventring_path(cursor), eventring_strerror(error));
    return STATUS_CANNOT_READ;
  }
  return STATUS_OK;
}

/* Samples: whether the process has begun to take them.  Its domains look for the
   request at their next probe; a loop without any has to be interrupted. */

/* The longest wait for the first sample, besides two periods of samples. */
#define SAMPLE_WAIT_NS INT64_C(2000000000)

/* A process of which no thread wants to run after this time has no samples. */
#define IDLE_NS INT64_C(100000000)

/* Returns whether the process of [cursor] should take samples at present. */
static bool wants_samples(struct eventring_cursor *cursor)
{
  return target_info(cursor).active != 0 && records_category(cursor, "profile");
}

/* Opens another cursor of the process of [cursor], for the events from now on.
   Returns NULL when there is no way to find out whether samples come: no samples
   in this kind of program, or a file that cannot be opened any more. */
static struct eventring_cursor *watch_samples(struct eventring_cursor *cursor)
{
  char why[MESSAGE_SIZE];
  struct eventring_cursor *watch = NULL;
  const struct eventring_options options = {
    .size = sizeof options, .from_now = 1, .message = why,
    .message_size = sizeof why
  };
  if (target_info(cursor).sample_rings_from == 0
      || eventring_find(cursor, "cpu_sample") < 0
      || eventring_open(eventring_path(cursor), &options, &watch) < 0)
    return NULL;
  return watch;
}

/* Reads the events of [watch] that are there, for 100 ms at most, and returns whether
   a sample is among them. */
static bool has_sample(struct eventring_cursor *watch)
{
  const int sample = eventring_find(watch, "cpu_sample");
  struct event_reader reader;
  const struct eventring_event *event;
  read_new_events(&reader, watch, monotonic_ns() + 100000000);
  while ((event = next_event(&reader)) != NULL)
    if (event->id == sample) return true;
  return false;
}

/* Returns whether a thread of the process of [cursor] runs or would run if a
   processor was free; true when that is not known. */
static bool wants_to_run(struct eventring_cursor *cursor)
{
  const struct eventring_info info = target_info(cursor);
  char path[320], text[512];
  struct dirent *entry;
  bool found = false;
  if (info.pid_is_elsewhere) return true;
  snprintf(path, sizeof path, "/proc/%" PRIi32 "/task", info.pid);
  DIR *tasks = opendir(path);
  if (tasks == NULL) return true;
  while (!found && (entry = readdir(tasks)) != NULL) {
    snprintf(path, sizeof path, "/proc/%" PRIi32 "/task/%s/stat", info.pid,
             entry->d_name);
    FILE *f = entry->d_name[0] != '.' ? fopen(path, "re") : NULL;
    if (f == NULL) continue;
    /* PID (NAME) STATE ... */
    const char *state = fgets(text, sizeof text, f) != NULL
                        ? strrchr(text, ')') : NULL;
    found = state != NULL && strncmp(state, ") R", 3) == 0;
    fclose(f);
  }
  closedir(tasks);
  return found;
}

/* Waits until [watch] has a sample of its process, which has been asked for
   samples.  Returns STATUS_OK if one came or the process does nothing; else
   STATUS_FINDING, with a message. */
static enum status await_sample(struct eventring_cursor *watch)
{
  const int64_t begin_ns = monotonic_ns();
  const int64_t most_ns =
    SAMPLE_WAIT_NS + 2 * (int64_t) target_info(watch).sample_period_ns;
  const int interrupted = eventring_interrupt(watch);
  int64_t waited_ns;
  while ((waited_ns = monotonic_ns() - begin_ns) < most_ns) {
    if (has_sample(watch) || eventring_state(watch) != EVENTRING_STATE_RUNNING)
      return STATUS_OK;
    if (waited_ns >= IDLE_NS && !wants_to_run(watch)) return STATUS_OK;
    nanosleep(&(struct timespec) { .tv_nsec = 10000000 }, NULL);
  }
  complain("process %" PRIi32 " has taken no samples yet: it has not run OCaml code"
           " that could look for the request%s", target_info(watch).pid,
           interrupted == EVENTRING_E_PERMISSION
             ? ", and you have no right to interrupt it" : "");
  return STATUS_FINDING;
}

/* Prints the rates of samples that [request] has set. */
static void say_rates(struct eventring_cursor *cursor,
                      const struct request *request)
{
  if (request->sample_period_ns != 0)
    printf("; %" PRIu64 " samples a second%s",
           UINT64_C(1000000000) / request->sample_period_ns,
           records_category(cursor, "profile")
             ? "" : " once category profile is recorded");
  if (request->alloc_period_words != 0)
    printf("; a sample each %" PRIu64 " allocated words%s",
           request->alloc_period_words,
           records_category(cursor, "profile_alloc")
             ? "" : " once category profile_alloc is recorded");
}

/* Prints a line with the new state of the process of [cursor], and whether it
   is the same as [before] and [recorded_before], its state and its mask of
   categories before the change.  The categories are printed also if they will
   be recorded later, when [request] changes categories. */
static void say(struct eventring_cursor *cursor, const struct request *request,
                const struct eventring_info *before, uint32_t recorded_before)
{
  bool changes_categories = request->command == &enable_command
                            || request->command == &disable_command;
  struct eventring_info now = target_info(cursor);
  uint32_t recorded = recorded_categories(cursor);
  bool same = (before->active == 0) == (now.active == 0)
              && recorded_before == recorded
              && before->sample_period_ns == now.sample_period_ns
              && before->alloc_period_words == now.alloc_period_words;
  printf("%" PRIu32 " ", now.pid);
  print_text(stdout, now.program, strlen(now.program), TEXT_LINE);
  /* The categories of a paused process are the subject of a change of them. */
  bool will = now.active == 0 && (changes_categories
                                  || recorded_before != recorded);
  fputs(same && !will ? ": was already " : ": ", stdout);
  if (now.active != 0) {
    fputs("recording ", stdout);
    print_categories(cursor, now.active);
  } else {
    fputs("paused", stdout);
    if (will) {
      fputs("; will record ", stdout);
      print_categories(cursor, recorded);
    }
    if (will && same) fputs(", unchanged", stdout);
  }
  say_rates(cursor, request);
  putchar('\n');
}

/* Changes the process of [cursor] as requested, and prints its new state, or
   appends it to [changed] of the request, if that is not NULL.  Returns
   STATUS_OK; with a message, STATUS_FINDING when a process that runs has no
   samples yet that it was asked for, STATUS_CANNOT_READ when the process has ended
   or cannot be changed, STATUS_USAGE as change does. */
static enum status control(const struct request *request,
                           struct eventring_cursor *cursor)
{
  struct eventring_info before = target_info(cursor);
  uint32_t recorded = recorded_categories(cursor);
  if (eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
    complain("%s: its process has ended, there is nothing to %s",
             eventring_path(cursor), request->command->name);
    return STATUS_CANNOT_READ;
  }
  struct eventring_cursor *watch = wants_samples(cursor)
                                   ? NULL : watch_samples(cursor);
  enum status status = change(request, cursor, recorded);
  if (status == STATUS_OK && request->changed != NULL)
    json_array_append_new(request->changed, json_control(cursor));
  else if (status == STATUS_OK && !request->quiet)
    say(cursor, request, &before, recorded);
  if (status == STATUS_OK && watch != NULL && wants_samples(cursor))
    status = await_sample(watch);
  eventring_close(watch);
  return status;
}

static enum status control_one(void *request, struct eventring_cursor *cursor)
{
  return control(request, cursor);
}

/* Changes all running processes that can be found, in [dir] if that is not
   NULL, and prints a line for each.  Continues after a process that cannot be
   changed.  Returns STATUS_OK if all were changed; STATUS_CANNOT_READ if one
   could not be changed or no process runs. */
static enum status control_all(struct request *request, const char *dir)
{
  size_t running;
  enum status status = visit_running(dir, true, control_one, request, &running);
  return running > 0 ? status : no_process_to(request->command->name, dir);
}

/* The command line */

/* Returns the nanoseconds between two samples, of which [text] is the number in
   a second.  Ends the program, with a message, when it is no such number. */
static uint64_t parse_rate(const char *text)
{
  char *end;
  long rate = strtol(text, &end, 10);
  if (end == text || *end != '\0' || rate < 1 || rate > CONTROL_RATE)
    usage_error(&enable_command, "enable: --rate=%s: a number from 1 to %d",
                text, CONTROL_RATE);
  return UINT64_C(1000000000) / (uint64_t) rate;
}

/* Returns the mean number of words between two samples, of which [text] is the
   share among all words.  Ends the program, with a message, when it is no such
   share. */
static uint64_t parse_alloc_rate(const char *text)
{
  char *end;
  double rate = strtod(text, &end);
  if (end == text || *end != '\0' || !(rate >= 1e-12 && rate <= 1))
    usage_error(&enable_command, "enable: --alloc-rate=%s: a share of the "
                "allocated words, from 1e-12 to 1", text);
  return (uint64_t) (1 / rate + 0.5);
}

static enum status run(const struct command *command, bool with_categories,
                       int argc, char **argv)
{
  const char *dir = NULL;
  bool all = false, json = false;
  struct request request = { .command = command };
  struct control_request remote = { .command = NULL };
  int option;
  while ((option = next_option(command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: all = true; break;
    case OPTION_ALLOC_RATE:
      request.alloc_period_words = parse_alloc_rate(optarg);
      break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_HUB: use_hub(command, optarg); break;
    case OPTION_JSON: json = true; break;
    case OPTION_QUIET: request.quiet = true; break;
    case OPTION_RATE: request.sample_period_ns = parse_rate(optarg); break;
    }

  /* The target comes first, then the categories. */
  int targets = all ? 0 : 1;
  if (with_categories && optind + targets >= argc && (all || optind < argc))
    usage_error(command, "%s: missing categories", command->name);
  if (!with_categories && all && optind < argc)
    usage_error(command, "%s: unexpected argument '%s' after --all", command->name,
                argv[optind]);
  if (all && has_hub_option())
    usage_error(command, "%s: --all is for processes of this machine",
                command->name);
  if (!all && is_remote(command, argv[optind], dir, &remote)) {
    if (request.alloc_period_words != 0)
      usage_error(command, "%s: --alloc-rate is for processes of this machine",
                  command->name);
    remote.json = json;
    remote.quiet = request.quiet;
    if (request.sample_period_ns != 0)
      remote.rate = INT64_C(1000000000) / (int64_t) request.sample_period_ns;
    if (!with_categories && optind + 1 < argc)
      usage_error(command, "%s: unexpected argument '%s': takes one process",
                  command->name, argv[optind + 1]);
    return control_remote(command, &remote, argc - optind - 1,
                          argv + optind + 1);
  }
  request.categories = argv + optind + targets;
  if (json) request.changed = json_array();

  enum status status;
  if (all) {
    status = control_all(&request, dir);
  } else {
    struct eventring_cursor *cursor =
      open_target(command, with_categories && optind < argc ? optind + 1 : argc,
                  argv, dir, true);
    status = control(&request, cursor);
    eventring_close(cursor);
  }
  if (json) print_json(json_pack("{s:o}", "processes", request.changed),
                       false);
  return finish_output(status);
}

static enum status run_pause(int argc, char **argv)
{
  return run(&pause_command, false, argc, argv);
}

static enum status run_resume(int argc, char **argv)
{
  return run(&resume_command, false, argc, argv);
}

static enum status run_enable(int argc, char **argv)
{
  return run(&enable_command, true, argc, argv);
}

static enum status run_disable(int argc, char **argv)
{
  return run(&disable_command, true, argc, argv);
}

const struct command pause_command = {
  .name = "pause", .summary = "pause the recording of a process",
  .usage = pause_usage, .options = option_ids, .notes = notes,
  .run = run_pause
};

const struct command resume_command = {
  .name = "resume", .summary = "resume the recording",
  .usage = resume_usage, .options = option_ids, .notes = notes,
  .run = run_resume
};

const struct command enable_command = {
  .name = "enable", .summary = "record more categories of events",
  .usage = enable_usage, .options = enable_option_ids, .notes = notes,
  .run = run_enable
};

const struct command disable_command = {
  .name = "disable", .summary = "record fewer categories",
  .usage = disable_usage, .options = option_ids, .notes = notes,
  .run = run_disable
};
