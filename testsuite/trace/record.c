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

/* record OUT RING [NOTE]: a recording of a ring file, with the content of the
   file NOTE as its manifest. */

#include <stdio.h>
#include "eventring_reader.h"

int main(int argc, char **argv)
{
  char why[512] = "usage";
  struct eventring_options from = {
    .size = sizeof from, .message = why, .message_size = sizeof why
  };
  struct eventring_record_options to = {
    .size = sizeof to, .message = why, .message_size = sizeof why
  };
  struct eventring_cursor *cursor;
  struct eventring_recorder *recorder;
  static char note[1 << 16];
  if (argc < 3 || eventring_open(argv[2], &from, &cursor) < 0
      || eventring_record(argv[1], cursor, &to, &recorder) < 0) {
    fprintf(stderr, "record: %s\n", why);
    return 1;
  }
  while (eventring_record_step(recorder) > 0) ;
  if (argc > 3) {
    FILE *f = fopen(argv[3], "rb");
    if (f == NULL || fread(note, 1, sizeof note - 1, f) == 0
        || fclose(f) != 0 || eventring_record_note(recorder, note) < 0)
      return 1;
  }
  int error = eventring_record_close(recorder);
  eventring_close(cursor);
  return error < 0;
}
