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

/* eventring trace: events as a file that trace viewers open.  render/trace.c
   turns events into tracks, and a file for each format writes them. */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "export/trace_formats.h"
#include "hub_target.h"
#include "options.h"
#include "targets.h"

static const char usage[] =
"Usage: eventring trace [OPTION...] [PID|FILE...] -o OUT\n"
"Writes the events of processes, ring files or recordings to a file for trace\n"
"viewers, with a track for each thread: spans, counters, flows, messages, and\n"
"all values of events.\n";

static const enum option_id option_ids[] = {
  OPTION_OUTPUT, OPTION_FORMAT, OPTION_OTLP, OPTION_DIR, OPTION_FORCE, OPTION_FOLLOW,
  OPTION_HUB, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Formats; without --format, the ending of OUT decides:\n"
"  chrome    .json: Chrome's trace event format, read by most viewers\n"
"  perfetto  .pftrace, .perfetto-trace: for Perfetto\n"
"  ctf       .ctf or a slash: Common Trace Format 1.8, which is a folder, for\n"
"            babeltrace2 and Trace Compass\n"
"  otlp      .otlp: for OpenTelemetry, spans of the program and requests only\n"
"OUT may be - for standard output.\n"
"For a running process, without --follow, takes the events that are in its\n"
"rings now.  Several processes are shown on one clock.\n";

/* A format with several files has a folder, made under another name. */

/* Returns whether [name] is a name that a format with a folder gives to its
   files. */
static bool is_ours(const char *name)
{
  return strcmp(name, "metadata") == 0 || strncmp(name, "stream_", 7) == 0;
}

/* Returns whether the folder at [path] contains only files of a trace; false if
   it cannot be opened.  If [remove] is true, removes the files of the trace,
   also when there are others, and keeps the folder and the others. */
static bool look_through(const char *path, bool remove)
{
  DIR *folder = opendir(path);
  if (folder == NULL) return false;
  bool ours = true;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL; )
    if (is_ours(entry->d_name)) {
      if (remove) unlinkat(dirfd(folder), entry->d_name, 0);
    } else if (strcmp(entry->d_name, ".") != 0
               && strcmp(entry->d_name, "..") != 0)
      ours = false;
  closedir(folder);
  return ours;
}

/* Removes the files of a trace from the folder at [path], and the folder if
   nothing is left in it. */
static void remove_folder(const char *path)
{
  look_through(path, true);
  rmdir(path);
}

/* Creates a folder for a trace under a temporary name near [path] and returns
   its name, which close_folder frees.  Returns NULL, with a message, when
   something is at [path] that is not a trace of such a format, or is one while
   [force] is false, or the folder cannot be created. */
static char *open_folder(const char *path, bool force)
{
  struct stat there;
  if (refuse_existing(path, force)) return NULL;
  if (lstat(path, &there) == 0
      && (!S_ISDIR(there.st_mode) || !look_through(path, false))) {
    complain("%s: is there, and not a trace of this format alone", path);
    return NULL;
  }
  char *temporary = temporary_name(path);
  if (mkdir(temporary, 0777) == 0) return temporary;
  complain("%s: cannot make the folder: %s", path, strerror(errno));
  free(temporary);
  return NULL;
}

/* Gives the folder [temporary] the name [path], with [force] in place of a trace
   that is there, and frees [temporary].  If [keep] is false or that fails,
   removes the new folder instead.  Returns false, with a message, when the name
   cannot be given; true if [keep] is false. */
static bool close_folder(char *temporary, const char *path, bool force,
                         bool keep)
{
  bool right = true;
  if (keep) {
    if (force && look_through(path, false)) remove_folder(path);
    right = give_name(temporary, path, force);
  }
  if (!keep || !right) remove_folder(temporary);
  free(temporary);
  return right;
}

/* The command */

/* Returns the format [name]; ends the program with STATUS_USAGE when there is
   none. */
static const struct trace_format *format_called(const char *name)
{
  const struct trace_format *format = trace_format_called(name);
  if (format == NULL) usage_error(&trace_command, "trace: no format %s", name);
  return format;
}

/* Returns the format for the extension of [path]; ends the program with
   STATUS_USAGE when there is none. */
static const struct trace_format *format_of_file(const char *path)
{
  const struct trace_format *format = trace_format_of_file(path);
  if (format == NULL)
    usage_error(&trace_command, "trace: unknown format of %s (--format=FORMAT)", path);
  return format;
}

