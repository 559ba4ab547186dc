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
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "debug_file.h"
#include "json.h"
#include "memory.h"
#include "regular_file.h"
#include "capture.h"
#include "files.h"

/* Checksums */

static void write_sum(char sum[CHECKSUM_SIZE], uint64_t value)
{
  snprintf(sum, CHECKSUM_SIZE, "%016" PRIx64, value);
}

void checksum_bytes(const void *bytes, size_t size, char sum[CHECKSUM_SIZE])
{
  write_sum(sum, XXH64(bytes, size, 0));
}

/* Writes the checksum of the file [fd].  Returns false, with errno, when it
   cannot be read. */
static bool checksum_fd(int fd, char sum[CHECKSUM_SIZE])
{
  XXH64_state_t state;
  char bytes[64 * 1024];
  ssize_t n;
  off_t at = 0;
  XXH64_reset(&state, 0);
  while ((n = pread(fd, bytes, sizeof bytes, at)) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    XXH64_update(&state, bytes, (size_t) n);
    at += n;
  }
  write_sum(sum, XXH64_digest(&state));
  return n == 0;
}

/* Opens the regular file at [path].  Returns -1 with an errno that is not 0. */
static int open_file(const char *path, struct stat *st)
{
  int fd = open_regular(path, st);
  if (fd < 0 && errno == 0) errno = EISDIR;
  return fd;
}

bool checksum_file(const char *path, char sum[CHECKSUM_SIZE], int64_t *bytes)
{
  struct stat st;
  int fd = open_file(path, &st);
  if (fd < 0) return false;
  bool good = checksum_fd(fd, sum);
  int error = errno;
  close(fd);
  errno = error;
  *bytes = st.st_size;
  return good;
}

/* A file */

/* Returns a new JSON string with the build id of the file [fd], or JSON
   null. */
static json_t *build_id(int fd)
{
  unsigned char id[BUILD_ID_SIZE];
  char digits[2 * BUILD_ID_SIZE + 1];
  size_t size = read_build_id(fd, id);
  for (size_t i = 0; i < size; i++)
    snprintf(digits + 2 * i, 3, "%02x", id[i]);
  return size > 0 ? json_string(digits) : json_null();
}

/* Returns a new JSON object that describes the file at [path]; NULL, with
   errno, when it cannot be read. */
static json_t *file_facts(const char *path)
{
  struct stat st;
  char sum[CHECKSUM_SIZE];
  int fd = open_file(path, &st);
  if (fd < 0) return NULL;
  json_t *facts = NULL;
  if (checksum_fd(fd, sum))
    facts = json_pack("{s:o, s:I, s:s, s:o}", "path", json_text(path),
                      "bytes", (json_int_t) st.st_size, "xxh64", sum,
                      "build_id", build_id(fd));
  int error = errno;
  close(fd);
  errno = error;
  return facts;
}

/* A program */

/* Returns the absolute path of [name], relative to [dir], if it is a file that
   can be executed; else NULL. */
static char *executable_at(const char *dir, const char *name)
{
  char path[PATH_MAX];
  struct stat st;
  int n = snprintf(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : dir,
                   name[0] == '/' ? "" : "/", name);
  if (n >= (int) sizeof path || access(path, X_OK) < 0 || stat(path, &st) < 0
      || !S_ISREG(st.st_mode))
    return NULL;
  return realpath(path, NULL);
}

char *find_program(const char *name, const char *dir)
{
  if (strchr(name, '/') != NULL) return executable_at(dir, name);
  const char *folders = getenv("PATH");
  if (folders == NULL) folders = "/bin:/usr/bin";
  while (true) {
    char path[PATH_MAX];
    int length = (int) strcspn(folders, ":");
    int n = snprintf(path, sizeof path, "%.*s/%s", length > 0 ? length : 1,
                     length > 0 ? folders : ".", name);
    char *found = n < (int) sizeof path ? executable_at(dir, path) : NULL;
    if (found != NULL || folders[length] == '\0') return found;
    folders += length + 1;
  }
}

