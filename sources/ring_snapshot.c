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

#include <stddef.h>
#include "manifest.h"
#include "ring_snapshot.h"

int record_rings(struct eventring_cursor *cursor, const char *path,
                 const char *manifest,
                 const struct eventring_record_options *options,
                 struct eventring_record_totals *totals)
{
  struct eventring_recorder *recorder = NULL;
  int error = eventring_record(path, cursor, options, &recorder);
  if (error == 0) error = eventring_record_note(recorder, manifest);
  if (error == 0) {
    record_node(recorder);
    error = eventring_record_end(recorder);
  }
  if (error == 0 && totals != NULL) eventring_record_totals(recorder, totals);
  eventring_record_close(recorder);
  return error;
}
