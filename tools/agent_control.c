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

/* See agent_control.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent_control.h"
#include "common.h"
#include "locks.h"

/* The time that a command may take: less than a hub waits for the answer. */
#define COMMAND_NS INT64_C(13000000000)
#define LOOK_MS 100

/* The most bytes of an output. */
#define OUTPUT_MAX ((size_t) 64 << 10)

/* The descriptor of the ring file in the process of the command, and its path
   there, which the answer does not have. */
#define RING_FD 3
#define RING_PATH "/proc/self/fd/3"

/* The agent's own descriptors of pipes and the file are from this one on, so that
   the low numbers are free in the process of the command. */
#define FIRST_FD 10

extern char **environ;

struct control_desk {
  struct control_hands hands;
  atomic_bool ending;
  pthread_mutex_t lock;           /* of all below */
  pthread_cond_t changed;
  const char *wanted;             /* a process to look up; NULL: none */
  size_t found;
  struct followed_process process;
};

/* Looking up */

void serve_control_desk(struct control_desk *d, const struct follower *follower)
{
  pthread_mutex_lock(&d->lock);
  if (d->wanted != NULL) {
    d->found = find_followed(follower, d->wanted, &d->process);
    d->wanted = NULL;
    pthread_cond_signal(&d->changed);
  }
  pthread_mutex_unlock(&d->lock);
}

/* Has the main thread look up the process [name], and copies it to *process.
   Returns how many have the name. */
static size_t look_up(struct control_desk *d, const char *name,
                      struct followed_process *process)
{
  pthread_mutex_lock(&d->lock);
  d->found = 0;
  d->wanted = name;
  while (d->wanted != NULL && !d->ending)
    pthread_cond_wait(&d->changed, &d->lock);
  d->wanted = NULL;
  *process = d->process;
  const size_t found = d->found;
  pthread_mutex_unlock(&d->lock);
  return found;
}

/* Answers */

/* Returns [text] with [name] in place of each RING_PATH; the caller frees it. */
static char *with_name(const char *text, const char *name)
{
  char *result;
  size_t size;
  FILE *out = open_memstream(&result, &size);
  if (out == NULL) out_of_memory();
  for (const char *at; (at = strstr(text, RING_PATH)) != NULL;
       text = at + strlen(RING_PATH)) {
    fwrite(text, 1, (size_t) (at - text), out);
    fputs(name, out);
  }
  fputs(text, out);
  if (fclose(out) != 0) out_of_memory();
  return result;
}

/* Returns the answer to [r]. */
static json_t *new_answer(const struct control_request *r, int status,
                          const char *output, const char *errors)
{
  char name[NODE_SIZE + STREAM_NAME_SIZE + 1];
  snprintf(name, sizeof name, "%s/%s", r->node, r->process);
  char *shown = with_name(output, name), *told = with_name(errors, name);
  json_t *answer = json_pack("{s:i, s:s, s:s}", "status", status, "output",
                             shown, "errors", told);
  if (answer == NULL)
    answer = json_pack("{s:i, s:s, s:s}", "status", STATUS_CANNOT_READ,
                       "output", "", "errors",
                       "eventring: the answer is not UTF-8\n");
  free(shown);
  free(told);
  return answer;
}

/* Returns the answer that [r] was not carried out. */
__attribute__((format(printf, 2, 3)))
static json_t *refusal(const struct control_request *r, const char *format, ...)
{
  char text[MESSAGE_SIZE], line[MESSAGE_SIZE + 16];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snprintf(line, sizeof line, "eventring: %s\n", text);
  return new_answer(r, STATUS_CANNOT_READ, "", line);
}

/* The process of a command */

/* The bytes that a command has written to a pipe. */
struct pipe_output {
  int fd;                         /* -1: its end was read */
  size_t length;
  char text[OUTPUT_MAX + 2];      /* of a longer one, one byte more */
};

struct child {
  pid_t pid;
  struct pipe_output output, errors;
};

