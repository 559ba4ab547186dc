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

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common.h"
#include "files.h"
#include "json.h"
#include "runs/backend.h"
#include "runs/batch.h"
#include "runs/batch_nodes.h"
#include "runs/execute.h"
#include "runs/run_file.h"
#include "statistics.h"

/* The longest line of a node, which has the facts about its programs, and the
   longest of its messages that is shown. */
#define LONGEST_LINE ((size_t) 64 << 20)
#define LONGEST_MESSAGE 600

/* The time in which a command must end after Ctrl-C or after its output has ended, how
   often Ctrl-C is looked for, and how often a command that ends. */
#define END_NS (INT64_C(10) * 1000 * 1000 * 1000)
#define POLL_MS 500
#define POLL_END_MS 10

/* The members `nodes` and `on` */

/* Returns the seed of the node [name], below 2^32 as all seeds of a batch. */
static json_int_t node_seed(const char *name, uint64_t seed)
{
  char sum[CHECKSUM_SIZE];
  checksum_bytes(name, strlen(name), sum);
  struct generator g = { seed ^ strtoull(sum, NULL, 16) };
  return (json_int_t) (generate(&g) >> 32);
}

json_t *new_nodes(const json_t *names, uint64_t seed)
{
  json_t *nodes = json_array();
  for (size_t i = 0; i < json_array_size(names); i++) {
    const char *name = json_string_value(json_array_get(names, i));
    json_array_append_new(nodes, json_pack("{s:s, s:I}", "name", name, "seed",
                                           node_seed(name, seed)));
  }
  return nodes;
}

/* Returns whether [node] is a node of a batch of so many [commands]. */
static bool is_node(const json_t *node, size_t commands)
{
  const char *name = json_string_value(json_object_get(node, "name"));
  const json_t *machine = json_object_get(node, "machine"),
    *facts = json_object_get(node, "commands");
  return name != NULL && is_batch_node(name)
         && json_is_integer(json_object_get(node, "seed"))
         && (machine == NULL || json_is_object(machine))
         && (facts == NULL
             || (json_is_array(facts) && json_array_size(facts) == commands));
}

bool are_nodes(const json_t *batch)
{
  const json_t *nodes = json_object_get(batch, "nodes");
  const size_t count = json_array_size(nodes),
    commands = json_array_size(json_object_get(batch, "commands"));
  if (nodes == NULL) return true;
  if (count == 0 || count > BATCH_NODES || !json_is_string(json_object_get(batch, "on")))
    return false;
  json_t *names = json_object();
  for (size_t i = 0; i < count && is_node(json_array_get(nodes, i), commands); i++)
    json_object_set_new(names, json_string_value(json_object_get(
      json_array_get(nodes, i), "name")), json_true());
  const bool good = json_object_size(names) == count;
  json_decref(names);
  return good;
}

/* A node at work */

struct node {
  const struct batch_on_nodes *of;
  json_t *facts;                  /* in `nodes` */
  const char *name;
  uint32_t place;                 /* from 0 */
  uint64_t missing;               /* runs up to the limit of the batch, if it has one */
  json_t *made;                   /* see batch_part.h */
  pid_t pid;                      /* 0: it has ended */
  int in, out, err;               /* of its command; -1: closed */
  char *line;                     /* of its output, so far */
  size_t length, room;
  char *queue;                    /* for its input: the bytes from [written] on */
  size_t written, queued, queue_room;
  int file;                       /* that it sends; -1: none */
  uint64_t left;                  /* bytes of this file */
  uint32_t number;                /* of the run that it sends; 0: none */
  char message[LONGEST_MESSAGE];  /* the line of its messages, so far */
  size_t message_length;
  int64_t closed_ns;              /* when its command was to end; 0: not yet */
  bool greeted, ended;
  enum status status;
};

