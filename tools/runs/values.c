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

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "runs/values.h"

const char *format_figure(char buffer[FIGURE_SIZE], const char *unit,
                          double value)
{
  char text[QUANTITY_SIZE];
  if (strcmp(unit, "ns") == 0) format_duration(text, (uint64_t) value);
  else if (strcmp(unit, "bytes") == 0) format_bytes(text, (uint64_t) value);
  else if (strcmp(unit, "share") == 0) format_share(text, value);
  else format_count(text, value);
  snprintf(buffer, FIGURE_SIZE, "%s%s", text,
           strcmp(unit, "words") == 0 ? " words" : "");
  return buffer;
}

const char *format_fact(char *text, size_t size, const json_t *values)
{
  size_t used = 0, count = json_array_size(values);
  text[0] = '\0';
  for (size_t i = 0; i < count && used < size; i++) {
    const json_t *value = json_array_get(values, i);
    char *dumped = json_is_string(value) ? NULL
                   : dump_json(value, JSON_COMPACT | JSON_ENCODE_ANY);
    used += (size_t) snprintf(text + used, size - used, "%s%s",
                              i > 0 ? ", " : "", dumped != NULL ? dumped
                              : json_string_value(value));
    free(dumped);
  }
  if (used >= size) memcpy(text + size - 4, "...", 4);
  return text;
}

json_t *json_known(double value)
{
  if (!isfinite(value)) return json_null();
  bool is_whole = value == floor(value) && fabs(value) < 9e15;
  return is_whole ? json_integer((json_int_t) value) : json_real(value);
}
