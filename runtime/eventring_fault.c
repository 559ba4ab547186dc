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

#define CAML_INTERNALS
#define _GNU_SOURCE

/* Errors that the system reports by a signal although the program must go on.

   When a mapped ring file is cut short, or its disk fails, the next access to
   the file raises SIGBUS: any probe's load of the control word, any store to a
   ring.  The handler looks at the address:

     in the control page     private memory takes its place, with a control
                             word of 0: tracing is off for every domain
     in a mapped ring file   likewise for the page that it is in, so that the
                             store is done when the handler returns, and for
                             the control page
     in a file that is read  likewise for the page; the reader finds nothing
                             there, or damage
     elsewhere               it is not ours: the handler that was installed
                             before gets it, or the program dies of it as it
                             would without us

   Other domains may be in the middle of an event: each fault is mended where
   it happens.  Nothing is read back from a lost page, so zeros do no harm.

   The handler is installed once, when tracing or reading first starts.  A
   handler that is installed later takes the signal, as usual.  Ours runs on the
   thread's signal stack, since OCaml code reads the control word on a fiber's,
   and needs little of it.

   SIGPIPE and SIGXFSZ come with an error of write or ftruncate; around ours
   they are held back, and the error is enough. */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "caml/eventring.h"

/* The mapped ring file, of the present session or of the last one.  Written
   under the session's lock. */
static struct {
  _Atomic(char *) base;         /* NULL: none */
  size_t size;
  atomic_int lost;
  size_t length;
  char line[PATH_MAX + 128];    /* the message if it is lost */
} file;

/* A mapped file that this process reads, by module Eventring.Cursor for
   example.  An entry is reused and never freed, so that the handler can walk
   the list at any moment. */
struct reading {
  struct reading *next;
  atomic_int used;
  _Atomic(char *) base;         /* NULL: none, or not yet */
  size_t size;
};
static _Atomic(struct reading *) readings;

static struct sigaction previous;

CAML_EVENTRING_COLD
void caml_eventring_hold_signals(sigset_t *before)
{
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGPIPE);
  sigaddset(&held, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &held, before);
}

