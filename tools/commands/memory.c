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

/* eventring memory: where the memory of a process is, which code allocates it
   and which code keeps it. */

#include <inttypes.h>
#include <stdio.h>
#include "common.h"
#include "follow.h"
#include "hub_target.h"
#include "json.h"
#include "memory_use.h"
#include "options.h"
#include "profile_export.h"
#include "profile_text.h"
#include "profile_notes.h"
#include "profile_types.h"
#include "summary_text.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring memory [OPTION...] [PID|FILE]\n"
"Prints the heap of a process by kind and its growth, its memory, and the\n"
"lines of code whose blocks were allocated and are alive.  For a running\n"
"process, takes the events that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_DIR, OPTION_HUB, OPTION_JSON, OPTION_HELP, OPTION_END
};

static const char notes[] =
"The heap is that of the end of the last major cycle.  The lines of code need\n"
"samples of allocation: eventring enable PID profile_alloc.  For all of them:\n"
"eventring profile --type=alloc or --type=live.\n";

/* Lines of code that are printed of each profile. */
#define SITES 8

/* Text */

static void print_heap(const struct memory_use *m)
{
  const struct summary_heap *h = &m->heap;
  char text[6][QUANTITY_SIZE];
  if (!h->known) {
    puts("heap        not known: no major cycle has ended");
    return;
  }
  printf("heap        %s: live %s, large %s, free %s, fragmented %s\n",
         format_bytes(text[0], 8 * (h->pool_words + h->large_words)),
         format_bytes(text[1], 8 * h->pool_live_words),
         format_bytes(text[2], 8 * h->large_words),
         format_bytes(text[3], 8 * h->pool_free_words),
         format_bytes(text[4], 8 * h->fragmented_words));
  printf("custom      %s that custom blocks hold outside of the heap\n",
         format_bytes(text[5], 8 * h->custom_words));
}

static void print_growth(const struct memory_use *m)
{
  const uint64_t was = m->first.bytes, now = m->last.bytes;
  const uint64_t ns = (uint64_t) time_since(m->last.ns, m->first.ns);
  char text[4][QUANTITY_SIZE];
  if (m->cycles < 2) return;
  printf("growth      live blocks, large ones too: from %s to %s in %s, %s%s\n",
         format_bytes(text[0], was), format_bytes(text[1], now),
         format_duration(text[2], ns),
         now > was ? "+" : now < was ? "-" : "",
         format_bytes(text[3], now > was ? now - was : was - now));
}

/* Prints how much memory Gc.full_major and Gc.compact would free. */
static void print_freeable(const struct memory_use *m)
{
  char text[2][QUANTITY_SIZE];
  if (m->cycles == 0) return;
  printf("collection  would free about %s, if as much stays alive as at the\n"
         "            end of the last major cycle; an estimate: all that came to\n"
         "            the heap since then\n",
         format_bytes(text[0], m->arrived_bytes));
  printf("compaction  would give back up to %s: free and fragmented memory\n",
         format_bytes(text[1], 8 * (m->heap.pool_free_words
                                    + m->heap.fragmented_words)));
}

static void print_process_memory(const struct summary *s)
{
  const struct summary_numbers *all = summary_numbers(s);
  char text[2][QUANTITY_SIZE];
  if (all->resident_bytes == 0) return;
  printf("memory      resident %s, mapped %s\n",
         format_bytes(text[0], all->resident_bytes),
         format_bytes(text[1], all->mapped_bytes));
}

/* Prints the sums of [profile], and the lines of code with the largest ones. */
static void print_sites(const struct profile_origin *origin,
                        const struct profile *profile)
{
  char text[SUMS_SIZE];
  if (profile_sums(profile).all_samples == 0) return;
  printf("\n%s\n", format_sums(text, origin, profile));
  print_profile_top(profile, BY_LINE, SITES);
}

