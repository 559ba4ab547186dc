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

/* The profiler: samples of the processor time of threads.

   At each tick, 100 to 1000 times a second, the system adds the time of a tick to
   the thread that is running.  A timer on this clock sends a signal at ticks that
   hit its thread:

       tick --> timer --> signal handler --> stack (eventring_unwind.c)
                 ^              |              --> ring of samples
                 +--------------+

   The kernel looks at such timers at its ticks only, whatever they count.  One
   that fires once a period would fire at the first tick after it, which depends
   on what the thread has done; so eventring_thinning.h chooses in advance which
   tick becomes the next sample, and the handler sets the timer to it.  A signal
   costs far more than that.  A thread that waits gets no signals, and the kernel
   sends these on its way back to the program, so they interrupt no system call.

   Ticks deceive about a program that works in step with them.  Where the system
   allows it, a thread that seldom waits gets an event besides, which sends a
   signal after each period of its processor time, to the microsecond
   (eventring_perf.c), unless the thread is in the kernel then: a signal there
   would interrupt a system call.  So each such hit is a sample of one period in
   user mode, and ticks are samples of the time in the kernel, in pairs, as
   eventring_thinning.h explains; before the event they are samples of all of the
   time.  Elsewhere, it may have an alarm (eventring_alarm.c), whose hits are samples
   of the time with the domain lock; ticks are samples of the rest then.

   The handler takes no lock and allocates nothing. Whatever it needs is
   prepared outside of it: [sample_threads] looks for threads without a
   timer, when a probe finds that samples are recorded, at most ten times a
   second; the handler makes OCaml code come to such a probe. So the
   category can be switched on from outside, and threads that OCaml knows
   nothing of are found too. When the category is switched off, each handler
   stops its own timer. */

#include <signal.h>
#include <unistd.h>

#include "caml/eventring.h"
#include "caml/runtime_events.h"
#include "eventring_internal.h"
#include "eventring_thinning.h"

size_t caml_eventring_signal_stack_size(void)
{
  size_t size = SIGSTKSZ;
#ifdef _SC_SIGSTKSZ
  /* With all registers of this processor, which a constant cannot know. */
  long needed = sysconf(_SC_SIGSTKSZ);
  if (needed > (long) size) size = (size_t) needed;
#endif
  return size + 16384;
}

uint64_t caml_ring_sample_period(void)
{
  uint64_t ns = __atomic_load_n(&HEADER->sample_period, __ATOMIC_RELAXED);
  if (ns == 0) ns = caml_ring_session.header.sample_period;
  return ns < EVENTRING_MIN_SAMPLE_PERIOD ? EVENTRING_MIN_SAMPLE_PERIOD
       : ns > EVENTRING_MAX_SAMPLE_PERIOD ? EVENTRING_MAX_SAMPLE_PERIOD
       : ns;
}

uint64_t caml_ring_alloc_period(void)
{
  uint64_t words = __atomic_load_n(&HEADER->alloc_period, __ATOMIC_RELAXED);
  if (words == 0) words = caml_ring_session.header.alloc_period;
  return words < 1 ? 1
       : words > EVENTRING_MAX_ALLOC_PERIOD ? EVENTRING_MAX_ALLOC_PERIOD
       : words;
}

#ifdef EVENTRING_SAMPLES

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "caml/domain.h"
#include "caml/eventring_clock.h"
#include "caml/startup_aux.h"

/* Threads that are sampled at the same time, at most. */
#define SAMPLERS 1024

/* A timer that is not set again sends a signal at each tick, since this many ns are
   less than the shortest: so a signal that the program takes by sigwait, or ignores
   for a time, is not the last. */
#define GRAIN 250000

/* The ns of ticks that a timer lets pass, at most: the handler looks after the
   search for threads, and whether samples are switched off. */
#define LONGEST_PAUSE 100000000

/* The ns of a tick where there are 100 a second, the fewest. */
#define LONGEST_TICK 10000000

/* While a thread has an event, two ticks are looked at in this many periods. */
#define KERNEL_PERIODS 4

/* Periods of an event are shorter than those asked for, by this factor, so that no
   program has a period that is a simple multiple. */
#define PERF_SHARE 0.9618034

/* An event costs 1500 ns each time its thread gets the processor, an alarm 2200 ns in
   each blocking section.  A thread has one while this is less than 1/500 of its time:
   of its first 20 ms, and then of each 250 ms.  Blocking sections are counted when it
   has an alarm, so any thread has one for 250 ms. */
#define NS_A_SWITCH (500 * 1500)
#define NS_A_SECTION (500 * 2200)
#define FIRST_JUDGED_NS 20000000
#define JUDGED_NS 250000000

/* A tick in the kernel, whose signal comes this many ns of processor time after a hit
   of the event, or fewer, is of the signal of the hit. */
#define HIT_NS 20000

/* Frames of a sample, at most. */
#define MAX_FRAMES 512

/* A thread that is sampled.  Written under the session's lock, or in the
   handler of the thread where it says so. */
