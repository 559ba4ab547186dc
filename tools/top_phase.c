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
#include <string.h>
#include "target.h"
#include "top_phase.h"

const char *format_age(char buffer[QUANTITY_SIZE], int64_t ns)
{
  long long s = ns < 0 ? 0 : ns / SECOND_NS;
  if (s < 60)
    snprintf(buffer, QUANTITY_SIZE, "%lld s", s);
  else if (s < 3600)
    snprintf(buffer, QUANTITY_SIZE, "%lld m %lld s", s / 60, s % 60);
  else if (s < 86400)
    snprintf(buffer, QUANTITY_SIZE, "%lld h %lld m", s / 3600, s / 60 % 60);
  else
    snprintf(buffer, QUANTITY_SIZE, "%lld d %lld h", s / 86400,
             s / 3600 % 24);
  return buffer;
}

/* Returns whether the known threads of the domain [d] sleep: at least one
   thread has a known state, and none is running. */
static bool is_asleep(const struct phase_facts *f, const struct live_domain *d)
{
  bool any = false;
  for (size_t i = 0; i < sizeof d->threads / sizeof *d->threads; i++) {
    char state = eventring_thread_state(f->cursor, d->threads[i]);
    if (state == 'R') return false;
    any |= state != 0 && state != 'X';
  }
  return any;
}

/* Returns the length of the part of [wait], the name of a wait, before "_wait"
   or "_section": that of "mutex" in "mutex_wait" and of "blocking" in
   "blocking_section".  Returns the length of all other names unchanged. */
static size_t stem_length(const char *wait)
{
  size_t length = strlen(wait);
  const char *last = strrchr(wait, '_');
  if (last != NULL
      && (strcmp(last, "_wait") == 0 || strcmp(last, "_section") == 0))
    length = (size_t) (last - wait);
  return length;
}

void fill_phase(const struct phase_facts *f, const struct live_domain *d,
                       char *phase, size_t size)
{
  int64_t quiet = time_since(f->now, d->last_event_ns);
  char age[QUANTITY_SIZE];
  if (d->ended)
    snprintf(phase, size, "ended");
  else if (f->running && f->paused)
    snprintf(phase, size, "not recorded");
  else if (d->runtime_span[0] != '\0')
    snprintf(phase, size, "%s", d->runtime_span);
  else if (f->running && is_asleep(f, d)) {
    if (d->wait_share >= 0.5 && quiet < SECOND_NS)
      snprintf(phase, size, "waiting: %.*s", (int) stem_length(d->wait),
               d->wait);
    else if (quiet >= SECOND_NS)
      snprintf(phase, size, "waiting %s", format_age(age, quiet));
    else
      snprintf(phase, size, "waiting");
  } else
    snprintf(phase, size, "%s", d->user_span[0] != '\0' ? d->user_span
                                : f->running ? "running" : "");
}
