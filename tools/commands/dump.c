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

/* eventring dump: what the rings hold now, as a recording. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "common.h"
#include "manifest.h"
#include "text.h"

static const char help[] =
"Usage: eventring dump [OPTION...] PID|FILE -o OUT\n"
"Writes what the rings of a process hold now, or those of one that has ended\n"
"or was killed, to a recording.\n"
"\n"
"  -o, --output=OUT    where to; must not exist\n"
"  -f, --force         overwrite it\n"
"  -d, --dir=DIR       with a PID: the directory of the ring file\n"
"  -h, --help          this text\n"
"\n"
"It is smaller than a ring file, and stays as it is while the process runs on.\n"
"Example:\n"
"  eventring dump 1234 -o now.evr\n";

static enum status dump(struct eventring_cursor *cursor, const char *output,
                        bool force)
{
  char why[512] = "", size[QUANTITY_SIZE];
  struct eventring_record_options options = {
    .size = sizeof options, .replace = force, .message = why,
    .message_size = sizeof why
  };
  struct eventring_record_totals totals = { .size = sizeof totals };
  struct eventring_recorder *recorder = NULL;
  char *manifest = new_manifest(cursor, NULL);
  int error = eventring_record(output, cursor, &options, &recorder);
  if (error == 0) error = eventring_record_note(recorder, manifest);
  if (error == 0) error = eventring_record_end(recorder);
  if (error == 0) {
    eventring_record_totals(recorder, &totals);
    note("%s: %" PRIu64 " events, %s", output, totals.events,
         format_bytes(size, totals.all_bytes));
  } else
    complain("%s", why[0] != '\0' ? why : eventring_strerror(error));
  eventring_record_close(recorder);
  free(manifest);
  return error < 0 ? STATUS_CANNOT_WRITE : STATUS_OK;
}

static enum status run(int argc, char **argv)
{
  static const struct option options[] = {
    OPTION_HELP,
    { "output", required_argument, NULL, 'o' },
    { "force", no_argument, NULL, 'f' },
    { "dir", required_argument, NULL, 'd' },
    { NULL, 0, NULL, 0 }
  };
  const char *dir = NULL, *output = NULL;
  bool force = false;
  int option;
  while ((option = getopt_long(argc, argv, OPTION_SHORT "o:fd:", options,
                               NULL)) != -1)
    switch (option) {
    case 'o': output = optarg; break;
    case 'f': force = true; break;
    case 'd': dir = optarg; break;
    default: other_option(&dump_command, option, argv);
    }
  if (output == NULL)
    usage_error(&dump_command, "dump: where to?  -o OUT is missing");
  struct eventring_cursor *cursor =
    open_target(&dump_command, argc, argv, dir, false);
  enum status status = dump(cursor, output, force);
  eventring_close(cursor);
  return status;
}

const struct command dump_command = {
  .name = "dump", .summary = "write what the rings hold now to a recording",
  .help = help, .run = run
};
