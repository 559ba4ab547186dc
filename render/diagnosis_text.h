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

/* The results of diagnosis.h in one sentence. */

#ifndef RENDER_DIAGNOSIS_TEXT_H
#define RENDER_DIAGNOSIS_TEXT_H

#include "diagnosis.h"

/* Room for any verdict. */
#define VERDICT_SIZE 512

/* Writes a sentence to [buffer]: the most important finding of [d], which was
   finished, or that all is well or not known; and, if they are known, the
   collector's share of the active time and the longest pause.  ASCII, words with
   one space between.  Returns [buffer]. */
const char *format_verdict(char buffer[VERDICT_SIZE],
                           const struct diagnosis *d);

#endif /* RENDER_DIAGNOSIS_TEXT_H */
