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

/* A table for people: lines of columns as wide as they must be, separated by
   two spaces.

     struct columns *c = new_columns(titles, 3);
     for each line: add_line(c); set_column(c, 0, "%d", pid); ...
     print_lines(c); */

#ifndef TOOLS_COLUMNS_H
#define TOOLS_COLUMNS_H

#include <stddef.h>

struct columns;

/* Creates a table with a line of the [count] titles, which is given to
   print_lines.  Never returns NULL (see memory.h). */
struct columns *new_columns(const char *const *titles, int count);

/* Adds a line, in which all columns are "-". */
void add_line(struct columns *table);

/* Sets the text of [column] of the last line, escaped (TEXT_COLUMN of text.h)
   and cut to 4599 bytes. */
__attribute__((format(printf, 3, 4)))
void set_column(struct columns *table, int column, const char *format, ...);

/* Prints the table on standard output, and frees it. */
void print_lines(struct columns *table);

#endif /* TOOLS_COLUMNS_H */
