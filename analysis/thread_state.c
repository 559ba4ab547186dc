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

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "thread_state.h"

char thread_state(uint32_t pid, uint32_t thread)
{
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/stat", pid,
           thread);
  FILE *file = fopen(path, "re");
  if (file == NULL) return 0;
  size_t n = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[n] = '\0';
  const char *name_end = strrchr(line, ')');
  return name_end != NULL && name_end[1] == ' ' ? name_end[2] : 0;
}
