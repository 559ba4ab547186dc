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

/* The types of profiles in words: names, units, sums. */

#ifndef RENDER_PROFILE_TYPES_H
#define RENDER_PROFILE_TYPES_H

#include "profile.h"
#include "profile_origin.h"
#include "text.h"

struct profile_type_words {
  const char *name;               /* of --type */
  bool weighs_bytes;              /* the weight is in bytes; else in ns */
  bool has_blocks;                /* [extra] is a number of blocks */
  const char *samples;            /* "samples", perhaps of something */
  const char *variables;          /* that make a program take them from its
                                     start */
  const char *categories;         /* for eventring enable */
  const char *scarce;             /* why a program has none so far */
};
extern const struct profile_type_words profile_type_words[PROFILE_TYPES];

/* The kinds of functions, as formats have them. */
extern const char *const frame_kind_names[FRAME_KINDS];

/* Sets *type to the type with [name].  Returns false when there is none. */
bool parse_profile_type(const char *name, enum profile_type *type);

/* Writes [weight], of a profile of [type], with its unit into [buffer].
   Returns [buffer]. */
const char *format_weight(char buffer[QUANTITY_SIZE], enum profile_type type,
                          uint64_t weight);

/* Writes [n], in short form from 1000 on, into [buffer].  Returns [buffer]. */
const char *format_number(char buffer[QUANTITY_SIZE], uint64_t n);

/* Room for format_sums. */
#define SUMS_SIZE 256

/* Writes the sums of [profile] in words into [buffer], such as
   "310 ms of processor time in 5 samples".  Returns [buffer]. */
const char *format_sums(char buffer[SUMS_SIZE],
                        const struct profile_origin *origin,
                        const struct profile *profile);

#endif /* RENDER_PROFILE_TYPES_H */
