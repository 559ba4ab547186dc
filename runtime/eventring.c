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
   nothing in the shared file is ever read back, and whoever scribbles over it
   can at worst switch tracing on or off.

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
       tail = position        (release)    drop what is below  (acquire)
                                             reserve - ring_words

   A reader that saw a word of the new block also sees the [reserve] that
   announced it, and so knows which words of its copy may have been replaced.

   When tracing stops, a domain may be in the middle of an event.  Emitting
   contains no point at which a domain can be stopped, so the file is unmapped
   after one stop-the-world section that does nothing else: [stop_writers].  An
   [enter_block] that was under way has ended then, too.

   A child that fork handlers never saw, made by _Fork or clone, finds its
   writers wiped (MADV_WIPEONFORK): see [left_behind]. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "caml/config.h"
#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/eventring_clock.h"
#include "caml/osdeps.h"
#include "caml/runtime_events.h"
#include "caml/startup_aux.h"
#include "caml/version.h"

_Alignas(EVENTRING_PAGE) union caml_eventring_page caml_eventring_page;

_Static_assert(sizeof(struct eventring_header) <= EVENTRING_PAGE,
               "the header fits the page that is mapped over the runtime's");
_Static_assert(sizeof(struct eventring_slot) == 128, "a slot is two lines");
_Static_assert(EVENTRING_MAX_RINGS >= Max_domains_max, "a ring a domain");

/* Writers.  Each has cache lines of its own: domains write them all the
   time. */

struct writer {
  _Alignas(128)
  uint64_t *ring;               /* first word of the ring */
  uint64_t mask;                /* words of the ring - 1 */
  uint64_t pos;                 /* words written since the ring began */
  uint64_t end;                 /* where the current block ends */
  uint64_t base;                /* ticks of the current block */
  uint64_t events;              /* events written since the ring began */
  struct eventring_slot *slot;  /* where [pos] is published */
  int32_t domain;               /* whose block it is, or NOBODY */
  uint32_t thread;              /* OS id of the thread that events are of */
  /* The second line, which few events need. */
  uint64_t allocated;           /* words of the ring that have pages */
  uint32_t session;             /* the session that the ring belongs to */
  uint32_t kept;                /* the ring outlives the rest of its mapping */
};

_Static_assert(offsetof(struct writer, allocated) == 64,
               "events need one line of a writer");

#define NOBODY (-1)             /* no domain has this unique id */

/* One for each slot, and one more, which only holds a mark: its [session] is 0
   in a child that got wiped copies and has not noticed yet.  Zeros make a
   writer that has no room, so that such a child calls [enter_block]. */
static struct writer *writers;

static uint32_t *process_mark(void)
{
  return &writers[caml_params->max_domains].session;
}

/* Returns 0 when there is no memory.  Called before the program's threads
   exist, so that all of them see the address. */
