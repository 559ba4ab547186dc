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

/* See metric_pages.h. */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "metric_pages.h"

/* A metric: its two lines of comment, and its series. */
struct collected {
  char *name;
  char *head;
  FILE *out;                      /* to [series]; NULL: closed */
  char *series;
  size_t size;
};

struct metric_pages {
  struct collected *list;
  size_t count, room;
};

struct metric_pages *new_metric_pages(void)
{
  return allocate(1, sizeof(struct metric_pages));
}

static void close_series(struct collected *metric)
{
  if (metric->out != NULL) fclose(metric->out);
  metric->out = NULL;
}

void free_metric_pages(struct metric_pages *pages)
{
  for (size_t i = 0; i < pages->count; i++) {
    close_series(&pages->list[i]);
    free(pages->list[i].name);
    free(pages->list[i].head);
    free(pages->list[i].series);
  }
  free(pages->list);
  free(pages);
}

/* Returns whether [name] has the [length] bytes at [text]. */
static bool is_name(const char *name, const char *text, size_t length)
{
  return strncmp(name, text, length) == 0 && name[length] == '\0';
}

/* Returns the metric [name] of [length] bytes, a new one with the comment
   [head] if necessary. */
static struct collected *metric_of(struct metric_pages *m, const char *name,
                                   size_t length, const char *head,
                                   size_t head_length)
{
  for (size_t i = 0; i < m->count; i++)
    if (is_name(m->list[i].name, name, length)) return &m->list[i];
  m->list = with_room(m->list, m->count, &m->room, sizeof *m->list);
  struct collected *metric = &m->list[m->count++];
  *metric = (struct collected) { .name = strndup(name, length),
                                 .head = strndup(head, head_length) };
  metric->out = open_memstream(&metric->series, &metric->size);
  if (metric->name == NULL || metric->head == NULL || metric->out == NULL)
    out_of_memory();
  return metric;
}

/* Prints the series [line] of [length] bytes with the [labels]. */
static void add_series(FILE *out, const char *line, size_t length,
                       const char *labels)
{
  size_t name = strcspn(line, "{ ");
  bool more = line[name] == '{';
  fprintf(out, "%.*s{%s%s", (int) name, line, labels, more ? "," : "}");
  fwrite(line + name + more, 1, length - name - more, out);
  putc('\n', out);
}

void add_metric_page(struct metric_pages *pages, const char *text,
                     const char *labels, const char *except)
{
  struct collected *metric = NULL;
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    if (strncmp(text, "# HELP ", 7) == 0) {
      const size_t name = strcspn(text + 7, " ");
      size_t both = length + 1 + strcspn(text + length + 1, "\n") + 1;
      metric = except != NULL && is_name(except, text + 7, name) ? NULL
               : metric_of(pages, text + 7, name, text, both);
      length = both - 1;
    } else if (metric != NULL)
      add_series(metric->out, text, length, labels);
    text += length + (text[length] == '\n');
  }
}

void print_metric_pages(FILE *out, struct metric_pages *pages)
{
  for (size_t i = 0; i < pages->count; i++) {
    close_series(&pages->list[i]);
    fputs(pages->list[i].head, out);
    fputs(pages->list[i].series, out);
  }
}
