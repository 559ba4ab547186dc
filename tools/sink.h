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

#define SINK_SIZE (256 * 1024)

struct sink {
  const char *path;               /* to be; NULL: standard output */
  char *temporary;                /* its name until it is whole, or NULL */
  int fd;
  int error;                      /* errno of the first write that failed */
  size_t used;
  char buffer[SINK_SIZE];
};

/* Opens a new file that gets the name [path] when it is complete.  "-" is
   standard output; an existing file that is not regular, for example a device,
   is written to directly.  Returns NULL, with a message, when that fails, or
   when the file exists and [force] is false. */
struct sink *open_sink(const char *path, bool force);

/* sink_room returns where the next bytes go, with room for [size], SINK_SIZE at
   most.  Then the writer gives the end of its bytes to sink_filled. */
char *sink_room(struct sink *sink, size_t size);
static inline void sink_filled(struct sink *sink, const char *end)
{
  sink->used = (size_t) (end - sink->buffer);
}

void sink_write(struct sink *sink, const void *bytes, size_t size);
void sink_flush(struct sink *sink);

/* Ends the file and [keep]s it, unless a write failed; otherwise removes it.
   Returns false, with a message, when it could not be written. */
bool close_sink(struct sink *sink, bool keep);

/* Returns an unused name in the folder of [path].  To be freed. */
char *temporary_name(const char *path);

#endif /* TOOLS_SINK_H */
