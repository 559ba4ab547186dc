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

#include <string.h>
#include "trace.h"

static const struct trace_format *const formats[] = {
  &trace_chrome, &trace_perfetto, &trace_ctf, &trace_otlp
};
#define FORMATS (sizeof formats / sizeof *formats)

const struct trace_format *trace_format_called(const char *name)
{
  for (size_t i = 0; i < FORMATS; i++)
    if (strcmp(formats[i]->name, name) == 0) return formats[i];
  return NULL;
}

/* Returns whether [text] ends with [ending] and is longer. */
static bool ends_with(const char *text, const char *ending)
{
  size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

const struct trace_format *trace_format_of_file(const char *path)
{
  if (strcmp(path, "-") == 0) return &trace_chrome;
  for (size_t i = 0; i < FORMATS; i++)
    for (int k = 0; k < TRACE_ENDINGS && formats[i]->endings[k] != NULL; k++)
      if (ends_with(path, formats[i]->endings[k])) return formats[i];
  return NULL;
}