/* Prints the message of [n]. */
__attribute__((format(printf, 2, 3)))
static void complain_of(const struct node *n, const char *format, ...)
{
  char text[LONGEST_MESSAGE + 200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  n->of->before_message(n->of->state);
  complain("node %s: %s", n->name, text);
}

static void close_end(int *fd)
{
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Ends the command of [n]: its part fails with [status]. */
static void give_up(struct node *n, enum status status)
{
  if (n->status < status) n->status = status;
  n->ended = true;
  /* Before the pipes are closed, so that the part does not complain of these. */
  kill(-n->pid, SIGTERM);
  close_end(&n->in);
  close_end(&n->out);
}

/* Writes as much of the queue of [n] as its standard input takes without waiting.  A
   node that has closed it ends soon, which is noticed then. */
static void write_queue(struct node *n)
{
  while (n->in >= 0 && n->written < n->queued) {
    ssize_t written = write(n->in, n->queue + n->written, n->queued - n->written);
    if (written >= 0) n->written += (size_t) written;
    else if (errno == EAGAIN) return;
    else if (errno != EINTR) close_end(&n->in);
  }
  n->queued = n->written = 0;
}

/* Writes [text] to the standard input of [n], now or when the node reads it. */
static void tell(struct node *n, const char *text)
{
  const size_t length = strlen(text);
  while (n->queue_room < n->queued + length)
    n->queue = reallocate(n->queue, n->queue_room = 2 * n->queue_room + 4096, 1);
  memcpy(n->queue + n->queued, text, length);
  n->queued += length;
  write_queue(n);
}

/* The folder of this program is the last in PATH. */
static const char script[] =
  "cd \"$1\" && PATH=$PATH:$2 && export PATH && eventring --version && "
  "exec eventring batch --continue=-";

/* Becomes the command [argv] of a node with these ends of pipes.  Called in the
   child.  It gets SIGTERM when this program is killed. */
static _Noreturn void become_command(char **argv, int in, int out, int err,
                                     pid_t parent)
{
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  restore_write_signals();
  if (getppid() == parent && dup2(in, STDIN_FILENO) >= 0
      && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
    execvp(argv[0], argv);
  dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
  _exit(127);
}

/* Starts the command of [n].  Returns false, with a message, when that fails. */
static bool start_node(struct node *n)
{
  const json_t *batch = n->of->batch;
  const char *directory = json_string_value(json_object_get(
    json_array_get(json_object_get(batch, "commands"), 0), "directory"));
  char own[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  own[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(own, '/');
  if (slash != NULL) *slash = '\0';
  char **argv = backend_command(
    json_string_value(json_object_get(batch, "on")), n->name,
    (const char *const[]) { "sh", "-c", script, "sh", directory, own, NULL });
  int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
  bool good = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0
              && pipe2(err, O_CLOEXEC) == 0 && fcntl(in[1], F_SETFL, O_NONBLOCK) == 0;
  fflush(NULL);
  pid_t parent = getpid(), pid = good ? fork() : -1;
  if (pid == 0) become_command(argv, in[0], out[1], err[1], parent);
  if (pid < 0) complain_of(n, "cannot start a process: %s", strerror(errno));
  else setpgid(pid, pid);
  free_words(argv);
  close_end(&in[0]);
  close_end(&out[1]);
  close_end(&err[1]);
  n->in = in[1];
  n->out = out[0];
  n->err = err[0];
  n->pid = pid > 0 ? pid : 0;
  return pid > 0;
}

/* Sends the plan of the part of [n]. */
static void send_part(struct node *n)
{
  static const char *const facts[] = { "seed", "machine", "commands" };
  json_t *plan = json_copy(n->of->batch);
  json_object_del(plan, "nodes");
  json_object_del(plan, "on");
  json_object_del(plan, "machine");
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    json_t *value = json_object_get(n->facts, facts[i]);
    if (value != NULL) json_object_set(plan, facts[i], value);
  }
  json_object_set_new(plan, "node", json_string(n->name));
  json_object_set_new(plan, "shows_output", json_boolean(n->of->shows_output));
  json_object_set_new(plan, "part", json_pack(
    "{s:I, s:I, s:O}", "first", (json_int_t) n->place, "step", (json_int_t)
    json_array_size(json_object_get(n->of->batch, "nodes")), "made", n->made));
  char *text = dump_json(plan, JSON_COMPACT);
  tell(n, text);
  tell(n, "\n");
  free(text);
  json_decref(plan);
}

/* The output of a node */

/* Returns the number of rounds of [batch] when a number of runs limits it, else of the
   most that a batch can have. */
static uint32_t most_rounds(const json_t *batch)
{
  const uint32_t runs = batch_limits(batch).runs, most = BATCH_RUNS
    / (uint32_t) json_array_size(json_object_get(batch, "commands"));
  return runs > 0 && runs < most ? runs : most;
}

/* Returns whether a number of runs is the only limit of [batch]: a node that makes less
   has failed. */
static bool has_fixed_runs(const json_t *batch)
{
  const struct batch_limits limits = batch_limits(batch);
  return limits.runs > 0 && limits.time_ns <= 0 && limits.precision <= 0;
}

/* Returns whether [n] may send the run [number]: a run of its part that the batch
   does not have. */
static bool may_send(const struct node *n, uint32_t number)
{
  char path[PATH_MAX];
  const json_t *batch = n->of->batch;
  const size_t commands = json_array_size(json_object_get(batch, "commands")),
    nodes = json_array_size(json_object_get(batch, "nodes"));
  run_path(path, n->of->folder, number, "json");
  return number > 0 && (number - 1) / commands < most_rounds(batch)
         && (number - 1) / commands % nodes == n->place
         && access(path, F_OK) < 0 && errno == ENOENT;
}

/* Returns the number of the run that has a recording [name], NNNNNN.evr or, of a child,
   NNNNNN.2.evr and so on; 0 for another name. */
static uint32_t number_of_recording(const char *name)
{
  char json[16];
  const size_t digits = strspn(name, "0123456789");
  const char *rest = name + digits;
  if (digits < 6 || digits > 9) return 0;
  snprintf(json, sizeof json, "%.*s.json", (int) digits, name);
  if (rest[0] == '.' && rest[1] >= '1' && rest[1] <= '9') {
    const size_t more = strspn(rest + 1, "0123456789");
    if (more == 1 && rest[1] == '1') return 0;
    rest += 1 + more;
  }
  return strcmp(rest, ".evr") == 0 ? run_number(json) : 0;
}

/* Returns the number of the run that has a file [name], and 0 for another name. */
static uint32_t number_of_file(const char *name)
{
  const uint32_t number = run_number(name);
  return number != 0 ? number : number_of_recording(name);
}

/* Begins the file that the line "file NAME BYTES" announces. */
static bool begin_file(struct node *n, const char *name, uint64_t bytes)
{
  char path[PATH_MAX + NAME_MAX];
  const uint32_t number = number_of_file(name);
  if (!may_send(n, number) || (n->number != 0 && n->number != number))
    return false;
  making_path(path, n->of->folder);
  const size_t length = strlen(path);
  snprintf(path + length, sizeof path - length, "/%s", name);
  n->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  n->number = number;
  n->left = bytes;
  if (n->file >= 0) return true;
  complain_of(n, "cannot write %s: %s", path, strerror(errno));
  give_up(n, STATUS_CANNOT_WRITE);
  return true;
}

/* Writes [size] bytes to the file that [n] sends. */
static void write_file_part(struct node *n, const char *bytes, size_t size)
{
  while (size > 0) {
    ssize_t written = write(n->file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      complain_of(n, "cannot write a run in %s: %s", n->of->folder,
                  strerror(errno));
      give_up(n, STATUS_CANNOT_WRITE);
      return;
    }
    bytes += written;
    size -= (size_t) written;
    n->left -= (uint64_t) written;
  }
}

/* The function of check_run: copies the first finding to the text [state], of 512
   bytes. */
static void note_finding(void *state, const char *what)
{
  char *why = state;
  if (*why == '\0') snprintf(why, 512, "%s", what);
}

/* Returns whether the member `run` of a run, [process], is the run that the plan of [n]
   has for its number. */
static bool is_planned_run(const struct node *n, const json_t *process)
{
  const json_t *commands = json_object_get(n->of->batch, "commands");
  const uint32_t count = (uint32_t) json_array_size(commands), command = planned_command(
    (uint64_t) json_integer_value(json_object_get(n->facts, "seed")), count, n->number);
  const char *node = json_string_value(json_object_get(process, "node"));
  return json_integer_value(json_object_get(process, "number")) == n->number
    && json_integer_value(json_object_get(process, "round"))
       == (n->number - 1) / count + 1
    && json_integer_value(json_object_get(process, "command")) == command + 1
    && json_equal(json_object_get(process, "label"),
                  json_object_get(json_array_get(commands, command), "label"))
    && node != NULL && strcmp(node, n->name) == 0;
}

/* Returns whether [recordings] have names of the run [number], each once; else the
   reason is in [why]. */
static bool are_recordings(const json_t *recordings, uint32_t number, char why[512])
{
  json_t *names = json_object();
  const char *problem = NULL;
  for (size_t i = 0; i < json_array_size(recordings) && problem == NULL; i++) {
    const char *file = json_string_value(
      json_object_get(json_array_get(recordings, i), "file"));
    if (file == NULL || number_of_recording(file) != number)
      problem = "it has a recording of another name";
    else if (json_object_get(names, file) != NULL)
      problem = "it has a recording twice";
    else json_object_set_new(names, file, json_true());
  }
  json_decref(names);
  if (problem != NULL) snprintf(why, 512, "%s", problem);
  return problem == NULL;
}

/* Returns whether [run], in .making, is the run that the plan of [n] has for its
   number, and its files came as they were sent; else the reason is in [why]. */
static bool is_as_planned(const struct node *n, const json_t *run,
                          const char *path, char why[512])
{
  char text[512] = "";
  if (!is_planned_run(n, json_object_get(run, "run"))) {
    snprintf(why, 512, "it is another run");
    return false;
  }
  return are_recordings(json_object_get(json_object_get(run, "manifest"), "recordings"),
                        n->number, why)
         && check_run(path, note_finding, why, text, sizeof text) == 0;
}

/* Keeps the run that [n] has sent, and tells the node so. */
static void keep_run(struct node *n)
{
  char making[PATH_MAX], path[PATH_MAX + 16], why[512] = "", answer[16];
  making_path(making, n->of->folder);
  run_path(path, making, n->number, "json");
  json_t *run = read_run(path, why, sizeof why);
  if (run == NULL || !is_as_planned(n, run, path, why)) {
    complain_of(n, "run %" PRIu32 " cannot be kept: %s", n->number, why);
    give_up(n, STATUS_CANNOT_READ);
  } else if (!publish_run(n->of->folder, n->number, json_object_get(
               json_object_get(run, "manifest"), "recordings")))
    give_up(n, STATUS_CANNOT_WRITE);
  else {
    snprintf(answer, sizeof answer, "%" PRIu32 "\n", n->number);
    n->number = 0;
    n->missing--;
    n->of->kept(n->of->state, json_object_get(run, "run"));
    tell(n, answer);
  }
  json_decref(run);
}

/* Keeps the facts of the plan in [text], which a node completes once. */
static bool take_plan(struct node *n, const char *text)
{
  json_t *plan = json_loads(text, JSON_REJECT_DUPLICATES, NULL),
    *machine = json_object_get(plan, "machine"),
    *commands = json_object_get(plan, "commands");
  const bool good = json_is_object(machine) && json_array_size(commands)
    == json_array_size(json_object_get(n->of->batch, "commands"));
  if (good && json_object_get(n->facts, "machine") == NULL) {
    json_object_set(n->facts, "machine", machine);
    json_object_set(n->facts, "commands", commands);
    if (!n->of->save(n->of->state)) give_up(n, STATUS_CANNOT_WRITE);
  }
  json_decref(plan);
  return good;
}

/* Takes the first line of [n], by which its eventring says its version. */
static void take_greeting(struct node *n, const char *line)
{
  char own[64];
  snprintf(own, sizeof own, "eventring %s", eventring_reader_version());
  n->greeted = strcmp(line, own) == 0;
  if (n->greeted) {
    send_part(n);
    return;
  }
  if (strncmp(line, own, strlen("eventring ")) == 0)
    complain_of(n, "it has '%.60s', and this is '%s'; install the same version",
                line, own);
  else
    complain_of(n, "unexpected answer '%.60s'; before eventring runs there, nothing may "
                "print to standard output, such as a file that a shell reads", line);
  give_up(n, STATUS_CANNOT_READ);
}

/* Notes that the part of [n] ended with [status].  Another process on the node may keep
   the output open. */
static void end_part(struct node *n, enum status status)
{
  n->ended = true;
  if (status == STATUS_OK && n->missing > 0 && has_fixed_runs(n->of->batch)) {
    complain_of(n, "its part ended without %" PRIu64 " of its runs; eventring batch "
                "--continue=%s makes them", n->missing, n->of->folder);
    status = STATUS_CANNOT_READ;
  }
  if (n->status < status) n->status = status;
  close_end(&n->in);
  close_end(&n->out);
}

/* Takes a [line] of [n] that is complete. */
static void take_line(struct node *n, char *line)
{
  char name[32];
  uint64_t bytes;
  uint32_t number;
  int status;
  bool good = false;
  if (!n->greeted) {
    take_greeting(n, line);
    return;
  }
  if (strncmp(line, "plan ", 5) == 0) good = take_plan(n, line + 5);
  else if (sscanf(line, "file %31s %" SCNu64, name, &bytes) == 2)
    good = begin_file(n, name, bytes);
  else if (sscanf(line, "run %" SCNu32, &number) == 1 && number > 0
           && number == n->number) {
    good = true;
    keep_run(n);
  } else if (sscanf(line, "end %d", &status) == 1 && status >= STATUS_OK
             && status <= STATUS_CANNOT_WRITE) {
    good = true;
    end_part(n, (enum status) status);
  }
  if (good) return;
  complain_of(n, "unexpected answer '%.60s'", line);
  give_up(n, STATUS_CANNOT_READ);
}

/* Takes [size] bytes of the output of [n]. */
static void take_output(struct node *n, const char *bytes, size_t size)
{
  while (size > 0 && n->out >= 0) {
    if (n->file >= 0) {
      const size_t some = n->left < size ? (size_t) n->left : size;
      write_file_part(n, bytes, some);
      bytes += some;
      size -= some;
    } else {
      const char *end = memchr(bytes, '\n', size);
      const size_t some = end != NULL ? (size_t) (end - bytes) : size;
      while (n->room < n->length + some + 1)
        n->line = reallocate(n->line, n->room = 2 * n->room + 4096, 1);
      memcpy(n->line + n->length, bytes, some);
      n->line[n->length += some] = '\0';
      bytes += some + (end != NULL);
      size -= some + (end != NULL);
      if (end == NULL && n->length <= LONGEST_LINE) return;
      n->length = 0;
      take_line(n, n->line);
    }
    if (n->file >= 0 && n->left == 0) close_end(&n->file);
  }
}

/* Messages and the end */

/* Returns the message of [n] without the name of this program; "" for none. */
static const char *message_of(const struct node *n)
{
  static const char prefix[] = "eventring: ";
  const size_t length = sizeof prefix - 1;
  return strncmp(n->message, prefix, length) == 0 ? n->message + length
                                                  : n->message;
}

/* Prints the message of [n], if it has one. */
static void show_message(struct node *n)
{
  if (n->message_length > 0) {
    n->of->before_message(n->of->state);
    note("node %s: %s", n->name, message_of(n));
  }
  n->message_length = 0;
  n->message[0] = '\0';
}

/* Takes [size] bytes of the messages of [n], and shows each line that is complete. */
static void take_messages(struct node *n, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] == '\n') show_message(n);
    else if (bytes[i] != '\r' && n->message_length + 1 < sizeof n->message) {
      n->message[n->message_length++] = bytes[i];
      n->message[n->message_length] = '\0';
    }
  }
}

/* Reads from [fd] once, and gives the bytes to [take].  Closes it at its end.  Returns
   the number of bytes. */
static size_t read_from(struct node *n, int *fd,
                        void (*take)(struct node *n, const char *bytes, size_t size))
{
  char bytes[65536];
  ssize_t got = read(*fd, bytes, sizeof bytes);
  if (got > 0) take(n, bytes, (size_t) got);
  else if (got == 0 || errno != EINTR) close_end(fd);
  return got > 0 ? (size_t) got : 0;
}

/* Reads the bytes that are in [fd] now, gives them to [take], and closes it. */
static void read_rest(struct node *n, int *fd,
                      void (*take)(struct node *n, const char *bytes, size_t size))
{
  int bytes = 0;
  if (*fd >= 0 && ioctl(*fd, FIONREAD, &bytes) < 0) bytes = 0;
  for (size_t left = (size_t) bytes; *fd >= 0 && left > 0; ) {
    const size_t got = read_from(n, fd, take);
    left -= got < left ? got : left;
  }
  close_end(fd);
}

/* Says that the command of [n] ended with [how], of waitpid, before its part did. */
static void explain_end(struct node *n, int how)
{
  complain_of(n, "it ended too early: %s %d; eventring batch --continue=%s makes its "
              "other runs", WIFEXITED(how) ? "exit code" : "signal",
              WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how), n->of->folder);
  n->status = STATUS_CANNOT_READ;
}

