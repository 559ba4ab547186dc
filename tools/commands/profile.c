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

/* eventring profile: where threads used processor time, allocated, or waited,
   from their samples. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common.h"
#include "filter_options.h"
#include "follow.h"
#include "hub_target.h"
#include "merged_profile.h"
#include "options.h"
#include "output_file.h"
#include "parse.h"
#include "profile_export.h"
#include "profile_text.h"
#include "profile_notes.h"
#include "profile_pprof.h"
#include "profile_types.h"
#include "targets.h"

static const char usage[] =
"Usage: eventring profile [OPTION...] [PID|FILE|NODE/...]\n"
"Prints where the threads of a process used processor time: for each function\n"
"the time in its own code (self), and with the functions that it called (total).\n"
"The process takes samples while its category profile is recorded: start it with\n"
"OCAML_EVENTRING_PROFILE=100, or: eventring enable --rate=100 PID profile.\n"
"For a running process, takes the samples in its rings.  --all, and --hub alone,\n"
"merge all processes; NODE/ means all of a node.\n"
"With --type, profiles something else:\n"
"  alloc  the memory that was allocated: OCAML_EVENTRING_PROFILE_ALLOC=1e-5,\n"
"         or eventring enable PID profile_alloc\n"
"  live   the blocks of these that are alive, at the end or --at a time;\n"
"         their growth --since an earlier time\n"
"  wait   the time in waits: eventring enable PID profile_wait\n"
"  wall   processor time and waits\n"
"  io     the time and bytes of input and output: eventring enable PID io\n";

static const enum option_id option_ids[] = {
  OPTION_TYPE, OPTION_AT, OPTION_SINCE, OPTION_ALL, OPTION_BY, OPTION_TREE,
  OPTION_INVERTED, OPTION_ANNOTATE, OPTION_FOLDED,
  OPTION_PPROF, OPTION_FLAME, OPTION_DIFF, OPTION_JSON, OPTION_THREAD,
  OPTION_DOMAIN, OPTION_FROM, OPTION_TO, OPTION_DURING, OPTION_OUTSIDE,
  OPTION_SPAN, OPTION_REQUEST, OPTION_SLOWER, OPTION_SYMBOLS, OPTION_DIR,
  OPTION_FORCE, OPTION_HUB, OPTION_VERSION, OPTION_HELP, OPTION_END
};

static const char notes[] =
"The time of --slower is for the --span or --request before it: with the two\n"
"options --request=get --slower=100ms, the samples are of requests get that\n"
"took longer, whenever they ended.  With --type=live, --from and --to are the\n"
"time at which the blocks were allocated.\n";

enum output { TABLE, TREE, ANNOTATED, FOLDED, PPROF, FLAME, JSON };

/* The command line. */
struct arguments {
  const char *dir;
  enum output output;
  bool chosen;                    /* [output] was given */
  bool inverted, force;
  bool all;
  const char *version;            /* NULL: any */
  enum profile_type type;
  int64_t at, since;              /* ns since tracing started; -1: not given */
  enum profile_by by;
  const char *what;               /* of --annotate; path of --pprof, --flame */
  const char *base;
  const char *code;               /* of --symbols; NULL: not given */
  struct filter *filter;
  struct condition *conditions;
  size_t conditions_count;
};

