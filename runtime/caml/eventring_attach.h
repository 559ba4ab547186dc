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

/* Requests to a running process to start or to end tracing.

   A process that may debug another process writes a struct eventring_request
   into its memory.  Then it makes the runtime take the slow path of a probe: to
   attach, by storing [armed] in the control word, as long as no ring file is
   mapped there; to detach, by taking their blocks from the writers.  The slow
   path has the request carried out at the next point at which signal handlers
   may run.  A loop without allocation has no probes: so the process stores the
   largest number in the [limits] of the domains, as a domain does that interrupts
   others, and the loop comes to such a point at its next turn.

   To take a request to attach back, it stores 0 in [pid] and then NONE in
   [state]: while the runtime carries the request out, [state] is NONE and [pid]
   is not 0.

   The memory is found by a note in the executable, or in the shared object with
   the runtime.  The note is loaded with the program, and strip keeps it. */

#ifndef CAML_EVENTRING_ATTACH_H
#define CAML_EVENTRING_ATTACH_H

#include <stdint.h>

/* The owner and the type of the note.  Its content is a 32-bit integer: the
   distance in bytes from there to the struct eventring_attach_point. */
#define EVENTRING_NOTE "Eventring"
#define EVENTRING_NOTE_TYPE 0x100

/* The version of the two structs below.  Since 2, there are [limits]. */
#define EVENTRING_ATTACH_VERSION 2

enum eventring_request_state {
  EVENTRING_REQUEST_NONE = 0,
  /* Stored by the other process. */
  EVENTRING_REQUEST_ATTACH = 1,
  EVENTRING_REQUEST_DETACH = 2,
  /* Stored by the runtime in answer. */
  EVENTRING_REQUEST_STARTED = 3,        /* or had started before */
  EVENTRING_REQUEST_ENDED = 4,          /* or had not started */
  EVENTRING_REQUEST_REFUSED = 5         /* see [answer] */
};

#define EVENTRING_REQUEST_DIR 1024
#define EVENTRING_REQUEST_ANSWER 512

struct eventring_request {
  uint32_t state;               /* atomic, enum eventring_request_state; stored
                                   last */
  int32_t pid;                  /* atomic; of the process that is meant, in its
                                   own pid namespace: a forked child is not; 0:
                                   the request was taken back */
  char dir[EVENTRING_REQUEST_DIR];  /* for the ring file; "": the runtime
                                       chooses */
  char answer[EVENTRING_REQUEST_ANSWER]; /* why it was refused */
};

/* Where to write.  Pointers are addresses in the process. */
struct eventring_attach_point {
  uint32_t version;             /* EVENTRING_ATTACH_VERSION */
  uint32_t armed;               /* categories whose probes take the slow path */
  void *page;                   /* struct eventring_header */
  struct eventring_request *request;
  void *writers;                /* the address of a pointer to the writers, of
                                   which there is one for each ring */
  uint32_t writer_size;         /* bytes of a writer */
  uint32_t writer_owner;        /* offset in it of an int32_t: -1 takes the block
                                   from its domain */
  void *limits;                 /* the address of a pointer to an array of 64-bit
                                   integers: how many there are after this one;
                                   the address of [young_limit] of each domain,
                                   or 0: those of domains come first */
};

#endif /* CAML_EVENTRING_ATTACH_H */
