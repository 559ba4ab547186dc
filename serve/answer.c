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
#include "answer.h"
#include "json.h"

struct answer refusal(unsigned status, const char *format, ...)
{
  char why[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  return (struct answer) {
    .status = status, .json = json_pack("{s:o}", "error", json_text(why))
  };
}
