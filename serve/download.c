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

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "download.h"
#include "kept.h"
#include "manifest.h"
#include "memory.h"
#include "query.h"
#include "reading.h"
#include "ring_snapshot.h"
#include "saved.h"
#include "settings.h"
#include "store.h"
#include "target.h"
#include "trace.h"
#include "unnamed_file.h"
#include "view.h"

struct download {
  int fd;
  const char *type;
  char name[NAME_MAX + 1];
  int64_t complete_ns;            /* as of download_complete_from */
};

static atomic_int count;          /* of downloads */

/* Opens a file without a name for a client.  Returns -1 with errno. */
static int open_unnamed(const struct settings *settings)
{
  const int fd = settings->store != NULL ? unnamed_file(settings->store) : -1;
  return fd >= 0 ? fd : unnamed_file(temporary_folder());
}

struct download *new_download(const struct settings *settings, char *why,
                              size_t why_size)
{
  if (atomic_fetch_add(&count, 1) >= DOWNLOADS) {
    atomic_fetch_sub(&count, 1);
    snprintf(why, why_size, "%d downloads go on: no more at once", DOWNLOADS);
    return NULL;
  }
  struct download *download = allocate(1, sizeof *download);
  download->fd = open_unnamed(settings);
  if (download->fd >= 0) return download;
  snprintf(why, why_size, "cannot make a temporary file: %s", strerror(errno));
  close_download(download);
  return NULL;
}

void close_download(struct download *download)
{
  if (download == NULL) return;
  if (download->fd >= 0) close(download->fd);
  free(download);
  atomic_fetch_sub(&count, 1);
}

/* Writes the time [ns] in seconds to [text]; "end" if it is INT64_MAX. */
static void name_time(char text[32], int64_t ns)
{
  const long long ms = ns / 1000000;
  if (ns == INT64_MAX) snprintf(text, 32, "end");
  else snprintf(text, 32, "%lld.%03llds", ms / 1000, ms % 1000);
}

static bool has_window(const struct query *query)
{
  return (query->given & (1u << FROM | 1u << TO)) != 0;
}

void name_download(struct download *download, const char *type,
                   const struct eventring_info *info,
                   const struct query *query, const char *ending)
{
  char program[65], from[32], to[32], window[80] = "";
  safe_name(program, sizeof program, info->program);
  name_time(from, query->from_ns);
  name_time(to, query->to_ns);
  if (has_window(query)) snprintf(window, sizeof window, "-%s-%s", from, to);
  download->type = type;
  snprintf(download->name, sizeof download->name, "%s-%d%s%s",
           program[0] != '\0' ? program : "process", (int) info->pid, window,
           ending);
}

static struct answer refuse_size(void)
{
  return refusal(413, "the file would have more than %llu bytes: choose a shorter "
                 "time", (unsigned long long) DOWNLOAD_BYTES);
}

struct answer refuse_download(int error)
{
  return error == EFBIG ? refuse_size()
         : refusal(409, "cannot write a temporary file: %s", strerror(error));
}

int download_fd(const struct download *download)
{
  return download->fd;
}

uint64_t download_size(const struct download *download)
{
  struct stat st;
  return fstat(download->fd, &st) == 0 ? (uint64_t) st.st_size : 0;
}

const char *download_type(const struct download *download)
{
  return download->type;
}

const char *download_name(const struct download *download)
{
  return download->name;
}

int64_t download_complete_from(const struct download *download)
{
  return download->complete_ns;
}

ssize_t read_download(const struct download *download, uint64_t at, char *bytes,
                      size_t size)
{
  ssize_t n;
  do
    n = pread(download->fd, bytes, size, (off_t) at);
  while (n < 0 && errno == EINTR);
  return n;
}

/* Recordings */

/* A file that is being made. */
struct making {
  const struct asked *asked;
  const struct trace_format *format;
  struct download *download;
  struct eventring_info info;     /* of the process */
  struct answer refused;          /* with the status 0: not */
};

/* Refuses for the [error] of libeventring, with the message [why] if it is not
   empty, in which [path] means nothing to a client. */
