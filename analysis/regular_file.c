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
#include <fcntl.h>
#include <unistd.h>
#include "regular_file.h"

int open_regular(const char *path, struct stat *st)
{
  if (stat(path, st) < 0) return -1;
  if (S_ISREG(st->st_mode)) {
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || (fstat(fd, st) == 0 && S_ISREG(st->st_mode))) return fd;
    /* Another file took its place. */
    close(fd);
  }
  errno = 0;
  return -1;
}
