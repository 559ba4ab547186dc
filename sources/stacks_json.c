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

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "json.h"
#include "live_stats.h"
#include "memory.h"
#include "profile_types.h"
#include "stacks_json.h"
#include "symbols.h"
#include "target.h"
#include "thread_stacks.h"

/* The rings of the process, as far as they are read; without a cursor, there are none. */
struct rings {
  struct eventring_cursor *cursor;
  bool current;                   /* they are of the process that was stopped */
  struct live_stats *live;
  struct live_thread *threads;
  int count;
};

struct stacks {
  const struct thread_stacks *taken;
  struct symbols *symbols;
  const struct rings *rings;
};

/* Rings */

/* Times in which the rings are read, before the process is stopped and while it is: other
   writers, such as its children, may go on. */
#define FIRST_READ_NS INT64_C(5000000000)
#define LAST_READ_NS INT64_C(100000000)

/* Reads events until one is later than [until_ns], there are no more, or [most_ns] have
   passed.  Unlike read_cursor, it leaves the following ones to the next call. */
static void read_until(struct rings *r, int64_t until_ns, int64_t most_ns)
{
  struct eventring_event events[256];
  int count;
  int64_t last_ns = INT64_MIN;
  const int64_t end_ns = monotonic_ns() + most_ns;
  while (last_ns <= until_ns && monotonic_ns() < end_ns
         && ((count = eventring_read(r->cursor, events, sizeof events / sizeof *events)) > 0
             || count == EVENTRING_E_DAMAGED))
    for (int i = 0; i < count; i++) {
      live_event(r->live, &events[i]);
      last_ns = events[i].ns;
    }
}

/* Reads the last events of a process that is stopped.  Another one may have its id
   meanwhile. */
static void read_last(void *rings)
{
  struct rings *r = rings;
  r->current = eventring_state(r->cursor) == EVENTRING_STATE_RUNNING;
  if (r->current) read_until(r, INT64_MAX, LAST_READ_NS);
}

/* Returns thread [t] of the rings; NULL: they do not have it.  They cannot tell whether one
   of another pid namespace has ended. */
static const struct live_thread *known_thread(const struct rings *r,
                                              const struct thread_stack *t)
{
  for (int i = 0; r->current && i < r->count; i++)
    if (r->threads[i].thread == t->own_id
        && (!r->threads[i].ended || t->own_id != t->thread)) return &r->threads[i];
  return NULL;
}

/* Returns the name of [t], which the rings may know as [known]. */
static const char *name_of(const struct rings *r, const struct live_thread *known,
                           const struct thread_stack *t)
{
  const char *name = known == NULL ? NULL
    : eventring_thread_name(r->cursor, known->domain, known->thread, known->thread_id);
  if (name == NULL && known != NULL && !known->backup)
    name = eventring_domain_name(r->cursor, known->domain);
  return name != NULL ? name : t->name;
}

/* Waits */

/* The system calls in which threads wait, and whether the first argument is a
   descriptor. */
static const struct { long number; const char *name; bool descriptor; } calls[] = {
  { SYS_read, "read", true }, { SYS_readv, "readv", true },
  { SYS_pread64, "pread", true }, { SYS_write, "write", true },
  { SYS_writev, "writev", true }, { SYS_pwrite64, "pwrite", true },
  { SYS_recvfrom, "recvfrom", true }, { SYS_recvmsg, "recvmsg", true },
  { SYS_sendto, "sendto", true }, { SYS_sendmsg, "sendmsg", true },
  { SYS_accept, "accept", true }, { SYS_accept4, "accept", true },
  { SYS_connect, "connect", true }, { SYS_flock, "flock", true },
  { SYS_fcntl, "fcntl", true }, { SYS_fsync, "fsync", true },
  { SYS_epoll_pwait, "epoll_wait", true },
#ifdef SYS_epoll_wait
  { SYS_epoll_wait, "epoll_wait", true },
  { SYS_poll, "poll", false }, { SYS_select, "select", false },
  { SYS_pause, "pause", false },
#endif
  { SYS_ppoll, "poll", false }, { SYS_pselect6, "select", false },
  { SYS_wait4, "wait", false }, { SYS_waitid, "wait", false },
  { SYS_nanosleep, "sleep", false }, { SYS_clock_nanosleep, "sleep", false },
  { SYS_rt_sigsuspend, "sigsuspend", false }, { SYS_rt_sigtimedwait, "sigwait", false },
  { SYS_openat, "open", false }, { SYS_futex, "futex", false },
  /* Goes on with a sleep or poll that a stop has interrupted. */
  { SYS_restart_syscall, "restart_syscall", false }
};
#define CALLS (sizeof calls / sizeof *calls)

