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

/* See hub_nodes.h.

   A report is not trusted: only the members that are known are kept, with the
   types that they must have. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "explain.h"
#include "hub_nodes.h"
#include "locks.h"
#include "small_file.h"

#define REPORT_STREAMS 20000
/* The most bytes of the streams that are kept of earlier reports, and of the
   file of a report, which has at most two for each byte of a body. */
#define KEPT_MAX ((size_t) 8 << 20)
#define REPORT_MAX (KEPT_MAX + ((size_t) 4 << 20))
/* Bytes in memory for each byte of that file, at most. */
#define REPORT_MEMORY 30
/* The reports after a turn in which a stream may still be missing. */
#define SPARE_REPORTS 10
#define REPORT_FILE "node.json"
/* A node that has not reported for so long is silent. */
#define SILENT_NS 10000000000

/* Files */

/* Returns the JSON object in the file [name] of [folder]; NULL for none. */
static json_t *read_object(int folder, const char *name)
{
  char *text = read_small_file(folder, name, REPORT_MAX);
  json_t *object = text != NULL ? json_loads(text, 0, NULL) : NULL;
  free(text);
  if (json_is_object(object)) return object;
  json_decref(object);
  return NULL;
}

static bool write_object(int folder, const char *name, const json_t *object,
                         bool durable)
{
  char *text = json_dumps(object, JSON_COMPACT);
  errno = ENOMEM;
  bool written = text != NULL
                 && replace_small_file(folder, name, text, durable);
  int error = errno;
  free(text);
  errno = error;
  return written;
}

/* Tokens */

bool new_join_token(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                    char *why, size_t size)
{
  char sum[FINGERPRINT_SIZE];
  if (!make_hub_token(token))
    return explain(why, size, "the system has no random numbers");
  sum_of_text(token, sum);
  int fd = openat(store->tokens, sum, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  0600);
  if (fd < 0)
    return explain(why, size, "cannot write %.3900s/hub/tokens: %s",
                   store->path, strerror(errno));
  close(fd);
  return true;
}

static bool is_fresh(struct hub_store *store, const char *sum)
{
  struct stat st;
  return fstatat(store->tokens, sum, &st, AT_SYMLINK_NOFOLLOW) == 0
    && time(NULL) - st.st_mtime <= JOIN_TOKEN_SECONDS;
}

bool is_join_token(struct hub_store *store, const char *token)
{
  char sum[FINGERPRINT_SIZE];
  sum_of_text(token, sum);
  return is_fresh(store, sum);
}

bool use_join_token(struct hub_store *store, const char *token)
{
  char sum[FINGERPRINT_SIZE];
  sum_of_text(token, sum);
  return is_fresh(store, sum) && unlinkat(store->tokens, sum, 0) == 0
    && fsync(store->tokens) == 0;
}

static bool is_sum(const char *name)
{
  return strlen(name) == FINGERPRINT_SIZE - 1
    && strspn(name, "0123456789abcdef") == FINGERPRINT_SIZE - 1;
}

static void remove_old_token(void *state, const char *sum)
{
  struct hub_store *store = state;
  if (!is_fresh(store, sum)) unlinkat(store->tokens, sum, 0);
}

void clean_join_tokens(struct hub_store *store)
{
  visit_names(store->tokens, is_sum, remove_old_token, store);
}

/* Sets [token] to the token that [text] is; returns false when it is none. */
static bool take_token(const char *text, char token[HUB_TOKEN_SIZE])
{
  const bool valid = strspn(text, "0123456789abcdef") == HUB_TOKEN_SIZE - 1
                     && strlen(text) == HUB_TOKEN_SIZE - 1;
  if (valid) memcpy(token, text, HUB_TOKEN_SIZE);
  return valid;
}

/* Sets [token] to the one in the file [name], which is made if needed. */
static bool open_token(struct hub_store *store, const char *name,
                       char token[HUB_TOKEN_SIZE], char *why, size_t size)
{
  char *text = read_small_file(store->hub, name, REPORT_MAX);
  if (text != NULL) {
    const bool valid = take_token(text, token);
    free(text);
    return valid || explain(why, size, "%.3900s/hub/%s has no token; remove it "
                            "for a new one", store->path, name);
  }
  if (errno != ENOENT)
    return explain(why, size, "cannot read %.3900s/hub/%s: %s", store->path,
                   name, strerror(errno));
  if (!make_hub_token(token))
    return explain(why, size, "the system has no random numbers");
  return replace_small_file(store->hub, name, token, true)
    || explain(why, size, "cannot write %.3900s/hub/%s: %s", store->path, name,
               strerror(errno));
}

