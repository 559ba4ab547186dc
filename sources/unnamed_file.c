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

#define _GNU_SOURCE               /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "unnamed_file.h"

const char *temporary_folder(void)
{
  const char *tmp = getenv("TMPDIR");
  return tmp != NULL && *tmp == '/' ? tmp : "/tmp";
}

int unnamed_file(const char *folder)
{
  char path[PATH_MAX];
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  /* The file system, or Linux before 3.11, does not have such files. */
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return fd;
  if (snprintf(path, sizeof path, "%s/.eventring-XXXXXX", folder)
      >= (int) sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0) unlink(path);
  return fd;
}

void descriptor_path(int fd, char path[DESCRIPTOR_PATH])
{
  snprintf(path, DESCRIPTOR_PATH, "/proc/self/fd/%d", fd);
}
