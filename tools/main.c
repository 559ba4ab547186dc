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

/* The command `eventring`: finds the subcommand and runs it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "cut_files.h"
#include "late.h"
#include "options.h"

static const struct command *const commands[] = {
#define COMMAND(name) &name##_command,
#include "command.tbl"
#undef COMMAND
};
#define COMMANDS (sizeof commands / sizeof *commands)

/* Returns the subcommand called exactly [name], or NULL when there is none. */
static const struct command *find_command(const char *name)
{
  for (size_t i = 0; i < COMMANDS; i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

static enum status print_overview(void)
{
  fputs("Usage: eventring COMMAND [OPTION...] [PID|FILE]\n"
        "Reads the flight recorder of an OCaml process, by its id or its file.\n",
        stdout);
  for (size_t i = 0; i < COMMANDS; i++)
    printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fputs("  help       print the help of a command: eventring help COMMAND\n"
        "Options: --help, --version.  Manual: man eventring.\n", stdout);
  return finish_output(STATUS_OK);
}

static enum status run_help(int argc, char **argv)
{
  if (argc < 2 || strcmp(argv[1], "help") == 0) return print_overview();
  if (strcmp(argv[1], "--options") == 0) {
    print_option_table(commands, COMMANDS);
    return finish_output(STATUS_OK);
  }
  const struct command *command = find_command(argv[1]);
  if (command == NULL) usage_error(NULL, "no command %s", argv[1]);
  print_help(command);
  return finish_output(STATUS_OK);
}

/* The function out_of_memory of memory.h: ends the program with a message. */
static void end_without_memory(void)
{
  complain("not enough memory");
  exit(STATUS_CANNOT_READ);
}

/* The function no_library of late.h. */
static void end_without_library(const char *why)
{
  complain("cannot load a library: %s: install it", why);
  exit(STATUS_CANNOT_READ);
}

int main(int argc, char **argv)
{
  out_of_memory = end_without_memory;
  no_library = end_without_library;
  /* A closed pipe shows as EPIPE, which finish_output knows. */
  ignore_write_signals();
  survive_cut_files();
  opterr = 0;

  if (argc < 2) usage_error(NULL, "missing command");
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return print_overview();
  if (strcmp(name, "--version") == 0) {
    printf("eventring %s\n", eventring_reader_version());
    return finish_output(STATUS_OK);
  }
  if (strcmp(name, "help") == 0) return run_help(argc - 1, argv + 1);

  const struct command *command = find_command(name);
  if (command == NULL)
    usage_error(NULL, name[0] == '-' ? "unknown option %s" : "no command %s",
                name);
  return command->run(argc - 1, argv + 1);
}