CAML_EVENTRING_COLD
void caml_eventring_release_signals(const sigset_t *before)
{
  const struct timespec now = { 0, 0 };
  sigset_t held;
  sigemptyset(&held);
  /* Signals that the program blocks itself are its own. */
  if (!sigismember(before, SIGPIPE)) sigaddset(&held, SIGPIPE);
  if (!sigismember(before, SIGXFSZ)) sigaddset(&held, SIGXFSZ);
  while (sigtimedwait(&held, NULL, &now) > 0) { }
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Standard error as it was when the program started.  The program may close it
   and open another file, which then has its number. */
static struct {
  enum { NOT_ASKED, OPEN, CLOSED } state;
  dev_t dev;
  ino_t ino;
} standard_error;

void caml_eventring_note_stderr(void)
{
  struct stat st;
  /* Another error says nothing about the descriptor. */
  standard_error.state = NOT_ASKED;
  if (fstat(STDERR_FILENO, &st) != 0) {
    if (errno == EBADF) standard_error.state = CLOSED;
    return;
  }
  standard_error.state = OPEN;
  standard_error.dev = st.st_dev;
  standard_error.ino = st.st_ino;
}

/* Returns 1 if descriptor 2 is the same file as when the program started, or if
   caml_eventring_note_stderr could not tell which file that was; else 0, also
   if the descriptor was or is closed. */
static int is_standard_error(void)
{
  struct stat st;
  if (standard_error.state != OPEN) return standard_error.state == NOT_ASKED;
  if (fstat(STDERR_FILENO, &st) != 0) return errno != EBADF;
  return st.st_dev == standard_error.dev && st.st_ino == standard_error.ino;
}

CAML_EVENTRING_COLD
void caml_eventring_say(const char *line, size_t length)
{
  sigset_t before;
  if (!is_standard_error()) return;
  caml_eventring_hold_signals(&before);
  if (write(STDERR_FILENO, line, length) < 0) { /* nobody listens */ }
  caml_eventring_release_signals(&before);
}

CAML_EVENTRING_COLD
int caml_eventring_replace(char *at, size_t size)
{
  return mmap(at, size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
              -1, 0) == at;
}

CAML_EVENTRING_COLD
int caml_eventring_replace_page(void)
{
  return caml_eventring_replace(caml_eventring_page.page, EVENTRING_PAGE);
}

CAML_EVENTRING_COLD
void caml_eventring_session_lost(void)
{
  if (atomic_exchange(&file.lost, 1)) return;
  caml_eventring_replace_page();
  caml_eventring_say(file.line, file.length);
}

CAML_EVENTRING_COLD
void caml_eventring_session_closed(void)
{
  atomic_store(&file.lost, 1);
  caml_eventring_replace_page();
}

int caml_eventring_is_lost(void)
{
  return atomic_load(&file.lost);
}

/* Returns 1 if [at] is one of the [size] bytes at [base]; 0 if it is not, or if
   [base] is NULL. */
static int is_in(const char *at, const char *base, size_t size)
{
  return base != NULL && (uintptr_t) at - (uintptr_t) base < size;
}

/* Replaces the page that contains [at], of the mapping of [size] bytes at
   [base], by private memory of zeros.  Returns 1, or 0 on failure.  The memory
   ends with the mapping when the mapping ends within the page. */
CAML_EVENTRING_COLD
static int replace_around(const char *at, char *base, size_t size)
{
  size_t offset = at - base;
  offset -= offset % EVENTRING_PAGE;
  size_t rest = size - offset;
  return caml_eventring_replace(base + offset, rest < EVENTRING_PAGE
                                               ? rest : EVENTRING_PAGE);
}

/* Handles a fault at the address [at], if it is in the control page or in a
   guarded mapping: replaces the page by private memory of zeros.  For the
   control page or the session's ring file, also ends the session as lost, with
   a message.  Returns 1 when the access can be repeated; 0 when [at] is
   elsewhere or the system has no memory. */
CAML_EVENTRING_COLD
static int mend(const char *at)
{
  char *base = atomic_load(&file.base);
  if (base != NULL
      && is_in(at, caml_eventring_page.page, EVENTRING_PAGE)) {
    caml_eventring_session_lost();
    return caml_eventring_replace_page();
  }
  if (is_in(at, base, file.size)) {
    caml_eventring_session_lost();
    return replace_around(at, base, file.size);
  }
  for (struct reading *r = atomic_load(&readings); r != NULL; r = r->next) {
    base = atomic_load(&r->base);
    if (is_in(at, base, r->size)) return replace_around(at, base, r->size);
  }
  return 0;
}

/* Passes [signal] on to the handler that was installed before ours, with the
   arguments of our handler.  If the default action was in force, or a fault was
   ignored, restores the default action, so that the signal kills the process.
   Does nothing if the signal was ignored and comes from a process. */
CAML_EVENTRING_COLD
static void pass_on(int signal, siginfo_t *info, void *context)
{
  struct sigaction to = previous;
  int sent = info->si_code <= 0;        /* by a process, not by a fault */
  if (to.sa_flags & SA_RESETHAND) {
    previous.sa_flags = 0;
    previous.sa_handler = SIG_DFL;
  }
  if (to.sa_flags & SA_SIGINFO) {
    to.sa_sigaction(signal, info, context);
  } else if (to.sa_handler == SIG_DFL
             || (to.sa_handler == SIG_IGN && !sent)) {
    /* A fault comes again when we return, and cannot be ignored. */
    struct sigaction die = { .sa_handler = SIG_DFL };
    sigaction(signal, &die, NULL);
    if (sent) raise(signal);
  } else if (to.sa_handler != SIG_IGN) {
    to.sa_handler(signal);
  }
}

/* Handles SIGBUS: repairs a fault in one of our mappings, and passes any other
   SIGBUS on, including one sent by a process.  Leaves errno unchanged when it
   repairs a fault. */
CAML_EVENTRING_COLD
static void bus_error(int signal, siginfo_t *info, void *context)
{
  int err = errno;
  int mended = info->si_code > 0 && mend(info->si_addr);
  errno = err;
  if (!mended) pass_on(signal, info, context);
}

/* Installs [bus_error] as the handler of SIGBUS, and keeps the earlier handler
   in [previous]; no effect when it has been installed once.  Returns 0 or an
   errno; after an error the next call tries again. */
CAML_EVENTRING_COLD
static int install(void)
{
  static atomic_int installed;
  if (atomic_exchange(&installed, 1)) return 0;
  struct sigaction ours;
  if (sigaction(SIGBUS, NULL, &previous) == 0) {
    ours = previous;
    ours.sa_sigaction = bus_error;
    ours.sa_flags &= ~SA_RESETHAND;
    ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    if (sigaction(SIGBUS, &ours, NULL) == 0) return 0;
  }
  int err = errno;
  atomic_store(&installed, 0);
  return err;
}

CAML_EVENTRING_COLD
int caml_eventring_guard(char *base, size_t size, const char *path)
{
  int err = install();
  if (err != 0) return err;
  file.size = size;
  file.length = snprintf(file.line, sizeof(file.line), "eventring: the ring"
                         " file %s was cut short, or its disk failed; tracing"
                         " is off\n", path);
  atomic_store(&file.lost, 0);
  atomic_store(&file.base, base);
  return 0;
}

CAML_EVENTRING_COLD
void caml_eventring_unguard(void)
{
  atomic_store(&file.base, NULL);
  atomic_store(&file.lost, 0);
}

/* Returns an entry of the list [readings] that was not in use, and marks it as
   in use, with [base] NULL; adds an entry to the list if all are in use.
   Returns NULL when out of memory. */
CAML_EVENTRING_COLD
static struct reading *take_reading(void)
{
  struct reading *r = atomic_load(&readings), *first = r;
  for (; r != NULL; r = r->next)
    if (!atomic_load(&r->used) && !atomic_exchange(&r->used, 1)) return r;
  r = calloc(1, sizeof(*r));
  if (r == NULL) return NULL;
  r->used = 1;
  /* A handler that sees the entry sees the rest of the list behind it. */
  do r->next = first;
  while (!atomic_compare_exchange_weak(&readings, &first, r));
  return r;
}

CAML_EVENTRING_COLD
int caml_eventring_guard_reading(char *base, size_t size)
{
  struct reading *r = take_reading();
  if (r == NULL) return ENOMEM;
  r->size = size;
  atomic_store(&r->base, base);
  return install();
}

CAML_EVENTRING_COLD
void caml_eventring_unguard_reading(char *base)
{
  for (struct reading *r = atomic_load(&readings); r != NULL; r = r->next)
    if (atomic_load(&r->base) == base) {
      atomic_store(&r->base, NULL);
      atomic_store(&r->used, 0);
      return;
    }
}

CAML_EVENTRING_COLD
void caml_eventring_complain(const char *format, ...)
{
  char line[PATH_MAX + 256];
  va_list args;
  va_start(args, format);
  int length = snprintf(line, sizeof(line), "eventring: ");
  length += vsnprintf(line + length, sizeof(line) - length, format, args);
  va_end(args);
  /* A longer line is cut. */
  if (length > (int) sizeof(line) - 1) length = sizeof(line) - 1;
  line[length] = '\n';
  caml_eventring_say(line, length + 1);
}
