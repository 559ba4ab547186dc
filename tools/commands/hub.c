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

/* eventring hub: takes the recordings of agents, and gives them to readers. */

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common.h"
#include "hub_otlp.h"
#include "hub_server.h"
#include "nats_config.h"
#include "options.h"
#include "parse.h"
#include "store.h"
#include "text.h"

static const char usage[] =
"Usage: eventring hub [OPTION...]\n"
"Receives and keeps the recordings of agents on other machines; commands read\n"
"them with --hub.  Prints a line for an agent and one for readers first; Ctrl-C\n"
"ends it.\n";

static const enum option_id option_ids[] = {
  OPTION_FORGET, OPTION_INTERVAL, OPTION_LISTEN, OPTION_MAX_AGE,
  OPTION_MAX_BYTES, OPTION_NATS, OPTION_NATS_CA, OPTION_NEW_TOKEN, OPTION_OTLP,
  OPTION_PRINT_CONTROL_URL,
  OPTION_PRINT_NATS_CONFIG, OPTION_STORE, OPTION_HELP, OPTION_END
};

static const char notes[] =
"By default, it listens on 127.0.0.1:7417 and keeps 16G and 30d of recordings in\n"
"fleet/ of $EVENTRING_STORE or ~/.local/share/eventring; the oldest go first.\n"
"Each token lets one agent join, within a day.  A hub with the same --store goes\n"
"on undisturbed by --new-token, --forget and --print-...; see doc/FLEET.md.\n";

#define DEFAULT_LISTEN "127.0.0.1:7417"
#define DEFAULT_MAX_BYTES ((uint64_t) 16 << 30)
#define DEFAULT_MAX_AGE_NS (30 * INT64_C(86400) * 1000000000)

/* How often metrics are sent. */
#define DEFAULT_INTERVAL_NS (INT64_C(10) * 1000000000)
#define SHORTEST_NS (INT64_C(100) * 1000000)
#define LONGEST_NS (INT64_C(3600) * 1000000000)

struct arguments {
  struct hub_options hub;
  bool new_token, print_control_url, print_nats_config;
  const char *forget;
  const char *collector;          /* of OpenTelemetry; NULL: none */
  int64_t interval_ns;            /* of sending to it; 0: not given */
};

/* Returns the folder of the store, which the caller frees. */
static char *default_folder(void)
{
  char *store = default_store();
  if (store == NULL)
    usage_error(NULL, "hub: --store is needed: there is no HOME");
  char *folder = allocate(strlen(store) + sizeof "/fleet", 1);
  strcpy(folder, store);
  strcat(folder, "/fleet");
  free(store);
  return folder;
}

extern const struct command hub_command;

/* Parses the value of --max-age, a duration that may be in days. */
static int64_t parse_age(const char *text)
{
  char number[64];
  int64_t ns;
  const size_t length = strlen(text);
  const bool days = length > 1 && length < sizeof number
                    && (text[length - 1] == 'd' || text[length - 1] == 'D');
  snprintf(number, sizeof number, "%s", text);
  if (days) number[length - 1] = 'h';
  if (!parse_duration(days ? number : text, &ns) || ns <= 0
      || (days && ns > INT64_MAX / 24))
    usage_error(&hub_command, "hub: --max-age: %s is not a time such as 12h or "
                "30d", text);
  return days ? ns * 24 : ns;
}

/* Parses the value of --otlp. */
static const char *parse_collector(const char *url)
{
  if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
    usage_error(&hub_command, "hub: --otlp: %s is not the address of a collector "
                "such as http://localhost:4318", url);
  return url;
}

static int64_t parse_interval(const char *text)
{
  int64_t ns;
  if (!parse_duration(text, &ns) || ns < SHORTEST_NS || ns > LONGEST_NS)
    usage_error(&hub_command, "hub: %s is not an interval: from 100ms to 1h, in "
                "seconds or with a unit", text);
  return ns;
}

