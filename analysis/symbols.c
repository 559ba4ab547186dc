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

/* The frames of an address are found once and kept in a hash table; so is each
   text.  The author of a file does not know the seed of the hashes. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include "code_file.h"
#include "memory.h"
#include "ocaml_name.h"
#include "symbols.h"
#include "target.h"

#define DEEPEST 64              /* frames at one address */
#define NAME_SIZE 1024          /* of a function; longer names are cut */

#define PATH_ROOM 8192
#define DELETED " (deleted)"    /* after the path of a file that was replaced */

/* Files that are opened; each has descriptors and much memory. */
#define MOST_FILES 400

/* A mapping and its file.  Mappings of one file share it. */
struct mapped {
  const struct eventring_mapping *mapping;
  struct code_file *file;       /* NULL: not opened yet, or too many are */
  bool asked;                   /* open_file was called */
  bool exists;                  /* [device] and [inode] are of the file */
  dev_t device;
  ino_t inode;
  bool usable, owns;            /* the file */
  bool lacks_lines;             /* and this was reported */
};

struct found {
  struct code_address code;
  uint32_t count;
  struct frame *frames;
};

struct symbols {
  const struct eventring_mapping *(*mapping)(void *code, uint32_t index);
  void *code;
  int pid;                      /* of the process, while it runs; else 0 */
  const char *folder;           /* see symbols_in */
  void (*say)(void *state, const char *message);
  void *state;
  uint64_t seed;
  struct mapped *mapped;
  uint32_t mapped_count, files_count;
  struct found *found;          /* a hash table of [found_room] */
  size_t found_count, found_room;
  char **texts;                 /* a hash table of [texts_room] */
  size_t texts_count, texts_room;
};

static const struct eventring_mapping *mapping_of_cursor(void *cursor,
                                                         uint32_t index)
{
  return eventring_mapping(cursor, index);
}

struct symbols *new_symbols(struct eventring_cursor *cursor,
                            void (*say)(void *state, const char *message),
                            void *state)
{
  struct symbols *s = new_symbols_of(mapping_of_cursor, cursor, say, state);
  const struct eventring_info info = target_info(cursor);
  if (!info.pid_is_elsewhere
      && eventring_state(cursor) == EVENTRING_STATE_RUNNING)
    symbols_of_process(s, info.pid);
  return s;
}

void symbols_of_process(struct symbols *s, pid_t pid)
{
  s->pid = pid;
}

void symbols_in(struct symbols *s, const char *folder)
{
  s->folder = folder;
}

struct symbols *new_symbols_of(
  const struct eventring_mapping *(*mapping)(void *code, uint32_t index),
  void *code, void (*say)(void *state, const char *message), void *state)
{
  struct symbols *s = allocate(1, sizeof *s);
  s->mapping = mapping;
  s->code = code;
  s->say = say;
  s->state = state;
  memcpy(&s->seed, (const void *) getauxval(AT_RANDOM), sizeof s->seed);
  s->seed |= 1;
  return s;
}

void free_symbols(struct symbols *s)
{
  if (s == NULL) return;
  for (uint32_t i = 0; i < s->mapped_count; i++)
    if (s->mapped[i].owns) close_code_file(s->mapped[i].file);
  for (size_t i = 0; i < s->found_room; i++) free(s->found[i].frames);
  for (size_t i = 0; i < s->texts_room; i++) free(s->texts[i]);
  free(s->mapped);
  free(s->found);
  free(s->texts);
  free(s);
}

/* Texts */

static uint64_t hash_text(const struct symbols *s, const char *text)
{
  uint64_t hash = s->seed;
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char) *text) * s->seed + (hash >> 29);
  return hash ^ hash >> 32;
}

/* Returns the place of [text] in the table, which has room. */
static char **text_place(struct symbols *s, const char *text)
{
  size_t at = hash_text(s, text) & (s->texts_room - 1);
  while (s->texts[at] != NULL && strcmp(s->texts[at], text) != 0)
    at = (at + 1) & (s->texts_room - 1);
  return &s->texts[at];
}

static void grow_texts(struct symbols *s)
{
  char **old = s->texts;
  size_t room = s->texts_room;
  s->texts_room = room == 0 ? 256 : 2 * room;
  s->texts = allocate(s->texts_room, sizeof *s->texts);
  for (size_t i = 0; i < room; i++)
    if (old[i] != NULL) *text_place(s, old[i]) = old[i];
  free(old);
}

