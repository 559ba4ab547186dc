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

/* Text in pages of HTML and in drawings. */

#ifndef TOOLS_RUNS_MARKUP_H
#define TOOLS_RUNS_MARKUP_H

#include <stdio.h>

/* Prints [text], any bytes, as text of markup or of an attribute in quotes:
   control characters, and bytes that are not UTF-8, become \xHH. */
void print_markup(FILE *out, const char *text);

#endif /* TOOLS_RUNS_MARKUP_H */
