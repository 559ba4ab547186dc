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
#define CAML_INTERNALS
#define _GNU_SOURCE

/* The schema section of the ring file: the names of the runtime's events, of
   the program's, and of domains and threads.

   The runtime's entries are made from the table when tracing starts.  The
   program's names are kept in this process whether or not tracing has started,
   and are appended to the file when it starts and as they come. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/runtime_events.h"
#include "eventring_internal.h"

struct caml_ring_names caml_ring_names;

/* The runtime's part of the schema.  In the file an entry has 160 bytes, mostly
   zeros, and every program that is linked carries this table: so the texts are
   apart, name and unit by turns.  [place] is the category of an event. */
#define EVENTRING_OCAML EVENTRING_THIS_OCAML
static const struct { uint16_t id; uint8_t kind, payload, place, detail; }
runtime_events[] = {
#define CATEGORY(id, bit, name, by_default, doc) \
  { 0, EVENTRING_CATEGORY, 0, bit, 0 },
#include "caml/eventring_events.tbl"
#define PHASE(id, number, category, name, doc) \
  { number, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, \
    EVENTRING_##category##_BIT, 0 },
#define COUNTER(id, number, category, unit, name, doc) \
  { number, EVENTRING_COUNTER, EVENTRING_INT, \
    EVENTRING_##category##_BIT, 0 },
#define LIFECYCLE(id, number, category, name, doc) \
  { number, EVENTRING_INSTANT, EVENTRING_INT, \
    EVENTRING_##category##_BIT, 0 },
#define RECORD(id, number, category, payload, unit, name, doc) \
  { number, EVENTRING_INSTANT, EVENTRING_##payload, \
    EVENTRING_##category##_BIT, 0 },
#define COMPLETE(id, number, category, name, doc) \
  { number, EVENTRING_COMPLETE, EVENTRING_PACKED, \
    EVENTRING_##category##_BIT, 0 },
#include "caml/eventring_events.tbl"
#define FIELD(part, event, place, unit, repeats, name) \
  { EVENTRING_FIRST_##part + event, EVENTRING_FIELD, 0, place, repeats },
#include "caml/eventring_events.tbl"
#define CAUSE(id, name, doc) { 0, EVENTRING_VALUE, 0, id, 0 },
#include "caml/eventring_events.tbl"
#define STOP(id, name, doc) { 0, EVENTRING_VALUE, 0, id, 0 },
#include "caml/eventring_events.tbl"
#define STACK(id, name, doc) { 0, EVENTRING_VALUE, 0, id, 0 },
#include "caml/eventring_events.tbl"
#define VALUE(unit, id, number, name, doc) { 0, EVENTRING_VALUE, 0, id, 0 },
#include "caml/eventring_events.tbl"
};

static const char runtime_texts[] =
#define CATEGORY(id, bit, name, by_default, doc) name "\0\0"
#include "caml/eventring_events.tbl"
#define PHASE(id, number, category, name, doc) name "\0\0"
#define COUNTER(id, number, category, unit, name, doc) name "\0" unit "\0"
#define LIFECYCLE(id, number, category, name, doc) name "\0\0"
#define RECORD(id, number, category, payload, unit, name, doc) \
  name "\0" unit "\0"
#define COMPLETE(id, number, category, name, doc) name "\0\0"
#include "caml/eventring_events.tbl"
#define FIELD(part, event, place, unit, repeats, name) name "\0" unit "\0"
#include "caml/eventring_events.tbl"
#define CAUSE(id, name, doc) name "\0cause\0"
#include "caml/eventring_events.tbl"
#define STOP(id, name, doc) name "\0reason\0"
#include "caml/eventring_events.tbl"
#define STACK(id, name, doc) name "\0stack\0"
#include "caml/eventring_events.tbl"
#define VALUE(unit, id, number, name, doc) name "\0" unit "\0"
#include "caml/eventring_events.tbl"
  ;

#define FITS(name, unit) \
  _Static_assert(sizeof(name) <= EVENTRING_NAME_SIZE \
                 && sizeof(unit) <= EVENTRING_UNIT_SIZE, "too long: " name);
#define CATEGORY(id, bit, name, by_default, doc) FITS(name, "")
#define PHASE(id, number, category, name, doc) FITS(name, "")
#define COUNTER(id, number, category, unit, name, doc) FITS(name, unit)
#define LIFECYCLE(id, number, category, name, doc) FITS(name, "")
#define RECORD(id, number, category, payload, unit, name, doc) FITS(name, unit)
#define COMPLETE(id, number, category, name, doc) FITS(name, "")
#define FIELD(part, event, place, unit, repeats, name) FITS(name, unit)
#define CAUSE(id, name, doc) FITS(name, "cause")
#define STOP(id, name, doc) FITS(name, "reason")
#define STACK(id, name, doc) FITS(name, "stack")
#define VALUE(unit, id, number, name, doc) FITS(name, unit)
#include "caml/eventring_events.tbl"

_Static_assert(sizeof(runtime_events) / sizeof(runtime_events[0])
               == EVENTRING_RUNTIME_SCHEMA, "an entry a line of the table");

void caml_ring_runtime_schema(struct eventring_schema_entry *entry)
{
  const char *text = runtime_texts;
  memset(entry, 0, EVENTRING_RUNTIME_SCHEMA * sizeof(*entry));
  for (uint32_t i = 0; i < EVENTRING_RUNTIME_SCHEMA; i++) {
    entry[i].id = runtime_events[i].id;
    entry[i].kind = runtime_events[i].kind;
    entry[i].payload = runtime_events[i].payload;
    entry[i].place = runtime_events[i].place;
    entry[i].detail = runtime_events[i].detail;
    strcpy(entry[i].name, text);
    text += strlen(text) + 1;
    strcpy(entry[i].unit, text);
    text += strlen(text) + 1;
    /* A span that has fields.  The span comes before them. */
    if (entry[i].kind == EVENTRING_FIELD
        && entry[i].id < EVENTRING_FIRST_COUNTER) {
      uint32_t span = 0;
      while (entry[span].id != entry[i].id) span++;
      entry[span].payload = EVENTRING_PACKED;
    }
  }
}

int caml_ring_append_to_schema(const struct eventring_schema_entry *entry)
{
  struct caml_ring_session *s = &caml_ring_session;
  struct eventring_header *h = &s->header;
  uint64_t size = sizeof(*entry);
  uint64_t end = (h->schema_count + 1) * size;
  if (h->schema_count == h->schema_capacity) return ENOSPC;
  if (end > s->schema_allocated) {
    uint64_t chunk = round_up_to_page(end) - s->schema_allocated;
    int err = caml_ring_allocate(h->schema_offset + s->schema_allocated, chunk);
    if (err != 0) return err;
    s->schema_allocated += chunk;
  }
  memcpy(s->map + h->schema_offset + end - size, entry, size);
  h->schema_count++;
  /* The count is stored last, so that a reader never sees half an entry. */
  __atomic_store_n(&((struct eventring_header *) s->map)->schema_count,
                   h->schema_count, __ATOMIC_RELEASE);
  return 0;
}

COLD
void caml_ring_describe(struct eventring_schema_entry *e, const char *name,
                        int kind, int payload, const char *unit)
{
  memset(e, 0, sizeof(*e));
  e->kind = kind;
  e->payload = payload;
  e->category = EVENTRING_USER_BIT;
  strncpy(e->unit, unit, EVENTRING_UNIT_SIZE - 1);
  strncpy(e->name, name, EVENTRING_NAME_SIZE - 1);
}

/* Names of domains and threads, kept as they are in the file.  Under the
   session's lock. */

static struct {
  struct eventring_schema_entry *entry; /* room for all that there may be */
  uint32_t count;
  uint32_t in_file;             /* counts replaced names, too */
} labels;

/* Makes sure that [labels] has room for one more label.  Returns 1, or 0 when
   EVENTRING_MAX_LABELS are in use or there is no memory.  Unused room takes no
   memory.  Call with the session's lock held. */
COLD
static int reserve_label(void)
{
  if (labels.entry == NULL) {
    void *map = mmap(NULL, EVENTRING_MAX_LABELS * sizeof(*labels.entry),
                     PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                     0);
    if (map == MAP_FAILED) return 0;
    labels.entry = map;
  }
  return labels.count < EVENTRING_MAX_LABELS;
}

/* Appends the label [e] to the schema of the ring file.  Leaves the label out
   when the schema has no room for another one.  Call with the session's lock
   held. */
static void append_label(const struct eventring_schema_entry *e)
{
  if (labels.in_file < EVENTRING_MAX_LABELS
      && caml_ring_append_to_schema(e) == 0)
    labels.in_file++;
}

COLD
int caml_ring_set_label(uint32_t domain, uint64_t thread, const char *name)
{
  uint32_t i = 0;
  caml_ring_lock_session();
  while (i < labels.count && (labels.entry[i].place != domain
                              || labels.entry[i].detail != thread)) i++;
  int room = i < labels.count || reserve_label();
  if (room) {
    struct eventring_schema_entry *e = &labels.entry[i];
    caml_ring_describe(e, name, EVENTRING_LABEL, EVENTRING_NO_PAYLOAD, "");
    e->place = domain;
    e->detail = thread;
    if (i == labels.count) labels.count++;
    if (caml_eventring_started()) {
      e->since = caml_eventring_ticks();
      append_label(e);
    }
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
  return room;
}

COLD
uint64_t caml_ring_this_thread(void)
{
  return caml_ring_os_thread_id() | (uint64_t) caml_ring_self.id << 32;
}

COLD
void caml_ring_note_os_name(void)
{
#ifdef __linux__
  struct caml_ring_thread *self = &caml_ring_self;
  char name[OS_NAME_SIZE];
  if (prctl(PR_GET_NAME, name) != 0) return;
  if (self->os_name[0] == '\0')
    strcpy(self->os_name, caml_ring_session.os_name);
  if (strcmp(name, self->os_name) == 0) return;
  strcpy(self->os_name, name);
  caml_ring_set_label(Caml_state->unique_id, caml_ring_this_thread(), name);
#endif
}

COLD
void caml_ring_fork_labels(uint32_t old_thread)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < labels.count; i++) {
    struct eventring_schema_entry *e = &labels.entry[i];
    if ((uint32_t) e->detail == old_thread && old_thread != 0)
      e->detail = caml_ring_this_thread();
    else if (e->detail != 0) continue;
    if (kept != i) labels.entry[kept] = *e;
    kept++;
  }
  labels.count = kept;
}

COLD
int caml_ring_append_names(void)
{
  for (uint32_t i = 0; i < caml_ring_names.count; i++) {
    int err = caml_ring_append_to_schema(&caml_ring_names.entry[i]);
    if (err != 0) return err;
  }
  labels.in_file = 0;
  for (uint32_t i = 0; i < labels.count; i++) append_label(&labels.entry[i]);
  return 0;
}
