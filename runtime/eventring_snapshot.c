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

/* Snapshot: the rings as they are now, in a file of their own, as if the
   process had ended at this moment.  A program that takes none is linked
   without this file. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "caml/eventring.h"
#include "caml/eventring_clock.h"
#include "eventring_internal.h"

/* The session to copy.  It stays mapped when tracing stops meanwhile. */
struct source {
  struct eventring_header header;
  uint32_t session;             /* its number */
  struct mapping *mapping;
};

/* Words that are copied from a ring at most, over all attempts, apart from the
   first attempt. */
#define MAX_COPIED ((uint64_t) 1 << 20)

/* Copies ring [i] of the session [from] to the file of [fd], and sets *copy to
   the slot with the words copied.  [buffer] has room for a ring.  Returns 0 or an
   errno; also 0, and copies nothing, when the ring is empty or the writer
   overtakes the copy again and again.  The ring's domain may write meanwhile: a
   reader ignores the blocks that it wrote to, by the [reserve] that is read after
   the copy. */
COLD
static int copy_ring(const struct source *from, int fd, uint32_t i,
                     uint64_t *buffer, struct eventring_slot *result)
{
  const struct eventring_header *h = &from->header;
  const struct eventring_slot *slot = (const struct eventring_slot *)
    (from->mapping->base + h->directory_offset) + i;
  uint64_t offset = h->rings_offset + i * h->ring_words * sizeof(uint64_t);
  const uint64_t *ring = (const uint64_t *) (from->mapping->base + offset);
  struct eventring_slot copy;
  uint64_t words, copied = 0;

  memset(&copy, 0, sizeof(copy));
  do {
    /* So many only if somebody else writes to the directory. */
    if (copied > MAX_COPIED) return 0;
    /* The events before [tail] are seen with it. */
    copy.tail = __atomic_load_n(&slot->tail, __ATOMIC_ACQUIRE);
    if (copy.tail == 0) return 0;
    words = copy.tail < h->ring_words ? copy.tail : h->ring_words;
    for (uint64_t w = 0; w < words; w++)
      buffer[w] = __atomic_load_n(&ring[w], __ATOMIC_RELAXED);
    copied += words + 1;
    /* If a word of a later block was seen, so is the [reserve] before it. */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    copy.reserve = __atomic_load_n(&slot->reserve, __ATOMIC_RELAXED);
    /* Overtaken by a whole lap (a tiny ring): nothing of it is good. */
  } while (copy.reserve >= copy.tail + h->ring_words);
  *result = copy;
  return caml_ring_write_all(fd, buffer, words * sizeof(uint64_t), offset);
}

/* Writes the slot of ring [i] of the session [from] to the file of [fd]: the
   places in [copy], and the present totals; nothing if there are neither.  Returns
   0 or an errno. */
COLD
static int copy_slot(const struct source *from, int fd, uint32_t i,
                     struct eventring_slot *copy)
{
  const struct eventring_header *h = &from->header;
  const struct eventring_slot *slot = (const struct eventring_slot *)
    (from->mapping->base + h->directory_offset) + i;
  for (int t = 0; t < EVENTRING_TOTALS; t++)
    copy->total[t] = __atomic_load_n(&slot->total[t], __ATOMIC_RELAXED);
  if (copy->tail == 0 && copy->total[EVENTRING_TOTAL_DOMAINS] == 0) return 0;
  return caml_ring_write_all(fd, copy, sizeof(*copy),
                             h->directory_offset + i * sizeof(*copy));
}

/* Writes the session [from] to the file of [fd], as if tracing had ended now:
   header, schema, slots, and each ring that a domain has used.  [buffer] has room for
   a ring.  Rings without events become holes.  Returns 0 or an errno.  Call
   without the session's lock. */
