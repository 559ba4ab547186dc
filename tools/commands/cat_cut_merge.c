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

/* eventring cat, cut and merge: recordings made of recordings, and of ring files,
   of which a snapshot is taken first: a file without a name, which libeventring
   opens by its descriptor. */

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common.h"
#include "event_reader.h"
#include "follow.h"
#include "operand.h"
#include "options.h"
#include "parse.h"
#include "snapshot.h"
#include "targets.h"
#include "traced.h"
#include "unnamed_file.h"
#include "wall_clock.h"

static const char cat_usage[] =
"Usage: eventring cat [OPTION...] FILE... -o OUT\n"
"Joins recordings of one process in the order of time, for example the files of\n"
"eventring record --max-size.\n";

static const enum option_id cat_option_ids[] = {
  OPTION_OUTPUT, OPTION_FORCE, OPTION_HELP, OPTION_END
};

static const char cat_notes[] =
"Events that several recordings have are in OUT once, and no recording may be\n"
"given twice.  eventring merge joins recordings of different processes.\n";

static const char cut_usage[] =
"Usage: eventring cut [OPTION...] FILE -o OUT\n"
"Takes the events of a time range out of a recording.\n";

static const enum option_id cut_option_ids[] = {
  OPTION_FROM, OPTION_TO, OPTION_OUTPUT, OPTION_FORCE, OPTION_HELP, OPTION_END
};

static const char cut_notes[] =
"TIME is a number with ns, us, ms, s, m or h, or in seconds, from the start of\n"
"tracing, or a time of day, such as 2026-11-26T07:40:00.  An event at the time\n"
"of --to is left out.  Example: the second minute\n"
"  eventring cut all.evr --from=1m --to=2m -o minute.evr\n";

static const char merge_usage[] =
"Usage: eventring merge [OPTION...] FILE... -o OUT\n"
"Puts recordings of several processes into one file, and joins the recordings\n"
"of each process as eventring cat does.  Of a ring file, takes the events that\n"
"are in it now.\n";

static const enum option_id merge_option_ids[] = {
  OPTION_OUTPUT, OPTION_FORCE, OPTION_HELP, OPTION_END
};

static const char merge_notes[] =
"Processes of one machine, since its last boot, are on one clock.  The process\n"
"of a ring file may run, or have ended.  Example:\n"
"  eventring merge rings/*.eventring -o all.evr\n";

/* Process [process] of a recording, with the values that order it.  The path of
   [merge] leads to the recording; [name] is the operand, for messages. */
struct input {
  struct eventring_merge_input merge;
  const char *name;
  struct eventring_info info;
  struct stat file;
  uint64_t left_out;              /* damaged blocks, of which a recording of a ring
                                     file has the words */
};

struct inputs {
  struct input *list;
  size_t count;
};

/* Makes a recording of the present contents of the rings of [cursor] in a
   temporary file that has no name, and returns the path by which this program
   can open the file until it ends.  On failure, prints a message and ends the
   program. */
static const char *unnamed_snapshot(struct eventring_cursor *cursor)
{
  struct eventring_record_totals totals = { .size = sizeof totals };
  char *folder = new_folder(temporary_folder(), "the snapshot"), *file, *path;
  if (asprintf(&file, "%s/out.evr", folder) < 0) out_of_memory();
  enum status status = record_snapshot(cursor, file, false, &totals);
  int fd = status == STATUS_OK ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (status == STATUS_OK && fd < 0) {
    complain("cannot open %s: %s", file, strerror(errno));
    status = STATUS_CANNOT_READ;
  }
  unlink(file);
  rmdir(folder);
  if (status != STATUS_OK) exit(status);
  free(file);
  free(folder);
  if (asprintf(&path, "/proc/self/fd/%d", fd) < 0) out_of_memory();
  return path;
}

/* Returns how many blocks of the recording at [path] are damaged. */
static uint64_t damaged_blocks(const char *path)
{
  struct eventring_cursor *cursor;
  struct event_reader reader;
  if (eventring_open(path, NULL, &cursor) < 0) return 0;
  read_new_events(&reader, cursor, INT64_MAX);
  while (next_event(&reader) != NULL) { }
  eventring_close(cursor);
  return reader.damaged;
}

