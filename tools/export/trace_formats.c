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
#include "trace_formats.h"

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

static void say(void *state, const char *message)
{
  (void) state;
  note("%s", message);
}

enum status write_trace(struct trace *t, struct source *sources, int count,
                        bool follow)
{
  struct eventring_cursor **cursors = allocate((size_t) count,
                                               sizeof *cursors);
  for (int i = 0; i < count; i++) cursors[i] = sources[i].cursor;
  t->follow = follow;
  t->say = say;
  begin_trace(t, cursors, count);
  free(cursors);
  for (int i = 0; i < count; i++) sources[i].state = &t->processes[i];
  enum status status = read_sources(sources, count, &(struct reading) {
    .follow = follow, .changes = true, .open_spans = true, .state = t,
    .event = trace_event, .pass = trace_pass
  });
  end_trace(t);
  return status;
}
