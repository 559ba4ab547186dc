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


/* Options of the command line that select events: durations, sizes, filter,
   trigger.  An input is lines and then a ring file:

     name=min*
     longer-than=1.5ms

     OCaml Eventring...

   The options are the options of tools/filter_options.h and the trigger of
   `eventring record`; each value is tried as a duration and as a size too. */

#include <setjmp.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "filter_options.h"
#include "fuzz.h"
#include "parse.h"
#include "trigger.h"

#define BATCH 64
#define LINE 512
#define LINES 16

static const struct { const char *name; enum option_id id; } options[] = {
  { "categories", OPTION_CATEGORIES }, { "domain", OPTION_DOMAIN },
  { "from", OPTION_FROM }, { "longer-than", OPTION_LONGER_THAN },
  { "name", OPTION_NAME }, { "thread", OPTION_THREAD }, { "to", OPTION_TO }
};
#define OPTIONS_TRIED (sizeof options / sizeof *options)
static const struct command command = { .name = "fuzz" };

/* The command ends here when it does not understand an option; tools/ is
   compiled for this target with [exit] meaning this. */
static jmp_buf ended;

_Noreturn void fuzz_exit(int status);
void fuzz_exit(int status)
{
  CHECK(status == STATUS_USAGE || status == STATUS_CANNOT_READ);
  longjmp(ended, 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void) argc;
  (void) argv;
  /* Discards the command's messages. */
  stderr = fopen("/dev/null", "w");
  return 0;
}

static void parse(const char *text)
{
  int64_t ns = -1;
  struct time_point time;
  uint64_t bytes;
  if (parse_duration(text, &ns)) CHECK(ns >= 0);
  if (parse_time_point(text, &time)) CHECK(time.wall || time.ns >= 0);
  if (parse_size(text, &bytes)) CHECK(bytes <= INT64_MAX);
}

static void take_trigger(const char *text)
{
  struct trigger t;
  char why[64] = "";
  if (parse_trigger(&t, text, why, sizeof why))
    CHECK(t.text == text && strlen(t.name) > 0 && t.longer_than >= -1);
  else
    CHECK(why[0] != '\0');
}

static void take_option(struct filter *filter, char *line)
{
  char *value = strchr(line, '=');
  if (value == NULL) {
    parse(line);
    return;
  }
  *value++ = '\0';
  parse(value);
  if (strcmp(line, "trigger") == 0) take_trigger(value);
  for (size_t i = 0; i < OPTIONS_TRIED; i++)
    if (strcmp(options[i].name, line) == 0)
      filter_option(&command, filter, (int) options[i].id, value);
}

static void read_events(struct filter *filter, const char *path)
{
  struct eventring_options o = { .size = sizeof o };
  struct eventring_cursor *volatile opened = NULL;
  struct eventring_cursor *cursor;
  struct eventring_event events[BATCH];
  int n;
  if (eventring_open(path, &o, &cursor) < 0) return;
  opened = cursor;
  if (setjmp(ended) == 0) {
    begin_filter(filter, opened);
    while ((n = eventring_read(opened, events, BATCH)) != 0)
      for (int i = 0; i < n; i++) {
        filter_wants(filter, &events[i], events[i].ns % 3 - 1);
        filter_is_past(filter, i % 2 == 0);
      }
  }
  eventring_close(opened);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char lines[LINES][LINE];
  struct filter *volatile filter = new_filter();
  volatile int understood = 0;
  size_t at = 0;

  if (setjmp(ended) == 0) {
    for (int i = 0; i < LINES && at < size; i++) {
      size_t length = 0;
      for (; at < size && data[at] != '\n'; at++)
        if (length < LINE - 1) lines[i][length++] = (char) data[at];
      at++;
      lines[i][length] = '\0';
      if (length == 0) break;
      take_option(filter, lines[i]);
    }
    understood = 1;
  }
  if (understood && at < size)
    read_events(filter, fuzz_file(0, data + at, size - at, 0));
  free_filter(filter);
  return 0;
}
