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

/* The notes that people write about recordings in a store: the note about NAME is the
   text of the file NAME.note in the same folder. */

#ifndef SOURCES_STORE_NOTE_H
#define SOURCES_STORE_NOTE_H

#include <stdbool.h>

/* The bytes of a note, with its NUL. */
#define STORE_NOTE 1001

/* In all of these, [folder] is the descriptor of the store, or AT_FDCWD if [name] is a
   path. */

/* Reads the note about the recording [name] into [note]: any bytes, up to a NUL, and
   STORE_NOTE - 1 at most; "" if the recording has no note. */
void read_store_note(int folder, const char *name, char note[STORE_NOTE]);

/* Replaces the note about [name] by [note]; [temporary] is the name that
   the file has until it is whole.  Returns false with errno. */
bool write_store_note(int folder, const char *name, const char *note,
                      const char *temporary);

/* Removes the note about [name], if there is one.  Returns false with errno. */
bool remove_store_note(int folder, const char *name);

/* Gives the note about [name], if there is one, to the recording [to], of
   which another note is removed.  Returns false with errno. */
bool move_store_note(int folder, const char *name, const char *to);

#endif /* SOURCES_STORE_NOTE_H */