static void refuse_error(struct making *m, int error, const char *why,
                         const char *path)
{
  const char *reason = why[0] != '\0' ? why : eventring_strerror(error);
  const char *at = strstr(reason, path);
  if (at == NULL) m->refused = refusal(409, "%s", reason);
  else m->refused = refusal(409, "%.*sthe file%s", (int) (at - reason), reason,
                            at + strlen(path));
}

/* Records the contents of the rings of [cursor] in the file [fd]. */
static void record_to(struct making *m, struct eventring_cursor *cursor, int fd)
{
  char path[DESCRIPTOR_PATH], why[512] = "";
  struct eventring_record_options options = {
    .size = sizeof options, .replace = 1, .message = why,
    .message_size = sizeof why
  };
  char *manifest = new_manifest(cursor, NULL);
  descriptor_path(fd, path);
  const int error = record_rings(cursor, path, manifest, &options, NULL);
  if (error < 0) refuse_error(m, error, why, path);
  free(manifest);
}

/* Writes the events of the window of the query of the recording [input] to the
   file [fd].  Damaged parts are left out. */
static void cut_to(struct making *m, struct eventring_merge_input input, int fd)
{
  const struct query *query = m->asked->query;
  char path[DESCRIPTOR_PATH], why[512] = "";
  uint64_t left_out = 0;
  struct eventring_record_options options = {
    .size = sizeof options, .replace = 1, .message = why,
    .message_size = sizeof why
  };
  input.from_ns = (query->given & 1u << FROM) == 0 ? INT64_MIN
                  : time_after(m->info.started_ns, query->from_ns);
  input.to_ns = query->to_ns == INT64_MAX ? INT64_MAX
                : time_after(m->info.started_ns, query->to_ns);
  input.left_out = &left_out;
  descriptor_path(fd, path);
  const int error = eventring_recording_merge(path, &input, 1, &options);
  if (error < 0) refuse_error(m, error, why, path);
  else if (!has_events(path))
    m->refused = refusal(409, "there are no events of this time");
}

/* Cuts the contents of the rings of [cursor] to the window, and writes them to the
   file [fd]. */
static void cut_rings(struct making *m, struct eventring_cursor *cursor, int fd)
{
  char path[DESCRIPTOR_PATH];
  const int all = open_unnamed(m->asked->settings);
  if (all < 0) {
    m->refused = refuse_download(errno);
    return;
  }
  record_to(m, cursor, all);
  descriptor_path(all, path);
  if (m->refused.status == 0)
    cut_to(m, (struct eventring_merge_input) {
      .size = sizeof(struct eventring_merge_input), .path = path
    }, fd);
  close(all);
}

/* Replaces the file of the download by the file of the view, a recording, which keeps
   its name. */
static void take_whole(struct making *m)
{
  const char *file = view_path(m->asked->view), *slash = strrchr(file, '/');
  char path[DESCRIPTOR_PATH];
  view_input(m->asked->view, path);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    m->refused = refuse_download(errno);
    return;
  }
  close(m->download->fd);
  m->download->fd = fd;
  safe_name(m->download->name, sizeof m->download->name,
            slash != NULL ? slash + 1 : file);
}

/* Keeps the time from which on the rings have all events, if that is after the begin of
   the window. */
static void note_complete(struct making *m)
{
  const int64_t from_ns = complete_from(m->asked->view, &m->info);
  if (from_ns == INT64_MIN) return;
  const int64_t since_start = time_since(from_ns, m->info.started_ns);
  if (since_start > m->asked->query->from_ns) m->download->complete_ns = since_start;
}

/* Writes the recording of the view in the window to the file of the download. */
static void make_recording(struct making *m)
{
  struct view *view = m->asked->view;
  char why[512] = "", path[DESCRIPTOR_PATH];
  struct eventring_cursor *cursor = view_open(view, false, why, sizeof why);
  if (cursor == NULL) {
    m->refused = refusal(503, "%s", why);
    return;
  }
  m->info = target_info(cursor);
  name_download(m->download, "application/octet-stream", &m->info,
                m->asked->query, ".evr");
  const bool saved = m->info.format == EVENTRING_FORMAT_RECORDING;
  const bool cut = has_window(m->asked->query);
  if (saved && !cut) take_whole(m);
  else if (saved) cut_to(m, view_input(view, path), m->download->fd);
  else if (cut) cut_rings(m, cursor, m->download->fd);
  else record_to(m, cursor, m->download->fd);
  if (!view_close(view, cursor) && m->refused.status == 0)
    m->refused = refusal(503, VIEW_CUT);
  if (cut) note_complete(m);
  if (m->refused.status == 0 && (cut || !saved)
      && download_size(m->download) > DOWNLOAD_BYTES)
    m->refused = refuse_size();
}

