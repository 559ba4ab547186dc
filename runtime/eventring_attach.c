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

/* Attaching: another process asks for tracing to start or to end.  See
   caml/eventring_attach.h for the way in which it does that.

     control word, or a writer without a block
       -> slow path of a probe     [caml_ring_notice_request]: an action is
                                   pending
     an interrupt
       -> next allocation or turn of a loop
     -> next pending action        [caml_eventring_attend]

   A probe itself cannot carry a request out: it may run in the middle of a
   collection, and to end a session stops all domains.  A pending action runs
   where a signal handler of the program may call Eventring.start.

   In a process that nobody attaches to, nothing here is tested, and nothing runs
   but for one store for each new domain: the slow path of a probe is taken while
   recording only.  The request is trusted as much as the environment: a writer to
   this memory can do anything.

   The data points of the program are evaluated in the same place, when somebody
   has switched the category EVENTRING_POINTS on: in the first domain that gets
   here, which switches the category off before that, so that they are evaluated
   once.  A domain gets here when its minor heap is full; when it has left a
   blocking section or begun a block of its ring, which make an action pending;
   and whenever the runtime has something else to do.  Requests for rings of
   another size are carried out there too, see eventring_handover.c. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "caml/domain.h"
#include "caml/eventring.h"
#include "caml/eventring_attach.h"
#include "caml/signals.h"
#include "caml/startup_aux.h"
#include "eventring_internal.h"

static struct eventring_request request;

/* Probes of these categories need no time of their own.  A wait that is timed
   before the session has chosen its clock would be wrong. */
#define ARMED (EVENTRING_GC | EVENTRING_THREAD)

#if defined(__linux__) && defined(__ELF__) && defined(__LP64__)

/* Where the limit of each domain's minor heap is: 1 + the domain's index is the
   index; the first element is the number of those after it.  The memory of a domain
   is used again, and not freed before OCaml ends.  The list is never freed: another
   process may be reading it.  NULL: there was no memory. */
static uint64_t *limits;

COLD
void caml_eventring_note_limit(caml_domain_state *domain)
{
  if (limits == NULL) {
    uint64_t *list = calloc(1 + (size_t) EVENTRING_DOMAINS, sizeof(uint64_t));
    if (list == NULL) return;
    list[0] = EVENTRING_DOMAINS;
    limits = list;
  }
  limits[1 + domain->id] = (uintptr_t) &domain->young_limit;
}

COLD
void caml_eventring_forget_limits(void)
{
  if (limits != NULL) memset(&limits[1], 0, limits[0] * sizeof(uint64_t));
}

/* The name is for the note. */
__attribute__((used, visibility("hidden")))
const struct eventring_attach_point caml_eventring_attach_point = {
  .version = EVENTRING_ATTACH_VERSION,
  .armed = ARMED,
  .page = &caml_eventring_page,
  .request = &request,
  .writers = &caml_ring_writers,
  .writer_size = sizeof(struct writer),
  .writer_owner = offsetof(struct writer, domain),
  .limits = &limits
};

/* Sizes of the owner's name and of the content, the type, the name with its
   padding, the content. */
__asm__(".pushsection .note.eventring, \"a\", %note\n"
        "  .balign 4\n"
        "  .long 10, 4, 0x100\n"
        "  .asciz \"" EVENTRING_NOTE "\"\n"
        "  .balign 4\n"
        "  .long caml_eventring_attach_point - .\n"
        "  .popsection\n");

_Static_assert(sizeof(EVENTRING_NOTE) == 10 && EVENTRING_NOTE_TYPE == 0x100,
               "the note says so");

#else

void caml_eventring_note_limit(caml_domain_state *domain)
{
  (void) domain;
}

void caml_eventring_forget_limits(void) { }

#endif

/* Returns the request of another process that was not carried out yet,
   EVENTRING_REQUEST_ATTACH or EVENTRING_REQUEST_DETACH, or another state if
   there is none. */
static uint32_t asked(void)
{
  return __atomic_load_n(&request.state, __ATOMIC_ACQUIRE);
}

/* Returns 1 if [state] is a request, 0 if it is an answer or nothing. */
static int is_request(uint32_t state)
{
  return state == EVENTRING_REQUEST_ATTACH || state == EVENTRING_REQUEST_DETACH;
}

