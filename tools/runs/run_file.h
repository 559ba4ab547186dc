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

/* A run: one execution of a program, kept as a file NNNNNN.json, with its
   recordings NNNNNN.evr, NNNNNN.2.evr ... beside it.  doc/RUNS.md describes the
   JSON.

   The first line of the file holds the member `run`, which has the figures of
   the process; a list of thousands of runs reads no more.  The last line is the
   checksum of everything before it.  The JSON file gets its name last: a run is
   there completely or not at all. */

#ifndef TOOLS_RUNS_RUN_FILE_H
#define TOOLS_RUNS_RUN_FILE_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The version of the format of runs and of batch.json. */
#define RUN_VERSION 1

/* Writes "FOLDER/NNNNNN.EXTENSION". */
void run_path(char path[PATH_MAX], const char *folder, uint32_t number,
              const char *extension);

/* Returns the number of the run with the file name [name]; 0 for another
   file. */
uint32_t run_number(const char *name);

/* Writes [text], [size] bytes, to a new file [path] of mode 0600 and waits
   until it is on the disk.  Returns false, with the reason in [why], when that
   fails; then there is no such file. */
bool write_file(const char *path, const char *text, size_t size, char *why,
                size_t why_size);

/* Writes the object [value] as write_file does, indented. */
bool write_json_file(const char *path, const json_t *value, char *why,
                     size_t why_size);

/* Returns the JSON value in the regular file at [path], of at most 64 MiB, as a
   new object; NULL with the reason in [why]. */
json_t *read_json_file(const char *path, char *why, size_t why_size);

/* Waits until the file or folder at [path] is on the disk.  Returns false, with
   errno, when that fails. */
bool sync_path(const char *path);

/* Writes a run with these members to a new file [path], as write_file does. */
bool write_run(const char *path, const json_t *run, const json_t *manifest,
               const json_t *summary, char *why, size_t why_size);

/* Writes to [why] the reason why the JSON file at [path] is no "run" or "batch",
   as [kind] says, of RUN_VERSION: its version is [version], 0 for none. */
void explain_refusal(const char *path, const char *kind, json_int_t version,
                     char *why, size_t why_size);

/* Returns the run of the file at [path] as a new JSON object, or NULL with the
   reason in [why]. */
json_t *read_run(const char *path, char *why, size_t why_size);

/* Returns the member `run` of the file at [path] as a new JSON object, or NULL
   with the reason in [why].  Reads no more than the first line, if it can. */
json_t *read_run_head(const char *path, char *why, size_t why_size);

/* Returns a new JSON object that describes the recording [file] in [folder],
   for the array `recordings` of a manifest, or NULL with the reason in
   [why]. */
json_t *recording_facts(const char *folder, const char *file, char *why,
                        size_t why_size);

/* Verifies that neither the run at [path] nor its recordings were changed since
   they were written.  Calls [found] with [state] for each finding.  Returns the
   number of findings, 0 if everything is as it was; -1, with the reason in
   [why], when the file is no run. */
int check_run(const char *path, void (*found)(void *state, const char *what),
              void *state, char *why, size_t why_size);

#endif /* TOOLS_RUNS_RUN_FILE_H */
