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

/* eventring agent: sends the events of all traced processes to a hub.

     processes --> follower --> spool --> shipper --> hub

   The follower copies the rings in the main thread; the shipper sends them in
   another one, and a third takes requests for control if that is allowed.  The
   spool is on disk: a hub that is away, or an agent that is killed, costs no
   event for which the spool has room. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include "agent_control.h"
#include "common.h"
#include "follow.h"
#include "follower.h"
#include "joining.h"
#include "manifest.h"
#include "nats_config.h"
#include "nats_control.h"
#include "nats_transport.h"
#include "options.h"
#include "parse.h"
#include "shipper.h"
#include "spool.h"
#include "state_folder.h"
#include "text.h"

static const char usage[] =
"Usage: eventring agent [OPTION...] [URL]\n"
"Sends the events of all traced processes that you may read to a hub, which\n"
"prints the URL at its start, with a token that is good for one agent.\n";

static const enum option_id option_ids[] = {
  OPTION_ALLOW_CONTROL, OPTION_DIR, OPTION_FLUSH_INTERVAL, OPTION_NATS,
  OPTION_NATS_CA, OPTION_NODE, OPTION_SPOOL_AGE, OPTION_SPOOL_SIZE,
  OPTION_STATE, OPTION_HELP, OPTION_END
};

static const char notes[] =
"Without a URL, goes on with the hub that it has joined.  Events wait in the\n"
"spool, on disk, until the hub has them; when it is full, the oldest go first.\n"
"The state is in ~/.local/state/eventring/agent, or below $XDG_STATE_HOME.\n"
"SIGTERM or Ctrl-C ends it.  doc/FLEET.md tells more.\n";

#define DEFAULT_FLUSH_NS (100 * INT64_C(1000000))
#define DEFAULT_SPOOL_BYTES ((uint64_t) 1 << 30)
#define DEFAULT_SPOOL_NS (24 * INT64_C(3600000000000))
#define SMALLEST_SPOOL ((uint64_t) 1 << 20)

/* While the hub is away, a part lasts this share of the age of the spool, and
   at least the shortest time: parts are dropped whole. */
#define PARTS_OF_AGE 64
#define SHORTEST_PART_NS (10 * INT64_C(1000000000))

/* How long to send what is left when the agent ends. */
#define LAST_MS 2000

struct arguments {
  const char *url, *state, *node, *dir;
  struct spool_limits limits;
  int64_t flush_ns;
  struct nats_place nats;
  bool allow_control;
};

extern const struct command agent_command;

/* Returns the default folder of the state, which the caller frees. */
static char *default_state(void)
{
  char *folder = state_folder("agent");
  if (folder == NULL)
    usage_error(&agent_command, "agent: --state is needed: there is no HOME");
  return folder;
}

static int64_t parse_time(const char *option)
{
  int64_t ns;
  if (!parse_duration(optarg, &ns) || ns == 0)
    usage_error(&agent_command, "agent: --%s: %s is not a time such as 10s",
                option, optarg);
  return ns;
}

