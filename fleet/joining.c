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

/* See joining.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "explain.h"
#include "hub_client.h"
#include "joining.h"
#include "memory.h"
#include "reply.h"
#include "small_file.h"

/* The files of the state, and the most bytes of each. */
#define HUB_FILE "hub"
#define KEY_FILE "key.pem"
#define CERTIFICATE_FILE "certificate.pem"
#define NATS_FILE "nats"
#define MOST ((size_t) 64 << 10)

#define JOIN_SECONDS 30L

static char *in_state(const char *state, const char *name)
{
  char *path;
  if (asprintf(&path, "%s/%s", state, name) < 0) out_of_memory();
  return path;
}

/* Membership */

/* Takes the text of the file `hub`.  Returns false when it is damaged. */
static bool take_hub(struct membership *m, char *text)
{
  char why[256], *node = strchr(text, '\n'), *end;
  if (node == NULL) return false;
  *node++ = '\0';
  end = strchr(node, '\n');
  if (end == NULL) return false;
  *end = '\0';
  if (!is_node_name(node)
      || !parse_hub_url(text, true, &m->hub, why, sizeof why))
    return false;
  strcpy(m->node, node);
  return true;
}

bool open_membership(const char *state, bool make, struct membership *m,
                     char *why, size_t size)
{
  *m = (struct membership) {
    .state = state, .folder = -1,
    .key_path = in_state(state, KEY_FILE),
    .certificate_path = in_state(state, CERTIFICATE_FILE),
    .spool_path = in_state(state, "spool")
  };
  /* Before there are threads. */
  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (make && !make_folders(state))
    return explain(why, size, "cannot make %s: %s", state, strerror(errno));
  m->folder = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (m->folder < 0)
    return (!make && errno == ENOENT)
           || explain(why, size, "cannot open %s: %s", state, strerror(errno));
  char *text = read_small_file(m->folder, HUB_FILE, MOST);
  if (text == NULL && errno != ENOENT)
    return explain(why, size, "cannot read %s/" HUB_FILE ": %s", state,
                   strerror(errno));
  if (text == NULL) return true;
  m->joined = take_hub(m, text);
  free(text);
  return m->joined
         || explain(why, size, "%s/" HUB_FILE " is damaged: remove it and join "
                    "again", state);
}

void close_membership(struct membership *m)
{
  if (m->folder >= 0) close(m->folder);
  free(m->key_path);
  free(m->certificate_path);
  free(m->spool_path);
}

/* Writes [text] to the file [name] of the state, durably.  Returns false with
   the reason. */
static bool write_text(const struct membership *m, const char *name,
                       const char *text, char *why, size_t size)
{
  return replace_small_file(m->folder, name, text, true)
         || explain(why, size, "cannot write %s/%s: %s", m->state, name,
                    strerror(errno));
}

static bool is_nats_secret(const char *text)
{
  return strlen(text) == NATS_SECRET_SIZE - 1
         && strspn(text, "0123456789abcdef") == NATS_SECRET_SIZE - 1;
}

bool read_nats_credentials(const struct membership *m,
                           struct nats_credentials *c, char *why, size_t size)
{
  char *text = read_small_file(m->folder, NATS_FILE, MOST), *rest = text;
  const char *password = text != NULL ? strsep(&rest, "\n") : NULL;
  const char *key = rest != NULL ? strsep(&rest, "\n") : NULL;
  const bool valid = password != NULL && key != NULL && is_nats_secret(password)
                     && is_nats_secret(key);
  if (valid) {
    memcpy(c->password, password, NATS_SECRET_SIZE);
    memcpy(c->key, key, NATS_SECRET_SIZE);
  }
  free(text);
  return valid
         || explain(why, size, "%s/" NATS_FILE " has no credentials for NATS: the "
                    "hub gives them to an agent that joins", m->state);
}

/* Keeps the credentials in the answer to a join, of hubs that give some. */
static bool write_nats(const struct membership *m, const json_t *answer,
                       char *why, size_t size)
{
  const json_t *nats = json_object_get(answer, "nats");
  const char *password = json_string_value(json_object_get(nats, "password"));
  const char *key = json_string_value(json_object_get(nats, "seal_key"));
  char *text;
  if (password == NULL || key == NULL) return true;
  if (asprintf(&text, "%s\n%s\n", password, key) < 0) out_of_memory();
  bool written = write_text(m, NATS_FILE, text, why, size);
  free(text);
  return written;
}

static bool write_hub(const struct membership *m, char *why, size_t size)
{
  char address[512], *text;
  format_hub_url(&m->hub, address, sizeof address);
  if (asprintf(&text, "%s\n%s\n", address, m->node) < 0) out_of_memory();
  bool written = write_text(m, HUB_FILE, text, why, size);
  free(text);
  return written;
}

/* Joining */

/* Returns the private key of the state, which is made if there is none; the
   caller frees it.  NULL with the reason. */
