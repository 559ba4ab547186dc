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

/* Starting and ending tracing in a running process: eventring_attach and
   eventring_detach.  The runtime's side, and the structs in the memory of the
   process, are in caml/eventring_attach.h.

     /proc/PID/maps  -> each ELF object of the process
       its program headers -> its notes -> struct eventring_attach_point

   All of it is read from the memory of the process, through /proc/PID/mem: the
   files may be gone, or in a container.  The descriptor stays bound to this
   program's memory, so a write after an exec, or to a process with the same pid,
   fails.  The memory is not trusted: lengths are bounded.  A lock on
   /proc/PID/mem keeps two callers apart; users that may not open that file
   cannot take the lock. */

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "caml/eventring_attach.h"
#include "caml/eventring_format.h"
#include "eventring_hash.h"
#include "eventring_proc.h"
#include "eventring_reader.h"
#include "eventring_source.h"

/* The process that we attach to. */
struct subject {
  int32_t pid;
  const char *action;           /* "attach to" or "detach from" */
  int memory;                   /* /proc/PID/mem, locked; -1: not open */
  struct eventring_attach_point point;
  uint64_t request;             /* the address of its struct
                                   eventring_request */
  struct eventring_options say; /* where messages go */
  int64_t lock_ns;              /* the longest wait for another caller */
};

/* Bounds on the content of the process's memory. */
#define MAX_HEADERS 128         /* program headers of an object */
#define MAX_NOTES 16384         /* bytes of the notes of a segment */
#define MAX_RINGS (1 << 16)
#define MAX_READS 2048          /* of headers and notes, in one process */
#define FILES_BITS 10           /* a table of files; half of it is used */

/* The longest wait for another caller. */
#define LOCK_NS INT64_C(5000000000)

/* Copies [size] bytes at the address [at] of the process to [to].  Returns 1, or
   0 when not all of them are there. */
static int peek(const struct subject *s, uint64_t at, void *to, size_t size)
{
  return pread(s->memory, to, size, (off_t) at) == (ssize_t) size;
}

/* Copies [size] bytes from [from] to the address [at] of the process.  Returns
   1, or 0 when not all of them could be written. */
static int poke(const struct subject *s, uint64_t at, const void *from,
                size_t size)
{
  return pwrite(s->memory, from, size, (off_t) at) == (ssize_t) size;
}

/* Returns the address of the first field after [field] of the request. */
#define REQUEST(s, field) \
  ((s)->request + offsetof(struct eventring_request, field))

/* Returns [size] rounded up to the 4 bytes by which parts of notes are
   aligned. */
static uint64_t aligned(uint64_t size)
{
  return (size + 3) / 4 * 4;
}

/* Bytes of a struct eventring_attach_point of version 1. */
#define POINT_1 offsetof(struct eventring_attach_point, limits)

/* Reads the struct eventring_attach_point at address [at] into s->point.
   Returns 1, or 0 when no point of a version that we know is there. */
static int read_point(struct subject *s, uint64_t at)
{
  memset(&s->point, 0, sizeof s->point);
  if (!peek(s, at, &s->point, POINT_1) || s->point.version < 1
      || s->point.version > EVENTRING_ATTACH_VERSION
      || (s->point.version > 1
          && !peek(s, at, &s->point, sizeof s->point))) return 0;
  s->request = (uintptr_t) s->point.request;
  return 1;
}

/* The search for the point of a process.  The owner of the process decides how
   many objects are mapped there, and how often, but not how long the search
   takes. */
struct search {
  struct subject *s;
  int reads;                    /* of headers and notes, up to MAX_READS */
  int tried, readable;          /* mappings, of which any could be read */
  int has_note;                 /* the present object has our note */
  uint32_t files;               /* in the table */
  struct hash_table without;    /* files, by device and inode, without our
                                   note */
  struct hash_place places[1 << FILES_BITS];
};

/* Copies [size] bytes of headers or notes, as peek does.  Returns 0 too when
   MAX_READS are done. */
static int peek_counted(struct search *search, uint64_t at, void *to,
                        size_t size)
{
  if (search->reads == MAX_READS) return 0;
  search->reads++;
  return peek(search->s, at, to, size);
}

/* Looks for our note in the [size] bytes of notes at address [at], and reads
   the point that it leads to.  Returns 1 when there is one, else 0. */
