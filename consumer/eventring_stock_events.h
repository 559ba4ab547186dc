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

/* The numbers of the events of stock OCaml 5.

   The numbers in a .events file are places in enumerations of the runtime that
   wrote it.  The enumeration of OCaml 5.v is made of the rows below with
   [since] up to v, in this order.  All rows but the ones of 5.3 were added at
   the end, so that two numberings read every file: up to 5.2, and from 5.3 on.
   Names, categories and units are the same as in caml/eventring_events.tbl,
   where it has the event. */

#ifndef EVENTRING_STOCK_EVENTS_H
#define EVENTRING_STOCK_EVENTS_H

#include "caml/eventring_format.h"

#define STOCK_BEFORE_5_3 2
#define STOCK_NEWEST 5

struct stock_event {
  int since;                    /* 5.[since] */
  uint32_t category;            /* bit number */
  const char *name;
  const char *unit;
};

#define E(since, category, name, unit) \
  { since, EVENTRING_##category##_BIT, name, unit }

static const struct stock_event stock_phases[] = {
  E(0, GC, "explicit_gc_set", ""),
  E(0, GC, "explicit_gc_stat", ""),
  E(0, GC, "explicit_gc_minor", ""),
  E(0, GC, "explicit_gc_major", ""),
  E(0, GC, "explicit_gc_full_major", ""),
  E(0, GC, "explicit_gc_compact", ""),
  E(0, GC_DETAIL, "major", ""),
  E(0, GC_DETAIL, "major_sweep", ""),
  E(0, GC_DETAIL, "major_mark_roots", ""),
  E(3, GC_DETAIL, "major_memprof_roots", ""),
  E(0, GC_DETAIL, "major_mark", ""),
  E(0, GC, "minor", ""),
  E(0, GC_DETAIL, "minor_local_roots", ""),
  E(3, GC_DETAIL, "minor_memprof_roots", ""),
  E(3, GC_DETAIL, "minor_memprof_clean", ""),
  E(0, GC_DETAIL, "minor_finalized", ""),
  E(0, GC, "explicit_gc_major_slice", ""),
  E(0, GC_DETAIL, "finalise_update_first", ""),
  E(0, GC_DETAIL, "finalise_update_last", ""),
  E(0, SYNC_DETAIL, "interrupt_remote", ""),
  E(0, GC_DETAIL, "major_ephe_mark", ""),
  E(0, GC_DETAIL, "major_ephe_sweep", ""),
  E(0, GC_DETAIL, "major_finish_marking", ""),
  E(0, GC, "major_gc_cycle_domains", ""),
  E(0, GC_DETAIL, "major_gc_phase_change", ""),
  E(0, GC_DETAIL, "major_gc_stw", ""),
  E(0, GC_DETAIL, "major_mark_opportunistic", ""),
  E(0, GC, "major_slice", ""),
  E(0, GC, "major_finish_cycle", ""),
  E(0, GC_DETAIL, "minor_clear", ""),
  E(0, GC_DETAIL, "minor_finalizers_oldify", ""),
  E(0, GC_DETAIL, "minor_global_roots", ""),
  E(0, SYNC_DETAIL, "minor_leave_barrier", ""),
  E(0, SYNC_DETAIL, "stw_api_barrier", ""),
  E(0, SYNC_DETAIL, "stw_handler", ""),
  E(0, SYNC_DETAIL, "stw_leader", ""),
  E(0, GC_DETAIL, "major_finish_sweeping", ""),
  E(3, GC_DETAIL, "major_memprof_clean", ""),
  E(0, GC_DETAIL, "minor_finalizers_admin", ""),
  E(0, GC_DETAIL, "minor_remembered_set", ""),
  E(0, GC_DETAIL, "minor_remembered_set_promote", ""),
  E(0, GC_DETAIL, "minor_local_roots_promote", ""),
  E(0, SYNC_DETAIL, "domain_condition_wait", ""),
  E(0, DOMAIN, "domain_resize_heap_reservation", ""),
  E(2, GC, "compaction", ""),
  E(2, GC_DETAIL, "compaction_evacuate", ""),
  E(2, GC_DETAIL, "compaction_forward", ""),
  E(2, GC_DETAIL, "compaction_release", ""),
  E(4, GC, "empty_minor", ""),
  E(4, GC_DETAIL, "minor_ephe_clean", "")
};

static const struct stock_event stock_counters[] = {
  E(0, GC_DETAIL, "force_minor_alloc_small", "count"),
  E(0, GC_DETAIL, "force_minor_make_vect", "count"),
  E(0, GC_DETAIL, "force_minor_set_minor_heap_size", "count"),
  E(0, GC_DETAIL, "force_minor_memprof", "count"),
  E(0, GC, "minor_promoted", "bytes"),
  E(0, GC, "minor_allocated", "bytes"),
  E(0, GC_DETAIL, "request_major_alloc_shr", "count"),
  E(0, GC_DETAIL, "request_major_adjust_gc_speed", "count"),
  E(0, GC_DETAIL, "request_minor_realloc_ref_table", "count"),
  E(0, GC_DETAIL, "request_minor_realloc_ephe_ref_table", "count"),
  E(0, GC_DETAIL, "request_minor_realloc_custom_table", "count"),
  E(1, GC, "major_heap_pool_words", "words"),
  E(1, GC, "major_heap_pool_live_words", "words"),
  E(1, GC, "major_heap_large_words", "words"),
  E(1, GC, "major_heap_pool_frag_words", "words"),
  E(1, GC, "major_heap_pool_live_blocks", "blocks"),
  E(1, GC, "major_heap_large_blocks", "blocks"),
  E(3, GC_DETAIL, "major_heap_words", "words"),
  E(3, GC_DETAIL, "major_allocated_words", "words"),
  E(3, GC_DETAIL, "major_allocated_work", "words"),
  E(3, GC_DETAIL, "major_dependent_work", "words"),
  E(3, GC_DETAIL, "major_extra_work", "words"),
  E(3, GC_DETAIL, "major_work_counter", "words"),
  E(3, GC_DETAIL, "major_alloc_counter", "words"),
  E(3, GC_DETAIL, "major_slice_target", "words"),
  E(3, GC_DETAIL, "major_slice_budget", "words"),
  E(5, GC, "minor_allocated_words", "words"),
  E(5, GC, "minor_promoted_words", "words")
};

static const struct stock_event stock_lifecycles[] = {
  E(0, DOMAIN, "ring_start", ""),
  E(0, DOMAIN, "ring_stop", ""),
  E(0, DOMAIN, "ring_pause", ""),
  E(0, DOMAIN, "ring_resume", ""),
  E(0, DOMAIN, "fork_parent", ""),
  E(0, DOMAIN, "fork_child", ""),
  E(0, DOMAIN, "domain_spawn", ""),
  E(0, DOMAIN, "domain_terminate", "")
};

#undef E

/* Numbers that are looked for, the same in all versions. */
enum { STOCK_RING_START = 0, STOCK_RING_STOP = 1 };
enum { STOCK_MINOR_ALLOCATED = 5, STOCK_MINOR_ALLOCATED_WORDS = 26 };

/* A minor collection ends right after it has reported the amount allocated;
   this is how the two numberings are told apart. */
enum { STOCK_MINOR_BEFORE_5_3 = 10, STOCK_MINOR_SINCE_5_3 = 11 };

#endif /* EVENTRING_STOCK_EVENTS_H */