/* Returns whether the command of [n] has exited.  Leaves its exit status. */
static bool has_exited(const struct node *n)
{
  siginfo_t info = { .si_pid = 0 };
  return waitid(P_PID, (id_t) n->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0
         || info.si_pid != 0;
}

/* Takes the last output of [n] after its command has exited.  Another process may still
   have the other ends of the pipes. */
static void finish_node(struct node *n)
{
  int how = 0;
  read_rest(n, &n->err, take_messages);
  read_rest(n, &n->out, take_output);
  show_message(n);
  waitpid(n->pid, &how, 0);
  n->pid = 0;
  if (!n->ended && !executions_stopped()) explain_end(n, how);
  close_end(&n->in);
  close_end(&n->file);
}

/* Has the command of [n] end: at first by the end of its input, after END_NS by
   SIGKILL. */
static void end_command(struct node *n)
{
  const int64_t now = monotonic_ns();
  if (n->closed_ns == 0) n->closed_ns = now;
  close_end(&n->in);
  if (now - n->closed_ns <= END_NS) return;
  close_end(&n->out);
  close_end(&n->err);
  kill(-n->pid, SIGKILL);
}

/* The loop */

/* A list of nodes at work. */
struct nodes { struct node *list; size_t count; };

/* The function of visit_runs: adds a run to the made ones of its node. */
static void add_made(void *state, uint32_t number, json_t *run, const char *why)
{
  const struct nodes *nodes = state;
  const size_t commands = json_array_size(json_object_get(
    nodes->list[0].of->batch, "commands"));
  char name[16];
  json_t *some = json_object();
  static const char *const members[] = { "command", "wall_ns", "failed" };
  (void) why;
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    json_t *value = json_object_get(run, members[i]);
    if (value != NULL) json_object_set(some, members[i], value);
  }
  snprintf(name, sizeof name, "%" PRIu32, number);
  struct node *n = &nodes->list[(number - 1) / commands % nodes->count];
  json_object_set_new(n->made, name, some);
  if ((number - 1) / commands < most_rounds(n->of->batch)) n->missing--;
}

