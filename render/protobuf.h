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

/* Messages of protocol buffers, written field by field:
   https://protobuf.dev/programming-guides/encoding/ */

#ifndef RENDER_PROTOBUF_H
#define RENDER_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* A message that is being built; all zeros is an empty one.  Its memory grows
   with it; free_message frees it. */
struct message {
  char *bytes, *end, *limit;
};

#define VARINT 10                 /* bytes of the longest varint */

/* Writes [n] as a varint, of at most VARINT bytes, at [out] and returns its
   end. */
char *put_varint(char *out, uint64_t n);

static inline size_t message_size(const struct message *m)
{
  return (size_t) (m->end - m->bytes);
}

/* Makes [m] empty, and keeps its memory. */
static inline void clear_message(struct message *m)
{
  m->end = m->bytes;
}

void free_message(struct message *m);

/* Add bytes or a varint without a field, as for a packed field. */
void append_bytes(struct message *m, const void *bytes, size_t length);
void append_varint(struct message *m, uint64_t n);

/* Add the field numbered [field] to [m]: add_number a varint, add_nonzero the
   same but nothing for 0, which is the default of proto3; add_fixed a 64-bit
   number; add_double a number; add_bytes [length] bytes; add_text a string,
   which should be UTF-8; add_message a copy of [inner]; move_message the same,
   and empties [inner]. */
void add_number(struct message *m, uint32_t field, uint64_t n);
void add_nonzero(struct message *m, uint32_t field, uint64_t n);
void add_fixed(struct message *m, uint32_t field, uint64_t n);
void add_double(struct message *m, uint32_t field, double n);
void add_bytes(struct message *m, uint32_t field, const void *bytes,
               size_t length);
void add_text(struct message *m, uint32_t field, const char *text);
void add_message(struct message *m, uint32_t field,
                 const struct message *inner);
void move_message(struct message *m, uint32_t field, struct message *inner);

#endif /* RENDER_PROTOBUF_H */
