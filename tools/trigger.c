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
#include "parse.h"
#include "trigger.h"

void parse_trigger(const struct command *command, struct trigger *t,
                   const char *text)
{
  const char *greater = strrchr(text, '>');
  size_t length = greater == NULL ? strlen(text) : (size_t) (greater - text);
  t->text = text;
  t->longer_than = -1;
  while (length > 0 && text[length - 1] == ' ') length--;
  if (length == 0 || length >= sizeof t->name)
    usage_error(command, "%s: --trigger: what is the name in '%s'?",
                command->name, text);
  memcpy(t->name, text, length);
  t->name[length] = '\0';
  if (greater == NULL) return;
  greater += 1 + strspn(greater + 1, " ");
  if (!parse_duration(greater, &t->longer_than))
    usage_error(command, "%s: --trigger: %s is not a time such as 10ms",
                command->name, greater);
}
