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

/* eventring attach, detach: start tracing in processes that run already, and
   end it. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category_text.h"
#include "common.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "text.h"

static const char attach_usage[] =
"Usage: eventring attach [OPTION...] PID...\n"
"Starts tracing in running processes of Eventring's OCaml that were started\n"
"without any variable.  Needs the right to debug the processes: their user, or\n"
"root where the system demands it (kernel.yama.ptrace_scope).  The ring file is\n"
"in the directory that OCAML_EVENTRING_PREFIX of the process names, or in /tmp.\n";

static const char attach_notes[] =
"Tracing starts when OCaml code next runs.  A process that waits or runs C code\n"
"for 2 s (--wait) starts later: the exit code is then 1, and eventring detach\n"
"takes the request back.  Attaching to a traced process is no error.\n";

static const char detach_usage[] =
"Usage: eventring detach [OPTION...] PID...\n"
"Ends tracing in running processes, and takes back requests to attach to them.\n"
"The processes remove their ring files, unless OCAML_EVENTRING_KEEP of their\n"
"environment is 1, and run on as without tracing.\n";

static const enum option_id attach_option_ids[] = {
  OPTION_DIR, OPTION_WAIT, OPTION_JSON, OPTION_QUIET, OPTION_HELP, OPTION_END
};

static const enum option_id detach_option_ids[] = {
  OPTION_WAIT, OPTION_QUIET, OPTION_HELP, OPTION_END
};

/* The arguments of the command. */
struct request {
  const struct command *command;
  char dir[PATH_MAX];             /* "": none was given */
  int64_t wait_ns;
  bool quiet;
  json_t *attached;               /* with --json, else NULL */
};

/* Prints a line with the state of the process of [cursor]. */
static void say(struct eventring_cursor *cursor)
{
  struct eventring_info info = target_info(cursor);
  printf("%d ", (int) info.pid);
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  if (info.active != 0) {
    fputs(": recording ", stdout);
    print_categories(cursor, info.active);
    putchar('\n');
  } else {
    puts(": paused");
  }
}

/* Reports that tracing has started in process [pid].  A process that has ended
   meanwhile is no error: its tracing had started. */
static void report_attached(const struct request *request, int32_t pid)
{
  struct eventring_cursor *cursor;
  if (request->quiet && request->attached == NULL) return;
  if (eventring_open_pid(pid, NULL, NULL, &cursor) < 0) {
    if (request->attached == NULL)
      printf("%d: tracing has started, and the process has ended\n", (int) pid);
    return;
  }
  if (request->attached != NULL)
    json_array_append_new(request->attached, json_control(cursor));
  else
    say(cursor);
  eventring_close(cursor);
}

/* Attaches to process [pid], or detaches from it, and reports the result.
   Returns STATUS_OK; with a message, STATUS_FINDING when the process has not
   carried the request out yet, STATUS_CANNOT_READ when it cannot be asked. */
static enum status visit(const struct request *request, int32_t pid)
{
  char why[512];
  struct eventring_attach_options options = {
    .size = sizeof options, .dir = request->dir[0] != 0 ? request->dir : NULL,
    .wait_ns = request->wait_ns, .message = why, .message_size = sizeof why
  };
  bool attaches = request->command == &attach_command;
  int result = attaches ? eventring_attach(pid, &options)
                        : eventring_detach(pid, &options);
  if (result < 0) {
    complain("%s", why);
    return STATUS_CANNOT_READ;
  }
  if (result == EVENTRING_PENDING) {
    complain("process %d has not run OCaml code yet: it %s tracing when it does",
             (int) pid, attaches ? "starts" : "ends");
    return STATUS_FINDING;
  } else if (attaches) {
    report_attached(request, pid);
  } else if (!request->quiet) {
    printf("%d: not traced any more\n", (int) pid);
  }
  return STATUS_OK;
}

/* Returns the process id [text].  If [text] is none, prints a message and ends
   the program with STATUS_USAGE. */
static int32_t parse_pid(const struct command *command, const char *text)
{
  char *end;
  errno = 0;
  long pid = strtol(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || pid < 1
      || pid > INT32_MAX)
    usage_error(command, "%s: '%s' is not a process id", command->name, text);
  return (int32_t) pid;
}

/* Sets the directory of the request to the absolute path of [dir].  Leaves an
   absolute path as it is: the process looks for it, and in a container finds
   other directories than this program.  If there is no directory of a relative
   path, prints a message and ends the program. */
static void set_dir(struct request *request, const char *dir)
{
  if (dir[0] == '/' && strlen(dir) < sizeof request->dir) {
    strcpy(request->dir, dir);
  } else if (realpath(dir, request->dir) == NULL) {
    complain("cannot use %s as the directory of the ring file: %s", dir,
             strerror(errno));
    exit(STATUS_CANNOT_READ);
  }
}

static enum status run(const struct command *command, int argc, char **argv)
{
  struct request request = {
    .command = command, .wait_ns = INT64_C(2000000000)
  };
  bool json = false;
  int option;
  while ((option = next_option(command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: set_dir(&request, optarg); break;
    case OPTION_WAIT:
      if (!parse_duration(optarg, &request.wait_ns))
        usage_error(command, "%s: --wait=%s: not a duration (500ms, 10s)",
                    command->name, optarg);
      break;
    case OPTION_JSON: json = true; break;
    case OPTION_QUIET: request.quiet = true; break;
    }
  if (optind == argc)
    usage_error(command, "%s: missing process", command->name);
  for (int i = optind; i < argc; i++) parse_pid(command, argv[i]);

  if (json) request.attached = json_array();
  enum status status = STATUS_OK;
  for (int i = optind; i < argc; i++) {
    enum status one = visit(&request, parse_pid(command, argv[i]));
    if (one > status) status = one;
  }
  if (json)
    print_json(json_pack("{s:o}", "processes", request.attached), false);
  return finish_output(status);
}

static enum status run_attach(int argc, char **argv)
{
  return run(&attach_command, argc, argv);
}

static enum status run_detach(int argc, char **argv)
{
  return run(&detach_command, argc, argv);
}

const struct command attach_command = {
  .name = "attach", .summary = "start tracing in a running process",
  .usage = attach_usage, .options = attach_option_ids, .notes = attach_notes,
  .run = run_attach
};

const struct command detach_command = {
  .name = "detach", .summary = "end tracing in a running process",
  .usage = detach_usage, .options = detach_option_ids, .run = run_detach
};