static struct arguments parse_arguments(int argc, char **argv)
{
  struct arguments a = {
    .flush_ns = DEFAULT_FLUSH_NS,
    .limits = { .bytes = DEFAULT_SPOOL_BYTES, .age_ns = DEFAULT_SPOOL_NS }
  };
  struct hub_url hub;
  char why[512];
  int option;
  while ((option = next_option(&agent_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALLOW_CONTROL: a.allow_control = true; break;
    case OPTION_DIR: a.dir = optarg; break;
    case OPTION_FLUSH_INTERVAL:
      a.flush_ns = parse_time("flush-interval");
      break;
    case OPTION_NATS: a.nats.urls = optarg; break;
    case OPTION_NATS_CA: a.nats.ca = optarg; break;
    case OPTION_NODE:
      if (!is_node_name(optarg))
        usage_error(&agent_command, "agent: --node: '%s' is not the name of a "
                    "node: 1 to 64 of A-Z, a-z, 0-9, . _ -", optarg);
      a.node = optarg;
      break;
    case OPTION_SPOOL_AGE: a.limits.age_ns = parse_time("spool-age"); break;
    case OPTION_SPOOL_SIZE:
      if (!parse_size(optarg, &a.limits.bytes)
          || a.limits.bytes < SMALLEST_SPOOL)
        usage_error(&agent_command, "agent: --spool-size: %s is not a size "
                    "from 1M on", optarg);
      break;
    case OPTION_STATE: a.state = optarg; break;
    }
  if (optind < argc) a.url = argv[optind++];
  if (optind < argc)
    usage_error(&agent_command, "agent: unexpected argument '%s'",
                argv[optind]);
  if (a.url != NULL && !parse_hub_url(a.url, true, &hub, why, sizeof why))
    usage_error(&agent_command, "agent: %s", why);
  check_nats_options(&agent_command, &a.nats);
  return a;
}

/* Prints a line of the agent, from any thread. */
static void say(const char *line)
{
  flockfile(stderr);
  note("agent: %s", line);
  funlockfile(stderr);
}

static char *manifest_of(struct eventring_cursor *cursor)
{
  return new_manifest(cursor, NULL);
}

static void wake(void *shipper)
{
  wake_shipper(shipper);
}

/* Prints the totals of the agent. */
static void sum_up(const struct follower_totals *f, struct spool *spool)
{
  struct spool_totals s = spool_totals(spool);
  char sent[QUANTITY_SIZE], left[QUANTITY_SIZE];
  note("agent: %" PRIu64 " sessions, %" PRIu64 " events, %" PRIu64 " lost; %s "
       "sent, %s in the spool, %" PRIu64 " parts dropped", f->sessions,
       f->events, f->lost, format_bytes(sent, s.sent),
       format_bytes(left, s.bytes), s.dropped_parts);
}

/* Follows until a signal arrives; looks up processes for [desk] unless that is
   NULL. */
static void follow(struct follower *follower, struct control_desk *desk)
{
  while (interrupted_by() == 0) {
    nanosleep(&(struct timespec) { .tv_nsec = follow_once(follower) }, NULL);
    if (desk != NULL) serve_control_desk(desk, follower);
  }
}

/* Does the same, and takes requests of the hub for control.  Returns false, with
   the reason, when that cannot begin. */
static bool follow_with_control(struct follower *follower,
                                const struct membership *m,
                                const struct nats_place *nats, char *why,
                                size_t size)
{
  struct control_desk *desk = open_control_desk(say);
  const struct control_hands *hands = hands_of_desk(desk);
  struct control_poll *poll = nats->urls != NULL ? NULL
    : begin_control_poll(m, hands, why, size);
  struct nats_control *by_nats = nats->urls == NULL ? NULL
    : begin_nats_control(m, nats, hands, why, size);
  const bool begun = poll != NULL || by_nats != NULL;
  if (begun) follow(follower, desk);
  end_control_desk(desk);
  end_control_poll(poll);
  end_nats_control(by_nats);
  close_control_desk(desk);
  return begun;
}

/* Follows and sends until a signal arrives. */
static enum status follow_and_send(const struct arguments *a,
                                   const struct membership *m,
                                   struct spool *spool)
{
  char why[1024];
  char *node = new_node(m->node);
  struct transport *transport =
    a->nats.urls == NULL ? open_http_transport(m)
    : open_nats_transport(m, &a->nats, why, sizeof why);
  if (transport != NULL && a->allow_control)
    transport->control = a->nats.urls == NULL ? "https" : "nats";
  struct shipper *shipper =
    transport == NULL ? NULL
    : begin_shipping(spool, m, transport, say, why, sizeof why);
  struct follower_options options = {
    .spool = spool, .dir = a->dir, .empty = m->spool_path,
    .flush_ns = a->flush_ns,
    .part_ns = a->limits.age_ns / PARTS_OF_AGE > SHORTEST_PART_NS
               ? a->limits.age_ns / PARTS_OF_AGE : SHORTEST_PART_NS,
    .age_ns = a->limits.age_ns, .manifest = manifest_of, .node = node,
    .say = say, .grown = wake, .state = shipper
  };
  struct follower *follower =
    shipper == NULL ? NULL : begin_following(&options, why, sizeof why);
  if (follower == NULL) {
    complain("agent: %s", why);
    end_shipping(shipper, 0);
    free(node);
    return STATUS_CANNOT_READ;
  }
  bool followed = true;
  if (!a->allow_control) follow(follower, NULL);
  else followed = follow_with_control(follower, m, &a->nats, why,
                                      sizeof why);
  if (!followed) complain("agent: %s", why);
  struct follower_totals totals;
  end_following(follower, &totals);
  end_shipping(shipper, LAST_MS);
  sum_up(&totals, spool);
  free(node);
  return followed ? STATUS_OK : STATUS_CANNOT_READ;
}

/* Returns whether the folder of --dir, if there is one, can be read; prints a
   message if not. */
static bool has_folder(const char *dir)
{
  DIR *d = dir == NULL ? NULL : opendir(dir);
  if (dir == NULL) return true;
  if (d == NULL) complain("agent: cannot read %s: %s", dir, strerror(errno));
  else closedir(d);
  return d != NULL;
}

/* Joins the hub if necessary, and opens the spool; prints a message when one of
   these fails. */
static enum status run_agent(const struct arguments *a, struct membership *m,
                             const char *state)
{
  char why[1024];
  if (!open_membership(state, a->url != NULL, m, why, sizeof why)) {
    complain("agent: %s", why);
    return STATUS_CANNOT_WRITE;
  }
  if (a->url == NULL && !m->joined) {
    complain("agent: missing address of the hub (eventring hub prints it)");
    return STATUS_CANNOT_READ;
  }
  struct spool *spool = open_spool(m->spool_path, &a->limits, say, why,
                                   sizeof why);
  if (spool == NULL) {
    complain("agent: %s", why);
    return STATUS_CANNOT_WRITE;
  }
  enum status status = STATUS_CANNOT_READ;
  if (a->url == NULL && a->node != NULL && strcmp(a->node, m->node) != 0)
    complain("agent: %s has joined as %s: give each node a --state of its own",
             state, m->node);
  else if (a->url != NULL && !join_hub(m, a->url, a->node, why, sizeof why))
    complain("agent: %s", why);
  else
    status = follow_and_send(a, m, spool);
  close_spool(spool);
  return status;
}

static enum status run(int argc, char **argv)
{
  struct arguments a = parse_arguments(argc, argv);
  struct membership m;
  char *state = a.state != NULL ? strdup(a.state) : default_state();
  if (state == NULL) out_of_memory();
  raise_descriptor_limit();
  /* Not woken later than asked for. */
  prctl(PR_SET_TIMERSLACK, 1);
  catch_interrupts();
  enum status status = STATUS_CANNOT_READ;
  if (has_folder(a.dir)) {
    status = run_agent(&a, &m, state);
    close_membership(&m);
  }
  free(state);
  return status;
}

const struct command agent_command = {
  .name = "agent", .summary = "send the events of all processes to a hub",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
