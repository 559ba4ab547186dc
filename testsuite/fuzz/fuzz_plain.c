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


/* The contents of a recording.  An input is one with chunks that are not
   compressed:

     struct recording_start
     struct chunk, raw bytes
     struct chunk, raw bytes ...

   from which the recording is made: the sums are right, and the bytes are
   zstd frames without compression.  In an input's struct chunk, [stored] tells
   which parts are made wrong:

     bit 0   [raw] is taken from the input
     bit 1   the frame is damaged
     bit 2   the sum is taken from the input

   A chunk of kind INDEX is the last.  The offset in an entry of it is the
   number of a chunk, and the entry is replaced by this chunk's entry; numbers
   that are too high make the entry go into the file as it is.  Without such a
   chunk there is no index. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "eventring_reader.h"
#include "eventring_recording.h"
#include "fuzz.h"

enum { WRONG_RAW = 1, DAMAGED = 2, WRONG_SUM = 4 };

#define MAX_CHUNKS 512
#define BLOCK ((size_t) 64 << 10)

struct recording_file {
  char *bytes;
  size_t size;
  struct index_entry chunks[MAX_CHUNKS];
  size_t count;
};

static void put(struct recording_file *f, const void *bytes, size_t size)
{
  memcpy(f->bytes + f->size, bytes, size);
  f->size += size;
}

/* Returns a bound on the size of a frame of [size] bytes. */
static size_t frame_bound(size_t size)
{
  return 16 + size + 3 * (size / BLOCK + 1);
}

/* Writes a zstd frame of blocks that are not compressed. */
static void put_frame(struct recording_file *f, const uint8_t *raw,
                      uint32_t size)
{
  static const uint8_t begin[] = { 0x28, 0xB5, 0x2F, 0xFD, 0xA0 };
  put(f, begin, sizeof begin);
  put(f, &size, 4);
  do {
    uint32_t part = size < BLOCK ? size : BLOCK;
    uint32_t header = (uint32_t) (part == size) | part << 3;
    put(f, &header, 3);
    put(f, raw, part);
    raw += part;
    size -= part;
  } while (size > 0);
}

static void put_chunk(struct recording_file *f, struct chunk c,
                      const uint8_t *raw, size_t size)
{
  const uint64_t wrong = c.stored;
  char *chunk = f->bytes + f->size, *stored = chunk + sizeof c;
  f->size += sizeof c;
  put_frame(f, raw, (uint32_t) size);
  c.stored = (uint64_t) (f->bytes + f->size - stored);
  if ((wrong & DAMAGED) != 0) stored[c.horizon % c.stored] ^= 1;
  if ((wrong & WRONG_RAW) == 0) c.raw = size;
  c.content = recording_sum(stored, c.stored);
  if ((wrong & WRONG_SUM) == 0)
    c.sum = recording_sum(&c, offsetof(struct chunk, sum));
  memcpy(chunk, &c, sizeof c);
  f->chunks[f->count++] =
    (struct index_entry) { (uint64_t) (chunk - f->bytes), c };
}

static void put_index(struct recording_file *f, struct chunk c,
                      const uint8_t *raw, size_t size)
{
  struct recording_trailer t = { .index = f->size };
  uint8_t *entries = malloc(size + 1);
  CHECK(entries != NULL);
  memcpy(entries, raw, size);
  for (size_t at = 0; at + sizeof f->chunks[0] <= size;
       at += sizeof f->chunks[0]) {
    uint64_t number;
    memcpy(&number, entries + at, sizeof number);
    if (number < f->count)
      memcpy(entries + at, &f->chunks[number], sizeof f->chunks[0]);
  }
  put_chunk(f, c, entries, size);
  free(entries);
  memcpy(t.magic, RECORDING_TRAILER_MAGIC, sizeof t.magic);
  t.sum = recording_sum(&t.index, sizeof t.index);
  put(f, &t, sizeof t);
}

/* Returns 0 when the input is none. */
static int make_recording(struct recording_file *f, const uint8_t *data,
                          size_t size)
{
  struct recording_start start;
  struct chunk c;
  if (size < sizeof start) return 0;
  memcpy(&start, data, sizeof start);
  start.sum = recording_sum(&start, offsetof(struct recording_start, sum));
  put(f, &start, sizeof start);
  data += sizeof start;
  size -= sizeof start;
  while (size >= sizeof c && f->count < MAX_CHUNKS - 1) {
    size_t raw;
    memcpy(&c, data, sizeof c);
    data += sizeof c;
    size -= sizeof c;
    raw = c.raw < size ? (size_t) c.raw : size;
    if (c.kind == CHUNK_INDEX) {
      put_index(f, c, data, raw);
      return 1;
    }
    put_chunk(f, c, data, raw);
    data += raw;
    size -= raw;
  }
  return 1;
}