bool open_read_token(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                     char *why, size_t size)
{
  return open_token(store, "read.token", token, why, size);
}

bool open_nats_secret(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                      char *why, size_t size)
{
  return open_token(store, "nats.secret", token, why, size);
}

#define CONTROL_FILE_NAME "control.token"

bool open_control_token(struct hub_store *store, char token[HUB_TOKEN_SIZE],
                        char *why, size_t size)
{
  return open_token(store, CONTROL_FILE_NAME, token, why, size);
}

bool read_control_token(struct hub_store *store, char token[HUB_TOKEN_SIZE])
{
  char *text = read_small_file(store->hub, CONTROL_FILE_NAME, REPORT_MAX);
  const bool valid = text != NULL && take_token(text, token);
  free(text);
  return valid;
}

#define ADDRESS_FILE_NAME "address"

bool keep_hub_address(struct hub_store *store, const char *text, char *why,
                      size_t size)
{
  return replace_small_file(store->hub, ADDRESS_FILE_NAME, text, true)
    || explain(why, size, "cannot write %.3900s/hub/" ADDRESS_FILE_NAME ": %s",
               store->path, strerror(errno));
}

bool read_hub_address(struct hub_store *store, struct hub_url *url, char *why,
                      size_t size)
{
  char *text = read_small_file(store->hub, ADDRESS_FILE_NAME, REPORT_MAX);
  bool known = text != NULL ? parse_hub_url(text, true, url, why, size)
               : explain(why, size, NO_HUB_YET, store->path);
  free(text);
  return known;
}

/* Names */

#define NODE_KEY_FILE "node.key"

bool registered_key(struct hub_store *store, const char *node,
                    char fingerprint[FINGERPRINT_SIZE])
{
  int folder = open_hub_folder(store, node, NULL);
  if (folder < 0) return false;
  char *key = read_small_file(folder, NODE_KEY_FILE, REPORT_MAX);
  bool valid = key != NULL && strlen(key) == FINGERPRINT_SIZE - 1;
  if (valid) memcpy(fingerprint, key, FINGERPRINT_SIZE);
  free(key);
  close(folder);
  return valid;
}

bool is_registered(struct hub_store *store, const char *node,
                   const char *fingerprint)
{
  char key[FINGERPRINT_SIZE];
  return registered_key(store, node, key) && strcmp(key, fingerprint) == 0;
}

struct registered_visit {
  struct hub_store *store;
  void (*visit)(void *state, const char *node, const char *fingerprint);
  void *state;
};

static void visit_if_registered(void *state, const char *node)
{
  const struct registered_visit *v = state;
  char key[FINGERPRINT_SIZE];
  if (registered_key(v->store, node, key)) v->visit(v->state, node, key);
}

void visit_registered(struct hub_store *store,
                      void (*visit)(void *state, const char *node,
                                    const char *fingerprint),
                      void *state)
{
  struct registered_visit v = { store, visit, state };
  visit_names(store->nodes, is_node_name, visit_if_registered, &v);
}

enum register_result register_node(struct hub_store *store, const char *node,
                                   const char *fingerprint, bool *made)
{
  char temporary[96];
  *made = false;
  if (mkdirat(store->nodes, node, 0700) < 0 && errno != EEXIST)
    return NODE_FAILED;
  int folder = open_hub_folder(store, node, NULL);
  if (folder < 0) return NODE_FAILED;
  /* The name of the file appears with all of its bytes, and once. */
  snprintf(temporary, sizeof temporary, ".key.%.16s", fingerprint);
  bool written = replace_small_file(folder, temporary, fingerprint, true);
  *made = written
          && linkat(folder, temporary, folder, NODE_KEY_FILE, 0) == 0;
  int error = errno;
  unlinkat(folder, temporary, 0);
  if (*made && (fsync(folder) < 0 || fsync(store->nodes) < 0)) {
    error = errno;
    unlinkat(folder, NODE_KEY_FILE, 0);
    *made = false;
  }
  close(folder);
  if (*made || is_registered(store, node, fingerprint)) return NODE_REGISTERED;
  errno = error;
  return written && error == EEXIST ? NODE_TAKEN : NODE_FAILED;
}

bool forget_node(struct hub_store *store, const char *node)
{
  int folder = open_hub_folder(store, node, NULL);
  if (folder < 0) return false;
  bool forgotten = unlinkat(folder, NODE_KEY_FILE, 0) == 0
                   && fsync(folder) == 0;
  int error = errno;
  close(folder);
  errno = error;
  return forgotten;
}