/* Opens process [process] of [input], whose path is its operand, and fills in its
   facts.  If the operand is a ring file, the path becomes the path of a
   snapshot.  Closes the cursor *before, of an earlier process of the same file or
   NULL, and sets *before to the new cursor.  If the file cannot be opened,
   prints a message and ends the program. */
static void open_input(struct input *input, uint32_t process,
                       struct eventring_cursor **before)
{
  struct eventring_cursor *cursor =
    open_recorded_process(input->merge.path, process, *before);
  if (target_info(cursor).format != EVENTRING_FORMAT_RECORDING) {
    input->merge.path = unnamed_snapshot(cursor);
    eventring_close(cursor);
    int error = eventring_open(input->merge.path, NULL, &cursor);
    if (error < 0) {
      complain("%s: cannot open its snapshot: %s", input->name,
               eventring_strerror(error));
      exit(STATUS_CANNOT_READ);
    }
    input->left_out = damaged_blocks(input->merge.path);
  }
  input->info = target_info(cursor);
  eventring_close(*before);
  *before = cursor;
}

static bool same_file(const struct input *a, const struct input *b)
{
  return b->file.st_ino != 0 && a->file.st_dev == b->file.st_dev
         && a->file.st_ino == b->file.st_ino;
}

/* Ends the program with STATUS_USAGE when two of the inputs are one process of
   one file, under any names. */
static void refuse_twins(const struct command *command,
                         const struct inputs *in)
{
  for (size_t i = 0; i < in->count; i++)
    for (size_t k = 0; k < i; k++) {
      const struct input *a = &in->list[k], *b = &in->list[i];
      if (a->merge.process == b->merge.process && same_file(a, b))
        usage_error(command, "%s: %s and %s are the same recording",
                    command->name, a->name, b->name);
    }
}

/* Opens all processes of the [count] recordings and ring files at [paths] and
   returns a list of the processes with their facts, which the caller frees; it
   keeps the pointers in [paths].  Of FILE:N takes process N only, and removes
   ":N" from the path.  The cursors are closed again.  If a file cannot be opened
   or is given twice, ends the program with a message. */
static struct inputs open_inputs(const struct command *command, char **paths,
                                 int count)
{
  struct inputs in = { NULL, 0 };
  raise_descriptor_limit();
  for (int i = 0; i < count; i++) {
    struct eventring_cursor *cursor = NULL;
    const uint32_t number = take_process(paths[i]);
    uint32_t process = number > 0 ? number - 1 : 0, end = process + 1;
    for (; process < end; process++) {
      in.list = realloc(in.list, (in.count + 1) * sizeof *in.list);
      if (in.list == NULL) {
        complain("not enough memory");
        exit(STATUS_CANNOT_READ);
      }
      struct input *input = &in.list[in.count++];
      *input = (struct input) {
        .merge = { .size = sizeof input->merge, .path = paths[i],
                   .process = process }, .name = paths[i] };
      stat(paths[i], &input->file);
      open_input(input, process, &cursor);
      if (number == 0) end = input->info.processes;
    }
    eventring_close(cursor);
  }
  refuse_twins(command, &in);
  return in;
}

static bool same_process(const struct input *a, const struct input *b)
{
  return a->info.pid == b->info.pid && a->info.started_ns == b->info.started_ns
         && a->info.started_realtime_ns == b->info.started_realtime_ns;
}

static int compare(int64_t a, int64_t b)
{
  return (a > b) - (a < b);
}

/* Compares two inputs for qsort, for an order by process, the process that
   began first at the front, and then by the times of the first and the last
   event.  Returns a number below, equal to or above 0. */
static int in_order(const void *left, const void *right)
{
  const struct input *a = left, *b = right;
  int order = compare(a->info.started_realtime_ns, b->info.started_realtime_ns);
  if (order == 0) order = compare(a->info.pid, b->info.pid);
  if (order == 0) order = compare(a->info.first_ns, b->info.first_ns);
  if (order == 0) order = compare(a->info.last_ns, b->info.last_ns);
  return order;
}