static void print_memory_use(struct memory_use *m)
{
  const struct summary_numbers *n = summary_numbers(m->summary);
  const struct profile_origin origin = { .cursor = n->cursor };
  print_process(m->summary);
  print_heap(m);
  print_growth(m);
  print_process_memory(m->summary);
  print_freeable(m);
  print_sites(&origin, m->allocated);
  print_sites(&origin, m->alive);
  print_lost(m->summary);
  note_missing_samples(n->cursor,
                       profile_sums(m->allocated).all_samples == 0
                       ? m->allocated : m->alive);
}

/* JSON */

static json_t *integer(uint64_t n)
{
  return json_integer((json_int_t) n);
}

static json_t *heap_json(const struct summary_heap *h)
{
  if (!h->known) return json_null();
  return json_pack("{soso soso soso}",
                   "pool_bytes", integer(8 * h->pool_words),
                   "live_bytes", integer(8 * h->pool_live_words),
                   "free_bytes", integer(8 * h->pool_free_words),
                   "fragmented_bytes", integer(8 * h->fragmented_words),
                   "large_bytes", integer(8 * h->large_words),
                   "custom_bytes", integer(8 * h->custom_words));
}

static json_t *growth_json(const struct memory_use *m)
{
  if (m->cycles < 2) return json_null();
  return json_pack("{soso soso}",
                   "first_ns", json_integer(m->first.ns),
                   "last_ns", json_integer(m->last.ns),
                   "first_live_bytes", integer(m->first.bytes),
                   "last_live_bytes", integer(m->last.bytes));
}

/* Returns the sums of [profile] and the lines of code with the largest ones;
   null when there are no samples. */
static json_t *sites_json(const struct profile *profile)
{
  const struct profile_sums sums = profile_sums(profile);
  if (sums.all_samples == 0) return json_null();
  return json_pack("{soso soso}", "samples", integer(sums.samples),
                   "bytes", integer(sums.weight),
                   "blocks", integer(sums.extra),
                   "lines", json_profile_table(profile, BY_LINE, SITES));
}

static void print_memory_json(struct memory_use *m)
{
  struct summary *s = m->summary;
  const struct summary_numbers *n = summary_numbers(s);
  print_json(json_pack(
    "{sI so sI sI so so so so so so so so so}",
    "version", (json_int_t) JSON_VERSION, "process", json_process(n->cursor),
    "first_ns", (json_int_t) n->first_ns, "last_ns", (json_int_t) n->last_ns,
    "lost_events", integer(lost_events(n->cursor)),
    "heap", heap_json(&m->heap), "growth", growth_json(m),
    "resident_bytes", integer(n->resident_bytes),
    "mapped_bytes", integer(n->mapped_bytes),
    "cycles", integer(m->cycles),
    "freeable_bytes",
    m->cycles > 0 ? integer(m->arrived_bytes) : json_null(),
    "allocated", sites_json(m->allocated), "alive", sites_json(m->alive)),
    false);
}

/* The command */

static void say(void *state, const char *message)
{
  (void) state;
  note("%s", message);
}

static void take_event(void *m, const struct eventring_event *event)
{
  memory_use_event(m, event);
}

static void is_quiet(void *m)
{
  memory_use_idle(m);
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool json = false;
  int option;
  while ((option = next_option(&memory_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_HUB: use_hub(&memory_command, optarg); break;
    case OPTION_JSON: json = true; break;
    }
  struct eventring_cursor *cursor =
    open_target(&memory_command, argc, argv, dir, false);
  struct symbols *symbols = new_symbols(cursor, say, NULL);
  struct memory_use *m = new_memory_use(cursor);
  enum status status = read_events(cursor, &(struct reading) {
    .changes = true, .state = m, .event = take_event,
    .quiet = is_quiet
  });
  memory_use_finish(m, symbols);
  if (json) print_memory_json(m);
  else print_memory_use(m);
  free_memory_use(m);
  free_symbols(symbols);
  eventring_close(cursor);
  return finish_output(status);
}

const struct command memory_command = {
  .name = "memory", .summary = "where memory is, and the code that keeps it",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
