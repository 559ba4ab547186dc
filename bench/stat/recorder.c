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

/* Makes recordings for bench/run-stat:  recorder DIRECTORY PID FILE

   For each line of standard input it copies the new events of the rings and
   prints the numbers of recorded and of lost events. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "eventring_reader.h"

static char why[256];

static void need(int result)
{
  if (result >= 0) return;
  fprintf(stderr, "recorder: %s\n",
          why[0] != '\0' ? why : eventring_strerror(result));
  exit(1);
}

int main(int argc, char **argv)
{
  struct eventring_options how = { .size = sizeof how, .message = why,
                                   .message_size = sizeof why };
  struct eventring_record_options what = { .size = sizeof what, .replace = 1,
                                           .message = why,
                                           .message_size = sizeof why };
  struct eventring_record_totals totals = { .size = sizeof totals };
  struct eventring_cursor *cursor;
  struct eventring_recorder *recorder;
  char line[80];

  if (argc != 4) return 2;
  need(eventring_open_pid(atoi(argv[2]), argv[1], &how, &cursor));
  need(eventring_record(argv[3], cursor, &what, &recorder));
  puts("ready");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) {
    int64_t words = eventring_record_step(recorder);
    if (words < 0) need((int) words);
    need(eventring_record_totals(recorder, &totals));
    printf("%" PRIu64 " %" PRIu64 "\n", totals.events, totals.lost);
    fflush(stdout);
  }
  need(eventring_record_close(recorder));
  eventring_close(cursor);
  return 0;
}
