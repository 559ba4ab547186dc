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

/* See stream_output.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "broadcast.h"
#include "stream_output.h"

/* How long slow receivers are waited for at the end. */
#define END_MS 2000

struct stream_output {
  enum address_kind kind;
  int fd;                         /* of standard output, or to the command */
  pid_t command;
  const char *text;               /* of the command */
  bool closed;                    /* by the reader */
  struct listener listener;
  struct broadcast *broadcast;
};

/* Starts the shell command, with a pipe as its input. */
static void start_command(struct stream_output *o)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == 0) o->command = fork();
  else o->command = -1;
  if (o->command < 0) {
    complain("cannot run %s: %s", o->text, strerror(errno));
    exit(STATUS_CANNOT_WRITE);
  }
  if (o->command == 0) {
    restore_write_signals();
    /* Ctrl-C ends the recording, whose rest the command must still get. */
    signal(SIGINT, SIG_IGN);
    dup2(ends[0], STDIN_FILENO);
    execl("/bin/sh", "sh", "-c", o->text, (char *) NULL);
    _exit(127);
  }
  close(ends[0]);
  o->fd = ends[1];
}

struct stream_output *open_stream_output(const char *address)
{
  struct stream_output *o = allocate(1, sizeof *o);
  char why[512];
  o->kind = address_kind(address);
  o->fd = STDOUT_FILENO;
  o->listener.fd = -1;
  switch (o->kind) {
  case ADDRESS_STANDARD:
    if (isatty(STDOUT_FILENO)) {
      complain("standard output is a terminal, and a recording is not text: "
               "use a pipe or a file");
      exit(STATUS_CANNOT_WRITE);
    }
    break;
  case ADDRESS_EXEC:
    o->text = address + strlen("exec:");
    if (o->text[strspn(o->text, " \t\n")] == '\0') {
      complain("exec: without a command: nothing would be recorded");
      exit(STATUS_CANNOT_WRITE);
    }
    start_command(o);
    break;
  default:
    if (!listen_at(address, &o->listener, why, sizeof why)) {
      complain("%s", why);
      exit(STATUS_CANNOT_WRITE);
    }
    o->broadcast = new_broadcast(&o->listener);
    if (o->broadcast == NULL) {
      complain("not enough memory");
      exit(STATUS_CANNOT_WRITE);
    }
    note("receivers connect to %s", o->listener.address);
  }
  return o;
}

int stream_output_write(void *state, int kind, const void *bytes, size_t size)
{
  struct stream_output *o = state;
  const char *p = bytes;
  if (o->broadcast != NULL)
    return broadcast_write(o->broadcast, kind, bytes, size);
  while (size > 0) {
    ssize_t n = write(o->fd, p, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      /* A descriptor that another process has made so. */
      poll(&(struct pollfd) { .fd = o->fd, .events = POLLOUT }, 1, -1);
      continue;
    }
    if (n < 0) {
      o->closed = errno == EPIPE;
      return -1;
    }
    p += n;
    size -= (size_t) n;
  }
  return 0;
}

uint64_t stream_output_window(const struct stream_output *o)
{
  return o == NULL || o->broadcast == NULL ? 0 : MAX_QUEUE_BYTES;
}

void stream_output_send(struct stream_output *o,
                        struct eventring_recorder *recorder)
{
  if (o->broadcast != NULL) broadcast_send(o->broadcast, recorder);
}

bool stream_output_closed(const struct stream_output *o)
{
  return o->closed;
}

/* Waits for the end of the command.  Returns whether it ended with 0; if not,
   prints a message. */
static bool has_succeeded(const struct stream_output *o)
{
  int status;
  while (waitpid(o->command, &status, 0) < 0 && errno == EINTR) { /* again */ }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  if (WIFSIGNALED(status))
    complain("%s: killed by signal %d", o->text, WTERMSIG(status));
  else
    complain("%s: ended with exit status %d", o->text, WEXITSTATUS(status));
  return false;
}

enum status close_stream_output(struct stream_output *o)
{
  enum status status = STATUS_OK;
  if (o->broadcast != NULL) {
    struct broadcast_totals t;
    broadcast_end(o->broadcast, END_MS);
    t = broadcast_totals(o->broadcast);
    if (t.left_out > 0)
      note("%" PRIu64 " chunks were left out for slow receivers, which count "
           "their events as lost", t.left_out);
    free_broadcast(o->broadcast);
    stop_listening(&o->listener);
  }
  if (o->kind == ADDRESS_EXEC) {
    close(o->fd);
    if (!has_succeeded(o)) status = STATUS_CANNOT_WRITE;
  }
  free(o);
  return status;
}
