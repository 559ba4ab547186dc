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

/* See markup.h. */

#include <stdlib.h>
#include "memory.h"
#include "runs/markup.h"
#include "text.h"

void print_markup(FILE *out, const char *text)
{
  char *safe = escape_text(text, TEXT_LINE);
  if (safe == NULL) {
    out_of_memory();
    return;
  }
  for (const char *c = safe; *c != '\0'; c++)
    switch (*c) {
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '&': fputs("&amp;", out); break;
    case '"': fputs("&quot;", out); break;
    case '\'': fputs("&#39;", out); break;
    default: putc(*c, out);
    }
  free(safe);
}
