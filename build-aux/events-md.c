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

/* Prints doc/EVENTS.md from the table of events. */

#include <stdio.h>
#include "caml/eventring_format.h"

/* Places in the parts of the table, as the runtime counts them. */
enum {
#define PHASE(id, category, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum {
#define COUNTER(id, category, unit, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum {
#define LIFECYCLE(id, category, name, doc) id,
#include "caml/eventring_events.tbl"
};
enum {
#define RECORD(id, category, payload, unit, name, doc) id,
#include "caml/eventring_events.tbl"
};

static const struct category {
  int bit;
  int by_default;
  const char *name, *doc;
} categories[] = {
#define CATEGORY(id, bit, name, by_default, doc) \
  { bit, by_default, name, doc },
#include "caml/eventring_events.tbl"
};

static const struct event {
  int id;
  int category;
  const char *kind, *unit, *name, *doc;
} events[] = {
#define PHASE(id, category, name, doc) \
  { EVENTRING_FIRST_PHASE + id, EVENTRING_##category##_BIT, "span", "", \
    name, doc },
#define COUNTER(id, category, unit, name, doc) \
  { EVENTRING_FIRST_COUNTER + id, EVENTRING_##category##_BIT, "counter", \
    unit, name, doc },
#define LIFECYCLE(id, category, name, doc) \
  { EVENTRING_FIRST_LIFECYCLE + id, EVENTRING_##category##_BIT, "instant", \
    "", name, doc },
#define RECORD(id, category, payload, unit, name, doc) \
  { EVENTRING_FIRST_RECORD + id, EVENTRING_##category##_BIT, "instant", \
    unit, name, doc },
#include "caml/eventring_events.tbl"
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void print_category(const struct category *category)
{
  int any = 0;
  printf("\n## %s\n\n%s. %s by default.\n", category->name, category->doc,
         category->by_default ? "On" : "Off");
  for (size_t i = 0; i < LENGTH(events); i++) {
    const struct event *e = &events[i];
    if (e->category != category->bit) continue;
    if (!any++)
      printf("\n| id | name | kind | unit | meaning |\n"
             "| ---: | --- | --- | --- | --- |\n");
    printf("| %d | `%s` | %s | %s | %s |\n", e->id, e->name, e->kind, e->unit,
           e->doc);
  }
  if (!any)
    printf("\nIts events have ids from %d on, and the names that the program"
           " gives them.\n", EVENTRING_FIRST_USER_ID);
}

int main(void)
{
  puts("<!-- Made by make doc/EVENTS.md from"
       " runtime/caml/eventring_events.tbl: do not edit. -->\n"
       "# Events\n"
       "\n"
       "Every event that the runtime records. Ids and names are those in the"
       " schema of a\n"
       "ring file, and ids mean the same in every file of format 1; see"
       " [FORMAT.md](FORMAT.md).\n"
       "The names of spans, counters and of the life of domains are those of"
       " the module\n"
       "`Runtime_events`.\n"
       "\n"
       "A *span* has a begin and an end. A *counter* is a value, sampled now"
       " and then. An\n"
       "*instant* happened once, with the number or numbers that its meaning"
       " tells of.\n"
       "\n"
       "Categories are switched on and off with `OCAML_EVENTRING_CATEGORIES`,"
       " a comma list\n"
       "of the names below.\n"
       "\n"
       "| category | bit | by default | events about |\n"
       "| --- | ---: | --- | --- |");
  for (size_t i = 0; i < LENGTH(categories); i++)
    printf("| `%s` | %d | %s | %s |\n", categories[i].name, categories[i].bit,
           categories[i].by_default ? "on" : "off", categories[i].doc);
  for (size_t i = 0; i < LENGTH(categories); i++)
    print_category(&categories[i]);
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
