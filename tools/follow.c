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

#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <signal.h>
#include <unistd.h>
#include "follow.h"
#include "hub_target.h"

static volatile sig_atomic_t interrupted = 0;   /* by this signal */

/* The handler of SIGINT and SIGTERM: records the signal for interrupted_by. */
static void interrupt(int signal)
{
  interrupted = signal;
}

int interrupted_by(void)
{
  return interrupted;
}

/* Installs the handler of SIGINT and SIGTERM.  SA_RESTART keeps a signal from
   failing a write in progress (nanosleep ends all the same); SA_RESETHAND lets
   a second signal end a program that blocks on its output. */
void catch_interrupts(void)
{
  struct sigaction action = { .sa_handler = interrupt,
                              .sa_flags = SA_RESTART | (int) SA_RESETHAND };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

static bool is_interrupted(void)
{
  return interrupted != 0;
}

static void print_problem(void *state, const struct source *source, bool failed,
                          const char *what)
{
  (void) state;
  (void) failed;
  complain("%s: %s", source->name != NULL ? source->name
                                          : shown_path(source->cursor), what);
}

/* Prints a note that the process of [cursor] is followed, if the process runs
   and standard error is a terminal. */
static void tell_of_following(struct eventring_cursor *cursor)
{
  if (isatty(STDERR_FILENO)
      && eventring_state(cursor) == EVENTRING_STATE_RUNNING)
    note("following process %" PRIu32 " until it ends; Ctrl-C stops",
         target_info(cursor).pid);
}

/* Prints a note when the stream of [cursor] has further processes. */
static void tell_of_others(struct eventring_cursor *cursor)
{
  const struct eventring_info info = target_info(cursor);
  if (info.format == EVENTRING_FORMAT_STREAM && info.processes > 1)
    note("%s: has %" PRIu32 " processes, and only the first was read; a file "
         "can be read process by process", shown_path(cursor), info.processes);
}

enum status read_sources(const struct source *sources, int count,
                         const struct reading *reading)
{
  struct reading all = *reading;
  all.note = note_text;
  all.go_on = remember_input;
  all.stop = is_interrupted;
  if (all.problem == NULL) all.problem = print_problem;
  if (all.follow) catch_interrupts();
  for (int i = 0; i < count; i++) {
    if (target_info(sources[i].cursor).format == EVENTRING_FORMAT_STREAM)
      catch_interrupts();
    if (all.follow) tell_of_following(sources[i].cursor);
  }
  const bool good = read_merged(sources, count, &all);
  for (int i = 0; i < count; i++) tell_of_others(sources[i].cursor);
  return good ? STATUS_OK : STATUS_CANNOT_READ;
}

enum status read_events(struct eventring_cursor *cursor,
                        const struct reading *reading)
{
  struct source source = { .cursor = cursor, .state = reading->state };
  return read_sources(&source, 1, reading);
}
