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

#define _GNU_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ring_file.h"

static void require(int holds, const char *what)
{
  if (holds) return;
  perror(what);
  abort();
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
  return (n + to - 1) / to * to;
}

static void read_boot_id(char *id, size_t size)
{
  FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (f == NULL) return;
  if (fgets(id, (int) size, f) != NULL) id[strcspn(id, "\n")] = 0;
  fclose(f);
}

/* Field 22 of our own stat. */
static uint64_t own_start_time(void)
{
  char text[1024] = "", *field;
  unsigned long long value = 0;
  FILE *f = fopen("/proc/self/stat", "r");
  if (f == NULL) return 0;
  if (fgets(text, sizeof text, f) == NULL) text[0] = 0;
  fclose(f);
  field = strrchr(text, ')');
  if (field == NULL) return 0;
  for (int i = 2; i < 22 && field != NULL; i++) field = strchr(field + 1, ' ');
  if (field != NULL) value = strtoull(field, NULL, 10);
  return value;
}

/* Makes a folder under TMPDIR for the file of process [pid]. */
static void make_dir(struct ring_file *f, uint32_t pid)
{
  const char *tmp = getenv("TMPDIR");
  snprintf(f->dir, sizeof f->dir, "%s/ring.XXXXXX",
           tmp == NULL ? "/tmp" : tmp);
  require(mkdtemp(f->dir) != NULL, f->dir);
  snprintf(f->path, sizeof f->path, "%s/%u%s", f->dir, pid, EVENTRING_SUFFIX);
}

