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

/* See nats_names.h. */

#include <stdio.h>
#include <string.h>
#include "late_gnutls.h"
#include "nats_names.h"

#define PREFIX "eventring."

void name_nats_hub(const char *fingerprint, char hub[NATS_HUB_SIZE])
{
  memcpy(hub, fingerprint, NATS_HUB_SIZE - 1);
  hub[NATS_HUB_SIZE - 1] = '\0';
}

/* Replaces each character [from] of [text] by [to]. */
static void replace(char *text, char from, char to)
{
  for (; *text != '\0'; text++)
    if (*text == from) *text = to;
}

void name_nats_subject(const char *hub, const char *kind, const char *node,
                       const char *rest, char subject[NATS_SUBJECT_SIZE])
{
  char token[NODE_SIZE];
  snprintf(token, sizeof token, "%s", node);
  replace(token, '.', '=');
  snprintf(subject, NATS_SUBJECT_SIZE, PREFIX "%s.%s.%s%s%s", hub, kind, token,
           rest != NULL ? "." : "", rest != NULL ? rest : "");
}

bool parse_nats_node(const char *subject, char node[NODE_SIZE])
{
  /* After the prefix, the hub, and the kind. */
  const char *at = subject;
  for (int dots = 0; dots < 3; dots++) {
    at = strchr(at, '.');
    if (at == NULL) return false;
    at++;
  }
  const size_t length = strcspn(at, ".");
  if (length >= NODE_SIZE) return false;
  memcpy(node, at, length);
  node[length] = '\0';
  replace(node, '=', '.');
  return is_node_name(node);
}

void name_nats_stream(const char *hub, char stream[NATS_USER_SIZE])
{
  snprintf(stream, NATS_USER_SIZE, "EVENTRING_%s", hub);
}

void name_nats_user(const char *hub, const char *node,
                    char user[NATS_USER_SIZE])
{
  snprintf(user, NATS_USER_SIZE, "%s%s%s", hub, node != NULL ? "/" : "",
           node != NULL ? node : "");
}

/* Adds [text] and a newline, which no text has. */
static void add_line(gnutls_hmac_hd_t mac, const char *text)
{
  gnutls_hmac(mac, text, strlen(text));
  gnutls_hmac(mac, "\n", 1);
}

/* Begins an HMAC with SHA-256 and the key [key], a text. */
static gnutls_hmac_hd_t begin_mac(const char *key)
{
  gnutls_hmac_hd_t mac = NULL;
  if (gnutls_hmac_init(&mac, GNUTLS_MAC_SHA256, key, strlen(key)) < 0)
    return NULL;
  return mac;
}

/* Sets [text] to the HMAC, or to "" when there was no memory: no text matches
   that. */
static void end_mac(gnutls_hmac_hd_t mac, char text[NATS_SEAL_SIZE])
{
  static const char digits[] = "0123456789abcdef";
  unsigned char sum[32];
  text[0] = '\0';
  if (mac == NULL) return;
  gnutls_hmac_deinit(mac, sum);
  for (size_t i = 0; i < sizeof sum; i++) {
    *text++ = digits[sum[i] >> 4];
    *text++ = digits[sum[i] & 15];
  }
  *text = '\0';
}

/* Sets [text] to a secret for [use], made of the secret of a hub. */
static void derive(const char *secret, const char *use, const char *node,
                   const char *fingerprint, char text[NATS_SECRET_SIZE])
{
  gnutls_hmac_hd_t mac = begin_mac(secret);
  if (mac != NULL) {
    add_line(mac, use);
    add_line(mac, node);
    add_line(mac, fingerprint);
  }
  end_mac(mac, text);
}

void derive_nats_node(const char *secret, const char *node,
                      const char *fingerprint, struct nats_credentials *c)
{
  derive(secret, "password of a node", node, fingerprint, c->password);
  derive(secret, "seal of a node", node, fingerprint, c->key);
}

void derive_nats_hub(const char *secret, struct nats_credentials *c)
{
  derive(secret, "password of the hub", "", "", c->password);
  c->key[0] = '\0';
}

void seal_nats_message(const char *key, long status, const char *id,
                       const void *body, size_t length,
                       char seal[NATS_SEAL_SIZE])
{
  char text[16];
  gnutls_hmac_hd_t mac = begin_mac(key);
  snprintf(text, sizeof text, "%ld", status);
  if (mac != NULL) {
    add_line(mac, text);
    add_line(mac, id);
    gnutls_hmac(mac, body, length);
  }
  end_mac(mac, seal);
}
