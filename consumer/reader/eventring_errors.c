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

/* Version, error codes and messages of libeventring, and option structs. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "eventring_reader.h"
#include "eventring_source.h"

#define OPTIONS_UNKNOWN \
  "options of %zu bytes set something that this library, which knows %zu, " \
  "does not have: use a newer libeventring"
const char *eventring_reader_version(void)
{
  return EVENTRING_READER_VERSION;
}

const char *eventring_strerror(int error)
{
  switch (error) {
  case EVENTRING_OK: return "no error";
  case EVENTRING_E_NOT_FOUND: return "no such file or process";
  case EVENTRING_E_PERMISSION: return "permission denied";
  case EVENTRING_E_SYSTEM: return "the system refused";
  case EVENTRING_E_NOT_A_RING: return "not a ring file";
  case EVENTRING_E_VERSION: return "a ring file of another major version";
  case EVENTRING_E_HEADER: return "impossible header of a ring file";
  case EVENTRING_E_TRUNCATED: return "cut shorter while it was read";
  case EVENTRING_E_MEMORY: return "out of memory";
  case EVENTRING_E_DAMAGED: return "damaged block";
  case EVENTRING_E_ARGUMENT: return "invalid argument";
  default: return "unknown error";
  }
}

/* Replaces control characters by "?", so that the message stays one line: names
   of files may hold any bytes. */
int fail(const struct eventring_options *options, int error,
         const char *format, ...)
{
  if (options->message != NULL && options->message_size > 0) {
    va_list args;
    va_start(args, format);
    vsnprintf(options->message, options->message_size, format, args);
    va_end(args);
    for (char *p = options->message; *p != 0; p++)
      if ((unsigned char) *p < ' ' || *p == 127) *p = '?';
  }
  return error;
}

int eventring_take_struct(void *mine, size_t size, const void *given)
{
  size_t given_size;
  memcpy(&given_size, given, sizeof given_size);
  if (given_size < sizeof given_size) return EVENTRING_E_ARGUMENT;
  memset(mine, 0, size);
  memcpy(mine, given, given_size < size ? given_size : size);
  for (size_t i = size; i < given_size; i++)
    if (((const char *) given)[i] != 0) return EVENTRING_E_ARGUMENT;
  return 0;
}

void eventring_give_struct(const void *mine, size_t size, void *given)
{
  size_t given_size;
  memcpy(&given_size, given, sizeof given_size);
  if (given_size > size) memset((char *) given + size, 0, given_size - size);
  memcpy((char *) given + sizeof given_size,
         (const char *) mine + sizeof given_size,
         (given_size < size ? given_size : size) - sizeof given_size);
}

int eventring_take_options(struct eventring_options *mine,
                           const struct eventring_options *given)
{
  int err;
  memset(mine, 0, sizeof *mine);
  if (given == NULL) return 0;
  err = eventring_take_struct(mine, sizeof *mine, given);
  if (mine->message != NULL && mine->message_size > 0) mine->message[0] = 0;
  if (err < 0) fail(mine, err, OPTIONS_UNKNOWN, given->size, sizeof *mine);
  return err;
}

int eventring_take_record_options(struct eventring_record_options *mine,
                                  const struct eventring_record_options *given)
{
  struct eventring_options say = { .size = sizeof say };
  int err;
  memset(mine, 0, sizeof *mine);
  if (given == NULL) return 0;
  err = eventring_take_struct(mine, sizeof *mine, given);
  say.message = mine->message;
  say.message_size = mine->message_size;
  if (err < 0) fail(&say, err, OPTIONS_UNKNOWN, given->size, sizeof *mine);
  return err;
}

int eventring_error_of(int error)
{
  switch (error) {
  case ENOENT: case ENOTDIR: return EVENTRING_E_NOT_FOUND;
  case EACCES: case EPERM: case EROFS: return EVENTRING_E_PERMISSION;
  case EISDIR: return EVENTRING_E_NOT_A_RING;
  case ENOMEM: return EVENTRING_E_MEMORY;
  default: return EVENTRING_E_SYSTEM;
  }
}
