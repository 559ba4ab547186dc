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

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "columns.h"
#include "memory.h"
#include "text.h"

/* The longest text of a column: a path, and more. */
#define TEXT 4600

struct cell { char *text; int width; };

struct columns {
  int columns;
  int *widest;
  struct cell *cells;             /* line by line */
  size_t count, room;             /* of cells */
};

/* Sets the text of [cell], which becomes NULL when there is no memory. */
static void set_cell(struct columns *table, size_t cell, const char *text)
{
  struct cell *c = &table->cells[cell];
  int *widest = &table->widest[cell % (size_t) table->columns];
  size_t size;
  free(c->text);
  *c = (struct cell) { NULL, 0 };
  FILE *out = open_memstream(&c->text, &size);
  if (out == NULL) return;
  c->width = print_text(out, text, strlen(text), TEXT_COLUMN);
  fclose(out);
  if (c->width > *widest) *widest = c->width;
}

/* Adds a line, in which the columns are [texts] or, if that is NULL, "-". */
static void add_texts(struct columns *table, const char *const *texts)
{
  for (int i = 0; i < table->columns; i++) {
    table->cells = with_room(table->cells, table->count, &table->room,
                             sizeof *table->cells);
    table->cells[table->count] = (struct cell) { NULL, 0 };
    set_cell(table, table->count++, texts != NULL ? texts[i] : "-");
  }
}

struct columns *new_columns(const char *const *titles, int count)
{
  struct columns *table = allocate(1, sizeof *table);
  table->columns = count;
  table->widest = allocate((size_t) count, sizeof *table->widest);
  add_texts(table, titles);
  return table;
}

void add_line(struct columns *table)
{
  add_texts(table, NULL);
}

void set_column(struct columns *table, int column, const char *format, ...)
{
  char text[TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  set_cell(table, table->count - (size_t) (table->columns - column), text);
}

void print_lines(struct columns *table)
{
  for (size_t i = 0; i < table->count; i++) {
    const struct cell *cell = &table->cells[i];
    size_t column = i % (size_t) table->columns;
    fputs(cell->text == NULL ? "" : cell->text, stdout);
    if (column + 1 < (size_t) table->columns)
      printf("%*s  ", table->widest[column] - cell->width, "");
    else
      putchar('\n');
    free(cell->text);
  }
  free(table->cells);
  free(table->widest);
  free(table);
}
