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

/* See hub_keys.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "explain.h"
#include "hub_keys.h"
#include "late_gnutls.h"
#include "small_file.h"

#define DAY ((time_t) 86400)
#define HUB_DAYS (20 * 365)
#define AGENT_DAYS (10 * 365)
/* A clock may be a little wrong. */
#define BEFORE_DAYS 1

#define KEY_FILE "key.pem"
#define CERTIFICATE_FILE "certificate.pem"
/* The most bytes of a file with a key or a certificate. */
#define PEM_MAX ((size_t) 16384)

static bool failed(char *why, size_t size, const char *what, int error)
{
  explain(why, size, "%s: %s", what, gnutls_strerror(error));
  return false;
}

static void hex_of(const unsigned char *bytes, size_t count, char *text)
{
  for (size_t i = 0; i < count; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

/* Returns a copy of the text in [datum], which is freed; NULL when there is no
   text or no memory. */
static char *text_of(gnutls_datum_t *datum)
{
  if (datum->data == NULL) return NULL;
  char *text = strndup((const char *) datum->data, datum->size);
  gnutls_free(datum->data);
  return text;
}

static gnutls_datum_t datum_of(const char *text)
{
  return (gnutls_datum_t) { (unsigned char *) text, (unsigned) strlen(text) };
}

/* Keys */

bool make_key(char **pem, char *why, size_t size)
{
  gnutls_x509_privkey_t key = NULL;
  gnutls_datum_t out = { NULL, 0 };
  *pem = NULL;
  int error = gnutls_x509_privkey_init(&key);
  if (error == 0)
    error = gnutls_x509_privkey_generate(
      key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1),
      0);
  if (error == 0)
    error = gnutls_x509_privkey_export2_pkcs8(key, GNUTLS_X509_FMT_PEM, NULL,
                                              GNUTLS_PKCS_PLAIN, &out);
  if (key != NULL) gnutls_x509_privkey_deinit(key);
  if (error == 0) *pem = text_of(&out);
  return *pem != NULL
    || failed(why, size, "cannot make a key",
              error != 0 ? error : GNUTLS_E_MEMORY_ERROR);
}

bool public_key_pem(const char *pem, char **public_pem, char *why, size_t size)
{
  const gnutls_datum_t in = datum_of(pem);
  gnutls_privkey_t key = NULL;
  gnutls_pubkey_t public_key = NULL;
  gnutls_datum_t out = { NULL, 0 };
  *public_pem = NULL;
  int error = gnutls_privkey_init(&key);
  if (error == 0) error = gnutls_pubkey_init(&public_key);
  if (error == 0)
    error = gnutls_privkey_import_x509_raw(key, &in, GNUTLS_X509_FMT_PEM, NULL,
                                           0);
  if (error == 0) error = gnutls_pubkey_import_privkey(public_key, key, 0, 0);
  if (error == 0)
    error = gnutls_pubkey_export2(public_key, GNUTLS_X509_FMT_PEM, &out);
  if (public_key != NULL) gnutls_pubkey_deinit(public_key);
  if (key != NULL) gnutls_privkey_deinit(key);
  if (error == 0 && (*public_pem = text_of(&out)) == NULL)
    error = GNUTLS_E_MEMORY_ERROR;
  return error == 0 || failed(why, size, "cannot take the public key", error);
}

/* Sets the key of [keys] from [folder], where it is made if needed. */
static bool open_key(int folder, const char *path, struct hub_keys *keys,
                     char *why, size_t size)
{
  keys->key_pem = read_small_file(folder, KEY_FILE, PEM_MAX);
  if (keys->key_pem == NULL && errno != ENOENT)
    return explain(why, size, "cannot read %s/" KEY_FILE ": %s", path,
                   strerror(errno));
  if (keys->key_pem == NULL) {
    if (!make_key(&keys->key_pem, why, size)) return false;
    if (!replace_small_file(folder, KEY_FILE, keys->key_pem, true))
      return explain(why, size, "cannot write %s/" KEY_FILE ": %s", path,
                     strerror(errno));
  }
  const gnutls_datum_t in = datum_of(keys->key_pem);
  int error = gnutls_x509_privkey_init(&keys->key);
  if (error == 0)
    error = gnutls_x509_privkey_import2(keys->key, &in, GNUTLS_X509_FMT_PEM,
                                        NULL, 0);
  return error == 0
    || explain(why, size, "%s/" KEY_FILE ": %s", path, gnutls_strerror(error));
}

/* Certificates */

/* Sets the common fields of certificates: version, a random number, the [days] for
   which it is valid, and the name of its subject.  Returns an error of
   GnuTLS. */
static int begin_certificate(gnutls_x509_crt_t c, const char *name, int days)
{
  unsigned char serial[16];
  const time_t now = time(NULL);
  int error = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
  /* A number above 0, of no more than 20 bytes. */
  serial[0] = (unsigned char) ((serial[0] & 0x3F) | 0x40);
  if (error == 0) error = gnutls_x509_crt_set_version(c, 3);
  if (error == 0) error = gnutls_x509_crt_set_serial(c, serial, sizeof serial);
  if (error == 0)
    error = gnutls_x509_crt_set_activation_time(c, now - BEFORE_DAYS * DAY);
  if (error == 0)
    error = gnutls_x509_crt_set_expiration_time(c, now + days * DAY);
  if (error == 0)
    error = gnutls_x509_crt_set_dn_by_oid(c, GNUTLS_OID_X520_COMMON_NAME, 0,
                                          name, (unsigned) strlen(name));
  return error;
}

/* Sets the certificate of [keys] to a new one, signed by its own key.  Returns
   an error of GnuTLS. */
static int make_certificate(struct hub_keys *keys)
{
  gnutls_x509_crt_t c = keys->certificate;
  int error = begin_certificate(c, "eventring hub", HUB_DAYS);
  if (error == 0) error = gnutls_x509_crt_set_key(c, keys->key);
  if (error == 0) error = gnutls_x509_crt_set_ca_status(c, 1);
  if (error == 0)
    error = gnutls_x509_crt_set_key_usage(
      c, GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_CERT_SIGN);
  if (error == 0)
    error = gnutls_x509_crt_sign2(c, c, keys->key, GNUTLS_DIG_SHA256, 0);
  return error;
}

static bool open_certificate(int folder, const char *path,
                             struct hub_keys *keys, char *why, size_t size)
{
  gnutls_datum_t out = { NULL, 0 };
  int error = gnutls_x509_crt_init(&keys->certificate);
  if (error < 0) return failed(why, size, "certificate", error);
  keys->certificate_pem = read_small_file(folder, CERTIFICATE_FILE,
                                         PEM_MAX);
  if (keys->certificate_pem == NULL && errno != ENOENT)
    return explain(why, size, "cannot read %s/" CERTIFICATE_FILE ": %s", path,
                   strerror(errno));
  if (keys->certificate_pem != NULL) {
    const gnutls_datum_t in = datum_of(keys->certificate_pem);
    error = gnutls_x509_crt_import(keys->certificate, &in, GNUTLS_X509_FMT_PEM);
    return error == 0
      || explain(why, size, "%s/" CERTIFICATE_FILE ": %s", path,
                 gnutls_strerror(error));
  }
  error = make_certificate(keys);
  if (error == 0)
    error = gnutls_x509_crt_export2(keys->certificate, GNUTLS_X509_FMT_PEM,
                                    &out);
  if (error < 0) return failed(why, size, "cannot make a certificate", error);
  keys->certificate_pem = text_of(&out);
  if (keys->certificate_pem == NULL)
    return explain(why, size, "not enough memory");
  return replace_small_file(folder, CERTIFICATE_FILE, keys->certificate_pem,
                           true)
    || explain(why, size, "cannot write %s/" CERTIFICATE_FILE ": %s", path,
               strerror(errno));
}

/* Sets [fingerprint] to the SHA-256 of the public key of [c].  Returns an error
   of GnuTLS. */
static int fingerprint_of(gnutls_x509_crt_t c,
                          char fingerprint[FINGERPRINT_SIZE])
{
  unsigned char id[32];
  size_t length = sizeof id;
  int error = gnutls_x509_crt_get_key_id(c, GNUTLS_KEYID_USE_SHA256, id,
                                         &length);
  if (error == 0) hex_of(id, sizeof id, fingerprint);
  return error;
}

bool open_hub_keys(int folder, const char *path, struct hub_keys *keys,
                   char *why, size_t size)
{
  *keys = (struct hub_keys) { .key = NULL };
  if (!open_key(folder, path, keys, why, size)
      || !open_certificate(folder, path, keys, why, size))
    return false;
  int error = fingerprint_of(keys->certificate, keys->fingerprint);
  return error == 0 || failed(why, size, "cannot take the fingerprint", error);
}

void close_hub_keys(struct hub_keys *keys)
{
  if (keys->key != NULL) gnutls_x509_privkey_deinit(keys->key);
  if (keys->certificate != NULL) gnutls_x509_crt_deinit(keys->certificate);
  free(keys->key_pem);
  free(keys->certificate_pem);
  *keys = (struct hub_keys) { .key = NULL };
}

/* Agents */

/* Sets the public key of [c] from [pem].  Returns an error of GnuTLS. */
static int take_public_key(gnutls_x509_crt_t c, const char *pem)
{
  const gnutls_datum_t in = datum_of(pem);
  gnutls_pubkey_t key = NULL;
  unsigned bits = 0;
  int error = gnutls_pubkey_init(&key);
  if (error == 0) error = gnutls_pubkey_import(key, &in, GNUTLS_X509_FMT_PEM);
  if (error == 0) {
    const int kind = gnutls_pubkey_get_pk_algorithm(key, &bits);
    if (kind < 0
        || gnutls_pk_bits_to_sec_param((gnutls_pk_algorithm_t) kind, bits)
           < GNUTLS_SEC_PARAM_MEDIUM)
      error = GNUTLS_E_INSUFFICIENT_SECURITY;
  }
  if (error == 0) error = gnutls_x509_crt_set_pubkey(c, key);
  if (key != NULL) gnutls_pubkey_deinit(key);
  return error;
}

bool sign_agent(const struct hub_keys *keys, const char *node,
                const char *public_pem, char **certificate_pem,
                char fingerprint[FINGERPRINT_SIZE], char *why, size_t size)
{
  gnutls_x509_crt_t c = NULL;
  gnutls_datum_t out = { NULL, 0 };
  *certificate_pem = NULL;
  int error = gnutls_x509_crt_init(&c);
  if (error == 0) error = begin_certificate(c, node, AGENT_DAYS);
  if (error == 0) error = take_public_key(c, public_pem);
  if (error == 0) error = gnutls_x509_crt_set_ca_status(c, 0);
  if (error == 0)
    error = gnutls_x509_crt_set_key_usage(c, GNUTLS_KEY_DIGITAL_SIGNATURE);
  if (error == 0)
    error = gnutls_x509_crt_set_key_purpose_oid(c, GNUTLS_KP_TLS_WWW_CLIENT, 0);
  if (error == 0)
    error = gnutls_x509_crt_sign2(c, keys->certificate, keys->key,
                                  GNUTLS_DIG_SHA256, 0);
  if (error == 0) error = fingerprint_of(c, fingerprint);
  if (error == 0)
    error = gnutls_x509_crt_export2(c, GNUTLS_X509_FMT_PEM, &out);
  if (c != NULL) gnutls_x509_crt_deinit(c);
  if (error == 0 && (*certificate_pem = text_of(&out)) == NULL)
    error = GNUTLS_E_MEMORY_ERROR;
  return error == 0 || failed(why, size, "public_key", error);
}

/* Takes the name and the fingerprint out of certificate [der].  Returns an error
   of GnuTLS. */
static int read_agent(const gnutls_datum_t *der, char node[NODE_SIZE],
                      char fingerprint[FINGERPRINT_SIZE])
{
  gnutls_x509_crt_t c = NULL;
  size_t length = NODE_SIZE;
  int error = gnutls_x509_crt_init(&c);
  if (error == 0) error = gnutls_x509_crt_import(c, der, GNUTLS_X509_FMT_DER);
  if (error == 0)
    error = gnutls_x509_crt_get_dn_by_oid(c, GNUTLS_OID_X520_COMMON_NAME, 0, 0,
                                          node, &length);
  if (error == 0) error = fingerprint_of(c, fingerprint);
  if (c != NULL) gnutls_x509_crt_deinit(c);
  return error;
}

bool peer_fingerprint(gnutls_session_t session,
                      char fingerprint[FINGERPRINT_SIZE])
{
  unsigned count = 0;
  gnutls_x509_crt_t c = NULL;
  const gnutls_datum_t *list = gnutls_certificate_get_peers(session, &count);
  int error = list == NULL || count == 0 ? GNUTLS_E_NO_CERTIFICATE_FOUND
              : gnutls_x509_crt_init(&c);
  if (error == 0)
    error = gnutls_x509_crt_import(c, &list[0], GNUTLS_X509_FMT_DER);
  if (error == 0) error = fingerprint_of(c, fingerprint);
  if (c != NULL) gnutls_x509_crt_deinit(c);
  return error == 0;
}

bool check_agent(gnutls_session_t session, char node[NODE_SIZE],
                 char fingerprint[FINGERPRINT_SIZE], char *why, size_t size)
{
  unsigned count = 0, status = 0;
  const gnutls_datum_t *list = gnutls_certificate_get_peers(session, &count);
  if (list == NULL || count == 0)
    return explain(why, size, "needs the certificate of an agent");
  if (gnutls_certificate_verify_peers2(session, &status) < 0)
    return explain(why, size, "the certificate is not of this hub");
  /* The hub signs no certificate for a later time: its clock was set back. */
  if (status == (GNUTLS_CERT_INVALID | GNUTLS_CERT_NOT_ACTIVATED)) status = 0;
  if ((status & ~(unsigned) (GNUTLS_CERT_INVALID | GNUTLS_CERT_EXPIRED)) != 0)
    return explain(why, size, "the certificate is not of this hub");
  if (status != 0) return explain(why, size, "the certificate has expired");
  if (read_agent(&list[0], node, fingerprint) < 0 || !is_node_name(node))
    return explain(why, size, "the certificate names no node");
  return true;
}

/* Tokens and names */

bool make_hub_token(char token[HUB_TOKEN_SIZE])
{
  unsigned char bytes[(HUB_TOKEN_SIZE - 1) / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes) return false;
  hex_of(bytes, sizeof bytes, token);
  return true;
}

void sum_of_text(const char *text, char sum[FINGERPRINT_SIZE])
{
  unsigned char hash[32] = { 0 };
  gnutls_hash_fast(GNUTLS_DIG_SHA256, text, strlen(text), hash);
  hex_of(hash, sizeof hash, sum);
}

bool same_secret(const char *a, const char *b)
{
  char sum_a[FINGERPRINT_SIZE], sum_b[FINGERPRINT_SIZE];
  sum_of_text(a, sum_a);
  sum_of_text(b, sum_b);
  return gnutls_memcmp(sum_a, sum_b, sizeof sum_a) == 0;
}

bool is_node_name(const char *name)
{
  static const char allowed[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const size_t length = strlen(name);
  return length >= 1 && length < NODE_SIZE && name[0] != '.'
         && strspn(name, allowed) == length;
}
