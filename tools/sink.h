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

/* A file that is written fast, through a buffer in which the writer makes its
   bytes, and that appears only when it is complete. */

#ifndef TOOLS_SINK_H
#define TOOLS_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SINK_SIZE (256 * 1024)

struct sink {
  const char *path;               /* to be; NULL: standard output */
  char *temporary;                /* its name until it is whole, or NULL */
  bool force;                     /* replaces a file with the name [path] */
  int fd;
  int error;                      /* errno of the first write that failed */
  size_t used;
  char buffer[SINK_SIZE];
};

/* Opens a sink for a new file, which gets the name [path] when it is closed and
   complete.  "-" is standard output.  An existing file that is not regular, for
   example a device, is written to directly.  Returns NULL, with a message, when
   the file cannot be opened, is an input, or exists while [force] is false.
   The caller ends the sink with close_sink; [path] must stay valid until
   then. */
struct sink *open_sink(const char *path, bool force);

/* sink_room returns the place in the buffer for the next bytes, with room for
   [size] bytes, at most SINK_SIZE; it may flush the buffer.  The caller writes
   its bytes there and then passes their end, [end], to sink_filled, before any
   other call for the sink. */
char *sink_room(struct sink *sink, size_t size);
static inline void sink_filled(struct sink *sink, const char *end)
{
  sink->used = (size_t) (end - sink->buffer);
}

/* sink_write adds [size] bytes to the sink. sink_flush writes the buffer to the
   file and empties it.  Both record the errno of the first failed write in
   [sink->error], after which all bytes are discarded; close_sink reports the
   error. */
void sink_write(struct sink *sink, const void *bytes, size_t size);
void sink_flush(struct sink *sink);

/* Prints a message that the sink could not be written, with the reason
   [sink->error]. */
void report_sink(const struct sink *sink);

/* Flushes and closes the file, gives it its name as give_name does, and frees
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

#endif /* TOOLS_SINK_H */
