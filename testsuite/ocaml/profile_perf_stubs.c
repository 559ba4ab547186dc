#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <caml/mlvalues.h>

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
