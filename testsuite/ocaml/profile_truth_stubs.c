#define CAML_INTERNALS
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <caml/alloc.h>
#include <caml/bigarray.h>
#include <caml/callback.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>
#include "eventring_internal.h"

/* The truth that samples are compared with.

   Each thread keeps a shadow stack: the numbers of the functions that it is in,
   in words that this file and profile_truth.ml share.  Each fiber has its own;
   a thread's shadow stack is that of its current fiber above that of the
   fiber's parent, and so on.

   The program's sigaction puts [front] before the profiler's handler: it writes
   a copy of the interrupted thread's shadow stack to the file $TRUTH, and makes
   its number the thread's request.  So the sample's request tells which copy
   belongs to it.

   After truth_step(limit) the thread is interrupted after each of its next
   [limit] instructions, and sampled there. */

/* Words of a thread. */
enum { CURRENT, SWITCHING, TARGET, FIBERS = 8 };
/* Words of a fiber: IDS has the numbers of its functions. */
enum { USED, DEPTH, PARENT, IDS, FIBER = 1024 };
enum { THREADS = 8, FIBERS_OF_THREAD = 64,
       THREAD = FIBERS + FIBERS_OF_THREAD * FIBER };

static intnat shadow[THREADS * THREAD];

value truth_shadow(value unit)
{
  (void) unit;
  return caml_ba_alloc_dims(CAML_BA_CAML_INT | CAML_BA_C_LAYOUT, 1, shadow,
                            (intnat) (sizeof(shadow) / sizeof(shadow[0])));
}

static __thread intnat *mine;   /* the words of this thread */
static __thread siginfo_t last; /* the signal that the profiler got last */
static __thread long steps;     /* to be made, and 1; 0: not stepping */

/* Takes words for the calling thread, with one fiber, which has no parent;
   returns the index of the first. */
value truth_register(value unit)
{
  static _Atomic int threads;
  int n = threads++;
  (void) unit;
  if (n >= THREADS) abort();
  intnat *words = shadow + n * THREAD;
  words[CURRENT] = 0;
  words[FIBERS + USED] = 1;
  words[FIBERS + PARENT] = -1;
  /* From here on a signal walks them. */
  atomic_signal_fence(memory_order_seq_cst);
  mine = words;
  return Val_long(n * THREAD);
}

/* Returns the index of the calling thread's first word. */
value truth_self(value unit)
{
  (void) unit;
  return Val_long(mine == NULL ? -1 : mine - shadow);
}

/* The copies */

enum { FIRST = 1000000, ROOM = 1 << 28 };
static uint8_t *copies;
static _Atomic size_t filled;
static _Atomic int number = FIRST;

static size_t big;      /* bytes of a block that is stepped when freed */

static void open_copies(void)
{
  if (getenv("STEP_FREE") != NULL) big = (size_t) atol(getenv("STEP_FREE"));
  int fd = open(getenv("TRUTH"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, ROOM) != 0) abort();
  copies = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (copies == MAP_FAILED) abort();
  close(fd);
}

/* Writes a copy of this thread's shadow stack: its number, the length of the
   ids, the state of a switch, the length of the shorter stack that the switch
   may have led to, and the ids from the innermost on, with a zero after each
   fiber.  Returns the number; 0 if there is no room. */
static int copy(void)
{
  struct { int32_t number; uint16_t length, switching, target, stepped; } head;
  static __thread uint8_t ids[4096];    /* the signal stack is small */
  unsigned n = 0;
  for (intnat f = mine[CURRENT]; f >= 0;) {
    const intnat *fiber = mine + FIBERS + f * FIBER;
    for (intnat i = fiber[DEPTH]; i > 0; i--)
      if (n < sizeof(ids)) ids[n++] = (uint8_t) fiber[IDS + i - 1];
    if (n < sizeof(ids)) ids[n++] = 0;
    f = fiber[PARENT];
  }
  size_t at = atomic_fetch_add(&filled, sizeof(head) + n);
  if (at + sizeof(head) + n > ROOM) return 0;
  head.length = (uint16_t) n;
  head.switching = (uint16_t) mine[SWITCHING];
  head.target = (uint16_t) mine[TARGET];
  head.stepped = steps > 0;
  head.number = number++;
  memcpy(copies + at + sizeof(head), ids, n);
  memcpy(copies + at, &head, sizeof(head));
  return head.number;
}

static void (*profiler)(int, siginfo_t *, void *);

static void front(int signal, siginfo_t *info, void *context)
{
  if (mine == NULL || info->si_code != SI_TIMER) {
    profiler(signal, info, context);
    return;
  }
  siginfo_t ours = *info;
  last = ours;
  int n = copy();
  if (n == 0) return;
  caml_ring_self.request = (uint64_t) n;
  profiler(signal, &ours, context);
  caml_ring_self.request = 0;
}

/* Every sigaction of the program comes here. */
int sigaction(int signal, const struct sigaction *restrict new,
              struct sigaction *restrict old)
{
  int (*real)(int, const struct sigaction *, struct sigaction *) =
    (int (*)(int, const struct sigaction *, struct sigaction *))
      dlsym(RTLD_NEXT, "sigaction");
  if (new == NULL || (signal != SIGURG && signal < SIGRTMIN)
      || !(new->sa_flags & SA_SIGINFO)) {
    int result = real(signal, new, old);
    if (old != NULL && old->sa_sigaction == front) old->sa_sigaction = profiler;
    return result;
  }
  struct sigaction ours = *new;
  open_copies();
  profiler = new->sa_sigaction;
  ours.sa_sigaction = front;
  return real(signal, &ours, old);
}

