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

/* Series of versions as a page of HTML. */

#ifndef TOOLS_RUNS_SERIES_HTML_H
#define TOOLS_RUNS_SERIES_HTML_H

#include <stdio.h>
#include "runs/series.h"

/* Prints [result] as one page with charts, which needs no network and has no
   script.  It is well-formed XML, too, and the same for the same result. */
void print_series_html(FILE *out, const struct timeline_result *result);

#endif /* TOOLS_RUNS_SERIES_HTML_H */
