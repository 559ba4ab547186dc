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

#include "ring_test.h"

static struct eventring_cursor *open_with(struct ring_file *f, int from_now)
{
  struct eventring_cursor *c;
  char why[512];
  struct eventring_options o = { .size = sizeof o, .from_now = from_now,
                                 .message = why, .message_size = sizeof why };
  if (eventring_open(f->path, &o, &c) < 0) fail_msg("%s", why);
  assert_non_null(c);
  return c;
}

struct eventring_cursor *ring_open(struct ring_file *f)
{
  return open_with(f, 0);
}

struct eventring_cursor *ring_open_from_now(struct ring_file *f)
{
  return open_with(f, 1);
}

void ring_refused(const char *path, int error)
{
  struct eventring_cursor *c = (struct eventring_cursor *) 1;
  char why[512] = "";
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why };
  int got = eventring_open(path, &o, &c);
  if (got != error)
    fail_msg("%s: %d, not %d: %s", path, got, error, why);
  assert_null(c);
  if (strchr(why, '\n') != NULL || strstr(why, path) == NULL
      || strlen(why) < strlen(path) + 10)
    fail_msg("not a line that says what is wrong with %s: '%s'", path, why);
}

size_t ring_read_all(struct eventring_cursor *c, struct eventring_event *to,
                     size_t max, int *damaged)
{
  struct eventring_event batch[64];
  size_t n = 0;
  int got;
  for (;;) {
    got = eventring_read(c, batch, 64);
    if (got == EVENTRING_E_DAMAGED && damaged != NULL) {
      ++*damaged;
      continue;
    }
    assert_true(got >= 0);
    if (got == 0) return n;
    for (int i = 0; i < got; i++)
      if (n < max) to[n++] = batch[i]; else n++;
  }
}
