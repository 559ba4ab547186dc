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

/* The store: a folder of recordings (*.evr), each with a manifest that says why
   it was saved, and perhaps a note (store_note.h).

   A recording is written under a hidden name and gets its name last, so that
   the store never has half a recording.  An existing file is never replaced.

   A program that adds a recording enforces the limits.  Recordings that a rule
   saved, by their manifests, make room, the oldest first; all others are never
   removed. */

#ifndef SOURCES_STORE_H
#define SOURCES_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include "eventring_reader.h"
#include "manifest.h"

/* The most recordings in a store, and the most bytes of all of them. */
#define STORE_FILES 1000
#define STORE_BYTES (INT64_C(4) << 30)

/* The folder of the batches in the folder of the store. */
#define BATCHES_FOLDER "batches"

/* Returns the folder of the store: EVENTRING_STORE, or a folder under the data
   directory of XDG.  The caller frees it.  Returns NULL when the environment
   names none. */
char *default_store(void);

/* Copies the letters of the last part of the path [program] that are safe in the
   name of a file to [to], of [size] bytes. */
void safe_name(char *to, size_t size, const char *program);

/* Creates the folder [store], and those above it, for this user only, unless it
   exists.  Removes hidden files in it that killed programs have left.
   Returns false, with the reason in [why], when that fails. */
bool make_store(const char *store, char *why, size_t why_size);

/* Removes hidden files that killed programs have left in the folder [store],
   which need not exist.  To be called at the start of a program, before it has
   files of its own there. */
void clean_store(const char *store);

/* Calls [visit] with [state] for each recording in the store; for none when the
   folder cannot be read. */
void visit_store(const char *store,
                 void (*visit)(void *state, const char *name,
                               const struct stat *st), void *state);

/* A recording in the store. */
struct stored {
  char name[NAME_MAX + 1];
  int64_t bytes;
  struct eventring_info info;     /* of its first process */
  struct manifest_saved saved;    /* [at_ns]: of the file, if the manifest does
                                     not say */
  char why[256];                  /* it cannot be read; "": it can */
};

/* Reads the recording [name] with the state [st] of the folder [store] into
   [*stored], its manifest and its header only. */
void read_stored(const char *store, const char *name, const struct stat *st,
                 struct stored *stored);

/* Writes a hidden name in the folder [store] that no other call returns to
   [path].  The caller removes the file. */
void temporary_in_store(const char *store, char path[PATH_MAX]);

/* The limits of the recordings of one rule; 0: no limit. */
struct store_limits { int64_t files, bytes, age_ns; };

/* Gives the recording at [temporary], of the process that [info] describes and
   saved by the rule [rule] or, if that is NULL, by hand, a name in the folder
   [store], and writes the path to [path].  Removes recordings of rules to keep
   [limits] and the limits of the store.  Returns false, with the reason in [why],
   when there is no room or the name cannot be given; then nothing was removed
   but recordings over [limits].  May be called by several programs at once;
   conditions as for read_stored. */
bool keep_in_store(const char *store, const char *temporary,
                   const struct eventring_info *info, const char *rule,
                   const struct store_limits *limits, char path[PATH_MAX],
                   char *why, size_t why_size);

/* Removes recordings of [rule] over [limits].  Returns how many. */
uint32_t limit_store(const char *store, const char *rule,
                     const struct store_limits *limits);

/* Returns how many bytes a recording saved by hand may have, which is the room
   when all recordings of rules are removed; 0 when the store is full, with the reason
   in [why]. */
int64_t room_in_store(const char *store, char *why, size_t why_size);

#endif /* SOURCES_STORE_H */