void drop_empty_node(struct hub_store *store, const char *node)
{
  unlinkat(store->nodes, node, AT_REMOVEDIR);
}

/* Reports */

enum member_type { TEXT, NUMBER };
struct member {
  const char *name;
  enum member_type type;
};
#define TEXT_MAX 4096

/* Copies the [count] [members] that [from] has to [to]; texts that are too long
   and members of another type are left out. */
static void copy_members(json_t *to, const json_t *from,
                         const struct member *members, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    json_t *value = json_object_get(from, members[i].name);
    if (members[i].type == TEXT ? json_is_string(value)
                                  && json_string_length(value) <= TEXT_MAX
                                : json_is_integer(value))
      json_object_set(to, members[i].name, value);
  }
}
#define COPY(to, from, members) \
  copy_members(to, from, members, sizeof members / sizeof *members)

static const struct member stream_members[] = {
  { "pid", NUMBER }, { "program", TEXT }, { "state", TEXT },
  { "events", NUMBER }, { "lost", NUMBER }, { "parts_dropped", NUMBER }
};

/* Returns a copy of the object [stream] of a report; NULL when it has no valid
   name. */
static json_t *copy_stream(const json_t *stream)
{
  const char *name = json_string_value(json_object_get(stream, "stream"));
  if (name == NULL || !is_stream_name(name)) return NULL;
  json_t *copy = json_object();
  json_object_set_new(copy, "stream", json_string(name));
  COPY(copy, stream, stream_members);
  return copy;
}

/* Returns a copy of [report] with the members that are known and its streams by
   their names; NULL with the reason. */
static json_t *copy_report(const json_t *report, char *why, size_t size)
{
  static const struct member members[] = {
    { "version", TEXT }, { "boot_id", TEXT }, { "monotonic_ns", NUMBER },
    { "realtime_ns", NUMBER }, { "reports_in_turn", NUMBER },
    { "time_namespace", NUMBER }
  };
  static const struct member clock[] = {
    { "offset_ns", NUMBER }, { "bound_ns", NUMBER }
  };
  static const struct member dropped[] = {
    { "parts", NUMBER }, { "bytes", NUMBER }
  };
  static const struct member spool[] = {
    { "bytes", NUMBER }, { "waiting", NUMBER }
  };
  const json_t *list = json_object_get(report, "streams");
  if (!json_is_array(list) || json_array_size(list) > REPORT_STREAMS) {
    explain(why, size, "streams: expected an array of at most %d objects",
            REPORT_STREAMS);
    return NULL;
  }
  json_t *copy = json_object(), *streams = json_object();
  json_t *part = json_object();
  COPY(copy, report, members);
  COPY(part, json_object_get(report, "clock"), clock);
  json_object_set_new(copy, "clock", part);
  part = json_object();
  COPY(part, json_object_get(report, "dropped"), dropped);
  json_object_set_new(copy, "dropped", part);
  part = json_object();
  COPY(part, json_object_get(report, "spool"), spool);
  json_object_set_new(copy, "spool", part);
  for (size_t i = 0; i < json_array_size(list); i++) {
    json_t *stream = copy_stream(json_array_get(list, i));
    if (stream == NULL) {
      json_decref(copy);
      json_decref(streams);
      explain(why, size, "streams: number %zu has no valid name", i);
      return NULL;
    }
    json_object_set_new(streams,
                        json_string_value(json_object_get(stream, "stream")),
                        stream);
  }
  json_object_set_new(copy, "streams", streams);
  json_object_set_new(copy, "received_realtime_ns",
                      json_integer(hub_realtime_ns()));
  return copy;
}

