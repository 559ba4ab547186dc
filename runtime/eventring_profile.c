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
   the thread that is running.  A timer on this clock sends a signal at each tick
   that hits its thread:

       tick --> timer --> signal handler --> stack (eventring_unwind.c)
                                               --> ring of the thread

   The kernel looks at such timers at its ticks only, whatever they count.  One
   that fires once a period would fire at the first tick after it, which depends
   on what the thread has done; so it fires at each, and eventring_thinning.h says
   which become samples.  A thread that waits gets no signals, and the kernel sends
   these on its way back to the program, so no system call is interrupted.

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

/* The period of the timers in ns: several in the shortest tick, so that the number
   of them that are over tells the length of a tick, which may be in part another
   machine's. */
#define GRAIN 250000

/* The ns of a tick where there are 100 a second, the fewest. */
#define LONGEST_TICK 10000000

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
  uint64_t before;              /* ns of ticks before the timer started */
  int64_t sampled;              /* ns of processor time that samples represent */
  /* From here on, only the handler. */
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
   yet.  The first have the rings of samples, by the same index. */
static struct sampler *samplers;

/* The session that samples are written to; 0: none.  The handler sets [busy]
   before it looks; who sets 0 waits until nobody is busy. */
static _Atomic uint32_t session;

static uint32_t search;         /* number of the last search for threads */
static _Atomic int64_t next;    /* when to search; CLOCK_MONOTONIC_COARSE ns */

static int signal_number;       /* 0: the handler is not installed */

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

/* Sets the timer of [s] to [ns], again and again; 0 stops it.  Returns 1, or 0
   on failure. */
static int set_timer(struct sampler *s, long ns)
{
  const struct itimerspec spec = { { 0, ns }, { 0, ns } };
  return timer_settime(s->timer, 0, &spec, NULL) == 0;
}

/* The clocks of a thread, as the kernel numbers them: the ticks that hit it, which
   are its user and system time (CPUCLOCK_PROF), and its processor time
   (CPUCLOCK_SCHED). */
enum clock_kind { TICKS = 4, PROCESSOR = 6 };

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

/* Starts the timer of [s].  [whole]: all of the thread's time so far is sampled
   too.  Returns 1, or 0 on failure. */
