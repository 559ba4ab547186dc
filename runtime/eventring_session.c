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
#define CAML_INTERNALS
#define _GNU_SOURCE

/* The session: a ring file is created and mapped, and in the end unmapped.

   Starting stops nobody: a domain finds its ring when it first writes, see
   eventring_writer.c.  Before a session begins, each domain is asked to note, at
   its next safe point, the words that it has allocated so far: they do not count.

   When tracing stops, a domain may be in the middle of an event.  Emitting
   contains no point at which a domain can be stopped, so the file is unmapped
   after one stop-the-world section that does nothing else: [stop_writers].  An
   [enter_block] that was under way has ended then, too. */

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/eventring_clock.h"
#include "caml/runtime_events.h"
#include "caml/startup_aux.h"
#include "eventring_internal.h"

pthread_mutex_t caml_ring_session_lock = LOCK_OF_FORKS;
struct caml_ring_session caml_ring_session;

/* Fills in the fields of [*h] that describe the layout of a new ring file: the
   magic number and version, and the offset and size of each section, by the
   settings of the program. */
COLD
static void lay_out(struct eventring_header *h)
{
  memcpy(h->magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
  h->version_major = EVENTRING_VERSION_MAJOR;
  h->version_minor = EVENTRING_VERSION_MINOR;
  h->header_size = sizeof(*h);
  h->sample_rings_from = EVENTRING_DOMAINS;
  h->rings = EVENTRING_DOMAINS + caml_ring_sample_rings();
  h->slot_size = sizeof(struct eventring_slot);
  h->schema_offset = EVENTRING_PAGE;
  h->schema_entry_size = sizeof(struct eventring_schema_entry);
  /* A mapping has an entry, and some for its path. */
  h->schema_capacity = EVENTRING_RUNTIME_SCHEMA + EVENTRING_MAX_USER_EVENTS
    + EVENTRING_MAX_LABELS + 4 * EVENTRING_MAX_MAPPINGS;
  h->directory_offset = h->schema_offset
    + round_up_to_page((uint64_t) h->schema_capacity * h->schema_entry_size);
  h->rings_offset = h->directory_offset
    + round_up_to_page((uint64_t) h->rings * h->slot_size);
  h->ring_words = (uint64_t) 1 << caml_ring_log_words();
  h->block_words = eventring_block_words(h->ring_words);
  h->file_size =
    h->rings_offset + h->rings * h->ring_words * sizeof(uint64_t);
}

COLD
int caml_ring_write_all(int fd, const void *data, size_t size, uint64_t offset)
{
  const char *from = data;
  while (size > 0) {
    ssize_t n = pwrite(fd, from, size, (off_t) offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    from += n;
    offset += n;
    size -= n;
  }
  return 0;
}

COLD
void caml_ring_release_mapping(struct mapping *mapping)
{
  if (--mapping->users > 0) return;
  munmap(mapping->base, mapping->size);
  free(mapping);
}

/* Bytes of address space that must remain to a program under a limit
   (RLIMIT_AS, ulimit -v). */
#define RESERVE ((size_t) 256 << 20)

/* Returns 1 if the address space of this process is limited, else 0. */
static int has_limited_space(void)
{
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Returns 1 if the program can still map [RESERVE] bytes, as an attempt shows,
   or if its address space is not limited; else 0.  Called when the ring file is
   mapped. */
COLD
static int leaves_reserve(void)
{
  if (!has_limited_space()) return 1;
  void *space = mmap(NULL, RESERVE, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return 0;
  munmap(space, RESERVE);
  return 1;
}

/* Gives the file at [path] the name of the file of the session [former].
   Returns 0 or an errno; EEXIST when another file has that name by now. */
COLD
static int take_place(const char *path, const struct caml_ring_session *former)
{
  struct stat st;
  if (lstat(former->path, &st) != 0) {
    if (errno != ENOENT) return errno;
  } else if (st.st_dev != former->dev || st.st_ino != former->ino) {
    return EEXIST;
  }
  return rename(path, former->path) == 0 ? 0 : errno;
}

/* Copies the totals of all rings of the session [former] to the session that
   takes over from it, and goes on counting.  They begin anew if the former file
   cannot be read: the fault handler watches over the new file by now. */
COLD
static void keep_totals(const struct caml_ring_session *former)
{
  const struct eventring_slot *from = (const struct eventring_slot *)
    (former->map + former->header.directory_offset);
  struct eventring_slot *to = (struct eventring_slot *)
    (caml_ring_session.map + caml_ring_session.header.directory_offset);
  if (caml_eventring_guard_reading(former->map, former->header.file_size) != 0)
    return;
  for (uint32_t i = 0; i < former->header.rings; i++)
    if (from[i].total[EVENTRING_TOTAL_DOMAINS] != 0)
      memcpy(to[i].total, from[i].total, sizeof(to[i].total));
  caml_eventring_unguard_reading(former->map);
}

/* Puts the directory of the next ring file into [dir], which has PATH_MAX bytes:
   the absolute path of [in], or of the current directory if [in] is NULL.
   Returns 1, or 0 with a message in [why]. */
COLD
static int find_directory(const char *in, char *dir, char *why, size_t why_size)
{
  if (in != NULL ? realpath(in, dir) != NULL : getcwd(dir, PATH_MAX) != NULL)
    return 1;
  /* A name of any length must leave room for the reason. */
  snprintf(why, why_size, "cannot use %.1000s as the directory of the ring"
           " file: %s", in != NULL ? in : "the current directory",
           strerror(errno));
  return 0;
}

COLD
int caml_ring_start_session(const char *in,
                            const struct caml_ring_session *former,
                            uint64_t control, char *why, size_t why_size)
{
  struct caml_ring_session *s = &caml_ring_session;
  struct eventring_schema_entry schema[EVENTRING_RUNTIME_SCHEMA];
  struct eventring_header h;
  char dir[PATH_MAX], path[PATH_MAX + 32];
  const char *what, *reason;
  char *map = MAP_FAILED;
  struct mapping *mapping = NULL;
  struct stat st;
  int err, fd = -1, guarded = 0;

  memset(&h, 0, sizeof(h));
  lay_out(&h);
  h.clock = caml_ring_choose_clock();
  h.parent_pid = former != NULL ? former->header.parent_pid
                                : s->restart ? s->header.pid : 0;
  caml_ring_identify(&h);
#ifdef __linux__
  prctl(PR_GET_NAME, s->os_name);
#endif
  h.started = eventring_now(h.clock);
  h.traced_since_ns = former != NULL ? former->header.traced_since_ns
                                     : h.started.monotonic_ns;
  h.session = (uint64_t) s->number + 1;
  h.control = control & 0xFFFFFFFF00000000;     /* paused until all is set */
  h.state = EVENTRING_RUNNING;
  h.threshold = caml_ring_config.threshold;
  h.sample_period = caml_ring_config.sample_period;
  h.alloc_period = caml_ring_config.alloc_period;

  if (former == NULL && !find_directory(in, dir, why, why_size)) return 0;

  what = "create";
  fd = former != NULL
    ? caml_eventring_create_next(former->path, path, sizeof(path), &reason)
    : caml_eventring_create_file(dir, &h, s->suffix, path, sizeof(path),
                                 &reason);
  if (fd < 0) goto fail_message;

  /* From here on, errors are in errno or [err] and the file is removed. */
  what = "set the size of";
  err = EFBIG;
  if (h.file_size > INT64_MAX || h.file_size > SIZE_MAX) goto fail;
  err = 0;
  if (ftruncate(fd, (off_t) h.file_size) != 0) goto fail;
  if (fstat(fd, &st) != 0) goto fail;
  s->dev = st.st_dev;
  s->ino = st.st_ino;

  /* Writing allocates as well. */
  what = "write the header of";
  h.schema_count = EVENTRING_RUNTIME_SCHEMA;
  caml_ring_runtime_schema(schema);
  err = caml_ring_write_all(fd, schema, sizeof(schema), h.schema_offset);
  if (err == 0) err = caml_ring_write_all(fd, &h, sizeof(h), 0);
  if (err != 0) goto fail;

  what = "map";
  map = mmap(NULL, h.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) goto fail;
  reason = "less than 256 MiB of address space would be left to the program"
    " (ulimit -v)";
  if (!leaves_reserve()) goto fail_reason;
  mapping = malloc(sizeof(*mapping));
  if (mapping == NULL || !caml_ring_allocate_writers()) goto fail;
  *mapping = (struct mapping) { map, h.file_size, 1 };
  if (madvise(caml_ring_writers,
              (char *) (caml_ring_process_mark() + 1)
              - (char *) caml_ring_writers, MADV_WIPEONFORK) != 0) { /* before Linux 4.14: see SECURITY */ }
  /* Not to read ahead around each page that is touched first. */
  madvise(map, h.file_size, MADV_RANDOM);

  what = "watch over";
  err = caml_eventring_guard(map, h.file_size,
                             former != NULL ? former->path : path);
  if (err != 0) goto fail;
  guarded = 1;

  s->header = h;
  s->mapping = mapping;
  s->map = map;
  s->released = 0;
  atomic_store(&s->short_of_room, 0);
  s->schema_allocated = round_up_to_page(sizeof(schema));
  free(s->path);
  what = "remember the name of";
  s->path = strdup(path);
  if (s->path == NULL) goto fail;

  what = "allocate";
  err = caml_ring_allocate(h.directory_offset,
                           h.rings_offset - h.directory_offset);
  if (err != 0) goto fail;

  what = "add the program's events to";
  err = caml_ring_append_names();
  if (err != 0) goto fail;

  what = "watch for forks with";
  err = caml_ring_watch_forks();
  if (err != 0) goto fail;

  if (former != NULL) {
    keep_totals(former);
    what = "rename";
    err = take_place(path, former);
    if (err != 0) goto fail;
    /* A failure removes the file by this name. */
    snprintf(path, sizeof(path), "%s", former->path);
  }

  caml_ring_clock = h.clock;
  caml_ring_block_words = h.block_words;
  /* Never 0, the number of writers that were not used. */
  if (++s->number == 0) s->number = 1;
  __atomic_store_n(&s->started, 1, __ATOMIC_RELEASE);

  /* The last step: no probe notices anything before it, and every probe that
     notices finds the session through the session's lock. */
  what = "map the control page of";
  if (mmap(&caml_eventring_page, EVENTRING_PAGE, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
    err = errno;
    __atomic_store_n(&s->started, 0, __ATOMIC_RELEASE);
    /* Linux may have taken the old page away before it failed. */
    caml_eventring_replace_page();
    goto fail;
  }
  __atomic_store_n(&HEADER->control, control, __ATOMIC_RELEASE);
  /* Lost already: the store went to a page of zeros. */
  if (caml_eventring_is_lost())
    __atomic_store_n(&HEADER->control, 0, __ATOMIC_RELEASE);
  close(fd);
  return 1;

 fail:
  reason = strerror(err != 0 ? err : errno);
 fail_reason:
  if (guarded) caml_eventring_unguard();
  s->map = NULL;
  s->mapping = NULL;
  free(mapping);
  if (map != MAP_FAILED) munmap(map, h.file_size);
  unlink(path);
  close(fd);
 fail_message:
  snprintf(why, why_size, "cannot %s %s: %s", what, path, reason);
  return 0;
}

COLD
void caml_ring_keep_settings(void)
{
  uint64_t ns = __atomic_load_n(&HEADER->threshold, __ATOMIC_RELAXED);
  if (ns != 0) caml_ring_config.threshold = ns;
  ns = __atomic_load_n(&HEADER->sample_period, __ATOMIC_RELAXED);
  if (ns != 0) caml_ring_config.sample_period = ns;
  uint64_t words = __atomic_load_n(&HEADER->alloc_period, __ATOMIC_RELAXED);
  if (words != 0) caml_ring_config.alloc_period = words;
}

/* Ends the session: switches all probes off, stores [state] (ended or replaced)
   and the time in the header of the ring file, and removes the file unless the
   settings keep it or its path leads to another file.  Keeps the threshold for
   later sessions.  The file stays mapped; the control page becomes private
   memory.  No effect when no session is running.  Call with the session's lock
   held. */
COLD
static void end_session(enum eventring_state state)
{
  struct stat st;
  if (!caml_ring_session.started) return;
  uint64_t control = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
  __atomic_store_n(&HEADER->control, (uint64_t) categories_of(control) << 32,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&caml_ring_session.started, 0, __ATOMIC_RELEASE);
  caml_ring_keep_settings();
  struct eventring_instant ended = eventring_now(caml_ring_clock);
  HEADER->ended = ended;
  __atomic_store_n(&HEADER->state, state, __ATOMIC_RELEASE);
  caml_eventring_session_closed();
  if (!caml_ring_config.keep)
    caml_ring_leave_tombstone(&caml_ring_session, state, &ended);
  if (!caml_ring_config.keep && lstat(caml_ring_session.path, &st) == 0
      && st.st_dev == caml_ring_session.dev
      && st.st_ino == caml_ring_session.ino)
    unlink(caml_ring_session.path);
}

/* Number of writers that are disowned so far in the present stop-the-world
   section. */
static atomic_int stopped_writers;

/* Sets [stopped_writers] to 0 at the beginning of a stop-the-world section,
   called by the runtime in the domain that leads it. */
static void begin_stop(caml_domain_state *leader)
{
  (void) leader;
  atomic_store(&stopped_writers, 0);
}

/* Disowns the writer of [domain].  Called by the runtime in each of the
   [domains] domains of the stop-the-world section, after all of them have
   stopped.  Each domain leaves the section on its own, so the domain [leader]
   waits here for all others. */
static void stop_writer(caml_domain_state *domain, void *leader, int domains,
                        caml_domain_state **all)
{
  (void) all;
  disown(&caml_ring_writers[domain->id]);
  atomic_fetch_add(&stopped_writers, 1);
  if (domain == leader)
    while (atomic_load(&stopped_writers) < domains) sched_yield();
}

/* Stops all domains once and disowns their writers.  On return, no domain is in
   the middle of an event that it began before the call.  Call with the domain
   lock held, and not the session's lock: a domain that waits for the session's
   lock does not stop. */
COLD
static void stop_writers(void)
{
  /* Another domain may be about to stop all, this one among them. */
  while (!caml_try_run_on_all_domains(&stop_writer, Caml_state,
                                      &begin_stop)) { }
  caml_ring_stop_samples();
}

COLD
void caml_ring_unmap_kept(void)
{
  const struct eventring_header *h = &caml_ring_session.header;
  for (uint32_t i = 0; i < h->rings; i++)
    if (caml_ring_writers[i].kept) {
      caml_ring_writers[i].kept = 0;
      munmap(caml_ring_writers[i].ring, h->ring_words * sizeof(uint64_t));
    }
  munmap(caml_ring_session.map + h->directory_offset,
         h->rings_offset - h->directory_offset);
  free(caml_ring_session.mapping);
}

COLD
void caml_ring_unmap_session(void)
{
  struct caml_ring_session *s = &caml_ring_session;
  pthread_mutex_lock(&caml_ring_session_lock);
  if (s->map != NULL && !caml_eventring_started()) {
    end_session(EVENTRING_ENDED);       /* one that was lost */
    uint32_t number = caml_ring_session.number;
    pthread_mutex_unlock(&caml_ring_session_lock);
    stop_writers();
    pthread_mutex_lock(&caml_ring_session_lock);
    /* Another domain may have done it meanwhile. */
    if (s->map != NULL && !s->started
        && caml_ring_session.number == number) {
      caml_ring_release_samplers();
      caml_eventring_unguard();
      if (s->released) caml_ring_unmap_kept();
      else caml_ring_release_mapping(s->mapping);
      s->mapping = NULL;
      s->map = NULL;
    }
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
}

/* The place given to [caml_eventring_connect], NULL: none; under the session's
   lock. */
static uint64_t *distance_to_control;

/* Stores the distance to the control word at [distance_to_control], if that is
   set and tracing has started once.  Call with the session's lock held. */
COLD
static void connect_control(void)
{
  if (distance_to_control != NULL && caml_ring_session.number > 0)
    __atomic_store_n(distance_to_control,
                     (uintptr_t) &HEADER->control
                     - (uintptr_t) distance_to_control, __ATOMIC_RELAXED);
}

COLD
void caml_eventring_connect(uint64_t *place)
{
  pthread_mutex_lock(&caml_ring_session_lock);
  distance_to_control = place;
  connect_control();
  pthread_mutex_unlock(&caml_ring_session_lock);
}

COLD
void caml_ring_announce(void)
{
  const struct eventring_header *h = &caml_ring_session.header;
  char text[sizeof(h->argv0) + sizeof(h->runtime) + 8];
  caml_ev_lifecycle(EV_RING_START, getpid());
  snprintf(text, sizeof(text), "%.*s, OCaml %.*s",
           (int) sizeof(h->argv0) - 1, h->argv0,
           (int) sizeof(h->runtime) - 1, h->runtime);
  caml_eventring_text(EV_PROCESS_START, EVENTRING_DOMAIN, text);
  if (Caml_eventring_on(EVENTRING_PROFILE)) caml_eventring_sample_threads();
}

COLD
int caml_eventring_start(const char *dir, const char *suffix, uint32_t mask,
                         int paused, char *why, size_t size)
{
  struct caml_ring_session *s = &caml_ring_session;
  int ok;
  if (!caml_eventring_started()) caml_eventring_skip_words();
  for (;;) {
    caml_ring_lock_session();
    ok = caml_eventring_started();
    if (ok || s->map == NULL) break;
    pthread_mutex_unlock(&caml_ring_session_lock);
    caml_ring_unmap_session();
  }
  int fresh = !ok;
  if (fresh) {
    uint64_t control = (uint64_t) mask << 32 | (paused ? 0 : mask);
    sigset_t before;
    s->suffix = suffix;
    caml_eventring_hold_signals(&before);
    ok = caml_ring_start_session(dir != NULL ? dir : caml_ring_config.dir, NULL,
                                 control, why, size);
    caml_eventring_release_signals(&before);
    s->restart = 0;
    connect_control();
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
  if (ok && fresh) caml_ring_announce();
  return ok;
}

int caml_eventring_started(void)
{
  return __atomic_load_n(&caml_ring_session.started, __ATOMIC_ACQUIRE)
    && !caml_eventring_is_lost() && !caml_ring_left_behind();
}

COLD
void caml_ring_end_as(enum eventring_state state)
{
  caml_ring_end_cpu_used();
  if (caml_eventring_started()) caml_ev_lifecycle(EV_RING_STOP, 0);
  caml_ring_lock_session();
  end_session(state);
  pthread_mutex_unlock(&caml_ring_session_lock);
}

COLD
CAMLexport void caml_eventring_end(void)
{
  caml_ring_end_as(EVENTRING_ENDED);
}

COLD
void caml_eventring_end_by_exception(void)
{
  caml_ring_config.keep = 1;
  caml_eventring_end();
}

COLD
CAMLexport int caml_eventring_release_memory(void)
{
  /* Other domains may be in the middle of an event, and cannot be stopped here:
     their rings and the directory stay until [caml_ring_unmap_session]. */
  struct caml_ring_session *s = &caml_ring_session;
  const struct eventring_header *h = &s->header;
  if (!has_limited_space() || caml_ring_left_behind()) return 0;
  pthread_mutex_lock(&caml_ring_session_lock);
  int release = s->map != NULL && !s->released && s->mapping->users == 1;
  int was_started = release && s->started;
  if (release) {
    uint64_t bytes = h->ring_words * sizeof(uint64_t);
    end_session(EVENTRING_ENDED);
    caml_eventring_unguard();
    s->released = 1;
    munmap(s->map, h->directory_offset);
    for (uint32_t i = 0; i < h->rings; i++) {
      struct writer *w = &caml_ring_writers[i];
      int own = Caml_state_opt != NULL && Caml_state_opt->id == (int) i;
      if (own) disown(w);
      w->kept = !own && w->session == s->number && w->ring != NULL;
      if (!w->kept) munmap(s->map + h->rings_offset + i * bytes, bytes);
    }
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
  if (was_started)
    caml_eventring_complain("out of memory: the program gets the memory of the"
                            " rings; tracing is off");
  return release;
}
