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

/* eventring resize: rings of another size for a running process, by a new
   session that takes over where the present one ends. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "common.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "sessions.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring resize [OPTION...] PID|FILE SIZE\n"
"Gives a running process rings of SIZE bytes for each domain, such as 512K or\n"
"4M: the next power of two from 4K to 32M.  At its next safe point the process\n"
"stops all domains, ends its session and begins another; the new file takes\n"
"the place of the old one.  No event is lost or doubled between the two.\n"
"Commands that follow the process go on with the new session; a recording to a\n"
"pipe or a socket ends with the old one.\n";

static const char notes[] =
"When the process cannot have such rings, the old session goes on, and the\n"
"process says why on its standard error.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_WAIT, OPTION_JSON, OPTION_QUIET, OPTION_HELP, OPTION_END
};

/* The arguments of the command. */
struct request {
  uint64_t words;
  int64_t wait_ns;
  bool json, quiet;
};

/* How often the process is looked at. */
#define POLL_NS 500000

/* Sizes of rings, in words. */
#define MIN_WORDS (UINT64_C(1) << 9)
#define MAX_WORDS (UINT64_C(1) << 22)

/* Returns the words of the smallest ring that has [text], a number of bytes.
   Ends the program, with a message, when no ring has so many. */
static uint64_t parse_words(const char *text)
{
  uint64_t bytes, words = MIN_WORDS;
  if (!parse_size(text, &bytes) || bytes < MIN_WORDS * 8
      || bytes > MAX_WORDS * 8)
    usage_error(&resize_command, "resize: '%s' is not a size from 4K to 32M",
                text);
  while (words * 8 < bytes) words *= 2;
  return words;
}

/* Prints the size of the rings of the process of [cursor].  [already]: they had
   this size before. */
static void say(const struct request *request, struct eventring_cursor *cursor,
                bool already)
{
  char size[QUANTITY_SIZE];
  struct eventring_info info = target_info(cursor);
  if (request->json) {
    print_json(json_control(cursor), false);
    return;
  }
  if (request->quiet) return;
  printf("%" PRIi32 " ", info.pid);
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  printf(": %s rings of %s\n", already ? "had already" : "a new session with",
         format_bytes(size, info.ring_words * 8));
}

/* Prints why the process of [cursor] cannot be asked, as [error] says.  Returns
   STATUS_CANNOT_READ. */
static enum status refuse(struct eventring_cursor *cursor, int error)
{
  struct eventring_info info = target_info(cursor);
  if (error == EVENTRING_E_VERSION)
    complain("process %" PRIi32 " cannot change its rings: its Eventring is "
             "older", info.pid);
  else if (error == EVENTRING_E_ARGUMENT && info.active == 0)
    complain("process %" PRIi32 " is paused; to resume: eventring resume "
             "%" PRIi32, info.pid, info.pid);
  else
    complain("%s: %s", eventring_path(cursor), eventring_strerror(error));
  return STATUS_CANNOT_READ;
}

/* Waits for the answer of the process of [cursor], as long as requested.
   Returns the cursor of its next session, which the caller closes; NULL, with a
   message, if the process does not begin one. */
static struct eventring_cursor *await_session(struct eventring_cursor *cursor,
                                              struct sessions *sessions,
                                              const struct request *request)
{
  const int64_t until_ns = monotonic_ns() + request->wait_ns;
  const int32_t pid = target_info(cursor).pid;
  bool refused = false, ended = false;
  char time[QUANTITY_SIZE];
  while (!refused && monotonic_ns() < until_ns) {
    bool answered = eventring_ring_words_asked(cursor) == 0;
    ended = eventring_state(cursor) != EVENTRING_STATE_RUNNING;
    if (target_is_cut(cursor)) break;
    if (ended) {
      struct eventring_cursor *next = open_next_session(sessions, NULL);
      if (next != NULL) return next;
      if (!process_runs(sessions, 0)) break;
    }
    refused = answered && !ended;
    nanosleep(&(struct timespec) { .tv_nsec = POLL_NS }, NULL);
  }
  if (target_is_cut(cursor)) {
    complain("%s: cut shorter while it was read", eventring_path(cursor));
  } else if (ended) {
    complain("the tracing of process %" PRIi32 " has ended", pid);
  } else if (refused) {
    complain("process %" PRIi32 " keeps its rings; its standard error says why",
             pid);
  } else {
    eventring_withdraw_ring_words(cursor);
    complain("process %" PRIi32 " has reached no safe point within %s (--wait)",
             pid, format_duration(time, (uint64_t) request->wait_ns));
  }
  return NULL;
}

/* Changes the rings of the process of [cursor] as requested, and prints their
   size.  Returns STATUS_OK; STATUS_CANNOT_READ, with a message, when the process
   has ended, cannot be asked, or keeps its rings. */
static enum status resize(struct eventring_cursor *cursor,
                          const struct request *request)
{
  if (eventring_state(cursor) != EVENTRING_STATE_RUNNING) {
    complain("%s: its process has ended, there is nothing to resize",
             eventring_path(cursor));
    return STATUS_CANNOT_READ;
  }
  struct sessions *sessions = new_sessions(cursor, NULL);
  int error = eventring_ask_ring_words(cursor, request->words);
  enum status status = STATUS_CANNOT_READ;
  if (error < 0) {
    refuse(cursor, error);
  } else if (error == 1) {
    say(request, cursor, true);
    status = STATUS_OK;
  } else {
    /* A loop sees it at once, if we may do that. */
    eventring_interrupt(cursor);
    struct eventring_cursor *next = await_session(cursor, sessions, request);
    if (next != NULL) {
      say(request, next, false);
      eventring_close(next);
      status = STATUS_OK;
    }
  }
  free_sessions(sessions);
  return status;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  struct request request = { .wait_ns = INT64_C(2000000000) };
  int option;
  while ((option = next_option(&resize_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_JSON: request.json = true; break;
    case OPTION_QUIET: request.quiet = true; break;
    case OPTION_WAIT:
      if (!parse_duration(optarg, &request.wait_ns))
        usage_error(&resize_command,
                    "resize: --wait=%s: not a duration (500ms, 10s)", optarg);
      break;
    }
  if (argc - optind == 1)
    usage_error(&resize_command, "resize: missing size");
  if (optind < argc) request.words = parse_words(argv[argc - 1]);
  struct eventring_cursor *cursor =
    open_target(&resize_command, optind < argc ? argc - 1 : argc, argv, dir,
                true);
  enum status status = resize(cursor, &request);
  eventring_close(cursor);
  return finish_output(status);
}

const struct command resize_command = {
  .name = "resize", .summary = "give a process rings of another size",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
