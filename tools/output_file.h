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

/* A file that is written by a sink, and that appears only when it is complete. */

#ifndef TOOLS_OUTPUT_FILE_H
#define TOOLS_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include "sink.h"

/* Opens a sink for a new file, which gets the name [path] when it is closed and
   complete.  "-" is standard output.  An existing file that is not regular, for
   example a device, is written to directly.  Returns NULL, with a message, when
   the file cannot be opened, is an input, or exists while [force] is false.
   The caller ends the sink with close_sink; [path] must stay valid until
   then. */
struct sink *open_sink(const char *path, bool force);

/* Prints a message that the sink of open_sink could not be written, with the reason
   [sink->error]. */
void report_sink(const struct sink *sink);

/* Flushes and closes the file of a sink of open_sink, gives it its name as give_name does, and frees
   the sink; standard output stays open.  If [keep] is false or a write failed,
   removes the new file instead; a file that is not regular is not removed.
   Returns false, with a message, when [keep] is true and the file could not be
   written; else true.  If standard output is a pipe that was closed by its
   reader, this is no failure. */
bool close_sink(struct sink *sink, bool keep);

/* Writes what the function [print] prints for [what] to a new file, which gets
   the name [path] when it is complete, as a sink does.  Returns false, with a
   message, when that fails. */
bool write_printed(const char *path, bool force,
                   void (*print)(FILE *out, void *what), void *what);

/* Returns a name for a temporary file in the folder of [path], with the last
   part of [path], perhaps cut, and the pid in it.  Creates no file.  The caller
   frees the name. */
char *temporary_name(const char *path);

/* Renames the file or folder [temporary] to [path].  With [force], replaces a
   file or an empty folder at [path]; else replaces nothing, not even a file
   that appears at this moment, where the file system supports that.  Returns
   false, with a message, when the new name cannot be given; [temporary] then
   keeps its name. */
bool give_name(const char *temporary, const char *path, bool force);

#endif /* TOOLS_OUTPUT_FILE_H */
