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
   targets, and the end of the program.  Options are in options.h, the reading loop
   is in follow.h. */

#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <stdbool.h>
#include "command.h"
#include "eventring_reader.h"
#include "memory.h"
#include "target.h"

/* The size of a message; longer ones are cut. */
#define MESSAGE_SIZE 1024

/* Prints an error message as one line on standard error, after "eventring: ".
   Cuts it to MESSAGE_SIZE - 1 bytes.  Does not end the program.  Characters
   that control a terminal are escaped, so that bytes of a file may be among the
   arguments. */
__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);

/* Prints a message that is no error, in the same form as complain: how much was
   written or lost, or how to end a command that waits. */
__attribute__((format(printf, 1, 2)))
void note(const char *format, ...);
void note_text(const char *text);

/* Prints an error message with a reference to the --help of [command], or of
   the whole program if [command] is NULL, and ends the program with
   STATUS_USAGE. */
__attribute__((noreturn, format(printf, 2, 3)))
void usage_error(const struct command *command, const char *format, ...);

/* Returns whether [target] is the address of a stream; if so, prints a message
   that the command reads files. */
bool refuse_stream(const char *target);

/* Takes the value [text] of --reconnect, how long broken connections are made again,
   for all streams that are opened afterwards.  For a text that is no time, prints a
   message and ends the program with STATUS_USAGE. */
void use_reconnect(const struct command *command, const char *text);

/* Opens process [process], counted from 0, of the recording at [path], and
   returns its cursor, which the caller closes.  [share_with] is NULL or an open
   cursor of the same file, which saves reading the file again.  The file
   becomes an input (remember_input).  If the file cannot be opened, prints a
   message and ends the program with STATUS_CANNOT_READ. */
struct eventring_cursor *open_recorded_process(
  const char *path, uint32_t process, struct eventring_cursor *share_with);

/* Opens [target] and returns its cursor, which the caller closes and which
   returns EVENTRING_EV_CONTROL_CHANGED too.  If [target] consists of digits, it
   is a process id, and its ring file is looked for in [dir] if that is not
   NULL; otherwise [target] is a path, and [dir] must be NULL.  Of a recording
   with several processes, opens the process numbered [process], counted from 0.
   [control]: the cursor may control the process.  [share_with] is NULL or an
   open cursor of the same file.  The file becomes an input (remember_input).
   If the target cannot be opened, prints a message and ends the program with
   STATUS_CANNOT_READ; wrong arguments of [command] end it with STATUS_USAGE. */
struct eventring_cursor *open_one(const struct command *command,
                                  const char *target, const char *dir,
                                  bool control, uint32_t process,
                                  struct eventring_cursor *share_with);

/* Opens [target] as open_one does, and returns its cursor.  If the target
   cannot be opened, prints a message and returns NULL; wrong arguments end the
   program with STATUS_USAGE. */
struct eventring_cursor *try_open_one(const struct command *command,
                                      const char *target, const char *dir,
                                      bool control, uint32_t process,
                                      struct eventring_cursor *share_with);

/* Adds the path of the file that [cursor] reads to the inputs that refuse_input
   knows.  Ends the program with a message when there is no memory.  open_one,
   try_open_one, open_target and open_recorded_process do this themselves. */
void remember_input(struct eventring_cursor *cursor);

/* Returns whether the file at [path] is one of the inputs, under any name (its
   device and inode decide), and prints a message if it is.  Returns false when
   no file is there.  To be called before an output file is emptied or replaced;
   for recordings, libeventring checks this itself. */
bool refuse_input(const char *path);

/* Returns whether a file or a link exists at [path] that must not be
   overwritten, since [force] is false, and prints a message if so. */
bool refuse_existing(const char *path, bool force);

/* Returns the status for the failure [error] of a function that makes a
   recording: STATUS_CANNOT_WRITE for a system error, which is of the output,
   else STATUS_CANNOT_READ, since the input is the cause. */
enum status recording_status(int error);

/* Returns whether all writes to standard output have succeeded so far.  Returns
   false when the reader of a pipe has closed it or the disk is full; the first
   such call keeps errno as the reason for finish_output, so it must follow the
   writes directly. */
bool output_works(void);

/* Lets the program have as many descriptors as the system allows it, for many
   processes or connections. */
void raise_descriptor_limit(void);

/* ignore_write_signals makes the program ignore SIGPIPE and SIGXFSZ, so that a
   write fails with an error instead; to be called once. restore_write_signals
   restores the earlier dispositions of these signals, for a program that is
   about to be executed. */
void ignore_write_signals(void);
void restore_write_signals(void);

/* Flushes standard output.  Returns [status] if all output since the start was
   written, or if a pipe was closed, since its reader (`| head`) needs no more.
   Otherwise prints a message with the reason of the first failure that was
   noticed and returns STATUS_CANNOT_WRITE. */
enum status finish_output(enum status status);

#endif /* TOOLS_COMMON_H */
