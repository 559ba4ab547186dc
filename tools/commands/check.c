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

/* eventring check: whether a file is what its writer wrote, and makes sense. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "balance_text.h"
#include "common.h"
#include "follow.h"

static const char help[] =
"Usage: eventring check [OPTION...] FILE\n"
"Verifies a recording or a ring file: its structure, checksums, index, names,\n"
"the header of every block, every event, how many there are, and whether\n"
"spans that begin end, as eventring events --check does.\n"
"\n"
"  -j, --json    the manifest, counts and findings as JSON\n"
"  -h, --help    this text\n"
"\n"
"Prints a line for each finding: the place in the file in bytes, and what is\n"
"wrong there.  Exit code 1 when there is one.\n";

struct findings {
  uint64_t count;
  json_t *list;                   /* NULL: print them */
};

static void found(void *state, uint64_t offset, const char *what)
{
  struct findings *f = state;
  f->count++;
  if (f->list == NULL)
    printf("byte %" PRIu64 ": %s\n", offset, what);
  else
    json_array_append_new(f->list,
                          json_pack("{s:I, s:s}", "byte", (json_int_t) offset,
                                    "what", what));
}

/* A number that may not be known. */
static json_t *count(uint64_t n)
{
  return n == UINT64_MAX ? json_null() : json_integer((json_int_t) n);
}

/* *right becomes false when its events make no sense. */
static json_t *describe_part(const char *path, uint32_t part,
                             struct eventring_cursor *beside, bool *right)
{
  static const char *const states[] = { "?", "running", "ended", "replaced",
                                        "killed", "unknown" };
  struct eventring_cursor *cursor = open_part(path, part, beside);
  struct eventring_info info = target_info(cursor);
  const char *note = eventring_note(cursor);
  int state = eventring_state(cursor);
  struct balance sum;
  if (balance_events(cursor, &sum) != STATUS_OK) *right = false;
  json_t *manifest = note == NULL ? NULL : json_loads(note, 0, NULL);
  json_t *described = json_pack(
    "{s:o, s:i, s:s, s:I, s:o, s:I, s:I, s:I, s:I}",
    "manifest", manifest == NULL ? json_null() : manifest, "pid",
    (int) info.pid, "state", states[state >= 0 && state <= 5 ? state : 0],
    "events", (json_int_t) sum.events, "recorded_events",
    count(info.format == EVENTRING_FORMAT_RECORDING ? info.recorded_events
                                                    : UINT64_MAX),
    "lost", (json_int_t) lost_events(cursor), "spans", (json_int_t) sum.spans,
    "cut_off", (json_int_t) sum.cut_off, "unbalanced",
    (json_int_t) sum.findings);
  eventring_close(cursor);
  return described;
}

static enum status print_json(const char *path, struct eventring_cursor *first,
                              struct findings *f)
{
  uint32_t parts = target_info(first).parts;
  bool right = f->count == 0;
  json_t *list = json_array();
  for (uint32_t part = 0; part < parts; part++)
    json_array_append_new(list, describe_part(path, part, first, &right));
  json_t *all = json_pack("{s:b, s:o, s:o}", "right", right, "parts", list,
                          "findings", f->list);
  json_dumpf(all, stdout, JSON_INDENT(2));
  putchar('\n');
  json_decref(all);
  return right ? STATUS_OK : STATUS_FINDING;
}

static enum status check(const char *path, bool json)
{
  struct findings f = { 0, json ? json_array() : NULL };
  char why[512] = "";
  struct eventring_options options = { .size = sizeof options, .message = why,
                                       .message_size = sizeof why };
  int error = eventring_verify(path, &options, found, &f);
  switch (error) {
  case 0: break;
  case EVENTRING_E_HEADER: case EVENTRING_E_TRUNCATED: case EVENTRING_E_DAMAGED:
    complain("%s", why);
    return STATUS_FINDING;
  default:
    complain("%s", why[0] != '\0' ? why : eventring_strerror(error));
    return STATUS_CANNOT_READ;
  }
  struct eventring_cursor *first = open_part(path, 0, NULL);
  uint32_t parts = target_info(first).parts;
  enum status status = f.count == 0 ? STATUS_OK : STATUS_FINDING;
  if (json) status = print_json(path, first, &f);
  /* Whether the events make sense is asked when they are what was written. */
  for (uint32_t part = 0; part < parts && f.count == 0 && !json; part++) {
    struct eventring_cursor *cursor = open_part(path, part, first);
    enum status sense = check_events(cursor, false);
    if (status == STATUS_OK) status = sense;
    eventring_close(cursor);
  }
  eventring_close(first);
  return status;
}

static enum status run(int argc, char **argv)
{
  static const struct option options[] = {
    OPTION_HELP,
    { "json", no_argument, NULL, 'j' },
    { NULL, 0, NULL, 0 }
  };
  bool json = false;
  int option;
  while ((option = getopt_long(argc, argv, OPTION_SHORT "j", options, NULL))
         != -1)
    switch (option) {
    case 'j': json = true; break;
    default: other_option(&check_command, option, argv);
    }
  if (optind >= argc) usage_error(&check_command, "check: which file?");
  if (optind + 1 < argc)
    usage_error(&check_command, "check: one file at a time, so what is %s?",
                argv[optind + 1]);
  return finish_output(check(argv[optind], json));
}

const struct command check_command = {
  .name = "check", .summary = "verify a recording or a ring file",
  .help = help, .run = run
};
