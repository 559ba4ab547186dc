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
"Prints the shortest wait that a process records.  With DURATION, such as\n"
"500ns, 10us or 1.5ms, sets it: the process then records waits of DURATION or\n"
"longer.  Without a unit, DURATION is in seconds.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_JSON, OPTION_QUIET, OPTION_HELP, OPTION_END
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

static void print_threshold(const struct eventring_info *info)
{
  char duration[QUANTITY_SIZE];
  printf("%" PRIi32 " ", info->pid);
  print_text(stdout, info->program, strlen(info->program), TEXT_LINE);
  printf(": waits of %s and longer are recorded\n",
         format_duration(duration, info->threshold_ns));
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool json = false, quiet = false;
  uint64_t ns = 0;
  int option;
  while ((option = next_option(&threshold_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_JSON: json = true; break;
    case OPTION_QUIET: quiet = true; break;
    }

  bool set = argc - optind == 2;
  if (set) ns = parse_threshold(argv[optind + 1]);
  struct eventring_cursor *cursor =
    open_target(&threshold_command, set ? optind + 1 : argc, argv, dir, set);
  enum status status = STATUS_OK;
  if (target_info(cursor).threshold_ns == 0) {
    complain("%s does not say which waits are recorded: its writer is older"
             " than format 1.4, or is stock OCaml", eventring_path(cursor));
    status = STATUS_CANNOT_READ;
  }
  if (status == STATUS_OK && set) status = set_threshold(cursor, ns);
  struct eventring_info info = target_info(cursor);
  if (status == STATUS_OK && json) {
    json_t *process = json_control(cursor);
    json_object_set_new(process, "threshold_ns",
                        json_integer((json_int_t) info.threshold_ns));
    print_json(process, false);
  } else if (status == STATUS_OK && !(set && quiet)) {
    print_threshold(&info);
  }
  eventring_close(cursor);
  return finish_output(status);
}

const struct command threshold_command = {
  .name = "threshold", .summary = "print or set the shortest recorded wait",
  .usage = usage, .options = option_ids, .run = run
};
