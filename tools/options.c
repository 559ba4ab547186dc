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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "options.h"

struct description {
  const char *name, *value, *meaning;
  char letter;                    /* 0: it has no short form */
};

static const struct description descriptions[OPTIONS] = {
#define OPTION(id, letter, name, value, meaning) \
  [OPTION_##id] = { name, value, meaning, letter },
#include "option.tbl"
#undef OPTION
};

/* Parsing */

/* getopt_long returns LONG_BASE plus the option's id for a long option.  This
   is more than any letter. */
#define LONG_BASE 256

struct tables {
  char letters[2 + 3 * OPTIONS + 1];
  struct option names[OPTIONS];
};

/* Returns whether the option [d] takes a value, as getopt_long expresses it:
   no_argument (0), required_argument (1) or optional_argument (2). */
static int has_value(const struct description *d)
{
  return d->value[0] == '\0' ? no_argument
       : d->value[0] == '[' ? optional_argument : required_argument;
}

/* Fills [t] with the options of [command] for getopt_long. */
static void fill_tables(struct tables *t, const struct command *command)
{
  char *letter = t->letters;
  size_t count = 0;
  if (command->runs_program) *letter++ = '+';
  *letter++ = ':';
  for (const enum option_id *id = command->options; *id != OPTION_END; id++) {
    const struct description *d = &descriptions[*id];
    t->names[count++] = (struct option) {
      d->name, has_value(d), NULL, LONG_BASE + (int) *id
    };
    if (d->letter == '\0') continue;
    *letter++ = d->letter;
    for (int i = has_value(d); i > 0; i--) *letter++ = ':';
  }
  *letter = '\0';
  t->names[count] = (struct option) { 0 };
}

/* Ends the program with STATUS_USAGE and the message for an option that
   getopt_long just refused.  [option] is the result of getopt_long: ':' or
   '?'. */
static _Noreturn void refuse(const struct command *command, int option,
                             char **argv)
{
  const char *given = argv[optind - 1];
  if (option == ':')
    usage_error(command, "%s: %s needs a value", command->name, given);
  if (optopt == 0)
    usage_error(command, "%s: unknown option %s", command->name, given);
  if (optopt >= LONG_BASE)
    usage_error(command, "%s: %s takes no value", command->name, given);
  usage_error(command, "%s: unknown option -%c", command->name, optopt);
}

/* Ends the program with STATUS_USAGE and a message if the option [id], which
   getopt_long just read from [argv] in its long form, was abbreviated.
   getopt_long accepts the begin of a name: --for where a command has --force
   and not --for. */
static void refuse_abbreviation(const struct command *command,
                                enum option_id id, char **argv)
{
  const char *name = descriptions[id].name;
  /* The value may be an argument of its own. */
  const char *given = optarg == argv[optind - 1] ? argv[optind - 2]
                                                 : argv[optind - 1];
  size_t length = strcspn(given, "=");
  if (length == 2 + strlen(name)) return;
  usage_error(command, "%s: unknown option %.*s; there is --%s",
              command->name, (int) length, given, name);
}

/* Returns the option of [command] with the short form [letter], or OPTION_END
   when it has no such option. */
static enum option_id option_of(const struct command *command, int letter)
{
  const enum option_id *id = command->options;
  while (*id != OPTION_END && descriptions[*id].letter != letter) id++;
  return *id;
}

int next_option(const struct command *command, int argc, char **argv)
{
  struct tables tables = { .letters = "" };
  fill_tables(&tables, command);
  int option = getopt_long(argc, argv, tables.letters, tables.names, NULL);
  if (option < 0) return -1;
  if (option == ':' || option == '?') refuse(command, option, argv);
  enum option_id id = option_of(command, option);
  if (option >= LONG_BASE) {
    id = (enum option_id) (option - LONG_BASE);
    refuse_abbreviation(command, id, argv);
  }
  if (id == OPTION_HELP) {
    print_help(command);
    exit(finish_output(STATUS_OK));
  }
  return (int) id;
}

/* Help */

#define WIDTH 79
#define FORMS_SIZE 64

/* Writes the forms of the option [d], such as "-f, --follow", into [forms],
   with [blank] in place of a missing letter.  Returns the length, which must be
   less than FORMS_SIZE. */
static int format_forms(char forms[FORMS_SIZE], const struct description *d,
                        const char *blank)
{
  char letter[5] = { '-', d->letter, ',', ' ', '\0' };
  return snprintf(forms, FORMS_SIZE, "%s--%s%s",
                  d->letter != '\0' ? letter : blank, d->name, d->value);
}

/* Returns the number of characters of [text] to print on a line of [width]
   columns: whole words without the space after them, or all of the text when
   even the first word is too long.  The next line must not begin with a hyphen,
   which completion takes for an option. */
static int fitting(const char *text, int width)
{
  int length = (int) strlen(text);
  if (length <= width) return length;
  int end = width;
  while (end > 0 && !(text[end] == ' ' && text[end + 1] != '-')) end--;
  return end > 0 ? end : length;
}

/* Prints the forms of the option [d] and its meaning on standard output; the
   meaning begins in column [column], from 0, and is broken into lines of WIDTH
   columns. */
static void print_option(const struct description *d, int column)
{
  char forms[FORMS_SIZE];
  format_forms(forms, d, "    ");
  printf("  %-*s", column - 2, forms);
  for (const char *text = d->meaning; ; ) {
    int length = fitting(text, WIDTH - column);
    printf("%.*s\n", length, text);
    text += length;
    if (*text == '\0') return;
    text++;
    printf("%*s", column, "");
  }
}

void print_help(const struct command *command)
{
  int widest = 0;
  fputs(command->usage, stdout);
  putchar('\n');
  for (const enum option_id *id = command->options; *id != OPTION_END; id++) {
    char forms[FORMS_SIZE];
    int width = format_forms(forms, &descriptions[*id], "    ");
    if (width > widest) widest = width;
  }
  for (const enum option_id *id = command->options; *id != OPTION_END; id++)
    print_option(&descriptions[*id], 2 + widest + 2);
  if (command->notes == NULL) return;
  putchar('\n');
  fputs(command->notes, stdout);
}

static bool has_option(const struct command *command, enum option_id option)
{
  const enum option_id *id = command->options;
  while (*id != OPTION_END && *id != option) id++;
  return *id != OPTION_END;
}

void print_option_table(const struct command *const *commands, size_t count)
{
  for (int id = OPTION_END + 1; id < OPTIONS; id++) {
    const struct description *d = &descriptions[id];
    char forms[FORMS_SIZE];
    const char *separator = "";
    format_forms(forms, d, "");
    printf("%s  ", forms);
    for (size_t i = 0; i < count; i++)
      if (has_option(commands[i], (enum option_id) id)) {
        printf("%s%s", separator, commands[i]->name);
        separator = " ";
      }
    printf("  %s\n", d->meaning);
  }
}