/* Prints [n] and the noun [one], or [more] unless [n] is 1, to [out], after
   *separator, which then becomes ", ".  Prints nothing if [n] is 0. */
static void count(FILE *out, const char **separator, uint64_t n,
                  const char *one, const char *more)
{
  if (n == 0) return;
  fprintf(out, "%s%" PRIu64 " %s", *separator, n, n == 1 ? one : more);
  *separator = ", ";
}

/* Prints notes on standard error about the trace [t] in the file at [path]:
   events that were lost, spans that were left out, closed or cut, and, on a
   terminal, the number of events. */
static void sum_up(const struct trace *t, const char *path)
{
  for (int i = 0; i < t->process_count; i++) {
    uint64_t lost = lost_events(t->processes[i].cursor);
    if (lost > 0)
      note("%s: %s%" PRIu64 " %s overwritten before they could be read",
           shown_path(t->processes[i].cursor),
           at_most(t->processes[i].cursor), lost,
           lost == 1 ? "event was" : "events were");
  }
  char line[256];
  const char *separator = "";
  FILE *out = fmemopen(line, sizeof line, "w");
  if (out == NULL) return;
  count(out, &separator, t->dropped, "end without begin left out",
        "ends without begin left out");
  count(out, &separator, t->closed, "span without end closed",
        "spans without end closed");
  count(out, &separator, t->cut, "span cut where one around it ended",
        "spans cut where one around them ended");
  fclose(out);
  if (*separator != '\0') note("%s: %s", path, line);
  if (isatty(STDERR_FILENO))
    note("%s: %" PRIu64 " events", path, t->events);
}

/* Ends the output, which is removed if [stopped] is true.  Returns false, with a
   message, when the trace was not written whole. */
static bool end_output(const struct trace *t, char *folder, const char *path,
                       bool force, bool stopped)
{
  if (folder != NULL)
    return close_folder(folder, path, force, !stopped && !t->failed)
           && !t->failed;
  if (t->sink != NULL) return close_sink(t->sink, !stopped);
  if (t->unsent > 0)
    complain("%" PRIu64 " %s not sent", t->unsent,
             t->unsent == 1 ? "span was" : "spans were");
  return t->unsent == 0;
}

static enum status run(int argc, char **argv)
{
  struct trace t = { .format = NULL };
  const char *dir = NULL, *path = NULL;
  bool follow = false, force = false;
  int option;
  while ((option = next_option(&trace_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FORCE: force = true; break;
    case OPTION_OUTPUT: path = optarg; break;
    case OPTION_FOLLOW: follow = true; break;
    case OPTION_HUB: use_hub(&trace_command, optarg); break;
    case OPTION_FORMAT: t.format = format_called(optarg); break;
    case OPTION_OTLP: t.url = optarg; break;
    }
  if (t.url != NULL) {
    if (path != NULL || t.format != NULL)
      usage_error(&trace_command, "trace: --otlp sends the trace, and writes no "
                  "file: it goes without -o and --format");
    t.format = &trace_otlp;
    path = t.url;
  }
  if (path == NULL || path[0] == '\0')
    usage_error(&trace_command, "trace: missing output file (-o FILE)");
  if (t.format == NULL) t.format = format_of_file(path);
  if (t.format->folder && strcmp(path, "-") == 0)
    usage_error(&trace_command, "trace: %s is a folder, which standard output "
                "is not", t.format->name);

  struct source *sources;
  int sources_count = open_targets(&trace_command, argc, argv, dir, &sources);
  note_clocks(sources, sources_count);
  char *folder = NULL;
  if (t.format->folder)
    t.folder = folder = open_folder(path, force);
  else if (t.url == NULL)
    t.sink = open_sink(path, force);
  if (t.folder == NULL && t.sink == NULL && t.url == NULL)
    return STATUS_CANNOT_WRITE;

  catch_interrupts();
  enum status status = write_trace(&t, sources, sources_count, follow);
  bool stopped = interrupted_by() != 0 && !follow;
  if (!end_output(&t, folder, path, force, stopped))
    status = STATUS_CANNOT_WRITE;
  if (stopped) raise(interrupted_by());
  if (status != STATUS_CANNOT_WRITE) sum_up(&t, path);
  close_targets(sources, sources_count);
  return status;
}

const struct command trace_command = {
  .name = "trace", .summary = "write a file for trace viewers",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
