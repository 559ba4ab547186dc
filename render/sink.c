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

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "sink.h"

void begin_sink(struct sink *sink, int fd, uint64_t most)
{
  sink->fd = fd;
  sink->error = 0;
  sink->left = most;
  sink->used = 0;
}

void sink_flush(struct sink *sink)
{
  if (sink->used > sink->left && sink->error == 0) sink->error = EFBIG;
  for (size_t done = 0; done < sink->used && sink->error == 0; ) {
    ssize_t n = write(sink->fd, sink->buffer + done, sink->used - done);
    if (n >= 0)
      done += (size_t) n;
    else if (errno != EINTR)
      sink->error = errno;
  }
  if (sink->error == 0) sink->left -= sink->used;
  sink->used = 0;
}

char *sink_room(struct sink *sink, size_t size)
{
  if (size > SINK_SIZE - sink->used) sink_flush(sink);
  return sink->buffer + sink->used;
}

void sink_write(struct sink *sink, const void *bytes, size_t size)
{
  const char *from = bytes;
  while (size > 0) {
    size_t part = size < SINK_SIZE ? size : SINK_SIZE;
    memcpy(sink_room(sink, part), from, part);
    sink->used += part;
    from += part;
    size -= part;
  }
}
