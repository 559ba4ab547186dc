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

/* The schema of a cursor: its entries are copied from the source as the program
   adds them, and looked up by id, by unit, by thread.

   Entries are not trusted: text is cut at the end of its field, an entry beyond
   a bound is left out, and of two entries for one id the first holds. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdlib.h>
#include <string.h>

#include "eventring_cursor.h"
#include "eventring_hash.h"

/* Kinds, payloads and texts go from the file to the user as they are. */
_Static_assert(EVENTRING_KIND_SPAN == (int) EVENTRING_SPAN
               && EVENTRING_KIND_COUNTER == (int) EVENTRING_COUNTER
               && EVENTRING_KIND_INSTANT == (int) EVENTRING_INSTANT
               && EVENTRING_KIND_FLOW == (int) EVENTRING_FLOW
               && EVENTRING_KIND_COMPLETE == (int) EVENTRING_COMPLETE
               && EVENTRING_KIND_REQUEST == (int) EVENTRING_REQUEST,
               "kinds of eventring_reader.h and eventring_format.h");
_Static_assert(EVENTRING_PAYLOAD_NONE == (int) EVENTRING_NO_PAYLOAD
               && EVENTRING_PAYLOAD_INT == (int) EVENTRING_INT
               && EVENTRING_PAYLOAD_BYTES == (int) EVENTRING_BYTES
               && EVENTRING_PAYLOAD_INTS == (int) EVENTRING_INTS
               && EVENTRING_PAYLOAD_TEXT == (int) EVENTRING_TEXT
               && EVENTRING_PAYLOAD_PACKED == (int) EVENTRING_PACKED,
               "payloads of eventring_reader.h and eventring_format.h");
_Static_assert(sizeof ((struct eventring_description *) 0)->name
               == EVENTRING_NAME_SIZE
               && sizeof ((struct eventring_description *) 0)->unit
                  == EVENTRING_UNIT_SIZE
               && sizeof ((struct eventring_field *) 0)->name
                  == EVENTRING_NAME_SIZE
               && sizeof ((struct eventring_field *) 0)->unit
                  == EVENTRING_UNIT_SIZE,
               "names of eventring_reader.h and eventring_format.h");

/* Entries beyond these bounds are left out. */
#define MAX_UNITS 16            /* that have names of values */
#define MAX_VALUES 256          /* of such a unit */

struct field {
  struct eventring_field is;
  uint32_t place;
  uint32_t next;                /* of the same event, as layout.first */
};

/* The values of the fields of a unit; "" has no name. */
struct unit {
  char unit[EVENTRING_UNIT_SIZE];
  char names[MAX_VALUES][EVENTRING_NAME_SIZE];
};

/* The labels, and the number of the newest one, 1 + its index in [of], of each
   domain and each thread.  A label of the file is here twice: for its thread id,
   and for ANY_THREAD_ID.  Both times it is the last one of a list of labels,

       newest --> [previous] --> [previous] --> [previous]
              \________________________________/
                             jump

   in which a search for a time takes logarithmic time: a jump goes back over as
   many labels as the two jumps after it together, and one more, where these two
   are of equal length, and else over one label. */

enum { OF_THREAD_ID, OF_ANY, LISTS };
#define ANY_THREAD_ID UINT64_MAX
/* At most a half of the places is in use. */
#define LABEL_BITS 14
_Static_assert(4 * EVENTRING_MAX_LABELS <= 1 << LABEL_BITS,
               "room for two entries of each label");

struct label {
  uint64_t since;               /* ticks; 0: before all events */
  struct {
    uint32_t previous, jump;    /* labels; 0: none */
    uint32_t place;             /* in the list, from 1 on */
  } in[LISTS];
  char name[EVENTRING_NAME_SIZE];
};

struct labels {
  uint32_t count;
  struct label of[EVENTRING_MAX_LABELS];
  struct hash_table newest;
  struct hash_place places[1 << LABEL_BITS];
};

/* Mappings.  The pieces of a path come before the mapping; until then its
   number is in [pieces] only. */

#define PATH_SIZE 4096