struct sampler {
  _Atomic int tid;              /* of the thread; 0: the entry is free */
  _Atomic int armed;            /* the timer runs; the handler clears it */
  _Atomic int busy;             /* in the handler */
  timer_t timer;
  uint32_t seen;                /* the last search that found the thread */
  int64_t began;                /* ns of processor time of the thread before it
                                   was sampled... */
  _Atomic int64_t sampled;      /* ...and that are sampled by now, or known to
                                   have no samples */
  _Atomic int64_t blocked;      /* ns that have none, not yet in [used]: signals
                                   were blocked... */
  _Atomic int64_t no_room;      /* ...or the stack had no room... */
  _Atomic int64_t no_ring;      /* ...or other threads had all rings */
  _Atomic int64_t by_ticks;     /* ns of samples at ticks, not yet in [used] */
  void *_Atomic event;          /* of eventring_perf.c; NULL: none */
  uint64_t event_period;        /* ns */
  _Atomic int64_t event_from;   /* from this ns of processor time on, the event
                                   has the time in user mode */
  _Atomic int by_event;         /* it has had it since the last signal of the timer;
                                   written by the handler */
  int calm;                     /* the thread may have an event... */
  int64_t judged_at;            /* ...as found at this ns of its processor time... */
  uint64_t switches;            /* ...when it had got the processor so often... */
  uint32_t sections;            /* ...and had entered so many blocking sections */
  struct caml_ring_alarm alarm;
  /* From here on, only the handler. */
  int64_t ticks;                /* ns of ticks by the last signal of the timer... */
  int64_t user_ticks;           /* ...and of those in user mode */
  int64_t pause;                /* ns of ticks from then to the next signal */
  int64_t hit;                  /* ns of processor time when the last signal of the
                                   event had been handled */
  struct caml_ring_thinning thinning;
  int32_t domain;               /* the last domain of the thread, or NOBODY */
  uintptr_t low, high;          /* the mapping that has its C stack; 0: not
                                   looked for */
  uint64_t frame[MAX_FRAMES];
  uint64_t words[EVENTRING_MAX_PAYLOAD_WORDS];
  char line[1024];
  struct caml_ring_rows rows;
};

/* The samplers; a forked child has zeros in place of them.  NULL: not allocated
   yet. */
static struct sampler *samplers;
static uint32_t samplers_end;   /* entries from this index on were never used */

/* Rings of samples in use: for each, the id of the thread that writes to it at
   present, or 0.  In the memory of the samplers. */
static _Atomic int *ring_users;

/* The session that samples are written to; 0: none.  The handler sets [busy]
   before it looks; who sets 0 waits until nobody is busy. */
static _Atomic uint32_t session;

static uint32_t search;         /* number of the last search for threads */
static _Atomic int64_t next;    /* when to search; CLOCK_MONOTONIC_COARSE ns */

/* The fields of EV_CPU_USED. */
enum cpu_used {
  CPU_TIME, CPU_SIGNALS_BLOCKED, CPU_NO_RING, CPU_NO_ROOM, CPU_BETWEEN_SAMPLES,
  CPU_ENDED, CPU_NOT_FOUND, CPU_BY_TICKS, CPU_USED_FIELDS
};

/* Processor time of the process, in ns, that no event EV_CPU_USED has yet, with the
   time that has no samples by its cause, and the time of samples by ticks.  Under
   the session's lock. */
static struct {
  uint64_t ns[CPU_USED_FIELDS];
  int64_t seen;                 /* of the process, by the last search */
  int64_t known;                /* of all samplers, by then */
  int64_t ended;                /* of threads that have ended... */
  int64_t ended_before;         /* ...of that, before samples began */
  int64_t unknown;              /* of no thread that is known */
  _Atomic int is_broken;        /* samples were off for a time */
} used;

static int signal_number;       /* 0: the handler is not installed */
static int refused;             /* events are not allowed; under the lock */

uint32_t caml_ring_sample_rings(void)
{
  uint32_t room = EVENTRING_MAX_RINGS - EVENTRING_DOMAINS;
  return room < EVENTRING_SAMPLE_RINGS ? room : EVENTRING_SAMPLE_RINGS;
}

/* Finds the mapping of this process that has the byte at [address]: stores
   where it begins and ends in [s->low] and [s->high].  Stores 0 in both if it
   cannot be found.  Called in the handler: makes system calls only, and not by
   functions in which a thread can be cancelled. */
static void find_mapping(struct sampler *s, uintptr_t address)
{
  uintptr_t number[2] = { 0, 0 };
  unsigned field = 0;           /* 0, 1: an address; 2: the rest of the line */
  ssize_t n;
  s->low = s->high = 0;
  int fd = (int) syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
                         O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  while ((n = syscall(SYS_read, fd, s->line, sizeof(s->line))) > 0)
    for (ssize_t i = 0; i < n; i++) {
      char c = s->line[i];
      if (c == '\n') {
        if (address >= number[0] && address < number[1]) {
          s->low = number[0];
          s->high = number[1];
          syscall(SYS_close, fd);
          return;
        }
        field = 0;
        number[0] = number[1] = 0;
      } else if (field < 2) {
        if (c >= '0' && c <= '9')
          number[field] = number[field] << 4 | (uintptr_t) (c - '0');
        else if (c >= 'a' && c <= 'f')
          number[field] = number[field] << 4 | (uintptr_t) (c - 'a' + 10);
        else field++;
      }
    }
  syscall(SYS_close, fd);
}

/* Sets the timer of [s] to [ns] of ticks from now; 0 stops it.  It does not fire at
   once, when the thread may be in a system call.  Returns 1, or 0 on failure. */
static int set_timer(struct sampler *s, int64_t ns)
{
  const struct itimerspec spec = { { 0, GRAIN }, { 0, (long) ns } };
  return timer_settime(s->timer, 0, &spec, NULL) == 0;
}

/* The clocks of a thread, as the kernel numbers them: the ticks that hit it, which
   are its user and system time (CPUCLOCK_PROF), those that hit it in user mode
   (CPUCLOCK_VIRT), and its processor time (CPUCLOCK_SCHED). */
enum clock_kind { TICKS = 4, USER_TICKS = 5, PROCESSOR = 6 };