COLD
static int start_timer(struct sampler *s, int whole)
{
  s->before = whole ? (uint64_t) time_of(clock_of(s->tid, TICKS)) : 0;
  s->sampled = whole ? 0 : time_of(clock_of(s->tid, PROCESSOR));
  s->thinning = (struct caml_ring_thinning) {
    .random = (uint64_t) s->tid << 32 ^ eventring_clock_ns(CLOCK_MONOTONIC)
  };
  s->armed = 1;
  return set_timer(s, GRAIN);
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

/* Writes a sample of [ns] of processor time of the calling thread, which was
   interrupted in [context]. */
static void write_sample(struct sampler *s, struct writer *w, uint64_t ns,
                         const void *context)
{
  uint8_t *begin = (uint8_t *) s->words;
  struct packer p = { begin, begin + sizeof(s->words) };
  enum caml_eventring_stack state;
  const caml_domain_state *domain = Caml_state_opt;
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
  while ((p.at - begin) % 8 != 0) *p.at++ = 0x80;
  if (domain != NULL) s->domain = domain->unique_id;
  caml_ring_write_sample(w, s->domain, (uint32_t) s->tid, s->words,
                         (uint32_t) ((p.at - begin) / 8));
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

/* Takes [ns] of processor time of the thread of [s], one tick or several.
   Returns the ns that a sample at them represents, or 0: there is none to be
   taken. */
static uint64_t take_ticks(struct sampler *s, uint64_t ns)
{
  if (session == 0 || !Caml_eventring_on(EVENTRING_PROFILE)) {
    set_timer(s, 0);
    s->armed = 0;
    return 0;
  }
  /* A program may compute for long without a probe that searches. */
  caml_domain_state *domain = Caml_state_opt;
  if (domain != NULL && eventring_clock_ns(CLOCK_MONOTONIC_COARSE) >= next)
    atomic_store_explicit(&domain->young_limit, (uintnat) -1,
                          memory_order_release);
  const uint64_t period = caml_ring_sample_period();
  ns = caml_ring_thin(&s->thinning, ns + s->before, period);
  s->before = 0;
  if (ns == 0) return 0;
  /* A thread that works in step with the ticks may be hit too often. */
  const int64_t most = time_of(CLOCK_THREAD_CPUTIME_ID) - s->sampled
                       + (int64_t) period + LONGEST_TICK;
  if ((int64_t) ns > most) ns = most > 0 ? (uint64_t) most : 0;
  s->sampled += (int64_t) ns;
  return ns;
}

/* Takes a sample of [ns] of processor time of the thread of [s].  Returns 1, or 0
   when the thread has no ring.  Not inlined: [has_room] is asked before. */
static __attribute__((noinline))
int take_sample(struct sampler *s, uint64_t ns, const void *context)
{
  uint32_t index = (uint32_t) (s - samplers), now = session;
  if (now == 0 || index >= caml_ring_sample_rings()) return 0;
  struct writer *w = &caml_ring_writers[EVENTRING_DOMAINS + index];
  if (w->session != now || w->ring == NULL) return 0;
  write_sample(s, w, ns, context);
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

/* Handles the signal of the timers. */
static void handler(int signal, siginfo_t *info, void *context)
{
  int err = errno;
  (void) signal;
  uintptr_t at = (uintptr_t) info->si_value.sival_ptr;
  uintptr_t offset = at - (uintptr_t) samplers;
  /* Another process may send the signal, with any value. */
  if (info->si_code == SI_TIMER && samplers != NULL
      && offset < SAMPLERS * sizeof(struct sampler)
      && offset % sizeof(struct sampler) == 0) {
    struct sampler *s = (struct sampler *) at;
    if (s->tid == (int) syscall(SYS_gettid)) {
      atomic_store(&s->busy, 1);
      uint64_t ns = take_ticks(s, (1 + (uint64_t) (unsigned) info->si_overrun)
                                  * GRAIN);
      if (ns != 0 && !(has_room(s, context) && take_sample(s, ns, context)))
        __atomic_fetch_add(&HEADER->samples_dropped, 1, __ATOMIC_RELAXED);
      atomic_store(&s->busy, 0);
    }
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

/* Frees the entry [s], whose thread has ended or does not want it any more. */
COLD
static void release(struct sampler *s)
{
  timer_delete(s->timer);
  s->armed = 0;
  s->tid = 0;
}

/* Starts the timer of the thread [tid]; creates it, and takes an entry for it,
   if the thread has none.  [whole]: see start_timer, for a new entry.
   Returns 1, also if the thread has ended; 0 when there is no timer or no entry
   left.  Call with the session's lock held. */
COLD
static int arm(int tid, int whole)
{
  struct sampler *s = NULL;
  for (uint32_t i = 0; i < SAMPLERS; i++) {
    if (samplers[i].tid == tid) {
      s = &samplers[i];
      break;
    }
    if (s == NULL && samplers[i].tid == 0) s = &samplers[i];
  }
  if (s == NULL) return 0;
  if (s->tid == tid) {
    s->seen = search;
    if (s->armed) return 1;
    if (start_timer(s, 0)) return 1;
    release(s);                 /* another thread had this id */
  }
  uint32_t index = (uint32_t) (s - samplers);
  if (index < caml_ring_sample_rings())
    caml_ring_prepare_ring((int) (EVENTRING_DOMAINS + index));
  struct sigevent event = { .sigev_signo = signal_number };
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_value.sival_ptr = s;
  event._sigev_un._tid = tid;
  if (timer_create(clock_of(tid, TICKS), &event, &s->timer) != 0)
    return errno != EAGAIN;     /* else the thread has just ended */
  s->domain = NOBODY;
  s->low = s->high = 0;
  s->seen = search;
  s->tid = tid;
  if (!start_timer(s, whole)) release(s);
  return 1;
}

/* Makes all ready for samples of the present session.  Returns 1, or 0 on
   failure.  Call with the session's lock held. */
COLD
static int prepare(void)
{
  if (!caml_ring_session.started) return 0;
  if (samplers == NULL) {
    void *map = mmap(NULL, SAMPLERS * sizeof(struct sampler),
                     PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return 0;
    madvise(map, SAMPLERS * sizeof(struct sampler), MADV_WIPEONFORK);
    samplers = map;
  }
  if (signal_number != 0 && !is_installed()) {
    /* The program has taken the signal. */
    for (uint32_t i = 0; i < SAMPLERS; i++)
      if (samplers[i].tid != 0) release(&samplers[i]);
    signal_number = 0;
  }
  if (!install()) return 0;
  uint32_t now = caml_ring_session.number;
  if (session != now) {
    for (uint32_t i = 0; i < caml_ring_sample_rings(); i++)
      if (samplers[i].tid != 0)
        caml_ring_prepare_ring((int) (EVENTRING_DOMAINS + i));
    session = now;
  }
  return 1;
}

/* Starts the timers of all threads of the process that have none, and frees the
   entries of threads that have ended.  Call with the session's lock held. */
COLD
static void arm_all(void)
{
  DIR *tasks = opendir("/proc/self/task");
  int missed = 0, whole = 0;
  search++;
  /* While samples are taken, a thread without a timer is a new one. */
  for (uint32_t i = 0; i < SAMPLERS && !whole; i++) whole = samplers[i].armed;
  if (tasks == NULL) {
    missed = !arm((int) syscall(SYS_gettid), whole);
  } else {
    struct dirent *d;
    while ((d = readdir(tasks)) != NULL) {
      int tid = atoi(d->d_name);
      if (tid > 0 && !arm(tid, whole)) missed = 1;
    }
    closedir(tasks);
    for (uint32_t i = 0; i < SAMPLERS; i++)
      if (samplers[i].tid != 0 && samplers[i].seen != search) {
        release(&samplers[i]);
        /* It may have been cancelled in the handler. */
        samplers[i].busy = 0;
      }
  }
  static int said;
  if (missed && !said) {
    said = 1;
    caml_eventring_complain("cannot create a timer for each thread"
                            " (ulimit -i); some have no samples");
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

COLD
void caml_eventring_sample_threads(void)
{
  static _Atomic uint32_t last;         /* the session of the last search */
  int64_t now = eventring_clock_ns(CLOCK_MONOTONIC_COARSE);
  int64_t due = next;
  if (now < due && last == caml_ring_session.number) return;
  if (caml_ring_left_behind()) return;
  if (!atomic_compare_exchange_strong(&next, &due, now + 100000000)) return;
  last = caml_ring_session.number;
  sigset_t before;
  hold_signals(&before);
  caml_ring_note_mappings();
  if (Caml_eventring_on(EVENTRING_PROFILE)
      && pthread_mutex_trylock(&caml_ring_session_lock) == 0) {
    if (prepare()) arm_all();
    pthread_mutex_unlock(&caml_ring_session_lock);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
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
void caml_ring_stop_samples(void)
{
  if (samplers == NULL) return;
  session = 0;
  /* A handler that began before has seen the session. */
  for (uint32_t i = 0; i < SAMPLERS; i++)
    while (samplers[i].busy) sched_yield();
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

void caml_ring_stop_samples(void) { }

#endif
