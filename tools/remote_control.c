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

/* See remote_control.h. */

#include <stdio.h>
#include <string.h>
#include "common.h"
#include "hub_client.h"
#include "hub_target.h"
#include "remote_control.h"
#include "text.h"

bool is_remote(const struct command *command, const char *operand,
               const char *dir, struct control_request *request)
{
  if (operand == NULL && has_hub_option())
    usage_error(command, "%s: missing process (eventring ps --hub lists them)",
                command->name);
  if (operand == NULL
      || !parse_hub_target(command, operand, request->node, request->process))
    return false;
  if (dir != NULL)
    usage_error(command, "%s: --dir is for processes of this machine",
                command->name);
  return true;
}

/* Prints [text] of another machine: lines with tabs, and nothing that controls a
   terminal. */
static void print_lines(FILE *out, const char *text)
{
  while (*text != '\0') {
    const size_t length = strcspn(text, "\t\n");
    print_text(out, text, length, TEXT_LINE);
    text += length;
    if (*text != '\0') putc(*text++, out);
  }
}

enum status control_remote(const struct command *command,
                           struct control_request *request, int count,
                           char *const arguments[])
{
  char why[512];
  json_t *answer = NULL;
  if (count > CONTROL_ARGUMENTS)
    usage_error(command, "%s: more than %d names", command->name,
                CONTROL_ARGUMENTS);
  for (int i = 0; i < count; i++) request->arguments[i] = arguments[i];
  request->command = command->name;
  json_t *body = json_of_control_request(request);
  if (body == NULL) usage_error(command, "%s: a name is not UTF-8",
                                command->name);
  answer = post_to_hub(chosen_hub(command), "/fleet/control", body, why,
                       sizeof why);
  json_decref(body);
  if (answer == NULL) {
    complain("%s", why);
    return STATUS_CANNOT_READ;
  }
  const json_t *status = json_object_get(answer, "status");
  const char *output = json_string_value(json_object_get(answer, "output"));
  const char *errors = json_string_value(json_object_get(answer, "errors"));
  enum status result = STATUS_CANNOT_READ;
  if (!json_is_integer(status) || json_integer_value(status) < 0
      || json_integer_value(status) > STATUS_CANNOT_WRITE || output == NULL
      || errors == NULL) {
    complain("an answer that is not of an agent");
  } else {
    print_lines(stdout, output);
    print_lines(stderr, errors);
    result = (enum status) json_integer_value(status);
  }
  json_decref(answer);
  return finish_output(result);
}