/* Makes a pipe above FIRST_FD.  Returns false with errno. */
static bool make_pipe(int ends[2])
{
  int made[2];
  if (pipe2(made, O_CLOEXEC) < 0) return false;
  ends[0] = fcntl(made[0], F_DUPFD_CLOEXEC, FIRST_FD);
  ends[1] = fcntl(made[1], F_DUPFD_CLOEXEC, FIRST_FD);
  const int error = errno;
  close(made[0]);
  close(made[1]);
  if (ends[0] >= 0 && ends[1] >= 0) return true;
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  errno = error;
  return false;
}

/* Opens the ring file of [process], unless another file has its path now.
   Returns a descriptor above FIRST_FD, or -1. */
static int open_ring(const struct followed_process *process)
{
  struct stat st;
  int fd = open(process->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const bool same = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
                    && st.st_dev == process->device
                    && st.st_ino == process->inode;
  const int ring = same ? fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD) : -1;
  if (fd >= 0) close(fd);
  return ring;
}

/* Starts the program with [argv], which writes to [out] and [err] and reads the
   file [ring].  Returns 0 or an errno value. */
static int spawn(char *const argv[], int ring, int out, int err, pid_t *pid)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  posix_spawn_file_actions_adddup2(&actions, ring, RING_FD);
  const int error = posix_spawn(pid, "/proc/self/exe", &actions, &attributes,
                                argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/* Starts the command.  Returns 0 or an errno value. */
static int start(struct child *c, char *const argv[], int ring)
{
  int out[2], err[2];
  if (!make_pipe(out)) return errno;
  if (!make_pipe(err)) {
    const int error = errno;
    close(out[0]);
    close(out[1]);
    return error;
  }
  const int error = spawn(argv, ring, out[1], err[1], &c->pid);
  close(out[1]);
  close(err[1]);
  c->output.fd = out[0];
  c->errors.fd = err[0];
  if (error != 0) {
    close(out[0]);
    close(err[0]);
  }
  return error;
}

/* Reads the bytes in the pipe.  Returns false when an answer may not have as
   many. */
static bool take_output(struct pipe_output *o)
{
  const ssize_t n = read(o->fd, o->text + o->length,
                         OUTPUT_MAX + 1 - o->length);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (n > 0) o->length += (size_t) n;
  if (n <= 0) {
    close(o->fd);
    o->fd = -1;
  }
  return o->length <= OUTPUT_MAX;
}

/* Reads the outputs of the command until it has closed them.  Returns NULL, or
   why it has to be killed. */
static const char *read_outputs(const struct control_desk *d, struct child *c)
{
  const int64_t until_ns = monotonic_ns() + COMMAND_NS;
  while (c->output.fd >= 0 || c->errors.fd >= 0) {
    struct pollfd fds[] = { { .fd = c->output.fd, .events = POLLIN },
                            { .fd = c->errors.fd, .events = POLLIN } };
    if (d->ending) return "the agent ends";
    if (monotonic_ns() >= until_ns) return "the command has not ended in time";
    if (poll(fds, 2, LOOK_MS) <= 0) continue;
    if ((fds[0].revents != 0 && !take_output(&c->output))
        || (fds[1].revents != 0 && !take_output(&c->errors)))
      return "the answer is too long";
  }
  return NULL;
}

/* Waits for the command, and returns its answer. */
static json_t *finish(const struct control_desk *d, struct child *c,
                      const struct control_request *r)
{
  const char *why = read_outputs(d, c);
  int status = 0;
  if (why != NULL) kill(c->pid, SIGKILL);
  if (c->output.fd >= 0) close(c->output.fd);
  if (c->errors.fd >= 0) close(c->errors.fd);
  while (waitpid(c->pid, &status, 0) < 0)
    if (errno != EINTR)
      return refusal(r, "node %s: the command cannot be waited for: %s", r->node,
                     strerror(errno));
  if (why != NULL) return refusal(r, "node %s: %s", r->node, why);
  if (!WIFEXITED(status))
    return refusal(r, "node %s: the command was ended by signal %d", r->node,
                   WTERMSIG(status));
  return new_answer(r, WEXITSTATUS(status), c->output.text, c->errors.text);
}

/* Carrying out */

/* Sets [argv] to the command line for [r].  [rate] and [wait] have room for
   options. */
static void set_arguments(const struct control_request *r, const char *argv[],
                          char rate[40], char wait[40])
{
  size_t count = 0;
  argv[count++] = "eventring";
  argv[count++] = r->command;
  if (r->json) argv[count++] = "--json";
  if (r->quiet) argv[count++] = "--quiet";
  if (r->names) argv[count++] = "--names";
  snprintf(rate, 40, "--rate=%" PRId64, r->rate);
  if (r->rate > 0) argv[count++] = rate;
  snprintf(wait, 40, "--wait=%" PRId64 "ms", r->wait_ms);
  if (strcmp(r->command, "get") == 0) argv[count++] = wait;
  argv[count++] = "--";
  argv[count++] = RING_PATH;
  for (size_t i = 0; r->arguments[i] != NULL; i++)
    argv[count++] = r->arguments[i];
  argv[count] = NULL;
}

/* Runs the command for [r] on the ring file [ring]. */
static json_t *run_command_for(const struct control_desk *d,
                               const struct control_request *r, int ring)
{
  const char *argv[CONTROL_ARGUMENTS + 12];
  char rate[40], wait[40];
  struct child *c = allocate(1, sizeof *c);
  set_arguments(r, argv, rate, wait);
  const int error = start(c, (char *const *) argv, ring);
  json_t *answer = error == 0 ? finish(d, c, r)
                   : refusal(r, "node %s: cannot start the command: %s",
                             r->node, strerror(error));
  free(c);
  return answer;
}

static json_t *carry_out(void *state, const struct control_request *r)
{
  struct control_desk *d = state;
  struct followed_process process;
  const size_t found = look_up(d, r->process, &process);
  if (d->ending) return refusal(r, "node %s: the agent ends", r->node);
  if (found == 0)
    return refusal(r, "the agent of node %s records no process %s that runs",
                   r->node, r->process);
  if (found > 1)
    return refusal(r, "node %s has %zu processes %s; eventring ps --hub lists "
                   "their streams, and %s/STREAM is one", r->node, found,
                   r->process, r->node);
  const int ring = open_ring(&process);
  if (ring < 0)
    return refusal(r, "node %s: the ring file of process %s is gone", r->node,
                   r->process);
  json_t *answer = run_command_for(d, r, ring);
  close(ring);
  char line[MESSAGE_SIZE];
  snprintf(line, sizeof line, "control by the hub: %s of process %" PRId32
           "%s%.200s: exit code %d", r->command, process.pid,
           r->arguments[0] != NULL ? ", " : "",
           r->arguments[0] != NULL ? r->arguments[0] : "",
           (int) json_integer_value(json_object_get(answer, "status")));
  d->hands.say(line);
  return answer;
}

/* The desk */

struct control_desk *open_control_desk(void (*say)(const char *line))
{
  struct control_desk *d = allocate(1, sizeof *d);
  d->hands = (struct control_hands) { .carry_out = carry_out, .state = d,
                                      .say = say };
  /* An agent that ignores the ends of its children cannot wait for them. */
  signal(SIGCHLD, SIG_DFL);
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->changed, NULL);
  return d;
}

const struct control_hands *hands_of_desk(struct control_desk *d)
{
  return &d->hands;
}

void end_control_desk(struct control_desk *d)
{
  pthread_mutex_lock(&d->lock);
  d->ending = true;
  pthread_cond_signal(&d->changed);
  pthread_mutex_unlock(&d->lock);
}

void close_control_desk(struct control_desk *d)
{
  pthread_cond_destroy(&d->changed);
  pthread_mutex_destroy(&d->lock);
  free(d);
}
