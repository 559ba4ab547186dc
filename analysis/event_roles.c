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

#include <string.h>
#include "category.h"
#include "event_roles.h"
#include "memory.h"

static const struct { const char *name; enum event_role role; } named[] = {
  { "minor", ROLE_MINOR },
  { "major_slice", ROLE_SLICE },
  { "major_gc_cycle_domains", ROLE_CYCLE },
  { "compaction", ROLE_COMPACTION },
  { "explicit_gc_set", ROLE_CALL },
  { "explicit_gc_stat", ROLE_CALL },
  { "explicit_gc_minor", ROLE_CALL },
  { "explicit_gc_major", ROLE_CALL },
  { "explicit_gc_full_major", ROLE_CALL },
  { "explicit_gc_compact", ROLE_CALL },
  { "explicit_gc_major_slice", ROLE_CALL },
  { "stw_leader", ROLE_IN_STOP },
  { "stw_handler", ROLE_IN_STOP },
  { "major", ROLE_IN_COLLECTOR },
  { "major_finish_cycle", ROLE_IN_COLLECTOR },
  { "major_gc_phase_change", ROLE_IN_COLLECTOR },
  { "domain_resize_heap_reservation", ROLE_IN_COLLECTOR },
  { "stop_the_world", ROLE_STOP },
  { "heap", ROLE_HEAP },
  { "process_memory", ROLE_MEMORY },
  { "minor_heap_size", ROLE_MINOR_HEAP_SIZE },
  { "major_pacing", ROLE_PACING },
  { "allocated_at_end", ROLE_AT_END },
  /* Counters of stock OCaml; fields of the events above in ours. */
  { "minor_promoted", ROLE_PROMOTED },
  { "minor_allocated", ROLE_ALLOCATED },
  { "major_allocated_words", ROLE_MAJOR_ALLOCATED },
  { "major_heap_pool_words", ROLE_POOLS },
  { "major_heap_pool_live_words", ROLE_POOLS_LIVE },
  { "major_heap_large_words", ROLE_LARGE },
  { "major_heap_pool_frag_words", ROLE_FRAGMENTED },
  { "mutex_wait", ROLE_MUTEX_WAIT },
  { "condition_wait", ROLE_CONDITION_WAIT },
  { "thread_yield", ROLE_YIELD },
  { "ring_start", ROLE_RING_START },
  { "domain_start", ROLE_DOMAIN_STARTS },
  { "domain_spawn", ROLE_DOMAIN_STARTS },
  { "domain_terminate", ROLE_DOMAIN_ENDS },
  { "thread_run", ROLE_THREAD_RUN },
  { "thread_exit", ROLE_THREAD_ENDS },
  { "ring_pause", ROLE_RING_PAUSE },
  { "ring_resume", ROLE_RING_RESUME }
};

static const char *const field_names[EVENT_FIELDS] = {
  [F_CAUSE] = "cause", [F_REASON] = "reason", [F_REQUESTED_BY] = "requested_by",
  [F_PROMOTED] = "promoted", [F_ALLOCATED] = "allocated",
  [F_MINOR] = "minor", [F_DIRECT] = "direct",
  [F_DOMAIN] = "domain", [F_ARRIVED_AFTER] = "arrived_after",
  [F_LEFT_BEFORE] = "left_before",
  [F_POOLS] = "pools", [F_LIVE] = "live", [F_FREE] = "free",
  [F_FRAGMENTED] = "fragmented", [F_LARGE] = "large", [F_CUSTOM] = "custom",
  [F_MAPPED] = "mapped", [F_RESIDENT] = "resident", [F_TO] = "to",
  [F_FOR_DOMAIN_LOCK] = "for_domain_lock", [F_MUTEX] = "mutex",
  [F_CONDITION] = "condition", [F_HOLDER] = "holder"
};

/* The number of words of a payload among which fields are searched. */
#define WORDS_KNOWN 64

/* Finds the known fields among the first WORDS_KNOWN words of the payload of
   events with the id [id], which have the role [role], and stores their places
   for this role.  A place that is known already stays.  For a stop, also stores
   the number of words between two fields "domain". */
static void find_fields(struct event_roles *roles, uint16_t id,
                        enum event_role role)
{
  for (uint32_t word = 0; word < WORDS_KNOWN; word++) {
    const struct eventring_field *field =
      eventring_field(roles->cursor, id, word);
    if (field == NULL) continue;
    for (int f = 0; f < EVENT_FIELDS; f++) {
      if (strcmp(field->name, field_names[f]) != 0) continue;
      uint8_t *place = &roles->place[role][f];
      if (*place == 0)
        *place = (uint8_t) (1 + word);
      else if (role == ROLE_STOP && f == F_DOMAIN && roles->round == 0)
        roles->round = (uint8_t) (1 + word - *place);
    }
  }
}

