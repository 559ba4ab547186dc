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

/* Folders, and small files in a folder that is open: keys, tokens, states.  No
   link is followed. */

#ifndef FLEET_SMALL_FILE_H
#define FLEET_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the folder [path] and the folders above it that are missing, for this
   user only.  Returns false with errno. */
bool make_folders(const char *path);

/* Returns the text of the file [name] in [folder], which the caller frees; NULL
   with errno when it cannot be read, EFBIG when it has more than [max]
   bytes. */
char *read_small_file(int folder, const char *name, size_t max);

/* Writes [text] to the file [name] in [folder], in place of the old file: the
   file has all of the old text or all of the new one.  [durable]: waits until
   the disk has it.  Only one thread may write a file at a time.  Returns false
   with errno. */
bool replace_small_file(int folder, const char *name, const char *text,
                        bool durable);

#endif /* FLEET_SMALL_FILE_H */
