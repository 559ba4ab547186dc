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

/* Lists of batches and of their runs, for eventring list. */

#ifndef TOOLS_RUNS_LISTING_H
#define TOOLS_RUNS_LISTING_H

#include <stdbool.h>
#include "command.h"

/* Prints the batches in the store [store], the latest first: as a table or,
   with [json], as an object. */
enum status list_batches(const char *store, bool json);

/* Prints the runs of the batch [name], a folder or the name of a batch in the
   store [store], in the order in which they were made.  Returns
   STATUS_CANNOT_READ, with a message, when there is no such batch. */
enum status list_runs(const char *store, const char *name, bool json);

#endif /* TOOLS_RUNS_LISTING_H */
