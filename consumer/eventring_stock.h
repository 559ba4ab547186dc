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

/* Of stock OCaml's .events files, what eventring_stock.c and
   eventring_stock_version.c share. */

#ifndef EVENTRING_STOCK_H
#define EVENTRING_STOCK_H

#include <stddef.h>

/* Finds the version of OCaml, such as "5.3.0", that the executable of process
   [pid] was made by.  Returns its second number, 3, and the text in [version];
   or -1 and "" when it cannot be told. */
int eventring_stock_version(int pid, char *version, size_t size);

#endif /* EVENTRING_STOCK_H */
