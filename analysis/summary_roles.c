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
#include "memory.h"
#include "summary_roles.h"

static const struct { const char *name; enum role role; } roles[] = {
  { "minor", MINOR },
  { "major_slice", SLICE },
  { "major_gc_cycle_domains", CYCLE },
  { "compaction", COMPACTION },
  { "explicit_gc_set", EXPLICIT },
  { "explicit_gc_stat", EXPLICIT },
  { "explicit_gc_minor", EXPLICIT },
  { "explicit_gc_major", EXPLICIT },
  { "explicit_gc_full_major", EXPLICIT },
  { "explicit_gc_compact", EXPLICIT },
  { "explicit_gc_major_slice", EXPLICIT },
  { "stw_leader", IN_STOP },
  { "stw_handler", IN_STOP },
  { "major", IN_COLLECTOR },
  { "major_finish_cycle", IN_COLLECTOR },
  { "major_gc_phase_change", IN_COLLECTOR },
  { "domain_resize_heap_reservation", IN_COLLECTOR },
  { "stop_the_world", STOP },
  { "heap", HEAP },
  { "process_memory", MEMORY },
  { "minor_heap_size", MINOR_HEAP_SIZE },
  { "major_pacing", PACING },
  { "allocated_at_end", AT_END },
  /* Counters of stock OCaml; fields of the events above in ours. */
  { "minor_promoted", PROMOTED },
  { "minor_allocated", ALLOCATED },
  { "major_allocated_words", MAJOR_ALLOCATED },
  { "major_heap_pool_words", POOLS },
  { "major_heap_pool_live_words", POOLS_LIVE },
  { "major_heap_large_words", LARGE },
  { "major_heap_pool_frag_words", FRAGMENTED },
  { "domain_start", DOMAIN_STARTS },
  { "domain_spawn", DOMAIN_STARTS },
  { "domain_terminate", DOMAIN_ENDS },
  { "thread_run", THREAD_RUN },
  { "thread_exit", THREAD_ENDS },
  { "ring_pause", RING_PAUSE },
  { "ring_resume", RING_RESUME }
};

static const char *const field_names[FIELDS] = {
  [CAUSE] = "cause", [REASON] = "reason", [REQUESTED_BY] = "requested_by",
  [F_PROMOTED] = "promoted", [F_ALLOCATED] = "allocated",
  [F_MINOR] = "minor", [DIRECT] = "direct",
  [DOMAIN] = "domain", [ARRIVED_AFTER] = "arrived_after",
  [LEFT_BEFORE] = "left_before",
  [F_POOLS] = "pools", [LIVE] = "live", [FREE] = "free",
  [F_FRAGMENTED] = "fragmented", [F_LARGE] = "large", [CUSTOM] = "custom",
  [MAPPED] = "mapped", [RESIDENT] = "resident", [TO] = "to"
};

/* The number of words of a payload among which fields are searched. */
#define WORDS_KNOWN 64

/* Returns whether the category of the events that [d] describes is called
   [name]. */
static bool in_category(struct summary_ids *ids,
                        const struct eventring_description *d,
                        const char *name)
{
  const char *category = eventring_category(ids->cursor, d->category);
  return category != NULL && strcmp(category, name) == 0;
}

/* Finds the known fields among the first WORDS_KNOWN words of the payload of
   events with the id [id], which have the role [role], and stores their places
   for this role.  A place that is known already stays.  For a stop, also stores
   the number of words between two fields "domain". */
static void find_fields(struct summary_ids *ids, uint16_t id, enum role role)
{
  for (uint32_t word = 0; word < WORDS_KNOWN; word++) {
    const struct eventring_field *field = eventring_field(ids->cursor, id, word);
    if (field == NULL) continue;
    for (int f = 0; f < FIELDS; f++) {
      if (strcmp(field->name, field_names[f]) != 0) continue;
      uint8_t *place = &ids->place[role][f];
      if (*place == 0)
        *place = (uint8_t) (1 + word);
      else if (role == STOP && f == DOMAIN && ids->round == 0)
        ids->round = (uint8_t) (1 + word - *place);
    }
  }
}

/* Determines the role of events with the id [id] from their name and category,
   stores it, and returns it.  Also stores the places of the fields and the
   unit, both for the role: ids of the same role must agree in them (a place
   that is known already stays, a unit is replaced).  An event without a description
   gets the role OTHER, which is not stored, until it is described. */
enum role look_up_role(struct summary_ids *ids, uint16_t id)
{
  const struct eventring_description *d = eventring_describe(ids->cursor, id);
  if (d == NULL) return OTHER;    /* it may be registered later */
  enum role role = OTHER;
  if (in_category(ids, d, "wait"))
    role = WAIT;
  else if (!in_category(ids, d, "user"))
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
      if (strcmp(d->name, roles[i].name) == 0) role = roles[i].role;
  find_fields(ids, id, role);
  ids->scale[role] = strcmp(d->unit, "bytes") == 0 ? 8 : 1;
  ids->role[id] = (uint8_t) role;
  return role;
}

bool tells_direct(const struct summary_ids *ids)
{
  return ids->place[SLICE][DIRECT] != 0
      && (ids->collects || records_category(ids->cursor, "gc"));
}

bool has_category(struct summary_ids *ids, uint16_t id, const char *name)
{
  const struct eventring_description *d = eventring_describe(ids->cursor, id);
  return d != NULL && in_category(ids, d, name);
}

struct summary_ids *new_summary_ids(struct eventring_cursor *cursor)
{
  struct summary_ids *ids = allocate(1, sizeof *ids);
  ids->cursor = cursor;
  const int slice = eventring_find(cursor, "major_slice");
  if (slice >= 0) look_up_role(ids, (uint16_t) slice);
  return ids;
}
