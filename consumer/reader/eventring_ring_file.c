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

/* Ring files as a source: opening, checking, mapping.

   The header is copied and checked at open, and the reader uses the checked
   copy, never the mapped header, for sizes and offsets. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "caml/eventring_hooks.h"
#include "eventring_reader.h"
#include "eventring_source.h"

/* Reads the header of the file [fd] into [h]; bytes that a shorter file does
   not have become 0.  Returns the number of bytes read, or -1 with errno.  The
   header is read, not mapped, because in a mapped file that is too short the
   access would be a SIGBUS. */
static ssize_t read_header(int fd, struct eventring_header *h)
{
  size_t have = 0;
  ssize_t n;
  memset(h, 0, sizeof *h);
  while (have < sizeof *h) {
    n = pread(fd, (char *) h + have, sizeof *h - have, (off_t) have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += (size_t) n;
  }
  return (ssize_t) have;
}

/* Checks the magic, the version and the byte order in [h], of which [have]
   bytes were read, and that these are a whole header.  Returns 0 or an error,
   with its message. */
static int check_magic(const struct eventring_header *h, size_t have,
                       const struct eventring_options *o, const char *path)
{
  size_t magic = have < EVENTRING_MAGIC_SIZE ? have : EVENTRING_MAGIC_SIZE;
  if (have == 0 || h->magic[0] == 0)
    return fail(o, EVENTRING_E_NOT_A_RING,
                "%s: not a ring file: %s; if the program is just starting, "
                "try again", path,
                have == 0 ? "it is empty" : "it begins with zeros");
  if (memcmp(h->magic, EVENTRING_MAGIC, magic) != 0)
    return fail(o, EVENTRING_E_NOT_A_RING,
                "%s: not a ring file: it does not begin with \"OCaml "
                "Eventring\"; ring files are named <pid>%s", path,
                EVENTRING_SUFFIX);
  if (have < offsetof(struct eventring_header, header_size))
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %zu bytes, and the header alone has %zu; copy "
                "the file again", path, have, EVENTRING_HEADER_1_0);
  if (h->version_major == (EVENTRING_VERSION_MAJOR << 8))
    return fail(o, EVENTRING_E_VERSION,
                "%s: written by a machine of the other byte order; read it "
                "on one like that", path);
  if (h->version_major != EVENTRING_VERSION_MAJOR)
    return fail(o, EVENTRING_E_VERSION,
                "%s: format version %u.%u, and this reader knows %u.x; use "
                "the one that belongs to the program's compiler", path,
                h->version_major, h->version_minor, EVENTRING_VERSION_MAJOR);
  if (have < EVENTRING_HEADER_1_0)
    return fail(o, EVENTRING_E_TRUNCATED,
                "%s: truncated: %zu bytes, and the header alone has %zu; copy "
                "the file again", path, have, EVENTRING_HEADER_1_0);
  return 0;
}

int eventring_map_file(struct eventring_source *source, int fd, size_t size,
                       const char *path, const struct eventring_options *o)
{
  int err = 0;
  void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return fail(o, eventring_error_of(errno),
                "cannot map the %llu bytes of %s: %s",
                (unsigned long long) size, path, strerror(errno));
  if (eventring_hooks != NULL) err = eventring_hooks->guard(map, size);
  if (err != 0) {
    munmap(map, size);
    return fail(o, eventring_error_of(err),
                "cannot guard the mapping of %s: %s", path, strerror(err));
  }
  source->map = map;
  source->map_size = size;
  return 0;
}

void eventring_unmap_file(struct eventring_source *source)
{
  if (source->map == NULL) return;
  if (eventring_hooks != NULL) eventring_hooks->unguard(source->map);
  munmap(source->map, source->map_size);
  source->map = NULL;
}

uint64_t eventring_cut_at(const struct eventring_source *source)
{
  return source->map == NULL || eventring_hooks == NULL
         || eventring_hooks->cut_at == NULL
         ? 0 : eventring_hooks->cut_at(source->map);
}

/* A mapped ring file. */
struct ring_file {
  struct eventring_source source;
  struct eventring_words rings[];
};

static void close_ring_file(struct eventring_source *source)
{
  eventring_unmap_file(source);
  free(source);
}

/* Checks and maps the open ring file [fd] of [size] bytes, and sets *result to a
   source of its words.  [path] is for messages; [pid] is not used.  Returns 0 or an
   error, with its message; *result is then unchanged. */
static int open_ring_file(int fd, uint64_t size, const char *path, int pid,
                          const struct eventring_options *o,
                          struct eventring_source **result)
{
  struct eventring_header h;
  struct ring_file *f;
  const uint64_t *words;
  ssize_t have = read_header(fd, &h);
  int err;

  (void) pid;
  if (have < 0)
    return fail(o, EVENTRING_E_SYSTEM, "cannot read %s: %s", path,
                strerror(errno));
  err = check_magic(&h, (size_t) have, o, path);
  if (err < 0) return err;
  err = eventring_check_header(&h, size, o, path);
  if (err < 0) return err;
  f = malloc(sizeof *f + h.rings * sizeof f->rings[0]);
  if (f == NULL)
    return fail(o, EVENTRING_E_MEMORY, "%s: no memory to read it", path);
  f->source = (struct eventring_source) {
    .checked = h, .lap = h.ring_words, .rings = f->rings, .live = 1,
    .processes = 1, .close = close_ring_file };
  err = eventring_map_file(&f->source, fd, (size_t) h.file_size, path, o);
  if (err < 0) {
    free(f);
    return err;
  }
  const char *bytes = f->source.map;
  f->source.header = (const struct eventring_header *) bytes;
  f->source.schema = bytes + h.schema_offset;
  f->source.directory = bytes + h.directory_offset;
  words = (const uint64_t *) (bytes + h.rings_offset);
  for (uint32_t i = 0; i < h.rings; i++)
    f->rings[i] = (struct eventring_words) {
      .words = words + i * h.ring_words, .mask = h.ring_words - 1 };
  *result = &f->source;
  return 0;
}

/* Returns 1 for all files, since this is the last of the formats: a file that
   is of no other format is opened as a ring file, and the message then says why
   it is none. */
static int is_ring_file(const void *bytes, size_t length)
{
  (void) bytes;
  (void) length;
  return 1;
}

const struct eventring_format eventring_ring_format = {
  .no_control = NULL, .is = is_ring_file, .open = open_ring_file
};
