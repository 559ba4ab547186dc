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

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "address.h"
#include "operand.h"
#include "parse.h"

uint32_t take_process(char *target)
{
  char *colon = strrchr(target, ':');
  if (colon == NULL || !is_number(colon + 1) || strlen(colon + 1) > 4
      || access(target, F_OK) == 0 || is_stream(target))
    return 0;
  unsigned long number = strtoul(colon + 1, NULL, 10);
  if (number == 0) return 0;
  *colon = '\0';
  /* A process id has no processes. */
  if (is_number(target)) {
    *colon = ':';
    return 0;
  }
  return (uint32_t) number;
}