COLD
static int copy_session(const struct source *from, int fd, uint64_t *buffer)
{
  struct eventring_header h = from->header;
  h.control = (uint64_t) caml_eventring_categories() << 32;
  h.ended = eventring_now(h.clock);
  h.state = EVENTRING_ENDED;
  int err = ftruncate(fd, (off_t) h.file_size) != 0 ? errno : 0;
  for (uint32_t i = 0; err == 0 && i < h.rings; i++) {
    /* The slot of a ring that no domain has used says nothing. */
    pthread_mutex_lock(&caml_ring_session_lock);
    int used = caml_ring_writers[i].session == from->session;
    pthread_mutex_unlock(&caml_ring_session_lock);
    struct eventring_slot copy;
    memset(&copy, 0, sizeof(copy));
    if (used) err = copy_ring(from, fd, i, buffer, &copy);
    /* Totals may be of an earlier session. */
    if (err == 0) err = copy_slot(from, fd, i, &copy);
  }
  /* Every name that the rings may refer to by now */
  pthread_mutex_lock(&caml_ring_session_lock);
  if (caml_ring_session.mapping == from->mapping)
    h.schema_count = caml_ring_session.header.schema_count;
  pthread_mutex_unlock(&caml_ring_session_lock);
  if (err == 0)
    err = caml_ring_write_all(fd, from->mapping->base + h.schema_offset,
                    h.schema_count * sizeof(struct eventring_schema_entry),
                    h.schema_offset);
  return err != 0 ? err : caml_ring_write_all(fd, &h, sizeof(h), 0);
}

/* Returns 0 if a snapshot may be put at [path]: if there is a regular file, no
   file, or a symbolic link, which the snapshot replaces.  Else returns EISDIR
   for a directory, ENOTSUP for another file.  A path that cannot be looked at
   counts as no file. */
COLD
static int may_replace(const char *path)
{
  struct stat st;
  if (lstat(path, &st) != 0 || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
    return 0;
  return S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP;
}

/* Puts the name of a temporary file in the directory of [path] into [name],
   which has [size] bytes, with XXXXXX for mkostemp.  The name does not contain
   the name of the snapshot, which may be as long as the file system allows.
   Returns 0, or ENAMETOOLONG. */
COLD
static int name_temporary(const char *path, char *name, size_t size)
{
  const char *slash = strrchr(path, '/');
  int length = slash == NULL ? 0 : (int) (slash + 1 - path);
  return snprintf(name, size, "%.*s.ring.XXXXXX", length, path) < (int) size
    ? 0 : ENAMETOOLONG;
}

COLD
int caml_eventring_snapshot(const char *path, char *why, size_t size)
{
  char temporary[PATH_MAX];
  struct source from;
  sigset_t before;
  int err = 0, started;

  /* Writing takes long, and a domain's first event waits for this lock. */
  caml_ring_lock_session();
  started = caml_eventring_started();
  from.header = caml_ring_session.header;
  from.session = caml_ring_session.number;
  from.mapping = caml_ring_session.mapping;
  if (started) from.mapping->users++;
  pthread_mutex_unlock(&caml_ring_session_lock);
  if (!started) {
    snprintf(why, size, "cannot write a snapshot to %.1000s: this process is"
             " not being traced", path);
    return 0;
  }

  /* The session may end, and its guard with it. */
  caml_eventring_guard_reading(from.mapping->base, from.mapping->size);
  uint64_t *buffer = malloc(from.header.ring_words * sizeof(uint64_t));
  err = buffer == NULL ? ENOMEM : may_replace(path);
  if (err == 0) err = name_temporary(path, temporary, sizeof(temporary));
  caml_eventring_hold_signals(&before);
  if (err == 0) {
    /* Mode 0600, and a name that no other snapshot has */
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
      err = errno;
    } else {
      err = copy_session(&from, fd, buffer);
      if (close(fd) != 0 && err == 0) err = errno;
      if (err == 0 && rename(temporary, path) != 0) err = errno;
      if (err != 0) unlink(temporary);
    }
  }
  caml_eventring_release_signals(&before);
  free(buffer);
  caml_eventring_unguard_reading(from.mapping->base);
  caml_ring_lock_session();
  caml_ring_release_mapping(from.mapping);
  pthread_mutex_unlock(&caml_ring_session_lock);
  if (err != 0)
    snprintf(why, size, "cannot write a snapshot to %.1000s: %s", path,
             err == ENOTSUP ? "it is not a regular file" : strerror(err));
  return err == 0;
}