static clockid_t clock_of(int tid, enum clock_kind kind)
{
  return (clockid_t) (~(uint32_t) tid << 3 | (uint32_t) kind);
}

/* Returns the time of a clock in ns, or 0 if there is no such clock. */
static int64_t time_of(clockid_t clock)
{
  struct timespec t = { 0, 0 };
  clock_gettime(clock, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Ends the event of [s], if it has one. */
static void close_event(struct sampler *s)
{
  if (s->event != NULL) caml_ring_close_perf(atomic_exchange(&s->event, NULL));
}

/* Sets the timer of [s] to the first tick that ends more than [ns] after the last
   signal; [passed] ns of ticks are over since then.  Returns 1, or 0 on failure. */
static int pause_timer(struct sampler *s, uint64_t ns, int64_t passed)
{
  int64_t left = (ns < LONGEST_PAUSE ? (int64_t) ns : LONGEST_PAUSE) + 1 - passed;
  if (left < 1) left = 1;
  s->pause = passed + left;
  return set_timer(s, left);
}

/* Returns the ns between two ticks that are looked at for ticks in the kernel, on
   average. */
static uint64_t kernel_period(void)
{
  return KERNEL_PERIODS * caml_ring_sample_period();
}

/* Starts the timer of [s].  [whole]: all of the thread's time so far is sampled
   too.  Returns 1, or 0 on failure. */
COLD
static int start_timer(struct sampler *s, int whole)
{
  const int64_t ticks = time_of(clock_of(s->tid, TICKS));
  s->ticks = whole ? 0 : ticks;
  s->user_ticks = whole ? 0 : time_of(clock_of(s->tid, USER_TICKS));
  s->began = s->sampled = whole ? 0 : time_of(clock_of(s->tid, PROCESSOR));
  s->by_event = 0;
  s->thinning = (struct caml_ring_thinning) {
    .random = (uint64_t) s->tid << 32 ^ eventring_clock_ns(CLOCK_MONOTONIC)
  };
  /* The last ticks of a thread in the kernel have no sample; its first one
     represents as many more, on average. */
  s->thinning.kernel = (int64_t) kernel_period();
  s->armed = 1;
  return pause_timer(s, caml_ring_next_moment(&s->thinning,
                                              caml_ring_sample_period()),
                     ticks - s->ticks);
}

/* Integers in LEB128, as in a packed payload. */
struct packer {
  uint8_t *at, *end;
};

static int put(struct packer *p, uint64_t x)
{
  if (p->end - p->at < 10) return 0;
  for (; x > 0x7F; x >>= 7) *p->at++ = (uint8_t) (x | 0x80);
  *p->at++ = (uint8_t) x;
  return 1;
}

/* Writes an event of the calling thread with the payload in [s->words], which
   [*p] has packed. */
static void write_packed(struct sampler *s, struct writer *w, int record,
                         struct packer *p)
{
  uint8_t *begin = (uint8_t *) s->words;
  const caml_domain_state *domain = Caml_state_opt;
  while ((p->at - begin) % 8 != 0) *p->at++ = 0x80;
  if (domain != NULL) s->domain = domain->unique_id;
  caml_ring_write_sample(w, record, s->domain, (uint32_t) s->tid, s->words,
                         (uint32_t) ((p->at - begin) / 8));
}

/* Writes a sample of [ns] of processor time of the calling thread, which was
   interrupted in [context]. */
static void write_sample(struct sampler *s, struct writer *w, uint64_t ns,
                         const void *context)
{
  uint8_t *begin = (uint8_t *) s->words;
  struct packer p = { begin, begin + sizeof(s->words) };
  enum caml_eventring_stack state;
  /* The main thread's stack grows. */
  uintptr_t at = caml_ring_c_stack(context);
  if (at < s->low || at >= s->high) find_mapping(s, at);
  uint32_t n = caml_ring_unwind(context, s->low, s->high, &s->rows, s->frame,
                                MAX_FRAMES, &state);
  put(&p, ns);
  uint8_t *state_at = p.at;
  put(&p, 0);
  put(&p, caml_ring_self.request);
  uint64_t before = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t delta = s->frame[i] - before;
    if (!put(&p, delta >> 63 ? ~(delta << 1) : delta << 1)) {
      state = EV_STACK_DEEP;
      break;
    }
    before = s->frame[i];
  }
  *state_at = (uint8_t) state;
  write_packed(s, w, EV_CPU_SAMPLE, &p);
}

/* Leaves the [ns] of processor time of a sample out of the time that the thread
   has waited, if the thread is in a wait. */
static void exclude_from_wait(uint64_t ns)
{
  struct caml_ring_thread *self = &caml_ring_self;
  if (atomic_load_explicit(&self->in_wait, memory_order_relaxed))
    atomic_store_explicit(&self->wait_cpu, ns
      + atomic_load_explicit(&self->wait_cpu, memory_order_relaxed),
      memory_order_relaxed);
}

/* Returns 1 if samples are taken; else ends the signals for [s] and returns 0. */
static int is_wanted(struct sampler *s)
{
  if (session == 0 || !Caml_eventring_on(EVENTRING_PROFILE)) {
    set_timer(s, 0);
    close_event(s);
    s->alarm.wanted = 0;
    caml_ring_take_alarm(&s->alarm);
    s->armed = 0;
    used.is_broken = 1;
    return 0;
  }
  /* A program may compute for long without a probe that searches. */
  caml_domain_state *domain = Caml_state_opt;
  if (domain != NULL && eventring_clock_ns(CLOCK_MONOTONIC_COARSE) >= next)
    atomic_store_explicit(&domain->young_limit, (uintnat) -1,
                          memory_order_release);
  return 1;
}

/* Takes the ticks since the last signal of the timer of [s], and sets the timer to
   the next one that is wanted.  Returns the ns of processor time that a sample at
   the last of them represents; 0: it is no sample. */
static uint64_t take_ticks(struct sampler *s)
{
  struct caml_ring_thinning *t = &s->thinning;
  const int64_t ticks = time_of(clock_of(s->tid, TICKS));
  const int64_t user_ticks = time_of(clock_of(s->tid, USER_TICKS));
  const int64_t all = ticks - s->ticks, user = user_ticks - s->user_ticks;
  const int by_event = s->by_event;
  uint64_t ns = 0;
  s->ticks = ticks;
  s->user_ticks = user_ticks;
  s->by_event = s->event != NULL
                && time_of(CLOCK_THREAD_CPUTIME_ID) >= s->event_from;
  if (user > s->pause + 2 * LONGEST_TICK) {
    /* The signal of a tick in user mode would have come at once.  A search may have
       found the time already. */
    int64_t missing = time_of(CLOCK_THREAD_CPUTIME_ID) - s->sampled;
    if (missing > all) missing = all;
    if (missing > 0) {
      s->blocked += missing;
      s->sampled += missing;
    }
  } else if (by_event) {
    ns = caml_ring_thin_kernel(t, (uint64_t) all, all - user, kernel_period());
    if (ns != 0 && time_of(CLOCK_THREAD_CPUTIME_ID) - s->hit < HIT_NS) {
      t->shared += ns;
      ns = 0;
    }
  } else {
    ns = caml_ring_thin(t, (uint64_t) all);
    if (s->alarm.runs) {
      ns = 0;
      caml_ring_wake_alarm(&s->alarm);
    }
  }
  if (s->by_event && !by_event) {
    /* The event has the time of this tick, too. */
    ns = 0;
    t->look = caml_ring_random_gap(&t->random, kernel_period());
    t->take = 0;
  }
  pause_timer(s, s->by_event ? caml_ring_next_look(t)
                 : caml_ring_next_moment(t, caml_ring_sample_period()), 0);
  /* The event may have been closed meanwhile: see renew_event. */
  if (s->by_event && s->event == NULL) set_timer(s, 1);
  return ns;
}

/* Returns the ns that a sample at a hit of the event of [s] represents; 0: the event
   has been ended. */
static uint64_t take_hit(struct sampler *s)
{
  return s->event != NULL ? caml_ring_take_share(&s->thinning, s->event_period) : 0;
}

/* Returns the ns by which the samples of the thread of [s] may be behind its
   processor time, or ahead of it. */
static int64_t late(const struct sampler *s)
{
  const uint64_t period = s->by_event ? kernel_period()
                                      : caml_ring_sample_period();
  return (int64_t) (s->alarm.tid != 0 ? 2 * period : period) + LONGEST_TICK;
}

/* Returns [ns], or less if a sample of the thread of [s] cannot represent as
   much: a thread that works in step with the ticks may be hit too often. */
static uint64_t limit(struct sampler *s, uint64_t ns)
{
  /* See start_timer. */
  const int64_t ahead = s->by_event ? (int64_t) kernel_period() : 0;
  const int64_t most =
    time_of(CLOCK_THREAD_CPUTIME_ID) - s->sampled + late(s) + ahead;
  if ((int64_t) ns > most) ns = most > 0 ? (uint64_t) most : 0;
  s->sampled += (int64_t) ns;
  return ns;
}

/* Takes a ring of samples of the session [now] for the thread of [s], until
   give_back_rings.  There are fewer rings than threads can be: each begins with
   its own, which it shares with few others, since a block has the events of one
   thread.  Returns NULL when others have all rings. */
static struct writer *take_ring(const struct sampler *s, uint32_t now)
{
  const uint32_t rings = caml_ring_sample_rings();
  for (uint32_t i = 0; i < rings; i++) {
    const uint32_t index = ((uint32_t) (s - samplers) + i) % rings;
    struct writer *w = &caml_ring_writers[EVENTRING_DOMAINS + index];
    int nobody = 0;
    if (w->session == now && w->ring != NULL
        && atomic_compare_exchange_strong(&ring_users[index], &nobody, s->tid))
      return w;
  }
  return NULL;
}

/* Gives back what the thread [tid] has taken. */
static void give_back_rings(int tid)
{
  for (uint32_t i = 0; i < caml_ring_sample_rings(); i++)
    if (ring_users[i] == tid) ring_users[i] = 0;
}

/* Takes a sample of [ns] of processor time of the thread of [s].  Returns 1, or 0
   when there is no ring for it.  Not inlined: [has_room] is asked before. */
static __attribute__((noinline))
int take_sample(struct sampler *s, uint64_t ns, const void *context)
{
  const uint32_t now = session;
  struct writer *w = now != 0 ? take_ring(s, now) : NULL;
  if (w == NULL) return 0;
  write_sample(s, w, ns, context);
  give_back_rings(s->tid);
  exclude_from_wait(ns);
  return 1;
}

/* Stack that a sample needs, in bytes. */
#define SAMPLE_STACK 4096

/* Returns 1 if the stack that the handler runs on has room for a sample: a
   thread may have a small one, or a small alternate one. */
static int has_room(struct sampler *s, const ucontext_t *u)
{
  uintptr_t here = (uintptr_t) __builtin_frame_address(0);
  uintptr_t low = (uintptr_t) u->uc_stack.ss_sp;
  if (here < low || here - low >= u->uc_stack.ss_size) {
    /* The main thread's stack grows. */
    if (s->tid == (int) getpid()) return 1;
    if (here < s->low || here >= s->high) find_mapping(s, here);
    if (s->low == 0) return 1;
    low = s->low;
  }
  return here - low >= SAMPLE_STACK;
}

/* Returns the sampler that the signal is for, which may be none of the calling
   thread's: another process may send the signal, with any value.  NULL: none. */
static struct sampler *sampler_of(const siginfo_t *info)
{
  uintptr_t at = (uintptr_t) info->si_value.sival_ptr;
  uintptr_t offset = at - (uintptr_t) samplers;
  if (samplers == NULL) return NULL;
  if (info->si_code == POLL_IN) return caml_ring_self.sampler;
  if (info->si_code != SI_TIMER || offset >= SAMPLERS * sizeof(struct sampler))
    return NULL;
  const uintptr_t in_sampler = offset % sizeof(struct sampler);
  return in_sampler == 0 || in_sampler == offsetof(struct sampler, alarm)
         ? (struct sampler *) (at - in_sampler) : NULL;
}

/* Returns 1 if the signal, which is for [s], is of its alarm. */
static int is_alarm(const struct sampler *s, const siginfo_t *info)
{
  return info->si_code == SI_TIMER && info->si_value.sival_ptr == &s->alarm;
}

/* Handles the signal of timers and events. */
static void handler(int signal, siginfo_t *info, void *context)
{
  int err = errno;
  (void) signal;
  struct sampler *s = sampler_of(info);
  if (s != NULL && s->tid == (int) syscall(SYS_gettid)) {
    uint64_t ns = 0;
    atomic_store(&s->busy, 1);
    caml_ring_self.sampler = s;
    /* It may have been released meanwhile. */
    if (s->tid == (int) caml_ring_os_thread_id() && is_wanted(s)) {
      ns = info->si_code == POLL_IN ? take_hit(s)
         : is_alarm(s, info) ? caml_ring_take_alarm(&s->alarm) : take_ticks(s);
      if (ns != 0) ns = limit(s, ns);
    }
    if (ns != 0) {
      const int room = has_room(s, context);
      if (!room || !take_sample(s, ns, context)) {
        __atomic_fetch_add(&HEADER->samples_dropped, 1, __ATOMIC_RELAXED);
        *(room ? &s->no_ring : &s->no_room) += (int64_t) ns;
      } else if (info->si_code == SI_TIMER && !is_alarm(s, info)) {
        s->by_ticks += (int64_t) ns;
      }
    }
    if (info->si_code == POLL_IN) s->hit = time_of(CLOCK_THREAD_CPUTIME_ID);
    atomic_store(&s->busy, 0);
  }
  errno = err;
}

/* Returns 1 if the handler is still installed. */
COLD
static int is_installed(void)
{
  struct sigaction now;
  return sigaction(signal_number, NULL, &now) == 0
    && now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler;
}

/* Installs the handler, for SIGURG or else for a real-time signal, the first
   that the program has not taken.  A program that resets all signals is killed
   by a real-time signal, and not by SIGURG.  Returns 1, or 0 on failure. */
COLD
static int install(void)
{
  if (signal_number != 0) return 1;
  for (int i = SIGRTMAX; i > SIGRTMIN; i--) {
    int n = i == SIGRTMAX ? SIGURG : i;
    struct sigaction now, ours = { .sa_sigaction = handler };
    if (sigaction(n, NULL, &now) != 0 || now.sa_flags & SA_SIGINFO
        || now.sa_handler != SIG_DFL) continue;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    /* A fault in the ring file is handled within it. */
    sigdelset(&ours.sa_mask, SIGBUS);
    sigdelset(&ours.sa_mask, SIGSEGV);
    if (sigaction(n, &ours, NULL) == 0) {
      signal_number = n;
      return 1;
    }
  }
  return 0;
}

/* Returns the ns of processor time that the thread of [s] has used; after its end,
   the ns that are sampled. */
static int64_t used_by(const struct sampler *s)
{
  const int64_t ns = time_of(clock_of(s->tid, PROCESSOR));
  return ns != 0 ? ns : s->sampled;
}

/* Moves the counts of the handler in [s] to [used]. */
COLD
static void take_counts(struct sampler *s)
{
  used.ns[CPU_SIGNALS_BLOCKED] += (uint64_t) atomic_exchange(&s->blocked, 0);
  used.ns[CPU_NO_ROOM] += (uint64_t) atomic_exchange(&s->no_room, 0);
  used.ns[CPU_NO_RING] += (uint64_t) atomic_exchange(&s->no_ring, 0);
  used.ns[CPU_BY_TICKS] += (uint64_t) atomic_exchange(&s->by_ticks, 0);
}

/* Frees the entry [s], whose thread has ended or does not want it any more. */
COLD
static void release(struct sampler *s)
{
  used.ended += s->sampled - s->began;
  take_counts(s);
  timer_delete(s->timer);
  close_event(s);
  caml_ring_close_alarm(&s->alarm);
  s->armed = s->calm = 0;
  /* It may have ended in the handler, if it was cancelled. */
  give_back_rings(s->tid);
  s->tid = 0;
}

COLD
void caml_ring_release_samplers(void)
{
  for (uint32_t i = 0; i < samplers_end && samplers != NULL; i++)
    if (samplers[i].tid != 0) release(&samplers[i]);
}

/* Finds out whether the thread of [s] seldom waits, for an event or an alarm, and sets
   [s->calm]. */
COLD
static void judge(struct sampler *s)
{
  const int64_t now = time_of(clock_of(s->tid, PROCESSOR));
  const int64_t since = now - s->judged_at;
  if (since < (s->judged_at == 0 ? FIRST_JUDGED_NS : JUDGED_NS)) return;
  const uint64_t voluntary =
    caml_ring_thread_status(s->tid, "\nvoluntary_ctxt_switches", 10);
  const uint64_t involuntary =
    caml_ring_thread_status(s->tid, "\nnonvoluntary_ctxt_switches", 10);
  const uint64_t switches = voluntary + involuntary;
  const uint32_t sections = s->alarm.sections;
  s->calm = refused
    ? (uint64_t) (sections - s->sections) * NS_A_SECTION < (uint64_t) since
    : voluntary != UINT64_MAX && involuntary != UINT64_MAX
      && (switches - s->switches) * NS_A_SWITCH < (uint64_t) since;
  s->judged_at = now;
  s->switches = switches;
  s->sections = sections;
}

/* Opens an event or an alarm for the thread of [s], if it may have one and has none
   with the present period.  Ends one that it may not have.  Call with the session's lock
   held. */
COLD
static void renew_event(struct sampler *s)
{
  static uint64_t seed;
  const uint64_t period =
    (uint64_t) (PERF_SHARE * (double) caml_ring_sample_period());
  void *event = NULL;
  if (refused && !caml_ring_config.alarms) return;
  judge(s);
  if (refused) {
    if (s->calm && s->alarm.tid == 0)
      caml_ring_open_alarm(&s->alarm, s->tid, signal_number);
    s->alarm.wanted = s->calm;
    return;
  }
  if (s->event != NULL && (!s->calm || s->event_period != period)) {
    close_event(s);
    /* Ticks have all of the time again. */
    set_timer(s, 1);
  }
  if (!s->calm || s->event != NULL) return;
  if (!caml_ring_open_perf(s->tid, signal_number, period, &event)) refused = 1;
  if (event == NULL) return;
  s->event_period = period;
  /* The rest of a period after the last hit has no sample; ticks have as much of
     the first period, on average. */
  s->event_from = time_of(clock_of(s->tid, PROCESSOR))
                  + (int64_t) caml_ring_random_below(&seed, period);
  s->event = event;
}

/* Makes the ring ready that take_ring tries first for [s]. */
COLD
static void prepare_ring(const struct sampler *s)
{
  const uint32_t rings = caml_ring_sample_rings();
  if (rings == 0) return;
  const uint32_t index = (uint32_t) (s - samplers) % rings;
  const uint32_t slot = EVENTRING_DOMAINS + index;
  if (caml_ring_writers[slot].session == caml_ring_session.number) return;
  /* Others take it when it is allocated. */
  ring_users[index] = (int) caml_ring_os_thread_id();
  caml_ring_prepare_ring((int) slot);
  ring_users[index] = 0;
}

enum arming { ARMED, NO_ENTRY, NO_TIMER };

static int timer_error;         /* the errno of the last NO_TIMER */

/* Returns ARMED if [error], of a call for the timer of the thread [tid], means that
   the thread has ended; else NO_TIMER.  A system that has no such timers says EINVAL
   too, of threads that are there. */
COLD
static enum arming without_timer(int tid, int error)
{
  if (error == ESRCH
      || (error == EINVAL && syscall(SYS_tgkill, getpid(), tid, 0) != 0))
    return ARMED;
  timer_error = error;
  return NO_TIMER;
}

/* Starts the timer of the thread [tid]; creates it, and takes an entry for it,
   if the thread has none.  [whole]: see start_timer, for a new entry.  A thread
   that has ended is ARMED too.  Call with the session's lock held. */
COLD
static enum arming arm(int tid, int whole)
{
  struct sampler *s = NULL;
  for (uint32_t i = 0; i < samplers_end; i++) {
    if (samplers[i].tid == tid) {
      s = &samplers[i];
      break;
    }
    if (s == NULL && samplers[i].tid == 0) s = &samplers[i];
  }
  if (s == NULL && samplers_end < SAMPLERS) s = &samplers[samplers_end++];
  if (s == NULL) return NO_ENTRY;
  if (s->tid == tid) {
    s->seen = search;
    if (s->armed) {
      renew_event(s);
      return ARMED;
    }
    used.ended += used_by(s) - s->began;
    if (start_timer(s, 0)) return ARMED;
    release(s);                 /* another thread had this id */
  }
  prepare_ring(s);
  struct sigevent event = { .sigev_signo = signal_number };
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_value.sival_ptr = s;
  event._sigev_un._tid = tid;
  if (timer_create(clock_of(tid, TICKS), &event, &s->timer) != 0)
    return without_timer(tid, errno);
  s->domain = NOBODY;
  s->low = s->high = 0;
  s->blocked = s->no_room = s->no_ring = s->by_ticks = s->judged_at = 0;
  s->switches = s->sections = 0;
  s->alarm.sections = 0;
  s->seen = search;
  s->tid = tid;
  if (start_timer(s, whole)) return ARMED;
  const enum arming missed = without_timer(tid, errno);
  release(s);
  return missed;
}

/* Makes all ready for samples of the present session.  Returns 1, or 0 on
   failure.  Call with the session's lock held. */
COLD
static int prepare(void)
{
  if (!caml_ring_session.started) return 0;
  if (samplers == NULL) {
    const size_t size = SAMPLERS * sizeof(struct sampler)
                        + EVENTRING_SAMPLE_RINGS * sizeof(*ring_users);
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return 0;
    madvise(map, size, MADV_WIPEONFORK);
    samplers = map;
    ring_users = (_Atomic int *) (samplers + SAMPLERS);
  }
  if (signal_number != 0 && !is_installed()) {
    /* The program has taken the signal. */
    caml_ring_stop_samples();
    caml_ring_release_samplers();
    signal_number = 0;
  }
  if (!install()) return 0;
  /* A real-time signal that cannot be queued would become SIGIO. */
  if (signal_number != SIGURG || !caml_ring_config.perf) refused = 1;
  uint32_t now = caml_ring_session.number;
  if (session != now) {
    for (uint32_t i = 0; i < samplers_end; i++)
      if (samplers[i].tid != 0) prepare_ring(&samplers[i]);
    session = now;
    used.is_broken = 1;
  }
  return 1;
}

/* Returns the ns of processor time of all threads that have or had a sampler, but
   for a constant. */
COLD
static int64_t known_time(void)
{
  int64_t ns = used.ended;
  for (uint32_t i = 0; i < samplers_end; i++)
    if (samplers[i].tid != 0) ns += used_by(&samplers[i]) - samplers[i].began;
  return ns;
}

/* Starts [used], when samples begin. */
COLD
static void begin_used(void)
{
  memset(used.ns, 0, sizeof(used.ns));
  used.seen = time_of(CLOCK_PROCESS_CPUTIME_ID);
  used.known = known_time();
  used.ended_before = used.ended;
  used.unknown = 0;
}

/* Writes [used] to a ring of samples, if the calling thread is sampled.  The
   handler does not run: signals are blocked. */
COLD
static void write_used(void)
{
  const int tid = (int) caml_ring_os_thread_id();
  for (uint32_t i = 0; i < samplers_end; i++) {
    struct sampler *s = &samplers[i];
    struct writer *w;
    if (s->tid != tid || (w = take_ring(s, session)) == NULL) continue;
    uint8_t *begin = (uint8_t *) s->words;
    struct packer p = { begin, begin + sizeof(s->words) };
    for (int field = 0; field < CPU_USED_FIELDS; field++)
      put(&p, used.ns[field]);
    write_packed(s, w, EV_CPU_USED, &p);
    give_back_rings(tid);
    memset(used.ns, 0, sizeof(used.ns));
    return;
  }
}

/* Returns whether [ns] without samples may be chance, of [all] ns with a sample for
   each [step] ns: they are less than three standard deviations. */
static int is_random(int64_t ns, int64_t step, int64_t all)
{
  return (double) ns * (double) ns < 9 * (double) step * (double) all;
}

/* Returns whether the thread of [s] blocks the signal of samples.  [own_mask] is of
   the calling thread, which blocks all signals at present. */
COLD
static int blocks_samples(const struct sampler *s, const sigset_t *own_mask)
{
  if (s->tid == (int) caml_ring_os_thread_id())
    return sigismember(own_mask, signal_number) == 1;
  /* The handler blocks them, too. */
  if (s->busy) return 0;
  const uint64_t blocked = caml_ring_thread_status(s->tid, "\nSigBlk", 16);
  return blocked != UINT64_MAX && (blocked >> (signal_number - 1) & 1) != 0
         && !s->busy;
}

/* Adds the processor time since the last search to [used], with the causes of time
   without samples.  Time that belongs to no thread that is alive is [unknown]. */
COLD
static void note_used(enum cpu_used unknown, const sigset_t *own_mask)
{
  const int64_t period = (int64_t) caml_ring_sample_period();
  const int64_t least = 2 * (period + LONGEST_TICK);
  for (uint32_t i = 0; i < samplers_end; i++) {
    struct sampler *s = &samplers[i];
    if (s->tid == 0 || !s->armed) continue;
    take_counts(s);
    const int64_t all = used_by(s), ns = all - s->sampled;
    if (ns <= 2 * late(s)) continue;
    const enum cpu_used cause = blocks_samples(s, own_mask)
                                ? CPU_SIGNALS_BLOCKED : CPU_BETWEEN_SAMPLES;
    if (cause == CPU_BETWEEN_SAMPLES
        && is_random(ns, s->by_event ? late(s) : LONGEST_TICK, all - s->began))
      continue;
    used.ns[cause] += (uint64_t) ns;
    s->sampled += ns;
  }
  const int64_t known = known_time(), now = time_of(CLOCK_PROCESS_CPUTIME_ID);
  used.ns[CPU_TIME] += now - used.seen;
  used.unknown += now - used.seen - (known - used.known);
  used.seen = now;
  used.known = known;
  if (used.unknown > least
      && !is_random(used.unknown, period, used.ended - used.ended_before)) {
    used.ns[unknown] += (uint64_t) used.unknown;
    used.unknown = 0;
  }
  write_used();
}

/* Starts the timers of all threads of the process that have none, and frees the
   entries of threads that have ended.  Call with the session's lock held. */
COLD
static void arm_all(const sigset_t *own_mask)
{
  DIR *tasks = opendir("/proc/self/task");
  enum arming missed = ARMED;
  int whole = 0, found = 0;
  search++;
  /* While samples are taken, a thread without a timer is a new one. */
  for (uint32_t i = 0; i < samplers_end && !whole; i++) whole = samplers[i].armed;
  if (atomic_exchange(&used.is_broken, 0)) whole = 0;
  struct dirent *d;
  while (tasks != NULL && (d = readdir(tasks)) != NULL) {
    int tid = atoi(d->d_name);
    enum arming a = tid > 0 ? arm(tid, whole) : ARMED;
    if (a != ARMED) missed = a;
    found |= tid > 0;
  }
  if (tasks != NULL) closedir(tasks);
  /* The system, or a filter of system calls, does not list the threads. */
  if (!found) {
    missed = arm((int) syscall(SYS_gettid), whole);
  } else {
    for (uint32_t i = 0; i < samplers_end; i++) {
      const int tid = samplers[i].tid;
      /* A directory that changes may leave out a thread that lives. */
      if (tid != 0 && samplers[i].seen != search
          && time_of(clock_of(tid, PROCESSOR)) == 0) {
        release(&samplers[i]);
        /* See release. */
        samplers[i].busy = 0;
      }
    }
  }
  if (whole)
    note_used(!found || missed != ARMED ? CPU_NOT_FOUND : CPU_ENDED,
              own_mask);
  else begin_used();
  static int said;
  if (missed != ARMED && !said) {
    said = 1;
    if (missed == NO_TIMER)
      caml_eventring_complain("cannot create a timer for each thread (%s); some"
                              " have no samples", timer_error == EAGAIN
                              ? "ulimit -i" : strerror(timer_error));
    else
      caml_eventring_complain("samples of at most %d threads are taken; the"
                              " others have none", SAMPLERS);
  }
}

/* Blocks signals, and stores in [*before] which were blocked before: a
   handler of the program that forks would wait for a lock of ours. */
COLD
static void hold_signals(sigset_t *before)
{
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGSEGV);
  pthread_sigmask(SIG_BLOCK, &all, before);
}

