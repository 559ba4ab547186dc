// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c
/* If this breaks, a killed program is taken for a running one or the reverse,
   or `eventring ... PID` finds another file than the process's, or none. */

#define _GNU_SOURCE

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "ring_test.h"

/* A field of /proc/PID/stat, counted from 1. */
static uint64_t stat_field(pid_t pid, int number)
{
  char path[64], text[2048], *field;
  size_t n;
  FILE *f;
  snprintf(path, sizeof path, "/proc/%d/stat", (int) pid);
  f = fopen(path, "r");
  assert_non_null(f);
  n = fread(text, 1, sizeof text - 1, f);
  text[n] = 0;
  fclose(f);
  field = strrchr(text, ')');
  assert_non_null(field);
  for (int i = 2; i < number; i++) {
    field = strchr(field + 1, ' ');
    assert_non_null(field);
  }
  return strtoull(field, NULL, 10);
}

static int state_of(struct ring_file *f)
{
  struct eventring_cursor *c = ring_open(f);
  int state = eventring_state(c);
  eventring_close(c);
  return state;
}

static void state_in_the_file(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  (void) state;
  ring_create(&f, &(struct ring_options) { .state = EVENTRING_RUNNING });
  assert_int_equal(state_of(&f), EVENTRING_STATE_RUNNING);
  c = ring_open(&f);
  f.header->state = EVENTRING_ENDED;
  assert_int_equal(eventring_state(c), EVENTRING_STATE_ENDED);
  assert_int_equal(state_of(&f), EVENTRING_STATE_ENDED);
  f.header->state = EVENTRING_REPLACED;
  assert_int_equal(eventring_state(c), EVENTRING_STATE_REPLACED);
  assert_int_equal(state_of(&f), EVENTRING_STATE_REPLACED);
  assert_int_equal(eventring_state(NULL), EVENTRING_E_ARGUMENT);
  eventring_close(c);
  ring_destroy(&f);
}

static void threads_run_and_sleep(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  cpu_set_t all, one;
  pid_t child;
  (void) state;
  ring_create(&f, &(struct ring_options) { .state = EVENTRING_RUNNING });
  c = ring_open(&f);
  assert_int_equal(eventring_thread_state(c, (uint32_t) getpid()), 'R');
  assert_int_equal(eventring_thread_state(c, 0), 0);
  assert_int_equal(eventring_thread_state(c, UINT32_MAX), 0);
  assert_int_equal(eventring_thread_state(NULL, (uint32_t) getpid()), 0);
  eventring_close(c);
  ring_destroy(&f);

  /* On one processor, where the child comes last. */
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  child = fork();
  if (child == 0) {
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param) { 0 });
    for (;;) pause();
  }
  ring_create(&f, &(struct ring_options) {
                .state = EVENTRING_RUNNING, .pid = (uint32_t) child });
  c = ring_open(&f);
  for (int ms = 0; ms < 10000
       && eventring_thread_state(c, (uint32_t) child) != 'S'; ms++)
    usleep(1000);
  assert_int_equal(eventring_thread_state(c, (uint32_t) child), 'S');
  /* Killed, it runs to its end, but not yet while this process runs. */
  kill(child, SIGKILL);
  while (waitpid(child, NULL, WNOHANG) == 0) {
    const char dying = eventring_thread_state(c, (uint32_t) child);
    assert_true(dying == 0 || dying == 'X' || dying == 'Z');
  }
  assert_int_equal(eventring_thread_state(c, (uint32_t) child), 0);
  sched_setaffinity(0, sizeof all, &all);
  eventring_close(c);
  ring_destroy(&f);
}

/* Starts a process that waits until it is killed, or this process ends. */
static pid_t start_waiting(void)
{
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  assert_true(child > 0);
  return child;
}

static void end(pid_t child)
{
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

static void another_process_of_the_number(void **state)
{
  struct ring_file f;
  pid_t child = start_waiting();
  (void) state;
  ring_create(&f, &(struct ring_options) {
                .state = EVENTRING_RUNNING, .pid = (uint32_t) child });
  f.header->start_time = stat_field(child, 22) + 1;
  assert_int_equal(state_of(&f), EVENTRING_STATE_KILLED);
  f.header->start_time = 0;
  assert_int_equal(state_of(&f), EVENTRING_STATE_RUNNING);
  ring_destroy(&f);
  ring_create(&f, &(struct ring_options) {
                .state = EVENTRING_RUNNING, .other_boot = 1 });
  assert_int_equal(state_of(&f), EVENTRING_STATE_KILLED);
  ring_destroy(&f);
  end(child);
}

static void another_program_by_exec(void **state)
{
  struct ring_file f;
  pid_t child = start_waiting();
  uint64_t stack = stat_field(child, 28);
  (void) state;
  if (stack == 0) {
    end(child);
    skip();
  }
  ring_create(&f, &(struct ring_options) {
                .state = EVENTRING_RUNNING, .pid = (uint32_t) child });
  f.header->start_stack = stack;
  assert_int_equal(state_of(&f), EVENTRING_STATE_RUNNING);
  f.header->start_stack = stack + 4096;
  assert_int_equal(state_of(&f), EVENTRING_STATE_REPLACED);
  ring_destroy(&f);
  end(child);
}

/* An emulator shows a start and a stack to its program that are not those of
   the process, which has the file mapped for writing. */
static void emulated_process(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  pid_t child;
  (void) state;
  ring_create(&f, &(struct ring_options) { .state = EVENTRING_RUNNING });
  child = start_waiting();
  f.header->pid = (uint32_t) child;
  f.header->start_time = stat_field(child, 22) + 5;
  f.header->start_stack = stat_field(child, 28) + 4096;
  c = ring_open(&f);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_RUNNING);
  end(child);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_KILLED);
  eventring_close(c);
  ring_destroy(&f);
}

