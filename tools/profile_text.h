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
#include "profile_origin.h"

/* Prints one line with the process or the number of processes, and the sums of
   the samples.  [earlier] is NULL or the profile of an earlier time, and then
   the line has the growth since that time. */
void print_profile_head(const struct profile_origin *origin,
                        const struct profile *profile,
                        const struct profile *earlier);

/* Prints a row for each entry of a table, with the standard errors of the shares
   but for PROFILE_IO, whose operations are all recorded.  When several builds of a merged
   profile have the same function, each row names its build. */
void print_profile_table(const struct profile *profile, enum profile_by by);

/* Prints the first [max] rows of this table. */
void print_profile_top(const struct profile *profile, enum profile_by by,
                       size_t max);

/* Prints the same for both profiles and the difference of their shares with its
   standard error, the largest difference first.  Adds up the builds of a merged profile. */
void print_profile_diff(const struct profile *profile,
                        const struct profile *base,
                        enum profile_by by);

/* Prints a row for each entry of either profile, of blocks that were alive at
   two times, with the difference: the largest growth first. */
void print_profile_growth(const struct profile *profile,
                          const struct profile *earlier, enum profile_by by);

/* Prints the tree of calls; calls below a thousandth of all are left out. */
void print_profile_tree(const struct profile *profile, bool inverted);

/* Prints a line for each stack: the functions from the root on, separated by
   semicolons, a blank, and the weight in nanoseconds or bytes. */
void print_folded(const struct profile *profile);

/* Prints the source lines of [what], a file or a function, with their shares.
   Returns false, with a message, when no sample is in them. */
bool print_annotated(const struct profile *profile, const char *what);

#endif /* TOOLS_PROFILE_TEXT_H */
