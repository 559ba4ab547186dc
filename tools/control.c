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

/* eventring pause, eventring resume: tracing switched from outside. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "common.h"
#include "text.h"

#define HELP_END \
"\n" \
"  -d, --dir=DIR   with a PID: the directory of the ring file\n" \
"  -q, --quiet     say nothing when it worked\n" \
"  -h, --help      this text\n" \
"\n" \
"Takes effect at the next probe of every domain.  Doing it twice is no error.\n"

static const char pause_help[] =
"Usage: eventring pause [OPTION...] PID|FILE\n"
"Pauses the tracing of a running process.  Its ring file stays, with the\n"
"events so far.\n"
HELP_END;

static const char resume_help[] =
"Usage: eventring resume [OPTION...] PID|FILE\n"
"Resumes the tracing of a running process, with the categories of events that\n"
"it recorded when it was paused.\n"
HELP_END;

static void print_categories(struct eventring_cursor *cursor, uint32_t mask)
{
  const char *separator = "";
  for (uint32_t bit = 0; bit < 32; bit++) {
    if ((mask & UINT32_C(1) << bit) == 0) continue;
    const char *name = eventring_category(cursor, bit);
    fputs(separator, stdout);
    if (name != NULL)
      print_text(stdout, name, strlen(name), TEXT_COLUMN);
    else
      printf("category %" PRIu32, bit);
    separator = ", ";
  }
}

static void say(struct eventring_cursor *cursor,
                const struct eventring_info *before)
{
  struct eventring_info now = target_info(cursor);
  const char *already = (before->active == 0) == (now.active == 0)
                        ? "was already " : "";
  printf("%" PRIu32 " ", now.pid);
  print_text(stdout, now.program, strlen(now.program), TEXT_LINE);
  if (now.active == 0)
    printf(": %spaused\n", already);
  else {
    printf(": %srecording ", already);
    print_categories(cursor, now.active);
    putchar('\n');
  }
}

static enum status control(const struct command *command,
                           int (*change)(struct eventring_cursor *),
                           int argc, char **argv)
{
  static const struct option options[] = {
    OPTION_HELP,
    { "dir", required_argument, NULL, 'd' },
    { "quiet", no_argument, NULL, 'q' },
    { NULL, 0, NULL, 0 }
  };
  const char *dir = NULL;
  bool quiet = false;
  int option;
  while ((option = getopt_long(argc, argv, OPTION_SHORT "d:q", options,
                               NULL)) != -1)
    switch (option) {
    case 'd': dir = optarg; break;
    case 'q': quiet = true; break;
    default: other_option(command, option, argv);
    }

  struct eventring_cursor *cursor =
    open_target(command, argc, argv, dir, true);
  struct eventring_info before = target_info(cursor);
  enum status status = STATUS_OK;
  int error;
  if (eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
    complain("%s: its process has ended, there is nothing to %s",
             eventring_path(cursor), command->name);
    status = STATUS_CANNOT_READ;
  } else if ((error = change(cursor)) < 0) {
    complain("%s: %s", eventring_path(cursor), eventring_strerror(error));
    status = STATUS_CANNOT_READ;
  } else if (!quiet) {
    say(cursor, &before);
  }
  eventring_close(cursor);
  return finish_output(status);
}

static enum status run_pause(int argc, char **argv)
{
  return control(&pause_command, eventring_pause, argc, argv);
}

static enum status run_resume(int argc, char **argv)
{
  return control(&resume_command, eventring_resume, argc, argv);
}

const struct command pause_command = {
  .name = "pause", .summary = "pause the tracing of a running process",
  .help = pause_help, .run = run_pause
};

const struct command resume_command = {
  .name = "resume", .summary = "resume it",
  .help = resume_help, .run = run_resume
};
