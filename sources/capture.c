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
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "capture.h"
#include "memory.h"

#define LONGEST_FILE ((size_t) 1 << 20)

/* How often a stop is looked for, and how often a program that ends. */
#define POLL_MS 500
#define POLL_END_MS 10

/* The time, as a number of POLL_END_MS, after which a program that was to end is
   killed. */
#define END_POLLS 1000

/* Bytes that were read. */
struct bytes { char *text; size_t used, room; };

/* Reads from [fd] once, [most] bytes at most.  Returns the result of read. */
static ssize_t read_more(struct bytes *b, int fd, size_t most)
{
  if (b->room - b->used < 2)
    b->text = reallocate(b->text, b->room = b->room == 0 ? 4096 : 2 * b->room, 1);
  const size_t room = b->room - b->used - 1;
  ssize_t n = read(fd, b->text + b->used, room < most ? room : most);
  if (n > 0) b->used += (size_t) n;
  b->text[b->used] = '\0';
  return n;
}

/* Reads [fd] to its end, or [most] bytes, and closes it.  Returns the bytes
   with a NUL behind them, which the caller frees. */
static char *read_all(int fd, size_t most, size_t *size)
{
  struct bytes b = { .text = NULL };
  ssize_t n;
  do n = read_more(&b, fd, most - b.used);
  while (n > 0 || (n < 0 && errno == EINTR));
  close(fd);
  *size = b.used;
  return b.text;
}

/* Becomes the program [argv], which writes to [out] and its messages to the descriptor
   [messages], if it is not -1.  Called in the child. */
static _Noreturn void become(const char *const argv[], const char *dir, int out,
                             int messages)
{
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  sigset_t none;
  /* Our program ignores them, or another one that ran it. */
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  /* Our program may wait for signals that it blocks. */
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (null >= 0 && dup2(null, STDIN_FILENO) >= 0
      && dup2(messages >= 0 ? messages : null, STDERR_FILENO) >= 0
      && dup2(out, STDOUT_FILENO) >= 0
      && chdir(dir) == 0 && setenv("LC_ALL", "C.UTF-8", 1) == 0)
    execvp(argv[0], (char *const *) argv);
  _exit(127);
}

/* Starts the program [argv], as become describes, with its output in *out.  Returns its
   process, or -1. */
static pid_t start(const char *const argv[], const char *dir, int messages, int *out)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) become(argv, dir, ends[1], messages);
  close(ends[1]);
  if (pid < 0) close(ends[0]);
  *out = ends[0];
  return pid;
}

/* Returns [text] if a program ended with [status], of waitpid, and 0; else frees it and
   returns NULL. */
static char *good_text(char *text, int status)
{
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  free(text);
  return NULL;
}

char *capture(const char *const argv[], const char *dir, size_t *size)
{
  int out, status = -1;
  size_t length = 0;
  pid_t pid = start(argv, dir, -1, &out);
  if (pid < 0) return NULL;
  char *text = read_all(out, SIZE_MAX, &length);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) ;
  if (size != NULL) *size = length;
  return good_text(text, status);
}

/* Returns whether the process [pid] has exited.  Leaves its exit status. */
static bool has_exited(pid_t pid)
{
  siginfo_t info = { .si_pid = 0 };
  return waitid(P_PID, (id_t) pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0
         || info.si_pid != 0;
}

/* Reads [fd], the output of the process [pid], to its end or [most] bytes, until
   [stopped] returns true.  Another process may have the output, too. */
static void read_until(struct bytes *b, int fd, pid_t pid, size_t most,
                       bool (*stopped)(void))
{
  struct pollfd end = { fd, POLLIN, 0 };
  ssize_t n = 1;
  while (n != 0 && b->used < most && !stopped()) {
    const bool exited = has_exited(pid);
    if (poll(&end, 1, exited ? 0 : POLL_MS) > 0)
      n = read_more(b, fd, most - b->used);
    else if (exited) return;
    if (n < 0 && errno != EINTR) return;
  }
}

/* Returns the exit status of the process [pid].  When the process is not [wanted], or
   [stopped] returns true, ends it: at first by SIGTERM, then by SIGKILL. */
static int end_process(pid_t pid, bool wanted, bool (*stopped)(void))
{
  const struct timespec pause = { .tv_nsec = POLL_END_MS * 1000L * 1000 };
  int status = -1;
  for (int polls = 0; waitpid(pid, &status, WNOHANG) == 0; nanosleep(&pause, NULL)) {
    if (wanted && !stopped()) continue;
    if (polls == 0) kill(pid, SIGTERM);
    if (polls == END_POLLS) kill(pid, SIGKILL);
    polls++;
  }
  return status;
}

char *capture_with_messages(const char *const argv[], const char *dir, int messages,
                            size_t most, bool (*stopped)(void), size_t *size)
{
  struct bytes b = { .text = allocate(1, 1), .room = 1 };
  int out;
  pid_t pid = start(argv, dir, messages, &out);
  if (pid < 0) return good_text(b.text, -1);
  read_until(&b, out, pid, most + 1, stopped);
  close(out);
  *size = b.used;
  int status = end_process(pid, b.used <= most, stopped);
  if (b.used > most) return b.text;
  return good_text(b.text, stopped() ? -1 : status);
}

char *read_text_file(const char *path)
{
  size_t size;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NULL;
  char *text = read_all(fd, LONGEST_FILE, &size);
  while (size > 0 && isspace((unsigned char) text[size - 1]))
    text[--size] = '\0';
  return text;
}
