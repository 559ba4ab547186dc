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

/* Filters as one text, such as 'minor* domain=0 > 1ms'. */

#ifndef ANALYSIS_FILTER_WORDS_H
#define ANALYSIS_FILTER_WORDS_H

#include "filter.h"

/* Restricts [filter] by each word of [words], which are separated by spaces:
   PROPERTY=VALUE, or VALUE for name=VALUE, or > TIME for longer-than=TIME, as in the
   triggers of rules; a name with a > before a digit needs quotes.  Of several times,
   the longest holds.  Properties are called as the options of `eventring events`:
   categories, domain, form, longer-than, name, thread.  A value in double quotes may
   have spaces.  Changes [words], which must stay valid as long as the filter.
   Returns true on success; false, with a message in [why], a buffer of [why_size]
   bytes, when a word is not understood. */
bool filter_words(struct filter *filter, char *words, char *why,
                  size_t why_size);

#endif /* ANALYSIS_FILTER_WORDS_H */
