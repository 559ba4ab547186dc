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

/* eventring batch: runs of one or several commands, interleaved and kept, to be
   compared.

   runs/maker.h has the loop, runs/batch.h the folder, runs/execute.h a run,
   runs/batch_nodes.h the nodes, and runs/backend.h the way to them. */

#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "common.h"
#include "json.h"
#include "options.h"
#include "parse.h"
#include "runs/backend.h"
#include "runs/commands.h"
#include "runs/commits.h"
#include "runs/maker.h"

static const char usage[] =
"Usage: eventring batch [OPTION...] -- [NAME=VALUE...] PROGRAM [ARG...] [-- ...]\n"
"Runs programs in turn, in random order, and keeps each run with its recording\n"
"and a manifest in a new folder (doc/RUNS.md).  Exit status 1: a run failed.\n";

static const enum option_id option_ids[] = {
  OPTION_RUNS, OPTION_FOR, OPTION_PRECISION, OPTION_WARM_UP, OPTION_LABEL,
  OPTION_OUTPUT, OPTION_CONTINUE, OPTION_KEEP_GOING,
  OPTION_PROGRAM_OUTPUT, OPTION_NO_TRACE, OPTION_STOCK_EVENTS,
  OPTION_PROFILE, OPTION_COMMITS, OPTION_BUILD, OPTION_CATEGORIES, OPTION_RING,
  OPTION_SEED, OPTION_ON, OPTION_QUIET, OPTION_HELP,
  OPTION_END
};

/* Samples for each second of processor time of a thread. */
#define DEFAULT_SAMPLE_RATE 1000
#define MOST_SAMPLE_RATE 20000

/* The command line. */
struct arguments {
  struct batch_settings settings;
  const char *output, *folder, *commits, *build, *on;
  json_t *labels;
  struct traced traced;           /* its categories and ring only */
  bool profile;
  const char *profile_rate;       /* NULL: the default */
  uint32_t sample_rate;           /* for each second; 0: as the environment says */
  bool quiet, shows_output;
  bool is_new;                    /* an option was given that only a new batch
                                     has */
};

static double number_of(const char *option, const char *text, double least,
                        double most)
{
  double number;
  if (!parse_decimal(text, &number) || number < least || number > most)
    usage_error(&batch_command, "batch: --%s %s is not a number from %.15g to %.15g",
                option, text, least, most);
  return number;
}

static uint32_t parse_count(const char *option, const char *text, uint32_t least,
                            uint32_t most)
{
  double number = number_of(option, text, least, most);
  if (number != floor(number))
    usage_error(&batch_command, "batch: --%s %s is not a whole number", option,
                text);
  return (uint32_t) number;
}

/* Returns a percentage, with or without a percent sign, as a ratio. */
static double parse_precision(void)
{
  size_t length = strlen(optarg);
  if (length > 1 && optarg[length - 1] == '%') optarg[length - 1] = '\0';
  return number_of("precision", optarg, 0.01, 50) / 100;
}

static int64_t parse_time(void)
{
  int64_t ns;
  if (!parse_duration(optarg, &ns) || ns == 0)
    usage_error(&batch_command, "batch: --for %s is not a time", optarg);
  return ns;
}

/* Ends the program with a usage error if [list], the value of --categories, has
   an unknown name.  A program ignores such a name with a message, but its output
   is discarded. */
static void check_categories(const char *list)
{
  while (*list != '\0') {
    char name[64];
    int length = (int) strcspn(list, ","), sign = *list == '-';
    snprintf(name, sizeof name, "%.*s", length - sign, list + sign);
    if (name[0] != '\0' && strcmp(name, "all") != 0
        && eventring_category_meaning(name) == NULL)
      usage_error(&batch_command, "batch: --categories: there is no category %s",
                  name);
    list += length + (list[length] == ',');
  }
}

