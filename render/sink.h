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

/* A descriptor that is written fast, through a buffer in which the writer makes its
   bytes. */

#ifndef RENDER_SINK_H
#define RENDER_SINK_H

#include <stddef.h>
#include <stdint.h>

#define SINK_SIZE (256 * 1024)

struct sink {
  int fd;
  int error;                      /* errno of the first write that failed */
  uint64_t left;                  /* bytes that may still be written; more are
                                     the error EFBIG */
  size_t used;
  char buffer[SINK_SIZE];
};

/* Makes [sink] an empty sink for [fd] that takes [most] bytes.  [fd] stays the
   caller's. */
void begin_sink(struct sink *sink, int fd, uint64_t most);

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
   descriptor and empties it.  Both record the errno of the first failed write in
   [sink->error], after which all bytes are discarded. */
void sink_write(struct sink *sink, const void *bytes, size_t size);
void sink_flush(struct sink *sink);

#endif /* RENDER_SINK_H */
