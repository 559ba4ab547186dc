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

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "actions.h"
#include "locks.h"
#include "saved_edit.h"
#include "settings.h"
#include "store_edit.h"

/* Held by the thread that makes a change, so that a recording and its note stay
   together. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The names of the actions, with the member that each needs besides the name. */
static const struct { const char *name, *member; } actions[] = {
  { "delete", NULL }, { "rename", "to" }, { "note", "note" }
};
#define ACTIONS_COUNT (sizeof actions / sizeof *actions)

static const char *text_of(const struct asked *asked, const char *member)
{
  return json_string_value(json_object_get(asked->body, member));
}

/* Makes the change [action], an index of [actions], of the recording [name]; [text] is
   the other member. */
static enum store_change make_change(const char *store, size_t action,
                                     const char *name, const char *text,
                                     char *why, size_t why_size)
{
  pthread_mutex_lock(&lock);
  const enum store_change change =
    action == 0 ? delete_stored(store, name, why, why_size)
    : action == 1 ? rename_stored(store, name, text, why, why_size)
    : note_stored(store, name, text, why, why_size);
  pthread_mutex_unlock(&lock);
  return change;
}

struct answer edit_saved(const struct asked *asked)
{
  static const unsigned statuses[] = {
    [STORE_DONE] = 200, [STORE_WRONG] = 400, [STORE_ABSENT] = 404,
    [STORE_FAILED] = 409
  };
  const char *wanted = text_of(asked, "action"), *name = text_of(asked, "name");
  char why[512], what[512];
  size_t i = 0;
  while (i < ACTIONS_COUNT
         && (wanted == NULL || strcmp(actions[i].name, wanted) != 0))
    i++;
  if (i == ACTIONS_COUNT) return refusal(400, "action: delete, rename or note");
  const char *member = actions[i].member;
  const char *text = member == NULL ? "" : text_of(asked, member);
  if (name == NULL) return refusal(400, "name: of a recording in the store");
  if (text == NULL) return refusal(400, "%s: a text", member);
  if (asked->settings->store == NULL)
    return refusal(409, "there is no store: set EVENTRING_STORE");
  const enum store_change change =
    make_change(asked->settings->store, i, name, text, why, sizeof why);
  snprintf(what, sizeof what, "%s %.200s%s%.200s", wanted, name,
           text[0] == '\0' ? "" : ": ", text);
  add_action(asked->origin, 0, what, change == STORE_DONE ? "ok" : why);
  if (change != STORE_DONE) return refusal(statuses[change], "%s", why);
  return (struct answer) { .status = 200, .json = json_object() };
}
