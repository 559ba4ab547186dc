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
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "capture.h"
#include "memory.h"

#define LONGEST_FILE ((size_t) 1 << 20)

/* Reads [fd] to its end, or [most] bytes, and closes it.  Returns the bytes
   with a NUL behind them, which the caller frees. */
static char *read_all(int fd, size_t most, size_t *size)
{
  size_t used = 0, room = 0;
  char *text = NULL;
  for (;;) {
    if (room - used < 2)
      text = reallocate(text, room = room == 0 ? 4096 : 2 * room, 1);
    size_t wanted = room - used - 1;
    if (wanted > most - used) wanted = most - used;
    ssize_t n = wanted == 0 ? 0 : read(fd, text + used, wanted);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    used += (size_t) n;
  }
  close(fd);
  text[used] = '\0';
  *size = used;
  return text;
}

/* Becomes the program [argv], which writes to [out] and, with [messages], to standard
   error.  Called in the child. */
static _Noreturn void become(const char *const argv[], const char *dir, int out,
                             bool messages)
{
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  /* Our program ignores them, or another one that ran it. */
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  if (null >= 0 && dup2(null, STDIN_FILENO) >= 0
      && (messages || dup2(null, STDERR_FILENO) >= 0)
      && dup2(out, STDOUT_FILENO) >= 0
      && chdir(dir) == 0 && setenv("LC_ALL", "C", 1) == 0)
    execvp(argv[0], (char *const *) argv);
  _exit(127);
}

/* Does the work of capture and, with [messages], of capture_with_messages. */
static char *output_of(const char *const argv[], const char *dir, size_t *size,
                       bool messages)
{
  int ends[2], status = -1;
  size_t length = 0;
  if (pipe2(ends, O_CLOEXEC) < 0) return NULL;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) become(argv, dir, ends[1], messages);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return NULL;
  }
  char *text = read_all(ends[0], SIZE_MAX, &length);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) ;
  if (size != NULL) *size = length;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text;
  free(text);
  return NULL;
}

char *capture(const char *const argv[], const char *dir, size_t *size)
{
  return output_of(argv, dir, size, false);
}

char *capture_with_messages(const char *const argv[], const char *dir)
{
  return output_of(argv, dir, NULL, true);
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