void ring_create(struct ring_file *f, const struct ring_options *options)
{
  struct ring_options o;
  struct timespec now;
  uint64_t entry, slot, words;
  int fd;

  memset(&o, 0, sizeof o);
  if (options != NULL) o = *options;
  if (o.rings == 0) o.rings = 1;
  if (o.log_words == 0) o.log_words = EVENTRING_MIN_LOG_WORDS;
  if (o.clock == 0) o.clock = EVENTRING_CLOCK_MONOTONIC;
  if (o.state == 0) o.state = EVENTRING_ENDED;
  if (o.pid == 0) o.pid = (uint32_t) getpid();
  if (o.schema_capacity == 0) o.schema_capacity = 64;
  entry = sizeof(struct eventring_schema_entry) + o.extra_entry_bytes;
  slot = sizeof(struct eventring_slot) + o.extra_slot_bytes;
  words = (uint64_t) 1 << o.log_words;

  memset(f, 0, sizeof *f);
  if (o.path == NULL) make_dir(f, o.pid);
  else {
    require(strlen(o.path) < sizeof f->path, "the path is too long");
    strcpy(f->path, o.path);
  }
  fd = open(f->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  require(fd >= 0, f->path);

  struct eventring_header layout = {
    .version_major = EVENTRING_VERSION_MAJOR,
    .version_minor = EVENTRING_VERSION_MINOR,
    .header_size = sizeof layout,
    .schema_offset = EVENTRING_PAGE,
    .schema_entry_size = (uint32_t) entry,
    .schema_capacity = o.schema_capacity,
    .slot_size = (uint32_t) slot, .rings = o.rings,
    .ring_words = words, .block_words = eventring_block_words(words),
    .clock = o.clock, .pid = o.pid, .state = o.state,
    .control = EVENTRING_DEFAULT_CATEGORIES
               | (uint64_t) EVENTRING_DEFAULT_CATEGORIES << 32,
  };
  memcpy(layout.magic, EVENTRING_MAGIC, EVENTRING_MAGIC_SIZE);
  layout.directory_offset =
    round_up(layout.schema_offset + entry * o.schema_capacity, 128);
  layout.rings_offset =
    round_up(layout.directory_offset + slot * o.rings, 4096);
  layout.file_size = layout.rings_offset + o.rings * words * 8;
  if (o.version_1_0) {
    layout.version_minor = 0;
    layout.header_size = offsetof(struct eventring_header, argv0) + 96;
  }
  if (o.other_boot)
    strcpy(layout.boot_id, "00000000-0000-0000-0000-000000000000");
  else
    read_boot_id(layout.boot_id, sizeof layout.boot_id);
  if (o.pid == (uint32_t) getpid()) layout.start_time = own_start_time();
  strcpy(layout.program, "/bin/synthetic");
  strcpy(layout.runtime, "5.3.0+test");
  clock_gettime(CLOCK_MONOTONIC, &now);
  layout.started.monotonic_ns = now.tv_sec * 1000000000L + now.tv_nsec;
  layout.started.ticks = (uint64_t) layout.started.monotonic_ns;
  clock_gettime(CLOCK_REALTIME, &now);
  layout.started.realtime_ns = now.tv_sec * 1000000000L + now.tv_nsec;

  f->size = layout.file_size;
  require(ftruncate(fd, (off_t) f->size) == 0, f->path);
  f->map = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  require(f->map != MAP_FAILED, f->path);
  close(fd);
  f->header = (struct eventring_header *) f->map;
  *f->header = layout;
  f->writers = calloc(o.rings, sizeof *f->writers);
  require(f->writers != NULL, "calloc");
  for (uint32_t i = 0; i < o.rings; i++) {
    f->writers[i].domain = i;
    f->writers[i].thread = 1000 + i;
  }
}

void ring_destroy(struct ring_file *f)
{
  munmap(f->map, f->size);
  free(f->writers);
  if (f->dir[0] == 0) return;
  unlink(f->path);
  rmdir(f->dir);
}

struct eventring_schema_entry *ring_schema_entry(struct ring_file *f,
                                                 uint32_t n)
{
  return (struct eventring_schema_entry *)
    (f->map + f->header->schema_offset
     + (size_t) n * f->header->schema_entry_size);
}

uint64_t *ring_words(struct ring_file *f, uint32_t ring)
{
  return (uint64_t *) (f->map + f->header->rings_offset)
         + ring * f->header->ring_words;
}

struct eventring_slot *ring_slot(struct ring_file *f, uint32_t ring)
{
  return (struct eventring_slot *)
    (f->map + f->header->directory_offset
     + (uint64_t) ring * f->header->slot_size);
}

/* Stores one word; a reader may be looking. */
static void put(struct ring_file *f, uint32_t ring, uint64_t position,
                uint64_t word)
{
  __atomic_store_n(&ring_words(f, ring)[position
                                        & (f->header->ring_words - 1)],
                   word, __ATOMIC_RELAXED);
}

static void enter_block(struct ring_file *f, uint32_t ring, uint64_t ticks)
{
  struct ring_writer *w = &f->writers[ring];
  uint64_t ns = ticks;
  if (f->ns_per_tick > 0)
    ns = (uint64_t) f->header->started.monotonic_ns
         + (uint64_t) ((double) (ticks - f->header->started.ticks)
                       * f->ns_per_tick);
  if (w->position < w->block_end) put(f, ring, w->position, 0);
  w->position = w->block_end;
  w->block_end += f->header->block_words;
  __atomic_store_n(&ring_slot(f, ring)->reserve, w->block_end,
                   __ATOMIC_RELEASE);
  /* A reader that sees a word of this lap sees [reserve] too. */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  put(f, ring, w->position + EVENTRING_BLOCK_TICKS, ticks);
  put(f, ring, w->position + EVENTRING_BLOCK_NS, ns);
  put(f, ring, w->position + EVENTRING_BLOCK_EVENTS, w->events);
  put(f, ring, w->position + EVENTRING_BLOCK_WHO,
      w->domain | (uint64_t) w->thread << 32);
  w->position += EVENTRING_BLOCK_HEADER_WORDS;
  w->base = ticks;
  w->fresh = 0;
}

void ring_write(struct ring_file *f, uint32_t ring, uint64_t ticks,
                uint32_t form, uint32_t id, const uint64_t *payload,
                uint32_t words)
{
  struct ring_writer *w = &f->writers[ring];
  int is_long = words >= EVENTRING_LENGTH_LONG;
  uint64_t need = 1 + (uint64_t) is_long + words;

  require(need <= f->header->block_words - EVENTRING_BLOCK_HEADER_WORDS,
          "an event is longer than a block");
  if (w->block_end == 0 || w->fresh || w->position + need > w->block_end
      || ticks < w->base || (ticks - w->base) >> EVENTRING_TICKS_BITS != 0)
    enter_block(f, ring, ticks);
  put(f, ring, w->position++,
      EVENTRING_WORD(id, form, is_long ? EVENTRING_LENGTH_LONG : words)
      | (ticks - w->base) << EVENTRING_TICKS_SHIFT);
  if (is_long) put(f, ring, w->position++, words);
  for (uint32_t i = 0; i < words; i++) put(f, ring, w->position++, payload[i]);
  w->events++;
  __atomic_store_n(&ring_slot(f, ring)->tail, w->position, __ATOMIC_RELEASE);
}

void ring_count(struct ring_file *f, uint32_t ring, uint64_t ticks,
                uint32_t id, uint64_t value)
{
  ring_write(f, ring, ticks, EVENTRING_FORM_COUNTER, id, &value, 1);
}

uint32_t ring_pack(uint64_t *words, const uint64_t *integers, uint32_t count)
{
  uint32_t bytes = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t rest = integers[i];
    int more;
    do {
      uint64_t byte = rest & 0x7F;
      rest >>= 7;
      more = rest != 0;
      if (bytes % 8 == 0) words[bytes / 8] = 0x8080808080808080u;
      words[bytes / 8] ^= (uint64_t) (byte | (more ? 0 : 0x80))
                          << 8 * (bytes % 8);
      bytes++;
    } while (more);
  }
  return (bytes + 7) / 8;
}

