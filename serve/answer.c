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


#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "answer.h"
#include "json.h"
#include "memory.h"
#include "text.h"

struct answer refusal(unsigned status, const char *format, ...)
{
  char why[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  char *line = escape_text(why, TEXT_LINE);
  if (line == NULL) out_of_memory();
  json_t *json = json_pack("{s:o}", "error", json_text(line));
  free(line);
  return (struct answer) { .status = status, .json = json };
}
