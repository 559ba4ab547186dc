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

#include <stdlib.h>
#include "manifest.h"
#include "snapshot.h"

enum status record_snapshot(struct eventring_cursor *cursor, const char *path,
                            bool force,
                            struct eventring_record_totals *totals)
{
  char why[512] = "";
  struct eventring_record_options options = {
    .size = sizeof options, .replace = force, .message = why,
    .message_size = sizeof why
  };
  struct eventring_recorder *recorder = NULL;
  char *manifest = new_manifest(cursor, NULL);
  int error = eventring_record(path, cursor, &options, &recorder);
  if (error == 0) error = eventring_record_note(recorder, manifest);
  if (error == 0) {
    record_node(recorder);
    error = eventring_record_end(recorder);
  }
  if (error == 0)
    eventring_record_totals(recorder, totals);
  else
    complain("%s", why[0] != '\0' ? why : eventring_strerror(error));
  eventring_record_close(recorder);
  free(manifest);
  return error < 0 ? recording_status(error) : STATUS_OK;
}
