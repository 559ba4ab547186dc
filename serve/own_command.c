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

#define _GNU_SOURCE               /* POLLRDHUP */
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "capture.h"
#include "live_stats.h"
#include "own_command.h"
#include "settings.h"
#include "target.h"
#include "unnamed_file.h"

/* The most bytes of an answer, and seconds until there is one. */
#define ANSWER_BYTES ((size_t) 64 << 20)
#define ANSWER_SECONDS 60

/* The most answers at a time. */
#define ANSWERS 4

static atomic_int answers;
static atomic_bool stopping;
static _Thread_local int64_t deadline_ns;
static _Thread_local int client;  /* the socket of who waits for the answer */

/* Returns whether the client has closed the connection. */
static bool client_is_gone(void)
{
  struct pollfd end = { client, POLLRDHUP, 0 };
  return poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

static bool is_stopped(void)
{
  return atomic_load(&stopping) || monotonic_ns() > deadline_ns || client_is_gone();
}

void stop_own_commands(void)
{
  atomic_store(&stopping, true);
}

/* Running a command */

/* Reads the first line of the messages in the file [fd] to [why], without the name of
   the program. */
static void read_message(int fd, char *why, size_t why_size)
{
  static const char head[] = "eventring: ";
  const ssize_t n = pread(fd, why, why_size - 1, 0);
  why[n > 0 ? n : 0] = '\0';
  why[strcspn(why, "\n")] = '\0';
  if (strncmp(why, head, sizeof head - 1) == 0)
    memmove(why, why + sizeof head - 1, strlen(why) - (sizeof head - 1) + 1);
}

/* Returns the answer with the output of the command [argv], or its message, which is in
   the file [messages]. */
static struct answer output_of(const char *const argv[], const char *dir, int messages,
                               const char *advice)
{
  char why[512];
  size_t size = 0;
  deadline_ns = time_after(monotonic_ns(), ANSWER_SECONDS * SECOND_NS);
  char *text = capture_with_messages(argv, dir, messages, ANSWER_BYTES, is_stopped, &size);
  json_t *json = text == NULL || size > ANSWER_BYTES ? NULL
                 : json_loadb(text, size, 0, NULL);
  free(text);
  if (json != NULL) return (struct answer) { .status = 200, .json = json };
  if (size > ANSWER_BYTES)
    return refusal(413, "the answer would have more than %zu bytes", ANSWER_BYTES);
  if (is_stopped())
    return refusal(504, "there is no answer after %d s%s", ANSWER_SECONDS, advice);
  read_message(messages, why, sizeof why);
  return refusal(409, "%s", why[0] != '\0' ? why : "the command failed");
}

struct answer answer_own_command(const struct asked *asked, const char *const argv[],
                                 const char *dir, const char *advice)
{
  struct answer answer;
  if (atomic_fetch_add(&answers, 1) >= ANSWERS) {
    atomic_fetch_sub(&answers, 1);
    return refusal(503, "%d answers are being made: ask again later",
                   ANSWERS);
  }
  client = asked->socket;
  const int messages = unnamed_file(temporary_folder());
  if (messages < 0)
    answer = refusal(409, "cannot make a temporary file");
  else {
    answer = output_of(argv, dir, messages, advice);
    close(messages);
  }
  atomic_fetch_sub(&answers, 1);
  return answer;
}
