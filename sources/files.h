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

/* The files of which a program consists, and their checksums. */

#ifndef SOURCES_FILES_H
#define SOURCES_FILES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The length of a checksum as text: XXH64 with seed 0, 16 hexadecimal
   digits. */
#define CHECKSUM_SIZE 17

/* Writes the checksum of [size] bytes. */
__attribute__((nonnull))
void checksum_bytes(const void *bytes, size_t size, char sum[CHECKSUM_SIZE]);

/* Writes the checksum of the regular file at [path], and its size to *bytes.
   Returns false, with errno, when the file cannot be read. */
bool checksum_file(const char *path, char sum[CHECKSUM_SIZE], int64_t *bytes);

/* Returns the absolute path of the program [name] as execvp finds it from the
   folder [dir], or NULL.  The caller frees it. */
char *find_program(const char *name, const char *dir);

/* Returns a new JSON object that describes the program at [path]: its
   `executable` and an array of its `libraries`, each with path, size, checksum
   and build id.  The interpreter of a script counts as a library.  Appends to
   the array [unknown] texts about facts that cannot be found.  Returns NULL
   when the executable cannot be read, with errno. */
json_t *program_facts(const char *path, json_t *unknown);

/* The state of the files of a program when their checksums were taken. */
struct file_states { size_t count, room; struct file_state *list; };

/* Notes the state of the files of [program], which program_facts described, in
   *states, which is empty before.  Returns false, with the path in [changed],
   when a file has another checksum by now, or is gone. */
bool note_files(struct file_states *states, const json_t *program,
                const char **changed);

/* Returns whether all files are unchanged: device, inode, size and times are
   the same or, if they are not, the checksum is.  Else sets *changed to the
   path of one that is not. */
bool files_unchanged(struct file_states *states, const char **changed);

/* Frees the list of [states]. */
void free_file_states(struct file_states *states);

#endif /* SOURCES_FILES_H */