COLD
void caml_eventring_act_soon(void)
{
  caml_set_action_pending(Caml_state);
  /* OCaml code does not look at pending actions after a C function, but at the
     limit of its minor heap. */
  caml_interrupt_self();
}

COLD
void caml_ring_notice_request(void)
{
  if (is_request(asked())) caml_eventring_act_soon();
}

/* Stores [state], the answer, for the other process to read; unless it has another
   request by now, which is then carried out. */
static void answer(uint32_t state)
{
  uint32_t none = EVENTRING_REQUEST_NONE;
  if (!__atomic_compare_exchange_n(&request.state, &none, state, 0,
                                   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    caml_eventring_act_soon();
}

/* Returns 1 if the request is for this process; else 0: it was taken back, or was
   for the parent of this process. */
static int is_for_us(void)
{
  return __atomic_load_n(&request.pid, __ATOMIC_RELAXED) == getpid();
}

/* Switches the probes off that another process has switched on, if no session
   runs. */
static void disarm(void)
{
  pthread_mutex_lock(&caml_ring_session_lock);
  if (!caml_ring_session.started)
    __atomic_store_n(&HEADER->control, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&caml_ring_session_lock);
}

COLD
static void end(void)
{
  caml_eventring_end();
  caml_ring_unmap_session();
}

/* Starts tracing with the default categories, in the directory of the request,
   or else in the one that the environment says, or else in /tmp.  Answers. */
COLD
static void attach(void)
{
  const char *dir = request.dir;
  request.dir[sizeof(request.dir) - 1] = '\0';
  if (*dir == '\0')
    dir = caml_ring_config.dir != NULL ? caml_ring_config.dir : "/tmp";
  if (caml_eventring_start(dir, EVENTRING_SUFFIX, EVENTRING_DEFAULT_CATEGORIES,
                           0, request.answer, sizeof(request.answer))) {
    const int wanted = is_for_us();
    if (!wanted) end();
    answer(wanted ? EVENTRING_REQUEST_STARTED : EVENTRING_REQUEST_ENDED);
  } else {
    disarm();
    answer(EVENTRING_REQUEST_REFUSED);
  }
}

void (*caml_ring_evaluate_points)(void);
uint8_t caml_ring_evaluating;

/* Switches the category EVENTRING_POINTS off.  Returns 1 if it was on, and this
   domain is the one that has switched it off; else 0. */
static int take_points(void)
{
  uint64_t c = __atomic_load_n(&HEADER->control, __ATOMIC_RELAXED);
  do {
    if (((uint32_t) c & EVENTRING_POINTS) == 0) return 0;
  } while (!__atomic_compare_exchange_n(&HEADER->control, &c,
                                        without_points(c), 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return 1;
}

/* Evaluates the points of the program, if they are asked for and no other
   thread evaluates them: then they stay asked for.  Writes the event EV_POINTS
   also for a program without points. */
COLD
static void attend_points(void)
{
  /* A child that was made by _Fork or clone sees its parent's request. */
  if (caml_ring_left_behind()
      || __atomic_exchange_n(&caml_ring_evaluating, 1, __ATOMIC_ACQUIRE))
    return;
  if (take_points()) {
    if (caml_ring_evaluate_points != NULL) caml_ring_evaluate_points();
    else caml_ring_end_points(caml_eventring_ticks(), 0);
  }
  __atomic_store_n(&caml_ring_evaluating, 0, __ATOMIC_RELEASE);
}

void caml_ring_end_points(uint64_t since, uint64_t points)
{
  uint64_t field[] = { caml_eventring_ticks() - since, points };
  caml_eventring_emit_packed(EVENTRING_RECORD(EV_POINTS), field, 2);
}

COLD
void caml_eventring_attend(void)
{
  if (Caml_eventring_on(EVENTRING_POINTS)) attend_points();
  if (Caml_eventring_on(EVENTRING_RING_REQUEST)) caml_ring_attend_request();
  uint32_t wish = asked();
  if (!is_request(wish)
      || !__atomic_compare_exchange_n(&request.state, &wish,
                                      EVENTRING_REQUEST_NONE, 0,
                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  if (!is_for_us()) {
    disarm();
  } else if (wish == EVENTRING_REQUEST_ATTACH) {
    attach();
  } else {
    end();
    answer(EVENTRING_REQUEST_ENDED);
  }
}