/* The clock of the ticks of a thread goes on by 0.1 ms whenever it is read, so that
   each signal is a sample. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
  static _Atomic long reads;
  static int (*real)(clockid_t, struct timespec *);
  if (clock < 0 && (clock & 7) == 4) {
    const long n = atomic_fetch_add(&reads, 1);
    time->tv_sec = n / 10000;
    time->tv_nsec = n % 10000 * 100000;
    return 0;
  }
  if (real == NULL)
    real = (int (*)(clockid_t, struct timespec *))
      dlsym(RTLD_NEXT, "clock_gettime");
  return real(clock, time);
}

/* A signal stack of the same size, with a page below that cannot be touched. */
int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
  int (*real)(const stack_t *, stack_t *) =
    (int (*)(const stack_t *, stack_t *)) dlsym(RTLD_NEXT, "sigaltstack");
  if (new == NULL || new->ss_flags & SS_DISABLE) return real(new, old);
  stack_t ours = *new;
  size_t size = (ours.ss_size + 4095) / 4096 * 4096;
  char *map = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || mprotect(map, 4096, PROT_NONE) != 0) return -1;
  ours.ss_sp = map + 4096 + size - ours.ss_size;
  return real(&ours, old);
}

/* Single steps */

enum { TRAP = 0x100 };          /* the flag of the processor */

static void stepped(int signal, siginfo_t *info, void *context)
{
  ucontext_t *u = context;
  (void) signal;
  (void) info;
  front(last.si_signo, &last, context);
  if (steps > 1) steps--;
  else u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t) TRAP;
}

static void begin(long limit)
{
  struct sigaction trap = { .sa_sigaction = stepped };
  trap.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&trap.sa_mask);
  sigdelset(&trap.sa_mask, SIGSEGV);
  sigdelset(&trap.sa_mask, SIGBUS);
  sigaction(SIGTRAP, &trap, NULL);
  /* The timer goes on; its first signal tells the sampler of this thread. */
  while (*(volatile int *) &last.si_signo == 0) { }
  steps = limit + 1;
  __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP);
}

__attribute__((noinline, noclone)) value truth_step(value limit)
{
  begin(Long_val(limit));
  return Val_unit;
}

/* Returns how many of the steps are left, and makes one more at most: [stepped]
   clears the flag. This function cannot: gcc's call frame information does not
   know that it pushes the flags, so stacks of that moment would be wrong. */
__attribute__((noinline, noclone)) value truth_stop(value unit)
{
  (void) unit;
  long left = steps - 1;
  steps = 0;
  return Val_long(left);
}

/* Linked in place of the runtime's search for threads without a timer, which
   would take most of the steps. */
void __wrap_caml_eventring_sample_threads(void)
{
  void __real_caml_eventring_sample_threads(void);
  if (steps == 0) __real_caml_eventring_sample_threads();
}

/* Linked in place of the runtime's function that enters a plugin's frames into
   the table: with STEP_FRAMES, it is stepped. */
void __wrap_caml_register_frametables(void **table, int n)
{
  void __real_caml_register_frametables(void **, int);
  if (getenv("STEP_FRAMES") != NULL) begin(atol(getenv("STEP_FRAMES")));
  __real_caml_register_frametables(table, n);
  truth_stop(Val_unit);
}

/* Linked in place of the runtime's function that frees memory: with STEP_FREE,
   a block of at least so many bytes is overwritten first, and the code that
   follows is stepped. */
void __wrap_caml_stat_free(void *block)
{
  void __real_caml_stat_free(void *);
  if (block != NULL && big > 0 && malloc_usable_size(block) >= big) {
    memset(block, 0x5A, malloc_usable_size(block));
    __real_caml_stat_free(block);
    begin(100);
  } else __real_caml_stat_free(block);
}

/* Functions to be sampled */

__attribute__((noinline, noclone)) static void truth_spin(long n)
{
  for (volatile long i = 0; i < n; i++) { }
}

__attribute__((noinline, noclone)) value truth_noalloc(value n)
{
  truth_spin(Long_val(n));
  return Val_unit;
}

__attribute__((noinline, noclone)) value truth_alloc(value n)
{
  CAMLparam1(n);
  CAMLlocal1(list);
  for (long i = 0; i < Long_val(n); i++) {
    value cell = caml_alloc_small(2, 0);
    Field(cell, 0) = Val_long(i);
    Field(cell, 1) = list == Val_unit ? Val_emptylist : list;
    list = cell;
  }
  CAMLreturn(list);
}

__attribute__((noinline, noclone)) value truth_block(value n)
{
  long spin = Long_val(n);
  caml_enter_blocking_section();
  truth_spin(spin);
  caml_leave_blocking_section();
  return Val_unit;
}

__attribute__((noinline, noclone)) value truth_callback(value f, value x)
{
  CAMLparam2(f, x);
  value result = caml_callback(f, x);
  truth_spin(20);
  CAMLreturn(result);
}