/* Appends the file at [path] to [libraries], or a message to [unknown]. */
static void add_library(json_t *libraries, const char *path, json_t *unknown)
{
  json_t *facts = file_facts(path);
  if (facts != NULL)
    json_array_append_new(libraries, facts);
  else
    json_array_append_new(unknown, json_sprintf("library %s: %s", path,
                                                strerror(errno)));
}

/* Appends the libraries that `ldd` lists for the program at [path].  Each line
   is "NAME => PATH (ADDRESS)" or "PATH (ADDRESS)". */
static void add_libraries(json_t *libraries, const char *path, json_t *unknown)
{
  const char *const argv[] = { "ldd", path, NULL };
  char *list = capture(argv, "/", NULL), *rest = list;
  if (list == NULL) {
    json_array_append_new(unknown, json_sprintf(
      "libraries of %s: ldd lists none: it is static, a script or bytecode",
      path));
    return;
  }
  for (char *line; (line = strsep(&rest, "\n")) != NULL; ) {
    char *end = strstr(line, " (0x"), *begin = strchr(line, '/');
    if (end == NULL || begin == NULL || end < begin) continue;
    *end = '\0';
    add_library(libraries, begin, unknown);
  }
  free(list);
}

/* If the file at [path] is a script, appends its interpreter to [libraries]. */
static void add_interpreter(json_t *libraries, const char *path,
                            json_t *unknown)
{
  char line[PATH_MAX] = "";
  FILE *file = fopen(path, "re");
  if (file == NULL) return;
  if (fgets(line, sizeof line, file) != NULL && strncmp(line, "#!", 2) == 0) {
    char *name = line + 2 + strspn(line + 2, " \t");
    name[strcspn(name, " \t\r\n")] = '\0';
    add_library(libraries, name, unknown);
  }
  fclose(file);
}

json_t *program_facts(const char *path, json_t *unknown)
{
  json_t *executable = file_facts(path), *libraries = json_array();
  if (executable == NULL) return NULL;
  add_interpreter(libraries, path, unknown);
  add_libraries(libraries, path, unknown);
  return json_pack("{s:o, s:o}", "executable", executable, "libraries",
                   libraries);
}

/* Changes */

struct file_state {
  const char *path, *sum;         /* of the JSON that describes it */
  struct stat st;
};

/* Returns whether the file has the checksum of [state], and notes its present
   state if so. */
static bool has_sum(struct file_state *state)
{
  char sum[CHECKSUM_SIZE];
  int fd = open_file(state->path, &state->st);
  if (fd < 0) return false;
  bool same = checksum_fd(fd, sum) && strcmp(sum, state->sum) == 0;
  close(fd);
  return same;
}

/* Adds the file that [facts] describes.  Returns whether it is unchanged. */
static bool note_file(struct file_states *states, const json_t *facts)
{
  states->list = with_room(states->list, states->count, &states->room,
                           sizeof *states->list);
  struct file_state *state = &states->list[states->count++];
  state->path = json_string_value(json_object_get(facts, "path"));
  state->sum = json_string_value(json_object_get(facts, "xxh64"));
  return state->path != NULL && state->sum != NULL && has_sum(state);
}

bool note_files(struct file_states *states, const json_t *program,
                const char **changed)
{
  const json_t *libraries = json_object_get(program, "libraries");
  bool good = note_file(states, json_object_get(program, "executable"));
  for (size_t i = 0; good && i < json_array_size(libraries); i++)
    good = note_file(states, json_array_get(libraries, i));
  if (!good) *changed = states->list[states->count - 1].path;
  if (!good && *changed == NULL) *changed = "?";
  return good;
}

static bool same_state(const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino
         && a->st_size == b->st_size
         && a->st_mtim.tv_sec == b->st_mtim.tv_sec
         && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec
         && a->st_ctim.tv_sec == b->st_ctim.tv_sec
         && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

bool files_unchanged(struct file_states *states, const char **changed)
{
  for (size_t i = 0; i < states->count; i++) {
    struct file_state *state = &states->list[i];
    struct stat st;
    if (stat(state->path, &st) == 0 && same_state(&st, &state->st)) continue;
    *changed = state->path;
    if (!has_sum(state)) return false;
  }
  return true;
}

void free_file_states(struct file_states *states)
{
  free(states->list);
  *states = (struct file_states) { 0 };
}
