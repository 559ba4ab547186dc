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

/* The mappings of libeventring are in a list.  Of such a file, all from the page of
   the access on is gone; of another one, such as an executable that libdw reads,
   the page is all that is known.  The handler may wait for the lock of the list,
   since nobody reads a mapped file while holding it. */

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "caml/eventring_hooks.h"
#include "cut_files.h"

struct mapping {
  struct mapping *next;
  char *base;
  size_t size;
  uint64_t cut_at;                /* see eventring_hooks.h */
};

static atomic_flag locked = ATOMIC_FLAG_INIT;   /* of the list */
static struct mapping *mappings;
static uintptr_t page_size;

static void lock_mappings(void)
{
  while (atomic_flag_test_and_set(&locked)) sched_yield();
}

static void unlock_mappings(void)
{
  atomic_flag_clear(&locked);
}

/* Returns the place of the mapping that holds the address [at] in the list, or the
   end of the list.  The caller holds the lock. */
static struct mapping **find_mapping(uintptr_t at)
{
  struct mapping **m = &mappings;
  while (*m != NULL && at - (uintptr_t) (*m)->base >= (*m)->size) m = &(*m)->next;
  return m;
}

/* Hooks */

static int guard(char *base, size_t size)
{
  struct mapping *m = malloc(sizeof *m);
  if (m == NULL) return ENOMEM;
  lock_mappings();
  *m = (struct mapping) { .next = mappings, .base = base, .size = size };
  mappings = m;
  unlock_mappings();
  return 0;
}

static void unguard(char *base)
{
  lock_mappings();
  struct mapping **place = find_mapping((uintptr_t) base), *m = *place;
  *place = m->next;
  unlock_mappings();
  free(m);
}

static uint64_t cut_at(const char *base)
{
  lock_mappings();
  const uint64_t offset = (*find_mapping((uintptr_t) base))->cut_at;
  unlock_mappings();
  return offset;
}

static const struct eventring_hooks hooks = {
  .guard = guard, .unguard = unguard, .cut_at = cut_at
};

/* The handler */

/* Puts zeros in place of the page of the address [at], and of all behind it that
   is of the same ring file.  Returns whether that succeeded. */
static bool put_zeros(uintptr_t at)
{
  const uintptr_t page = at & -page_size;
  lock_mappings();
  struct mapping *m = *find_mapping(page);
  const uintptr_t base = m == NULL ? page : (uintptr_t) m->base;
  const size_t size = m == NULL ? page_size : base + m->size - page;
  const bool done = mmap((void *) page, size, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
                         | MAP_FIXED, -1, 0) != MAP_FAILED;
  const uint64_t offset = page > base ? page - base : 1;
  if (done && m != NULL && (m->cut_at == 0 || offset < m->cut_at))
    m->cut_at = offset;
  unlock_mappings();
  return done;
}

/* Runs in several threads at a time when a file that they all read is cut. */
static void handle(int number, siginfo_t *info, void *context)
{
  const int error = errno;
  (void) context;
  if (info->si_code != BUS_ADRERR || !put_zeros((uintptr_t) info->si_addr)) {
    /* It is blocked until this returns. */
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = error;
}

void survive_cut_files(void)
{
  struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
  sigemptyset(&action.sa_mask);
  page_size = (uintptr_t) sysconf(_SC_PAGESIZE);
  eventring_hooks = &hooks;
  sigaction(SIGBUS, &action, NULL);
}
