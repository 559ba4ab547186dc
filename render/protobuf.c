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
#include "memory.h"
#include "protobuf.h"

/* The types of fields; the type of varints is 0. */
enum { TYPE_FIXED = 1, TYPE_LENGTH = 2 };

char *put_varint(char *out, uint64_t n)
{
  for (; n >= 0x80; n >>= 7) *out++ = (char) (n | 0x80);
  *out++ = (char) n;
  return out;
}

/* Gives [m] room for [size] more bytes.  Its bytes may move. */
static void need_room(struct message *m, size_t size)
{
  size_t used = message_size(m);
  if (size <= (size_t) (m->limit - m->end)) return;
  size_t room = 2 * used + size + 1024;
  char *bytes = reallocate(m->bytes, room, 1);
  *m = (struct message) { bytes, bytes + used, bytes + room };
}

void free_message(struct message *m)
{
  free(m->bytes);
  *m = (struct message) { NULL, NULL, NULL };
}

void append_bytes(struct message *m, const void *bytes, size_t length)
{
  if (length == 0) return;
  need_room(m, length);
  memcpy(m->end, bytes, length);
  m->end += length;
}

void append_varint(struct message *m, uint64_t n)
{
  need_room(m, VARINT);
  m->end = put_varint(m->end, n);
}

void add_number(struct message *m, uint32_t field, uint64_t n)
{
  need_room(m, 2 * VARINT);
  m->end = put_varint(put_varint(m->end, field << 3), n);
}

void add_nonzero(struct message *m, uint32_t field, uint64_t n)
{
  if (n != 0) add_number(m, field, n);
}

void add_fixed(struct message *m, uint32_t field, uint64_t n)
{
  need_room(m, VARINT + 8);
  m->end = put_varint(m->end, field << 3 | TYPE_FIXED);
  for (int i = 0; i < 8; i++) *m->end++ = (char) (n >> 8 * i);
}

void add_double(struct message *m, uint32_t field, double n)
{
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  add_fixed(m, field, bits);
}

void add_bytes(struct message *m, uint32_t field, const void *bytes,
               size_t length)
{
  need_room(m, 2 * VARINT + length);
  m->end = put_varint(put_varint(m->end, field << 3 | TYPE_LENGTH), length);
  append_bytes(m, bytes, length);
}

void add_text(struct message *m, uint32_t field, const char *text)
{
  add_bytes(m, field, text, strlen(text));
}

void add_message(struct message *m, uint32_t field, const struct message *inner)
{
  add_bytes(m, field, inner->bytes, message_size(inner));
}

void move_message(struct message *m, uint32_t field, struct message *inner)
{
  add_message(m, field, inner);
  clear_message(inner);
}
