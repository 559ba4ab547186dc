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

/* Files with a path from a ring file, from machine code or from debug
   information, not from the user. */

#ifndef ANALYSIS_REGULAR_FILE_H
#define ANALYSIS_REGULAR_FILE_H

#include <sys/stat.h>

/* Opens the file at [path] for reading, if it is a regular file: to open a FIFO
   may wait, to open a device may do something to it.  Sets *st and returns the
   descriptor, which the caller closes; or returns -1 and sets errno, to 0 when
   the file is not regular. */
int open_regular(const char *path, struct stat *st);

#endif /* ANALYSIS_REGULAR_FILE_H */