static enum event_area area_of(const char *category)
{
  static const struct { const char *category; enum event_area area; }
  areas[] = {
    { "gc", AREA_COLLECTOR }, { "gc_detail", AREA_COLLECTOR },
    { "user", AREA_USER }, { "wait", AREA_WAIT },
    { "sync", AREA_STOP }, { "sync_detail", AREA_STOP }
  };
  for (size_t i = 0; category != NULL && i < sizeof areas / sizeof *areas; i++)
    if (strcmp(category, areas[i].category) == 0) return areas[i].area;
  return AREA_OTHER;
}

/* In the program's category, one event is the runtime's: of all with its name, the
   first that the file describes. */
static enum event_role user_role(struct event_roles *roles, uint16_t id,
                                 const char *name)
{
  if (strcmp(name, "request_run") != 0) return ROLE_OTHER;
  /* Looks at all names: once. */
  if (roles->request_run == 0)
    roles->request_run = 1 + eventring_find(roles->cursor, name);
  return roles->request_run == 1 + id ? ROLE_REQUEST_RUN : ROLE_OTHER;
}

static enum event_role named_role(struct event_roles *roles, uint16_t id,
                                  const char *name, enum event_area area)
{
  if (area == AREA_USER) return user_role(roles, id, name);
  enum event_role role = area == AREA_WAIT ? ROLE_WAIT : ROLE_OTHER;
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (strcmp(name, named[i].name) == 0) role = named[i].role;
  /* All events of this area are waits, and no others. */
  return (area == AREA_WAIT) == is_wait_role(role) ? role : ROLE_OTHER;
}

/* Also stores the places of the fields and the unit, both for the role: ids of the
   same role must agree in them (a place that is known already stays, a unit is
   replaced). */
struct event_class look_up_class(struct event_roles *roles, uint16_t id)
{
  const struct eventring_description *d = eventring_describe(roles->cursor, id);
  /* It may be registered later. */
  if (d == NULL) return (struct event_class) { 0 };
  const enum event_area area =
    area_of(eventring_category(roles->cursor, d->category));
  const enum event_role role = named_role(roles, id, d->name, area);
  find_fields(roles, id, role);
  roles->scale[role] = strcmp(d->unit, "bytes") == 0 ? 8 : 1;
  return roles->classes[id] = (struct event_class) {
    .known = true, .role = (uint8_t) role, .area = (uint8_t) area,
    .kind = (uint8_t) d->kind
  };
}

struct stopped_domain stopped_domain(const struct event_roles *roles,
                                     const struct eventring_event *event, uint32_t i)
{
  const uint8_t *place = roles->place[ROLE_STOP];
  const uint64_t *round = event->payload + i * roles->round;
  /* Places are from 1. */
  return (struct stopped_domain) {
    .id = (uint32_t) round[place[F_DOMAIN] - 1],
    .arrived_after = round[place[F_ARRIVED_AFTER] - 1],
    .left_before = place[F_LEFT_BEFORE] != 0 ? round[place[F_LEFT_BEFORE] - 1] : 0
  };
}

uint32_t stopped_domains(const struct event_roles *roles,
                         const struct eventring_event *event,
                         struct stopped_domain *last)
{
  const uint8_t *place = roles->place[ROLE_STOP];
  uint32_t end = place[F_DOMAIN];       /* of the first round */
  if (end == 0 || place[F_ARRIVED_AFTER] == 0 || roles->round == 0) return 0;
  if (place[F_ARRIVED_AFTER] > end) end = place[F_ARRIVED_AFTER];
  if (place[F_LEFT_BEFORE] > end) end = place[F_LEFT_BEFORE];
  if (end > event->words) return 0;
  const uint32_t count = 1 + (event->words - end) / roles->round;
  *last = stopped_domain(roles, event, 0);
  for (uint32_t i = 1; i < count; i++) {
    const struct stopped_domain d = stopped_domain(roles, event, i);
    if (d.arrived_after > last->arrived_after) *last = d;
  }
  return count;
}

struct stopped_time stopped_time(const struct eventring_event *event,
                                 const struct stopped_domain *last,
                                 const struct stopped_domain *in)
{
  /* A damaged file may have any numbers. */
  const uint64_t all = last->arrived_after - in->arrived_after + event->payload[0],
    ns = all > in->left_before ? all - in->left_before : 0;
  const int64_t from_ns = (int64_t) ((uint64_t) event->ns - all);
  return (struct stopped_time) { from_ns, (int64_t) ((uint64_t) from_ns + ns) };
}

bool event_is_recorded(const struct event_roles *roles, int id)
{
  if (id < 0) return false;
  const struct eventring_description *d =
    eventring_describe(roles->cursor, (uint16_t) id);
  return d != NULL && d->category < 32
      && (recorded_categories(roles->cursor) >> d->category & 1) != 0;
}

struct event_roles *new_event_roles(struct eventring_cursor *cursor)
{
  struct event_roles *roles = allocate(1, sizeof *roles);
  roles->cursor = cursor;
  const int slice = eventring_find(cursor, "major_slice");
  if (slice >= 0) look_up_class(roles, (uint16_t) slice);
  return roles;
}
