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

/* Tombstones: the final counts of processes that have removed their ring files.
   A tombstone is not trusted. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eventring_reader.h"
#include "eventring_source.h"

/* A tombstone in memory. */
struct content {
  char *bytes;
  size_t size;
};

/* No tombstone is larger. */
#define MAX_TOMBSTONE (2 * 65536 + EVENTRING_MAX_RINGS * 256)

/* Reads the file at [path] into memory that the caller frees.  Returns 0 or an
   error, with its message. */
static int read_content(const char *path, const struct eventring_options *o,
                        struct content *content)
{
  struct stat st;
  int err = 0;
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return fail(o, eventring_error_of(errno), "cannot open %s: %s", path,
                strerror(errno));
  content->bytes = malloc(MAX_TOMBSTONE);
  if (content->bytes == NULL)
    err = fail(o, EVENTRING_E_MEMORY, "%s: out of memory", path);
  else if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
    err = fail(o, EVENTRING_E_NOT_A_RING, "%s is not a tombstone", path);
  while (err == 0 && content->size < MAX_TOMBSTONE) {
    ssize_t n = read(fd, content->bytes + content->size,
                     MAX_TOMBSTONE - content->size);
    if (n == 0) break;
    if (n > 0)
      content->size += (size_t) n;
    else if (errno != EINTR)
      err = fail(o, eventring_error_of(errno), "cannot read %s: %s", path,
                 strerror(errno));
  }
  close(fd);
  if (err < 0) free(content->bytes);
  return err;
}

/* Checks the header of [content], and copies it to [h].  Returns 0 or an error,
   with its message. */
static int take_header(const char *path, const struct eventring_options *o,
                       const struct content *content,
                       struct eventring_header *h)
{
  if (content->size < sizeof *h
      || memcmp(content->bytes, EVENTRING_TOMBSTONE_MAGIC,
                EVENTRING_MAGIC_SIZE) != 0)
    return fail(o, EVENTRING_E_NOT_A_RING, "%s is not a tombstone", path);
  memcpy(h, content->bytes, sizeof *h);
  if (h->version_major != EVENTRING_VERSION_MAJOR)
    return fail(o, EVENTRING_E_VERSION,
                "%s: a tombstone of version %u.%u, and this program reads %u.x",
                path, h->version_major, h->version_minor,
                EVENTRING_VERSION_MAJOR);
  if (h->header_size < EVENTRING_HEADER_1_6 || h->header_size > 65536
      || h->directory_offset < h->header_size || h->directory_offset > 65536
      || h->slot_size < sizeof(struct eventring_grave) || h->slot_size > 256
      || h->rings < 1 || h->rings > EVENTRING_MAX_RINGS
      || h->pid < 1 || h->pid > INT_MAX
      || (h->state != EVENTRING_ENDED && h->state != EVENTRING_REPLACED))
    return fail(o, EVENTRING_E_HEADER, "%s: impossible header of a tombstone",
                path);
  if (content->size - h->directory_offset < (uint64_t) h->rings * h->slot_size)
    return fail(o, EVENTRING_E_TRUNCATED, "%s: truncated tombstone", path);
  return 0;
}

/* Copies the text [from] of a header, which may have no end, to [to]. */
static void copy_text(char *to, const char *from, size_t size)
{
  memcpy(to, from, size);
  to[size - 1] = 0;
}

/* Fills in the fields that are in the header [h]. */
static void describe(const struct eventring_header *h,
                     struct eventring_tombstone *t)
{
  memset(t, 0, sizeof *t);
  t->pid = (int32_t) h->pid;
  t->parent_pid = (int32_t) h->parent_pid;
  t->start_time = h->start_time;
  t->pid_namespace = h->pid_namespace;
  t->time_namespace = h->time_namespace;
  t->state = h->state == EVENTRING_ENDED ? EVENTRING_STATE_ENDED
                                         : EVENTRING_STATE_REPLACED;
  t->rings = h->rings;
  t->ring_words = h->ring_words;
  t->started_ns = h->started.monotonic_ns;
  t->started_realtime_ns = h->started.realtime_ns;
  t->ended_ns = h->ended.monotonic_ns;
  t->ended_realtime_ns = h->ended.realtime_ns;
  if (h->sample_rings_from < h->rings)
    t->sample_rings_from = h->sample_rings_from;
  copy_text(t->boot_id, h->boot_id, sizeof t->boot_id);
  copy_text(t->program, h->program, sizeof t->program);
  copy_text(t->runtime, h->runtime, sizeof t->runtime);
  copy_text(t->argv0, h->argv0, sizeof t->argv0);
}

int eventring_read_tombstone(const char *path,
                             const struct eventring_options *options,
                             struct eventring_tombstone *result,
                             uint64_t *events, uint32_t count)
{
  struct eventring_options o;
  struct eventring_tombstone mine;
  struct eventring_header h = { .rings = 0 };
  struct content content = { .size = 0 };
  if (path == NULL || result == NULL || result->size < sizeof result->size
      || (events == NULL && count > 0)) return EVENTRING_E_ARGUMENT;
  int err = eventring_take_options(&o, options);
  if (err < 0) return err;
  err = read_content(path, &o, &content);
  if (err < 0) return err;
  err = take_header(path, &o, &content, &h);
  if (err == 0) {
    describe(&h, &mine);
    if (count > 0) memset(events, 0, count * sizeof *events);
    for (uint32_t i = 0; i < h.rings && err == 0; i++) {
      struct eventring_grave grave;
      memcpy(&grave, content.bytes + h.directory_offset
                     + (uint64_t) i * h.slot_size, sizeof grave);
      if (grave.events > INT64_MAX - mine.events)
        err = fail(&o, EVENTRING_E_HEADER,
                   "%s: a tombstone with impossible numbers of events", path);
      mine.events += grave.events;
      if (i < count) events[i] = grave.events;
    }
  }
  if (err == 0) eventring_give_struct(&mine, sizeof mine, result);
  free(content.bytes);
  return err;
}