static int find_in_notes(struct search *search, uint64_t at, uint64_t size)
{
  char notes[MAX_NOTES];
  if (size > sizeof notes || !peek_counted(search, at, notes, size)) return 0;
  uint64_t place = 0;
  while (size - place >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    memcpy(&header, notes + place, sizeof header);
    uint64_t name = place + sizeof header;
    uint64_t content = name + aligned(header.n_namesz);
    uint64_t end = content + aligned(header.n_descsz);
    if (end > size) return 0;
    if (header.n_type == EVENTRING_NOTE_TYPE
        && header.n_namesz == sizeof EVENTRING_NOTE
        && memcmp(notes + name, EVENTRING_NOTE, sizeof EVENTRING_NOTE) == 0
        && header.n_descsz == sizeof(int32_t)) {
      int32_t distance;
      memcpy(&distance, notes + content, sizeof distance);
      search->has_note = 1;
      return read_point(search->s,
                        at + content + (uint64_t) (int64_t) distance);
    }
    place = end;
  }
  return 0;
}

/* Looks for our note in the ELF object that is mapped from its beginning at
   address [base], and reads the point that it leads to.  Returns 1 when there
   is one, else 0. */
static int find_in_object(struct search *search, uint64_t base)
{
  Elf64_Ehdr header;
  Elf64_Phdr part[MAX_HEADERS];
  search->has_note = 0;
  search->tried = 1;
  if (!peek(search->s, base, &header, sizeof header)) return 0;
  search->readable = 1;
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0
      || header.e_ident[EI_CLASS] != ELFCLASS64
      || header.e_phentsize != sizeof *part || header.e_phnum > MAX_HEADERS
      || !peek_counted(search, base + header.e_phoff, part,
                       header.e_phnum * sizeof *part)) return 0;
  /* The mapping begins with the segment that has the file's first byte. */
  int first = 0;
  while (first < header.e_phnum
         && (part[first].p_type != PT_LOAD || part[first].p_offset != 0))
    first++;
  if (first == header.e_phnum) return 0;
  uint64_t shift = base - part[first].p_vaddr;
  for (int i = 0; i < header.e_phnum; i++)
    if (part[i].p_type == PT_NOTE
        && find_in_notes(search, shift + part[i].p_vaddr, part[i].p_filesz))
      return 1;
  return 0;
}

/* Looks for our note in the mapping that [line] of /proc/PID/maps describes, if
   it is the beginning of an object, and no mapping of the same file was looked
   into that has no such note.  A file may be mapped once more, as data, where
   its note leads nowhere.  Returns 1 when the point was found, else 0. */
static int find_in_mapping(struct search *search, const char *line)
{
  uint64_t base, offset, inode;
  uint32_t high, low;
  char readable;
  if (sscanf(line, "%" SCNx64 "-%*x %c%*3c %" SCNx64 " %" SCNx32 ":%" SCNx32
             " %" SCNu64, &base, &readable, &offset, &high, &low, &inode) != 6
      || readable != 'r' || offset != 0) return 0;
  const uint64_t device = (uint64_t) high << 32 | low;
  if (inode != 0 && hash_get(&search->without, device, inode) != 0) return 0;
  if (find_in_object(search, base)) return 1;
  if (inode != 0 && !search->has_note
      && search->files < 1 << (FILES_BITS - 1)) {
    hash_set(&search->without, device, inode, 1);
    search->files++;
  }
  return 0;
}

/* Returns 1 if the process whose memory was searched has ended, or executes
   another program: then the memory is of nobody, or there are no mappings. */
static int is_gone(const struct search *search)
{
  char state;
  if (search->tried) return !search->readable;
  /* Threads of the kernel have no mappings either. */
  const int pid = search->s->pid;
  state = eventring_task_state(pid,
                               (uint32_t) eventring_thread_with_memory(pid), NULL);
  return state == 0 || state == 'Z' || state == 'X';
}

/* Looks for our note in all objects of the process.  Returns 1 when one has it,
   0 when none has, and -1 when the process has ended or executes another
   program. */
static int find_point(struct subject *s)
{
  struct search search = { .s = s };
  struct records maps;
  int found = 0;
  char *line;
  if (!eventring_open_proc(&maps, eventring_thread_with_memory(s->pid), "maps",
                           '\n'))
    return errno == ENOENT || errno == ESRCH ? -1 : 0;
  hash_init(&search.without, FILES_BITS, search.places);
  while (!found && search.reads < MAX_READS
         && (line = eventring_next_record(&maps)) != NULL)
    found = find_in_mapping(&search, line);
  close(maps.fd);
  return !found && is_gone(&search) ? -1 : found;
}

/* Opening */

/* Fails with the reason for which the system does not let the caller write to
   the memory of the process. */
