#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <caml/callback.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>
#include <caml/threads.h>

value perf_forbid(value unit)
{
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  };
  struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
  (void) unit;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
      || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    abort();
  return Val_unit;
}

/* Takes the sampler's signal three times, by sigwait. */
value perf_take(value unit)
{
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  sigprocmask(SIG_BLOCK, &set, NULL);
  for (int taken = 0; taken < 3; taken++) {
    int signal;
    /* The timer counts the time in which the thread works. */
    do sigpending(&pending); while (!sigismember(&pending, SIGURG));
    if (sigwait(&set, &signal) != 0 || signal != SIGURG) abort();
  }
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  return unit;
}

/* Sleeps for 5 ms.  Returns whether that is interrupted. */
static int nap(void)
{
  const struct timespec time = { 0, 5000000 };
  return nanosleep(&time, NULL) != 0;
}

value perf_nap(value unit)
{
  (void) unit;
  caml_enter_blocking_section();
  const int interrupted = nap();
  caml_leave_blocking_section();
  return Val_bool(interrupted);
}

/* A thread of C that calls OCaml code, and sleeps while OCaml does not know it. */
static void *calls_and_naps(void *interrupted)
{
  for (int i = 0; i < 60; i++) {
    if (!caml_c_thread_register()) abort();
    caml_acquire_runtime_system();
    caml_callback(*caml_named_value("work"), Val_int(30));
    caml_release_runtime_system();
    if (!caml_c_thread_unregister()) abort();
    *(int *) interrupted |= nap();
  }
  return NULL;
}

value perf_thread(value unit)
{
  pthread_t thread;
  int interrupted = 0;
  (void) unit;
  caml_enter_blocking_section();
  if (pthread_create(&thread, NULL, calls_and_naps, &interrupted) != 0) abort();
  pthread_join(thread, NULL);
  caml_leave_blocking_section();
  return Val_bool(interrupted);
}