/* Sorts the inputs with in_order, and marks each input of the same process as
   the input before it to be joined to that. */
static void sort(struct inputs *in)
{
  qsort(in->list, in->count, sizeof *in->list, in_order);
  for (size_t i = 1; i < in->count; i++)
    in->list[i].merge.join = same_process(&in->list[i - 1], &in->list[i]);
}

/* Prints [why], a message of libeventring, with the operand in place of the path
   of its snapshot. */
static void complain_of(const char *why, const struct inputs *in)
{
  for (size_t i = 0; i < in->count; i++) {
    const struct input *input = &in->list[i];
    const char *path = input->merge.path;
    const char *at = path == input->name ? NULL : strstr(why, path);
    if (at == NULL) continue;
    const char *rest = at + strlen(path);
    /* The path may be the beginning of a longer one. */
    if (*rest >= '0' && *rest <= '9') continue;
    complain("%.*s%s%s", (int) (at - why), why, input->name, rest);
    return;
  }
  complain("%s", why);
}

/* Returns whether the file of input [i] is cut or damaged, where no input before
   it of the same file is. */
static bool is_cut(const struct inputs *in, size_t i)
{
  const struct input *input = &in->list[i];
  for (size_t k = 0; k < i; k++)
    if (same_file(&in->list[k], input)
        && in->list[k].info.damaged_at == input->info.damaged_at) return false;
  return input->info.damaged_at != 0;
}

/* Prints a message for each input of which a part was not copied.  Returns
   STATUS_OK when there was none, else STATUS_CANNOT_READ. */
static enum status report_damage(const struct inputs *in)
{
  enum status status = STATUS_OK;
  char text[MESSAGE_SIZE];
  for (size_t i = 0; i < in->count; i++) {
    const struct input *input = &in->list[i];
    if (!describe_damage(is_cut(in, i) ? input->info.damaged_at : 0,
                         input->left_out, text, sizeof text)) continue;
    complain("%s: %s", input->name, text);
    status = STATUS_CANNOT_READ;
  }
  return status;
}

/* Writes the inputs, merged, to a new recording at [output].  Returns
   STATUS_OK; STATUS_CANNOT_WRITE, with a message, when [output] is an input,
   exists while [force] is false, or cannot be written; STATUS_CANNOT_READ, with
   a message, when an input cannot be read, or is damaged: then [output] has the
   rest. */
static enum status write_merged(const char *output, bool force, struct inputs *in)
{
  char why[512] = "";
  struct eventring_record_options options = {
    .size = sizeof options, .replace = force, .message = why,
    .message_size = sizeof why
  };
  if (refuse_input(output) || refuse_existing(output, force))
    return STATUS_CANNOT_WRITE;
  struct eventring_merge_input *inputs = allocate(in->count, sizeof *inputs);
  for (size_t i = 0; i < in->count; i++) {
    inputs[i] = in->list[i].merge;
    inputs[i].left_out = &in->list[i].left_out;
  }
  int error = eventring_recording_merge(output, inputs, (int) in->count,
                                      &options);
  free(inputs);
  if (error == 0) return report_damage(in);
  complain_of(why[0] != '\0' ? why : eventring_strerror(error), in);
  return recording_status(error);
}

/* The command line */

struct arguments {
  const char *output;
  bool force;
  const char *from, *to;
};

/* Returns the options of the command line.  Ends the program with STATUS_USAGE
   when there is no recording or no --output. */
