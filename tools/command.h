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

/* A subcommand's place in the table of commands, its options and exit codes. */

#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <stdbool.h>

/* 0 ends a list. */
enum option_id {
  OPTION_END,
#define OPTION(id, letter, name, value, meaning) OPTION_##id,
#include "option.tbl"
#undef OPTION
  OPTIONS
};

/* Exit codes; the manual lists them. */
enum status {
  STATUS_OK = 0,
  STATUS_FINDING = 1,             /* a fault was found, or nothing of the name */
  STATUS_USAGE = 2,
  STATUS_CANNOT_READ = 3,         /* or open, or control */
  STATUS_CANNOT_WRITE = 4
};

/* --help prints [usage], the options and [notes]: at most a screen of 24 lines of 79
   columns (testsuite/cli/usage.t). */
struct command {
  const char *name;
  const char *summary;            /* one line, for `eventring --help` */
  const char *usage;              /* and a description */
  const enum option_id *options;  /* up to OPTION_END */
  const char *notes;              /* NULL for none */
  bool runs_program;              /* options end at the first operand */
  enum status (*run)(int argc, char **argv);
};

#define COMMAND(name) extern const struct command name##_command;
#include "command.tbl"
#undef COMMAND

#endif /* TOOLS_COMMAND_H */
