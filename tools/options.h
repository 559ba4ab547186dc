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

/* Options of the command line.  All of them are in option.tbl; a subcommand
   lists the ids of its options, and takes them one after the other:

     int option;
     while ((option = next_option(&this_command, argc, argv)) >= 0)
       switch (option) {
       case OPTION_DIR: dir = optarg; break;
       ...
       }

   The operands are argv[optind] and the arguments after it. */

#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <getopt.h>
#include <stddef.h>
#include "command.h"

/* Reads the next option of [command] from the command line and returns its enum
   option_id, with the value of the option in [optarg], NULL for none.  Returns
   -1 after the last option.  Options may follow operands, which are moved to
   the end of [argv], unless [runs_program] of the command is true.  For --help,
   prints the help text and ends the program.  For an unknown or abbreviated
   option, or a missing value, prints a message and ends the program with
   STATUS_USAGE. */
int next_option(const struct command *command, int argc, char **argv);

/* Prints the help text of [command] on standard output: its usage, its options
   and its notes. */
void print_help(const struct command *command);

/* Prints a table of all options on standard output, a line for each: its forms,
   the names of those of the [count] [commands] that have it, and its meaning,
   separated by two or more spaces. */
void print_option_table(const struct command *const *commands, size_t count);

#endif /* TOOLS_OPTIONS_H */
