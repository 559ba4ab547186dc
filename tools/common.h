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

/* Functions shared by all subcommands of `eventring`: messages, opening
   targets, and the end of the program.  Options are in options.h, text and
   durations in text.h, the reading loop in follow.h.  tools/ uses analysis/ and
   the public header of libeventring. */

#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <stdbool.h>
#include "command.h"
#include "eventring_reader.h"
#include "memory.h"
#include "target.h"

/* Room for any message; longer ones are cut. */
#define MESSAGE_SIZE 1024

/* Prints an error as one line on standard error, with "eventring: " before it.
   Characters that terminals obey are escaped, so that a file's bytes may be
   among the arguments. */
__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);

/* Prints the same line for a message that is no error: how much was written or
   lost, how to end a command that waits. */
__attribute__((format(printf, 1, 2)))
void note(const char *format, ...);

/* Prints an error with a hint at --help of [command] (or of the whole program
   when NULL); ends the program with STATUS_USAGE. */
__attribute__((noreturn, format(printf, 2, 3)))
void usage_error(const struct command *command, const char *format, ...);

/* Opens the file at [path]: of a recording, process [process].  [share_with]:
   NULL, or an open cursor of the same file, to save reading the file again.
   Ends the program with a message when that fails. */
struct eventring_cursor *open_recorded_process(
  const char *path, uint32_t process, struct eventring_cursor *share_with);

/* Opens [target]: digits are a process (its ring file is looked for in [dir]
   when that is not NULL), all else is a path; of a recording with several
   processes the one numbered [process].  Ends the program with a message when
   that fails. */
struct eventring_cursor *open_one(const struct command *command,
                                  const char *target, const char *dir,
                                  bool control, uint32_t process,
                                  struct eventring_cursor *share_with);

/* Opens [target] as open_one does, but returns NULL, with a message, when the
   target cannot be opened. */
struct eventring_cursor *try_open_one(const struct command *command,
                                      const char *target, const char *dir,
                                      bool control, uint32_t process,
                                      struct eventring_cursor *share_with);

/* Returns whether [text] is a process id and no path. */
bool is_number(const char *text);

/* Takes note of the file that [cursor] reads.  open_target,
   open_recorded_process and open_one have done so. */
void remember_input(struct eventring_cursor *cursor);

/* Returns true, with a message, if the file at [path] is an input, under any
   name.  To be called before an output file is emptied or replaced; for
   recordings, libeventring checks the same. */
bool refuse_input(const char *path);

/* Returns true, with a message, if something has the name [path] and [force] is
   not set. */
bool refuse_existing(const char *path, bool force);

/* Returns "at most " where the file cannot tell exactly how many events were
   lost. */
const char *at_most(struct eventring_cursor *cursor);

/* Returns a word or a few for one of EVENTRING_STATE_... */
const char *state_name(int state);

/* Returns whether standard output took all so far; false when its reader is
   gone or the disk is full. */
bool output_works(void);

/* Makes writes that a signal would end return an error instead; and gives
   these signals back the dispositions that they had, for a program. */
void ignore_write_signals(void);
void restore_write_signals(void);

/* Flushes standard output.  The value is [status], or STATUS_CANNOT_WRITE,
   with a message, when something could not be written.  A closed pipe is not
   an error: its reader (`| head`) needs no more. */
enum status finish_output(enum status status);

#endif /* TOOLS_COMMON_H */
