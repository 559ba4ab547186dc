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

/* Profiles as text. */

#ifndef TOOLS_PROFILE_TEXT_H
#define TOOLS_PROFILE_TEXT_H

#include "profile.h"

/* Prints one line with the process, the number of samples and their processor
   time. */
void print_profile_head(struct eventring_cursor *cursor,
                        const struct profile *profile);

/* Prints a row for each entry of a table. */
void print_profile_table(const struct profile *profile, enum profile_by by);

/* Prints the same for both profiles and the difference of their shares, the
   largest difference first. */
void print_profile_diff(const struct profile *profile,
                        const struct profile *base,
                        enum profile_by by);

/* Prints the tree of calls; calls below a thousandth of all are left out. */
void print_profile_tree(const struct profile *profile, bool inverted);

/* Prints a line for each stack: the functions from the root on, separated by
   semicolons, a blank, and the nanoseconds. */
void print_folded(const struct profile *profile);

/* Prints the source lines of [what], a file or a function, with their shares.
   Returns false, with a message, when no sample is in them. */
bool print_annotated(const struct profile *profile, const char *what);

#endif /* TOOLS_PROFILE_TEXT_H */
