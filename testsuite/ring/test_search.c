/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* If this breaks, a program that looks for traced processes again and again, such
   as `eventring serve`, reads the mappings of all processes each time, which is
   most of its cost; or does not find a process that starts its tracing. */

#define _GNU_SOURCE

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "eventring_reader.h"

#define RING_SIZE 65536
#define TURN 16                   /* searches in which each process is looked at */

/* Files /proc/PID/maps that were opened: of process [watched], of others. */
static int watched, own_maps, other_maps;

/* Takes the place of the function of libc that libeventring calls. */
int open(const char *path, int flags, ...)
{
  int pid, end = 0;
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  if (sscanf(path, "/proc/%d/maps%n", &pid, &end) == 1 && end > 0)
    *(pid == watched ? &own_maps : &other_maps) += 1;
  return (int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* A child that maps and unmaps its ring file on command. */
struct child {
  pid_t pid;
  int orders[2], done[2];
};

static char dir[] = "/tmp/eventring-search-XXXXXX";

static void path_of(pid_t pid, char path[64])
{
  snprintf(path, 64, "%s/%d.eventring", dir, (int) pid);
}

/* Maps a new ring file of this process; returns its memory. */
static void *map_ring(void)
{
  char path[64];
  path_of(getpid(), path);
  unlink(path);
  int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  void *ring = MAP_FAILED;
  if (fd < 0) _exit(1);
  if (ftruncate(fd, RING_SIZE) == 0)
    ring = mmap(NULL, RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return ring;
}

/* Carries out the orders of the test: 'm' maps a ring file in place of the
   present one, 'u' unmaps it. */
static void run_child(const struct child *c)
{
  void *ring = MAP_FAILED;
  char order;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (read(c->orders[0], &order, 1) == 1) {
    if (ring != MAP_FAILED) munmap(ring, RING_SIZE);
    ring = order == 'm' ? map_ring() : MAP_FAILED;
    if (write(c->done[1], &order, 1) != 1) break;
  }
  _exit(0);
}

static void tell(const struct child *c, char order)
{
  assert_int_equal(write(c->orders[1], &order, 1), 1);
  assert_int_equal(read(c->done[0], &order, 1), 1);
}

static void begin(struct child *c)
{
  assert_int_equal(pipe(c->orders), 0);
  assert_int_equal(pipe(c->done), 0);
  c->pid = fork();
  assert_true(c->pid >= 0);
  if (c->pid == 0) run_child(c);
  /* Its memory does not change any more. */
  tell(c, 'u');
}

static void end(struct child *c)
{
  char path[64];
  kill(c->pid, SIGKILL);
  assert_int_equal(waitpid(c->pid, NULL, 0), c->pid);
  path_of(c->pid, path);
  unlink(path);
  for (int i = 0; i < 2; i++) {
    close(c->orders[i]);
    close(c->done[i]);
  }
}

/* Searches once, for process [only] or with 0 for all.  Returns whether the
   list has the ring file of child [c], and says that it lives. */
static int finds(struct eventring_search *s, int32_t only,
                 const struct child *c)
{
  const struct eventring_process *list;
  char path[64];
  int found = 0;
  watched = c->pid;
  own_maps = other_maps = 0;
  int count = eventring_search_processes(s, only, dir, &list);
  assert_true(count >= 0);
  path_of(c->pid, path);
  for (int i = 0; i < count; i++) {
    assert_true(only == 0 || list[i].pid == only);
    if (list[i].pid != c->pid || !list[i].alive) continue;
    assert_string_equal(list[i].path, path);
    found++;
  }
  assert_true(found <= 1);
  return found;
}

static void mappings_are_read_in_one_search_of_sixteen(void **state)
{
  struct eventring_search *s = eventring_search_begin();
  struct child c;
  int reads = 0;
  (void) state;
  begin(&c);
  assert_false(finds(s, 0, &c));
  assert_int_equal(own_maps, 1);
  for (int i = 0; i < TURN; i++) {
    assert_false(finds(s, 0, &c));
    reads += own_maps;
  }
  assert_int_equal(reads, 1);
  tell(&c, 'm');
  assert_true(finds(s, 0, &c));
  assert_int_equal(own_maps, 1);
  reads = 0;
  for (int i = 0; i < TURN; i++) {
    assert_true(finds(s, 0, &c));
    reads += own_maps;
  }
  assert_int_equal(reads, 1);
  end(&c);
  eventring_search_end(s);
}

static void changes_are_found_at_once(void **state)
{
  struct eventring_search *s = eventring_search_begin();
  struct child c;
  (void) state;
  begin(&c);
  for (int i = 0; i < 2 * TURN; i++) {
    assert_false(finds(s, 0, &c));
    tell(&c, 'm');
    assert_true(finds(s, 0, &c));
    /* The next session has another file of the same name and size. */
    tell(&c, 'm');
    assert_true(finds(s, 0, &c));
    tell(&c, 'u');
    assert_false(finds(s, 0, &c));
  }
  tell(&c, 'm');
  assert_true(finds(s, 0, &c));
  end(&c);
  assert_false(finds(s, 0, &c));
  eventring_search_end(s);
}

static void a_search_for_one_process_looks_at_no_other(void **state)
{
  struct eventring_search *s = eventring_search_begin();
  struct child c, other;
  (void) state;
  begin(&c);
  begin(&other);
  tell(&other, 'm');
  assert_true(finds(s, 0, &other));
  eventring_search_end(s);
  s = eventring_search_begin();
  for (int i = 0; i < 2 * TURN; i++) {
    assert_false(finds(s, c.pid, &c));
    assert_int_equal(other_maps, 0);
    tell(&c, 'm');
    assert_true(finds(s, c.pid, &c));
    assert_int_equal(other_maps, 0);
    tell(&c, 'u');
  }
  end(&c);
  assert_false(finds(s, c.pid, &c));
  assert_int_equal(other_maps, 0);
  end(&other);
  eventring_search_end(s);
}

static void wrong_arguments_are_refused(void **state)
{
  struct eventring_search *s = eventring_search_begin();
  const struct eventring_process *list;
  (void) state;
  assert_int_equal(eventring_search_processes(NULL, 0, dir, &list),
                   EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_search_processes(s, -1, dir, &list),
                   EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_search_processes(s, 0, dir, NULL),
                   EVENTRING_E_ARGUMENT);
  assert_int_equal(eventring_search_processes(s, 0, "/no/such", &list),
                   EVENTRING_E_NOT_FOUND);
  eventring_search_end(s);
  eventring_search_end(NULL);
}

static int make_dir(void **state)
{
  (void) state;
  return mkdtemp(dir) != NULL ? 0 : -1;
}

static int remove_dir(void **state)
{
  (void) state;
  return rmdir(dir);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(mappings_are_read_in_one_search_of_sixteen),
    cmocka_unit_test(changes_are_found_at_once),
    cmocka_unit_test(a_search_for_one_process_looks_at_no_other),
    cmocka_unit_test(wrong_arguments_are_refused)
  };
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
