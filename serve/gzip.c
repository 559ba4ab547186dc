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

#define ZLIB_CONST
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#include "gzip.h"

/* The window of zlib, and the number that asks for the format of gzip. */
#define WINDOW_BITS (15 + 16)
#define MEMORY_LEVEL 8

/* Returns whether the [length] bytes at [text], an element of Accept-Encoding
   such as gzip;q=0.5, allow gzip. */
static bool allows(const char *text, size_t length)
{
  static const char name[] = "gzip";
  const size_t known = sizeof name - 1;
  if (length < known || strncasecmp(text, name, known) != 0) return false;
  const char *at = text + known, *end = text + length;
  while (at < end && strchr(" \t;", *at) != NULL) at++;
  if (at == end) return true;
  if (at == text + known || end - at < 2 || strncasecmp(at, "q=", 2) != 0)
    return false;
  /* The weight 0, in any number of digits, forbids. */
  for (at += 2; at < end; at++)
    if (*at >= '1' && *at <= '9') return true;
  return false;
}

bool accepts_gzip(const char *accepted)
{
  const char *at = accepted;
  while (at != NULL && *at != '\0') {
    at += strspn(at, " \t,");
    const size_t length = strcspn(at, ",");
    if (allows(at, length)) return true;
    at += length;
  }
  return false;
}

char *gzip(const char *bytes, size_t size, size_t *compressed)
{
  z_stream stream = { .zalloc = Z_NULL };
  if (size > UINT_MAX
      || deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS,
                      MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    return NULL;
  char *result = malloc(size);
  stream.next_in = (const Bytef *) bytes;
  stream.avail_in = (uInt) size;
  stream.next_out = (Bytef *) result;
  stream.avail_out = (uInt) size;
  const bool whole = result != NULL
                     && deflate(&stream, Z_FINISH) == Z_STREAM_END;
  *compressed = stream.total_out;
  deflateEnd(&stream);
  if (whole) return result;
  free(result);
  return NULL;
}
