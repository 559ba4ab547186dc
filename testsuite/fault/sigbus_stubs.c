#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <caml/mlvalues.h>

/* SIGBUS handlers of a program, and a mapping that is none of Eventring's. */

static volatile int count;
static char *foreign;
static struct sigaction older;

static void replace(void)
{
  if (mmap(foreign, 4096, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    _exit(43);
}

static void mend(int signal, siginfo_t *info, void *context)
{
  (void) signal;
  (void) context;
  count++;
  if (info->si_code <= 0) return;
  if (info->si_addr != foreign) _exit(42);
  replace();
}

static void plain(int signal)
{
  (void) signal;
  count++;
  replace();
}

static void chain(int signal, siginfo_t *info, void *context)
{
  count++;
  older.sa_sigaction(signal, info, context);
}

static void quit(int signal)
{
  (void) signal;
  _exit(42);
}

value test_handle(value how)
{
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_flags = SA_ONSTACK;
  if (strcmp(String_val(how), "none") == 0) return Val_unit;
  if (strcmp(String_val(how), "mend") == 0) {
    action.sa_sigaction = mend;
    action.sa_flags |= SA_SIGINFO;
  } else if (strcmp(String_val(how), "once") == 0) {
    action.sa_handler = plain;
    action.sa_flags |= SA_RESETHAND;
  } else if (strcmp(String_val(how), "plain") == 0) {
    action.sa_handler = plain;
  } else if (strcmp(String_val(how), "quit") == 0) {
    action.sa_handler = quit;
  } else if (strcmp(String_val(how), "chain") == 0) {
    action.sa_sigaction = chain;
    action.sa_flags |= SA_SIGINFO;
  } else if (strcmp(String_val(how), "ignore") == 0) {
    action.sa_handler = SIG_IGN;
  } else if (strcmp(String_val(how), "default") == 0) {
    action.sa_handler = SIG_DFL;
  }
  sigaction(SIGBUS, &action, &older);
  return Val_unit;
}

/* Twice, since a handler may be for one fault. */
value test_foreign_fault(value unit)
{
  char name[] = "foreign.XXXXXX";
  int fd = mkstemp(name);
  unlink(name);
  if (ftruncate(fd, 4096) != 0) abort();
  for (int i = 0; i < 2; i++) {
    foreign = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) != 0) abort();
    foreign[0] = 1;
    if (ftruncate(fd, 4096) != 0) abort();
  }
  close(fd);
  return unit;
}

value test_send_bus(value unit)
{
  kill(getpid(), SIGBUS);
  return unit;
}

/* All but the control page, which would be zeros: a pause. */
value test_punch(value path, value size)
{
  int fd = open(String_val(path), O_RDWR);
  if (fd < 0 || fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                          65536, Long_val(size)) != 0) abort();
  close(fd);
  return Val_unit;
}

value test_cut_at_once(value path)
{
  if (truncate(String_val(path), 0) != 0) { /* not traced */ }
  return Val_unit;
}

value test_handled(value unit)
{
  (void) unit;
  return Val_int(count);
}
