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
#include "ring_snapshot.h"
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
  char *manifest = new_manifest(cursor, NULL);
  const int error = record_rings(cursor, path, manifest, &options, totals);
  if (error < 0) complain("%s", why[0] != '\0' ? why : eventring_strerror(error));
  free(manifest);
  return error < 0 ? recording_status(error) : STATUS_OK;
}
