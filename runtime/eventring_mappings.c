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

/* Where the process has machine code, in the schema of the ring file: so that
   addresses in samples have a meaning when the process is gone. */

#include "caml/eventring.h"
#include "eventring_internal.h"

#ifdef EVENTRING_SAMPLES

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUILD_ID 20             /* bytes, at most */

struct mapping_of_code {
  uint64_t start, size, offset;
  uint8_t build_id[BUILD_ID];
  uint8_t build_id_size;
  char *path;                   /* from malloc */
};

/* The mappings of the process, as the last search found them. */
struct list {
  struct mapping_of_code *of;
  uint32_t count, capacity;
  int failed;                   /* no memory */
};

/* Returns 1 if the [size] bytes at the address [vaddr] of the module [info] are
   loaded. */
COLD
static int is_loaded(const struct dl_phdr_info *info, uint64_t vaddr,
                     uint64_t size)
{
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && p->p_flags & PF_R && vaddr >= p->p_vaddr
        && size <= p->p_memsz && vaddr - p->p_vaddr <= p->p_memsz - size)
      return 1;
  }
  return 0;
}

/* Stores the build id of the module [info] in [m]; none if the module has no
   build id. */
COLD
static void find_build_id(const struct dl_phdr_info *info,
                          struct mapping_of_code *m)
{
  m->build_id_size = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_NOTE || !is_loaded(info, p->p_vaddr, p->p_memsz))
      continue;
    const char *at = (const char *) (info->dlpi_addr + p->p_vaddr);
    const char *end = at + p->p_memsz;
    while (end - at >= (ptrdiff_t) sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *note = (const void *) at;
      const char *name = at + sizeof(*note);
      size_t left = (size_t) (end - name);
      if (note->n_namesz > left || note->n_descsz > left
          || (note->n_namesz + 3) / 4 * 4 + (note->n_descsz + 3) / 4 * 4 > left)
        break;
      const char *content = name + (note->n_namesz + 3) / 4 * 4;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4
          && memcmp(name, "GNU", 4) == 0 && note->n_descsz <= BUILD_ID) {
        m->build_id_size = (uint8_t) note->n_descsz;
        memcpy(m->build_id, content, note->n_descsz);
        return;
      }
      at = content + (note->n_descsz + 3) / 4 * 4;
    }
  }
}

/* Adds the mappings with code of the module [info] to the list [arg].  Returns
   0, or 1 when there is no memory. */
COLD
static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
  struct list *l = arg;
  char exe[PATH_MAX];
  const char *path = info->dlpi_name;
  if (size >= offsetof(struct dl_phdr_info, dlpi_subs)
              + sizeof(info->dlpi_subs))
    caml_ring_unloads = (uint16_t) info->dlpi_subs;
  if (path == NULL || *path == '\0') {
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    if (n <= 0) return 0;
    exe[n] = '\0';
    path = exe;
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
    if (l->count == l->capacity) {
      uint32_t capacity = l->capacity == 0 ? 16 : 2 * l->capacity;
      void *more = realloc(l->of, capacity * sizeof(*l->of));
      if (more == NULL) return l->failed = 1;
      l->of = more;
      l->capacity = capacity;
    }
    struct mapping_of_code *m = &l->of[l->count];
    m->start = info->dlpi_addr + p->p_vaddr;
    m->size = p->p_memsz;
    m->offset = p->p_offset;
    find_build_id(info, m);
    m->path = strdup(path);
    if (m->path == NULL) return l->failed = 1;
    l->count++;
  }
  return 0;
}

COLD
static void free_list(struct list *l)
{
  for (uint32_t i = 0; i < l->count; i++) free(l->of[i].path);
  free(l->of);
}

static int same(const struct mapping_of_code *a,
                const struct mapping_of_code *b)
{
  return a->start == b->start && a->size == b->size && a->offset == b->offset
    && a->build_id_size == b->build_id_size
    && memcmp(a->build_id, b->build_id, a->build_id_size) == 0
    && strcmp(a->path, b->path) == 0;
}

/* Appends the mapping [m] to the schema as number [place].  Returns 0 or an
   errno.  Call with the session's lock held. */
COLD
static int append(const struct mapping_of_code *m, uint32_t place)
{
  struct eventring_schema_entry e;
  char hex[2 * BUILD_ID + 1] = "-";
  int err;
  size_t length = strlen(m->path);
  for (size_t from = 0; from < length; from += EVENTRING_NAME_SIZE - 1) {
    caml_ring_describe(&e, m->path + from, EVENTRING_MAPPING_PATH,
                       EVENTRING_NO_PAYLOAD, "");
    e.place = place;
    e.detail = from;
    err = caml_ring_append_to_schema(&e);
    if (err != 0) return err;
  }
  for (unsigned i = 0; i < m->build_id_size; i++)
    snprintf(hex + 2 * i, 3, "%02x", m->build_id[i]);
  char text[EVENTRING_NAME_SIZE];
  snprintf(text, sizeof(text), "%llx %llx %s", (unsigned long long) m->size,
           (unsigned long long) m->offset, hex);
  caml_ring_describe(&e, text, EVENTRING_MAPPING, EVENTRING_NO_PAYLOAD, "");
  e.place = place;
  e.detail = m->start;
  return caml_ring_append_to_schema(&e);
}

/* The mappings that the ring file of session [noted_session] has.  Under the
   session's lock. */
static struct list noted;
static uint32_t noted_session, noted_total;

/* Held while the loader's lock is: a child would have that lock for ever. */
static pthread_mutex_t looking = LOCK_OF_FORKS;
/* By before_fork, of this thread; and its forks under way that found it so. */
static CAMLthread_local int held, inner_forks;

void caml_ring_mappings_before_fork(void)
{
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec++;
  /* Not for ever: who forks may have the loader's lock itself. */
  const int err = pthread_mutex_timedlock(&looking, &end);
  if (err == EDEADLK) inner_forks++;
  else held = err == 0;
}

void caml_ring_mappings_after_fork(int child)
{
  const pthread_mutex_t unlocked = LOCK_OF_FORKS;
  if (child) {
    looking = unlocked;
    held = inner_forks = 0;
  } else if (inner_forks > 0) {
    inner_forks--;
  } else if (held) {
    held = 0;
    pthread_mutex_unlock(&looking);
  }
}

COLD
void caml_ring_note_mappings(void)
{
  /* The loader's lock is taken before ours: code that the loader runs may
     write events. */
  struct list now = { 0 };
  pthread_mutex_lock(&looking);
  dl_iterate_phdr(add_module, &now);
  pthread_mutex_unlock(&looking);
  pthread_mutex_lock(&caml_ring_session_lock);
  if (caml_ring_session.started && !now.failed) {
    if (noted_session != caml_ring_session.number) {
      free_list(&noted);
      noted = (struct list) { 0 };
      noted_total = 0;
      noted_session = caml_ring_session.number;
    }
    for (uint32_t i = 0; i < now.count; i++) {
      int known = 0;
      for (uint32_t j = 0; j < noted.count && !known; j++)
        known = same(&now.of[i], &noted.of[j]);
      if (!known && noted_total < EVENTRING_MAX_MAPPINGS
          && append(&now.of[i], noted_total) == 0) noted_total++;
    }
    /* What was unloaded is forgotten: its address may be used again. */
    struct list before = noted;
    noted = now;
    now = before;
  }
  pthread_mutex_unlock(&caml_ring_session_lock);
  free_list(&now);
}

#else /* !EVENTRING_SAMPLES */

void caml_ring_mappings_before_fork(void) { }
void caml_ring_mappings_after_fork(int child) { (void) child; }

#endif
