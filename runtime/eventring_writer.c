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

/* The producer: from a probe to the ring file.

   A probe tests one word, [caml_eventring_page.header.control].  The page is
   ordinary zeroed memory of the runtime until tracing starts; then the first
   page of the ring file is mapped over it, so that the word keeps its address
   and is shared with every process that has the file open.

   When the test holds, the probe calls an emit function:

       probe --> emit --> struct writer of the domain --> its ring

   A ring has a single writer, the domain that holds its slot (Caml_state->id)
   with the domain lock, so emitting needs no lock and no read-modify-write.
   All that emitting needs is in the slot's [struct writer], private memory:
   nothing else in the shared file is ever read back but the settings and the
   totals of the ring, so scribbling over the file can at worst make the program
   record more or less, and count wrong.

   The writer finds out by itself that it has no ring yet, that the slot has
   passed to another domain, or that the block is full: the tests of
   [block_takes] send all of these to [enter_block].  So starting stops nobody,
   and a domain pays for its ring when it first writes.

   Publication, see eventring_format.h for the layout:

       writer                              reader
       ------                              ------
       reserve = new end      (release)    t = tail            (acquire)
       release fence                       copy words before t (relaxed)
       header, events         (relaxed)    acquire fence
       tail = position        (release)    drop words below    (acquire)
                                             reserve - ring_words

   A reader that saw a word of the new block also sees the [reserve] that
   announced it, and so knows which words of its copy may have been replaced.

   When tracing stops, a domain may be in the middle of an event.  Emitting
   contains no point at which a domain can be stopped, so the file is unmapped
   after one stop-the-world section: see eventring_session.c.

   A child that fork handlers never saw, made by _Fork or clone, finds its
   writers wiped (MADV_WIPEONFORK): see eventring_fork.c. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "caml/config.h"
#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/eventring_clock.h"
#include "caml/runtime_events.h"
#include "caml/startup_aux.h"
#include "eventring_internal.h"

_Static_assert(sizeof(struct eventring_header) <= EVENTRING_PAGE,
               "the header fits the page that is mapped over the runtime's");
_Static_assert(sizeof(struct eventring_slot) == 128, "a slot is two lines");
_Static_assert(EVENTRING_MAX_RINGS >= EVENTRING_MAX_DOMAINS, "a ring a domain");

struct writer *caml_ring_writers;
uint32_t caml_ring_clock;
uint32_t caml_ring_block_words;
CAMLthread_local struct caml_ring_thread caml_ring_self;

/* The last of the definitions is the first in memory: in front of the others,
   the page wastes none for its alignment. */
_Alignas(EVENTRING_PAGE) union caml_eventring_page caml_eventring_page;

uint32_t *caml_ring_process_mark(void)
{
  return &caml_ring_writers[EVENTRING_DOMAINS
                            + caml_ring_sample_rings()].session;
}

