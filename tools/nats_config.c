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

/* See nats_config.h. */

#include <stdio.h>
#include <string.h>
#include "common.h"
#include "hub_server.h"
#include "nats_config.h"
#include "nats_names.h"

void check_nats_options(const struct command *command,
                        const struct nats_place *place)
{
  char why[512];
  if (place->urls == NULL && place->ca != NULL)
    usage_error(command, "%s: --nats-ca needs --nats", command->name);
  if (place->urls != NULL && !check_nats_place(place, why, sizeof why))
    usage_error(command, "%s: %s", command->name, why);
}

/* The users come after this. */
static const char beginning[] =
"# For nats-server 2.9 or later.  2.9.25 and before in clusters, 2.10.20 to\n"
"# 2.10.22, and 2.12.1 may lose streams: that costs time, and no event\n"
"# (doc/FLEET.md).\n"
"#\n"
"# This file has passwords: only the user of the server may read it.  After an\n"
"# agent has joined or was forgotten, print it again, and let the server read\n"
"# it: nats-server --signal reload\n"
"\n"
"listen: \"127.0.0.1:4222\"\n"
"\n"
"# Other machines need TLS, and listen: \"0.0.0.0:4222\".\n"
"# tls {\n"
"#   cert_file: \"/etc/nats/server.pem\"\n"
"#   key_file: \"/etc/nats/server-key.pem\"\n"
"# }\n"
"\n"
"max_payload: 1MB\n"
"jetstream {\n"
"  store_dir: \"/var/lib/nats\"\n"
"  max_memory_store: 16MB\n"
"  max_file_store: 1GB\n"
"}\n"
"\n"
"accounts {\n"
"  EVENTRING {\n"
"    jetstream: enabled\n"
"    users: [\n";

static const char end[] =
"    ]\n"
"  }\n"
"}\n";

static void print_subject(const char *hub, const char *kind, const char *node,
                          const char *rest, const char *after)
{
  char subject[NATS_SUBJECT_SIZE];
  name_nats_subject(hub, kind, node, rest, subject);
  printf("\"%s\"%s", subject, after);
}

/* Prints the permissions of a hub: its own stream, its own consumer, and
   answers. */
static void print_hub_permissions(const char *hub)
{
  /* The texts before and after the name of the stream. */
  static const char *const requests[][2] = {
    { "STREAM.INFO.", "" }, { "STREAM.CREATE.", "" },
    { "CONSUMER.INFO.", "." NATS_CONSUMER },
    { "CONSUMER.DURABLE.CREATE.", "." NATS_CONSUMER },
    { "CONSUMER.DELETE.", "." NATS_CONSUMER },
    { "CONSUMER.MSG.NEXT.", "." NATS_CONSUMER }
  };
  char stream[NATS_USER_SIZE];
  name_nats_stream(hub, stream);
  printf("          publish: [");
  for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
    printf("\"$JS.API.%s%s%s\",\n                    ", requests[i][0], stream,
           requests[i][1]);
  printf("\"$JS.ACK.%s.>\",\n                    ", stream);
  print_subject(hub, "answers", "*", "done", ",\n                    ");
  print_subject(hub, "control", "*", NULL, "]\n");
  printf("          subscribe: [\"_INBOX.>\"]\n");
}

static void print_node_permissions(const char *hub, const char *node)
{
  printf("          publish: [");
  print_subject(hub, "parts", node, "*", ",\n                    ");
  print_subject(hub, "reports", node, NULL, "]\n");
  printf("          subscribe: [");
  print_subject(hub, "answers", node, "*", ",\n                      ");
  print_subject(hub, "control", node, NULL, "]\n");
  /* The answer to a request for control, which has a subject of its own. */
  printf("          allow_responses: { max: 1, expires: \"30s\" }\n");
}

static void print_user(void *state, const char *hub, const char *node,
                       const char *password)
{
  char user[NATS_USER_SIZE];
  bool *begun = state;
  if (!*begun) fputs(beginning, stdout);
  *begun = true;
  name_nats_user(hub, node, user);
  printf("      { user: \"%s\"\n        password: \"%s\"\n"
         "        permissions: {\n", user, password);
  if (node == NULL) print_hub_permissions(hub);
  else print_node_permissions(hub, node);
  printf("        } }\n");
}

bool print_nats_config(const char *path, char *why, size_t size)
{
  bool begun = false;
  if (!visit_nats_users(path, print_user, &begun, why, size)) return false;
  fputs(end, stdout);
  return true;
}
