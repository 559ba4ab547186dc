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

/* A ring file is read where it is mapped.  When somebody cuts it, the kernel
   has nothing to show where the rest was, and says so with SIGBUS: there is no
   way to go on, but one to end with a word.  The library leaves signals to the
   program that it is in; this is for the command.

   /proc/self/maps has the name of the file on the line with the range of
   addresses that it is mapped to. */

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "common.h"
#include "sigbus.h"

/* The size of a line of /proc/self/maps, with a path of PATH_MAX. */
#define LINE 4200

/* Parses hexadecimal digits at *p, moves *p behind them, and returns their
   value. */
static uintptr_t take_hex(const char **p)
{
  uintptr_t n = 0;
  for (;; ++*p) {
    char c = **p;
    if (c >= '0' && c <= '9') n = n << 4 | (uintptr_t) (c - '0');
    else if (c >= 'a' && c <= 'f') n = n << 4 | (uintptr_t) (c - 'a' + 10);
    else return n;
  }
}

/* Returns the path in [line], a line of /proc/self/maps such as
   "7f2a1c000000-7f2a1c021000 r--s 00000000 00:2a 1234 /tmp/1.eventring".
   Returns NULL when the address [at] is not in the range of the line, or the
   range is not of a file. */
static const char *path_of(const char *line, uintptr_t at)
{
  uintptr_t first = take_hex(&line), end;
  if (*line++ != '-') return NULL;
  end = take_hex(&line);
  return at >= first && at < end ? strchr(line, '/') : NULL;
}

/* Returns the path of the file that is mapped at the address [at], as
   /proc/self/maps has it; NULL when there is none.  The path is in [line].
   Uses only functions that a handler of signals may call. */
static const char *mapped_at(uintptr_t at, char line[LINE])
{
  const char *path = NULL;
  size_t length = 0;
  char c;
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  while (path == NULL && fd >= 0 && read(fd, &c, 1) == 1) {
    if (c != '\n') {
      if (length < LINE - 1) line[length++] = c;
      continue;
    }
    line[length] = '\0';
    length = 0;
    path = path_of(line, at);
  }
  if (fd >= 0) close(fd);
  return path;
}

/* Writes [text] to standard error; ends the program at once if this fails. */
static void say(const char *text)
{
  if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(STATUS_CANNOT_READ);
}

static void (*volatile tidy_up)(void);
/* Of each thread: the signal of a fault comes to the thread that made it. */
static _Thread_local sigjmp_buf *volatile way_out;

bool unless_sigbus(void (*act)(void *state), void *state)
{
  sigjmp_buf here, *const outer = way_out;
  bool cut = sigsetjmp(here, 1) != 0;
  if (!cut) {
    way_out = &here;
    act(state);
  }
  way_out = outer;
  return !cut;
}

void before_sigbus_exit(void (*tidy)(void))
{
  tidy_up = tidy;
}

/* The handler of SIGBUS.  If a mapped file was cut shorter, returns to
   unless_sigbus or, outside of it, calls the function of before_sigbus_exit and
   ends the program with a message and STATUS_CANNOT_READ, without atexit
   functions.  For any other reason of the signal, restores the default action,
   and the signal ends the program.  Runs in several threads at a time when a
   file that they all read is cut. */
static void cut(int number, siginfo_t *info, void *context)
{
  char line[LINE];
  (void) context;
  if (info->si_code == BUS_ADRERR && way_out != NULL) siglongjmp(*way_out, 1);
  const char *path = info->si_code != BUS_ADRERR ? NULL
                     : mapped_at((uintptr_t) info->si_addr, line);
  if (path == NULL) {
    /* Not ours to explain.  It is blocked until this returns. */
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  for (char *p = line; *p != '\0'; p++)
    if ((unsigned char) *p < ' ' || *p == 127) *p = '?';
  if (tidy_up != NULL) tidy_up();
  say("eventring: ");
  say(path);
  say(": was cut shorter while it was read\n");
  _exit(STATUS_CANNOT_READ);
}

void catch_sigbus(void)
{
  struct sigaction action = { .sa_sigaction = cut, .sa_flags = SA_SIGINFO };
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, NULL);
}
