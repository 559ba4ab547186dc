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

/* eventring profile: where threads used processor time, from their samples. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "category.h"
#include "common.h"
#include "filter_options.h"
#include "follow.h"
#include "options.h"
#include "parse.h"
#include "profile_export.h"
#include "profile_text.h"
#include "targets.h"

static const char usage[] =
"Usage: eventring profile [OPTION...] [PID|FILE]\n"
"Prints where the threads of a process used processor time: for each function\n"
"the time in its own code (self), and with the functions that it called (total).\n"
"The process takes samples while its category profile is recorded: start it with\n"
"OCAML_EVENTRING_PROFILE=100, or: eventring enable --rate=100 PID profile.  For a\n"
"running process, takes the samples that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_BY, OPTION_TREE, OPTION_INVERTED, OPTION_ANNOTATE, OPTION_FOLDED,
  OPTION_PPROF, OPTION_FLAME, OPTION_DIFF, OPTION_JSON, OPTION_THREAD,
  OPTION_DOMAIN, OPTION_FROM, OPTION_TO, OPTION_DURING, OPTION_OUTSIDE,
  OPTION_SPAN, OPTION_REQUEST, OPTION_SLOWER, OPTION_DIR, OPTION_FORCE,
  OPTION_HELP, OPTION_END
};

static const char notes[] =
"The time of --slower is for the --span or --request before it: with the two\n"
"options --request=get --slower=100ms, the samples are of requests get that\n"
"took longer, whenever they ended.\n";

enum output { TABLE, TREE, ANNOTATED, FOLDED, PPROF, FLAME, JSON };

/* The command line. */
struct arguments {
  const char *dir;
  enum output output;
  bool chosen;                    /* [output] was given */
  bool inverted, force;
  enum profile_by by;
  const char *what;               /* of --annotate; path of --pprof, --flame */
  const char *base;
  struct filter *filter;
  struct condition *conditions;
  size_t conditions_count;
};

/* A profile, with its process and symbols. */
struct opened {
  struct eventring_cursor *cursor;
  struct profile *profile;
  struct symbols *symbols;
};

/* Options */

static void choose(struct arguments *a, enum output output, const char *what)
{
  if (a->chosen && a->output != output)
    usage_error(&profile_command, "profile: only one of --tree, --annotate, "
                "--folded, --pprof, --flame and --json");
  a->chosen = true;
  a->output = output;
  a->what = what;
}

static void add_condition(struct arguments *a, enum condition_kind kind)
{
  a->conditions[a->conditions_count++] =
    (struct condition) { kind, optarg, -1 };
}

static void set_slower(struct arguments *a)
{
  struct condition *last =
    a->conditions_count == 0 ? NULL : &a->conditions[a->conditions_count - 1];
  if (last == NULL || last->slower_ns >= 0)
    usage_error(&profile_command, "profile: --slower needs a --span or "
                "--request before it");
  if (!parse_duration(optarg, &last->slower_ns))
    usage_error(&profile_command, "profile: '%s' is not a duration (10us, "
                "1.5ms)", optarg);
}

static enum profile_by parse_by(const char *what)
{
  if (strcmp(what, "line") != 0 && strcmp(what, "function") != 0)
    usage_error(&profile_command, "profile: --by=%s: function or line", what);
  return what[0] == 'l' ? BY_LINE : BY_FUNCTION;
}