static int fail_permission(const struct subject *s)
{
  char scope[16];
  const char *why = "it belongs to another user, or has more rights; attach as"
    " its user or as root";
  if (eventring_read_small("/proc/sys/kernel/yama/ptrace_scope", scope,
                           sizeof scope) > 0 && scope[0] != '0')
    why = scope[0] == '1'
      ? "this system lets only root, or its parent, attach to a process"
        " (kernel.yama.ptrace_scope is 1)"
      : "this system lets at most root attach to a process"
        " (kernel.yama.ptrace_scope)";
  return fail(&s->say, EVENTRING_E_PERMISSION,
              "cannot %s process %" PRIi32 ": %s", s->action, s->pid, why);
}

/* Fails with the message for the system's error [error]. */
static int fail_system(const struct subject *s, int error)
{
  if (error == EACCES || error == EPERM) return fail_permission(s);
  return fail(&s->say, error == ESRCH ? EVENTRING_E_NOT_FOUND
                                      : eventring_error_of(error),
              "cannot %s process %" PRIi32 ": %s", s->action, s->pid,
              error == ENOENT || error == ESRCH ? "no such process"
                                                : strerror(error));
}

/* Fails since the process is gone, or runs another program. */
static int fail_gone(const struct subject *s)
{
  return fail(&s->say, EVENTRING_E_NOT_FOUND,
              "process %" PRIi32 " has ended, or executes another program",
              s->pid);
}

static void close_subject(struct subject *s)
{
  if (s->memory >= 0) close(s->memory);
}

/* Sleeps for a millisecond, or until a signal arrives. */
static void sleep_shortly(void)
{
  nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
}

static int64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Takes the lock on the memory of the process, which other callers hold until
   they are done.  Returns 0; or an error, with a message, when one of them holds
   the lock for s->lock_ns. */
static int lock_subject(const struct subject *s)
{
  const int64_t until_ns = now_ns() + s->lock_ns;
  while (flock(s->memory, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return fail_system(s, errno);
    if (now_ns() >= until_ns)
      return fail(&s->say, EVENTRING_E_SYSTEM, "cannot %s process %" PRIi32
                  ": another program attaches to it", s->action, s->pid);
    sleep_shortly();
  }
  return 0;
}

/* Opens process s->pid, waits for other callers to be done with it, and finds
   its runtime.  Returns 0 or an error, with a message.  The caller calls
   close_subject in both cases. */
static int open_subject(struct subject *s)
{
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/mem",
           eventring_thread_with_memory(s->pid));
  s->memory = open(path, O_RDWR | O_CLOEXEC);
  if (s->memory < 0) return fail_system(s, errno);
  int err = lock_subject(s);
  if (err < 0) return err;
  const int found = find_point(s);
  if (found < 0) return fail_gone(s);
  if (found == 0)
    return fail(&s->say, EVENTRING_E_VERSION,
                "cannot %s process %" PRIi32 ": it has no runtime of"
                " Eventring's OCaml that can be asked (stock OCaml, another"
                " program, or an older version)", s->action, s->pid);
  return 0;
}

/* Requests */

/* Stores the header of the session in *header.  Returns 1 if a session runs in
   the process, else 0. */
static int running_session(const struct subject *s,
                           struct eventring_header *header)
{
  return peek(s, (uintptr_t) s->point.page, header, sizeof *header)
    && memcmp(header->magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE) == 0
    && header->state == EVENTRING_RUNNING;
}

/* Writes the request [state], with the directory [dir] ("": none), to the
   process.  Returns 1, or 0 when the process is gone. */
static int ask(const struct subject *s, uint32_t state, const char *dir)
{
  int32_t own_pid = (int32_t) eventring_own_pid(s->pid);
  const uint32_t none = EVENTRING_REQUEST_NONE;
  return poke(s, REQUEST(s, state), &none, sizeof none)
    && poke(s, REQUEST(s, pid), &own_pid, sizeof own_pid)
    && poke(s, REQUEST(s, dir), dir, strlen(dir) + 1)
    && poke(s, REQUEST(s, state), &state, sizeof state);
}

/* Stores the categories [active] in the control word of the process, and those
   to resume with in its other half. */
static void set_control(const struct subject *s, uint32_t active,
                        uint32_t resume)
{
  uint64_t control = (uint64_t) resume << 32 | active;
  poke(s, (uintptr_t) s->point.page
       + offsetof(struct eventring_header, control), &control, sizeof control);
}

/* Has each domain look for requests at its next allocation or turn of a loop,
   whether or not there is an event.  No effect on a runtime of version 1. */