static void ignore(void *state, uint64_t offset, const char *what)
{
  (void) state;
  (void) offset;
  CHECK(strlen(what) > 0);
}

/* The other readers of recordings. */
static void use(const char *path, uint64_t words)
{
  const char *to = fuzz_file(1, "", 0, 0);
  struct eventring_record_options o = { .size = sizeof o, .replace = 1 };
  uint64_t left_out = 0;
  struct eventring_merge_input inputs[2] = {
    { .size = sizeof *inputs, .path = path },
    { .size = sizeof *inputs, .path = path, .from_ns = 1,
      .to_ns = INT64_MAX / 2 }
  };
  int err = eventring_verify(path, NULL, ignore, NULL);
  CHECK(err <= 0 && err >= EVENTRING_E_ARGUMENT);
  if (eventring_recording_merge(to, inputs, 2, &o) == 0)
    fuzz_read(to, 2 * words + 4096, 0);
  inputs[0].left_out = inputs[1].left_out = &left_out;
  if (eventring_recording_merge(to, inputs, 2, &o) == 0)
    fuzz_read(to, 2 * words + 4096, 0);
}

/* Reads the file at [path] as a stream: it ends, after at most [words] events
   and some calls, and is in a state of its end then. */
static void read_stream(const char *path, uint64_t words)
{
  struct eventring_options o = { .size = sizeof o };
  struct eventring_event events[37];
  struct eventring_cursor *c;
  uint64_t calls = 4 * words + 4 * MAX_CHUNKS + 1000;
  int fd = open(path, O_RDONLY | O_CLOEXEC), n;
  CHECK(fd >= 0);
  if (eventring_open_stream(fd, "stream", &o, &c) == 0) {
    do {
      n = eventring_read(c, events, 37);
      CHECK(n >= 0 || n == EVENTRING_E_DAMAGED || n == EVENTRING_E_MEMORY);
      CHECK(calls-- > 0);
    } while (n != 0 || eventring_state(c) == EVENTRING_STATE_RUNNING);
    CHECK(eventring_read_ring(c, 0, events, 37) == EVENTRING_E_ARGUMENT);
    eventring_close(c);
  }
  close(fd);
}

/* Returns the receiver's end of a new connection that breaks after the [size]
   bytes at [bytes], of which *other is the end of the sender. */
static int connect_once(const char *bytes, size_t size, int *other)
{
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  for (size_t sent = 0; sent < size;) {
    ssize_t n = send(ends[0], bytes + sent, size - sent, MSG_DONTWAIT);
    if (n <= 0) break;
    sent += (size_t) n;
  }
  CHECK(shutdown(ends[0], SHUT_WR) == 0);
  *other = ends[0];
  return ends[1];
}

/* Reads the bytes as a stream with a connection that breaks twice: in the middle of
   the bytes, and at their end. */
static void read_broken(const char *bytes, size_t size, uint64_t words)
{
  struct eventring_options o = { .size = sizeof o, .place = 1, .resume = 1 };
  struct eventring_event events[37];
  struct eventring_cursor *c;
  uint64_t calls = 12 * words + 12 * MAX_CHUNKS + 3000;
  int other, fd = connect_once(bytes, size - size / 3, &other), breaks = 0;
  if (eventring_open_stream(fd, "stream", &o, &c) == 0) {
    int n;
    do {
      n = eventring_read(c, events, 37);
      CHECK(n >= 0 || n == EVENTRING_E_DAMAGED || n == EVENTRING_E_MEMORY);
      CHECK(calls-- > 0);
      if (!eventring_is_broken(c)) continue;
      close(fd);
      close(other);
      fd = connect_once(bytes, size, &other);
      CHECK(eventring_resume_stream(c, ++breaks < 3 ? fd : -1) == 0);
      CHECK(!eventring_is_broken(c));
    } while (n != 0 || eventring_state(c) == EVENTRING_STATE_RUNNING);
    eventring_close(c);
  }
  close(fd);
  close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct recording_file f = { .count = 0 };
  f.bytes = malloc(frame_bound(size) + sizeof(struct recording_trailer)
                   + MAX_CHUNKS * frame_bound(0) + size);
  CHECK(f.bytes != NULL);
  if (make_recording(&f, data, size)) {
    const uint64_t hash = fuzz_hash(data, size), words = size / 8;
    const char *path = fuzz_file(0, f.bytes, f.size, 0);
    fuzz_read(path, words, hash);
    read_stream(path, words);
    if (hash % 2 == 0) read_broken(f.bytes, f.size, words);
    if (hash / 8 % 4 == 0) use(path, words);
  }
  free(f.bytes);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed)
{
  return fuzz_mutate_words(data, size, max_size, seed);
}
