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

/* The page of HTML that eventring compare --html writes. */

#ifndef TOOLS_RUNS_COMPARISON_HTML_H
#define TOOLS_RUNS_COMPARISON_HTML_H

#include "command.h"
#include "runs/comparison_text.h"

/* Writes the comparison [out] to the new file [path], or to standard output if
   it is "-"; with [force], an existing file is replaced.  The page needs neither
   scripts nor other files, and is the same for the same comparison.  Returns
   STATUS_OK, or STATUS_CANNOT_WRITE with a message. */
enum status write_comparison_html(const char *path, bool force,
                                  struct comparison_output *out);

#endif /* TOOLS_RUNS_COMPARISON_HTML_H */