static int allocate_writers(void)
{
  if (writers != NULL) return 1;
  void *map = mmap(NULL, (caml_params->max_domains + 1) * sizeof(*writers),
                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return 0;
  writers = map;
  *process_mark() = 1;
  return 1;
}

/* A start disowns the writers of the session before, whose domains may be
   running: relaxed atomics. */
Caml_inline int32_t owner(struct writer *w)
{
  return __atomic_load_n(&w->domain, __ATOMIC_RELAXED);
}

Caml_inline void disown(struct writer *w)
{
  __atomic_store_n(&w->domain, NOBODY, __ATOMIC_RELAXED);
}

#define OS_NAME_SIZE 16         /* of a thread, in Linux */

/* The session: from a start to the stop, or to the fork in a child.  Written
   under [session_lock].  A domain reads it under the lock, in [attach], before
   its first event; what is read without the lock ([clock_kind],
   [block_words]) does not change while a writer of the session exists. */
static pthread_mutex_t session_lock = PTHREAD_MUTEX_INITIALIZER;

/* A ring file in memory.  Under [session_lock]. */
struct mapping {
  char *base;
  uint64_t size;                /* bytes */
  int users;                    /* the session, and snapshots of it */
};

static struct {
  uint32_t number;              /* 0: never started */
  int started;
  int restart;                  /* in a forked child: what the parent had */
  uint64_t restart_control;
  struct mapping *mapping;      /* of the file; NULL: none */
  char *map;                    /* where [mapping] begins; NULL: none */
  int released;                 /* only parts of it are left, see
                                   [caml_eventring_release_memory] */
  struct eventring_header header; /* our copy of what we wrote */
  char *path;                   /* absolute */
  const char *suffix;           /* of the file's name, static */
  dev_t dev;                    /* of the file at [path] */
  ino_t ino;
  uint64_t schema_allocated;    /* bytes of the schema section */
  char os_name[OS_NAME_SIZE];   /* of the thread that started it */
  atomic_int short_of_room;     /* a ring could not be allocated; said once */
} session;

static uint32_t clock_kind;
static uint32_t block_words;
static uint64_t threshold_ticks; /* 0: the ticks' length is not known yet */

/* The calling thread. */
static CAMLthread_local struct {
  uint32_t os_id;               /* 0: not asked for yet */
  uint32_t id;                  /* in the threads library, plus 1; or 0 */
  char os_name[OS_NAME_SIZE];   /* what it was last, "": not asked for yet */
} self;

#define DEFAULT_THRESHOLD 1000  /* ns of waiting */

/* What the environment asks for, from [caml_eventring_init]. */
static struct {
  char *dir;                    /* NULL: the current directory */
  int keep;
  int monotonic;                /* do not use the hardware counter */
  uint64_t threshold;           /* ns */
} config = { .threshold = DEFAULT_THRESHOLD };

#define HEADER (&caml_eventring_page.header)

#define COLD CAML_EVENTRING_COLD

COLD
void caml_eventring_complain(const char *format, ...)
{
  char line[PATH_MAX + 256];
  va_list args;
  va_start(args, format);
  int length = snprintf(line, sizeof(line), "eventring: ");
  length += vsnprintf(line + length, sizeof(line) - length, format, args);
  va_end(args);
  /* What does not fit is cut. */
  if (length > (int) sizeof(line) - 1) length = sizeof(line) - 1;
  line[length] = '\n';
  caml_eventring_say(line, length + 1);
}

static int left_behind(void);

static uint64_t round_up_to_page(uint64_t n)
{
  return (n + EVENTRING_PAGE - 1) / EVENTRING_PAGE * EVENTRING_PAGE;
}

/* Allocates the pages of [length] bytes at [offset] of the file, so that a
   full disk is an error here and not a SIGBUS at the first write.  Returns 0
   or an errno.  [madvise] does it through the mapping, whatever the program
   did to its descriptors, directory or user since the start, and leaves it to
   the file system when to choose blocks: a short program's file never reaches
   the disk.  Linux before 5.14 needs the file opened once more. */
static int allocate(uint64_t offset, uint64_t length)
{
#ifdef MADV_POPULATE_WRITE
  if (madvise(session.map + offset, length, MADV_POPULATE_WRITE) == 0)
    return 0;
  if (errno == EFAULT) return ENOSPC;
  if (errno != EINVAL) return errno;
#endif
  struct stat st;
  int err = ESTALE;
  int fd = open(session.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return errno;
  if (fstat(fd, &st) == 0 && st.st_dev == session.dev
      && st.st_ino == session.ino)
    err = posix_fallocate(fd, (off_t) offset, (off_t) length);
  close(fd);
  return err;
}

/* Rings are allocated in pieces, ahead of the writer in its first lap: an idle
   domain costs one piece. */
#define RING_PIECE_WORDS ((1 << 14) / sizeof(uint64_t))

/* What the program did to the file, or others with its rights. */
static int was_cut(void)
{
  struct stat st;
  return stat(session.path, &st) == 0 && st.st_dev == session.dev
    && st.st_ino == session.ino
    && (uint64_t) st.st_size < session.header.file_size;
}

/* Allocates the next piece of the writer's ring; 0 when that fails.  The
   domain's trace ends there, and stays readable. */
static int extend_ring(struct writer *w, int slot)
{
  const struct eventring_header *h = &session.header;
  uint64_t words = h->ring_words - w->allocated;
  if (words > RING_PIECE_WORDS) words = RING_PIECE_WORDS;
  int err = allocate(h->rings_offset
                     + (slot * h->ring_words + w->allocated) * sizeof(uint64_t),
                     words * sizeof(uint64_t));
  if (err != 0) {
    /* No shorter event may still find room in the block before. */
    disown(w);
    w->ring = NULL;
    if (was_cut())
      caml_eventring_lose();
    else if (!atomic_exchange(&session.short_of_room, 1))
      caml_eventring_complain(
        "cannot allocate memory for the ring of a domain in %s: %s;"
        " a domain that finds none is no longer traced", session.path,
        strerror(err));
    return 0;
  }
  w->allocated += words;
  return 1;
}

/* Gives the writer the ring of its slot in the current session.  Returns 0
   when there is none to have. */
static int attach(struct writer *w, int slot)
{
  int ok = 0;
  if (left_behind()) return 0;
  pthread_mutex_lock(&session_lock);
  const struct eventring_header *h = &session.header;
  if (session.started && (uint32_t) slot < h->rings) {
    if (w->session != session.number) {
      uint64_t bytes = h->ring_words * sizeof(uint64_t);
      w->session = session.number;
      w->pos = w->end = w->events = w->allocated = 0;
      w->mask = h->ring_words - 1;
      w->slot = (struct eventring_slot *)
        (session.map + h->directory_offset) + slot;
      w->ring = (uint64_t *) (session.map + h->rings_offset + slot * bytes);
    }
    /* No ring: given up on by an earlier domain of this slot. */
    ok = w->ring != NULL;
  }
  pthread_mutex_unlock(&session_lock);
  return ok;
}

static uint32_t os_thread_id(void)
{
  if (self.os_id == 0) {
#ifdef __linux__
    self.os_id = (uint32_t) syscall(SYS_gettid);
#else
    self.os_id = (uint32_t) getpid();
#endif
  }
  return self.os_id;
}

static void note_os_name(void);
static uint32_t pack(uint64_t *words, const uint64_t *field, uint32_t fields);

Caml_inline void store(uint64_t *word, uint64_t x)
{
  __atomic_store_n(word, x, __ATOMIC_RELAXED);
}

/* Moves the writer to a fresh block, whose base is now.  Returns 0 when the
   domain has no ring. */
static __attribute__((noinline, cold))
int enter_block(struct writer *w, caml_domain_state *domain)
{
  if (owner(w) != domain->unique_id || w->ring == NULL) {
    disown(w);
    if (!attach(w, domain->id)) return 0;
    __atomic_store_n(&w->domain, domain->unique_id, __ATOMIC_RELAXED);
  }

  if (w->end >= w->allocated && w->allocated <= w->mask
      && !extend_ring(w, domain->id)) return 0;

  /* Padding ends the block that we leave. */
  if (w->pos < w->end) store(&w->ring[w->pos & w->mask], 0);
  w->pos = w->end;
  w->end += block_words;

  /* Whoever acquires [reserve] sees the tails before it; whoever sees a word
     that is stored after the fence sees [reserve]. */
  __atomic_store_n(&w->slot->reserve, w->end, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_RELEASE);

  uint64_t *block = &w->ring[w->pos & w->mask];
  w->base = eventring_ticks(clock_kind);
  store(&block[EVENTRING_BLOCK_TICKS], w->base);
  store(&block[EVENTRING_BLOCK_NS],
        (uint64_t) eventring_clock_ns(CLOCK_MONOTONIC));
  store(&block[EVENTRING_BLOCK_EVENTS], w->events);
  w->thread = os_thread_id();
  store(&block[EVENTRING_BLOCK_WHO],
        (uint32_t) w->domain | (uint64_t) w->thread << 32);
  w->pos += EVENTRING_BLOCK_HEADER_WORDS;
  /* A name that was changed is seen soon enough. */
  if (self.os_name[0] == '\0' || w->pos / block_words % 16 == 0)
    note_os_name();
  /* So that a reader that begins here knows the thread. */
  if (self.id != 0 && Caml_eventring_on(EVENTRING_THREAD)) {
    uint64_t field[] = { self.id - 1, w->thread };
    uint64_t words[EVENTRING_THREAD_WORDS];
    uint32_t n = pack(words, field, 2);
    store(&block[EVENTRING_BLOCK_HEADER_WORDS],
          EVENTRING_RECORD(EV_THREAD_RUN)
          | (uint64_t) n << EVENTRING_LENGTH_SHIFT);
    for (uint32_t i = 0; i < n; i++)
      store(&block[EVENTRING_BLOCK_HEADER_WORDS + 1 + i], words[i]);
    w->pos += 1 + n;
    w->events++;
  }
  return 1;
}

/* The fast path: is this still our domain's block, is there room for [words]
   words, do the ticks fit?  Then *ticks is what goes into the event word.
   The hardware counter only, so that nothing here needs the stack. */
Caml_inline int block_takes(struct writer *w, caml_domain_state *domain,
                            uint32_t words, uint64_t *ticks)
{
  if (__builtin_expect(owner(w) != domain->unique_id
                       || w->end - w->pos < words
                       || clock_kind == EVENTRING_CLOCK_MONOTONIC, 0))
    return 0;
  uint64_t delta = eventring_hardware_ticks() - w->base;
  *ticks = delta << EVENTRING_TICKS_SHIFT;
  return __builtin_expect(delta >> EVENTRING_TICKS_BITS == 0, 1);
}

/* The same on any clock, for an event of the time [now], with a fresh block
   when there has to be one.  0 when the domain has no ring. */
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

static __attribute__((noinline))
int make_room(struct writer *w, caml_domain_state *domain, uint32_t words,
              uint64_t *ticks)
{
  return make_room_at(w, domain, words, eventring_ticks(clock_kind), ticks);
}

/* Where the next event goes. */
Caml_inline uint64_t *next_word(struct writer *w)
{
  return &w->ring[w->pos & w->mask];
}

/* Publishes the [words] words at the writer's position. */
Caml_inline void publish(struct writer *w, uint32_t words)
{
  w->pos += words;
  w->events++;
  /* Whoever sees this position sees the event before it. */
  __atomic_store_n(&w->slot->tail, w->pos, __ATOMIC_RELEASE);
}

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
  struct writer *w = &writers[domain->id];
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
  struct writer *w = &writers[domain->id];
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

/* Starts an event of [words] payload words: its word, and the count when it
   does not fit there.  *total is the words of the whole event.  Returns where
   the payload goes, or NULL. */
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
  struct writer *w = &writers[Caml_state->id];
  uint32_t total;
  uint64_t *p = open_long_event(w, word, words, &total);
  if (p == NULL) return;
  for (uint32_t i = 0; i < words; i++) store(&p[i], payload[i]);
  publish(w, total);
}

void caml_eventring_emit_bytes(uint64_t word, const void *bytes,
                               size_t length)
{
  struct writer *w = &writers[Caml_state->id];
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

/* Packs the fields as eventring_format.h says; returns the words it takes, at
   most 10 bytes a field. */
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

void caml_eventring_emit_pair(uint64_t word, uint64_t now, uint64_t first,
                              uint64_t second)
{
  caml_domain_state *domain = Caml_state;
  struct writer *w = &writers[domain->id];
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

void caml_eventring_thread_switch(uint64_t now)
{
  struct writer *w = &writers[Caml_state->id];
  uint32_t os_id = os_thread_id();
  /* A block that is begun says whose it is. */
  if (owner(w) != Caml_state->unique_id || w->thread == os_id) return;
  w->thread = os_id;
  caml_eventring_emit_pair(EVENTRING_RECORD(EV_THREAD_RUN),
                           now != 0 ? now : caml_eventring_ticks(),
                           self.id != 0 ? self.id - 1 : UINT32_MAX, os_id);
}

void caml_eventring_set_thread(intnat id)
{
  self.id = (uint32_t) (id + 1);
  /* To be told, also if it runs. */
  if (writers != NULL) writers[Caml_state->id].thread = 0;
}

uint64_t caml_eventring_ticks(void)
{
  return eventring_ticks(clock_kind);
}

COLD
static uint64_t measure_threshold(void)
{
  if (clock_kind == EVENTRING_CLOCK_MONOTONIC) return config.threshold;
  const struct eventring_instant *start = &session.header.started;
  int64_t ns = eventring_clock_ns(CLOCK_MONOTONIC) - start->monotonic_ns;
  /* Too early to tell: a tick is at most 1 ns, or a little too much is
     recorded. */
  if (ns < 20000) return config.threshold;
  uint64_t t = (double) (caml_eventring_ticks() - start->ticks) / ns
    * config.threshold;
  if (ns > 1000000) __atomic_store_n(&threshold_ticks, t + 1, __ATOMIC_RELAXED);
  return t;
}

uint64_t caml_eventring_threshold(void)
{
  uint64_t t = __atomic_load_n(&threshold_ticks, __ATOMIC_RELAXED);
  return __builtin_expect(t != 0, 1) ? t : measure_threshold();
}

/* The schema.  [names] holds the user events of this process, whether or not
   tracing has started; under [session_lock].  [bucket] finds an entry by its
   name: open addressing, at most half full; 1 + index, or 0. */

static struct {
  struct eventring_schema_entry *entry;
  uint32_t *bucket;             /* twice [capacity] */
  uint32_t count, capacity;
} names;

/* The runtime's part of it.  In the file an entry has 160 bytes, mostly zeros,
   and every program that is linked carries this table: texts apart, name and
   unit by turns. [place] is the category of an event. */
static const struct { uint16_t id; uint8_t kind, payload, place, detail; }
runtime_events[] = {
#define CATEGORY(id, bit, name, by_default, doc) \
  { 0, EVENTRING_CATEGORY, 0, bit, 0 },
#include "caml/eventring_events.tbl"
#define PHASE(id, category, name, doc) \
  { EVENTRING_FIRST_PHASE + id, EVENTRING_SPAN, EVENTRING_NO_PAYLOAD, \
    EVENTRING_##category##_BIT, 0 },
#define COUNTER(id, category, unit, name, doc) \
  { EVENTRING_FIRST_COUNTER + id, EVENTRING_COUNTER, EVENTRING_INT, \
    EVENTRING_##category##_BIT, 0 },
#define LIFECYCLE(id, category, name, doc) \
  { EVENTRING_FIRST_LIFECYCLE + id, EVENTRING_INSTANT, EVENTRING_INT, \
    EVENTRING_##category##_BIT, 0 },
#define RECORD(id, category, payload, unit, name, doc) \
  { EVENTRING_FIRST_RECORD + id, EVENTRING_INSTANT, EVENTRING_##payload, \
    EVENTRING_##category##_BIT, 0 },
#define COMPLETE(id, category, name, doc) \
  { EVENTRING_FIRST_RECORD + id, EVENTRING_COMPLETE, EVENTRING_PACKED, \
    EVENTRING_##category##_BIT, 0 },
#include "caml/eventring_events.tbl"
#define FIELD(part, event, place, unit, repeats, name) \
  { EVENTRING_FIRST_##part + event, EVENTRING_FIELD, 0, place, repeats },
#include "caml/eventring_events.tbl"
#define CAUSE(id, name, doc) { 0, EVENTRING_VALUE, 0, id, 0 },
#include "caml/eventring_events.tbl"
#define STOP(id, name, doc) { 0, EVENTRING_VALUE, 0, id, 0 },
#include "caml/eventring_events.tbl"
};

static const char runtime_texts[] =
#define CATEGORY(id, bit, name, by_default, doc) name "\0\0"
#include "caml/eventring_events.tbl"
#define PHASE(id, category, name, doc) name "\0\0"
#define COUNTER(id, category, unit, name, doc) name "\0" unit "\0"
#define LIFECYCLE(id, category, name, doc) name "\0\0"
#define RECORD(id, category, payload, unit, name, doc) name "\0" unit "\0"
#define COMPLETE(id, category, name, doc) name "\0\0"
#include "caml/eventring_events.tbl"
#define FIELD(part, event, place, unit, repeats, name) name "\0" unit "\0"
#include "caml/eventring_events.tbl"
#define CAUSE(id, name, doc) name "\0cause\0"
#include "caml/eventring_events.tbl"
#define STOP(id, name, doc) name "\0reason\0"
#include "caml/eventring_events.tbl"
  ;

#define FITS(name, unit) \
  _Static_assert(sizeof(name) <= EVENTRING_NAME_SIZE \
                 && sizeof(unit) <= EVENTRING_UNIT_SIZE, "too long: " name);
#define CATEGORY(id, bit, name, by_default, doc) FITS(name, "")
#define PHASE(id, category, name, doc) FITS(name, "")
#define COUNTER(id, category, unit, name, doc) FITS(name, unit)
#define LIFECYCLE(id, category, name, doc) FITS(name, "")
#define RECORD(id, category, payload, unit, name, doc) FITS(name, unit)
#define COMPLETE(id, category, name, doc) FITS(name, "")
#define FIELD(part, event, place, unit, repeats, name) FITS(name, unit)
#define CAUSE(id, name, doc) FITS(name, "cause")
#define STOP(id, name, doc) FITS(name, "reason")
#include "caml/eventring_events.tbl"

enum {
#define CATEGORY(id, bit, name, by_default, doc) CATEGORY_##id,
#include "caml/eventring_events.tbl"
  CATEGORIES                    /* so many; the phases come next */
};

#define RUNTIME_SCHEMA (sizeof(runtime_events) / sizeof(runtime_events[0]))

/* Makes the schema's first entries of them. */
static void runtime_schema(struct eventring_schema_entry entry[RUNTIME_SCHEMA])
{
  const char *text = runtime_texts;
  memset(entry, 0, RUNTIME_SCHEMA * sizeof(*entry));
  for (uint32_t i = 0; i < RUNTIME_SCHEMA; i++) {
    entry[i].id = runtime_events[i].id;
    entry[i].kind = runtime_events[i].kind;
    entry[i].payload = runtime_events[i].payload;
    entry[i].place = runtime_events[i].place;
    entry[i].detail = runtime_events[i].detail;
    strcpy(entry[i].name, text);
    text += strlen(text) + 1;
    strcpy(entry[i].unit, text);
    text += strlen(text) + 1;
    /* A span that has fields. */
    if (entry[i].kind == EVENTRING_FIELD
        && entry[i].id < EVENTRING_FIRST_COUNTER)
      entry[CATEGORIES + entry[i].id - EVENTRING_FIRST_PHASE].payload =
        EVENTRING_PACKED;
  }
}

/* Adds an entry to the file's schema; the writer is whoever holds
   [session_lock].  The count comes last, so that a reader never sees half an
   entry. */
static int append_to_schema(const struct eventring_schema_entry *entry)
{
  struct eventring_header *h = &session.header;
  uint64_t size = sizeof(*entry);
  uint64_t end = (h->schema_count + 1) * size;
  if (h->schema_count == h->schema_capacity) return ENOSPC;
  if (end > session.schema_allocated) {
    uint64_t chunk = round_up_to_page(end) - session.schema_allocated;
    int err = allocate(h->schema_offset + session.schema_allocated, chunk);
    if (err != 0) return err;
    session.schema_allocated += chunk;
  }
  memcpy(session.map + h->schema_offset + end - size, entry, size);
  h->schema_count++;
  __atomic_store_n(&((struct eventring_header *) session.map)->schema_count,
                   h->schema_count, __ATOMIC_RELEASE);
  return 0;
}

/* The bucket of [name]: that of its first entry, or the empty one where it
   would go.  FNV-1a. */
COLD
static uint32_t *find_name(const char *name)
{
  uint32_t hash = 2166136261u;
  for (const char *p = name; *p != '\0'; p++)
    hash = (hash ^ (unsigned char) *p) * 16777619u;
  uint32_t mask = 2 * names.capacity - 1;
  uint32_t i = hash & mask;
  while (names.bucket[i] != 0
         && strcmp(names.entry[names.bucket[i] - 1].name, name) != 0)
    i = (i + 1) & mask;
  return &names.bucket[i];
}

/* Room for one more name; 0 when out of memory. */
COLD
static int reserve_name(void)
{
  if (names.count < names.capacity) return 1;
  uint32_t capacity = names.capacity ? 2 * names.capacity : 16;
  void *entry = realloc(names.entry, capacity * sizeof(*names.entry));
  if (entry == NULL) return 0;
  names.entry = entry;
  uint32_t *bucket = calloc(2 * (size_t) capacity, sizeof(*bucket));
  if (bucket == NULL) return 0;
  free(names.bucket);
  names.bucket = bucket;
  names.capacity = capacity;
  for (uint32_t i = 0; i < names.count; i++) {
    uint32_t *b = find_name(names.entry[i].name);
    if (*b == 0) *b = i + 1;
  }
  return 1;
}

COLD
static int add_name(const struct eventring_schema_entry *e)
{
  if (names.count == EVENTRING_MAX_USER_EVENTS) return EVENTRING_TOO_MANY;
  if (!reserve_name()) return EVENTRING_NO_MEMORY;
  struct eventring_schema_entry *mine = &names.entry[names.count];
  *mine = *e;
  mine->id = EVENTRING_FIRST_USER_ID + names.count;
  uint32_t *b = find_name(mine->name);
  names.count++;
  if (*b == 0) *b = names.count;
  if (caml_eventring_started()) {
    int err = append_to_schema(mine);
    if (err != 0)
      caml_eventring_complain(
        "cannot add the event %s to %s: %s; it has no name there",
        mine->name, session.path, strerror(err));
  }
  return mine->id;
}

COLD
static void describe(struct eventring_schema_entry *e, const char *name,
                     int kind, int payload, const char *unit)
{
  memset(e, 0, sizeof(*e));
  e->kind = kind;
  e->payload = payload;
  e->category = EVENTRING_USER_BIT;
  strncpy(e->unit, unit, EVENTRING_UNIT_SIZE - 1);
  strncpy(e->name, name, EVENTRING_NAME_SIZE - 1);
}

static void before_fork(void);
static void after_fork(void);
static void fork_handler(void);

/* Returns 0 or an errno. */
static int watch_forks(void)
{
  static atomic_int watching;
  if (atomic_exchange(&watching, 1)) return 0;
  int err = pthread_atfork(before_fork, after_fork, fork_handler);
  if (err != 0) watching = 0;
  return err;
}

/* Takes [session_lock].  From the first call on, the lock is held over a
   fork. */
static void lock_session(void)
{
  watch_forks();
  left_behind();
  pthread_mutex_lock(&session_lock);
}

COLD
int caml_eventring_register(const char *name, enum eventring_kind kind,
                            enum eventring_payload payload, const char *unit)
{
  struct eventring_schema_entry e;
  describe(&e, name, kind, payload, unit);
  lock_session();
  int id = add_name(&e);
  pthread_mutex_unlock(&session_lock);
  return id;
}

COLD
int caml_eventring_register_once(const char *name, enum eventring_kind kind,
                                 enum eventring_payload payload,
                                 const char *unit)
{
  struct eventring_schema_entry e;
  int id;
  describe(&e, name, kind, payload, unit);
  lock_session();
  uint32_t at = names.count == 0 ? 0 : *find_name(e.name);
  if (at == 0) {
    id = add_name(&e);
  } else {
    const struct eventring_schema_entry *old = &names.entry[at - 1];
    id = old->kind == e.kind && old->payload == e.payload
      && strcmp(old->unit, e.unit) == 0 ? old->id : EVENTRING_OTHER_TYPE;
  }
  pthread_mutex_unlock(&session_lock);
  return id;
}

/* Names of domains and threads, kept as they stand in the file.  Under
   [session_lock]. */

static struct {
  struct eventring_schema_entry *entry; /* room for all that there may be */
  uint32_t count;
  uint32_t in_file;             /* with those that were replaced */
} labels;

/* Makes room for one more label; returns 0 when there is none.  The system
   gives memory to those that are used. */
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

static void append_label(const struct eventring_schema_entry *e)
{
  /* No more than the schema has room for beside the user's events; the last
     ones have no name then. */
  if (labels.in_file < EVENTRING_MAX_LABELS && append_to_schema(e) == 0)
    labels.in_file++;
}

COLD
static int set_label(uint32_t domain, uint64_t thread, const char *name)
{
  uint32_t i = 0;
  lock_session();
  while (i < labels.count && (labels.entry[i].place != domain
                              || labels.entry[i].detail != thread)) i++;
  int room = i < labels.count || reserve_label();
  if (room) {
    struct eventring_schema_entry *e = &labels.entry[i];
    describe(e, name, EVENTRING_LABEL, EVENTRING_NO_PAYLOAD, "");
    e->place = domain;
    e->detail = thread;
    if (i == labels.count) labels.count++;
    if (caml_eventring_started()) append_label(e);
  }
  pthread_mutex_unlock(&session_lock);
  return room;
}

COLD
static uint64_t this_thread(void)
{
  return os_thread_id() | (uint64_t) self.id << 32;
}

COLD
int caml_eventring_set_domain_name(const char *name)
{
  return set_label(Caml_state->unique_id, 0, name);
}

COLD
int caml_eventring_set_thread_name(const char *name)
{
  return set_label(Caml_state->unique_id, this_thread(), name);
}

/* The name that the system has for this thread, which C code may change; that
   of the program is none. */
COLD
static void note_os_name(void)
{
#ifdef __linux__
  char name[OS_NAME_SIZE];
  if (prctl(PR_GET_NAME, name) != 0) return;
  if (self.os_name[0] == '\0') strcpy(self.os_name, session.os_name);
  if (strcmp(name, self.os_name) == 0) return;
  strcpy(self.os_name, name);
  set_label(Caml_state->unique_id, this_thread(), name);
#endif
}

/* In a forked child, the thread that is left has another id, and the others
   are gone. */
COLD
static void fork_labels(uint32_t old_thread)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < labels.count; i++) {
    struct eventring_schema_entry *e = &labels.entry[i];
    if ((uint32_t) e->detail == old_thread && old_thread != 0)
      e->detail = this_thread();
    else if (e->detail != 0) continue;
    if (kept != i) labels.entry[kept] = *e;
    kept++;
  }
  labels.count = kept;
}

/* For C stubs */

COLD
static int register_for_c(const char *name, enum eventring_kind kind,
                          const char *unit)
{
  if (name == NULL || *name == '\0' || strlen(name) >= EVENTRING_NAME_SIZE
      || strlen(unit) >= EVENTRING_UNIT_SIZE)
    return EVENTRING_BAD_NAME;
  return caml_eventring_register_once(name, kind, EVENTRING_INT, unit);
}

COLD
CAMLexport int caml_eventring_span(const char *name)
{
  return register_for_c(name, EVENTRING_SPAN, "");
}

COLD
CAMLexport int caml_eventring_counter(const char *name, const char *unit)
{
  return register_for_c(name, EVENTRING_COUNTER, unit != NULL ? unit : "");
}

CAMLexport void caml_eventring_span_start(int event)
{
  if (Caml_eventring_on(EVENTRING_USER) && event > 0)
    caml_eventring_emit(EVENTRING_WORD(event, EVENTRING_FORM_BEGIN, 0));
}

CAMLexport void caml_eventring_span_finish(int event)
{
  if (Caml_eventring_on(EVENTRING_USER) && event > 0)
    caml_eventring_emit(EVENTRING_WORD(event, EVENTRING_FORM_END, 0));
}

CAMLexport void caml_eventring_sample(int event, int64_t value)
{
  if (Caml_eventring_on(EVENTRING_USER) && event > 0)
    caml_eventring_emit_int(EVENTRING_WORD(event, EVENTRING_FORM_COUNTER, 1),
                            (uint64_t) value);
}

/* Who we are: what tells a reader whether the process still lives. */

/* The first [size] - 1 bytes of a small file, NUL-terminated; "" if none.
   Returns how many they are. */
static size_t read_file(const char *path, char *buffer, size_t size)
{
  ssize_t n = -1;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    n = read(fd, buffer, size - 1);
    close(fd);
  }
  if (n < 0) n = 0;
  buffer[n] = '\0';
  return n;
}

#ifndef NATIVE_CODE
static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}
#endif

static void identify(struct eventring_header *h)
{
  h->pid = getpid();
#ifdef __linux__
  char buffer[1024];
  read_file("/proc/self/stat", buffer, sizeof(buffer));
  /* The second field, a name in parentheses, may hold anything: count fields
     from the last parenthesis on. */
  char *p = strrchr(buffer, ')');
  for (int field = 2; p != NULL && field < 28; ) {
    p = strchr(p + 1, ' ');
    field++;
    if (p != NULL && field == 22) h->start_time = strtoull(p + 1, NULL, 10);
    if (p != NULL && field == 28) h->start_stack = strtoull(p + 1, NULL, 10);
  }
  read_file("/proc/sys/kernel/random/boot_id", buffer, sizeof(buffer));
  snprintf(h->boot_id, sizeof(h->boot_id), "%.*s",
           (int) strcspn(buffer, "\n"), buffer);
  struct stat st;
  if (stat("/proc/self/ns/pid", &st) == 0) h->pid_namespace = st.st_ino;
  if (stat("/proc/self/ns/time", &st) == 0) h->time_namespace = st.st_ino;
  ssize_t n = readlink("/proc/self/exe", h->program, sizeof(h->program) - 1);
  if (n < 0) h->program[0] = '\0';
  size_t length = read_file("/proc/self/cmdline", buffer, sizeof(buffer));
  p = buffer;
#ifndef NATIVE_CODE
  /* ocamlrun PROGRAM: the program is meant.  A name that is cut off by the
     buffer has nothing behind it. */
  size_t next = strlen(p) + 1;
  if (strncmp(base_name(p), "ocamlrun", 8) == 0
      && next < length && p[next] != '\0' && p[next] != '-')
    p += next;
#else
  (void) length;
#endif
  snprintf(h->argv0, sizeof(h->argv0), "%.*s", (int) sizeof(h->argv0) - 1, p);
#endif
  snprintf(h->runtime, sizeof(h->runtime), "%.*s",
           (int) sizeof(h->runtime) - 1, OCAML_VERSION_STRING);
}

/* The hardware counter is good when the processor says that it runs evenly,
   and the kernel, which has compared the processors' counters, uses it. */
static uint32_t choose_clock(void)
{
  uint32_t clock = EVENTRING_CLOCK_MONOTONIC;
  if (config.monotonic) return clock;
#if defined(__x86_64__) && defined(__linux__)
  unsigned a, b, c, d;
  char source[32];
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1 << 8)) {
    read_file("/sys/devices/system/clocksource/clocksource0/"
              "current_clocksource", source, sizeof(source));
    if (strcmp(source, "tsc\n") == 0) clock = EVENTRING_CLOCK_TSC;
  }
#elif defined(__aarch64__)
  clock = EVENTRING_CLOCK_CNTVCT;
#endif
  return clock;
}

/* Start */

/* Words of a ring, as a power of two, from OCAMLRUNPARAM=e=N.  The startup
   code has parsed the parameter but takes anything for a number. */
static unsigned ring_log_words(void)
{
  uintnat log = caml_params->runtime_events_log_wsize;
  char *item = caml_secure_getenv("OCAMLRUNPARAM");
  if (item == NULL) item = caml_secure_getenv("CAMLRUNPARAM");
  while (item != NULL) {
    if (*item == 'e') {
      size_t length = strcspn(item, ",");
      char *end;
      unsigned long n = strtoul(length > 2 ? item + 2 : "", &end, 0);
      if (item[1] != '=' || end != item + length || n < 1
          || n > EVENTRING_MAX_LOG_WORDS) {
        caml_eventring_complain(
          "OCAMLRUNPARAM: %.*s is not understood (e=N with N from 1 to"
          " %d: 2^N words a ring); using e=%d",
          (int) length, item, EVENTRING_MAX_LOG_WORDS,
          EVENTRING_DEFAULT_LOG_WORDS);
        log = EVENTRING_DEFAULT_LOG_WORDS;
      }
    }
    item = strchr(item, ',');
    if (item != NULL) item++;
  }
  if (log > EVENTRING_MAX_LOG_WORDS) log = EVENTRING_DEFAULT_LOG_WORDS;
  return log < EVENTRING_MIN_LOG_WORDS ? EVENTRING_MIN_LOG_WORDS : log;
}

static void lay_out(struct eventring_header *h)
{
  memcpy(h->magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
  h->version_major = EVENTRING_VERSION_MAJOR;
  h->version_minor = EVENTRING_VERSION_MINOR;
  h->header_size = sizeof(*h);
  h->rings = caml_params->max_domains;
  h->slot_size = sizeof(struct eventring_slot);
  h->schema_offset = EVENTRING_PAGE;
  h->schema_entry_size = sizeof(struct eventring_schema_entry);
  h->schema_capacity =
    RUNTIME_SCHEMA + EVENTRING_MAX_USER_EVENTS + EVENTRING_MAX_LABELS;
  h->directory_offset = h->schema_offset
    + round_up_to_page((uint64_t) h->schema_capacity * h->schema_entry_size);
  h->rings_offset = h->directory_offset
    + round_up_to_page((uint64_t) h->rings * h->slot_size);
  h->ring_words = (uint64_t) 1 << ring_log_words();
  h->block_words = eventring_block_words(h->ring_words);
  h->file_size =
    h->rings_offset + h->rings * h->ring_words * sizeof(uint64_t);
}

/* Returns 0 or an errno. */
static int write_all(int fd, const void *data, size_t size, uint64_t offset)
{
  const char *from = data;
  while (size > 0) {
    ssize_t n = pwrite(fd, from, size, (off_t) offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    from += n;
    offset += n;
    size -= n;
  }
  return 0;
}

/* Under [session_lock]. */
COLD
static void let_go_of(struct mapping *mapping)
{
  if (--mapping->users > 0) return;
  munmap(mapping->base, mapping->size);
  free(mapping);
}

/* Bytes of address space that must remain to a program under a limit
   (RLIMIT_AS, ulimit -v). */
#define RESERVE ((size_t) 256 << 20)

static int has_limited_space(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Returns 0 when the program, with the file mapped, has less address space left
   than [RESERVE]. */
static int leaves_reserve(void)
{
  if (!has_limited_space()) return 1;
  void *space = mmap(NULL, RESERVE, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return 0;
  munmap(space, RESERVE);
  return 1;
}

COLD
static int start_session(const char *in, uint64_t control, char *why,
                         size_t why_size)
{
  struct eventring_schema_entry schema[RUNTIME_SCHEMA];
  struct eventring_header h;
  char dir[PATH_MAX], path[PATH_MAX + 32];
  const char *what, *reason;
  char *map = MAP_FAILED;
  struct mapping *mapping = NULL;
  struct stat st;
  int err, fd = -1, guarded = 0;

  memset(&h, 0, sizeof(h));
  lay_out(&h);
  h.clock = choose_clock();
  h.parent_pid = session.restart ? session.header.pid : 0;
  identify(&h);
#ifdef __linux__
  prctl(PR_GET_NAME, session.os_name);
#endif
  h.started = eventring_now(h.clock);
  h.control = control & 0xFFFFFFFF00000000;     /* paused until all is set */
  h.state = EVENTRING_RUNNING;

  if (in != NULL ? realpath(in, dir) == NULL
                 : getcwd(dir, sizeof(dir)) == NULL) {
    err = errno;
    /* A name of any length must leave room for the reason. */
    snprintf(why, why_size, "cannot use %.1000s as the directory of the ring"
             " file: %s", in != NULL ? in : "the current directory",
             strerror(err));
    return 0;
  }

  what = "create";
  fd = caml_eventring_create_file(dir, &h, session.suffix, path,
                                  sizeof(path), &reason);
  if (fd < 0) goto fail_message;

  /* From here on, errors are in errno or [err] and the file is removed. */
  what = "set the size of";
  err = EFBIG;
  if (h.file_size > INT64_MAX || h.file_size > SIZE_MAX) goto fail;
  err = 0;
  if (ftruncate(fd, (off_t) h.file_size) != 0) goto fail;
  if (fstat(fd, &st) != 0) goto fail;
  session.dev = st.st_dev;
  session.ino = st.st_ino;

  /* Writing allocates as well. */
  what = "write the header of";
  h.schema_count = RUNTIME_SCHEMA;
  runtime_schema(schema);
  err = write_all(fd, schema, sizeof(schema), h.schema_offset);
  if (err == 0) err = write_all(fd, &h, sizeof(h), 0);
  if (err != 0) goto fail;

  what = "map";
  map = mmap(NULL, h.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) goto fail;
  reason = "less than 256 MiB of address space would be left to the program"
    " (ulimit -v)";
  if (!leaves_reserve()) goto fail_reason;
  mapping = malloc(sizeof(*mapping));
  if (mapping == NULL || !allocate_writers()) goto fail;
  *mapping = (struct mapping) { map, h.file_size, 1 };
  if (madvise(writers, (caml_params->max_domains + 1) * sizeof(*writers),
              MADV_WIPEONFORK) != 0) { /* before Linux 4.14: see SECURITY */ }
  /* Not to read ahead around each page that is touched first. */
  madvise(map, h.file_size, MADV_RANDOM);

  what = "watch over";
  err = caml_eventring_guard(map, h.file_size, path);
  if (err != 0) goto fail;
  guarded = 1;

  session.header = h;
  session.mapping = mapping;
  session.map = map;
  session.released = 0;
  atomic_store(&session.short_of_room, 0);
  session.schema_allocated = round_up_to_page(sizeof(schema));
  free(session.path);
  what = "remember the name of";
  session.path = strdup(path);
  if (session.path == NULL) goto fail;

  what = "allocate";
  err = allocate(h.directory_offset, h.rings_offset - h.directory_offset);
  if (err != 0) goto fail;

  what = "add the program's events to";
  for (uint32_t i = 0; i < names.count; i++) {
    err = append_to_schema(&names.entry[i]);
    if (err != 0) goto fail;
  }

  labels.in_file = 0;
  for (uint32_t i = 0; i < labels.count; i++) append_label(&labels.entry[i]);

  what = "watch for forks with";
  err = watch_forks();
  if (err != 0) goto fail;

  clock_kind = h.clock;
  block_words = h.block_words;
  /* Never 0, the number of writers that were not used. */
  if (++session.number == 0) session.number = 1;
  __atomic_store_n(&session.started, 1, __ATOMIC_RELEASE);

  /* The last step: no probe notices anything before it, and every probe that
     notices finds the session through [session_lock]. */
  what = "map the control page of";
  if (mmap(&caml_eventring_page, EVENTRING_PAGE, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
    err = errno;
    __atomic_store_n(&session.started, 0, __ATOMIC_RELEASE);
    /* Linux may have taken the old page away before it failed. */
    caml_eventring_replace_page();
    goto fail;
  }
  __atomic_store_n(&HEADER->control, control, __ATOMIC_RELEASE);
  /* Lost already: the store went to a page of zeros. */
  if (caml_eventring_lost())
    __atomic_store_n(&HEADER->control, 0, __ATOMIC_RELEASE);
  close(fd);
  return 1;

 fail:
  reason = strerror(err != 0 ? err : errno);
 fail_reason:
  if (guarded) caml_eventring_unguard();
  session.map = NULL;
  session.mapping = NULL;
  free(mapping);
  if (map != MAP_FAILED) munmap(map, h.file_size);
  unlink(path);
  close(fd);
 fail_message:
  snprintf(why, why_size, "cannot %s %s: %s", what, path, reason);
  return 0;
}

/* Returns the categories that a control word records, or records again on
   resume: the default when it names none.  Somebody else may have set bits
   that are no category. */
static uint32_t categories_of(uint64_t control)
{
  uint32_t mask = (uint32_t) control & EVENTRING_ALL_CATEGORIES;
  if (mask == 0) mask = control >> 32 & EVENTRING_ALL_CATEGORIES;
  return mask != 0 ? mask : EVENTRING_DEFAULT_CATEGORIES;
}

/* Marks the file as ended or replaced, and removes it unless it is to be kept.
   The file stays mapped.  Under [session_lock]. */
COLD
static void end_session(enum eventring_state state)
{
  struct stat st;
  if (!session.started) return;
  uint64_t control = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
  __atomic_store_n(&HEADER->control, (uint64_t) categories_of(control) << 32,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&session.started, 0, __ATOMIC_RELEASE);
  HEADER->ended = eventring_now(clock_kind);
  __atomic_store_n(&HEADER->state, state, __ATOMIC_RELEASE);
  caml_eventring_let_go();
  if (!config.keep && lstat(session.path, &st) == 0
      && st.st_dev == session.dev && st.st_ino == session.ino)
    unlink(session.path);
}

/* Writers of the current stop that are disowned. */
static atomic_int stopped_writers;

static void begin_stop(caml_domain_state *leader)
{
  (void) leader;
  atomic_store(&stopped_writers, 0);
}

/* In every domain, after all of them have stopped.  Each leaves the stop on its
   own, so the leader waits here for all others. */
static void stop_writer(caml_domain_state *domain, void *leader, int domains,
                        caml_domain_state **all)
{
  (void) all;
  disown(&writers[domain->id]);
  atomic_fetch_add(&stopped_writers, 1);
  if (domain == leader)
    while (atomic_load(&stopped_writers) < domains) sched_yield();
}

/* Returns when no domain is in the middle of an event that it began before.
   Hold the domain lock, and not [session_lock]: a domain that waits for the
   latter does not stop. */
static void stop_writers(void)
{
  /* Another domain may be about to stop all, this one among them. */
  while (!caml_try_run_on_all_domains(&stop_writer, Caml_state,
                                      &begin_stop)) { }
}

/* Unmaps the parts that [caml_eventring_release_memory] left. */
COLD
static void unmap_kept(void)
{
  const struct eventring_header *h = &session.header;
  for (uint32_t i = 0; i < h->rings; i++)
    if (writers[i].kept) {
      writers[i].kept = 0;
      munmap(writers[i].ring, h->ring_words * sizeof(uint64_t));
    }
  munmap(session.map + h->directory_offset,
         h->rings_offset - h->directory_offset);
  free(session.mapping);
}

/* Unmaps the file of a session that has ended or was lost, if there is one.
   Hold the domain lock, and not [session_lock]. */
COLD
static void unmap_session(void)
{
  pthread_mutex_lock(&session_lock);
  if (session.map != NULL && !caml_eventring_started()) {
    end_session(EVENTRING_ENDED);       /* one that was lost */
    uint32_t number = session.number;
    pthread_mutex_unlock(&session_lock);
    stop_writers();
    pthread_mutex_lock(&session_lock);
    /* Another domain may have done it meanwhile. */
    if (session.map != NULL && !session.started && session.number == number) {
      caml_eventring_unguard();
      if (session.released) unmap_kept();
      else let_go_of(session.mapping);
      session.mapping = NULL;
      session.map = NULL;
    }
  }
  pthread_mutex_unlock(&session_lock);
}

static unsigned char *started_flag; /* NULL: none; under [session_lock] */

static void set_started_flag(void)
{
  if (started_flag != NULL && session.number > 0)
    __atomic_store_n(started_flag, 1, __ATOMIC_RELAXED);
}

COLD
void caml_eventring_tell_when_started(unsigned char *flag)
{
  pthread_mutex_lock(&session_lock);
  started_flag = flag;
  set_started_flag();
  pthread_mutex_unlock(&session_lock);
}

int caml_eventring_start(const char *dir, const char *suffix, uint32_t mask,
                         int paused, char *why, size_t size)
{
  int ok;
  for (;;) {
    lock_session();
    ok = caml_eventring_started();
    if (ok || session.map == NULL) break;
    pthread_mutex_unlock(&session_lock);
    unmap_session();
  }
  int fresh = !ok;
  if (fresh) {
    uint64_t control = (uint64_t) mask << 32 | (paused ? 0 : mask);
    sigset_t before;
    session.suffix = suffix;
    caml_eventring_hold_signals(&before);
    ok = start_session(dir != NULL ? dir : config.dir, control, why, size);
    caml_eventring_release_signals(&before);
    session.restart = 0;
    set_started_flag();
  }
  pthread_mutex_unlock(&session_lock);
  if (ok && fresh) {
    caml_ev_lifecycle(EV_RING_START, getpid());
    char text[sizeof(session.header.argv0) + sizeof(session.header.runtime)
              + 8];
    snprintf(text, sizeof(text), "%s, OCaml %s", session.header.argv0,
             session.header.runtime);
    caml_eventring_text(EV_PROCESS_START, EVENTRING_DOMAIN, text);
  }
  return ok;
}

int caml_eventring_started(void)
{
  return __atomic_load_n(&session.started, __ATOMIC_ACQUIRE)
    && !caml_eventring_lost() && !left_behind();
}

COLD
static void end(enum eventring_state state)
{
  if (caml_eventring_started()) caml_ev_lifecycle(EV_RING_STOP, 0);
  lock_session();
  end_session(state);
  pthread_mutex_unlock(&session_lock);
}

COLD
CAMLexport void caml_eventring_end(void)
{
  end(EVENTRING_ENDED);
}

COLD
void caml_eventring_stop(void)
{
  caml_eventring_end();
  unmap_session();
}

/* Starts tracing again after it ended here, with the same categories and the
   file in the same directory, wherever it has gone since.  Returns 0 with the
   reason in [why] when that fails. */
COLD
static int start_again(uint64_t control, char *why, size_t size)
{
  char dir[PATH_MAX + 32];
  uint32_t mask = (uint32_t) control;
  snprintf(dir, sizeof(dir), "%s", session.path);
  char *slash = strrchr(dir, '/');
  slash[slash == dir] = '\0';           /* the root keeps its slash */
  return caml_eventring_start(dir, session.suffix,
                              mask != 0 ? mask : control >> 32, mask == 0, why,
                              size);
}

/* Set between [caml_eventring_executes] and [caml_eventring_goes_on]. */
static CAMLthread_local uint64_t control_before_exec;

static int can_execute(const char *file)
{
  struct stat st;
  return stat(file, &st) == 0 && S_ISREG(st.st_mode)
    && access(file, X_OK) == 0;
}

COLD
CAMLexport void caml_eventring_executes(const char *name, int search)
{
  int err = errno;
  control_before_exec = 0;
  if (caml_eventring_started()) {
    char *found = search && strchr(name, '/') == NULL
      ? caml_search_exe_in_path(name) : NULL;
    if (can_execute(found != NULL ? found : name)) {
      control_before_exec = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
      end(EVENTRING_REPLACED);
    }
    caml_stat_free(found);
  }
  errno = err;
}

COLD
CAMLexport void caml_eventring_goes_on(void)
{
  int err = errno;
  char why[PATH_MAX + 256];
  if (control_before_exec != 0
      && !start_again(control_before_exec, why, sizeof(why)))
    caml_eventring_complain("%s; tracing is off", why);
  control_before_exec = 0;
  errno = err;
}

/* Memory for the program.  Domains other than this one may be in the middle of
   an event, and cannot be stopped here: their rings and the directory stay
   until the session's file is unmapped. */
COLD
CAMLexport int caml_eventring_release_memory(void)
{
  const struct eventring_header *h = &session.header;
  if (!has_limited_space() || left_behind()) return 0;
  pthread_mutex_lock(&session_lock);
  int release = session.map != NULL && !session.released
    && session.mapping->users == 1;
  int was_started = release && session.started;
  if (release) {
    uint64_t bytes = h->ring_words * sizeof(uint64_t);
    end_session(EVENTRING_ENDED);
    caml_eventring_unguard();
    session.released = 1;
    munmap(session.map, h->directory_offset);
    for (uint32_t i = 0; i < h->rings; i++) {
      struct writer *w = &writers[i];
      int own = Caml_state_opt != NULL && Caml_state_opt->id == (int) i;
      if (own) disown(w);
      w->kept = !own && w->session == session.number && w->ring != NULL;
      if (!w->kept) munmap(session.map + h->rings_offset + i * bytes, bytes);
    }
  }
  pthread_mutex_unlock(&session_lock);
  if (was_started)
    caml_eventring_complain("out of memory: the program gets the memory of the"
                            " rings; tracing is off");
  return release;
}

/* Pause and resume, against others who do the same from outside. */

static int is_paused(uint64_t control)
{
  return ((uint32_t) control & EVENTRING_ALL_CATEGORIES) == 0;
}

COLD
int caml_eventring_pause(void)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
  if (!caml_eventring_started() || is_paused(c)) return 0;
  caml_ev_lifecycle(EV_RING_PAUSE, 0);
  do {
    if (is_paused(c)) return 0;
  } while (!__atomic_compare_exchange_n(&HEADER->control, &c,
                                        (uint64_t) categories_of(c) << 32, 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return 1;
}

COLD
int caml_eventring_resume(void)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED), new;
  if (!caml_eventring_started()) return 0;
  do {
    if (!is_paused(c)) return 0;
    new = (uint64_t) categories_of(c) << 32 | categories_of(c);
  } while (!__atomic_compare_exchange_n(&HEADER->control, &c, new, 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  caml_ev_lifecycle(EV_RING_RESUME, 0);
  return 1;
}

uint32_t caml_eventring_categories(void)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
  return caml_eventring_started() ? categories_of(c) : 0;
}

COLD
void caml_eventring_set_categories(uint32_t mask)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED), new;
  if (!caml_eventring_started()) return;
  do {
    new = (uint64_t) mask << 32 | (is_paused(c) ? 0 : mask);
  } while (!__atomic_compare_exchange_n(&HEADER->control, &c, new, 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

uint32_t caml_eventring_session(void)
{
  return caml_eventring_started() ? session.number : 0;
}

COLD
char *caml_eventring_path(void)
{
  char *path = NULL;
  pthread_mutex_lock(&session_lock);
  if (caml_eventring_started()) path = strdup(session.path);
  pthread_mutex_unlock(&session_lock);
  return path;
}

/* Snapshot: the rings as they are now, in a file of their own, as if the
   process had ended at this moment. */

/* What is copied: a session, which stays mapped whatever becomes of it. */
struct source {
  struct eventring_header header;
  uint32_t session;             /* its number */
  struct mapping *mapping;
};

/* Words that are copied from a ring at most, over all attempts, apart from the
   first attempt. */
#define MAX_COPIED ((uint64_t) 1 << 20)

/* Copies ring [i] to [fd].  What the writer does meanwhile goes to blocks that
   the [reserve] read afterwards excludes.  [buffer] holds a ring.  Returns 0
   or an errno. */
COLD
static int copy_ring(const struct source *from, int fd, uint32_t i,
                     uint64_t *buffer)
{
  const struct eventring_header *h = &from->header;
  const struct eventring_slot *slot = (const struct eventring_slot *)
    (from->mapping->base + h->directory_offset) + i;
  uint64_t offset = h->rings_offset + i * h->ring_words * sizeof(uint64_t);
  const uint64_t *ring = (const uint64_t *) (from->mapping->base + offset);
  struct eventring_slot copy;
  uint64_t words, copied = 0;

  memset(&copy, 0, sizeof(copy));
  do {
    /* So many only if somebody else writes to the directory. */
    if (copied > MAX_COPIED) return 0;
    /* The events before [tail] are seen with it. */
    copy.tail = __atomic_load_n(&slot->tail, __ATOMIC_ACQUIRE);
    if (copy.tail == 0) return 0;
    words = copy.tail < h->ring_words ? copy.tail : h->ring_words;
    for (uint64_t w = 0; w < words; w++)
      buffer[w] = __atomic_load_n(&ring[w], __ATOMIC_RELAXED);
    copied += words + 1;
    /* If a word of a later block was seen, so is the [reserve] before it. */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    copy.reserve = __atomic_load_n(&slot->reserve, __ATOMIC_RELAXED);
    /* Overtaken by a whole lap (a tiny ring): nothing of it is good. */
  } while (copy.reserve >= copy.tail + h->ring_words);
  int err = write_all(fd, buffer, words * sizeof(uint64_t), offset);
  return err != 0 ? err
    : write_all(fd, &copy, sizeof(copy),
                h->directory_offset + i * sizeof(copy));
}

COLD
static int copy_session(const struct source *from, int fd, uint64_t *buffer)
{
  struct eventring_header h = from->header;
  h.control = (uint64_t) caml_eventring_categories() << 32;
  h.ended = eventring_now(h.clock);
  h.state = EVENTRING_ENDED;
  int err = ftruncate(fd, (off_t) h.file_size) != 0 ? errno : 0;
  for (uint32_t i = 0; err == 0 && i < h.rings; i++) {
    /* The slot of a ring that no domain has used says nothing. */
    pthread_mutex_lock(&session_lock);
    int used = writers[i].session == from->session;
    pthread_mutex_unlock(&session_lock);
    if (used) err = copy_ring(from, fd, i, buffer);
  }
  /* Every name that the rings may refer to by now */
  pthread_mutex_lock(&session_lock);
  if (session.mapping == from->mapping)
    h.schema_count = session.header.schema_count;
  pthread_mutex_unlock(&session_lock);
  if (err == 0)
    err = write_all(fd, from->mapping->base + h.schema_offset,
                    h.schema_count * sizeof(struct eventring_schema_entry),
                    h.schema_offset);
  return err != 0 ? err : write_all(fd, &h, sizeof(h), 0);
}

/* Returns 0 if a snapshot may replace what is at [path]: a file, a link, which
   is not followed, or nothing; else an errno. */
COLD
static int may_replace(const char *path)
{
  struct stat st;
  if (lstat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
    return 0;
  return S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP;
}

COLD
int caml_eventring_snapshot(const char *path, char *why, size_t size)
{
  char temporary[PATH_MAX];
  struct source from;
  sigset_t before;
  int err = 0, started;

  /* Writing takes long, and a domain's first event waits for this lock. */
  lock_session();
  started = caml_eventring_started();
  from.header = session.header;
  from.session = session.number;
  from.mapping = session.mapping;
  if (started) from.mapping->users++;
  pthread_mutex_unlock(&session_lock);
  if (!started) {
    snprintf(why, size, "cannot write a snapshot to %.1000s: this process is"
             " not being traced", path);
    return 0;
  }

  /* The session may end, and its guard with it. */
  caml_eventring_guard_reading(from.mapping->base, from.mapping->size);
  uint64_t *buffer = malloc(from.header.ring_words * sizeof(uint64_t));
  err = buffer == NULL ? ENOMEM : may_replace(path);
  if (err == 0 && snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path)
      >= (int) sizeof(temporary)) err = ENAMETOOLONG;
  caml_eventring_hold_signals(&before);
  if (err == 0) {
    /* Mode 0600, and a name that no other snapshot has */
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
      err = errno;
    } else {
      err = copy_session(&from, fd, buffer);
      if (close(fd) != 0 && err == 0) err = errno;
      if (err == 0 && rename(temporary, path) != 0) err = errno;
      if (err != 0) unlink(temporary);
    }
  }
  caml_eventring_release_signals(&before);
  free(buffer);
  caml_eventring_unguard_reading(from.mapping->base);
  lock_session();
  let_go_of(from.mapping);
  pthread_mutex_unlock(&session_lock);
  if (err != 0)
    snprintf(why, size, "cannot write a snapshot to %.1000s: %s", path,
             err == ENOTSUP ? "it is not a regular file" : strerror(err));
  return err == 0;
}

/* Fork.  The child is born with the parent's page and rings mapped; before it
   runs anything else it lets go of them.  It gets its own file when it turns
   out to go on as an OCaml program. */

/* In the parent: when the child runs, the parent may have ended already and
   have switched the page off.  The lock is held over the fork, so that the
   child finds names, labels and the session as nobody is about to change
   them. */
static void before_fork(void)
{
  left_behind();
  pthread_mutex_lock(&session_lock);
  session.restart_control =
    __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
}

static void after_fork(void)
{
  pthread_mutex_unlock(&session_lock);
}

static void leave_parent(void)
{
  pthread_mutex_init(&session_lock, NULL);
  uint32_t old_thread = self.os_id;
  self.os_id = 0;
  fork_labels(old_thread);
  session.started = 0;
  if (writers == NULL) return;
  if (session.map == NULL) {
    *process_mark() = 1;
    return;
  }
  for (uint32_t i = 0; i < session.header.rings; i++) {
    /* No domain of the child has used a ring. */
    disown(&writers[i]);
    writers[i].session = 0;
  }
  /* Should this fail, probes still find no ring to write to. */
  caml_eventring_replace_page();
  caml_eventring_unguard();
  if (session.released) {
    unmap_kept();
  } else {
    munmap(session.map, session.header.file_size);
    free(session.mapping);
  }
  session.mapping = NULL;
  session.map = NULL;
  *process_mark() = 1;
}

static void fork_handler(void)
{
  session.restart = session.started && !caml_eventring_lost();
  leave_parent();
}

/* Returns 1 in a child that [fork_handler] never saw, after it has let go of
   its parent's rings.  Such a child was not made by a function of OCaml's, and
   is not traced.  It has one thread. */
static int left_behind(void)
{
  if (session.map == NULL || *process_mark() != 0) return 0;
  /* The parent's wish to be traced is not the child's. */
  session.restart = 0;
  leave_parent();
  return 1;
}

COLD
void caml_eventring_restart_in_child(void)
{
  char why[PATH_MAX + 256];
  if (!session.restart) return;
  if (!start_again(session.restart_control, why, sizeof(why)))
    caml_eventring_complain("%s; the forked child is not traced", why);
}

/* The environment.  A variable of ours wins over its older synonym; a value
   that is not understood is named and ignored. */

COLD
static uint32_t categories_from(const char *list, uint32_t mask)
{
  /* No pointers, which would need relocations. */
  static const struct { char name[12]; uint32_t mask; } known[] = {
#define CATEGORY(id, bit, name, by_default, doc) { name, EVENTRING_##id },
#include "caml/eventring_events.tbl"
    { "all", EVENTRING_ALL_CATEGORIES }
  };
  const size_t count = sizeof(known) / sizeof(known[0]);
  /* "gc,sync" is just these; "-alloc" takes away from what there was. */
  if (*list != '-') mask = 0;
  while (*list != '\0') {
    size_t i, length = strcspn(list, ",");
    int remove = *list == '-';
    const char *name = list + remove;
    size_t name_length = length - remove;
    for (i = 0; i < count; i++)
      if (strlen(known[i].name) == name_length
          && memcmp(known[i].name, name, name_length) == 0) break;
    if (i < count)
      mask = remove ? mask & ~known[i].mask : mask | known[i].mask;
    else if (length > 0)
      caml_eventring_complain(
        "OCAML_EVENTRING_CATEGORIES: there is no category %.*s (all"
#define CATEGORY(id, bit, name, by_default, doc) ", " name
#include "caml/eventring_events.tbl"
        "); ignored", (int) name_length, name);
    list += length;
    if (*list == ',') list++;
  }
  return mask;
}

/* A variable that is 1 or 0.  Unset or not understood is [otherwise]. */
COLD
static int flag(const char *name, int otherwise)
{
  const char *s = caml_secure_getenv(name);
  if (s == NULL || *s == '\0') return otherwise;
  if (strcmp(s, "1") == 0) return 1;
  if (strcmp(s, "0") == 0) return 0;
  caml_eventring_complain(
    "%s: %s is not understood (1 or 0); ignored", name, s);
  return otherwise;
}

/* A whole number of ns, or of another unit that follows it.  0 when it is
   neither. */
COLD
static int parse_duration(const char *s, uint64_t *ns)
{
  static const struct { char unit[4]; uint64_t ns; } units[] = {
    { "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
    { "s", 1000000000 }
  };
  char *end;
  errno = 0;
  unsigned long long n = strtoull(s, &end, 10);
  if (*s < '0' || *s > '9' || errno != 0) return 0;
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
    if (strcmp(end, units[i].unit) == 0 && n <= INT64_MAX / units[i].ns) {
      *ns = n * units[i].ns;
      return 1;
    }
  return 0;
}

COLD
void caml_eventring_init(void)
{
  char why[PATH_MAX + 256];
  const char *s, *suffix = EVENTRING_SUFFIX;
  int start = 0, paused = 0;
  uint32_t mask = EVENTRING_DEFAULT_CATEGORIES;

  caml_eventring_note_stderr();
  allocate_writers();

  s = caml_secure_getenv("OCAML_EVENTRING_PREFIX");
  if (s == NULL || *s == '\0')
    s = caml_secure_getenv("OCAML_RUNTIME_EVENTS_DIR");
  free(config.dir);
  config.dir = s == NULL || *s == '\0' ? NULL : strdup(s);

  config.keep = flag("OCAML_EVENTRING_KEEP",
    caml_secure_getenv("OCAML_RUNTIME_EVENTS_PRESERVE") != NULL);

  s = caml_secure_getenv("OCAML_EVENTRING_CLOCK");
  config.monotonic = 0;
  if (s != NULL && strcmp(s, "monotonic") == 0) config.monotonic = 1;
  else if (s != NULL && *s != '\0' && strcmp(s, "tsc") != 0)
    caml_eventring_complain(
      "OCAML_EVENTRING_CLOCK: %s is not understood (tsc or monotonic);"
      " ignored", s);

  s = caml_secure_getenv("OCAML_EVENTRING_THRESHOLD");
  config.threshold = DEFAULT_THRESHOLD;
  if (s != NULL && *s != '\0' && !parse_duration(s, &config.threshold))
    caml_eventring_complain(
      "OCAML_EVENTRING_THRESHOLD: %s is not understood (a number with"
      " ns, us, ms or s); ignored", s);

  s = caml_secure_getenv("OCAML_EVENTRING_START");
  if (s != NULL && *s != '\0') {
    if (strcmp(s, "1") == 0) start = 1;
    else if (strcmp(s, "paused") == 0) start = paused = 1;
    else if (strcmp(s, "0") != 0)
      caml_eventring_complain(
        "OCAML_EVENTRING_START: %s is not understood (1, paused or 0);"
        " ignored", s);
  } else if (caml_secure_getenv("OCAML_RUNTIME_EVENTS_START") != NULL) {
    start = 1;
    suffix = EVENTRING_STOCK_SUFFIX;
    mask = EVENTRING_ALL_CATEGORIES;
  }

  if (!start) return;
  s = caml_secure_getenv("OCAML_EVENTRING_CATEGORIES");
  if (s != NULL && *s != '\0') {
    uint32_t wanted = categories_from(s, mask);
    if (wanted != 0) mask = wanted;
    else
      caml_eventring_complain(
        "OCAML_EVENTRING_CATEGORIES: %s leaves no category to record; ignored",
        s);
  }
  if (!caml_eventring_start(NULL, suffix, mask, paused, why, sizeof(why)))
    caml_eventring_complain("%s; tracing is off", why);
}
