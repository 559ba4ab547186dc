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
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common.h"
#include "json.h"
#include "runs/batch_part.h"
#include "runs/execute.h"
#include "runs/run_file.h"

/* Variables that name places of a machine.  The node keeps its own. */
static const char *const own_variables[] = { "PATH", "TMPDIR" };

/* Ends this program when nobody has the other end of standard input any more.
   Reads nothing.  The function of a thread. */
static void *watch_input(void *state)
{
  struct pollfd input = { STDIN_FILENO, POLLRDHUP, 0 };
  while (poll(&input, 1, -1) <= 0) ;
  kill(getpid(), SIGTERM);
  return state;
}

/* Starts the thread, which gets no signals.  Returns an error. */
static int start_watching(void)
{
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, NULL, watch_input, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) error = pthread_detach(thread);
  return error;
}

/* Puts the variables of this node into the environment of [plan]. */
static void keep_own_variables(json_t *plan)
{
  json_t *environment = json_object_get(plan, "environment");
  for (size_t i = 0; i < sizeof own_variables / sizeof *own_variables; i++) {
    const char *value = getenv(own_variables[i]);
    if (value != NULL)
      json_object_set_new(environment, own_variables[i], json_text(value));
    else json_object_del(environment, own_variables[i]);
  }
}

json_t *enter_part(struct part *part)
{
  json_error_t error;
  int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  part->out = out >= 0 ? fdopen(out, "w") : NULL;
  if (part->out == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    complain("cannot use standard output: %s", strerror(errno));
    return NULL;
  }
  json_t *plan = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &error);
  json_t *of = json_object_get(plan, "part");
  part->made = json_incref(json_object_get(of, "made"));
  part->first = (uint32_t) json_integer_value(json_object_get(of, "first"));
  part->step = (uint32_t) json_integer_value(json_object_get(of, "step"));
  int problem = part->first < part->step && getc(stdin) == '\n' ? start_watching()
                : EPROTO;
  if (problem == 0) {
    keep_own_variables(plan);
    return plan;
  }
  complain("standard input has no part of a batch, which eventring batch --on "
           "sends: %s", plan == NULL ? error.text : strerror(problem));
  json_decref(plan);
  fclose(part->out);
  part->out = NULL;
  return NULL;
}

bool is_own_round(const struct part *part, uint32_t round)
{
  return part->out == NULL || round % part->step == part->first;
}

bool has_made(const struct part *part, uint32_t number)
{
  char name[16];
  snprintf(name, sizeof name, "%" PRIu32, number);
  return json_object_get(part->made, name) != NULL;
}

bool send_plan(const struct part *part, const json_t *plan)
{
  char *text = dump_json(plan, JSON_COMPACT);
  bool good = fprintf(part->out, "plan %s\n", text) > 0
              && fflush(part->out) == 0;
  free(text);
  return good;
}

/* Sends the file [name] in [folder]. */
static bool send_file(const struct part *part, const char *folder,
                      const char *name)
{
  char path[PATH_MAX + NAME_MAX], bytes[65536];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool good = fd >= 0 && fstat(fd, &st) == 0
    && fprintf(part->out, "file %s %jd\n", name, (intmax_t) st.st_size) > 0;
  for (off_t left = good ? st.st_size : 0; good && left > 0; ) {
    ssize_t n = read(fd, bytes, sizeof bytes);
    good = n > 0 && n <= left
           && fwrite(bytes, 1, (size_t) n, part->out) == (size_t) n;
    left -= n;
  }
  if (fd >= 0) close(fd);
  return good;
}

bool send_run(const struct part *part, const char *folder, uint32_t number)
{
  char path[PATH_MAX], line[32], why[512] = "";
  uint32_t answer = 0;
  run_path(path, folder, number, "json");
  json_t *run = read_run(path, why, sizeof why);
  const json_t *recordings = json_object_get(json_object_get(run, "manifest"),
                                             "recordings");
  bool good = run != NULL;
  for (size_t i = 0; good && i < json_array_size(recordings); i++)
    good = send_file(part, folder, json_string_value(
      json_object_get(json_array_get(recordings, i), "file")));
  good = good && send_file(part, folder, strrchr(path, '/') + 1)
    && fprintf(part->out, "run %" PRIu32 "\n", number) > 0
    && fflush(part->out) == 0 && fgets(line, sizeof line, stdin) != NULL
    && sscanf(line, "%" SCNu32, &answer) == 1 && answer == number;
  json_decref(run);
  if (!good && !executions_stopped())
    complain("cannot send run %" PRIu32 " to the batch", number);
  remove_files(folder);
  return good;
}

void leave_part(struct part *part, int status, const char *folder)
{
  remove_files(folder);
  rmdir(folder);
  /* The batch ends standard input when it reads the end of this output. */
  signal(SIGTERM, SIG_IGN);
  if (status >= 0) fprintf(part->out, "end %d\n", status);
  fclose(part->out);
  json_decref(part->made);
  *part = (struct part) { .out = NULL };
}