struct pieces {
  uint16_t length;              /* of the path so far */
  uint8_t closed;               /* 1: the mapping was taken or refused */
  char path[PATH_SIZE];
};

struct mappings {
  uint32_t count;               /* elements of of[] */
  struct eventring_mapping of[EVENTRING_MAX_MAPPINGS];
  struct pieces pieces[EVENTRING_MAX_MAPPINGS]; /* by number of the mapping */
};

/* Taking entries */

static void add_event(struct schema *s,
                      const struct eventring_schema_entry *e)
{
  struct eventring_description *d = &s->events[s->count];
  if (e->id == 0 || s->by_id[e->id] != 0) return;
  d->id = e->id;
  d->kind = e->kind;
  d->payload = e->payload;
  d->category = e->category;
  memcpy(d->unit, e->unit, sizeof d->unit);
  memcpy(d->name, e->name, sizeof d->name);
  s->by_id[e->id] = ++s->count;
  if (e->payload == EVENTRING_PACKED) {
    s->special[e->id] = PACKED;
    /* The program may have an event of this name too. */
    if (e->id < EVENTRING_FIRST_USER_ID && strcmp(e->name, "thread_run") == 0)
      s->special[e->id] |= THREAD_RUN;
  }
}

/* Returns the field of [layout] at place [place] of the payload, as 1 + its
   index in s->fields, or 0 when there is none. */
static uint32_t find_field(const struct schema *s,
                           const struct layout *layout, uint32_t place)
{
  uint32_t i = layout->first;
  while (i != 0 && s->fields[i - 1].place != place) i = s->fields[i - 1].next;
  return i;
}

static void add_field(struct schema *s,
                      const struct eventring_schema_entry *e)
{
  struct layout *layout = &s->layouts[e->id];
  struct field *f = &s->fields[s->fields_size];
  if (e->place >= MAX_FIELDS || find_field(s, layout, e->place) != 0) return;
  memcpy(f->is.name, e->name, sizeof f->is.name);
  if (strcmp(e->unit, EVENTRING_UNIT_TICKS) == 0) {
    layout->ticks |= (uint64_t) 1 << e->place;
    strcpy(f->is.unit, "ns");
  } else {
    if (strcmp(e->unit, "address") == 0)
      layout->addresses |= (uint64_t) 1 << e->place;
    memcpy(f->is.unit, e->unit, sizeof f->is.unit);
  }
  f->place = e->place;
  f->next = layout->first;
  layout->first = ++s->fields_size;
  if (e->place >= layout->places) layout->places = (uint8_t) (e->place + 1);
  if ((e->detail & 1) != 0
      && (layout->repeats == 0 || e->place + 1 < layout->repeats))
    layout->repeats = (uint8_t) (e->place + 1);
}

static struct unit *find_unit(struct schema *s, const char *unit)
{
  for (uint32_t i = 0; i < s->units_size; i++)
    if (strcmp(s->units[i].unit, unit) == 0) return &s->units[i];
  return NULL;
}

static void add_value(struct schema *s,
                      const struct eventring_schema_entry *e)
{
  struct unit *u = find_unit(s, e->unit);
  if (e->place >= MAX_VALUES) return;
  if (u == NULL) {
    if (s->units_size == MAX_UNITS) return;
    u = &s->units[s->units_size++];
    memcpy(u->unit, e->unit, sizeof u->unit);
  }
  if (u->names[e->place][0] == 0)
    memcpy(u->names[e->place], e->name, sizeof e->name);
}

/* Returns the first half of the key of the labels of the thread with the OS id
   [thread], 0 for the domain itself.  The other half is 1 + the id of the
   thread in the threads library, 0 when the label has none. */
static uint64_t label_key(uint32_t domain, uint32_t thread)
{
  return (uint64_t) domain << 32 | thread;
}

/* Returns the place in list [list] of label [number], 0 when there is none. */
static uint32_t place_of(const struct labels *l, int list, uint32_t number)
{
  return number == 0 ? 0 : l->of[number - 1].in[list].place;
}

/* Makes the last label the newest one of the list of kind [list] that belongs to
   the keys [key] and [thread_id]. */