void ring_packed(struct ring_file *f, uint32_t ring, uint64_t ticks,
                 uint32_t form, uint32_t id, const uint64_t *integers,
                 uint32_t count)
{
  uint64_t words[EVENTRING_MAX_BLOCK_WORDS];
  require(RING_PACKED_WORDS(count) <= EVENTRING_MAX_BLOCK_WORDS,
          "too many integers");
  ring_write(f, ring, ticks, form, id, words,
             ring_pack(words, integers, count));
}

void ring_domain(struct ring_file *f, uint32_t ring, uint32_t domain,
                 uint32_t thread)
{
  f->writers[ring].domain = domain;
  f->writers[ring].thread = thread;
  f->writers[ring].fresh = 1;
}

void ring_entry(struct ring_file *f, struct eventring_schema_entry e,
                const char *unit, const char *name)
{
  uint32_t n = f->header->schema_count;
  size_t unit_size = strlen(unit), name_size = strlen(name);

  require(n < f->header->schema_capacity, "the schema is full");
  memcpy(e.unit, unit, unit_size < sizeof e.unit ? unit_size : sizeof e.unit);
  memcpy(e.name, name, name_size < sizeof e.name ? name_size : sizeof e.name);
  memcpy(ring_schema_entry(f, n), &e, sizeof e);
  __atomic_store_n(&f->header->schema_count, n + 1, __ATOMIC_RELEASE);
}

void ring_schema(struct ring_file *f, uint32_t id, uint32_t kind,
                 uint32_t payload, uint32_t category, const char *unit,
                 const char *name)
{
  ring_entry(f, (struct eventring_schema_entry) {
               .id = (uint16_t) id, .kind = (uint8_t) kind,
               .payload = (uint8_t) payload, .category = category },
             unit, name);
}

void ring_field(struct ring_file *f, uint32_t id, uint32_t place,
                const char *unit, int repeats, const char *name)
{
  ring_entry(f, (struct eventring_schema_entry) {
               .id = (uint16_t) id, .kind = EVENTRING_FIELD, .place = place,
               .detail = (uint64_t) repeats },
             unit, name);
}

void ring_value(struct ring_file *f, const char *unit, uint32_t value,
                const char *name)
{
  ring_entry(f, (struct eventring_schema_entry) {
               .kind = EVENTRING_VALUE, .place = value },
             unit, name);
}

void ring_label(struct ring_file *f, uint32_t domain, uint32_t thread,
                int32_t thread_id, const char *name)
{
  ring_entry(f, (struct eventring_schema_entry) {
               .kind = EVENTRING_LABEL, .place = domain,
               .detail = thread | (uint64_t) (thread_id + 1) << 32 },
             "", name);
}

void ring_label_since(struct ring_file *f, uint32_t domain, uint32_t thread,
                      int32_t thread_id, uint64_t since, const char *name)
{
  ring_label(f, domain, thread, thread_id, name);
  ring_schema_entry(f, f->header->schema_count - 1)->since = since;
}

uint64_t ring_random(uint64_t *seed)
{
  uint64_t z = *seed += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
