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

/* See nats_link.h. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "explain.h"
#include "nats_link.h"

#define MOST_SERVERS 16
#define URL_SIZE 300

/* Milliseconds: to connect, to write, and between questions whether the server
   lives, of which it may leave so many without an answer. */
#define CONNECT_MS 2000
#define WRITE_MS 5000
#define PING_MS 5000
#define PINGS 2

struct servers {
  int count;
  bool tls;
  char texts[MOST_SERVERS][URL_SIZE];
};

/* Returns whether the server at [host] is on this machine. */
static bool is_local(const char *host)
{
  static const char *const names[] = { "127.", "localhost", "[::1]" };
  const size_t name = strcspn(host, ":/");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(host, names[i], strlen(names[i])) == 0
        && (i != 1 || name == strlen(names[1])))
      return i != 0 || strspn(host, "0123456789.") == name;
  return false;
}

/* Adds the address of [length] characters at [text]. */
static bool add_server(struct servers *s, const char *text, size_t length,
                       char *why, size_t size)
{
  static const char plain[] = "nats://", tls[] = "tls://";
  if (s->count == MOST_SERVERS || length >= URL_SIZE)
    return explain(why, size, "--nats: too many or too long addresses");
  char *url = s->texts[s->count];
  memcpy(url, text, length);
  url[length] = '\0';
  const bool is_tls = strncmp(url, tls, strlen(tls)) == 0;
  if (!is_tls && strncmp(url, plain, strlen(plain)) != 0)
    return explain(why, size, "--nats: %s is not nats://HOST:PORT or "
                   "tls://HOST:PORT", url);
  if (strchr(url, '@') != NULL)
    return explain(why, size, "--nats: an address has no user and no password; "
                   "the hub gives these");
  if (!is_tls && !is_local(url + strlen(plain)))
    return explain(why, size, "--nats: %s is on another machine and needs "
                   "tls://", url);
  if (s->count > 0 && is_tls != s->tls)
    return explain(why, size, "--nats: either all addresses have tls:// or none");
  s->tls = is_tls;
  s->count++;
  return true;
}

static bool parse_servers(const char *text, struct servers *s, char *why,
                          size_t size)
{
  s->count = 0;
  s->tls = false;
  for (;; text++) {
    const size_t length = strcspn(text, ",");
    if (!add_server(s, text, length, why, size)) return false;
    text += length;
    if (*text == '\0') return true;
  }
}

/* The exit handler of libnats 3.4.1 frees a list that OpenSSL's handler frees, too
   (github.com/nats-io/nats.c/issues/904).  libnats brings OpenSSL along, which we
   do not load ourselves: the number is OPENSSL_INIT_NO_ATEXIT. */
static void keep_exit_safe(void)
{
  int (*init)(uint64_t, const void *) = NULL;
  void *libnats = load_late(LATE_NATS);
  if (libnats != NULL) *(void **) &init = dlsym(libnats, "OPENSSL_init_crypto");
  if (init != NULL) init(UINT64_C(0x80000), NULL);
}

bool check_nats_place(const struct nats_place *place, char *why, size_t size)
{
  struct servers servers;
  if (!parse_servers(place->urls, &servers, why, size)) return false;
  if (servers.tls) keep_exit_safe();
  return true;
}

/* By default, libnats prints failures. */
static void ignore_failure(natsConnection *connection, natsSubscription *s,
                           natsStatus status, void *state)
{
  (void) connection;
  (void) s;
  (void) status;
  (void) state;
}

static const struct nats_events no_events = { .failed = ignore_failure };

const char *nats_header(natsMsg *msg, const char *name)
{
  const char *value;
  return natsMsgHeader_Get(msg, name, &value) == NATS_OK ? value : "";
}

/* Sets the options of a connection. */
static natsStatus set_options(natsOptions *o, const struct servers *s,
                              const struct nats_place *place, const char *user,
                              const char *password,
                              const struct nats_events *events)
{
  const char *urls[MOST_SERVERS];
  for (int i = 0; i < s->count; i++) urls[i] = s->texts[i];
  natsStatus status = natsOptions_SetServers(o, urls, s->count);
  if (status == NATS_OK) status = natsOptions_SetUserInfo(o, user, password);
  if (status == NATS_OK) status = natsOptions_SetName(o, "eventring");
  if (status == NATS_OK) status = natsOptions_SetTimeout(o, CONNECT_MS);
  if (status == NATS_OK) status = natsOptions_SetWriteDeadline(o, WRITE_MS);
  if (status == NATS_OK) status = natsOptions_SetPingInterval(o, PING_MS);
  if (status == NATS_OK) status = natsOptions_SetMaxPingsOut(o, PINGS);
  if (status == NATS_OK) status = natsOptions_SetAllowReconnect(o, false);
  if (status == NATS_OK)
    status = natsOptions_SetClosedCB(o, events->closed, events->state);
  if (status == NATS_OK)
    status = natsOptions_SetErrorHandler(o, events->failed, events->state);
  if (status == NATS_OK && s->tls) status = natsOptions_SetSecure(o, true);
  if (status == NATS_OK && s->tls && place->ca != NULL)
    status = natsOptions_LoadCATrustedCertificates(o, place->ca);
  return status;
}

natsConnection *connect_nats(const struct nats_place *place, const char *user,
                             const char *password,
                             const struct nats_events *events, char *why,
                             size_t size)
{
  struct servers servers;
  natsOptions *options = NULL;
  natsConnection *connection = NULL;
  if (events == NULL) events = &no_events;
  if (!parse_servers(place->urls, &servers, why, size)) return NULL;
  natsStatus status = natsOptions_Create(&options);
  if (status == NATS_OK)
    status = set_options(options, &servers, place, user, password, events);
  if (status == NATS_OK) status = natsConnection_Connect(&connection, options);
  natsOptions_Destroy(options);
  if (status == NATS_OK) return connection;
  const char *last = nats_GetLastError(NULL);
  explain(why, size, "NATS: %s%s%s", natsStatus_GetText(status),
          last != NULL ? ": " : "", last != NULL ? last : "");
  return NULL;
}