static struct arguments parse_arguments(int argc, char **argv)
{
  struct arguments a = { .hub = { .listen = DEFAULT_LISTEN,
                                  .max_age_ns = DEFAULT_MAX_AGE_NS,
                                  .max_bytes = DEFAULT_MAX_BYTES } };
  struct hub_url at;
  int option;
  while ((option = next_option(&hub_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_FORGET: a.forget = optarg; break;
    case OPTION_INTERVAL: a.interval_ns = parse_interval(optarg); break;
    case OPTION_LISTEN:
      if (!parse_hub_listen(optarg, &at))
        usage_error(&hub_command, "hub: --listen: %s is not an ADDRESS:PORT",
                    optarg);
      a.hub.listen = optarg;
      break;
    case OPTION_MAX_AGE: a.hub.max_age_ns = parse_age(optarg); break;
    case OPTION_MAX_BYTES:
      if (!parse_size(optarg, &a.hub.max_bytes) || a.hub.max_bytes == 0)
        usage_error(&hub_command, "hub: --max-bytes: %s is not a size such as "
                    "100M", optarg);
      break;
    case OPTION_NATS: a.hub.nats.urls = optarg; break;
    case OPTION_NATS_CA: a.hub.nats.ca = optarg; break;
    case OPTION_NEW_TOKEN: a.new_token = true; break;
    case OPTION_OTLP: a.collector = parse_collector(optarg); break;
    case OPTION_PRINT_CONTROL_URL: a.print_control_url = true; break;
    case OPTION_PRINT_NATS_CONFIG: a.print_nats_config = true; break;
    case OPTION_STORE: a.hub.store = optarg; break;
    }
  if (optind < argc)
    usage_error(&hub_command, "hub: unexpected argument '%s'", argv[optind]);
  if (a.new_token + (a.forget != NULL) + a.print_control_url
      + a.print_nats_config > 1)
    usage_error(&hub_command, "hub: --new-token, --forget, --print-control-url "
                "and --print-nats-config exclude each other");
  if (a.interval_ns != 0 && a.collector == NULL)
    usage_error(&hub_command, "hub: --interval goes with --otlp");
  check_nats_options(&hub_command, &a.hub.nats);
  return a;
}

/* The lines that the hub prints */

static void print_agent_line(const struct hub_url *url)
{
  char text[512];
  format_hub_url(url, text, sizeof text);
  printf("join:  eventring agent %s\n", text);
}

/* Prints how an agent joins and how a reader reads.  Returns false with a
   message. */
static bool print_lines(struct hub_server *server)
{
  struct hub_url url;
  char text[512], why[512];
  if (!new_agent_url(server, &url, why, sizeof why)) {
    complain("hub: %s", why);
    return false;
  }
  print_agent_line(&url);
  reader_url(server, &url);
  format_hub_url(&url, text, sizeof text);
  printf("read:  eventring ps --hub %s\n", text);
  fflush(stdout);
  return true;
}

/* Takes a line of the hub, from any thread. */
static void say(void *state, const char *line)
{
  (void) state;
  flockfile(stderr);
  note("hub: %s", line);
  funlockfile(stderr);
}

static void print_totals(const struct hub_totals *t)
{
  char bytes[QUANTITY_SIZE], removed[QUANTITY_SIZE];
  note("hub: agents joined: %" PRIu64 "; received: %s, complete parts: %" PRIu64
       "; removed: %s, parts: %" PRIu64 "; requests refused: %" PRIu64,
       t->joined, format_bytes(bytes, t->bytes), t->parts,
       format_bytes(removed, t->removed_bytes), t->removed_parts, t->refused);
}

/* The hub */

/* Starts to send metrics to the collector, if one is wanted.  Returns false with a
   message when that is not possible. */
static bool start_sending(const struct arguments *a,
                          const struct hub_server *server,
                          struct hub_sender **sender)
{
  struct hub_url url;
  *sender = NULL;
  if (a->collector == NULL) return true;
  own_reader_url(server, &url);
  *sender = start_hub_sender(&url, a->collector, a->interval_ns != 0
                             ? a->interval_ns : DEFAULT_INTERVAL_NS);
  if (*sender == NULL) complain("hub: cannot start a thread for --otlp");
  return *sender != NULL;
}

/* Runs the hub until a signal ends it. */
static enum status serve(const struct arguments *a)
{
  const struct hub_options *options = &a->hub;
  struct hub_sender *sender;
  const struct timespec second = { .tv_sec = 1 };
  struct hub_server *server;
  struct hub_totals totals;
  char why[4608];
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &ends, NULL);
  raise_descriptor_limit();
  if (!start_hub(options, &server, why, sizeof why)) {
    complain("hub: %s", why);
    return STATUS_CANNOT_READ;
  }
  bool printed = start_sending(a, server, &sender) && print_lines(server);
  while (printed && sigtimedwait(&ends, NULL, &second) < 0) tend_hub(server);
  end_hub_sender(sender);
  stop_hub(server, &totals);
  if (printed) print_totals(&totals);
  return finish_output(printed ? STATUS_OK : STATUS_CANNOT_WRITE);
}

static enum status print_new_token(const char *store)
{
  struct hub_url url;
  char why[4608];
  if (!new_token_of_store(store, &url, why, sizeof why)) {
    complain("hub: %s", why);
    return STATUS_CANNOT_READ;
  }
  print_agent_line(&url);
  return finish_output(STATUS_OK);
}

static enum status print_control_url(const char *store)
{
  struct hub_url url;
  char text[512], why[4608];
  if (!control_url_of_store(store, &url, why, sizeof why)) {
    complain("hub: %s", why);
    return STATUS_CANNOT_READ;
  }
  format_hub_url(&url, text, sizeof text);
  printf("%s\n", text);
  return finish_output(STATUS_OK);
}

static enum status print_config(const char *store)
{
  char why[4608];
  if (print_nats_config(store, why, sizeof why)) return finish_output(STATUS_OK);
  complain("hub: %s", why);
  return STATUS_CANNOT_READ;
}

static enum status forget(const char *store, const char *node)
{
  char why[4608];
  if (forget_node_of_store(store, node, why, sizeof why)) return STATUS_OK;
  complain("hub: %s", why);
  return STATUS_CANNOT_READ;
}

static enum status run(int argc, char **argv)
{
  struct arguments a = parse_arguments(argc, argv);
  char *folder = NULL;
  enum status status;
  if (a.hub.store == NULL) a.hub.store = folder = default_folder();
  a.hub.say = say;
  if (a.new_token) status = print_new_token(a.hub.store);
  else if (a.print_control_url) status = print_control_url(a.hub.store);
  else if (a.print_nats_config) status = print_config(a.hub.store);
  else if (a.forget != NULL) status = forget(a.hub.store, a.forget);
  else status = serve(&a);
  free(folder);
  return status;
}

const struct command hub_command = {
  .name = "hub", .summary = "take recordings of other machines, for --hub",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
