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


/* See stream_name.h. */

#include <stdlib.h>
#include <string.h>
#include "stream_name.h"

bool is_stream_name(const char *name)
{
  const size_t length = strlen(name);
  return length >= 1 && length < STREAM_NAME_SIZE
    && strspn(name, "0123456789abcdefghijklmnopqrstuvwxyz-") == length;
}

uint32_t part_number(const char *name)
{
  const size_t digits = strspn(name, "0123456789");
  if (digits == 0 || digits > 9 || name[0] == '0'
      || strcmp(name + digits, ".evr") != 0)
    return 0;
  return (uint32_t) strtoul(name, NULL, 10);
}