const char *symbols_text(struct symbols *s, const char *text)
{
  if (2 * s->texts_count >= s->texts_room) grow_texts(s);
  char **place = text_place(s, text);
  if (*place == NULL) {
    size_t size = strlen(text) + 1;
    *place = allocate(size, 1);
    memcpy(*place, text, size);
    s->texts_count++;
  }
  return *place;
}

static const char *text_or_null(struct symbols *s, const char *text)
{
  return text == NULL || text[0] == '\0' ? NULL : symbols_text(s, text);
}

/* Files */

static bool same_file(const struct mapped *x, const struct mapped *y)
{
  const struct eventring_mapping *a = x->mapping, *b = y->mapping;
  bool same_place = x->exists && y->exists
                    ? x->device == y->device && x->inode == y->inode
                    : strcmp(a->path, b->path) == 0;
  return same_place && a->build_id_size == b->build_id_size
         && memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

static const char *last_part(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

static bool ends_in_deleted(const char *path)
{
  const size_t length = strlen(path), end = sizeof DELETED - 1;
  return length > end && strcmp(path + length - end, DELETED) == 0;
}

static void report(const struct symbols *s, const char *message)
{
  if (s->say != NULL) s->say(s->state, message);
}

/* Reports the problem of [file], the file at [path]. */
static void report_problem(struct symbols *s, const struct code_file *file,
                           const char *path)
{
  enum code_problem problem = code_file_problem(file);
  const char *reason = errno == 0 ? "not an ELF file" : strerror(errno);
  char message[8192];
  switch (problem) {
  case CODE_UNREADABLE:
    /* The kernel's own code has no file. */
    if (path[0] != '/') return;
    snprintf(message, sizeof message, "cannot read the symbols of %s: %s", path,
             reason);
    break;
  case CODE_OTHER:
    snprintf(message, sizeof message, "%s is not the file that the process ran:"
             " its build id differs; its functions have no names", path);
    break;
  case CODE_STRIPPED:
    snprintf(message, sizeof message, "%s is stripped: its functions have no "
             "names, unless it exports them", path);
    break;
  case CODE_WITHOUT_LINES:
    snprintf(message, sizeof message, "%s has no debug information: it was "
             "compiled without -g, or stripped; its functions have no lines",
             path);
    break;
  default: return;
  }
  report(s, message);
}

/* The other places of the file of a mapping. */
enum place { BELOW_FOLDER, IN_FOLDER, MAPPED, EXECUTABLE, IN_ROOT, PLACES };

/* Writes the path of the file of [m] at [place] to [path].  Returns false when there
   is no such place. */
static bool path_at(const struct symbols *s, const struct eventring_mapping *m,
                    enum place place, char path[PATH_ROOM])
{
  const bool in_folder = place == BELOW_FOLDER || place == IN_FOLDER;
  const int length = (int) (strlen(m->path) - (ends_in_deleted(m->path)
                                               ? sizeof DELETED - 1 : 0));
  const uint64_t page = (uint64_t) sysconf(_SC_PAGESIZE);
  if (in_folder ? s->folder == NULL : s->pid == 0) return false;
  switch (place) {
  case BELOW_FOLDER:
    snprintf(path, PATH_ROOM, "%s/%.*s", s->folder, length, m->path);
    break;
  case IN_FOLDER:
    snprintf(path, PATH_ROOM, "%s/%.*s", s->folder,
             length - (int) (last_part(m->path) - m->path), last_part(m->path));
    break;
  case MAPPED:
    snprintf(path, PATH_ROOM, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
             s->pid, m->start / page * page,
             (m->start + m->length + page - 1) / page * page);
    break;
  case EXECUTABLE:
    /* Only a build id tells that it is the file of [m]. */
    if (m->build_id_size == 0) return false;
    snprintf(path, PATH_ROOM, "/proc/%d/exe", s->pid);
    break;
  default:
    snprintf(path, PATH_ROOM, "/proc/%d/root%.*s", s->pid, length, m->path);
  }
  return true;
}

static bool is_usable(const struct code_file *file)
{
  const enum code_problem problem = code_file_problem(file);
  return problem != CODE_UNREADABLE && problem != CODE_OTHER;
}

/* Opens the file of [mapped]: that under its path, or if this is not the file that
   the process ran, at another place. */
static void find_file(struct symbols *s, struct mapped *mapped)
{
  char path[PATH_ROOM];
  const struct eventring_mapping *m = mapped->mapping;
  mapped->file = open_code_file(m, m->path);
  for (int place = 0; m->path[0] == '/' && place < PLACES
                      && !is_usable(mapped->file); place++) {
    if (!path_at(s, m, (enum place) place, path)) continue;
    struct code_file *other = open_code_file(m, path);
    const bool found = is_usable(other);
    close_code_file(found ? mapped->file : other);
    if (found) mapped->file = other;
  }
  mapped->usable = is_usable(mapped->file);
}

/* Opens the file of [mapped], unless another mapping has it. */
static void open_file(struct symbols *s, struct mapped *mapped)
{
  struct stat st;
  char message[128];
  mapped->asked = true;
  if (stat(mapped->mapping->path, &st) == 0) {
    mapped->exists = true;
    mapped->device = st.st_dev;
    mapped->inode = st.st_ino;
  }
  for (uint32_t i = 0; i < s->mapped_count; i++) {
    const struct mapped *other = &s->mapped[i];
    if (other->file == NULL || !same_file(other, mapped))
      continue;
    mapped->file = other->file;
    mapped->usable = other->usable;
    return;
  }
  if (s->files_count++ >= MOST_FILES) {
    snprintf(message, sizeof message, "more than %d files with code: the "
             "functions of the others have no names", MOST_FILES);
    if (s->files_count == MOST_FILES + 1) report(s, message);
    return;
  }
  find_file(s, mapped);
  mapped->owns = true;
  report_problem(s, mapped->file, mapped->mapping->path);
}

/* Returns the latest mapping that has [address], with its file open; NULL when
   no mapping has it. */
static struct mapped *mapping_of(struct symbols *s, uint64_t address)
{
  const struct eventring_mapping *mapping =
    s->mapping(s->code, s->mapped_count);
  for (; mapping != NULL; mapping = s->mapping(s->code, s->mapped_count)) {
    s->mapped = reallocate(s->mapped, s->mapped_count + 1, sizeof *s->mapped);
    s->mapped[s->mapped_count++] = (struct mapped) { .mapping = mapping };
  }
  for (uint32_t i = s->mapped_count; i-- > 0; ) {
    struct mapped *m = &s->mapped[i];
    if (address < m->mapping->start
        || address - m->mapping->start >= m->mapping->length)
      continue;
    if (!m->asked) open_file(s, m);
    return m;
  }
  return NULL;
}

/* Frames */

/* Reports, once a mapping, that OCaml code with debug information in other
   parts of its file has no line: [function] and perhaps others. */
static void report_no_line(struct symbols *s, struct mapped *mapped,
                           const char *function)
{
  char message[8192];
  if (mapped->lacks_lines || code_file_problem(mapped->file) != CODE_FINE)
    return;
  mapped->lacks_lines = true;
  snprintf(message, sizeof message, "%s has code that was compiled without -g: "
           "%s has no lines", mapped->mapping->path, function);
  report(s, message);
}

/* Returns whether the last part [last] of the path [file] is in [folder], which ends
   in "/". */
static bool is_in_folder(const char *file, const char *last, const char *folder)
{
  const size_t before = (size_t) (last - file), length = strlen(folder);
  return before >= length && strncmp(last - length, folder, length) == 0
         && (before == length || last[-(ptrdiff_t) length - 1] == '/');
}

/* Returns the kind of the C function [name], of the source [file], which is NULL
   when the file is not known. */
static enum frame_kind kind_of_c(const char *name, const char *file)
{
  static const char *const collector[] = {
    "finalise.c", "gc_ctrl.c", "globroots.c", "major_gc.c", "minor_gc.c",
    "roots.c", "shared_heap.c", "weak.c"
  };
  if (file == NULL)
    return strncmp(name, "caml_", 5) == 0 ? FRAME_RUNTIME : FRAME_C;
  const char *last = last_part(file);
  if (is_in_folder(file, last, "runtime/caml/")) return FRAME_RUNTIME;
  if (!is_in_folder(file, last, "runtime/")) return FRAME_C;
  for (size_t i = 0; i < sizeof collector / sizeof *collector; i++)
    if (strcmp(last, collector[i]) == 0) return FRAME_COLLECTOR;
  return FRAME_RUNTIME;
}

/* Sets the name and the kind of [frame], which has the rest, for [function] in the
   file of [mapped].  [has_line]: a line of the code is known. */
static void set_function(struct symbols *s, struct mapped *mapped,
                         struct frame *frame,
                         const struct code_function *function, bool has_line)
{
  char name[NAME_SIZE];
  if (function->inlined_c && function->name != NULL) {
    snprintf(name, sizeof name, "%s", function->name);
    frame->kind = kind_of_c(name, frame->file);
  } else if (name_of_code(function, name, sizeof name)) {
    frame->kind = FRAME_OCAML;
    if (function->name == NULL && !has_line) report_no_line(s, mapped, name);
  } else if (function->symbol == NULL) {
    frame->kind = FRAME_UNKNOWN;
    snprintf(name, sizeof name, "[%s]", last_part(mapped->mapping->path));
  } else {
    /* A version of the symbol may follow, as in read@@GLIBC_2.2.5. */
    snprintf(name, sizeof name, "%.*s", (int) strcspn(function->symbol, "@"),
             function->symbol);
    frame->kind = kind_of_c(name, frame->file);
  }
  frame->function = symbols_text(s, name);
}

static void find(struct symbols *s, struct found *found)
{
  struct code_place places[DEEPEST];
  const struct code_address *code = &found->code;
  struct mapped *m = mapping_of(s, code->address - code->returns);
  /* The same place, counted in the file. */
  const struct code_address in_file = {
    m == NULL ? 0 : code->address - m->mapping->start + m->mapping->offset,
    code->returns, code->allocation
  };
  uint32_t count = m == NULL || !m->usable ? 0
    : find_places(m->file, in_file, places, DEEPEST);
  if (count == 0) places[count++] = (struct code_place) { .line = 0 };
  found->count = count;
  found->frames = allocate(count, sizeof *found->frames);
  for (uint32_t i = 0; i < count; i++) {
    struct frame *frame = &found->frames[i];
    frame->file = text_or_null(s, places[i].file);
    frame->folder = text_or_null(s, places[i].folder);
    frame->line = frame->file == NULL ? 0 : places[i].line;
    frame->inlined = i + 1 < count;
    struct code_function function = places[i].function;
    const bool is_known = frame->inlined
      && (function.symbol != NULL
          || (function.name != NULL && function.name[0] != '\0'));
    if (!is_known && m != NULL && m->usable)
      function = find_function(m->file, in_file.address, in_file.returns);
    if (m != NULL)
      set_function(s, m, frame, &function, found->frames[0].line != 0);
    else frame->function = symbols_text(s, "[unknown]");
  }
}

static struct found *found_place(struct symbols *s, struct code_address code)
{
  uint64_t hash = (2 * code.address + code.returns) * s->seed;
  hash = (hash ^ code.allocation) * s->seed;
  size_t at = (hash ^ hash >> 32) & (s->found_room - 1);
  while (s->found[at].count > 0
         && (s->found[at].code.address != code.address
             || s->found[at].code.returns != code.returns
             || s->found[at].code.allocation != code.allocation))
    at = (at + 1) & (s->found_room - 1);
  return &s->found[at];
}

static void grow_found(struct symbols *s)
{
  struct found *old = s->found;
  size_t room = s->found_room;
  s->found_room = room == 0 ? 256 : 2 * room;
  s->found = allocate(s->found_room, sizeof *s->found);
  for (size_t i = 0; i < room; i++)
    if (old[i].count > 0)
      *found_place(s, old[i].code) = old[i];
  free(old);
}

uint32_t find_frames(struct symbols *s, struct code_address code,
                     const struct frame **frames)
{
  if (2 * s->found_count >= s->found_room) grow_found(s);
  struct found *found = found_place(s, code);
  if (found->count == 0) {
    found->code = code;
    find(s, found);
    s->found_count++;
  }
  *frames = found->frames;
  return found->count;
}
