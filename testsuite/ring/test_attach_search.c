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

/* If this breaks, a process of another user can keep root's `eventring attach`
   busy for seconds by its mappings, a runtime is not found behind such mappings,
   or a process that executes another program is said to have no runtime. */

#define _GNU_SOURCE

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "caml/eventring_attach.h"
#include "caml/eventring_format.h"
#include "eventring_reader.h"

#define MAPPINGS 4000
#define FILES 100
#define HEADERS 128
#define NOTES 16384
#define OBJECT_SIZE 65536

/* The most reads for one process: 2048 of headers and notes, and one for each
   file, of which this program itself has some. */
#define MOST_READS (2048 + FILES + 200)

/* Reads of the memory of another process.  Takes the place of the function of
   libc that libeventring calls. */
static int reads;

ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
  reads++;
  return syscall(SYS_pread64, fd, buffer, size, at);
}

/* Has the other process change when libeventring has its memory open, and locks
   it.  Takes the place of the function of libc. */
static void (*change)(void);

int flock(int fd, int operation)
{
  if (change != NULL) change();
  return (int) syscall(SYS_flock, fd, operation);
}

/* An object with our note.  A process that has it mapped at its address can be
   attached to. */
struct object {
  Elf64_Ehdr header;
  Elf64_Phdr parts[2];
  struct {
    Elf64_Nhdr header;
    char name[12];
    int32_t distance;
  } note;
  struct eventring_attach_point point;
  struct eventring_header page;
};

static void set_header(Elf64_Ehdr *header, uint16_t parts, uint64_t at)
{
  memcpy(header->e_ident, ELFMAG, SELFMAG);
  header->e_ident[EI_CLASS] = ELFCLASS64;
  header->e_phentsize = sizeof(Elf64_Phdr);
  header->e_phnum = parts;
  header->e_phoff = at;
}

/* Returns the descriptor of a new file of [size] bytes from [bytes]. */
static int new_file(const void *bytes, size_t size)
{
  int fd = memfd_create("object", MFD_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(ftruncate(fd, OBJECT_SIZE), 0);
  assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t) size);
  return fd;
}

/* Returns a file with as many and as long notes as are read, none of them
   ours. */
static int new_long_file(void)
{
  struct { Elf64_Ehdr header; Elf64_Phdr parts[HEADERS]; } o;
  memset(&o, 0, sizeof o);
  set_header(&o.header, HEADERS, offsetof(__typeof__(o), parts));
  o.parts[0].p_type = PT_LOAD;
  for (int i = 1; i < HEADERS; i++)
    o.parts[i] = (Elf64_Phdr) { .p_type = PT_NOTE, .p_vaddr = OBJECT_SIZE / 2,
                                .p_filesz = NOTES };
  return new_file(&o, sizeof o);
}