static bool same_text(const json_t *a, const json_t *b, const char *name)
{
  const char *x = json_string_value(json_object_get(a, name));
  const char *y = json_string_value(json_object_get(b, name));
  return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* Returns whether [object] has the state [state]. */
static bool is_in_state(const json_t *object, const char *state)
{
  const char *word = json_string_value(json_object_get(object, "state"));
  return word != NULL && strcmp(word, state) == 0;
}

/* Adds the streams that run and that the earlier report in [folder] has and
   [report] has not, if the agent needs several reports for all of its streams.
   A stream that is missing for longer than that is not kept. */
static void keep_others(json_t *report, int folder)
{
  json_t *streams = json_object_get(report, "streams"), *state;
  const json_t *turn = json_object_get(report, "reports_in_turn");
  const char *name;
  size_t room = KEPT_MAX;
  if (json_integer_value(turn) < 2) return;
  json_t *before = read_object(folder, REPORT_FILE);
  json_t *others = same_text(report, before, "boot_id")
                   ? json_object_get(before, "streams") : NULL;
  json_object_foreach(others, name, state) {
    const json_int_t missed =
      json_integer_value(json_object_get(state, "missed")) + 1;
    const size_t bytes = json_dumpb(state, NULL, 0, JSON_COMPACT);
    if (json_object_get(streams, name) != NULL || !is_in_state(state, "running")
        || missed - SPARE_REPORTS > json_integer_value(turn) || bytes > room
        || json_object_size(streams) >= REPORT_STREAMS)
      continue;
    room -= bytes;
    json_object_set_new(state, "missed", json_integer(missed));
    json_object_set(streams, name, state);
  }
  json_decref(before);
}

/* Returns whether the state of a process may follow the state [before].  A
   process that has ended does not run again: such a report was on the way for
   long. */
static bool may_follow(const json_t *before, const json_t *state)
{
  const bool over = is_in_state(before, "ended")
                    || is_in_state(before, "killed")
                    || is_in_state(before, "replaced");
  return !over || !is_in_state(state, "running");
}

/* Keeps the state of a stream that has a folder in a file of its own when the
   state has changed, for the time after the agent no longer reports it.
   Returns false with errno. */
static bool keep_state(struct hub_store *store, const char *node,
                       const char *stream, const json_t *state)
{
  pthread_mutex_t *lock = lock_of_stream(store, node, stream);
  bool kept = true;
  pthread_mutex_lock(lock);
  int folder = open_hub_folder(store, node, stream);
  if (folder >= 0) {
    json_t *before = read_object(folder, STREAM_FILE);
    if (before == NULL
        || (may_follow(before, state)
            && (!same_text(before, state, "state")
                || (!is_in_state(state, "running")
                    && !json_equal(before, state)))))
      kept = write_object(folder, STREAM_FILE, state, true);
    json_decref(before);
    const int error = errno;
    close(folder);
    errno = error;
  }
  pthread_mutex_unlock(lock);
  return kept;
}

/* Keeps the states of all streams of [report], then the report.  Returns false
   with errno. */
static bool keep_report(struct hub_store *store, const char *node,
                        json_t *report)
{
  const char *stream;
  json_t *state;
  int folder = open_hub_folder(store, node, NULL);
  bool kept = folder >= 0;
  json_object_foreach(json_object_get(report, "streams"), stream, state) {
    kept = kept && keep_state(store, node, stream, state);
  }
  if (kept) {
    keep_others(report, folder);
    kept = write_object(folder, REPORT_FILE, report, false);
  }
  const int error = errno;
  if (folder >= 0) close(folder);
  errno = error;
  return kept;
}

bool store_report(struct hub_store *store, const char *node,
                  const json_t *report, int *error, char *why, size_t size)
{
  *error = 0;
  json_t *copy = copy_report(report, why, size);
  if (copy == NULL) return false;
  pthread_mutex_t *lock = lock_of_node(store, node);
  pthread_mutex_lock(lock);
  const bool kept = keep_report(store, node, copy);
  if (!kept) {
    *error = errno;
    explain(why, size, "cannot keep the report: %s", strerror(errno));
  }
  pthread_mutex_unlock(lock);
  json_decref(copy);
  return kept;
}

uint64_t memory_of_kept_report(struct hub_store *store, const char *node)
{
  struct stat st;
  int folder = open_hub_folder(store, node, NULL);
  const bool found = folder >= 0
                     && fstatat(folder, REPORT_FILE, &st, 0) == 0;
  if (folder >= 0) close(folder);
  return found ? REPORT_MEMORY * (uint64_t) st.st_size : 0;
}

/* Lists */

struct listing {
  struct hub_store *store;
  json_t *list;                   /* of nodes or processes */
  bool processes;
  const char *node;
  json_t *report;                 /* of the node, or NULL */
  bool silent;                    /* it is old */
  uint64_t streams, bytes;        /* of the node */
};

/* Sets the facts of the parts in [folder] in [object], and returns their
   bytes. */
static uint64_t describe_parts(json_t *object, int folder)
{
  struct part_file *parts = NULL;
  size_t count = 0;
  uint64_t bytes = 0;
  int64_t changed_ns = 0;
  list_parts(folder, &parts, &count);
  for (size_t i = 0; i < count; i++) {
    bytes += parts[i].bytes;
    if (parts[i].changed_ns > changed_ns) changed_ns = parts[i].changed_ns;
  }
  free(parts);
  json_object_set_new(object, "parts", json_integer((json_int_t) count));
  json_object_set_new(object, "bytes", json_integer((json_int_t) bytes));
  if (count > 0)
    json_object_set_new(object, "last_data_realtime_ns",
                        json_integer(changed_ns));
  return bytes;
}

/* Adds an object for a process, of the [state] that was reported of it, which
   may be NULL, and of its parts, unless [folder] is -1. */
static void add_process(struct listing *l, const char *stream,
                        const json_t *state, bool reported, int folder)
{
  json_t *object = json_object();
  json_object_set_new(object, "node", json_string(l->node));
  json_object_set_new(object, "stream", json_string(stream));
  if (state != NULL) COPY(object, state, stream_members);
  const char *word = json_string_value(json_object_get(object, "state"));
  if (word == NULL)
    json_object_set_new(object, "state", json_string("unknown"));
  else if (strcmp(word, "running") == 0 && (l->silent || !reported))
    json_object_set_new(object, "state", json_string("silent"));
  l->streams++;
  if (folder >= 0) l->bytes += describe_parts(object, folder);
  if (l->processes) json_array_append_new(l->list, object);
  else json_decref(object);
}

static void add_stored_stream(void *state, const char *stream)
{
  struct listing *l = state;
  int folder = open_hub_folder(l->store, l->node, stream);
  if (folder < 0) return;
  json_t *reported = json_object_get(json_object_get(l->report, "streams"),
                                     stream);
  json_t *kept = reported == NULL ? read_object(folder, STREAM_FILE) : NULL;
  add_process(l, stream, reported != NULL ? reported : kept, reported != NULL,
              folder);
  json_decref(kept);
  if (reported != NULL)
    json_object_del(json_object_get(l->report, "streams"), stream);
  close(folder);
}

/* Adds the object of the node. */
static void add_node(struct listing *l, bool joined)
{
  static const struct member members[] = {
    { "version", TEXT }, { "boot_id", TEXT }, { "monotonic_ns", NUMBER },
    { "realtime_ns", NUMBER }, { "received_realtime_ns", NUMBER },
    { "time_namespace", NUMBER }
  };
  json_t *object = json_object();
  json_object_set_new(object, "node", json_string(l->node));
  json_object_set_new(object, "joined", json_boolean(joined));
  json_object_set_new(object, "silent", json_boolean(l->silent));
  json_object_set_new(object, "streams",
                      json_integer((json_int_t) l->streams));
  json_object_set_new(object, "bytes", json_integer((json_int_t) l->bytes));
  if (l->report != NULL) {
    COPY(object, l->report, members);
    json_object_set(object, "clock", json_object_get(l->report, "clock"));
    json_object_set(object, "dropped", json_object_get(l->report, "dropped"));
    json_object_set(object, "spool", json_object_get(l->report, "spool"));
  }
  json_array_append_new(l->list, object);
}

static void list_node(void *state, const char *node)
{
  struct listing *l = state;
  const char *stream;
  json_t *value;
  int folder = open_hub_folder(l->store, node, NULL);
  if (folder < 0) return;
  l->node = node;
  l->report = read_object(folder, REPORT_FILE);
  l->streams = l->bytes = 0;
  const json_t *received = json_object_get(l->report, "received_realtime_ns");
  /* A report from the future came before the clock was set back. */
  const int64_t age_ns = hub_realtime_ns() - json_integer_value(received);
  l->silent = age_ns > SILENT_NS || age_ns < -SILENT_NS;
  visit_names(folder, is_stream_name, add_stored_stream, l);
  /* Processes without a part yet. */
  json_object_foreach(json_object_get(l->report, "streams"), stream, value) {
    add_process(l, stream, value, true, -1);
  }
  if (!l->processes)
    add_node(l, faccessat(folder, NODE_KEY_FILE, F_OK, 0) == 0);
  json_decref(l->report);
  close(folder);
}

/* Returns an object with the array [name] of all processes or nodes. */
static json_t *list_all(struct hub_store *store, const char *name,
                        bool processes)
{
  struct listing l = { .store = store, .list = json_array(),
                       .processes = processes };
  json_t *object = json_object();
  visit_names(store->nodes, is_node_name, list_node, &l);
  json_object_set_new(object, "realtime_ns", json_integer(hub_realtime_ns()));
  json_object_set_new(object, name, l.list);
  return object;
}

json_t *list_nodes(struct hub_store *store)
{
  return list_all(store, "nodes", false);
}

json_t *list_processes(struct hub_store *store)
{
  return list_all(store, "processes", true);
}
