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


/* Retention: which parts of a hub's store go.  See clean_hub_store in
   hub_store.h.

   All parts are listed without locks; a part that has grown since then stays.
   The folder of a stream is removed after its last part, and found again when
   that was interrupted. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "hub_store.h"
#include "locks.h"

/* A stream, in a list. */
struct stored_stream {
  struct stored_stream *next;
  size_t parts;                   /* that are left */
  char *node, *name;              /* the bytes after this */
};

/* A part that may be removed. */
struct candidate {
  struct part_file file;
  struct stored_stream *stream;
  bool last;                      /* of its stream, and incomplete */
};

struct candidates {
  struct candidate *list;
  size_t count, room;
  struct stored_stream *streams;
};

/* Adds a stream to the list.  Returns NULL when there is no memory. */
static struct stored_stream *add_stream(struct candidates *c, const char *node,
                                        const char *name, size_t parts)
{
  const size_t node_size = strlen(node) + 1, name_size = strlen(name) + 1;
  struct stored_stream *added = malloc(sizeof *added + node_size + name_size);
  if (added == NULL) return NULL;
  *added = (struct stored_stream) {
    .next = c->streams, .parts = parts, .node = (char *) (added + 1),
    .name = (char *) (added + 1) + node_size };
  memcpy(added->node, node, node_size);
  memcpy(added->name, name, name_size);
  c->streams = added;
  return added;
}

/* Makes room for [count] candidates more.  Returns false when there is no
   memory. */
static bool make_room(struct candidates *c, size_t count)
{
  size_t room = c->room > 0 ? c->room : 64;
  if (c->room - c->count >= count) return true;
  while (room - c->count < count) room *= 2;
  struct candidate *more = realloc(c->list, room * sizeof *more);
  if (more == NULL) return false;
  c->list = more;
  c->room = room;
  return true;
}

static bool is_bytes_apart(const char *name)
{
  return strspn(name, "0123456789") > 0
    && strcmp(name + strspn(name, "0123456789"), ".differs") == 0;
}

/* Removes the folder of a stream if it has no part. */
static void remove_stream(struct hub_store *store, const char *node,
                          const char *name)
{
  struct part_file *parts = NULL;
  size_t count = 0;
  pthread_mutex_t *lock = lock_of_stream(store, node, name);
  pthread_mutex_lock(lock);
  int above = open_hub_folder(store, node, NULL);
  int folder = open_hub_folder(store, node, name);
  if (above >= 0 && folder >= 0 && list_parts(folder, &parts, &count)
      && count == 0) {
    unlinkat(folder, STREAM_FILE, 0);
    unlinkat(folder, "." STREAM_FILE ".new", 0);
    remove_names(folder, is_bytes_apart);
    unlinkat(above, name, AT_REMOVEDIR);
  }
  pthread_mutex_unlock(lock);
  free(parts);
  if (folder >= 0) close(folder);
  if (above >= 0) close(above);
}

/* Adds the parts of a stream to the candidates; a stream without parts goes. */
static void add_candidates(struct hub_store *store, const char *node,
                           const char *name, void *state)
{
  struct candidates *c = state;
  struct part_file *parts = NULL;
  size_t count = 0;
  int folder = open_hub_folder(store, node, name);
  if (folder < 0) return;
  const bool listed = list_parts(folder, &parts, &count);
  close(folder);
  struct stored_stream *stream = NULL;
  if (listed && count == 0) remove_stream(store, node, name);
  else if (listed && make_room(c, count))
    stream = add_stream(c, node, name, count);
  for (size_t i = 0; i < count && stream != NULL; i++)
    c->list[c->count++] = (struct candidate) {
      .file = parts[i], .stream = stream,
      .last = i + 1 == count && !parts[i].complete };
  free(parts);
}

static int by_time(const void *left, const void *right)
{
  const struct part_file *a = &((const struct candidate *) left)->file;
  const struct part_file *b = &((const struct candidate *) right)->file;
  if (a->changed_ns != b->changed_ns)
    return (a->changed_ns > b->changed_ns) - (a->changed_ns < b->changed_ns);
  return (a->number > b->number) - (a->number < b->number);
}

/* Removes the part from [folder], unless it has changed since it was listed.
   The caller has locked the stream.  Returns whether it is removed. */
static bool remove_files(struct hub_store *store, int folder,
                         const struct part_file *part)
{
  char name[PART_NAME_SIZE];
  struct stat st;
  name_part_file(name, part->number, ".evr");
  if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0
      || (uint64_t) st.st_size != part->bytes || unlinkat(folder, name, 0) < 0)
    return false;
  store->bytes -= part->bytes + PART_COST;
  store->removed_parts++;
  store->removed_bytes += part->bytes;
  name_part_file(name, part->number, ".differs");
  unlinkat(folder, name, 0);
  return true;
}

/* Removes a part, and the folder of its stream after the last one. */
static void remove_part(struct hub_store *store, const struct candidate *c)
{
  struct stored_stream *stream = c->stream;
  pthread_mutex_t *lock = lock_of_stream(store, stream->node, stream->name);
  pthread_mutex_lock(lock);
  int folder = open_hub_folder(store, stream->node, stream->name);
  const bool removed = folder >= 0 && remove_files(store, folder, &c->file);
  pthread_mutex_unlock(lock);
  if (folder >= 0) close(folder);
  if (removed && --stream->parts == 0)
    remove_stream(store, stream->node, stream->name);
}

static void free_candidates(struct candidates *c)
{
  for (struct stored_stream *s = c->streams, *next; s != NULL; s = next) {
    next = s->next;
    free(s);
  }
  free(c->list);
}

static bool has_room(const struct hub_store *store, uint64_t room)
{
  return room <= store->max_bytes && store->bytes <= store->max_bytes - room;
}

bool clean_hub_store(struct hub_store *store, uint64_t room)
{
  /* A full store is searched once a second, not for each request. */
  static const int64_t pause_ns = 1000000000;
  const int64_t now = hub_realtime_ns(), monotonic = hub_monotonic_ns();
  struct candidates c = { .list = NULL };
  /* More than is needed now is removed at a time. */
  uint64_t more = store->max_bytes == UINT64_MAX ? 0 : store->max_bytes / 20;
  if (room > 0 && has_room(store, room)) return true;
  int64_t cleaned = store->cleaned_ns;
  if (room > 0 && cleaned != 0 && monotonic - cleaned < pause_ns) return false;
  store->cleaned_ns = monotonic;
  if (more < room) more = room;
  if (room == 0 && has_room(store, 0)) more = 0;
  visit_hub_streams(store, add_candidates, &c);
  if (c.count > 0) qsort(c.list, c.count, sizeof *c.list, by_time);
  for (size_t i = 0; i < c.count; i++)
    if (now - c.list[i].file.changed_ns > store->max_age_ns
        || (!has_room(store, more) && !c.list[i].last))
      remove_part(store, &c.list[i]);
  free_candidates(&c);
  return has_room(store, room);
}
