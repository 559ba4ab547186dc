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

/* See nats_version.h.

   The first line of a server is INFO and an object of JSON. */

#define _GNU_SOURCE
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "nats_version.h"
#include "target.h"
#include "tls.h"

#define MS INT64_C(1000000)
#define PATIENCE_NS (2000 * MS)
#define LINE_MAX_BYTES 16384

/* Versions from [first] to [last], as numbers MAJOR * 10^6 + MINOR * 10^3 +
   PATCH. */
static const struct {
  unsigned first, last;
  bool clusters;                  /* only these */
  const char *fault;
} faults[] = {
  { 0, 2009025, true, "may remove streams when two of three servers were killed "
    "(github.com/nats-io/nats-server/issues/6188)" },
  { 2010020, 2010022, false, "may lose a stream when servers were killed "
    "(github.com/nats-io/nats-server/issues/6888)" },
  { 2012001, 2012001, false, "may lose streams after single wrong bits and "
    "power failures (jepsen.io/analyses/nats-2.12.1)" }
};

/* Reads the first line of the server into [line].  Returns false when none comes
   in time. */
static bool read_line(int fd, int64_t until, char line[LINE_MAX_BYTES])
{
  size_t length = 0;
  while (length < LINE_MAX_BYTES - 1) {
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    const int64_t left = (until - monotonic_ns()) / MS;
    if (left <= 0 || poll(&ready, 1, (int) left) <= 0) return false;
    const ssize_t n = recv(fd, line + length, LINE_MAX_BYTES - 1 - length, 0);
    if (n <= 0) return false;
    length += (size_t) n;
    line[length] = '\0';
    char *end = strchr(line, '\n');
    if (end == NULL) continue;
    *end = '\0';
    return true;
  }
  return false;
}

/* Takes the facts of [line]. */
static bool parse_info(const char *line, struct nats_server *server)
{
  static const char info[] = "INFO ";
  if (strncmp(line, info, strlen(info)) != 0) return false;
  json_t *json = json_loads(line + strlen(info), 0, NULL);
  const char *version = json_string_value(json_object_get(json, "version"));
  if (version != NULL)
    snprintf(server->version, sizeof server->version, "%s", version);
  server->clustered = json_is_string(json_object_get(json, "cluster"));
  json_decref(json);
  return server->version[0] != '\0';
}

bool ask_nats_server(const char *url, struct nats_server *server)
{
  char line[LINE_MAX_BYTES], why[512];
  struct hub_url at;
  const char *host = strstr(url, "://");
  const int64_t until = monotonic_ns() + PATIENCE_NS;
  *server = (struct nats_server) { .version = "" };
  if (host == NULL || !parse_hub_url(host + 3, false, &at, why, sizeof why))
    return false;
  const int fd = connect_to_host(&at, until, why, sizeof why);
  if (fd < 0) return false;
  const bool found = read_line(fd, until, line) && parse_info(line, server);
  close(fd);
  return found;
}

const char *nats_server_fault(const struct nats_server *server)
{
  unsigned parts[3];
  if (sscanf(server->version, "%3u.%3u.%3u", &parts[0], &parts[1], &parts[2])
      != 3)
    return NULL;
  const unsigned number = (parts[0] * 1000 + parts[1]) * 1000 + parts[2];
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    if (number >= faults[i].first && number <= faults[i].last
        && (server->clustered || !faults[i].clusters))
      return faults[i].fault;
  return NULL;
}
