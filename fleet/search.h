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

/* The search for traced processes, in a thread of its own: it reads the
   mappings of all processes, which takes longer than rings need to fill.

   New files in the folders that have ring files are seen at once (inotify), so
   that a process of a few milliseconds is found there. */

#ifndef FLEET_SEARCH_H
#define FLEET_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "eventring_reader.h"

struct search;

/* Begins to search: for all processes, or if [dir] is not NULL for those with
   their ring file directly in [dir], and for files that are left there.
   [empty] is a folder without ring files.  Returns NULL, with the reason in
   [why], when there can be no thread.  The caller ends the search. */
struct search *begin_search(const char *dir, const char *empty, char *why,
                            size_t size);
void end_search(struct search *search);

/* Makes the next search begin at once. */
void search_now(struct search *search);

/* Watches the folder of [path], the path of a ring file, for new files. */
void search_folder_of(struct search *search, const char *path);

/* Returns the processes that were found since the last call, with the pid 0
   where only a file was seen, and sets *count to their number and *began_ns to
   the CLOCK_MONOTONIC at which the last search of the whole machine among them
   began; 0: none.  A process may have ended meanwhile, and its path with
   it, while another search finds the file at another path.  The caller frees
   the list, which is NULL for 0. */
struct eventring_process *take_found(struct search *search, size_t *count,
                                     int64_t *began_ns);

/* Returns the paths of the tombstones that were found since the last call, in
   the folders of ring files and in that of OCAML_EVENTRING_TOMBSTONES, and sets
   *count to their number.  The caller frees each path and the list, which may be
   NULL for 0.  A tombstone that stays is found once. */
char **take_found_tombstones(struct search *search, size_t *count);

#endif /* FLEET_SEARCH_H */
