/* If this breaks, a process is traced after it was detached from, or a loop without
   allocation cannot be attached to.  The runtime's side is played by memory of this
   program, which a child holds still. */

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caml/eventring_attach.h"
#include "caml/eventring_format.h"
#include "eventring_reader.h"

#define DOMAINS 256

static struct eventring_header page;
static struct eventring_request request;
static uint64_t young_limit[DOMAINS];
static uint64_t limits[1 + DOMAINS], *limits_at;
static void *writers;

__attribute__((used, visibility("hidden")))
struct eventring_attach_point the_point;

__asm__(".pushsection .note.eventring, \"a\", %note\n"
        "  .balign 4\n"
        "  .long 10, 4, 0x100\n"
        "  .asciz \"" EVENTRING_NOTE "\"\n"
        "  .balign 4\n"
        "  .long the_point - .\n"
        "  .popsection\n");

/* What the child's memory holds after a call. */
static struct after {
  struct eventring_request request;
  uint64_t control, young_limit[DOMAINS];
} after;

/* A runtime of the [version] with [domains] domains, not asked for anything. */
static void play(uint32_t version, int domains)
{
  memset(&page, 0, sizeof page);
  memset(&request, 0, sizeof request);
  memset(limits, 0, sizeof limits);
  for (int i = 0; i < DOMAINS; i++) {
    young_limit[i] = 1000;
    if (i < domains) limits[1 + i] = (uintptr_t) &young_limit[i];
  }
  limits[0] = DOMAINS;
  limits_at = limits;
  the_point = (struct eventring_attach_point) {
    .version = version, .armed = 3, .page = &page, .request = &request,
    .writers = &writers, .writer_size = 8, .limits = &limits_at
  };
}

static void look(int memory, const void *at, void *to, size_t size)
{
  assert_int_equal(pread(memory, to, size, (off_t) (uintptr_t) at), size);
}

/* Calls [function] for a child with this memory, which thinks that the request is
   for it if [asked]; stores what its memory has afterwards.  Returns the result. */
static int call(int (*function)(int32_t,
                                const struct eventring_attach_options *),
                int asked)
{
  char path[32], byte;
  int ready[2];
  const struct eventring_attach_options options = { .size = sizeof options };
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (asked) request.pid = getpid();
    if (write(ready[1], "", 1) == 1) for (;;) pause();
    _exit(1);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  int result = function(child, &options);
  snprintf(path, sizeof path, "/proc/%d/mem", (int) child);
  int memory = open(path, O_RDONLY);
  assert_true(memory >= 0);
  look(memory, &request, &after.request, sizeof request);
  look(memory, &page.control, &after.control, sizeof page.control);
  look(memory, young_limit, after.young_limit, sizeof young_limit);
  if (after.request.pid == child) after.request.pid = 1;
  close(memory);
  close(ready[0]);
  close(ready[1]);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  return result;
}

static void assert_request(int32_t pid, uint32_t state)
{
  assert_int_equal(after.request.pid, pid);
  assert_int_equal(after.request.state, state);
}

/* Returns how many domains were interrupted. */
static int interrupted(void)
{
  int n = 0;
  for (int i = 0; i < DOMAINS; i++) {
    assert_true(after.young_limit[i] == 1000
                || after.young_limit[i] == UINT64_MAX);
    n += after.young_limit[i] == UINT64_MAX;
  }
  return n;
}

static void attach_interrupts_each_domain(void **state)
{
  (void) state;
  static const int domains[] = { 0, 1, 63, 64, 65, 130, DOMAINS };
  for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
    play(2, domains[i]);
    assert_int_equal(call(eventring_attach, 0), EVENTRING_PENDING);
    assert_request(1, EVENTRING_REQUEST_ATTACH);
    assert_int_equal(after.control, UINT64_C(3) << 32 | 3);
    assert_int_equal(interrupted(), domains[i]);
  }
}

static void a_runtime_of_version_1_has_no_domains(void **state)
{
  (void) state;
  play(1, 3);
  assert_int_equal(call(eventring_attach, 0), EVENTRING_PENDING);
  assert_request(1, EVENTRING_REQUEST_ATTACH);
  assert_int_equal(interrupted(), 0);
}

static void later_versions_are_refused(void **state)
{
  (void) state;
  play(3, 3);
  assert_int_equal(call(eventring_attach, 0), EVENTRING_E_VERSION);
  assert_request(0, EVENTRING_REQUEST_NONE);
}

static void detach_without_a_request_is_refused(void **state)
{
  (void) state;
  play(2, 1);
  assert_int_equal(call(eventring_detach, 0), EVENTRING_E_NOT_FOUND);
}

static void a_request_is_taken_back(void **state)
{
  (void) state;
  play(2, 1);
  request.state = EVENTRING_REQUEST_ATTACH;
  page.control = UINT64_C(3) << 32 | 3;
  assert_int_equal(call(eventring_detach, 1), 0);
  assert_request(0, EVENTRING_REQUEST_NONE);
  assert_int_equal(after.control, 0);
}

/* The runtime has begun to carry it out, and finds that nobody asks any more: it
   will answer. */
static void a_request_under_way_is_taken_back(void **state)
{
  (void) state;
  play(2, 1);
  assert_int_equal(call(eventring_detach, 1), EVENTRING_PENDING);
  assert_request(0, EVENTRING_REQUEST_NONE);
  assert_int_equal(interrupted(), 1);
}

/* Categories of a session that was begun in another way stay. */
static void only_what_was_armed_is_disarmed(void **state)
{
  (void) state;
  play(2, 1);
  request.state = EVENTRING_REQUEST_ATTACH;
  page.control = 7;
  assert_int_equal(call(eventring_detach, 1), 0);
  assert_int_equal(after.control, 7);
}

/* Its session has begun: it is asked to end it, whether or not it has answered. */
static void a_session_that_has_just_begun_is_ended(void **state)
{
  (void) state;
  static const uint32_t states[] = {
    EVENTRING_REQUEST_NONE, EVENTRING_REQUEST_STARTED
  };
  for (int i = 0; i < 2; i++) {
    play(2, 1);
    memcpy(page.magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
    page.state = EVENTRING_RUNNING;
    request.state = states[i];
    assert_int_equal(call(eventring_detach, 1), EVENTRING_PENDING);
    assert_request(1, EVENTRING_REQUEST_DETACH);
    assert_int_equal(interrupted(), 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(attach_interrupts_each_domain),
    cmocka_unit_test(a_runtime_of_version_1_has_no_domains),
    cmocka_unit_test(later_versions_are_refused),
    cmocka_unit_test(detach_without_a_request_is_refused),
    cmocka_unit_test(a_request_is_taken_back),
    cmocka_unit_test(a_request_under_way_is_taken_back),
    cmocka_unit_test(only_what_was_armed_is_disarmed),
    cmocka_unit_test(a_session_that_has_just_begun_is_ended)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