static void interrupt_domains(const struct subject *s)
{
  uint64_t array, count, limit;
  const uint64_t interrupted = UINT64_MAX;
  if (s->point.limits == NULL
      || !peek(s, (uintptr_t) s->point.limits, &array, sizeof array)
      || array == 0 || !peek(s, array, &count, sizeof count)) return;
  for (uint64_t i = 1; i <= count && i <= MAX_RINGS; i++) {
    if (!peek(s, array + i * sizeof limit, &limit, sizeof limit) || limit == 0)
      return;
    poke(s, limit, &interrupted, sizeof interrupted);
  }
}

/* Returns the state of the request, an enum eventring_request_state, or -1 when the
   process is gone. */
static int state_of(const struct subject *s)
{
  uint32_t state;
  return peek(s, REQUEST(s, state), &state, sizeof state) ? (int) state : -1;
}

/* Makes probes take the slow path, unless a session runs or begins. */
static void arm(const struct subject *s)
{
  struct eventring_header header;
  if (running_session(s, &header) || state_of(s) != EVENTRING_REQUEST_ATTACH)
    return;
  set_control(s, s->point.armed, s->point.armed);
  interrupt_domains(s);
}

/* Makes events take the slow path: takes its block from each writer of a
   domain, which the next event of the domain finds out.  Resumes a session that
   is paused, since it has no events. */
static void take_blocks(const struct subject *s)
{
  struct eventring_header header;
  void *writers;
  const int32_t nobody = -1;
  /* Whether or not a session still runs: the request must be answered. */
  interrupt_domains(s);
  if (!running_session(s, &header)
      || !peek(s, (uintptr_t) s->point.writers, &writers, sizeof writers))
    return;
  uint32_t rings = header.sample_rings_from != 0 ? header.sample_rings_from
                                                 : header.rings;
  for (uint32_t i = 0; i < rings && i < MAX_RINGS; i++)
    poke(s, (uintptr_t) writers + (uint64_t) i * s->point.writer_size
         + s->point.writer_owner, &nobody, sizeof nobody);
  if ((uint32_t) header.control == 0)
    set_control(s, s->point.armed, header.control >> 32);
}

/* Waits until the process has answered the request, at most until [until_ns],
   and calls [nudge] from time to time.  Returns the answer, an enum
   eventring_request_state; the request itself when there is no answer; or a
   negative error when the process is gone. */
static int await_answer(const struct subject *s, int64_t until_ns,
                        void (*nudge)(const struct subject *s))
{
  for (int turn = 0; ; turn++) {
    if (turn % 16 == 0) nudge(s);
    const int state = state_of(s);
    if (state < 0) return fail_gone(s);
    if (state > EVENTRING_REQUEST_DETACH || now_ns() >= until_ns) return state;
    sleep_shortly();
  }
}

/* Fails with the reason for which the process refused. */
static int fail_refused(const struct subject *s)
{
  char answer[EVENTRING_REQUEST_ANSWER] = "";
  peek(s, REQUEST(s, answer), answer, sizeof answer - 1);
  return fail(&s->say, EVENTRING_E_SYSTEM, "process %" PRIi32
              " cannot start tracing: %s", s->pid, answer);
}

/* Has the process carry out [request], with the directory [dir].  Returns 0,
   EVENTRING_PENDING, or a negative error with a message. */
static int carry_out(const struct subject *s, uint32_t request,
                     const char *dir, int64_t wait_ns,
                     void (*nudge)(const struct subject *s))
{
  if (!ask(s, request, dir)) return fail_gone(s);
  int state = await_answer(s, now_ns() + wait_ns, nudge);
  if (state < 0) return state;
  if (state == EVENTRING_REQUEST_REFUSED) return fail_refused(s);
  return state > EVENTRING_REQUEST_DETACH ? 0 : EVENTRING_PENDING;
}

/* Takes back a request to attach that was not carried out yet, or ends the session
   that has begun meanwhile.  Returns as carry_out does, or an error with a message
   if the process has no such request. */
static int withdraw(const struct subject *s, int64_t wait_ns)
{
  struct eventring_header header;
  int32_t pid;
  uint64_t control;
  const int32_t nobody = 0;
  const uint32_t none = EVENTRING_REQUEST_NONE;
  const uint64_t armed = (uint64_t) s->point.armed << 32 | s->point.armed;
  const int state = state_of(s);
  if (state < 0 || !peek(s, REQUEST(s, pid), &pid, sizeof pid))
    return fail_gone(s);
  const int under_way = state == EVENTRING_REQUEST_NONE
                        && pid == (int32_t) eventring_own_pid(s->pid);
  if (state == EVENTRING_REQUEST_ATTACH || under_way) {
    /* The runtime looks at the pid again when a session has begun, ends it, and
       answers. */
    poke(s, REQUEST(s, pid), &nobody, sizeof nobody);
    poke(s, REQUEST(s, state), &none, sizeof none);
    if (under_way) {
      const int answer = await_answer(s, now_ns() + wait_ns, interrupt_domains);
      if (answer <= EVENTRING_REQUEST_DETACH)
        return answer < 0 ? answer : EVENTRING_PENDING;
    }
  } else if (!running_session(s, &header)) {
    return fail(&s->say, EVENTRING_E_NOT_FOUND,
                "process %" PRIi32 " is not traced", s->pid);
  }
  if (running_session(s, &header))
    return carry_out(s, EVENTRING_REQUEST_DETACH, "", wait_ns, take_blocks);
  if (peek(s, (uintptr_t) s->point.page
           + offsetof(struct eventring_header, control), &control,
           sizeof control) && control == armed) set_control(s, 0, 0);
  return 0;
}

