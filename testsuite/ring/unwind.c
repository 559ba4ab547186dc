/* Stacks of C code, found from signal handlers by the sampler's unwinder
   (runtime/eventring_unwind.c), without OCaml: see unwind.t.  Prints TAP. */

#define CAML_INTERNALS
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#include "caml/eventring.h"
#include "caml/domain.h"
#include "eventring_internal.h"

/* Of OCaml's runtime; there is no OCaml code. */
CAMLthread_local caml_domain_state *caml_state;
uintnat caml_max_stack_wsize;
char caml_call_realloc_stack[1], caml_call_gc[1], caml_c_call_stack_args[1],
  caml_start_program[1], caml_system__code_begin[1], caml_perform[1],
  caml_resume[1], caml_runstack[1], caml_system__code_end[1];

#define MAX 256
static uintptr_t low, high;             /* the stack */
static struct caml_ring_rows rows;
static uint64_t frame[MAX];
static uint32_t frames;
static enum caml_eventring_stack state;

static void find(void *context)
{
  frames = caml_ring_unwind(context, low, high, &rows, frame, MAX, &state);
}

static int tests;

static void ok(int good, const char *name)
{
  printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
}

/* Stops at a known place: a leaf function writes to address 0, below functions
   that note their return addresses. */

static void *noted[16];
static int notes;
static sigjmp_buf out;
static int *volatile nowhere;

static void fault(int number, siginfo_t *info, void *context)
{
  (void) number;
  (void) info;
  find(context);
  siglongjmp(out, 1);
}

#define NOTE() (noted[notes++] = __builtin_return_address(0))

/* Has no frame: its return address is in a register on arm64. */
__attribute__((noinline)) static int leaf(int n)
{
  *nowhere = n;
  return n + 1;
}

__attribute__((noinline)) static int with_array(int n)
{
  NOTE();
  volatile char room[n];
  memset((char *) room, n, sizeof(room));
  return leaf(n) + room[n / 2];
}

__attribute__((noinline)) static int many_arguments(int a, int b, int c, int d,
                                                    int e, int f, int g, int h,
                                                    int i, int j)
{
  NOTE();
  return with_array(a + b + c + d + e + f + g + h + i + j) + j;
}

static int compare(const void *a, const void *b)
{
  NOTE();
  int x = *(const int *) a, y = *(const int *) b;
  return many_arguments(x, y, 3, 4, 5, 6, 7, 8, 9, 10) + x - y;
}

__attribute__((noinline)) static void sorts(void)
{
  NOTE();
  int numbers[20];
  for (int i = 0; i < 20; i++) numbers[i] = i * 7 % 20;
  qsort(numbers, 20, sizeof(int), compare);
}

/* Returns 1 if the noted return addresses, the last first, are among the
   frames, in this order. */
static int has_notes(void)
{
  int n = notes;
  for (uint32_t i = 1; i < frames && n > 0; i++)
    if (frame[i] == (uintptr_t) noted[n - 1]) n--;
  return n == 0;
}

/* Stops at any place, compared with the compiler's own unwinder. */

static volatile int stops, incomplete, different, early;

struct reference {
  uint32_t n;
  int on;
};

static _Unwind_Reason_Code next(struct _Unwind_Context *context, void *data)
{
  struct reference *r = data;
  uint64_t pc = _Unwind_GetIP(context);
  if (pc == frame[0]) r->on = 1;
  if (!r->on || pc == 0) return _URC_NO_REASON;
  if (r->n >= frames || frame[r->n] != pc) {
    different++;
    return _URC_END_OF_STACK;
  }
  r->n++;
  return _URC_NO_REASON;
}

static void tick(int number, siginfo_t *info, void *context)
{
  (void) number;
  (void) info;
  find(context);
  struct reference r = { 0, 0 };
  stops++;
  if (state != EV_STACK_COMPLETE) incomplete++;
  int before = different;
  _Unwind_Backtrace(next, &r);
  /* It does not know the linkage table of arm64. */
  if (different == before && r.n < frames) early++;
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

__attribute__((noinline)) static double work(int depth)
{
  if (depth > 0) return work(depth - 1) + 1;
  double numbers[200];
  char text[100];
  for (int i = 0; i < 200; i++) numbers[i] = sin(i) * 100 + pow(i, 1.1);
  qsort(numbers, 200, sizeof(double), by_value);
  snprintf(text, sizeof(text), "%f %d %s", numbers[3], depth, "abc");
  char *copy = strdup(text);
  double x = strtod(copy, NULL);
  free(copy);
  return x;
}

static void on(int number, void (*handler)(int, siginfo_t *, void *))
{
  struct sigaction action = { .sa_sigaction = handler };
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(number, &action, NULL);
}

int main(int argc, char **argv)
{
  int wanted = argc > 1 ? atoi(argv[1]) : 1000;
  pthread_attr_t attributes;
  void *stack = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0
      || pthread_attr_getstack(&attributes, &stack, &size) != 0) return 1;
  low = (uintptr_t) stack;
  high = low + size;

  on(SIGSEGV, fault);
  if (sigsetjmp(out, 1) == 0) sorts();
  ok(state == EV_STACK_COMPLETE, "a leaf's stack is found up to its end");
  ok(notes == 4 && has_notes(),
     "with the callers that noted their return addresses, and a library's");
  signal(SIGSEGV, SIG_DFL);

  on(SIGALRM, tick);
  struct itimerval each = { { 0, 1000 }, { 0, 1000 } };
  setitimer(ITIMER_REAL, &each, NULL);
  double sum = 0;
  while (stops < wanted) sum += work(stops % 20);
  memset(&each, 0, sizeof(each));
  setitimer(ITIMER_REAL, &each, NULL);
  printf("# %d stops, %d incomplete, %d different, %d that the compiler's"
         " unwinder left early (%g)\n",
         stops, incomplete, different, early, sum);
  ok(incomplete == 0, "stacks of stops at any place are found up to their end");
  ok(different == 0 && early * 10 < stops,
     "they are those that the compiler's unwinder finds");
  printf("1..%d\n", tests);
}
