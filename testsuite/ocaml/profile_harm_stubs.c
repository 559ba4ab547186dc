#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

/* How many times as long as in the gate all runs. */
static int times(void)
{
  const char *times = getenv("EVENTRING_HARM_TIMES");
  return times == NULL || *times == '\0' ? 1 : atoi(times);
}

value harm_times(value unit)
{
  (void) unit;
  return Val_int(times());
}

static long cpu_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

value test_cpu_ns(value unit)
{
  (void) unit;
  return Val_long(cpu_ns());
}

static void burn(long ms)
{
  long until = cpu_ns() + ms * 1000000;
  while (cpu_ns() < until)
    for (volatile int i = 0; i < 1000; i++) { }
}

value harm_reset_signals(value unit)
{
  (void) unit;
  for (int n = 1; n <= SIGRTMAX; n++)
    if (n != SIGSEGV && n != SIGBUS) signal(n, SIG_DFL);
  return Val_unit;
}

/* A thread that works and then sleeps: is the sleep interrupted? */
static _Atomic long interrupted;

static void *sleeper(void *arg)
{
  struct timespec wait = { 0, 300000000 };
  burn(30);
  if (nanosleep(&wait, NULL) != 0 && errno == EINTR) interrupted++;
  return arg;
}

static void start(void *(*f)(void *))
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, f, NULL) != 0) abort();
  pthread_detach(thread);
}

value harm_sleeper(value unit)
{
  (void) unit;
  start(sleeper);
  return Val_unit;
}

value harm_interrupted(value unit)
{
  (void) unit;
  return Val_long(interrupted);
}

/* A fork in a signal handler, often */

/* Once more after each child: where a fork takes longer than the interval, the
   program still goes on between two of them. */
static void on_alarm(int signal)
{
  int err = errno;
  struct itimerval again = { { 0, 0 }, { 0, 3000 } };
  (void) signal;
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid(pid, NULL, 0);
  setitimer(ITIMER_REAL, &again, NULL);
  errno = err;
}

static void *idle(void *arg)
{
  pause();
  return arg;
}

value harm_fork_on_alarm(value unit)
{
  struct sigaction action = { .sa_handler = on_alarm,
                              .sa_flags = SA_RESTART | SA_ONSTACK };
  struct itimerval first = { { 0, 0 }, { 0, 3000 } };
  (void) unit;
  for (int i = 0; i < 50; i++) start(idle);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &first, NULL);
  return Val_unit;
}

value harm_end_alarms(value unit)
{
  /* Exiting takes locks of the C library, for which a fork would wait for ever. */
  signal(SIGALRM, SIG_IGN);
  return unit;
}

/* Children that need the loader's lock */

static _Atomic long hung;

static int nothing(struct dl_phdr_info *info, size_t size, void *arg)
{
  (void) info;
  (void) size;
  (void) arg;
  return 0;
}

static void *fork_for_ever(void *arg)
{
  for (;;) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
      alarm(2);
      dl_iterate_phdr(nothing, NULL);
      _exit(0);
    }
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status)) hung++;
  }
  return arg;
}

value harm_fork_for_ever(value unit)
{
  (void) unit;
  start(fork_for_ever);
  return Val_unit;
}

value harm_hung(value unit)
{
  (void) unit;
  return Val_long(hung);
}

/* Little stack */

static __attribute__((noinline)) void use(size_t size)
{
  volatile char block[size + 1];
  memset((char *) block, 1, size + 1);
  burn(250 * times());
}

static void *user(void *size)
{
  use((size_t) size);
  return NULL;
}

static void run(void *(*f)(void *), void *arg, size_t stack)
{
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (stack > 0) pthread_attr_setstacksize(&attributes, stack);
  caml_enter_blocking_section();
  if (pthread_create(&thread, &attributes, f, arg) != 0) abort();
  pthread_join(thread, NULL);
  caml_leave_blocking_section();
}

value harm_small_stack(value used)
{
  run(user, (void *) Long_val(used), PTHREAD_STACK_MIN);
  return Val_unit;
}

static long overwritten;

static void *alternate(void *size)
{
  char *map = mmap(NULL, 32768, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack = { .ss_sp = map + 16384, .ss_size = (size_t) size };
  memset(map, 0x5A, 16384);
  if (sigaltstack(&stack, NULL) != 0) abort();
  burn(250 * times());
  overwritten = 0;
  for (int i = 0; i < 16384; i++) overwritten += map[i] != 0x5A;
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, NULL);
  munmap(map, 32768);
  return NULL;
}

value harm_overwritten(value size)
{
  run(alternate, (void *) Long_val(size), 0);
  return Val_long(overwritten);
}

/* A thread that is cancelled where it cannot be: it computes with a mutex, and then
   frees it.  Returns whether the mutex is free. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *cancelled(void *arg)
{
  pthread_mutex_lock(&mutex);
  pthread_cancel(pthread_self());
  burn(250 * times());
  pthread_mutex_unlock(&mutex);
  pthread_testcancel();
  return arg;
}

value harm_mutex_is_free(value unit)
{
  (void) unit;
  run(cancelled, NULL, 0);
  return Val_bool(pthread_mutex_trylock(&mutex) == 0);
}

value harm_load(value path)
{
  static void *library;
  library = dlopen(String_val(path), RTLD_NOW);
  if (library == NULL) abort();
  return Val_unit;
}
