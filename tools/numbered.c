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

#define _GNU_SOURCE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "numbered.h"

char *numbered_path(const char *path, uint32_t number)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash == NULL ? path : slash + 1;
  const char *dot = strrchr(name, '.');
  char *result;
  if (dot == NULL || dot == name) dot = name + strlen(name);
  int n = number == 1
    ? asprintf(&result, "%s", path)
    : asprintf(&result, "%.*s.%" PRIu32 "%s", (int) (dot - path), path, number,
               dot);
  if (n < 0) {
    complain("not enough memory");
    exit(STATUS_CANNOT_WRITE);
  }
  return result;
}