/* Lets the signal of samples through in the backup thread of a domain, which blocks
   all signals: it takes part in collections while the domain waits. */
COLD
static void admit_samples(void)
{
  sigset_t ours;
  if (signal_number == 0) return;
  caml_ring_self.admits_samples = 1;
  if (!caml_bt_is_self()) return;
  sigemptyset(&ours);
  sigaddset(&ours, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

/* Makes all threads known, and starts their timers.  [wait]: also when another thread
   has the session's lock. */
COLD
static void search_threads(int wait)
{
  sigset_t before;
  hold_signals(&before);
  caml_ring_note_mappings();
  if (Caml_eventring_on(EVENTRING_PROFILE)
      && (wait ? pthread_mutex_lock(&caml_ring_session_lock)
               : pthread_mutex_trylock(&caml_ring_session_lock)) == 0) {
    if (prepare()) arm_all(&before);
    pthread_mutex_unlock(&caml_ring_session_lock);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Makes the alarm of the calling thread known to it, and runs it. */
static void take_alarm_of_self(void)
{
  struct sampler *s = caml_ring_self.sampler;
  if (s == NULL || s->tid != (int) caml_ring_os_thread_id() || caml_bt_is_self())
    return;
  caml_ring_self.alarm = &s->alarm;
  caml_ring_run_alarm();
}

/* When to search is [next], or in a new session, which is not [searched]. */
#define SEARCH_NS 100000000
static _Atomic uint32_t searched;

COLD
void caml_eventring_sample_threads(void)
{
  int64_t now = eventring_clock_ns(CLOCK_MONOTONIC_COARSE);
  int64_t due = next;
  if (!caml_ring_self.admits_samples) admit_samples();
  if (caml_ring_config.alarms) take_alarm_of_self();
  if (now < due && searched == caml_ring_session.number) return;
  if (caml_ring_left_behind()) return;
  if (!atomic_compare_exchange_strong(&next, &due, now + SEARCH_NS)) return;
  searched = caml_ring_session.number;
  search_threads(0);
}

COLD
void caml_ring_begin_samples(void)
{
  const struct sampler *s = caml_ring_self.sampler;
  if (!Caml_eventring_on(EVENTRING_PROFILE) || caml_ring_left_behind()) return;
  /* Its next signal has the others found. */
  if (s != NULL && s->armed && s->tid == (int) caml_ring_os_thread_id()
      && session == caml_ring_session.number) return;
  next = eventring_clock_ns(CLOCK_MONOTONIC_COARSE) + SEARCH_NS;
  searched = caml_ring_session.number;
  search_threads(1);
}

COLD
void caml_eventring_sample_self(void)
{
  sigset_t before;
  hold_signals(&before);
  pthread_mutex_lock(&caml_ring_session_lock);
  if (prepare()) arm((int) caml_ring_os_thread_id(), 1);
  pthread_mutex_unlock(&caml_ring_session_lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

COLD
void caml_ring_end_cpu_used(void)
{
  sigset_t before;
  hold_signals(&before);
  if (Caml_eventring_on(EVENTRING_PROFILE) && samplers != NULL
      && pthread_mutex_trylock(&caml_ring_session_lock) == 0) {
    note_used(CPU_ENDED, &before);
    pthread_mutex_unlock(&caml_ring_session_lock);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

COLD
void caml_ring_stop_samples(void)
{
  if (samplers == NULL) return;
  session = 0;
  /* A handler that began before has seen the session.  One whose thread was
     cancelled does not end. */
  for (uint32_t i = 0; i < samplers_end; i++)
    while (samplers[i].busy
           && time_of(clock_of(samplers[i].tid, PROCESSOR)) != 0)
      sched_yield();
}

#else /* !EVENTRING_SAMPLES */

uint32_t caml_ring_sample_rings(void)
{
  return 0;
}

COLD
void caml_eventring_sample_threads(void)
{
  static _Atomic int said;
  if (!said && !atomic_exchange(&said, 1))
    caml_eventring_complain("samples of processor time are supported in native"
                            " code on Linux, x86-64 and arm64, only");
}

COLD
void caml_eventring_sample_self(void)
{
  caml_eventring_sample_threads();
}

COLD
void caml_ring_begin_samples(void)
{
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_threads();
}

void caml_ring_stop_samples(void) { }
void caml_ring_end_cpu_used(void) { }
void caml_ring_release_samplers(void) { }

#endif
