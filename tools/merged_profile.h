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

/* The profile of many processes: of a hub, or of files and this machine.  Each
   is read by itself, so that memory is needed for one of them and for the
   stacks of all. */

#ifndef TOOLS_MERGED_PROFILE_H
#define TOOLS_MERGED_PROFILE_H

#include "all_processes.h"
#include "hub_url.h"
#include "profile.h"
#include "profile_origin.h"

/* The samples that count. */
struct profile_selection {
  enum profile_type type;
  int64_t at;                     /* see profile_set_time; -1: the end */
  struct filter *filter;
  const struct condition *conditions;
  size_t conditions_count;
  const char *version;            /* only of programs whose build id begins with
                                     these digits; NULL: of all */
  const char *code;               /* see symbols_in; NULL: none */
};

struct merged_profile {
  struct profile *profile;
  struct symbols *symbols;
  struct profile_origin origin;
  char **nodes;                   /* of [origin] */
  size_t nodes_room;
};

/* Creates an empty profile of the process of [cursor], with its samples that
   pass [selection].  The caller frees the profile with free_profile. */
struct profile *new_selected_profile(struct eventring_cursor *cursor,
                                     const struct profile_selection *selection);

/* Gives all events of [cursor] to [profile] and to [other], unless that is
   NULL. Returns as read_events. */
enum status read_samples(struct eventring_cursor *cursor,
                         struct profile *profile, struct profile *other);

/* Returns whether [text] may be the prefix of a build id: hexadecimal
   digits. */
bool is_build_id(const char *text);

/* Fills [m] with the samples of all processes of the hub, or of the [count]
   nodes in [nodes], each with a slash at its end, that pass [selection].  A
   recording that cannot be read gets a message and is left out.  If the hub
   does not answer, prints a message and ends the program.  Returns STATUS_OK,
   or STATUS_CANNOT_READ if recordings are left out or damaged.  The caller
   frees [m]. */
enum status merge_hub_profiles(struct merged_profile *m,
                               const struct hub_url *url, char *const *nodes,
                               size_t count,
                               const struct profile_selection *selection);

/* Does the same for the processes [all], whose cursors it closes. */
enum status merge_profiles(struct merged_profile *m, struct all_processes *all,
                           const struct profile_selection *selection);
void free_merged_profile(struct merged_profile *m);

#endif /* TOOLS_MERGED_PROFILE_H */
