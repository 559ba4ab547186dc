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

/* Folders of recordings in the store, which a rule for all nodes has saved:

     STORE/fleet-20260102T030405Z/manifest.json   what fired, and the recordings
     STORE/fleet-20260102T030405Z/NODE.STREAM.evr

   A folder gets its name when it is complete. */

#ifndef SERVE_FLEET_FOLDERS_H
#define SERVE_FLEET_FOLDERS_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include "store.h"

/* Makes a folder in [store] with a hidden name, and writes its path to [path].
   Returns false with the reason. */
bool make_fleet_folder(const char *store, char path[PATH_MAX], char *why,
                       size_t size);

/* Writes [manifest] into the folder [path], and gives the folder its name, which
   replaces [path].  Then removes the oldest folders of the rule [rule] over
   [limits].  Returns false, with the reason and without the folder. */
bool keep_fleet_folder(const char *store, char path[PATH_MAX],
                       const json_t *manifest, const char *rule,
                       const struct store_limits *limits, char *why,
                       size_t size);

/* Removes the folder at [path] with its files. */
void remove_fleet_folder(const char *path);

/* Removes the folders of [rule] over [limits], and the folders with a hidden name
   that a server has left which ended long ago. */
void limit_fleet_folders(const char *store, const char *rule,
                         const struct store_limits *limits);

#endif /* SERVE_FLEET_FOLDERS_H */