COLD
int caml_ring_allocate_writers(void)
{
  if (caml_ring_writers != NULL) return 1;
  size_t writers = EVENTRING_DOMAINS + caml_ring_sample_rings() + 1;
  void *map = mmap(NULL, writers * sizeof(struct writer),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return 0;
  caml_ring_writers = map;
  *caml_ring_process_mark() = 1;
  return 1;
}

/* Here, with tables for unwinding: samples are taken in it. */
COLD
int caml_ring_allocate(uint64_t offset, uint64_t length)
{
  const struct caml_ring_session *s = &caml_ring_session;
  /* [madvise] allocates through the mapping, so it works after the program
     closed descriptors or changed its directory or user, and the file system
     decides when to choose blocks: a short program's file never reaches the
     disk.  Linux before 5.14 needs the file opened once more. */
#ifdef MADV_POPULATE_WRITE
  if (madvise(s->map + offset, length, MADV_POPULATE_WRITE) == 0) return 0;
  if (errno == EFAULT) return ENOSPC;
  if (errno != EINVAL) return errno;
#endif
  struct stat st;
  int err = ESTALE;
  int fd = open(s->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return errno;
  if (fstat(fd, &st) == 0 && st.st_dev == s->dev && st.st_ino == s->ino)
    err = posix_fallocate(fd, (off_t) offset, (off_t) length);
  close(fd);
  return err;
}

/* Rings are allocated in pieces, ahead of the writer in its first lap: an idle
   domain costs one piece. */
#define RING_PIECE_WORDS ((1 << 14) / sizeof(uint64_t))

/* Returns 1 if the session's path still names the session's ring file, and the
   file is shorter than it was made: this program, or another with its rights,
   has cut the file.  Else 0. */
static int was_cut(void)
{
  const struct caml_ring_session *s = &caml_ring_session;
  struct stat st;
  return stat(s->path, &st) == 0 && st.st_dev == s->dev
    && st.st_ino == s->ino && (uint64_t) st.st_size < s->header.file_size;
}

/* Allocates the next piece of the ring of [w], which is ring [slot].  Returns
   1, or 0 on failure; then the writer is disowned and has no ring, so the
   domain's trace ends there, and stays readable.  A failure because the file
   was cut ends the session as lost; the first other failure of a session prints
   a message. */
static int extend_ring(struct writer *w, int slot)
{
  const struct eventring_header *h = &caml_ring_session.header;
  uint64_t words = h->ring_words - w->allocated;
  uint64_t from = slot * h->ring_words + w->allocated;
  if (words > RING_PIECE_WORDS) words = RING_PIECE_WORDS;
  int err = caml_ring_allocate(h->rings_offset + from * sizeof(uint64_t),
                               words * sizeof(uint64_t));
  if (err != 0) {
    /* No shorter event may still find room in the block before. */
    disown(w);
    w->ring = NULL;
    if (was_cut())
      caml_eventring_session_lost();
    else if (!atomic_exchange(&caml_ring_session.short_of_room, 1))
      caml_eventring_complain(
        "cannot allocate memory for the ring of a domain in %s: %s;"
        " a domain that finds none is no longer traced", caml_ring_session.path,
        strerror(err));
    return 0;
  }
  w->allocated += words;
  return 1;
}

/* Gives [w] ring [slot] of the present session.  Returns 1, or 0 when there is
   no such ring: no session, too few rings, or a ring that could not be
   allocated.  Call with the session's lock held. */
static int attach_locked(struct writer *w, int slot)
{
  const struct eventring_header *h = &caml_ring_session.header;
  if (!caml_ring_session.started || (uint32_t) slot >= h->rings) return 0;
  if (w->session != caml_ring_session.number) {
    uint64_t ring = h->rings_offset + slot * h->ring_words * sizeof(uint64_t);
    w->pos = w->end = w->events = w->allocated = 0;
    w->mask = h->ring_words - 1;
    w->slot = (struct eventring_slot *)
      (caml_ring_session.map + h->directory_offset) + slot;
    w->ring = (uint64_t *) (caml_ring_session.map + ring);
    w->session = caml_ring_session.number;
  }
  /* No ring: an earlier domain of this slot could not allocate it. */
  return w->ring != NULL;
}

/* Gives [w] its ring as [attach_locked] does.  Takes the session's lock. */
static int attach(struct writer *w, int slot)
{
  if (caml_ring_left_behind()) return 0;
  pthread_mutex_lock(&caml_ring_session_lock);
  int ok = attach_locked(w, slot);
  pthread_mutex_unlock(&caml_ring_session_lock);
  return ok;
}

uint32_t caml_ring_os_thread_id(void)
{
  if (caml_ring_self.os_id == 0) {
#ifdef __linux__
    caml_ring_self.os_id = (uint32_t) syscall(SYS_gettid);
#else
    caml_ring_self.os_id = (uint32_t) getpid();
#endif
  }
  return caml_ring_self.os_id;
}

static uint32_t pack(uint64_t *words, const uint64_t *field, uint32_t fields);

/* Stores [x] in [*word], a word of the ring file, which readers may load
   meanwhile: a relaxed atomic. */
Caml_inline void store(uint64_t *word, uint64_t x)
{
  __atomic_store_n(word, x, __ATOMIC_RELAXED);
}

/* Returns the address in the ring of [w] at which the next event begins. */
Caml_inline uint64_t *next_word(struct writer *w)
{
  return &w->ring[w->pos & w->mask];
}

/* Stores an event with the packed integers [field], one or two, at the position
   of [w], with the base time of the block, and moves the position behind the
   event.  Call at the begin of a block, which has room. */
static __attribute__((noinline, cold))
void store_at_begin(struct writer *w, uint64_t word, const uint64_t *field,
                    uint32_t fields)
{
  uint64_t words[EVENTRING_FIRST_WORDS];
  uint32_t n = pack(words, field, fields);
  uint64_t *p = next_word(w);
  store(p, word | (uint64_t) n << EVENTRING_LENGTH_SHIFT);
  for (uint32_t i = 0; i < n; i++) store(&p[1 + i], words[i]);
  w->pos += 1 + n;
  w->events++;
}

/* Begins a new block of [w], for the domain that [w] names and the OS thread
   [thread], with the present time as base, and writes the block's header.  The
   block's memory is allocated. */
static __attribute__((noinline, cold))
void begin_block(struct writer *w, uint32_t thread)
{
  /* Padding ends the block that we leave. */
  if (w->pos < w->end) store(&w->ring[w->pos & w->mask], 0);
  w->pos = w->end;
  w->end += caml_ring_block_words;

  /* A reader that acquires [reserve] sees the tails before it; a reader that
     sees a word stored after the fence sees [reserve]. */
  __atomic_store_n(&w->slot->reserve, w->end, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_RELEASE);

  uint64_t *block = &w->ring[w->pos & w->mask];
  w->base = eventring_ticks(caml_ring_clock);
  store(&block[EVENTRING_BLOCK_TICKS], w->base);
  store(&block[EVENTRING_BLOCK_NS],
        (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC));
  store(&block[EVENTRING_BLOCK_EVENTS], w->events);
  w->thread = thread;
  store(&block[EVENTRING_BLOCK_WHO],
        (uint32_t) w->domain | (uint64_t) thread << 32);
  w->pos += EVENTRING_BLOCK_HEADER_WORDS;
}

/* Notes in the ring's totals that [domain] has the ring of [w] from now on. */
static void note_domain(struct writer *w, int32_t domain)
{
  uint64_t *total = w->slot->total;
  if (total[EVENTRING_TOTAL_DOMAINS] != 0
      && total[EVENTRING_TOTAL_LAST] == (uint64_t) domain)
    return;
  store(&total[EVENTRING_TOTAL_LAST], (uint64_t) domain);
  store(&total[EVENTRING_TOTAL_DOMAINS], total[EVENTRING_TOTAL_DOMAINS] + 1);
}

/* Begins a new block of [w] for [domain], whose base is the present time, and
   writes the block's header.  Before that, gives the writer its ring if it has
   none in this session.  Returns 1, or 0 when the domain has no ring. */
static __attribute__((noinline, cold))
int enter_block(struct writer *w, caml_domain_state *domain)
{
  if (Caml_eventring_on(EVENTRING_POINTS | EVENTRING_RING_REQUEST))
    caml_eventring_act_soon();
  if (owner(w) != domain->unique_id || w->ring == NULL) {
    disown(w);
    caml_ring_notice_request();
    if (!attach(w, domain->id)) return 0;
    __atomic_store_n(&w->domain, domain->unique_id, __ATOMIC_RELAXED);
    note_domain(w, domain->unique_id);
  }

  if (w->end >= w->allocated && w->allocated <= w->mask
      && !extend_ring(w, domain->id)) return 0;

  begin_block(w, caml_ring_os_thread_id());
  /* A name that was changed is seen soon enough. */
  if (caml_ring_self.os_name[0] == '\0'
      || w->pos / caml_ring_block_words % 16 == 0)
    caml_ring_note_os_name();
  /* So that a reader that begins here knows the thread, and its request. */
  if (caml_ring_self.id != 0 && Caml_eventring_on(EVENTRING_THREAD)) {
    uint64_t field[] = { caml_ring_self.id - 1, w->thread };
    store_at_begin(w, EVENTRING_RECORD(EV_THREAD_RUN), field, 2);
  }
  if (caml_ring_self.request != 0 && Caml_eventring_on(EVENTRING_USER))
    store_at_begin(w, EVENTRING_RECORD(EV_REQUEST_RUN),
                   &caml_ring_self.request, 1);
  return 1;
}

/* Tests the fast path.  Returns 1 if the current block of [w] belongs to
   [domain] and has room for [words] words, the clock is the hardware counter,
   and the time since the block's base fits an event word; then [*ticks] is this
   time, shifted to its place in the event word.  Else returns 0, and the caller
   takes the slow path.  Reads no other clock, so that nothing here needs the
   stack. */
Caml_inline int block_takes(struct writer *w, caml_domain_state *domain,
                            uint32_t words, uint64_t *ticks)
{
  if (__builtin_expect(owner(w) != domain->unique_id
                       || w->end - w->pos < words
                       || caml_ring_clock == EVENTRING_CLOCK_MONOTONIC, 0))
    return 0;
  uint64_t delta = eventring_hardware_ticks() - w->base;
  *ticks = delta << EVENTRING_TICKS_SHIFT;
  return __builtin_expect(delta >> EVENTRING_TICKS_BITS == 0, 1);
}

/* Makes room in the ring of [w] for an event of [words] words with the time
   [now] in ticks of the session's clock; begins a new block if the event needs
   one.  Returns 1, with the time since the block's base in [*ticks], shifted to
   its place in the event word; this is 0 in a new block, whose base is the time
   at which it begins, not [now].  Returns 0 when the domain has no ring. */
Caml_inline int make_room_at(struct writer *w, caml_domain_state *domain,
                             uint32_t words, uint64_t now, uint64_t *ticks)
{
  uint64_t delta = now - w->base;
  if (owner(w) != domain->unique_id || w->end - w->pos < words
      || delta >> EVENTRING_TICKS_BITS) {
    if (!enter_block(w, domain)) return 0;
    delta = 0;
  }
  *ticks = delta << EVENTRING_TICKS_SHIFT;
  return 1;
}

/* Makes room as [make_room_at] does, for an event with the present time, on any
   of the clocks. */
static __attribute__((noinline))
int make_room(struct writer *w, caml_domain_state *domain, uint32_t words,
              uint64_t *ticks)
{
  return make_room_at(w, domain, words, eventring_ticks(caml_ring_clock),
                      ticks);
}

/* Publishes the event of [words] words that was stored at the position of [w],
   and moves the position behind the event. */
Caml_inline void publish(struct writer *w, uint32_t words)
{
  w->pos += words;
  w->events++;
  /* A reader that sees this position sees the event before it. */
  __atomic_store_n(&w->slot->tail, w->pos, __ATOMIC_RELEASE);
}

/* Writes and publishes an event of one word, [word], or with [words] 2 of two
   words, [word] and [payload], when the fast path is not possible; adds the
   time to [word].  Drops the event when the domain has no ring. */
static __attribute__((noinline))
void emit_slowly(struct writer *w, caml_domain_state *domain, uint64_t word,
                 uint32_t words, uint64_t payload)
{
  uint64_t ticks;
  if (!make_room(w, domain, words, &ticks)) return;
  uint64_t *p = next_word(w);
  store(p, word | ticks);
  if (words > 1) store(p + 1, payload);
  publish(w, words);
}

void caml_eventring_emit(uint64_t word)
{
  caml_domain_state *domain = Caml_state;
  struct writer *w = &caml_ring_writers[domain->id];
  uint64_t ticks;
  if (!block_takes(w, domain, 1, &ticks)) {
    emit_slowly(w, domain, word, 1, 0);
    return;
  }
  store(next_word(w), word | ticks);
  publish(w, 1);
}

void caml_eventring_emit_int(uint64_t word, uint64_t payload)
{
  caml_domain_state *domain = Caml_state;
  struct writer *w = &caml_ring_writers[domain->id];
  uint64_t ticks;
  if (!block_takes(w, domain, 2, &ticks)) {
    emit_slowly(w, domain, word, 2, payload);
    return;
  }
  uint64_t *p = next_word(w);
  store(p, word | ticks);
  store(p + 1, payload);
  publish(w, 2);
}

CAML_EVENTRING_COLD
void caml_eventring_add_total(enum eventring_total total, uint64_t n)
{
  caml_domain_state *domain = Caml_state;
  struct writer *w = &caml_ring_writers[domain->id];
  /* A writer that was never used has zeros: the id of the main domain. */
  if (owner(w) != domain->unique_id || w->ring == NULL) return;
  /* Only this domain writes the word; another process can only spoil the sum. */
  uint64_t *t = &w->slot->total[total];
  uint64_t before = __atomic_load_n(t, __ATOMIC_RELAXED);
  if (total != EVENTRING_TOTAL_LONGEST) store(t, before + n);
  else if (n > before) store(t, n);
}

/* Begins an event with [words] payload words, at most
   EVENTRING_MAX_PAYLOAD_WORDS, in the ring of [w]: makes room for the event,
   and stores the event word [word] with the time and the length, and a second
   word with the length when it does not fit the event word.  Sets [*total] to
   the number of words of the whole event.  Returns the address for the payload,
   which the caller stores and publishes; NULL when the domain has no ring. */
static uint64_t *open_long_event(struct writer *w, uint64_t word,
                                 uint32_t words, uint32_t *total)
{
  uint64_t ticks;
  int is_long = words >= EVENTRING_LENGTH_LONG;
  CAMLassert(words <= EVENTRING_MAX_PAYLOAD_WORDS);
  *total = 1 + is_long + words;
  if (!make_room(w, Caml_state, *total, &ticks)) return NULL;
  uint64_t length = is_long ? EVENTRING_LENGTH_LONG : words;
  uint64_t *p = next_word(w);
  store(p++, word | length << EVENTRING_LENGTH_SHIFT | ticks);
  if (is_long) store(p++, words);
  return p;
}

void caml_eventring_emit_words(uint64_t word, const uint64_t *payload,
                               uint32_t words)
{
  struct writer *w = &caml_ring_writers[Caml_state->id];
  uint32_t total;
  uint64_t *p = open_long_event(w, word, words, &total);
  if (p == NULL) return;
  for (uint32_t i = 0; i < words; i++) store(&p[i], payload[i]);
  publish(w, total);
}

void caml_eventring_emit_bytes(uint64_t word, const void *bytes,
                               size_t length)
{
  struct writer *w = &caml_ring_writers[Caml_state->id];
  const char *from = bytes;
  uint32_t total;
  uint64_t *p = open_long_event(w, word, 1 + (length + 7) / 8, &total);
  if (p == NULL) return;
  store(p++, length);
  while (length > 0) {
    uint64_t x = 0;
    size_t n = length < 8 ? length : 8;
    memcpy(&x, from, n);
    store(p++, x);
    from += n;
    length -= n;
  }
  publish(w, total);
}

/* Packs the [fields] integers at [field] into [words], as described in
   eventring_format.h.  Returns the number of words written; [words] must have
   room for 10 bytes for each integer. */
static uint32_t pack(uint64_t *words, const uint64_t *field, uint32_t fields)
{
  uint32_t bytes = 0;
  uint64_t word = 0;
  for (uint32_t i = 0; i < fields; i++) {
    uint64_t x = field[i];
    do {
      uint64_t byte = (x & 0x7F) | (x > 0x7F ? 0x80 : 0);
      word |= byte << bytes % 8 * 8;
      if (++bytes % 8 == 0) {
        words[bytes / 8 - 1] = word;
        word = 0;
      }
      x >>= 7;
    } while (x != 0);
  }
  if (bytes % 8 != 0)
    words[bytes / 8] = word | UINT64_C(0x8080808080808080) << bytes % 8 * 8;
  return (bytes + 7) / 8;
}

void caml_eventring_emit_packed(uint64_t word, const uint64_t *field,
                                uint32_t fields)
{
  uint64_t words[(EVENTRING_MAX_PACKED * 10 + 7) / 8];
  CAMLassert(fields <= EVENTRING_MAX_PACKED);
  uint32_t n = pack(words, field, fields);
  /* Longer than a block takes: the last fields are cut. */
  if (n > EVENTRING_MAX_PAYLOAD_WORDS) n = EVENTRING_MAX_PAYLOAD_WORDS;
  caml_eventring_emit_words(word, words, n);
}

void caml_eventring_emit_packed_at(uint64_t word, uint64_t now,
                                   const uint64_t *field, uint32_t fields)
{
  uint64_t words[(EVENTRING_MAX_PACKED * 10 + 7) / 8], ticks;
  struct writer *w = &caml_ring_writers[Caml_state->id];
  CAMLassert(fields <= EVENTRING_MAX_PACKED);
  uint32_t n = pack(words, field, fields);
  if (n > EVENTRING_MAX_PAYLOAD_WORDS) n = EVENTRING_MAX_PAYLOAD_WORDS;
  int is_long = n >= EVENTRING_LENGTH_LONG;
  /* As in caml_eventring_emit_pair. */
  if ((int64_t) (now - w->base) < 0) now = w->base;
  if (!make_room_at(w, Caml_state, 1 + is_long + n, now, &ticks)) return;
  uint64_t length = is_long ? EVENTRING_LENGTH_LONG : n;
  uint64_t *p = next_word(w);
  store(p++, word | length << EVENTRING_LENGTH_SHIFT | ticks);
  if (is_long) store(p++, n);
  for (uint32_t i = 0; i < n; i++) store(&p[i], words[i]);
  publish(w, 1 + is_long + n);
}

void caml_eventring_emit_pair(uint64_t word, uint64_t now, uint64_t first,
                              uint64_t second)
{
  caml_domain_state *domain = Caml_state;
  struct writer *w = &caml_ring_writers[domain->id];
  uint64_t field[] = { first, second };
  uint64_t words[3], ticks;     /* two integers are at most 20 bytes */
  uint32_t n = pack(words, field, 2);
  /* The event before this one may have begun a block after [now] was read, or
     the counters of two processors may differ by a few ticks. */
  if ((int64_t) (now - w->base) < 0) now = w->base;
  if (!make_room_at(w, domain, 1 + n, now, &ticks)) return;
  uint64_t *p = next_word(w);
  store(p, word | (uint64_t) n << EVENTRING_LENGTH_SHIFT | ticks);
  for (uint32_t i = 0; i < n; i++) store(&p[1 + i], words[i]);
  publish(w, 1 + n);
}

COLD
void caml_ring_prepare_ring(int slot)
{
  struct writer *w = &caml_ring_writers[slot];
  if (!attach_locked(w, slot)) return;
  while (w->allocated <= w->mask && extend_ring(w, slot)) { }
}

void caml_ring_write_sample(struct writer *w, int record, int32_t domain,
                            uint32_t thread, const uint64_t *payload,
                            uint32_t words)
{
  int is_long = words >= EVENTRING_LENGTH_LONG;
  uint32_t total = 1 + is_long + words;
  uint64_t delta = eventring_ticks(caml_ring_clock) - w->base;
  if (w->domain != domain || w->thread != thread || w->end - w->pos < total
      || delta >> EVENTRING_TICKS_BITS) {
    w->domain = domain;
    begin_block(w, thread);
    delta = 0;
  }
  uint64_t *p = next_word(w);
  store(p++, EVENTRING_RECORD(record)
             | (uint64_t) (is_long ? EVENTRING_LENGTH_LONG : words)
               << EVENTRING_LENGTH_SHIFT
             | delta << EVENTRING_TICKS_SHIFT);
  if (is_long) store(p++, words);
  for (uint32_t i = 0; i < words; i++) store(&p[i], payload[i]);
  publish(w, total);
}

void caml_eventring_thread_switch(uint64_t now)
{
  struct writer *w = &caml_ring_writers[Caml_state->id];
  const struct caml_ring_thread *self = &caml_ring_self;
  uint32_t os_id = caml_ring_os_thread_id();
  /* A block names its thread when it begins. */
  if (owner(w) != Caml_state->unique_id) {
    caml_ring_notice_request();
    return;
  }
  if (w->thread == os_id) return;
  w->thread = os_id;
  caml_eventring_emit_pair(EVENTRING_RECORD(EV_THREAD_RUN),
                           now != 0 ? now : caml_eventring_ticks(),
                           self->id != 0 ? self->id - 1 : UINT32_MAX, os_id);
}

void caml_eventring_set_thread(intnat id)
{
  caml_ring_self.id = (uint32_t) (id + 1);
  /* To be told, also if it runs. */
  if (caml_ring_writers != NULL) caml_ring_writers[Caml_state->id].thread = 0;
}

uint64_t caml_eventring_ticks(void)
{
  return eventring_ticks(caml_ring_clock);
}

/* Converts the threshold [ns] from ns to ticks of the session's clock and
   returns the result, at most INT64_MAX.  Returns [ns] itself in the first 20
   us of the session.  Keeps the result for the calling thread once the session
   is a millisecond old, and so measures the length of a tick well; at once when
   the clock is CLOCK_MONOTONIC. */
COLD
static uint64_t measure_threshold(uint64_t ns)
{
  struct caml_ring_thread *self = &caml_ring_self;
  uint64_t ticks = ns;
  int known = 1;
  if (caml_ring_clock != EVENTRING_CLOCK_MONOTONIC) {
    const struct eventring_instant *start = &caml_ring_session.header.started;
    int64_t passed = eventring_clock_ns(CLOCK_MONOTONIC) - start->monotonic_ns;
    /* Too early to tell: a tick is at most 1 ns, or a little too much is
       recorded. */
    if (passed < 20000) return ns;
    double t = (double) (caml_eventring_ticks() - start->ticks) / passed * ns;
    /* The word may hold any number. */
    ticks = t < INT64_MAX ? (uint64_t) t + 1 : INT64_MAX;
    known = passed > 1000000;
  }
  if (known) {
    self->threshold_ns = ns;
    self->threshold_ticks = ticks;
  }
  return ticks;
}

uint64_t caml_eventring_threshold_ticks(void)
{
  struct caml_ring_thread *self = &caml_ring_self;
  uint64_t ns = __atomic_load_n(&HEADER->threshold, __ATOMIC_RELAXED);
  if (__builtin_expect(ns == self->threshold_ns && ns != 0, 1))
    return self->threshold_ticks;
  return measure_threshold(ns != 0 ? ns : caml_ring_session.header.threshold);
}