static char *own_key(const struct membership *m, char *why, size_t size)
{
  char *pem = read_small_file(m->folder, KEY_FILE, MOST);
  if (pem != NULL) return pem;
  if (errno != ENOENT) {
    explain(why, size, "cannot read %s: %s", m->key_path, strerror(errno));
    return NULL;
  }
  if (!make_key(&pem, why, size)) return NULL;
  if (write_text(m, KEY_FILE, pem, why, size)) return pem;
  free(pem);
  return NULL;
}

/* Sends [body] to the hub, and returns its answer, which the caller frees; NULL
   with the reason. */
static json_t *post_join(const struct hub_url *hub, const char *body, char *why,
                         size_t size)
{
  static struct reply reply;
  char reason[512];
  long status;
  CURL *c = hub_request(hub, "/fleet/join");
  if (c == NULL) out_of_memory();
  struct curl_slist *headers =
    curl_slist_append(NULL, "Content-Type: application/json");
  curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(c, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(c, CURLOPT_TIMEOUT, JOIN_SECONDS);
  receive_reply(c, &reply);
  CURLcode code = curl_easy_perform(c);
  json_t *answer = take_reply(c, code, &reply, 200, &status, reason,
                              sizeof reason);
  if (answer == NULL)
    explain(why, size, "cannot join hub %s:%s: %s", hub->host, hub->port,
            reason);
  curl_slist_free_all(headers);
  curl_easy_cleanup(c);
  return answer;
}

/* Sends the token and the public key of [pem] to the hub, and writes the
   certificate that the hub answers.  Returns false with the reason. */
static bool get_certificate(const struct membership *m, const char *pem,
                            const char *token, char *why, size_t size)
{
  char *public_pem;
  if (!public_key_pem(pem, &public_pem, why, size)) return false;
  json_t *request = json_pack("{s:s, s:s, s:s}", "token", token, "node",
                              m->node, "public_key", public_pem);
  char *body = request == NULL ? NULL : json_dumps(request, JSON_COMPACT);
  if (body == NULL) out_of_memory();
  json_t *answer = post_join(&m->hub, body, why, size);
  const char *certificate =
    json_string_value(json_object_get(answer, "certificate"));
  bool got = certificate != NULL
             && write_text(m, CERTIFICATE_FILE, certificate, why, size)
             && write_nats(m, answer, why, size);
  if (answer != NULL && certificate == NULL)
    explain(why, size, "hub %s:%s answers without a certificate", m->hub.host,
            m->hub.port);
  json_decref(answer);
  json_decref(request);
  free(body);
  free(public_pem);
  return got;
}

/* Sets the name of the node to [name], or if it is NULL to the name of
   this machine. */
static bool set_node(struct membership *m, const char *name, char *why,
                     size_t size)
{
  char host[256] = "";
  if (name == NULL && gethostname(host, sizeof host - 1) < 0)
    return explain(why, size, "cannot get the name of this machine: %s",
                   strerror(errno));
  if (name == NULL) name = host;
  if (!is_node_name(name))
    return explain(why, size, "'%s' is not the name of a node: 1 to 64 of A-Z, "
                   "a-z, 0-9, . _ -; give another with --node", name);
  strcpy(m->node, name);
  return true;
}

/* Takes the address of the hub that the state has joined already. */
static bool move_hub(struct membership *m, const struct hub_url *hub,
                     const char *node, char *why, size_t size)
{
  if (strcmp(hub->fingerprint, m->hub.fingerprint) != 0)
    return explain(why, size, "%s has joined another hub, %s:%s: give each hub "
                   "a --state of its own", m->state, m->hub.host,
                   m->hub.port);
  if (node != NULL && strcmp(node, m->node) != 0)
    return explain(why, size, "%s has joined as %s: give each node a --state "
                   "of its own", m->state, m->node);
  if (strcmp(hub->host, m->hub.host) == 0
      && strcmp(hub->port, m->hub.port) == 0)
    return true;
  m->hub = *hub;
  m->hub.token[0] = '\0';
  return write_hub(m, why, size);
}

bool join_hub(struct membership *m, const char *address, const char *node,
              char *why, size_t size)
{
  struct hub_url hub;
  if (!parse_hub_url(address, true, &hub, why, size)) return false;
  if (m->joined) return move_hub(m, &hub, node, why, size);
  if (hub.token[0] == '\0')
    return explain(why, size, "%s has no token: eventring hub --new-token "
                   "prints an address with one", address);
  if (!set_node(m, node, why, size)) return false;
  m->hub = hub;
  m->hub.token[0] = '\0';
  char *pem = own_key(m, why, size);
  if (pem == NULL) return false;
  m->joined = get_certificate(m, pem, hub.token, why, size)
              && write_hub(m, why, size);
  explicit_bzero(pem, strlen(pem));
  free(pem);
  return m->joined;
}