static void parse_options(struct arguments *a, int argc, char **argv)
{
  int option;
  while ((option = next_option(&profile_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ANNOTATE: choose(a, ANNOTATED, optarg); break;
    case OPTION_BY: a->by = parse_by(optarg); break;
    case OPTION_DIFF: a->base = optarg; break;
    case OPTION_DIR: a->dir = optarg; break;
    case OPTION_DURING: case OPTION_SPAN: add_condition(a, DURING); break;
    case OPTION_FLAME: choose(a, FLAME, optarg); break;
    case OPTION_FOLDED: choose(a, FOLDED, NULL); break;
    case OPTION_FORCE: a->force = true; break;
    case OPTION_INVERTED: a->inverted = true; break;
    case OPTION_JSON: choose(a, JSON, NULL); break;
    case OPTION_OUTSIDE: add_condition(a, OUTSIDE); break;
    case OPTION_PPROF: choose(a, PPROF, optarg); break;
    case OPTION_REQUEST: add_condition(a, IN_REQUEST); break;
    case OPTION_SLOWER: set_slower(a); break;
    case OPTION_TREE: choose(a, TREE, NULL); break;
    default: filter_option(&profile_command, a->filter, option, optarg);
    }
  if (a->inverted && a->output != TREE)
    usage_error(&profile_command, "profile: --inverted goes with --tree");
  if (a->base != NULL && a->output != TABLE && a->output != FLAME
      && a->output != JSON)
    usage_error(&profile_command, "profile: --diff goes with the table, "
                "--flame or --json");
}

/* Reading */

static void say(void *state, const char *message)
{
  (void) state;
  note("%s", message);
}

static void take_event(void *state, const struct eventring_event *event)
{
  profile_event(state, event);
}

static bool go_on(void *state, bool idle)
{
  (void) state;
  (void) idle;
  return true;
}

/* Says why the process of [cursor] has no samples, and how to take some. */
static void explain_no_samples(struct eventring_cursor *cursor)
{
  const char *path = eventring_path(cursor);
  if (eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    note("%s: no samples; to take some: start the program with "
         "OCAML_EVENTRING_PROFILE=100", path);
  else if (!records_category(cursor, "profile"))
    note("%s: no samples; to take some: eventring enable %lu profile", path,
         (unsigned long) target_info(cursor).pid);
  else
    note("%s: no samples yet: %s", path, target_info(cursor).active == 0
           ? "the recording is paused"
           : "its threads have used little processor time");
}

/* Says why no sample of [o] was counted. */
static void explain_empty(const struct opened *o, const struct arguments *a)
{
  const char *path = eventring_path(o->cursor);
  if (profile_sums(o->profile).all_samples == 0) {
    explain_no_samples(o->cursor);
    return;
  }
  for (size_t i = 0; i < a->conditions_count; i++)
    if (a->conditions[i].kind != OUTSIDE
        && profile_matches(o->profile, i) == 0)
      note("%s: no %s %s%s", path,
           a->conditions[i].kind == IN_REQUEST ? "request" : "span",
           a->conditions[i].name,
           a->conditions[i].slower_ns >= 0 ? " took longer than --slower"
                                           : " was recorded");
}

/* Reads all samples that [o->cursor] has. */
static enum status read_profile(struct opened *o, const struct arguments *a)
{
  begin_filter(a->filter, o->cursor);
  o->symbols = new_symbols(o->cursor, say, NULL);
  o->profile = new_profile(o->cursor, a->filter, a->conditions,
                           a->conditions_count);
  enum status status = read_events(o->cursor, &(struct reading) {
    .changes = true, .state = o->profile, .event = take_event,
    .pass = go_on
  });
  profile_finish(o->profile, o->symbols);
  if (profile_sums(o->profile).samples == 0) explain_empty(o, a);
  return status;
}

static void close_profile(struct opened *o)
{
  if (o->profile != NULL) free_profile(o->profile);
  free_symbols(o->symbols);
  eventring_close(o->cursor);
}

/* Prints the number of lost events and samples, if there are any. */
static void note_lost(struct opened *o)
{
  uint64_t impossible = profile_sums(o->profile).impossible;
  uint64_t lost = lost_events(o->cursor);
  uint64_t dropped = target_info(o->cursor).samples_dropped;
  if (lost > 0)
    note("%s%llu events were overwritten before they could be read",
         at_most(o->cursor), (unsigned long long) lost);
  if (dropped > 0)
    note("%llu samples were not written: their threads had no ring",
         (unsigned long long) dropped);
  if (impossible > 0)
    note("%llu samples are left out: their processor time is impossible",
         (unsigned long long) impossible);
}

static enum status print_profile(const struct arguments *a, struct opened *o,
                                 const struct profile *base)
{
  switch (a->output) {
  case ANNOTATED:
    return print_annotated(o->profile, a->what) ? STATUS_OK : STATUS_FINDING;
  case FLAME:
    return write_flame(a->what, a->force, o->cursor, o->profile, base);
  case FOLDED:
    print_folded(o->profile);
    return STATUS_OK;
  case JSON:
    print_profile_json(o->cursor, o->profile, base);
    return STATUS_OK;
  case PPROF:
    return write_pprof(a->what, a->force, o->cursor, o->profile);
  case TREE:
    print_profile_head(o->cursor, o->profile);
    print_profile_tree(o->profile, a->inverted);
    return STATUS_OK;
  default:
    print_profile_head(o->cursor, o->profile);
    if (base != NULL) print_profile_diff(o->profile, base, a->by);
    else print_profile_table(o->profile, a->by);
    return STATUS_OK;
  }
}

static enum status run(int argc, char **argv)
{
  struct arguments a = { .filter = new_filter(),
                         .conditions = allocate((size_t) argc,
                                                sizeof *a.conditions) };
  struct opened o = { NULL, NULL, NULL }, base = { NULL, NULL, NULL };
  filter_keep_earlier(a.filter);
  parse_options(&a, argc, argv);
  o.cursor = open_target(&profile_command, argc, argv, a.dir, false);
  if (a.base != NULL)
    base.cursor = open_one(&profile_command, a.base, a.dir, false, 0, NULL);
  enum status status = read_profile(&o, &a);
  if (a.base != NULL) {
    enum status second = read_profile(&base, &a);
    if (second != STATUS_OK) status = second;
  }
  enum status printed = print_profile(&a, &o, base.profile);
  note_lost(&o);
  close_profile(&o);
  close_profile(&base);
  free_filter(a.filter);
  free(a.conditions);
  return finish_output(printed != STATUS_OK ? printed : status);
}

const struct command profile_command = {
  .name = "profile", .summary = "where processor time was used",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