static void killed_process(void **state)
{
  struct ring_file f;
  struct eventring_cursor *c;
  struct eventring_event ev[4];
  siginfo_t info;
  pid_t child = fork();
  (void) state;
  if (child == 0) for (;;) pause();
  ring_create(&f, &(struct ring_options) {
                .state = EVENTRING_RUNNING, .pid = (uint32_t) child });
  f.header->start_time = stat_field(child, 22);
  ring_count(&f, 0, 1, 256, 1);
  c = ring_open(&f);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_RUNNING);
  kill(child, SIGKILL);
  /* First a zombie, then nothing. */
  assert_int_equal(waitid(P_PID, (id_t) child, &info, WEXITED | WNOWAIT), 0);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_KILLED);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_int_equal(eventring_state(c), EVENTRING_STATE_KILLED);
  assert_int_equal(eventring_read(c, ev, 4), 1);
  assert_int_equal(state_of(&f), EVENTRING_STATE_KILLED);
  eventring_close(c);
  ring_destroy(&f);
}

/* Opening by process */

static int open_pid(int32_t pid, const char *dir, char why[512])
{
  struct eventring_cursor *c;
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = 512 };
  int err = eventring_open_pid(pid, dir, &o, &c);
  if (err == 0) snprintf(why, 512, "%s", eventring_path(c));
  else assert_null(c);
  assert_null(strchr(why, '\n'));
  eventring_close(c);
  return err;
}

static void found_in_a_directory(void **state)
{
  struct ring_file f;
  char why[512];
  (void) state;
  ring_create(&f, NULL);
  assert_int_equal(open_pid(getpid(), f.dir, why), 0);
  assert_string_equal(why, f.path);
  assert_int_equal(open_pid(getppid(), f.dir, why), EVENTRING_E_NOT_FOUND);
  assert_non_null(strstr(why, "OCAML_EVENTRING_START=1"));
  assert_non_null(strstr(why, f.dir));
  assert_int_equal(open_pid(getpid(), "/no/such/dir", why),
                   EVENTRING_E_NOT_FOUND);
  assert_int_equal(open_pid(0, NULL, why), EVENTRING_E_ARGUMENT);
  assert_int_equal(open_pid(-1, NULL, why), EVENTRING_E_ARGUMENT);
  ring_destroy(&f);
}

/* This test's own process has the file mapped. */
static void found_by_its_mapping(void **state)
{
  struct ring_file f;
  char why[512];
  (void) state;
  ring_create(&f, NULL);
  assert_int_equal(open_pid(getpid(), NULL, why), 0);
  assert_string_equal(why, f.path);
  ring_destroy(&f);
}

/* Returns whether the environment of process [pid] begins with OTHER. */
static bool is_started(pid_t pid)
{
  char path[64], text[6] = "";
  snprintf(path, sizeof path, "/proc/%d/environ", (int) pid);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  const size_t n = fread(text, 1, sizeof text, f);
  fclose(f);
  return n == sizeof text && memcmp(text, "OTHER=", n) == 0;
}

/* Starts a program that sleeps, with [variable] in its environment and [dir]
   as its directory; not back before the system has its environment. */
static pid_t start(const char *dir, const char *variable)
{
  const pid_t child = fork();
  if (child == 0) {
    char *const arguments[] = { "sleep", "100", NULL };
    char *const environment[] =
      { "OTHER=1", (char *) variable, "LAST=OCAML_EVENTRING_PREFIX=/x", NULL };
    if (chdir(dir) == 0) execve("/bin/sleep", arguments, environment);
    _exit(1);
  }
  while (!is_started(child)) {
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    sched_yield();
  }
  return child;
}