/* Returns the number in [calls] of the system call [call], or CALLS. */
static size_t place_of_call(long call)
{
  size_t i = 0;
  while (i < CALLS && calls[i].number != call) i++;
  return i;
}

/* Returns the system call of a thread; null: none. */
static json_t *json_call(const struct thread_stack *t)
{
  const size_t i = place_of_call(t->call);
  if (i == CALLS)
    return t->call < 0 ? json_null() : json_pack("{s:o}", "name", json_null());
  return !calls[i].descriptor ? json_pack("{s:s}", "name", calls[i].name)
    : json_pack("{s:s, s:i, s:o}", "name", calls[i].name,
                "descriptor", (int) t->arguments[0],
                "file", t->file == NULL ? json_null() : json_text(t->file));
}

/* Returns the state of a thread.  One that ran before it was stopped in a call that is
   over soon has not waited. */
static const char *state_of(const struct thread_stack *t)
{
  if (t->by_signal) return "stopped";
  if (t->call < 0) return t->call == -1 ? "running" : "unknown";
  return t->state == 'R' && place_of_call(t->call) == CALLS ? "running" : "waiting";
}

#define DOMAIN_LOCK "domain_lock"

/* Functions of OCaml's runtime and of glibc in which a thread waits. */
static const struct { const char *function, *kind; } waits[] = {
  { "caml_ml_mutex_lock", "mutex" }, { "pthread_mutex_lock", "mutex" },
  { "__pthread_mutex_lock", "mutex" }, { "___pthread_mutex_lock", "mutex" },
  { "__GI___pthread_mutex_lock", "mutex" }, { "__pthread_mutex_cond_lock", "mutex" },
  { "__pthread_mutex_lock_full", "mutex" }, { "pthread_mutex_timedlock", "mutex" },
  { "___pthread_mutex_timedlock", "mutex" }, { "__pthread_mutex_timedlock", "mutex" },
  { "__pthread_mutex_clocklock_common", "mutex" },
  { "caml_ml_condition_wait", "condition" },
  { "st_masterlock_acquire", DOMAIN_LOCK }, { "st_thread_yield", DOMAIN_LOCK },
  { "caml_thread_join", "thread_join" }
};

/* Returns the kind of the wait in the function [name]; NULL: it does not wait. */
static const char *wait_in(const char *name)
{
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
    if (strcmp(waits[i].function, name) == 0) return waits[i].kind;
  return NULL;
}

/* Frames */

/* Returns the functions of [t], the innermost first, and sets *waits_for to the kind of the
   innermost wait; NULL: it does not wait.  But a function that has waited waits for the lock
   of its domain at last. */
static json_t *json_frames(const struct stacks *s, const struct thread_stack *t,
                           const char **waits_for)
{
  json_t *array = json_array();
  *waits_for = NULL;
  for (uint32_t i = 0; i < t->count; i++) {
    const struct frame *frames;
    const uint32_t count = find_frames(s->symbols, t->frames[i], &frames);
    for (uint32_t k = 0; k < count; k++) {
      const struct frame *f = &frames[k];
      const char *wait = wait_in(f->function);
      if (wait != NULL && t->waits_in_futex
          && (*waits_for == NULL || strcmp(wait, DOMAIN_LOCK) == 0)) *waits_for = wait;
      json_array_append_new(array, json_pack(
        "{s:o, s:s, s:o, s:o}", "function", json_text(f->function),
        "kind", frame_kind_names[f->kind],
        "file", f->file == NULL ? json_null() : json_text(f->file),
        "line", f->line == 0 ? json_null() : json_integer(f->line)));
    }
  }
  return array;
}