/* Returns a file with our note, which leads to a point of no version. */
static int new_good_file(void)
{
  struct object o;
  memset(&o, 0, sizeof o);
  set_header(&o.header, 2, offsetof(struct object, parts));
  o.parts[0].p_type = PT_LOAD;
  o.parts[1] = (Elf64_Phdr) { .p_type = PT_NOTE,
                              .p_vaddr = offsetof(struct object, note),
                              .p_filesz = sizeof o.note };
  o.note.header = (Elf64_Nhdr) { .n_namesz = sizeof EVENTRING_NOTE,
                                 .n_descsz = sizeof(int32_t),
                                 .n_type = EVENTRING_NOTE_TYPE };
  memcpy(o.note.name, EVENTRING_NOTE, sizeof EVENTRING_NOTE);
  o.note.distance = (int32_t) (offsetof(struct object, point)
                               - offsetof(struct object, note.distance));
  memcpy(o.page.magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
  o.page.state = EVENTRING_RUNNING;
  return new_file(&o, sizeof o);
}

/* Maps the file [fd] at [at]. */
static void map(void *at, int fd)
{
  if (mmap(at, OBJECT_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
           fd, 0) != at)
    _exit(1);
}

/* The mappings of a child. */
struct mappings {
  int files;                    /* without our note, each different */
  int each;                     /* mappings of each of these */
  int is_data;                  /* our object is mapped once more, as data */
  int has_runtime;
};

/* Makes the mappings [m], in the order of addresses, writes a byte to [ready],
   and waits to be killed. */
static void run_child(const struct mappings *m, const int *files, int good,
                      int ready)
{
  size_t count = (size_t) m->files * (size_t) m->each + 2;
  char *at = mmap(NULL, count * OBJECT_SIZE, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (at == MAP_FAILED) _exit(1);
  for (int i = 0; i < m->files; i++)
    for (int k = 0; k < m->each; k++, at += OBJECT_SIZE) map(at, files[i]);
  if (m->is_data) {
    map(at, good);
    at += OBJECT_SIZE;
  }
  if (m->has_runtime) {
    struct object *o = (void *) at;
    map(at, good);
    o->point.version = EVENTRING_ATTACH_VERSION;
    o->point.page = &o->page;
  }
  if (write(ready, "", 1) != 1) _exit(1);
  for (;;) pause();
}

/* Attaches to a child with the mappings [m].  Returns the result, and stores
   the number of reads in [reads]. */
static int attach(const struct mappings *m)
{
  int files[FILES], good = new_good_file(), ready[2];
  char byte;
  assert_int_equal(pipe(ready), 0);
  for (int i = 0; i < m->files; i++) files[i] = new_long_file();
  pid_t child = fork();
  if (child == 0) run_child(m, files, good, ready[1]);
  close(ready[1]);
  assert_int_equal(read(ready[0], &byte, 1), 1);
  reads = 0;
  int result = eventring_attach(child, NULL);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  for (int i = 0; i < m->files; i++) close(files[i]);
  close(ready[0]);
  close(good);
  if (result == EVENTRING_E_PERMISSION) skip();
  return result;
}

static void a_file_is_looked_into_once(void **state)
{
  const struct mappings once = { .files = 1, .each = 1 },
    often = { .files = 1, .each = MAPPINGS };
  (void) state;
  assert_int_equal(attach(&once), EVENTRING_E_VERSION);
  int few = reads;
  assert_int_equal(attach(&often), EVENTRING_E_VERSION);
  assert_int_equal(reads, few);
}

static void the_reads_of_a_process_are_bounded(void **state)
{
  const struct mappings m = { .files = FILES, .each = 1 };
  (void) state;
  assert_int_equal(attach(&m), EVENTRING_E_VERSION);
  assert_in_range(reads, 2, MOST_READS);
}

static void the_runtime_is_found_behind_other_objects(void **state)
{
  const struct mappings m = { .files = 10, .each = 100, .has_runtime = 1 };
  (void) state;
  assert_int_equal(attach(&m), 0);
}

static void the_runtime_is_found_though_its_file_is_mapped_as_data(void **state)
{
  const struct mappings data = { .is_data = 1 },
    both = { .is_data = 1, .has_runtime = 1 };
  (void) state;
  assert_int_equal(attach(&data), EVENTRING_E_VERSION);
  assert_int_equal(attach(&both), 0);
}

/* The child of [attach_during], and a pipe that tells it to execute a program;
   its other end is closed when that has happened. */
static pid_t other;
static int go[2], executed[2];

static void execute_program(void)
{
  char byte;
  assert_int_equal(write(go[1], "", 1), 1);
  close(executed[1]);
  assert_int_equal(read(executed[0], &byte, 1), 0);
}

static void end_unnoticed(void)
{
  siginfo_t info;
  kill(other, SIGKILL);
  assert_int_equal(waitid(P_PID, (id_t) other, &info, WEXITED | WNOWAIT), 0);
}

static void end(void)
{
  kill(other, SIGKILL);
  assert_int_equal(waitpid(other, NULL, 0), other);
}

/* Attaches to a child, which [event] changes after its memory was opened.
   Returns the result, and stores the message in [why]. */
static int attach_during(void (*event)(void), char *why, size_t size)
{
  const struct eventring_attach_options o = {
    .size = sizeof o, .message = why, .message_size = size
  };
  char byte;
  assert_int_equal(pipe2(go, O_CLOEXEC), 0);
  assert_int_equal(pipe2(executed, O_CLOEXEC), 0);
  other = fork();
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(executed[0]);
    if (read(go[0], &byte, 1) == 1) execlp("sleep", "sleep", "600", NULL);
    _exit(1);
  }
  change = event;
  int result = eventring_attach(other, &o);
  change = NULL;
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  close(go[0]);
  close(go[1]);
  close(executed[0]);
  if (event != execute_program) close(executed[1]);
  if (result == EVENTRING_E_PERMISSION) skip();
  return result;
}

/* Nothing is known of the runtime that the process has or had. */
static void a_process_that_changes_is_gone(void **state)
{
  void (*const events[])(void) = { execute_program, end_unnoticed, end };
  (void) state;
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
    char why[512] = "";
    assert_int_equal(attach_during(events[i], why, sizeof why),
                     EVENTRING_E_NOT_FOUND);
    assert_non_null(strstr(why, "has ended, or executes another program"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_file_is_looked_into_once),
    cmocka_unit_test(the_reads_of_a_process_are_bounded),
    cmocka_unit_test(the_runtime_is_found_behind_other_objects),
    cmocka_unit_test(the_runtime_is_found_though_its_file_is_mapped_as_data),
    cmocka_unit_test(a_process_that_changes_is_gone)
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
