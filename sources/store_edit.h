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

/* Changes of the recordings in a store that people ask for. */

#ifndef SOURCES_STORE_EDIT_H
#define SOURCES_STORE_EDIT_H

#include <stddef.h>

/* The result of a change.  With all but STORE_DONE there is a reason, and nothing has
   changed. */
enum store_change {
  STORE_DONE,
  STORE_WRONG,                    /* a name or a text that cannot be */
  STORE_ABSENT,                   /* there is no such recording */
  STORE_FAILED                    /* the name exists, or the system refuses */
};

/* delete_stored removes the recording [name] of the folder [store] with its note;
   rename_stored gives it the name [to], which no other file has, and note_stored
   the note [note], "" for none, of fewer than STORE_NOTE bytes.  Names end in .evr,
   have no slash and no control characters, and do not begin with a dot.  Write one line to [why], a buffer of [why_size] bytes,
   unless the result is STORE_DONE.  May be called by any thread. */
enum store_change delete_stored(const char *store, const char *name, char *why,
                                size_t why_size);
enum store_change rename_stored(const char *store, const char *name,
                                const char *to, char *why, size_t why_size);
enum store_change note_stored(const char *store, const char *name,
                              const char *note, char *why, size_t why_size);

#endif /* SOURCES_STORE_EDIT_H */