static void stop(pid_t child)
{
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

/* Makes [f] belong to process [child], and opens it by this process id. */
static int open_of(const struct ring_file *f, pid_t child, char why[512])
{
  char path[512];
  int err;
  snprintf(path, sizeof path, "%s/%d%s", f->dir, (int) child,
           EVENTRING_SUFFIX);
  assert_int_equal(link(f->path, path), 0);
  err = open_pid(child, NULL, why);
  unlink(path);
  stop(child);
  return err;
}

static void found_by_its_environment(void **state)
{
  static const char *const names[] =
    { "OCAML_EVENTRING_PREFIX", "OCAML_RUNTIME_EVENTS_DIR" };
  struct ring_file f;
  char variable[256], why[512];
  (void) state;
  ring_create(&f, NULL);
  for (int i = 0; i < 2; i++) {
    snprintf(variable, sizeof variable, "%s=%s", names[i], f.dir);
    assert_int_equal(open_of(&f, start("/", variable), why), 0);
    assert_non_null(strstr(why, f.dir));
    /* A name that is seen from where the program works. */
    snprintf(variable, sizeof variable, "%s=.%s", names[i], f.dir);
    assert_int_equal(open_of(&f, start("/", variable), why), 0);
    assert_non_null(strstr(why, f.dir));
  }
  ring_destroy(&f);
}

static void found_in_its_working_directory(void **state)
{
  struct ring_file f;
  char why[512];
  (void) state;
  ring_create(&f, NULL);
  assert_int_equal(open_of(&f, start(f.dir, "X=1"), why), 0);
  ring_destroy(&f);
}

static void found_in_our_working_directory(void **state)
{
  struct ring_file f;
  char why[512], back[512];
  pid_t child = fork();
  (void) state;
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  ring_create(&f, &(struct ring_options) {
                .pid = (uint32_t) child, .state = EVENTRING_RUNNING });
  assert_non_null(getcwd(back, sizeof back));
  assert_int_equal(chdir(f.dir), 0);
  assert_int_equal(open_pid(child, NULL, why), 0);
  assert_int_equal(chdir(back), 0);
  ring_destroy(&f);
}

static void reason_when_not_found(void **state)
{
  char why[512];
  pid_t child = fork();
  (void) state;
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
  assert_int_equal(open_pid(child, NULL, why), EVENTRING_E_NOT_FOUND);
  assert_non_null(strstr(why, "does not exist"));
  assert_int_equal(open_pid(child, "/tmp", why), EVENTRING_E_NOT_FOUND);
  assert_non_null(strstr(why, "does not exist"));

  child = start("/", "X=1");
  assert_int_equal(open_pid(child, NULL, why), EVENTRING_E_NOT_FOUND);
  assert_non_null(strstr(why, "not traced"));
  assert_non_null(strstr(why, "OCAML_EVENTRING_START=1"));
  stop(child);
}

static void process_of_another_user(void **state)
{
  int status;
  pid_t parent = getpid(), child;
  (void) state;
  if (geteuid() != 0) skip();
  child = fork();
  if (child == 0) {
    struct eventring_cursor *c;
    char why[512] = "";
    struct eventring_options o = { .size = sizeof o, .message = why,
                                   .message_size = sizeof why };
    if (chdir("/") != 0 || setgid(65534) != 0 || setuid(65534) != 0) _exit(9);
    if (eventring_open_pid(parent, NULL, &o, &c) != EVENTRING_E_PERMISSION)
      _exit(1);
    _exit(strstr(why, "belongs to user 0") == NULL);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

/* Takes all rights of root from this process, which runs as root: among them
   the right to look into all processes. */
static int drop_capabilities(void)
{
  struct __user_cap_header_struct h = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &h, data) != 0) return 0;
  data[0].effective = data[1].effective = 0;
  return syscall(SYS_capset, &h, data) == 0;
}

/* A daemon that began as root: the system hides its mappings, so that nothing
   is known about its ring. */
static void process_that_changed_its_user(void **state)
{
  int status, ready[2];
  pid_t daemon, child;
  char byte;
  (void) state;
  if (geteuid() != 0) skip();
  assert_int_equal(pipe(ready), 0);
  daemon = fork();
  if (daemon == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(9);
    if (write(ready[1], "", 1) == 1) pause();
    _exit(9);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  child = fork();
  if (child == 0) {
    struct eventring_cursor *c;
    char why[512] = "";
    struct eventring_options o = { .size = sizeof o, .message = why,
                                   .message_size = sizeof why };
    if (!drop_capabilities()) _exit(9);
    if (eventring_open_pid(daemon, NULL, &o, &c) != EVENTRING_E_PERMISSION)
      _exit(1);
    _exit(strstr(why, "not known whether process") == NULL);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  kill(daemon, SIGKILL);
  waitpid(daemon, NULL, 0);
  close(ready[0]);
  close(ready[1]);
  assert_int_equal(status, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(state_in_the_file),
    cmocka_unit_test(threads_run_and_sleep),
    cmocka_unit_test(another_process_of_the_number),
    cmocka_unit_test(another_program_by_exec),
    cmocka_unit_test(emulated_process),
    cmocka_unit_test(killed_process),
    cmocka_unit_test(found_in_a_directory),
    cmocka_unit_test(found_by_its_mapping),
    cmocka_unit_test(found_by_its_environment),
    cmocka_unit_test(found_in_its_working_directory),
    cmocka_unit_test(found_in_our_working_directory),
    cmocka_unit_test(reason_when_not_found),
    cmocka_unit_test(process_of_another_user),
    cmocka_unit_test(process_that_changed_its_user),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