/* A profile, with its process and symbols. */
struct opened {
  struct eventring_cursor *cursor; /* NULL: of many processes */
  struct merged_profile merged;   /* of many processes */
  struct profile *profile;
  struct profile *earlier;        /* of --since; else NULL */
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
    (struct condition) { .kind = kind, .name = optarg, .slower_ns = -1 };
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

static enum profile_type parse_type(const char *name)
{
  enum profile_type type;
  if (!parse_profile_type(name, &type))
    usage_error(&profile_command, "profile: unknown type '%s' (types: cpu, "
                "alloc, live, wall, wait, io)", name);
  return type;
}

static int64_t parse_time(const char *option, const char *text)
{
  int64_t ns;
  if (!parse_duration(text, &ns))
    usage_error(&profile_command, "profile: %s=%s: not a time such as 10ms or "
                "1.5s", option, text);
  return ns;
}

static const char *parse_version(const char *digits)
{
  if (!is_build_id(digits))
    usage_error(&profile_command, "profile: --version=%s: not the prefix of "
                "a build id, which has digits and letters from a to f", digits);
  return digits;
}

/* Ends the program when --at and --since do not go with the other options. */
static void check_times(const struct arguments *a)
{
  const char *option = a->since >= 0 ? "--since" : "--at";
  if (a->type != PROFILE_LIVE && (a->at >= 0 || a->since >= 0))
    usage_error(&profile_command, "profile: %s goes with --type=live", option);
  if (a->since >= 0 && a->base != NULL)
    usage_error(&profile_command, "profile: only one of --since and --diff");
  if (a->at >= 0 && a->since > a->at)
    usage_error(&profile_command, "profile: --since is later than --at");
}

static void parse_options(struct arguments *a, int argc, char **argv)
{
  int option;
  while ((option = next_option(&profile_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: a->all = true; break;
    case OPTION_ANNOTATE: choose(a, ANNOTATED, optarg); break;
    case OPTION_AT: a->at = parse_time("--at", optarg); break;
    case OPTION_BY: a->by = parse_by(optarg); break;
    case OPTION_DIFF: a->base = optarg; break;
    case OPTION_DIR: a->dir = optarg; break;
    case OPTION_DURING: case OPTION_SPAN: add_condition(a, DURING); break;
    case OPTION_FLAME: choose(a, FLAME, optarg); break;
    case OPTION_FOLDED: choose(a, FOLDED, NULL); break;
    case OPTION_FORCE: a->force = true; break;
    case OPTION_HUB: use_hub(&profile_command, optarg); break;
    case OPTION_INVERTED: a->inverted = true; break;
    case OPTION_JSON: choose(a, JSON, NULL); break;
    case OPTION_OUTSIDE: add_condition(a, OUTSIDE); break;
    case OPTION_PPROF: choose(a, PPROF, optarg); break;
    case OPTION_REQUEST: add_condition(a, IN_REQUEST); break;
    case OPTION_SINCE: a->since = parse_time("--since", optarg); break;
    case OPTION_SLOWER: set_slower(a); break;
    case OPTION_SYMBOLS: a->code = optarg; break;
    case OPTION_TREE: choose(a, TREE, NULL); break;
    case OPTION_TYPE: a->type = parse_type(optarg); break;
    case OPTION_VERSION: a->version = parse_version(optarg); break;
    default: filter_option(&profile_command, a->filter, option, optarg);
    }
  if (a->inverted && a->output != TREE)
    usage_error(&profile_command, "profile: --inverted goes with --tree");
  if ((a->base != NULL || a->since >= 0) && a->output != TABLE
      && a->output != FLAME && a->output != JSON)
    usage_error(&profile_command, "profile: %s goes with the table, --flame or "
                "--json", a->base != NULL ? "--diff" : "--since");
  check_times(a);
}

/* Reading */

static void say(void *state, const char *message)
{
  (void) state;
  note("%s", message);
}

/* Says why no sample of [o] was counted. */
static void explain_empty(const struct opened *o, const struct arguments *a)
{
  const char *path = shown_path(o->cursor);
  if (profile_sums(o->profile).all_samples == 0) return;
  for (size_t i = 0; i < a->conditions_count; i++)
    if (a->conditions[i].kind != OUTSIDE
        && profile_matches(o->profile, i) == 0)
      note("%s: no %s %s%s", path,
           a->conditions[i].kind == IN_REQUEST ? "request" : "span",
           a->conditions[i].name,
           a->conditions[i].slower_ns >= 0 ? " took longer than --slower"
                                           : " was recorded");
}

static struct profile_selection selection_of(const struct arguments *a)
{
  return (struct profile_selection) {
    .type = a->type, .at = a->at, .filter = a->filter,
    .conditions = a->conditions, .conditions_count = a->conditions_count,
    .version = a->version, .code = a->code
  };
}

/* Tells when the time of --since is outside of the events. */
static void note_since(const struct profile *later,
                       const struct profile *earlier)
{
  const struct profile_sums now = profile_sums(later), was =
    profile_sums(earlier);
  if (was.all_samples == 0) return;
  if (was.last_ns > now.last_ns)
    note("--since is later than the last event");
  else if (was.last_ns < was.data_ns)
    note("--since is earlier than the first event: blocks that are older count "
         "as growth");
}

/* Reads all samples that [o->cursor] has. */
static enum status read_profile(struct opened *o, const struct arguments *a)
{
  begin_filter(a->filter, o->cursor);
  o->symbols = new_symbols(o->cursor, say, NULL);
  symbols_in(o->symbols, a->code);
  struct profile_selection selection = selection_of(a);
  o->profile = new_selected_profile(o->cursor, &selection);
  selection.at = a->since;
  if (a->since >= 0) o->earlier = new_selected_profile(o->cursor, &selection);
  enum status status = read_samples(o->cursor, o->profile, o->earlier);
  if (o->earlier != NULL) profile_compare(o->profile, o->earlier);
  profile_finish(o->profile, o->symbols);
  if (o->earlier != NULL) profile_finish(o->earlier, o->symbols);
  note_missing_samples(o->cursor, o->profile);
  if (o->earlier != NULL) note_since(o->profile, o->earlier);
  if (profile_sums(o->profile).samples == 0) explain_empty(o, a);
  return status;
}

/* Returns whether the command line names all processes, of a hub or of nodes of
   it, or with --all.  Ends the program when it also names one process. */
static bool wants_all(const struct arguments *a, int argc, char **argv)
{
  int nodes = 0;
  for (int i = optind; i < argc; i++)
    nodes += is_hub_node(&profile_command, argv[i]);
  if (nodes > 0 && nodes < argc - optind)
    usage_error(&profile_command, "profile: takes nodes, NODE/, or one process");
  const bool all = a->all || nodes > 0 || (optind == argc && has_hub_option());
  if (all && a->dir != NULL && has_hub_option())
    usage_error(&profile_command, "profile: --hub excludes --dir");
  return all;
}

/* Reads the samples of all processes that the command line names. */
static enum status read_all(struct opened *o, const struct arguments *a,
                            int argc, char **argv)
{
  const struct profile_selection selection = selection_of(a);
  const struct hub_url *hub =
    a->dir == NULL ? chosen_hub(&profile_command) : NULL;
  enum status status;
  if (hub != NULL && (optind == argc
                      || is_hub_node(&profile_command, argv[optind]))) {
    status = merge_hub_profiles(&o->merged, hub, argv + optind,
                                (size_t) (argc - optind), &selection);
  } else {
    struct all_processes all =
      open_processes(&profile_command, argc, argv, a->dir, true);
    status = merge_profiles(&o->merged, &all, &selection);
    close_processes(&all);
  }
  o->profile = o->merged.profile;
  return status;
}

static void close_profile(struct opened *o)
{
  if (o->cursor == NULL) {
    free_merged_profile(&o->merged);
    return;
  }
  if (o->profile != NULL) free_profile(o->profile);
  if (o->earlier != NULL) free_profile(o->earlier);
  free_symbols(o->symbols);
  eventring_close(o->cursor);
}

/* Returns the processes of the profile. */
static struct profile_origin origin_of(struct opened *o)
{
  return o->cursor == NULL ? o->merged.origin : origin_of_process(o->cursor);
}

/* Prints the number of lost events and samples, if there are any. */
static void note_lost_samples(const struct opened *o,
                              const struct profile_origin *origin)
{
  const struct profile_sums sums = profile_sums(o->profile);
  const enum profile_type type = profile_type(o->profile);
  const uint64_t impossible = sums.impossible, lost = origin->lost_events,
    dropped = origin->dropped_samples;
  if (sums.others > 0)
    note("%llu samples are in %s: they have too many different stacks",
         (unsigned long long) sums.others, PROFILE_OTHERS);
  if (lost > 0)
    note("%s%llu events were overwritten before they could be read",
         o->cursor != NULL ? at_most(o->cursor) : "",
         (unsigned long long) lost);
  if (dropped > 0 && (type == PROFILE_CPU || type == PROFILE_WALL))
    note("%llu samples were not written: their threads had no ring",
         (unsigned long long) dropped);
  if (impossible > 0)
    note("%llu samples are left out: their %s impossible",
         (unsigned long long) impossible,
         type == PROFILE_CPU ? "processor time is"
         : profile_type_words[type].weighs_bytes ? "sizes are" : "times are");
}

/* Writes the profile of [o] to a new file for pprof. */
static enum status save_pprof(const struct arguments *a, const struct opened *o,
                              const struct profile_origin *origin)
{
  struct sink *sink = open_sink(a->what, a->force);
  if (sink == NULL) return STATUS_CANNOT_WRITE;
  const bool made = write_pprof(sink, origin, o->profile);
  if (!made) complain("not enough memory");
  return close_sink(sink, made) && made ? STATUS_OK : STATUS_CANNOT_WRITE;
}

static enum status print_profile(const struct arguments *a,
                                 const struct opened *o,
                                 const struct profile_origin *origin,
                                 const struct profile *base)
{
  if (o->earlier != NULL) base = o->earlier;
  switch (a->output) {
  case ANNOTATED:
    return print_annotated(o->profile, a->what) ? STATUS_OK : STATUS_FINDING;
  case FLAME:
    return write_flame(a->what, a->force, origin, o->profile, base,
                       o->earlier == NULL ? a->base : NULL);
  case FOLDED:
    print_folded(o->profile);
    return STATUS_OK;
  case JSON:
    print_profile_json(origin, o->profile, base);
    return STATUS_OK;
  case PPROF:
    return save_pprof(a, o, origin);
  case TREE:
    print_profile_head(origin, o->profile, NULL);
    print_profile_tree(o->profile, a->inverted);
    return STATUS_OK;
  default:
    print_profile_head(origin, o->profile, o->earlier);
    if (o->earlier != NULL) print_profile_growth(o->profile, base, a->by);
    else if (base != NULL) print_profile_diff(o->profile, base, a->by);
    else print_profile_table(o->profile, a->by);
    return STATUS_OK;
  }
}

static enum status run(int argc, char **argv)
{
  struct arguments a = { .filter = new_filter(), .at = -1, .since = -1,
                         .conditions = allocate((size_t) argc,
                                                sizeof *a.conditions) };
  struct opened o = { .cursor = NULL }, base = { .cursor = NULL };
  filter_keep_earlier(a.filter);
  parse_options(&a, argc, argv);
  const bool all = wants_all(&a, argc, argv);
  if (a.version != NULL && !all)
    usage_error(&profile_command, "profile: --version goes with --all or --hub, "
                "without a process");
  if (a.since >= 0 && all)
    usage_error(&profile_command, "profile: --since goes with one process");
  if (!all) o.cursor = open_target(&profile_command, argc, argv, a.dir, false);
  if (a.base != NULL)
    base.cursor = open_another(&profile_command, a.base, a.dir);
  enum status status = all ? read_all(&o, &a, argc, argv)
                           : read_profile(&o, &a);
  if (a.base != NULL) {
    enum status second = read_profile(&base, &a);
    if (second != STATUS_OK) status = second;
  }
  const struct profile_origin origin = origin_of(&o);
  enum status printed = print_profile(&a, &o, &origin, base.profile);
  note_lost_samples(&o, &origin);
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