static void link_label(struct labels *l, int list, uint64_t key,
                       uint64_t thread_id)
{
  struct label *label = &l->of[l->count - 1];
  const uint32_t previous = hash_get(&l->newest, key, thread_id);
  const uint32_t jump = previous == 0 ? 0 : l->of[previous - 1].in[list].jump;
  const uint32_t next = jump == 0 ? 0 : l->of[jump - 1].in[list].jump;
  const uint32_t place = place_of(l, list, previous);
  label->in[list].previous = previous;
  label->in[list].place = place + 1;
  label->in[list].jump =
    place - place_of(l, list, jump)
    == place_of(l, list, jump) - place_of(l, list, next) ? next : previous;
  hash_set(&l->newest, key, thread_id, l->count);
}

static void add_label(struct schema *s,
                      const struct eventring_schema_entry *e)
{
  struct labels *l = s->labels;
  const uint32_t thread = (uint32_t) e->detail;
  struct label *label = &l->of[l->count];
  if (l->count == EVENTRING_MAX_LABELS || (thread == 0 && e->detail != 0))
    return;
  memcpy(label->name, e->name, sizeof e->name);
  label->since = e->since;
  l->count++;
  link_label(l, OF_THREAD_ID, label_key(e->place, thread), e->detail >> 32);
  link_label(l, OF_ANY, label_key(e->place, thread), ANY_THREAD_ID);
}

/* Adds a piece to the path of a mapping.  A piece that does not begin where the
   path ends so far makes the mapping impossible. */
static void add_piece(struct schema *s, const struct eventring_schema_entry *e)
{
  size_t length = strlen(e->name);
  struct pieces *p;
  if (e->place >= EVENTRING_MAX_MAPPINGS) return;
  p = &s->mappings->pieces[e->place];
  if (p->closed) return;
  if (length == 0 || e->detail != p->length
      || length >= sizeof p->path - p->length)
    p->closed = 1;
  else
    memcpy(p->path + p->length, e->name, length + 1);
  p->length = (uint16_t) (p->length + (p->closed ? 0 : length));
}

