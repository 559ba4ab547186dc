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

/* What a profile leaves out, and how to get it, in notes for the user. */

#ifndef TOOLS_PROFILE_NOTES_H
#define TOOLS_PROFILE_NOTES_H

#include "profile.h"

/* Prints, as notes, how many samples the [sums] leave out, and why. */
void note_left_out(const struct profile_sums *sums);

/* Prints, as notes, why [profile] is incomplete or empty, and how to take the
   samples that are missing; the cursor of the profile is [cursor]. */
void note_missing_samples(struct eventring_cursor *cursor,
                          const struct profile *profile);

#endif /* TOOLS_PROFILE_NOTES_H */
