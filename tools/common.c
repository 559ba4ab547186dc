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
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "address.h"
#include "common.h"
#include "parse.h"
#include "reconnect.h"
#include "text.h"

/* Messages */

/* Prints "eventring: " and the message on standard error, cut to MESSAGE_SIZE -
   1 bytes and escaped, without an end of line. */
static void message_va(const char *format, va_list arguments)
{
  char line[MESSAGE_SIZE];
  vsnprintf(line, sizeof line, format, arguments);
  fputs("eventring: ", stderr);
  print_text(stderr, line, strlen(line), TEXT_LINE);
}

void complain(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  message_va(format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

void note(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  message_va(format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

void note_text(const char *text)
{
  note("%s", text);
}

void usage_error(const struct command *command, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  message_va(format, arguments);
  va_end(arguments);
  if (command != NULL)
    fprintf(stderr, " (see eventring %s --help)\n", command->name);
  else
    fputs(" (see eventring --help)\n", stderr);
  exit(STATUS_USAGE);
}

/* The target */

/* The paths of the files that refuse_input knows; NULL for standard input, which
   may be a regular file. */
static char **inputs;
static size_t inputs_count;

/* Returns whether [one] and [other] are the same path, or both standard input. */
static bool same_input(const char *one, const char *other)
{
  return one == other
         || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* Adds [path], or standard input if it is NULL, to the inputs that refuse_input
   knows.  Ends the program with a message when there is no memory. */
static void remember_path(const char *path)
{
  for (size_t i = 0; i < inputs_count; i++)
    if (same_input(inputs[i], path)) return;
  char **more = realloc(inputs, (inputs_count + 1) * sizeof *more),
    *copy = path == NULL ? NULL : strdup(path);
  if (more == NULL || (path != NULL && copy == NULL)) {
    complain("not enough memory");
    exit(STATUS_CANNOT_READ);
  }
  inputs = more;
  inputs[inputs_count++] = copy;
}

void remember_input(struct eventring_cursor *cursor)
{
  remember_path(eventring_path(cursor));
}

bool refuse_input(const char *path)
{
  struct stat output, input;
  if (stat(path, &output) < 0) return false;
  for (size_t i = 0; i < inputs_count; i++)
    if ((inputs[i] == NULL ? fstat(STDIN_FILENO, &input)
                           : stat(inputs[i], &input)) == 0
        && input.st_dev == output.st_dev && input.st_ino == output.st_ino) {
      complain("%s is read: write to another file", path);
      return true;
    }
  return false;
}

bool refuse_existing(const char *path, bool force)
{
  struct stat st;
  if (force || lstat(path, &st) < 0) return false;
  complain("cannot create %s: %s; --force overwrites it", path,
           strerror(EEXIST));
  return true;
}

/* Prints the message that [target] cannot be opened: [why], or [target] and the
   description of [error] if [why] is empty. */
static void cannot_open(const char *target, int error, const char *why)
{
  if (why[0] != '\0')
    complain("%s", why);
  else
    complain("%s: %s", target, eventring_strerror(error));
}

bool refuse_stream(const char *target)
{
  if (!is_stream(target)) return false;
  complain("%s: a stream; this command reads files: save it to a file first",
           target);
  return true;
}

static bool streams_resume;

void use_reconnect(const struct command *command, const char *text)
{
  int64_t ns;
  if (!parse_duration(text, &ns) || ns == 0)
    usage_error(command, "%s: --reconnect: %s is not a time such as 10s",
                command->name, text);
  reconnect_for(ns);
  streams_resume = true;
}

/* Opens the stream at the address [target].  Returns 0 or an error, with its
   message in [options]. */
static int open_stream(const char *target,
                       const struct eventring_options *options,
                       struct eventring_cursor **cursor)
{
  const bool standard = strcmp(target, "-") == 0;
  struct eventring_options of_socket = *options;
  static bool opened = false;
  int fd = STDIN_FILENO, error;
  if (standard && opened) {
    snprintf(options->message, options->message_size,
             "standard input can be read only once: name '-' once");
    return EVENTRING_E_ARGUMENT;
  }
  opened = opened || standard;
  if (standard && isatty(STDIN_FILENO)) {
    snprintf(options->message, options->message_size,
             "standard input is a terminal, and no recording");
    return EVENTRING_E_NOT_A_RING;
  }
  if (!standard)
    fd = connect_to(target, options->message, options->message_size);
  if (fd < 0) return EVENTRING_E_SYSTEM;
  of_socket.place = 1;
  of_socket.resume = streams_resume;
  error = eventring_open_stream(fd, standard ? "standard input" : target,
                                standard ? options : &of_socket, cursor);
  if (!standard) close(fd);
  return error;
}

struct eventring_cursor *try_open_one(const struct command *command,
                                      const char *target, const char *dir,
                                      bool control, uint32_t process,
                                      struct eventring_cursor *share_with)
{
  bool is_pid = is_number(target);
  if (dir != NULL && !is_pid)
    usage_error(command, "%s: --dir goes with a PID, and %s is a path",
                command->name, target);

  char why[512] = "";
  struct eventring_options options = {
    .size = sizeof options, .control = control, .changes = 1,
    .open_spans = 1, .process = process, .share_with = share_with,
    .message = why, .message_size = sizeof why
  };
  struct eventring_cursor *cursor = NULL;
  int error;
  if (is_pid) {
    errno = 0;
    long pid = strtol(target, NULL, 10);
    if (errno != 0 || pid <= 0 || pid > 0x7FFFFFFF)
      usage_error(command, "%s: %s is not a process id", command->name,
                  target);
    error = eventring_open_pid((int32_t) pid, dir, &options, &cursor);
  } else if (is_stream(target)) {
    error = open_stream(target, &options, &cursor);
  } else {
    error = eventring_open(target, &options, &cursor);
  }
  if (error < 0) {
    cannot_open(target, error, why);
    return NULL;
  }
  /* Only a recording can have several, so the number is not read of others. */
  if (process > 0 && process >= target_info(cursor).processes) {
    complain("%s: has 1 process, so there is no number %" PRIu32, target,
             process + 1);
    eventring_close(cursor);
    return NULL;
  }
  if (!is_stream(target)) remember_input(cursor);
  else if (strcmp(target, "-") == 0) remember_path(NULL);
  return cursor;
}

struct eventring_cursor *open_one(const struct command *command,
                                  const char *target, const char *dir,
                                  bool control, uint32_t process,
                                  struct eventring_cursor *share_with)
{
  struct eventring_cursor *cursor =
    try_open_one(command, target, dir, control, process, share_with);
  if (cursor == NULL) exit(STATUS_CANNOT_READ);
  return cursor;
}

struct eventring_cursor *open_recorded_process(
  const char *path, uint32_t process, struct eventring_cursor *share_with)
{
  char why[512] = "";
  struct eventring_options options = {
    .size = sizeof options, .changes = 1, .process = process,
    .share_with = share_with, .message = why, .message_size = sizeof why };
  struct eventring_cursor *cursor;
  int error;
  if (refuse_stream(path)) exit(STATUS_CANNOT_READ);
  error = eventring_open(path, &options, &cursor);
  if (error < 0) {
    cannot_open(path, error, why);
    exit(STATUS_CANNOT_READ);
  }
  remember_input(cursor);
  return cursor;
}

enum status recording_status(int error)
{
  return error == EVENTRING_E_SYSTEM ? STATUS_CANNOT_WRITE
                                     : STATUS_CANNOT_READ;
}

/* Signals: of a closed pipe, and of a file that may not grow any more */

static const int write_signals[] = { SIGPIPE, SIGXFSZ };
#define WRITE_SIGNALS (sizeof write_signals / sizeof *write_signals)
static struct sigaction inherited[WRITE_SIGNALS];

void raise_descriptor_limit(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void ignore_write_signals(void)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN };
  for (size_t i = 0; i < WRITE_SIGNALS; i++)
    sigaction(write_signals[i], &ignore, &inherited[i]);
}

void restore_write_signals(void)
{
  for (size_t i = 0; i < WRITE_SIGNALS; i++)
    sigaction(write_signals[i], &inherited[i], NULL);
}

/* Output.  stdio remembers that a write failed but not why. */

static int write_errno = 0;

bool output_works(void)
{
  if (!ferror(stdout)) return true;
  if (write_errno == 0) write_errno = errno;
  return false;
}

enum status finish_output(enum status status)
{
  errno = 0;
  if (fflush(stdout) != 0 && write_errno == 0) write_errno = errno;
  if (!ferror(stdout) || write_errno == EPIPE) return status;
  complain("cannot write the output: %s",
           write_errno != 0 ? strerror(write_errno) : "write error");
  return STATUS_CANNOT_WRITE;
}
