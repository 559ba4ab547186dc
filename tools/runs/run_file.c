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
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "json.h"
#include "memory.h"
#include "capture.h"
#include "files.h"
#include "runs/run_file.h"
#include "target.h"

/* The largest file that is read as a run, and the size of a first line that is
   read at once. */
#define LARGEST_RUN ((off_t) 64 << 20)
#define HEAD_SIZE 4096

/* Before the checksum, at the end of the file. */
#define SUM_MEMBER ",\n\"xxh64\":\""

void run_path(char path[PATH_MAX], const char *folder, uint32_t number,
              const char *extension)
{
  snprintf(path, PATH_MAX, "%s/%06" PRIu32 ".%s", folder, number, extension);
}

uint32_t run_number(const char *name)
{
  size_t digits = strspn(name, "0123456789");
  /* As run_path writes it: another file with the same number is no run. */
  if (digits < 6 || digits > 9 || (digits > 6 && name[0] == '0')
      || strcmp(name + digits, ".json") != 0)
    return 0;
  return (uint32_t) strtoul(name, NULL, 10);
}

/* Writing */

bool sync_path(const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool good = fsync(fd) == 0 || errno == EINVAL;
  int error = errno;
  close(fd);
  errno = error;
  return good;
}

static bool write_all(int fd, const char *text, size_t size)
{
  while (size > 0) {
    ssize_t n = write(fd, text, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text += n;
    size -= (size_t) n;
  }
  return fsync(fd) == 0 || errno == EINVAL;
}

bool write_file(const char *path, const char *text, size_t size, char *why,
                size_t why_size)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = fd >= 0 && write_all(fd, text, size);
  int error = errno;
  if (fd >= 0 && close(fd) < 0 && good) {
    error = errno;
    good = false;
  }
  if (good) return true;
  snprintf(why, why_size, "cannot write %.400s: %s", path, strerror(error));
  if (fd >= 0) unlink(path);
  return false;
}

bool write_json_file(const char *path, const json_t *value, char *why,
                     size_t why_size)
{
  char *text = dump_json(value, JSON_INDENT(2));
  size_t size = strlen(text);
  text[size] = '\n';              /* in place of the NUL */
  bool good = write_file(path, text, size + 1, why, why_size);
  free(text);
  return good;
}

bool write_run(const char *path, const json_t *run, const json_t *manifest,
               const json_t *summary, char *why, size_t why_size)
{
  char *parts[] = { dump_json(run, JSON_COMPACT),
                    dump_json(manifest, JSON_COMPACT),
                    dump_json(summary, JSON_COMPACT) };
  char *body = NULL, *all = NULL, sum[CHECKSUM_SIZE];
  int size = asprintf(&body, "{\"run\":%s,\n\"manifest\":%s,\n\"summary\":%s",
                      parts[0], parts[1], parts[2]);
  if (size < 0) out_of_memory();
  checksum_bytes(body, (size_t) size, sum);
  size = asprintf(&all, "%s" SUM_MEMBER "%s\"}\n", body, sum);
  if (size < 0) out_of_memory();
  bool good = write_file(path, all, (size_t) size, why, why_size);
  for (int i = 0; i < 3; i++) free(parts[i]);
  free(body);
  free(all);
  return good;
}

/* Reading */

/* Returns the text of the regular file at [path] with a NUL behind it, which
   the caller frees, and its size in *size; NULL with the reason in [why]. */
static char *read_whole(const char *path, size_t *size, char *why,
                        size_t why_size)
{
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char *text = NULL;
  *size = 0;
  const char *problem = NULL;
  if (fd >= 0 && fstat(fd, &st) == 0) {
    if (!S_ISREG(st.st_mode)) problem = "not a regular file";
    else if (st.st_size > LARGEST_RUN) problem = strerror(EFBIG);
    else {
      text = allocate((size_t) st.st_size + 1, 1);
      ssize_t n = read(fd, text, (size_t) st.st_size);
      *size = n > 0 ? (size_t) n : 0;
      text[*size] = '\0';
    }
  }
  if (text == NULL)
    snprintf(why, why_size, "cannot read %.400s: %s", path,
             problem != NULL ? problem : strerror(errno));
  if (fd >= 0) close(fd);
  return text;
}

