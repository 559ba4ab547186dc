/* For windows.ml: names that C registers, in a thread that OCaml does not
   know, and a fork that the runtime's own functions do not make. */

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <caml/eventring.h>
#include <caml/mlvalues.h>

static int names;

static void *register_all(void *unused)
{
  char name[32];
  for (int i = 0; i < names; i++) {
    snprintf(name, sizeof name, "name %d", i);
    caml_eventring_register_span(name);
  }
  return unused;
}

value test_register_in_thread(value count)
{
  pthread_t thread;
  names = Int_val(count);
  if (pthread_create(&thread, NULL, register_all, NULL) == 0)
    pthread_detach(thread);
  return Val_unit;
}

/* How many of the names are found under another number the second time, or not
   registered. */
value test_register_names(value count)
{
  int id[1000], wrong = 0;
  char name[32];
  alarm(20);
  for (int again = 0; again < 2; again++)
    for (int i = 0; i < Int_val(count); i++) {
      snprintf(name, sizeof name, "name %d", i);
      int now = caml_eventring_register_span(name);
      if (now <= 0 || (again && now != id[i])) wrong++;
      for (int j = 0; !again && j < i; j++) wrong += now == id[j];
      id[i] = now;
    }
  return Val_int(wrong > 100 ? 100 : wrong);
}

static int forks;

static void fork_and_wait(int signal)
{
  (void) signal;
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  int status = 1;
  waitpid(pid, &status, 0);
  if (pid > 0 && status == 0) forks++;
}

value test_fork_on_alarm(value unit)
{
  struct sigaction action = { .sa_handler = fork_and_wait,
                              .sa_flags = SA_RESTART | SA_ONSTACK };
  sigaction(SIGALRM, &action, NULL);
  return unit;
}

value test_forks(value unit)
{
  (void) unit;
  return Val_int(forks);
}

value test_fork(value unit)
{
  (void) unit;
  return Val_int(fork());
}

value test_wait(value pid)
{
  int status = 0;
  waitpid(Int_val(pid), &status, 0);
  return Val_int(WIFEXITED(status) ? WEXITSTATUS(status)
                                   : 128 + WTERMSIG(status));
}