/* Returns the nodes of [batch], which are not started. */
static struct nodes new_node_list(const struct batch_on_nodes *batch)
{
  json_t *all = json_object_get(batch->batch, "nodes");
  struct nodes nodes = { .count = json_array_size(all) };
  const uint64_t rounds = most_rounds(batch->batch),
    commands = json_array_size(json_object_get(batch->batch, "commands"));
  nodes.list = allocate(nodes.count, sizeof *nodes.list);
  for (size_t i = 0; i < nodes.count; i++) {
    json_t *facts = json_array_get(all, i);
    nodes.list[i] = (struct node) {
      .of = batch, .facts = facts, .place = (uint32_t) i,
      .missing = (rounds + nodes.count - 1 - i) / nodes.count * commands,
      .name = json_string_value(json_object_get(facts, "name")),
      .made = json_object(), .in = -1, .out = -1, .err = -1, .file = -1
    };
  }
  visit_runs(batch->folder, add_made, &nodes);
  return nodes;
}

/* The places of the ends of a node in the list for poll. */
enum { WAIT_IN, WAIT_OUT, WAIT_ERR, WAITS };

/* Sets the [ends] of [n] for poll. */
static void set_ends(const struct node *n, struct pollfd ends[WAITS])
{
  ends[WAIT_IN] = (struct pollfd) { n->queued > 0 ? n->in : -1, POLLOUT, 0 };
  ends[WAIT_OUT] = (struct pollfd) { n->out, POLLIN, 0 };
  ends[WAIT_ERR] = (struct pollfd) { n->err, POLLIN, 0 };
}

