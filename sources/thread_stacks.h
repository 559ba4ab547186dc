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

/* The stacks of all threads of a process, as they are now.  The process is stopped
   meanwhile, as under a debugger, and need not answer:

     struct thread_stacks *s = take_thread_stacks(pid, 256, NULL, NULL, why, sizeof why);
     for (uint32_t i = 0; i < s->count; i++) s->list[i] ...
     free_thread_stacks(s); */

#ifndef SOURCES_THREAD_STACKS_H
#define SOURCES_THREAD_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "code_place.h"
#include "eventring_reader.h"

#define THREAD_NAME 16            /* bytes, with a NUL */
#define CALL_ARGUMENTS 6

struct thread_stack {
  uint32_t thread;                /* the system's id */
  uint32_t own_id;                /* the same, in the pid namespace of the process */
  char name[THREAD_NAME];         /* that the system has for it; any bytes */
  char state;                     /* before the stop, as R in /proc/PID/stat */
  bool by_signal;                 /* a signal had stopped it already */
  long call;                      /* the number of the system call that it is in; -1: it
                                     runs, -2: not known */
  uint64_t arguments[CALL_ARGUMENTS];   /* of the call */
  bool waits_in_futex;            /* it is the call, and does not wake another thread */
  char *file;                     /* that the process has as the descriptor with the number
                                     arguments[0]; NULL: none */
  uint64_t mutex;                 /* the address of the pthread_mutex_t for which it waits;
                                     0: for none */
  uint32_t holder;                /* the thread that has the mutex */
  uint32_t count;                 /* of frames */
  struct code_address *frames;    /* the innermost first */
  const char *cut;                /* why there are no further frames; NULL: these are all */
};

struct thread_stacks {
  int64_t stopped_ns;             /* how long the process was stopped */
  uint32_t count;
  struct thread_stack *list;      /* by their ids */
  pid_t living;                   /* one of them: the main thread may have ended */
  uint32_t mapping_count;
  struct eventring_mapping *mappings;   /* the code of the process */
};

/* Stops all threads of process [pid], notes their stacks, at most [most] frames each, calls
   [meanwhile], unless it is NULL, with [state], and lets them go on.  Returns the stacks;
   the caller frees them with free_thread_stacks.  Returns NULL, with a message in [why] of
   [why_size] bytes, when the process has ended, has another format of machine code, or the
   system does not allow to stop it.  The process goes on when the caller ends; a thread that
   did not stop in time may stop until then.  Not for several threads at a time, nor in a
   program that traces other processes. */
struct thread_stacks *take_thread_stacks(pid_t pid, uint32_t most,
                                         void (*meanwhile)(void *state), void *state,
                                         char *why, size_t why_size);
void free_thread_stacks(struct thread_stacks *stacks);

#endif /* SOURCES_THREAD_STACKS_H */