/* Copies the options [given], which may be NULL, to *mine, and sets up s->say.
   Returns 0 or an error, with a message. */
static int take_options(struct subject *s,
                        struct eventring_attach_options *mine,
                        const struct eventring_attach_options *given)
{
  int err = 0;
  memset(mine, 0, sizeof *mine);
  if (given != NULL) err = eventring_take_struct(mine, sizeof *mine, given);
  s->say = (struct eventring_options) {
    .size = sizeof s->say, .message = mine->message,
    .message_size = mine->message_size
  };
  if (err < 0)
    return fail(&s->say, err, "options that this libeventring does not know");
  if (mine->dir == NULL) mine->dir = "";
  if (mine->dir[0] != 0 && mine->dir[0] != '/')
    return fail(&s->say, EVENTRING_E_ARGUMENT,
                "the directory of the ring file, %.200s, is not an absolute"
                " path", mine->dir);
  if (strlen(mine->dir) >= EVENTRING_REQUEST_DIR)
    return fail(&s->say, EVENTRING_E_ARGUMENT, "the name of the directory of"
                " the ring file has more than %d bytes",
                EVENTRING_REQUEST_DIR - 1);
  return 0;
}

int eventring_attach(int32_t pid,
                     const struct eventring_attach_options *options)
{
  struct subject s = { .pid = pid, .action = "attach to", .memory = -1,
                       .lock_ns = LOCK_NS };
  struct eventring_attach_options o;
  struct eventring_header header;
  int err = take_options(&s, &o, options);
  if (err == 0) err = open_subject(&s);
  if (err == 0 && !running_session(&s, &header))
    err = carry_out(&s, EVENTRING_REQUEST_ATTACH, o.dir, o.wait_ns, arm);
  close_subject(&s);
  return err;
}

int eventring_detach(int32_t pid,
                     const struct eventring_attach_options *options)
{
  struct subject s = { .pid = pid, .action = "detach from", .memory = -1,
                       .lock_ns = LOCK_NS };
  struct eventring_attach_options o;
  struct eventring_header header;
  int err = take_options(&s, &o, options);
  if (err == 0) err = open_subject(&s);
  if (err == 0)
    err = running_session(&s, &header)
      ? carry_out(&s, EVENTRING_REQUEST_DETACH, "", o.wait_ns, take_blocks)
      : withdraw(&s, o.wait_ns);
  close_subject(&s);
  return err;
}

int eventring_interrupt(struct eventring_cursor *cursor)
{
  struct eventring_info info = { .size = sizeof info };
  int err = eventring_get_info(cursor, &info);
  if (err < 0) return err;
  if (info.pid_is_elsewhere
      || eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    return EVENTRING_E_NOT_FOUND;
  struct subject s = { .pid = info.pid, .action = "interrupt", .memory = -1 };
  err = open_subject(&s);
  if (err == 0) interrupt_domains(&s);
  close_subject(&s);
  return err;
}

/* The list that eventring_attachable makes. */
struct found { int32_t *list; int max, count; };

/* Adds process [pid] to the list [state] if it can be attached to and is not
   traced.  Returns 0, for the next process. */
static int add_attachable(int pid, void *state)
{
  struct found *found = state;
  struct subject s = { .pid = pid, .memory = -1 };
  struct eventring_header header;
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/mem", eventring_thread_with_memory(pid));
  s.memory = open(path, O_RDWR | O_CLOEXEC);
  if (s.memory >= 0 && find_point(&s) > 0 && !running_session(&s, &header)) {
    if (found->count < found->max) found->list[found->count] = pid;
    found->count++;
  }
  close_subject(&s);
  return 0;
}

int eventring_attachable(int32_t *list, int max)
{
  struct found found = { .list = list, .max = max };
  eventring_find_process(add_attachable, &found);
  return found.count;
}