/* Waits until nodes have written something or read from their input, and goes on with
   these.  Returns whether a node is at work. */
static bool take_some(struct nodes *nodes, struct pollfd *ends)
{
  bool at_work = false;
  int wait_ms = POLL_MS;
  for (size_t i = 0; i < nodes->count; i++) {
    struct node *n = &nodes->list[i];
    at_work |= n->pid > 0;
    if (n->pid > 0 && (n->out < 0 || executions_stopped())) {
      end_command(n);
      wait_ms = POLL_END_MS;
    }
    set_ends(n, ends + WAITS * i);
  }
  if (!at_work || poll(ends, WAITS * nodes->count, wait_ms) < 0) return at_work;
  for (size_t i = 0; i < nodes->count; i++) {
    struct node *n = &nodes->list[i];
    const struct pollfd *of = ends + WAITS * i;
    if (of[WAIT_ERR].revents != 0) read_from(n, &n->err, take_messages);
    if (of[WAIT_OUT].revents != 0) read_from(n, &n->out, take_output);
    if (of[WAIT_IN].revents != 0) write_queue(n);
    if (n->pid > 0 && has_exited(n)) finish_node(n);
  }
  return true;
}

enum status make_on_nodes(const struct batch_on_nodes *batch)
{
  struct nodes nodes = new_node_list(batch);
  struct pollfd *ends = allocate(WAITS * nodes.count, sizeof *ends);
  enum status status = STATUS_OK;
  raise_descriptor_limit();
  for (size_t i = 0; i < nodes.count; i++)
    if (!start_node(&nodes.list[i])) nodes.list[i].status = STATUS_CANNOT_READ;
  while (take_some(&nodes, ends)) ;
  discard_making(batch->folder);
  for (size_t i = 0; i < nodes.count; i++) {
    if (status < nodes.list[i].status) status = nodes.list[i].status;
    json_decref(nodes.list[i].made);
    free(nodes.list[i].line);
    free(nodes.list[i].queue);
  }
  free(nodes.list);
  free(ends);
  return executions_stopped() ? STATUS_OK : status;
}
