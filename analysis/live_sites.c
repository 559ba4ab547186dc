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

/* A block is kept with its place in the code, not with its stack.  At the end
   each block is counted twice: first to find the largest sites, then in the row
   of its site, at the moment from which on it is alive and at the moment from
   which on it is not.  Running sums of the rows are the bytes alive. */

#include <stdlib.h>
#include "category.h"
#include "live_blocks.h"
#include "live_sites.h"
#include "memory.h"
#include "pair_map.h"
#include "profile.h"
#include "samples.h"
#include "target.h"

/* The sum of the weights of all blocks, at most. */
#define MOST_BYTES ((uint64_t) INT64_MAX)

struct sampled { uint64_t bytes; uint32_t code; };

/* A place in the code that allocated blocks. */
struct code {
  struct code_address address;  /* [address.address] 0: not known */
  uint32_t site;
};

struct site {
  const struct frame *frame;
  double weight;                /* sum of the bytes of all moments */
  uint32_t row;                 /* in the result; LIVE_SITES: other */
};

/* The begin of a ring. */
struct ring {
  bool seen;                    /* it had an event */
  int64_t lost_ns;              /* its events up to this time were overwritten;
                                   INT64_MIN: none */
};

struct live_sites {
  struct eventring_cursor *cursor;
  struct samples *kinds;
  struct live_blocks *blocks;
  struct sampled *sampled;      /* by the index in [blocks] */
  size_t sampled_room;
  uint32_t count;               /* of [sampled] */
  uint64_t total;               /* bytes */
  struct pair_map code_numbers; /* (address, allocation) */
  struct code *codes;
  size_t codes_room;
  struct site *sites;
  size_t sites_room;
  uint32_t sites_count;
  struct ring *rings;
  uint32_t rings_count;
  bool any;                     /* an event of samples was taken */
  uint16_t last_id;             /* of the last one... */
  int64_t last_ns;              /* ...and its time */
  struct frame unknown;         /* of a sample without a frame */
  struct live_sites_result result;
};

struct live_sites *new_live_sites(struct eventring_cursor *cursor,
                                  int64_t from_ns, int64_t to_ns,
                                  uint32_t moments)
{
  struct live_sites *s = allocate(1, sizeof *s);
  s->cursor = cursor;
  s->kinds = new_samples(cursor);
  s->blocks = new_live_blocks(cursor);
  s->code_numbers = new_pair_map();
  s->rings_count = target_info(cursor).rings;
  s->rings = allocate(s->rings_count, sizeof *s->rings);
  s->result.known_ns = INT64_MAX;
  s->result.moments = moments;
  const double step = (double) time_since(to_ns, from_ns) / (double) moments;
  for (uint32_t i = 0; i + 1 < moments; i++)
    s->result.ns[i] = time_after(from_ns, (int64_t) (step * (i + 1)));
  s->result.ns[moments - 1] = to_ns;
  return s;
}

void free_live_sites(struct live_sites *s)
{
  free_samples(s->kinds);
  free_live_blocks(s->blocks);
  free_pair_map(&s->code_numbers);
  free(s->rings);
  free(s->sampled);
  free(s->codes);
  free(s->sites);
  free(s);
}

/* Events */

/* Returns the number of the code that allocated the block of [event]. */
static uint32_t code_of(struct live_sites *s, enum sample_kind kind,
                        const struct eventring_event *event)
{
  const uint32_t first = first_frame(kind);
  const uint64_t allocation = event->payload[ALLOC_ALLOCATION];
  struct code_address address = { .returns = true };
  if (event->words > first) {
    address.address = event->payload[first];
    if (allocation < UINT8_MAX) address.allocation = (uint8_t) (allocation + 1);
  }
  bool added;
  uint32_t at = number_of_pair(&s->code_numbers, address.address,
                               address.allocation, &added);
  if (!added) return at;
  s->codes = with_room(s->codes, at, &s->codes_room, sizeof *s->codes);
  s->codes[at] = (struct code) { .address = address };
  return at;
}

static void take_block(struct live_sites *s, enum sample_kind kind,
                       const struct eventring_event *event)
{
  const uint64_t words = event->payload[SAMPLE_WEIGHT];
  const int64_t age = kind == LIVE_SAMPLE
    ? (int64_t) (event->payload[LIVE_AGE] & INT64_MAX) : 0;
  if (s->count == LIVE_SITES_BLOCKS
      || words > (MOST_BYTES - s->total) / sizeof words) {
    s->result.left_out++;
    return;
  }
  s->result.left_out += event->payload[ALLOC_BLOCK] == 0;
  uint32_t at = block_sampled(s->blocks, event, event->payload[ALLOC_BLOCK],
                              time_after(event->ns, -age));
  if (at == UINT32_MAX) return;
  s->sampled = with_room(s->sampled, at, &s->sampled_room, sizeof *s->sampled);
  s->sampled[at] = (struct sampled) { words * sizeof words,
                                      code_of(s, kind, event) };
  s->total += words * sizeof words;
  s->count = at + 1;
}

/* Takes notice of the time from which on the events of the ring of [event] are
   there, which is of samples if [sample] is true. */
static void note_begin(struct live_sites *s, const struct eventring_event *event,
                       bool sample)
{
  if (event->form == EVENTRING_EV_CONTROL_CHANGED
      || event->ring >= s->rings_count)
    return;
  struct ring *ring = &s->rings[event->ring];
  if (!ring->seen)
    ring->lost_ns = event->form == EVENTRING_EV_LOST ? event->ns : INT64_MIN;
  ring->seen = true;
  if (!sample) return;
  s->last_id = event->id;
  s->last_ns = event->ns;
  if (!s->any) s->result.known_ns = event->ns;
  s->any = true;
  if (ring->lost_ns > s->result.known_ns) s->result.known_ns = ring->lost_ns;
}

