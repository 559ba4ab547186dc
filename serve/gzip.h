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

/* Compressed answers. */

#ifndef SERVE_GZIP_H
#define SERVE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether [accepted], the value of a header Accept-Encoding or NULL,
   allows gzip. */
bool accepts_gzip(const char *accepted);

/* Compresses [size] bytes in the format of gzip (RFC 1952).  Returns the result,
   which the caller frees, and sets *compressed to its size; NULL if there is no
   memory, or if the result is not smaller. */
char *gzip(const char *bytes, size_t size, size_t *compressed);

#endif /* SERVE_GZIP_H */