void explain_refusal(const char *path, const char *kind, json_int_t version,
                     char *why, size_t why_size)
{
  if (version > RUN_VERSION)
    snprintf(why, why_size, "%.400s: a %s of version %" JSON_INTEGER_FORMAT
             ", which needs a newer eventring", path, kind, version);
  else
    snprintf(why, why_size, "%.400s: not a %s of eventring batch", path, kind);
}

/* Returns the JSON value in [text], of the file at [path]; NULL with the reason
   in [why]. */
static json_t *parse_json(const char *path, const char *text, size_t size,
                          char *why, size_t why_size)
{
  json_error_t error;
  json_t *all = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
  if (all == NULL)
    snprintf(why, why_size, "%.400s: line %d: %s", path, error.line,
             error.text);
  return all;
}

json_t *read_json_file(const char *path, char *why, size_t why_size)
{
  size_t size;
  char *text = read_whole(path, &size, why, why_size);
  json_t *all = text == NULL ? NULL
                : parse_json(path, text, size, why, why_size);
  free(text);
  return all;
}

/* Returns [all], the JSON value of the file at [path], if it is a run.  Else
   frees it and returns NULL, with the reason in [why] unless it is NULL. */
static json_t *only_run(const char *path, json_t *all, char *why,
                        size_t why_size)
{
  json_int_t version = json_integer_value(
    json_object_get(json_object_get(all, "run"), "version"));
  if (all == NULL || version == RUN_VERSION) return all;
  explain_refusal(path, "run", version, why, why_size);
  json_decref(all);
  return NULL;
}

json_t *read_run(const char *path, char *why, size_t why_size)
{
  return only_run(path, read_json_file(path, why, why_size), why, why_size);
}

/* Returns the member `run` of the file at [path], if it is the first line; else
   NULL. */
static json_t *first_line(const char *path)
{
  char text[HEAD_SIZE];
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return NULL;
  /* The rest of the file need not come from the disk. */
  posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  ssize_t size = read(fd, text, sizeof text);
  close(fd);
  const char *end = size > 0 ? memchr(text, '\n', (size_t) size) : NULL;
  /* The line is `{"run":{...},`: with a brace for the comma it is an object. */
  if (end == NULL || end - text < 2 || end[-1] != ',') return NULL;
  text[end - text - 1] = '}';
  json_t *object = json_loadb(text, (size_t) (end - text), 0, NULL);
  json_t *run = json_incref(json_object_get(object, "run"));
  json_decref(object);
  if (json_integer_value(json_object_get(run, "version")) == RUN_VERSION)
    return run;
  json_decref(run);
  return NULL;
}

json_t *read_run_head(const char *path, char *why, size_t why_size)
{
  json_t *run = first_line(path);
  if (run != NULL) return run;
  json_t *all = read_run(path, why, why_size);
  run = json_incref(json_object_get(all, "run"));
  json_decref(all);
  return run;
}

/* Recordings */

/* Copies the facts in the note of the recording of [cursor] to [facts]. */
static void add_note(json_t *facts, struct eventring_cursor *cursor)
{
  static const char *const members[] = { "runtime", "eventring", "clock",
                                         "rings", "ring_words", "categories" };
  const char *note = eventring_note(cursor);
  json_t *all = note != NULL ? json_loads(note, 0, NULL) : NULL;
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    json_t *value = json_object_get(all, members[i]);
    json_object_set_new(facts, members[i],
                        value != NULL ? json_incref(value) : json_null());
  }
  json_decref(all);
}

