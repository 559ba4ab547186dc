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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "parse.h"
#include "target.h"
#include "trigger.h"

bool parse_trigger(struct trigger *t, const char *text, char *why,
                   size_t why_size)
{
  const char *greater = strrchr(text, '>');
  size_t length = greater == NULL ? strlen(text) : (size_t) (greater - text);
  t->text = text;
  t->longer_than = -1;
  while (length > 0 && text[length - 1] == ' ') length--;
  if (length == 0 || length >= sizeof t->name) {
    snprintf(why, why_size, "what is the name in '%s'?", text);
    return false;
  }
  memcpy(t->name, text, length);
  t->name[length] = '\0';
  if (greater == NULL) return true;
  greater += 1 + strspn(greater + 1, " ");
  if (parse_duration(greater, &t->longer_than)) return true;
  snprintf(why, why_size, "'%s' is not a time such as 10ms", greater);
  return false;
}

struct trigger_watch {
  struct eventring_cursor *cursor;
  struct spans *spans;
  struct requests *requests;
  uint32_t rings;
  bool *seen;                     /* rings with events before; events lost
                                     before the first one are no loss now */
};

struct trigger_watch *new_trigger_watch(struct eventring_cursor *cursor)
{
  struct trigger_watch *w = allocate(1, sizeof *w);
  w->cursor = cursor;
  w->spans = new_spans(cursor);
  w->requests = new_requests(cursor);
  w->rings = target_info(cursor).rings;
  w->seen = allocate(w->rings + 1, sizeof *w->seen);
  return w;
}

void free_trigger_watch(struct trigger_watch *w)
{
  if (w == NULL) return;
  free_spans(w->spans);
  free_requests(w->requests);
  free(w->seen);
  free(w);
}

struct happening happening_of(struct eventring_cursor *cursor,
                              const struct spans *spans,
                              struct requests *requests,
                              const struct eventring_event *event)
{
  struct happening h = { NULL, -1 };
  if (event->form == EVENTRING_EV_CONTROL_CHANGED) return h;
  if (event->form == EVENTRING_EV_LOST) {
    h.name = "lost";
    return h;
  }
  const struct eventring_description *d = eventring_describe(cursor, event->id);
  if (d == NULL) return h;
  h.name = d->name;
  int64_t since = INT64_MAX;
  if (event->form == EVENTRING_EV_END) {
    const struct eventring_event *begin = begin_of(spans, event);
    if (begin != NULL) since = begin->ns;
    else request_begin(requests, event, &since);
    if (since <= event->ns) h.took_ns = time_since(event->ns, since);
  } else if (event->form == EVENTRING_EV_INSTANT && event->words > 0
             && d->kind == EVENTRING_KIND_COMPLETE)
    h.took_ns = (int64_t) event->payload[0];
  return h;
}

struct happening trigger_look(struct trigger_watch *w,
                              const struct eventring_event *event)
{
  struct happening h = happening_of(w->cursor, w->spans, w->requests, event);
  struct ended_request request;
  int64_t since;
  span_ended(w->spans, event, &since);
  request_ended(w->requests, event, &request);
  if (event->form == EVENTRING_EV_CONTROL_CHANGED || event->ring >= w->rings)
    return h;
  if (event->form == EVENTRING_EV_LOST && !w->seen[event->ring]) h.name = NULL;
  w->seen[event->ring] = true;
  return h;
}

bool trigger_names(const struct trigger *t, const struct happening *h)
{
  return h->name != NULL && strcmp(h->name, t->name) == 0;
}

bool trigger_fires(const struct trigger *t, const struct happening *h)
{
  return (t->longer_than < 0 || h->took_ns > t->longer_than) && trigger_names(t, h);
}
