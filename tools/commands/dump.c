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

/* eventring dump: writes the present content of the rings to a recording. */

#include <inttypes.h>
#include <stdio.h>
#include "common.h"
#include "options.h"
#include "snapshot.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring dump [OPTION...] [PID|FILE] -o OUT\n"
"Writes the present contents of the rings of a process, or the rings of an ended\n"
"or killed process, to a recording.\n";

static const enum option_id option_ids[] = {
  OPTION_OUTPUT, OPTION_FORCE, OPTION_DIR, OPTION_HELP, OPTION_END
};

static const char notes[] =
"A recording is smaller than a ring file, and does not change while the process\n"
"runs on.  Example:\n"
"  eventring dump 1234 -o now.evr\n";

static enum status dump(struct eventring_cursor *cursor, const char *output,
                        bool force)
{
  char size[QUANTITY_SIZE];
  struct eventring_record_totals totals = { .size = sizeof totals };
  if (refuse_input(output) || refuse_existing(output, force))
    return STATUS_CANNOT_WRITE;
  enum status status = record_snapshot(cursor, output, force, &totals);
  if (status == STATUS_OK)
    note("%s: %" PRIu64 " events, %s", output, totals.events,
         format_bytes(size, totals.all_bytes));
  return status;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL, *output = NULL;
  bool force = false;
  int option;
  while ((option = next_option(&dump_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_OUTPUT: output = optarg; break;
    case OPTION_FORCE: force = true; break;
    case OPTION_DIR: dir = optarg; break;
    }
  if (output == NULL)
    usage_error(&dump_command, "dump: missing output file (-o OUT)");
  struct eventring_cursor *cursor =
    open_target(&dump_command, argc, argv, dir, false);
  enum status status = dump(cursor, output, force);
  eventring_close(cursor);
  return status;
}

const struct command dump_command = {
  .name = "dump", .summary = "write the rings as they are to a recording",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