static json_t *count_or_null(uint64_t count)
{
  return count == UINT64_MAX ? json_null() : json_integer((json_int_t) count);
}

json_t *recording_facts(const char *folder, const char *file, char *why,
                        size_t why_size)
{
  char path[PATH_MAX], sum[CHECKSUM_SIZE];
  int64_t bytes;
  struct eventring_options options = { .size = sizeof options, .message = why,
                                       .message_size = why_size };
  struct eventring_cursor *cursor = NULL;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  if (!checksum_file(path, sum, &bytes)) {
    snprintf(why, why_size, "cannot read %.400s: %s", path, strerror(errno));
    return NULL;
  }
  if (eventring_open(path, &options, &cursor) < 0) return NULL;
  struct eventring_info info = target_info(cursor);
  json_t *facts = json_pack(
    "{s:s, s:I, s:s, s:o, s:o}", "file", file, "bytes", (json_int_t) bytes,
    "xxh64", sum, "events", count_or_null(info.recorded_events),
    "lost_events", count_or_null(info.recorded_lost));
  add_note(facts, cursor);
  eventring_close(cursor);
  return facts;
}

/* Checks */

/* Returns whether the file with [text] is as it was written: its last member is
   the checksum of the text before it. */
static bool has_own_sum(const char *text, size_t size)
{
  const size_t end_size = sizeof SUM_MEMBER - 1 + CHECKSUM_SIZE - 1 + 3;
  char sum[CHECKSUM_SIZE], expected[64];
  if (size < end_size) return false;
  checksum_bytes(text, size - end_size, sum);
  snprintf(expected, sizeof expected, SUM_MEMBER "%s\"}\n", sum);
  return memcmp(text + size - end_size, expected, end_size) == 0;
}

/* Writes to [what] the reason if the recording that [facts] describes, in
   [folder], was changed or cannot be read, and returns true; else returns
   false. */
static bool recording_changed(const char *folder, const json_t *facts,
                              char *what, size_t what_size)
{
  const char *file = json_string_value(json_object_get(facts, "file")),
    *expected = json_string_value(json_object_get(facts, "xxh64"));
  char path[PATH_MAX + NAME_MAX], sum[CHECKSUM_SIZE];
  int64_t bytes;
  if (file == NULL || strchr(file, '/') != NULL || expected == NULL) {
    snprintf(what, what_size, "a recording without a name or a checksum");
    return true;
  }
  snprintf(path, sizeof path, "%s/%s", folder, file);
  if (!checksum_file(path, sum, &bytes))
    snprintf(what, what_size, "recording %.200s cannot be read: %s", file,
             strerror(errno));
  else if (strcmp(sum, expected) != 0)
    snprintf(what, what_size, "recording %.200s was changed after the run: its "
             "checksum is %s, not %.16s", file, sum, expected);
  else
    return false;
  return true;
}

int check_run(const char *path, void (*found)(void *state, const char *what),
              void *state, char *why, size_t why_size)
{
  char folder[PATH_MAX], what[512];
  size_t size;
  int findings = 0;
  char *text = read_whole(path, &size, why, why_size);
  json_t *all = text == NULL ? NULL
    : only_run(path, parse_json(path, text, size, why, why_size), why, why_size);
  bool same = all != NULL && has_own_sum(text, size);
  free(text);
  if (all == NULL) return -1;
  if (!same) {
    found(state, "the run's own file was changed after the run");
    findings++;
  }
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s",
           slash != NULL ? (int) (slash - path + 1) : 1,
           slash != NULL ? path : ".");
  const json_t *recordings = json_object_get(
    json_object_get(all, "manifest"), "recordings");
  for (size_t i = 0; i < json_array_size(recordings); i++)
    if (recording_changed(folder, json_array_get(recordings, i), what,
                          sizeof what)) {
      found(state, what);
      findings++;
    }
  json_decref(all);
  return findings;
}