static json_t *json_thread(const struct stacks *s, const struct thread_stack *t)
{
  const struct live_thread *known = known_thread(s->rings, t);
  struct summary *summary = s->rings->current ? live_summary(s->rings->live) : NULL;
  const char *waits_for;
  char mutex[32] = "";
  json_t *frames = json_frames(s, t, &waits_for);
  const bool in_mutex = t->mutex != 0 && waits_for != NULL
                        && strcmp(waits_for, "mutex") == 0;
  if (in_mutex) snprintf(mutex, sizeof mutex, "0x%" PRIx64, t->mutex);
  return json_pack(
    "{s:I, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
    "thread", (json_int_t) t->thread,
    "name", json_text(name_of(s->rings, known, t)),
    "domain", known == NULL ? json_null() : json_integer(known->domain),
    "backup", known == NULL ? json_null() : json_boolean(known->backup),
    "state", state_of(t), "call", json_call(t),
    "waits_for", waits_for == NULL ? json_null() : json_string(waits_for),
    "mutex", in_mutex ? json_string(mutex) : json_null(),
    "holder", in_mutex ? json_integer(t->holder) : json_null(),
    "request", summary == NULL ? json_null() : json_request_of(summary, t->own_id),
    "spans", summary == NULL ? json_null() : json_open_spans(summary, t->own_id, false),
    "frames", frames,
    "cut", t->cut == NULL ? json_null() : json_string(t->cut));
}

/* Deadlocks */

/* Returns the index of thread [id] in [list], which is sorted; -1: none. */
static int index_of(const struct thread_stacks *list, json_int_t id)
{
  uint32_t from = 0, to = list->count;
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    if (list->list[middle].thread < id) from = middle + 1;
    else to = middle;
  }
  return from < list->count && list->list[from].thread == id ? (int) from : -1;
}

/* Returns for each thread the index of that which has its mutex; -1: none.  The caller frees
   the array. */
static int *holders_of(json_t *threads, const struct thread_stacks *taken)
{
  int *holders = allocate(taken->count, sizeof *holders);
  for (uint32_t i = 0; i < taken->count; i++) {
    json_t *holder = json_object_get(json_array_get(threads, i), "holder");
    holders[i] = json_is_integer(holder) ? index_of(taken, json_integer_value(holder)) : -1;
  }
  return holders;
}

/* Returns the circles of threads each of which waits for a mutex of the next. */
static json_t *json_deadlocks(json_t *threads, const struct thread_stacks *taken)
{
  json_t *circles = json_array();
  int *holders = holders_of(threads, taken);
  /* The number from which on the walk came to a thread, plus 1; 0: none did. */
  uint32_t *walks = allocate(taken->count, sizeof *walks);
  for (uint32_t i = 0; i < taken->count; i++) {
    int at = (int) i;
    for (; at >= 0 && walks[at] == 0; at = holders[at]) walks[at] = i + 1;
    if (at < 0 || walks[at] != i + 1) continue;
    const int first = at;
    json_t *circle = json_array();
    do {
      json_array_append_new(circle, json_integer(taken->list[at].thread));
      at = holders[at];
    } while (at != first);
    json_array_append_new(circles, circle);
  }
  free(walks);
  free(holders);
  return circles;
}

static const struct eventring_mapping *mapping_of_stacks(void *stacks, uint32_t index)
{
  const struct thread_stacks *s = stacks;
  return index < s->mapping_count ? &s->mappings[index] : NULL;
}

json_t *json_stacks(pid_t pid, struct eventring_cursor *cursor, uint32_t most,
                    void (*say)(void *state, const char *message), void *state, char *why,
                    size_t why_size)
{
  struct rings rings = { .cursor = cursor };
  if (cursor != NULL) {
    rings.live = new_live_stats(cursor);
    /* Few events are left for the time in which the process is stopped. */
    read_until(&rings, monotonic_ns(), FIRST_READ_NS);
  }
  struct thread_stacks *taken = take_thread_stacks(
    pid, most, cursor == NULL ? NULL : read_last, &rings, why, why_size);
  json_t *json = NULL;
  if (taken != NULL) {
    struct stacks s = { .taken = taken, .rings = &rings };
    if (rings.current) {
      rings.threads = allocate(LIVE_THREADS, sizeof *rings.threads);
      rings.count = live_threads(rings.live, live_last_ns(rings.live), rings.threads,
                                 LIVE_THREADS);
    }
    s.symbols = new_symbols_of(mapping_of_stacks, taken, say, state);
    symbols_of_process(s.symbols, taken->living);
    json_t *threads = json_array();
    for (uint32_t i = 0; i < taken->count; i++)
      json_array_append_new(threads, json_thread(&s, &taken->list[i]));
    json = json_pack("{s:i, s:I, s:I, s:o, s:o}", "version", JSON_VERSION,
                     "pid", (json_int_t) pid,
                     "stopped_ns", (json_int_t) taken->stopped_ns,
                     "deadlocks", json_deadlocks(threads, taken), "threads", threads);
    free_symbols(s.symbols);
  }
  if (cursor != NULL) free_live_stats(rings.live);
  free(rings.threads);
  free_thread_stacks(taken);
  return json;
}