static struct arguments parse_arguments(const struct command *command,
                                        int argc, char **argv)
{
  struct arguments a = { .output = NULL };
  int option;
  while ((option = next_option(command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_OUTPUT: a.output = optarg; break;
    case OPTION_FORCE: a.force = true; break;
    case OPTION_FROM: a.from = optarg; break;
    case OPTION_TO: a.to = optarg; break;
    }
  if (optind >= argc)
    usage_error(command, "%s: missing recordings", command->name);
  if (a.output == NULL)
    usage_error(command, "%s: missing output file (-o OUT)", command->name);
  return a;
}

static enum status run_cat(int argc, char **argv)
{
  struct arguments a = parse_arguments(&cat_command, argc, argv);
  struct inputs in = open_inputs(&cat_command, argv + optind, argc - optind);
  sort(&in);
  for (size_t i = 1; i < in.count; i++)
    if (!in.list[i].merge.join) {
      complain("%s is of process %" PRId32 " and %s of process %" PRId32
               ": eventring merge puts several into one file",
               in.list[i - 1].name, in.list[i - 1].info.pid,
               in.list[i].name, in.list[i].info.pid);
      return STATUS_CANNOT_READ;
    }
  enum status status = write_merged(a.output, a.force, &in);
  free(in.list);
  return status;
}

static enum status run_merge(int argc, char **argv)
{
  struct arguments a = parse_arguments(&merge_command, argc, argv);
  struct inputs in = open_inputs(&merge_command, argv + optind, argc - optind);
  sort(&in);
  enum status status = write_merged(a.output, a.force, &in);
  free(in.list);
  return status;
}

/* Returns the time that [text], the value of the option [option], gives for the
   process [input]: a duration after its start of tracing, or before it with a
   leading "-", or a time of day.  If [text] is none or the recording does not have
   the time of day, prints a message and ends the program with STATUS_USAGE. */
static int64_t time_of(const char *option, const char *text,
                       const struct input *input)
{
  bool negative = *text == '-';
  struct time_point time;
  struct wall_clock clock;
  if (!parse_time_point(text + negative, &time) || (time.wall && negative))
    usage_error(&cut_command, "cut: --%s: %s is not a time such as "
                TIME_EXAMPLES, option, text[0] == '\0' ? "''" : text);
  if (!time.wall)
    return time_after(input->info.started_ns, negative ? -time.ns : time.ns);
  struct eventring_cursor *cursor =
    open_recorded_process(input->merge.path, input->merge.process, NULL);
  bool known = read_wall_clock(cursor, &clock);
  eventring_close(cursor);
  if (!known)
    usage_error(&cut_command, "cut: %s does not have the time of day",
                input->name);
  return event_time(&clock, time.ns);
}

/* Sets the times of [input] from the command line.  If they are none, ends the
   program with STATUS_USAGE and a message. */
static void set_times(const struct arguments *a, struct input *input)
{
  struct eventring_merge_input *merge = &input->merge;
  merge->from_ns = a->from == NULL ? INT64_MIN : time_of("from", a->from, input);
  merge->to_ns = a->to == NULL ? INT64_MAX : time_of("to", a->to, input);
  if (merge->from_ns >= merge->to_ns)
    usage_error(&cut_command, "cut: --from is not before --to");
}

static enum status run_cut(int argc, char **argv)
{
  struct arguments a = parse_arguments(&cut_command, argc, argv);
  if (optind + 1 < argc)
    usage_error(&cut_command, "cut: unexpected argument '%s': takes one recording",
                argv[optind + 1]);
  struct inputs in = open_inputs(&cut_command, argv + optind, 1);
  for (size_t i = 0; i < in.count; i++) {
    /* The times of the first process, when there are several: they are on
       one clock. */
    if (i == 0) set_times(&a, &in.list[0]);
    in.list[i].merge.from_ns = in.list[0].merge.from_ns;
    in.list[i].merge.to_ns = in.list[0].merge.to_ns;
  }
  enum status status = write_merged(a.output, a.force, &in);
  free(in.list);
  return status;
}

const struct command cat_command = {
  .name = "cat", .summary = "join recordings of one process",
  .usage = cat_usage, .options = cat_option_ids, .notes = cat_notes,
  .run = run_cat
};
const struct command cut_command = {
  .name = "cut", .summary = "take a time range out of a recording",
  .usage = cut_usage, .options = cut_option_ids, .notes = cut_notes,
  .run = run_cut
};
const struct command merge_command = {
  .name = "merge", .summary = "join recordings of several processes",
  .usage = merge_usage, .options = merge_option_ids, .notes = merge_notes,
  .run = run_merge
};