void live_sites_event(struct live_sites *s, const struct eventring_event *event)
{
  const enum sample_kind kind = sample_kind(s->kinds, event);
  note_begin(s, event, kind == ALLOC_SAMPLE || kind == LIVE_SAMPLE
                       || kind == BLOCKS_FREED || kind == ALLOC_START);
  blocks_event(s->blocks, event);
  switch (kind) {
  case ALLOC_SAMPLE: case LIVE_SAMPLE:
    take_block(s, kind, event);
    break;
  case BLOCKS_FREED:
    for (uint32_t i = 0; i < event->words; i++)
      block_freed(s->blocks, event->payload[i], event->ns);
    break;
  case ALLOC_START:
    sampling_began(s->blocks, event->payload[START_BLOCK], event->ns);
    break;
  default: break;
  }
}

/* The result */

/* Finds the site of each code. */
static void find_sites(struct live_sites *s, struct symbols *symbols)
{
  struct pair_map functions = new_pair_map(), lines = new_pair_map();
  bool added;
  s->unknown.function = symbols_text(symbols, SAMPLE_TRUNCATED);
  for (uint32_t i = 0; i < s->code_numbers.count; i++) {
    struct code *code = &s->codes[i];
    const struct frame *frame = &s->unknown;
    if (code->address.address != 0) find_frames(symbols, code->address, &frame);
    uint32_t function =
      number_of_pair(&functions, (uintptr_t) frame->function,
                     (uintptr_t) frame->file, &added);
    code->site = number_of_pair(&lines, function, frame->line, &added);
    if (!added) continue;
    s->sites = with_room(s->sites, code->site, &s->sites_room,
                         sizeof *s->sites);
    s->sites[code->site] = (struct site) { .frame = frame, .row = LIVE_SITES };
  }
  s->sites_count = lines.count;
  free_pair_map(&functions);
  free_pair_map(&lines);
}

/* Returns the number of moments before [ns]. */
static uint32_t moments_before(const struct live_sites *s, int64_t ns)
{
  uint32_t low = 0, high = s->result.moments;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (s->result.ns[middle] < ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The known moments at which a block is alive: from [first] up to [end], without
   [end]. */
struct life { uint32_t first, end; };

static struct life life_of(const struct live_sites *s, uint32_t block)
{
  const int64_t born_ns = block_born(s->blocks, block);
  return (struct life) {
    moments_before(s, born_ns > s->result.known_ns ? born_ns
                                                   : s->result.known_ns),
    moments_before(s, block_died(s->blocks, block))
  };
}

static void weigh_sites(struct live_sites *s)
{
  for (uint32_t i = 0; i < s->count; i++) {
    const struct life life = life_of(s, i);
    if (life.first < life.end)
      s->sites[s->codes[s->sampled[i].code].site].weight +=
        (double) s->sampled[i].bytes * (life.end - life.first);
  }
}

/* Gives the largest sites their rows in the result. */
static void choose_sites(struct live_sites *s)
{
  struct live_sites_result *r = &s->result;
  while (r->count < LIVE_SITES) {
    struct site *best = NULL;
    for (uint32_t i = 0; i < s->sites_count; i++) {
      struct site *site = &s->sites[i];
      if (site->row == LIVE_SITES && site->weight > 0
          && (best == NULL || site->weight > best->weight))
        best = site;
    }
    if (best == NULL) return;
    r->sites[r->count].frame = best->frame;
    best->row = r->count++;
  }
}

/* Adds [bytes] to [row] from moment [life.first] on, and subtracts them from
   [life.end] on.  The running sums are never negative. */
static void add_life(struct live_sites *s, uint64_t *row, struct life life,
                     uint64_t bytes)
{
  if (life.first >= life.end) return;
  row[life.first] += bytes;
  if (life.end < s->result.moments) row[life.end] -= bytes;
}

static void fill_rows(struct live_sites *s)
{
  struct live_sites_result *r = &s->result;
  for (uint32_t i = 0; i < s->count; i++) {
    const struct site *site = &s->sites[s->codes[s->sampled[i].code].site];
    add_life(s, site->row < LIVE_SITES ? r->sites[site->row].bytes : r->other,
             life_of(s, i), s->sampled[i].bytes);
  }
  for (uint32_t i = 1; i < r->moments; i++) {
    for (uint32_t row = 0; row < r->count; row++)
      r->sites[row].bytes[i] += r->sites[row].bytes[i - 1];
    r->other[i] += r->other[i - 1];
  }
}

/* Returns whether samples are still taken. */
static bool sampling_goes_on(const struct live_sites *s)
{
  const struct eventring_description *d =
    s->any ? eventring_describe(s->cursor, s->last_id) : NULL;
  return d == NULL || d->category >= 32
         || (recorded_categories(s->cursor) >> d->category & 1) != 0;
}

const struct live_sites_result *live_sites_result(struct live_sites *s,
                                                  struct symbols *symbols)
{
  s->result.known_until_ns = sampling_goes_on(s) ? INT64_MAX : s->last_ns;
  s->result.samples = s->count;
  find_sites(s, symbols);
  weigh_sites(s);
  choose_sites(s);
  fill_rows(s);
  return &s->result;
}
