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

/* Prints doc/EVENTS.md from the table of events.  Fails, with a message, when
   an event is without its advice, an advice or a rule without its event, or
   when the advice on an event lacks a number of the rule for the event. */

#include <stdio.h>
#include <string.h>
#include "caml/eventring_format.h"

enum {
#define PHASE(id, number, category, name, doc) id = number,
#define COUNTER(id, number, category, unit, name, doc) id = number,
#define LIFECYCLE(id, number, category, name, doc) id = number,
#define RECORD(id, number, category, payload, unit, name, doc) id = number,
#define COMPLETE(id, number, category, name, doc) id = number,
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
#define PHASE(id, number, category, name, doc) \
  { id, EVENTRING_##category##_BIT, "Span", "", name, doc },
#define COUNTER(id, number, category, unit, name, doc) \
  { id, EVENTRING_##category##_BIT, "Counter", unit, name, doc },
#define LIFECYCLE(id, number, category, name, doc) \
  { id, EVENTRING_##category##_BIT, "Instant", "", name, doc },
#define RECORD(id, number, category, payload, unit, name, doc) \
  { id, EVENTRING_##category##_BIT, "Instant", unit, name, doc },
#define COMPLETE(id, number, category, name, doc) \
  { id, EVENTRING_##category##_BIT, "Complete", "", name, doc },
#include "caml/eventring_events.tbl"
};

static const struct field {
  int event, place;
  const char *unit;
  int repeats;
  const char *name;
} fields[] = {
#define FIELD(part, event, place, unit, repeats, name) \
  { event, place, unit, repeats, name },
#include "caml/eventring_events.tbl"
};

static const struct grouped {
  int event, place, scale;
  const char *unit, *name, *doc;
} grouped[] = {
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) \
  { event, place, scale, unit, name, doc },
#include "caml/eventring_events.tbl"
};

/* The names of the events of OCaml 5.2, 5.3 and 5.4. */
static const char *const of_5_2[] = {
#define EVENTRING_OCAML 2
#include "event_names.h"
}, *const of_5_3[] = {
#define EVENTRING_OCAML 3
#include "event_names.h"
}, *const of_5_4[] = {
#define EVENTRING_OCAML 4
#include "event_names.h"
};

static const struct value { const char *name, *doc; }
causes[] = {
#define CAUSE(id, name, doc) { name, doc },
#include "caml/eventring_events.tbl"
},
stops[] = {
#define STOP(id, name, doc) { name, doc },
#include "caml/eventring_events.tbl"
},
stacks[] = {
#define STACK(id, name, doc) { name, doc },
#include "caml/eventring_events.tbl"
};

static const struct unit_value { const char *unit, *name, *doc; int number; }
unit_values[] = {
#define VALUE(unit, id, number, name, doc) { unit, name, doc, number },
#include "caml/eventring_events.tbl"
};

/* The headings of the values of each unit. */
static const struct { const char *unit, *heading, *text; } unit_texts[] = {
  { "source", "Sources", "How a sampled block was allocated" },
  { "wait", "Waits", "The wait that a sample is of" },
  { "operation", "Operations", "Input and output of descriptors" },
  { "file_kind", "Kinds of files", "What a descriptor is for" },
};

static const struct advice { const char *name, *text; } advices[] = {
#define WORRY(name, text) { name, text },
#include "caml/eventring_events.tbl"
};

enum {
  ALL,
#define RULE(id, name, event, category, title, advice) id##_RULE,
#include "caml/eventring_events.tbl"
};
#define ALL_RULE ALL

static const struct rule {
  int id;
  const char *name, *event, *category, *title, *advice;
} rules[] = {
#define RULE(id, name, event, category, title, advice) \
  { id##_RULE, name, event, category, title, advice },
#include "caml/eventring_events.tbl"
};

static const struct caused {
  int rule;
  const char *causes, *text;
} caused[] = {
#define ADVICE(rule, causes, text) { rule##_RULE, causes, text },
#include "caml/eventring_events.tbl"
};

static const struct { int rule; const char *text; } without_heap[] = {
#define ADVICE_WITHOUT_HEAP(rule, text) { rule##_RULE, text },
#include "caml/eventring_events.tbl"
};

static const struct limit {
  int rule;
  const char *number, *event, *meaning;
} limits[] = {
#define LIMIT(id, rule, number, unit, event, meaning) \
  { rule##_RULE, #number " " unit, event, meaning },
#include "caml/eventring_events.tbl"
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static int is_among(const char *const *names, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return 1;
  return 0;
}

/* Returns the sentence on the first release of OCaml with the event [name]; ""
   if 5.2, the first that Eventring is made for, has the event. */
static const char *since(const char *name)
{
  return is_among(of_5_2, LENGTH(of_5_2), name) ? ""
       : is_among(of_5_3, LENGTH(of_5_3), name) ? " Since OCaml 5.3."
       : is_among(of_5_4, LENGTH(of_5_4), name) ? " Since OCaml 5.4."
       : " Since OCaml 5.5.";
}

static const char *advice_on(const struct event *event)
{
  for (size_t i = 0; i < LENGTH(advices); i++)
    if (strcmp(advices[i].name, event->name) == 0) return advices[i].text;
  return NULL;
}

static const struct event *event_called(const char *name)
{
  for (size_t i = 0; i < LENGTH(events); i++)
    if (strcmp(events[i].name, name) == 0) return &events[i];
  return NULL;
}

static const struct event *event_with_id(int id)
{
  for (size_t i = 0; i < LENGTH(events); i++)
    if (events[i].id == id) return &events[i];
  return NULL;
}

static const struct field *field_at(int event, int place)
{
  for (size_t i = 0; i < LENGTH(fields); i++)
    if (fields[i].event == event && fields[i].place == place)
      return &fields[i];
  return NULL;
}

/* How many events and advices have not got the other. */
static int count_alone(void)
{
  int alone = 0;
  for (size_t i = 0; i < LENGTH(events); i++)
    if (advice_on(&events[i]) == NULL) {
      fprintf(stderr, "no WORRY for %s\n", events[i].name);
      alone++;
    }
  for (size_t i = 0; i < LENGTH(advices); i++)
    if (event_called(advices[i].name) == NULL) {
      fprintf(stderr, "WORRY for %s, and there is no such event\n",
              advices[i].name);
      alone++;
    }
  for (size_t i = 0; i < LENGTH(rules); i++)
    if (rules[i].event[0] != '\0' && event_called(rules[i].event) == NULL) {
      fprintf(stderr, "RULE for %s, and there is no such event\n",
              rules[i].event);
      alone++;
    }
  return alone;
}

/* Returns whether a cause has the name of [length] characters at [name]. */
static int is_cause(const char *name, size_t length)
{
  for (size_t i = 0; i < LENGTH(causes); i++)
    if (strlen(causes[i].name) == length
        && strncmp(causes[i].name, name, length) == 0)
      return 1;
  return 0;
}

/* How many names of causes, of the advice of rules, no cause has. */
static int count_unknown_causes(void)
{
  int unknown = 0;
  for (size_t i = 0; i < LENGTH(caused); i++)
    for (const char *name = caused[i].causes; *name != '\0';) {
      size_t length = strcspn(name, " ");
      if (!is_cause(name, length)) {
        fprintf(stderr, "ADVICE of %s for %.*s, and there is no such cause\n",
                rules[caused[i].rule - 1].name, (int) length, name);
        unknown++;
      }
      name += length;
      name += strspn(name, " ");
    }
  return unknown;
}

/* Returns whether [text] has the number [number], not as the end of a longer
   one. */
static int has_number(const char *text, const char *number)
{
  for (const char *at = text; (at = strstr(at, number)) != NULL; at++)
    if (at == text || strchr("0123456789.", at[-1]) == NULL) return 1;
  return 0;
}

/* How many numbers of rules the advice on their event does not have. */
static int count_unnamed_limits(void)
{
  int unnamed = 0;
  for (size_t i = 0; i < LENGTH(limits); i++) {
    const struct event *event = event_called(limits[i].event);
    if (limits[i].event[0] == '\0'
        || (event != NULL && has_number(advice_on(event), limits[i].number)))
      continue;
    fprintf(stderr, "the WORRY for %s does not have %s\n", limits[i].event,
            limits[i].number);
    unnamed++;
  }
  return unnamed;
}

/* Units as readers see them, which make durations of ticks. */
static const char *unit_shown(const char *unit)
{
  return strcmp(unit, EVENTRING_UNIT_TICKS) == 0 ? "ns"
       : strcmp(unit, "cause") == 0 ? "a [cause](#causes)"
       : strcmp(unit, "reason") == 0 ? "a [reason](#reasons)"
       : strcmp(unit, "stack") == 0 ? "a [stack](#stacks)"
       : strcmp(unit, "source") == 0 ? "a [source](#sources)"
       : strcmp(unit, "wait") == 0 ? "a [wait](#waits)"
       : strcmp(unit, "operation") == 0 ? "an [operation](#operations)"
       : strcmp(unit, "file_kind") == 0 ? "a [kind of file](#kinds-of-files)"
       : strcmp(unit, "block") == 0 ? "the number of a sampled block; 0: it is"
                                      " not followed"
       : strcmp(unit, "allocation") == 0 ? "which one of the allocations that"
                                           " OCaml code makes in one step"
       : strcmp(unit, "errno") == 0 ? "the number of an error; 0: none"
       : strcmp(unit, "request") == 0 ? "a request's number"
       : strcmp(unit, "address") == 0 ? "an address of code"
       : strcmp(unit, "domain") == 0 ? "a domain's id"
       : strcmp(unit, "thread") == 0 ? "a thread's id in the threads library"
       : strcmp(unit, "os_thread") == 0 ? "a thread's id in the system"
       : strcmp(unit, "lock") == 0 ? "its address"
       : unit;
}

static void print_fields(const struct event *event)
{
  const struct field *f = field_at(event->id, 0);
  if (f == NULL) return;
  puts(strcmp(event->kind, "Span") == 0 ? "\nFields, at its end:\n"
                                        : "\nFields:\n");
  int repeated = 0;
  for (int place = 0; (f = field_at(event->id, place)) != NULL; place++) {
    repeated = repeated || f->repeats;
    printf("- `%s`: %s%s\n", f->name, unit_shown(f->unit),
           repeated ? "; repeated" : "");
  }
}

static void print_event(const struct event *event)
{
  printf("\n### %s\n\n%s, id %d", event->name, event->kind, event->id);
  if (event->unit[0] != '\0') printf(", in %s", event->unit);
  printf(". %s.%s\n", event->doc, since(event->name));
  print_fields(event);
  printf("\n*When to worry:* %s\n", advice_on(event));
}

static void print_category(const struct category *category)
{
  int any = 0;
  printf("\n## %s\n\n%s. %s by default.\n", category->name, category->doc,
         category->by_default ? "On" : "Off");
  for (size_t i = 0; i < LENGTH(events); i++) {
    if (events[i].category != category->bit) continue;
    print_event(&events[i]);
    any = 1;
  }
  if (!any)
    printf("\nIts events have ids from %d on, and the names that the program"
           " gives them.\n", EVENTRING_FIRST_USER_ID);
}

static void print_values(const struct value *values, size_t count)
{
  puts("\n| value | name | meaning |\n| ---: | --- | --- |");
  for (size_t i = 0; i < count; i++)
    printf("| %zu | `%s` | %s |\n", i, values[i].name, values[i].doc);
}

/* Prints the values of the units of VALUE lines. */
static void print_unit_values(void)
{
  for (size_t u = 0; u < LENGTH(unit_texts); u++) {
    printf("\n## %s\n\n%s: the field *%s*.\n", unit_texts[u].heading,
           unit_texts[u].text,
           strcmp(unit_texts[u].unit, "file_kind") == 0 ? "kind"
                                                        : unit_texts[u].unit);
    puts("\n| value | name | meaning |\n| ---: | --- | --- |");
    for (size_t i = 0; i < LENGTH(unit_values); i++)
      if (strcmp(unit_values[i].unit, unit_texts[u].unit) == 0)
        printf("| %d | `%s` | %s |\n", unit_values[i].number,
               unit_values[i].name, unit_values[i].doc);
  }
}

static void print_grouped(void)
{
  puts("\n## Counters of Runtime_events\n\n"
       "No ring holds these: they are fields of the events above. Programs"
       " that read with\n"
       "the module `Runtime_events` see them as the counters that they are"
       " there.\n"
       "\n"
       "| counter | unit | is | meaning |\n"
       "| --- | --- | --- | --- |");
  for (size_t i = 0; i < LENGTH(grouped); i++) {
    const struct grouped *g = &grouped[i];
    printf("| `%s` | %s | ", g->name, g->unit);
    if (g->scale != 1) printf("%d times ", g->scale);
    printf("`%s.%s` | %s.%s |\n", event_with_id(g->event)->name,
           field_at(g->event, g->place)->name, g->doc, since(g->name));
  }
}

static void print_limits(int rule)
{
  putchar('\n');
  for (size_t i = 0; i < LENGTH(limits); i++)
    if (limits[i].rule == rule)
      printf("- %s: %s\n", limits[i].number, limits[i].meaning);
}

/* Prints the advice of rule [rule] for each of the causes that have one. */
static void print_caused(int rule)
{
  for (size_t i = 0; i < LENGTH(caused); i++) {
    if (caused[i].rule != rule) continue;
    fputs("\n*Advice when the cause is ", stdout);
    for (const char *name = caused[i].causes; *name != '\0';) {
      size_t length = strcspn(name, " ");
      const char *next = name + length + strspn(name + length, " ");
      printf("%s`%.*s`", name == caused[i].causes ? ""
             : *next == '\0' ? " or " : ", ", (int) length, name);
      name = next;
    }
    printf(":* %s\n", caused[i].text);
  }
}

/* Prints the advice of rule [rule] when it proposes no minor heap, if it has one. */
static void print_without_heap(int rule)
{
  for (size_t i = 0; i < LENGTH(without_heap); i++)
    if (without_heap[i].rule == rule)
      printf("\n*Advice when the minor heap would be too large:* %s\n",
             without_heap[i].text);
}

static void print_rules(void)
{
  puts("\n## Diagnosis\n\n"
       "The rules of `eventring diagnose`, each with its limits. The active time\n"
       "of a domain is the time in which it ran or was in the collector, without\n"
       "its waits; of a program, that of all domains added. When waits are not\n"
       "recorded, all of the time counts as active. A finding has the size of the\n"
       "minor heap that it proposes in the place of WORDS. For all rules:");
  print_limits(ALL);
  for (size_t i = 0; i < LENGTH(rules); i++) {
    const struct rule *r = &rules[i];
    printf("\n### Rule %s\n\n%s", r->name, r->title);
    if (r->event[0] != '\0') printf(": see [%s](#%s)", r->event, r->event);
    if (r->category[0] != '\0') printf(". Needs category `%s`", r->category);
    printf(".\n\n*Advice:* %s\n", r->advice);
    print_without_heap(r->id);
    print_caused(r->id);
    print_limits(r->id);
  }
}

int main(void)
{
  if (count_alone() > 0 || count_unnamed_limits() > 0
      || count_unknown_causes() > 0)
    return 1;
  puts("<!-- Made by make doc/EVENTS.md from"
       " runtime/caml/eventring_events.tbl: do not edit. -->\n"
       "# Events\n"
       "\n"
       "This page lists every event that the runtime records, with its"
       " meaning and when to\n"
       "worry about it. The schema of a ring file has the same ids and names;"
       " an id has the\n"
       "same meaning in every file of format 1, see [FORMAT.md](FORMAT.md)."
       " Spans, counters\n"
       "and domain events have the names of the module `Runtime_events`.\n"
       "\n"
       "A *span* has a begin and an end. A *counter* is a sampled value. An"
       " *instant* happens\n"
       "at one time. A *complete* event is written at the end of a span and"
       " holds its\n"
       "duration. An event without fields may have a number or a text, which"
       " its description\n"
       "names. Repeated fields occur once for each domain.\n"
       "\n"
       "The thresholds are for a service that should answer within some"
       " milliseconds.\n"
       "`Gc.set` can set everything that `OCAMLRUNPARAM` sets with `s=`, `o=`,"
       " `M=` and `l=`.\n"
       "\n"
       "`OCAML_EVENTRING_CATEGORIES`, `eventring enable` and `eventring"
       " disable` switch\n"
       "categories on and off.\n"
       "\n"
       "| category | bit | by default | events about |\n"
       "| --- | ---: | --- | --- |");
  for (size_t i = 0; i < LENGTH(categories); i++)
    printf("| [`%s`](#%s) | %d | %s | %s |\n", categories[i].name,
           categories[i].name, categories[i].bit,
           categories[i].by_default ? "on" : "off", categories[i].doc);
  for (size_t i = 0; i < LENGTH(categories); i++)
    print_category(&categories[i]);
  puts("\n## Causes\n\nThe values of a field *cause*: why a collection"
       " happened.");
  print_values(causes, LENGTH(causes));
  puts("\n## Reasons\n\nThe values of a field *reason*: why all domains were"
       " stopped.");
  print_values(stops, LENGTH(stops));
  puts("\n## Stacks\n\nHow much of its stack a sample has: the field *stack*.");
  print_values(stacks, LENGTH(stacks));
  print_unit_values();
  print_rules();
  print_grouped();
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
