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

/* eventring threshold: the shortest wait that is recorded, read and set from
   outside. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "common.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "processes.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring threshold [OPTION...] [PID|FILE]\n"
"       eventring threshold [OPTION...] PID|FILE DURATION\n"
"       eventring threshold --all [OPTION...] [DURATION]\n"
"Prints the shortest wait that a process records.  With DURATION, such as\n"
"500ns, 10us or 1.5ms, sets it: the process then records waits of DURATION or\n"
"longer.  Without a unit, DURATION is in seconds.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_JSON, OPTION_QUIET, OPTION_HELP, OPTION_END
};

/* The arguments of the command. */
struct request {
  bool set, json, quiet;
  uint64_t ns;                    /* to set */
  json_t *processes;              /* with --all and --json, else NULL */
};

/* Returns the duration [text] in nanoseconds.  If [text] is no duration, prints
   a message and ends the program with STATUS_USAGE. */
static uint64_t parse_threshold(const char *text)
{
  int64_t ns;
  if (!parse_duration(text, &ns))
    usage_error(&threshold_command, "threshold: '%s' is not a duration (10us,"
                " 1.5ms)", text);
  return (uint64_t) ns;
}

/* Sets the threshold of the process of [cursor], which must have been opened
   for control, to [ns] nanoseconds.  Returns STATUS_OK; STATUS_CANNOT_READ,
   with a message, when the process has ended or cannot be changed. */
static enum status set_threshold(struct eventring_cursor *cursor, uint64_t ns)
{
  if (eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
    complain("%s: its process has ended, its threshold cannot be set",
             eventring_path(cursor));
    return STATUS_CANNOT_READ;
  }
  int error = eventring_set_threshold(cursor, ns);
  if (error < 0) {
    complain("%s: %s", eventring_path(cursor), eventring_strerror(error));
    return STATUS_CANNOT_READ;
  }
  return STATUS_OK;
}

/* Returns whether the file has a word for the threshold, which is 0 while the
   process uses the threshold with which tracing started. */
static bool has_threshold(const struct eventring_info *info)
{
  return info->threshold_ns != 0
         || (info->version_minor >= 4 && !info->lost_is_bound);
}

static void print_threshold(const struct eventring_info *info)
{
  char duration[QUANTITY_SIZE];
  printf("%" PRIi32 " ", info->pid);
  print_text(stdout, info->program, strlen(info->program), TEXT_LINE);
  if (info->threshold_ns == 0)
    puts(": waits are recorded from the threshold on with which tracing "
         "started");
  else
    printf(": waits of %s and longer are recorded\n",
           format_duration(duration, info->threshold_ns));
}

/* Returns a new JSON number with the threshold in nanoseconds: an integer, or a
   floating-point number if it does not fit; JSON null if it is 0, for a
   threshold that the file does not have. */
static json_t *json_threshold(uint64_t ns)
{
  if (ns == 0) return json_null();
  return ns <= INT64_MAX ? json_integer((json_int_t) ns)
                         : json_real((double) ns);
}

/* Sets the threshold of the process of [cursor] if requested, and prints the
   threshold.  Returns STATUS_OK; STATUS_CANNOT_READ, with a message, when the
   file has no threshold or it cannot be set. */
static enum status visit(void *state, struct eventring_cursor *cursor)
{
  const struct request *request = state;
  struct eventring_info info = target_info(cursor);
  if (!has_threshold(&info)) {
    complain("%s does not say which waits are recorded: its writer is older"
             " than format 1.4, or is stock OCaml", eventring_path(cursor));
    return STATUS_CANNOT_READ;
  }
  if (request->set) {
    enum status status = set_threshold(cursor, request->ns);
    if (status != STATUS_OK) return status;
  }
  info = target_info(cursor);
  if (request->json) {
    json_t *process = json_control(cursor);
    json_object_set_new(process, "threshold_ns",
                        json_threshold(info.threshold_ns));
    if (request->processes != NULL)
      json_array_append_new(request->processes, process);
    else
      print_json(process, false);
  } else if (!(request->set && request->quiet)) {
    print_threshold(&info);
  }
  return STATUS_OK;
}

static enum status visit_all(struct request *request, const char *dir)
{
  size_t running;
  if (request->json) request->processes = json_array();
  enum status status = visit_running(dir, request->set, visit, request,
                                     &running);
  if (request->json)
    print_json(json_pack("{s:o}", "processes", request->processes), false);
  return request->set && running == 0
         ? no_process_to("set the threshold of", dir) : status;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool all = false;
  struct request request = { .set = false };
  int option;
  while ((option = next_option(&threshold_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: all = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_JSON: request.json = true; break;
    case OPTION_QUIET: request.quiet = true; break;
    }

  /* The target comes first, then the duration. */
  int targets = all ? 0 : 1;
  request.set = argc - optind == targets + 1;
  if (all && argc - optind > 1)
    usage_error(&threshold_command,
                "threshold: unexpected argument '%s' after --all",
                argv[optind]);
  if (request.set) request.ns = parse_threshold(argv[optind + targets]);
  enum status status;
  if (all) {
    status = visit_all(&request, dir);
  } else {
    struct eventring_cursor *cursor =
      open_target(&threshold_command, request.set ? optind + 1 : argc, argv,
                  dir, request.set);
    status = visit(&request, cursor);
    eventring_close(cursor);
  }
  return finish_output(status);
}

const struct command threshold_command = {
  .name = "threshold", .summary = "print or set the shortest recorded wait",
  .usage = usage, .options = option_ids, .run = run
};
