#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Executes itself while a signal that would kill it is pending and blocked, and
   then unblocks the signal.  With "timer" the signal is one of a timer of
   processor time, which the kernel drops at an exec; with "sent" one that a
   thread has sent, which stays pending. */
int main(int argc, char **argv)
{
  int number = SIGRTMAX - 1;
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, number);
  if (argc < 2) return 2;
  if (strcmp(argv[1], "unblock") == 0)
    return sigprocmask(SIG_UNBLOCK, &set, NULL) != 0;
  sigprocmask(SIG_BLOCK, &set, NULL);
  if (strcmp(argv[1], "timer") == 0) {
    struct sigevent event = { .sigev_signo = number };
    struct itimerspec soon = { { 0, 0 }, { 0, 1000000 } };
    timer_t timer;
    event.sigev_notify = SIGEV_THREAD_ID;
    event._sigev_un._tid = (int) syscall(SYS_gettid);
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0
        || timer_settime(timer, 0, &soon, NULL) != 0) return 2;
  } else if (syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number) != 0) {
    return 2;
  }
  do {
    if (sigpending(&pending) != 0) return 2;
  } while (!sigismember(&pending, number));
  execl(argv[0], argv[0], "unblock", (char *) NULL);
  return 2;
}