static void recording_work(void *state)
{
  make_recording(state);
}

/* Traces */

/* Damage is in the object of the process: the view has read the file, too. */
static void take_problem(void *state, const struct source *source, bool failed,
                         const char *what)
{
  struct trace *t = state;
  (void) source;
  (void) what;
  if (failed) t->failed = true;
}

static void take_event(void *state, const struct eventring_event *event)
{
  struct trace *t = state;
  trace_event(&t->processes[0], event);
}

/* Writes the trace of the process of [cursor] to the file of the download. */
static void write_trace_of(struct making *m, struct eventring_cursor *cursor)
{
  struct sink *sink = allocate(1, sizeof *sink);
  struct trace t = { .format = m->format, .sink = sink };
  begin_sink(sink, m->download->fd, DOWNLOAD_BYTES);
  begin_trace(&t, &cursor, 1);
  read_cursor(cursor, &(struct reading) {
    .changes = true, .open_spans = true, .state = &t, .event = take_event,
    .pass = trace_pass, .problem = take_problem
  });
  end_trace(&t);
  sink_flush(sink);
  if (sink->error != 0) m->refused = refuse_download(sink->error);
  else if (t.failed) m->refused = refusal(500, "the file cannot be read");
  free_trace(&t);
  free(sink);
}

/* Writes the trace of the recording in the file of the download in its place. */
static void trace_recording(struct making *m)
{
  char path[DESCRIPTOR_PATH];
  struct eventring_options options = { .size = sizeof options, .changes = 1 };
  struct eventring_cursor *cursor;
  const int cut = m->download->fd;
  m->download->fd = open_unnamed(m->asked->settings);
  descriptor_path(cut, path);
  if (m->download->fd < 0) m->refused = refuse_download(errno);
  else if (eventring_open(path, &options, &cursor) < 0)
    m->refused = refusal(500, "the window cannot be read");
  else {
    write_trace_of(m, cursor);
    eventring_close(cursor);
  }
  close(cut);
}

static void trace_work(void *state)
{
  struct making *m = state;
  struct view *view = m->asked->view;
  const bool chrome = m->format == &trace_chrome;
  char why[512] = "";
  if (has_window(m->asked->query)) {
    make_recording(m);
    if (m->refused.status == 0) trace_recording(m);
  } else {
    struct eventring_cursor *cursor = view_open(view, false, why, sizeof why);
    if (cursor == NULL) {
      m->refused = refusal(503, "%s", why);
      return;
    }
    m->info = target_info(cursor);
    write_trace_of(m, cursor);
    if (!view_close(view, cursor) && m->refused.status == 0)
      m->refused = refusal(503, VIEW_CUT);
  }
  name_download(m->download, chrome ? "application/json"
                                    : "application/octet-stream",
                &m->info, m->asked->query, chrome ? ".json" : ".pftrace");
}

/* Answers */

/* Returns the answer with the file that [work] makes, a trace in [format]. */
static struct answer make_file(const struct asked *asked,
                               void (*work)(void *state),
                               const struct trace_format *format)
{
  const struct query *query = asked->query;
  struct making m = { .asked = asked, .format = format };
  char why[256];
  if (query->from_ns == query->to_ns)
    return refusal(400, "'to' is not after 'from'");
  m.download = new_download(asked->settings, why, sizeof why);
  if (m.download == NULL) return refusal(409, "%s", why);
  work_in_turn(work, &m);
  if (m.refused.status == 0)
    return (struct answer) { .status = 200, .download = m.download };
  close_download(m.download);
  return m.refused;
}

struct answer answer_recording(const struct asked *asked)
{
  return make_file(asked, recording_work, NULL);
}

struct answer answer_trace(const struct asked *asked)
{
  return make_file(asked, trace_work, asked->query->format);
}