static void read_options(struct arguments *a, int argc, char **argv)
{
  struct batch_settings *s = &a->settings;
  int option;
  while ((option = next_option(&batch_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_RUNS:
      s->limits.runs = parse_count("runs", optarg, 1, BATCH_RUNS);
      break;
    case OPTION_FOR: s->limits.time_ns = parse_time(); break;
    case OPTION_PRECISION: s->limits.precision = parse_precision(); break;
    case OPTION_WARM_UP:
      s->warm_up = parse_count("warm-up", optarg, 0, 1000);
      a->is_new = true;
      break;
    case OPTION_SEED:
      s->seed = parse_count("seed", optarg, 0, UINT32_MAX);
      a->is_new = true;
      break;
    case OPTION_KEEP_GOING: s->keep_going = true; break;
    case OPTION_NO_TRACE: s->of = TRACE_NONE; a->is_new = true; break;
    case OPTION_STOCK_EVENTS: s->of = TRACE_ALL; a->is_new = true; break;
    case OPTION_PROFILE:
      a->profile = true;
      a->profile_rate = optarg;
      a->is_new = true;
      break;
    case OPTION_LABEL:
      json_array_append_new(a->labels, json_text(optarg));
      break;
    case OPTION_OUTPUT: a->output = optarg; break;
    case OPTION_COMMITS: a->commits = optarg; a->is_new = true; break;
    case OPTION_BUILD: a->build = optarg; a->is_new = true; break;
    case OPTION_ON: a->on = optarg; a->is_new = true; break;
    case OPTION_CONTINUE: a->folder = optarg; break;
    case OPTION_CATEGORIES:
      set_traced_categories(&a->traced, &batch_command, optarg);
      check_categories(optarg);
      break;
    case OPTION_RING:
      set_traced_ring(&a->traced, &batch_command, optarg);
      break;
    case OPTION_PROGRAM_OUTPUT: a->shows_output = true; break;
    case OPTION_QUIET: a->quiet = true; break;
    }
  if (a->profile)
    a->sample_rate = a->profile_rate == NULL ? DEFAULT_SAMPLE_RATE
      : parse_count("profile", a->profile_rate, 1, MOST_SAMPLE_RATE);
  if (a->profile && s->of == TRACE_NONE)
    usage_error(&batch_command, "batch: only one of --profile and --no-trace");
  if ((a->commits != NULL) != (a->build != NULL))
    usage_error(&batch_command, "batch: --commits and --build go together");
  if (a->on != NULL && strcmp(a->on, "local") == 0) a->on = NULL;
  if (a->on != NULL && a->commits != NULL)
    usage_error(&batch_command, "batch: only one of --on and --commits: commits are "
                "built on this machine");
}

/* The signal that ended the batch, or 0. */
static volatile sig_atomic_t received;

static void stop(int number)
{
  received = number;
  stop_executions();
}

static void catch_signals(void)
{
  static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
  for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
    struct sigaction action = { .sa_handler = stop }, before;
    sigaction(caught[i], NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(caught[i], &action, NULL);
  }
  /* While it is ignored, nobody learns the exit status of a child. */
  signal(SIGCHLD, SIG_DFL);
}

/* Creates the batch of the command line, with [commands] that are run on nodes. */
static enum status begin_on_nodes(struct maker *m, const struct arguments *a,
                                  json_t *commands)
{
  char why[512];
  struct batch_settings settings = a->settings;
  char *name = backend_name(a->on);
  if (name == NULL)
    usage_error(&batch_command, "batch: --on %s is neither local, ssh:HOST,..., "
                "slurm[:OPTIONS] nor the path of a program", a->on);
  json_t *nodes = backend_nodes(name, why, sizeof why);
  enum status status = STATUS_CANNOT_READ;
  if (nodes == NULL && !executions_stopped())
    complain("batch: --on %s: %s", a->on, why);
  if (nodes != NULL && !executions_stopped()) {
    settings.on = name;
    settings.nodes = nodes;
    status = create_batch(m, a->output, &settings, commands, NULL);
  }
  json_decref(nodes);
  free(name);
  return status;
}

/* Creates the batch of the command line.  Returns a status, with a message on
   failure. */
static enum status begin(struct maker *m, const struct arguments *a, int argc,
                         char **argv)
{
  char directory[PATH_MAX];
  json_t *commands = new_commands(&batch_command, argc, argv, a->labels);
  if (getcwd(directory, sizeof directory) == NULL) {
    complain("cannot find the working directory: %s", strerror(errno));
    return STATUS_CANNOT_READ;
  }
  set_trace_options(&a->traced);
  if (a->sample_rate > 0) {
    char rate[16];
    snprintf(rate, sizeof rate, "%" PRIu32, a->sample_rate);
    if (setenv("OCAML_EVENTRING_PROFILE", rate, 1) < 0) out_of_memory();
  }
  if (a->commits != NULL) {
    json_t *commits;
    commands = commands_of_commits(&batch_command, commands, a->commits,
                                   a->build, &commits);
    return create_batch(m, a->output, &a->settings, commands, commits);
  }
  for (size_t i = 0; i < json_array_size(commands); i++)
    json_object_set_new(json_array_get(commands, i), "directory",
                        json_text(directory));
  if (a->on != NULL) return begin_on_nodes(m, a, commands);
  /* A signal may have ended the programs that find the facts. */
  return add_facts(commands) && !executions_stopped()
         ? create_batch(m, a->output, &a->settings, commands, NULL)
         : STATUS_CANNOT_READ;
}

/* Ends the program with a usage error if an option of a new batch was given
   with --continue. */
static void check_continue(const struct arguments *a, int operands)
{
  if (operands > 0)
    usage_error(&batch_command, "batch: --continue takes the commands from the "
                "batch");
  if (a->output != NULL || json_array_size(a->labels) > 0
      || a->traced.categories != NULL || a->traced.ring > 0 || a->is_new)
    usage_error(&batch_command, "batch: --continue goes with --runs, --for, "
                "--precision, --keep-going, --program-output and --quiet only");
}

static enum status run(int argc, char **argv)
{
  struct arguments a = { .labels = json_array(),
                         .settings = { .warm_up = 1, .of = TRACE_OURS } };
  struct maker m = { .lock = -1 };
  if (getrandom(&a.settings.seed, 4, GRND_NONBLOCK) != 4)
    a.settings.seed = (uint32_t) realtime_ns();
  read_options(&a, argc, argv);
  m.quiet = a.quiet;
  m.shows_output = a.shows_output;
  struct batch_limits *l = &a.settings.limits;
  if (a.folder == NULL && l->runs == 0 && l->time_ns == 0 && l->precision <= 0)
    l->runs = 12;
  if (a.folder != NULL) check_continue(&a, argc - optind);
  catch_signals();
  enum status status =
    a.folder != NULL && strcmp(a.folder, "-") == 0 ? open_part(&m)
    : a.folder != NULL ? open_batch(&m, a.folder, l, a.settings.keep_going)
    : begin(&m, &a, argc - optind, argv + optind);
  if (status == STATUS_OK) {
    if (!m.quiet)
      note("batch in %s, seed %" JSON_INTEGER_FORMAT, m.folder,
           json_integer_value(json_object_get(m.batch, "seed")));
    status = make_runs(&m);
    if (received != 0 && m.part.out == NULL)
      note("interrupted; eventring batch --continue=%s goes on", m.folder);
  }
  close_maker(&m);
  if (m.part.out != NULL)
    leave_part(&m.part, received == 0 ? (int) status : -1, m.folder);
  json_decref(a.labels);
  if (received == 0) return status;
  signal(received, SIG_DFL);
  raise(received);
  return status;
}

const struct command batch_command = {
  .name = "batch", .summary = "run programs many times, to compare them",
  .usage = usage, .options = option_ids, .runs_program = true,
  .run = run
};