/* Returns the value of the hexadecimal digit [digit], or -1 when it is none. */
static int hex_value(char digit)
{
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* Reads a number of 1 to 16 hexadecimal digits and the blank after it.  Returns
   the text behind the blank, or NULL when there is no such number. */
static const char *take_hex(const char *text, uint64_t *number)
{
  int digits = 0;
  *number = 0;
  for (; digits <= 16 && hex_value(*text) >= 0; digits++)
    *number = *number << 4 | (uint64_t) hex_value(*text++);
  return digits == 0 || digits > 16 || *text != ' ' ? NULL : text + 1;
}

/* Reads a build id, which is "-" or pairs of hexadecimal digits, to the end of
   [text].  Returns 1, or 0 when [text] is something else. */
static int take_build_id(const char *text, struct eventring_mapping *m)
{
  if (strcmp(text, "-") == 0) return 1;
  for (; *text != 0; text += 2) {
    int high = hex_value(text[0]), low = high < 0 ? -1 : hex_value(text[1]);
    if (low < 0 || m->build_id_size == sizeof m->build_id) return 0;
    m->build_id[m->build_id_size++] = (uint8_t) (high << 4 | low);
  }
  return m->build_id_size > 0;
}

static void add_mapping(struct schema *s,
                        const struct eventring_schema_entry *e)
{
  struct eventring_mapping m = { .start = e->detail };
  const char *text = e->name;
  struct pieces *p;
  if (e->place >= EVENTRING_MAX_MAPPINGS) return;
  p = &s->mappings->pieces[e->place];
  if (p->closed || p->length == 0) return;
  p->closed = 1;
  text = take_hex(text, &m.length);
  if (text != NULL) text = take_hex(text, &m.offset);
  if (text == NULL || !take_build_id(text, &m) || m.length == 0
      || m.start + m.length < m.start)
    return;
  m.path = p->path;
  s->mappings->of[s->mappings->count++] = m;
}

void eventring_read_schema(struct eventring_cursor *c)
{
  struct schema *s = &c->schema;
  /* Acquire, paired with the release with which the program publishes an
     entry: the count must be seen before the entries that it covers. */
  uint32_t count = __atomic_load_n(&c->shared->schema_count, __ATOMIC_ACQUIRE);
  if (count > c->header.schema_capacity) count = c->header.schema_capacity;
  for (; UNLIKELY(s->seen < count); s->seen++) {
    struct eventring_schema_entry e;
    memcpy(&e, c->source->schema
               + (uint64_t) s->seen * c->header.schema_entry_size,
           sizeof e);
    e.name[sizeof e.name - 1] = 0;
    e.unit[sizeof e.unit - 1] = 0;
    switch (e.kind) {
    case EVENTRING_SPAN: case EVENTRING_COUNTER: case EVENTRING_INSTANT:
    case EVENTRING_FLOW: case EVENTRING_COMPLETE: case EVENTRING_REQUEST:
      add_event(s, &e);
      break;
    case EVENTRING_CATEGORY:
      if (e.category < MAX_CATEGORIES && s->categories[e.category][0] == 0)
        memcpy(s->categories[e.category], e.name, sizeof e.name);
      break;
    case EVENTRING_FIELD: add_field(s, &e); break;
    case EVENTRING_VALUE: add_value(s, &e); break;
    case EVENTRING_LABEL: add_label(s, &e); break;
    case EVENTRING_MAPPING: add_mapping(s, &e); break;
    case EVENTRING_MAPPING_PATH: add_piece(s, &e); break;
    default: break;             /* of a newer minor version */
    }
  }
}

/* Looking up */

const struct eventring_description *eventring_describe(
  struct eventring_cursor *c, uint32_t id)
{
  uint32_t i;
  if (c == NULL || id >= MAX_IDS) return NULL;
  if (c->schema.by_id[id] == 0) eventring_read_schema(c);
  i = c->schema.by_id[id];
  return i == 0 ? NULL : &c->schema.events[i - 1];
}

int eventring_find(struct eventring_cursor *c, const char *name)
{
  const struct schema *s;
  if (c == NULL || name == NULL) return -1;
  eventring_read_schema(c);
  s = &c->schema;
  for (uint32_t i = 0; i < s->count; i++)
    if (strcmp(s->events[i].name, name) == 0) return s->events[i].id;
  return -1;
}

const struct eventring_field *eventring_field(struct eventring_cursor *c,
                                              uint32_t id, uint32_t word)
{
  const struct layout *layout;
  uint32_t i;
  if (c == NULL || id >= MAX_IDS) return NULL;
  eventring_read_schema(c);
  if ((c->schema.special[id] & PACKED) == 0) return NULL;
  layout = &c->schema.layouts[id];
  if (word >= layout->places && layout->repeats != 0) {
    uint32_t first = layout->repeats - 1u;
    word = first + (word - first) % (layout->places - first);
  }
  i = find_field(&c->schema, layout, word);
  return i == 0 ? NULL : &c->schema.fields[i - 1].is;
}

const char *eventring_value(struct eventring_cursor *c, const char *unit,
                            uint64_t value)
{
  const struct unit *u;
  if (c == NULL || unit == NULL || value >= MAX_VALUES) return NULL;
  eventring_read_schema(c);
  u = find_unit(&c->schema, unit);
  return u == NULL || u->names[value][0] == 0 ? NULL : u->names[value];
}

/* Returns the last label of a list that held at [ticks], or its first label when
   none did; 0 when the list is empty. */
static uint32_t label_at(const struct labels *l, uint64_t key,
                         uint64_t thread_id, uint64_t ticks)
{
  const int list = thread_id == ANY_THREAD_ID ? OF_ANY : OF_THREAD_ID;
  uint32_t number = hash_get(&l->newest, key, thread_id);
  while (number != 0 && l->of[number - 1].since > ticks
         && l->of[number - 1].in[list].previous != 0) {
    const uint32_t jump = l->of[number - 1].in[list].jump;
    number = jump != 0 && l->of[jump - 1].since > ticks
             ? jump : l->of[number - 1].in[list].previous;
  }
  return number;
}

/* Returns the label that a thread or, when [thread] is 0, domain [domain] had at
   [ticks]: the last one from before, else the first one.  Returns NULL when
   there is none or it is "".  [thread_id] is 1 + the thread's id in the threads
   library, or ANY_THREAD_ID when that id is not known; the id tells two threads
   apart that had the same OS id [thread] one after the other. */
static const char *find_label(struct eventring_cursor *c, uint32_t domain,
                              uint32_t thread, uint64_t thread_id,
                              uint64_t ticks)
{
  const struct labels *l = c->schema.labels;
  const uint64_t key = label_key(domain, thread);
  uint32_t number;
  eventring_read_schema(c);
  number = label_at(l, key, thread_id, ticks);
  if (thread_id != ANY_THREAD_ID) {
    const uint32_t other = label_at(l, key, 0, ticks);
    const int held = number != 0 && l->of[number - 1].since <= ticks;
    const int other_held = other != 0 && l->of[other - 1].since <= ticks;
    if (number == 0
        || (other != 0
            && (held != other_held ? other_held : (other > number) == held)))
      number = other;
  }
  return number == 0 || l->of[number - 1].name[0] == 0
         ? NULL : l->of[number - 1].name;
}

const char *eventring_domain_name_at(struct eventring_cursor *c,
                                     uint32_t domain, uint64_t ticks)
{
  return c == NULL ? NULL : find_label(c, domain, 0, ANY_THREAD_ID, ticks);
}

const char *eventring_domain_name(struct eventring_cursor *c, uint32_t domain)
{
  return eventring_domain_name_at(c, domain, UINT64_MAX);
}

const char *eventring_thread_name_at(struct eventring_cursor *c,
                                     uint32_t domain, uint32_t thread,
                                     int32_t thread_id, uint64_t ticks)
{
  if (c == NULL || thread == 0) return NULL;
  return find_label(c, domain, thread,
                    thread_id < 0 ? ANY_THREAD_ID : (uint64_t) thread_id + 1,
                    ticks);
}

const char *eventring_thread_name(struct eventring_cursor *c, uint32_t domain,
                                  uint32_t thread, int32_t thread_id)
{
  return eventring_thread_name_at(c, domain, thread, thread_id, UINT64_MAX);
}

const struct eventring_mapping *eventring_mapping(struct eventring_cursor *c,
                                                  uint32_t index)
{
  if (c == NULL) return NULL;
  eventring_read_schema(c);
  return index < c->schema.mappings->count ? &c->schema.mappings->of[index]
                                           : NULL;
}

const char *eventring_category(struct eventring_cursor *c, uint32_t bit)
{
  if (c == NULL || bit >= MAX_CATEGORIES) return NULL;
  eventring_read_schema(c);
  return c->schema.categories[bit][0] == 0 ? NULL : c->schema.categories[bit];
}

/* Memory.  Most of it is never used. */

int eventring_allocate_schema(struct eventring_cursor *c)
{
  const uint32_t capacity = c->header.schema_capacity;
  struct schema *s = &c->schema;
  s->events = eventring_new_array(capacity, sizeof *s->events);
  s->by_id = eventring_new_array(MAX_IDS, sizeof *s->by_id);
  s->special = eventring_new_array(MAX_IDS, sizeof *s->special);
  s->layouts = eventring_new_array(MAX_IDS, sizeof *s->layouts);
  s->fields = eventring_new_array(capacity, sizeof *s->fields);
  s->units = eventring_new_array(MAX_UNITS, sizeof *s->units);
  s->labels = eventring_new_array(1, sizeof *s->labels);
  s->mappings = eventring_new_array(1, sizeof *s->mappings);
  if (s->events == NULL || s->by_id == NULL || s->special == NULL
      || s->layouts == NULL || s->fields == NULL || s->units == NULL
      || s->labels == NULL || s->mappings == NULL)
    return -1;
  hash_init(&s->labels->newest, LABEL_BITS, s->labels->places);
  return 0;
}

/* Returns whether the [had] elements of [former], of [size] bytes each, are those
   with which the [has] elements of [present] begin; then copies the others behind
   them. */
static int continues(void *former, uint32_t had, const void *present,
                     uint32_t has, size_t size)
{
  const size_t bytes = had * size;
  if (had > has || memcmp(former, present, bytes) != 0) return 0;
  memcpy((char *) former + bytes, (const char *) present + bytes,
         (has - had) * size);
  return 1;
}

static int same_labels(const struct labels *a, const struct labels *b)
{
  return a->count == b->count
    && memcmp(a->of, b->of, a->count * sizeof *a->of) == 0;
}

static int same_mappings(const struct mappings *a, const struct mappings *b)
{
  if (a->count != b->count) return 0;
  for (uint32_t i = 0; i < a->count; i++) {
    const struct eventring_mapping *m = &a->of[i], *n = &b->of[i];
    if (m->start != n->start || m->length != n->length || m->offset != n->offset
        || m->build_id_size != n->build_id_size
        || memcmp(m->build_id, n->build_id, m->build_id_size) != 0
        || strcmp(m->path, n->path) != 0)
      return 0;
  }
  return 1;
}

void eventring_adopt_names(struct eventring_cursor *c,
                           struct eventring_cursor *former)
{
  const uint32_t capacity = c->header.schema_capacity;
  struct schema *s = &c->schema, *f = &former->schema;
  if (capacity != former->header.schema_capacity) return;
  eventring_read_schema(c);
  if (continues(f->events, f->count, s->events, s->count, sizeof *s->events)) {
    eventring_free_array(s->events, capacity, sizeof *s->events);
    s->events = f->events;
    f->events = NULL;
  }
  if (continues(f->fields, f->fields_size, s->fields, s->fields_size,
                sizeof *s->fields)) {
    eventring_free_array(s->fields, capacity, sizeof *s->fields);
    s->fields = f->fields;
    f->fields = NULL;
  }
  if (continues(f->units, f->units_size, s->units, s->units_size,
                sizeof *s->units)) {
    eventring_free_array(s->units, MAX_UNITS, sizeof *s->units);
    s->units = f->units;
    f->units = NULL;
  }
  if (same_labels(f->labels, s->labels)) {
    eventring_free_array(s->labels, 1, sizeof *s->labels);
    s->labels = f->labels;
    f->labels = NULL;
  }
  if (same_mappings(f->mappings, s->mappings)) {
    eventring_free_array(s->mappings, 1, sizeof *s->mappings);
    s->mappings = f->mappings;
    f->mappings = NULL;
  }
}

int eventring_keep_names(struct eventring_cursor *c)
{
  struct schema *s = &c->schema;
  if (s->mappings != NULL && s->mappings->count == 0) {
    eventring_free_array(s->mappings, 1, sizeof *s->mappings);
    s->mappings = NULL;
  }
  if (s->labels != NULL && s->labels->count == 0) {
    eventring_free_array(s->labels, 1, sizeof *s->labels);
    s->labels = NULL;
  }
  eventring_free_array(s->layouts, MAX_IDS, sizeof *s->layouts);
  eventring_free_array(s->special, MAX_IDS, sizeof *s->special);
  eventring_free_array(s->by_id, MAX_IDS, sizeof *s->by_id);
  s->layouts = NULL;
  s->special = NULL;
  s->by_id = NULL;
  return s->events != NULL || s->fields != NULL || s->units != NULL
      || s->labels != NULL || s->mappings != NULL;
}

void eventring_free_schema(struct eventring_cursor *c)
{
  const uint32_t capacity = c->header.schema_capacity;
  struct schema *s = &c->schema;
  eventring_keep_names(c);
  eventring_free_array(s->mappings, 1, sizeof *s->mappings);
  eventring_free_array(s->labels, 1, sizeof *s->labels);
  eventring_free_array(s->units, MAX_UNITS, sizeof *s->units);
  eventring_free_array(s->fields, capacity, sizeof *s->fields);
  eventring_free_array(s->events, capacity, sizeof *s->events);
}
