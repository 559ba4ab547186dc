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

/* Keys, certificates and tokens of a hub and its agents, by GnuTLS.

   A hub has one key.  With it, the hub signs its own certificate, which it shows
   to clients, and the certificates of agents, by which the hub knows them again.
   Clients know the hub by the fingerprint of its public key. */

#ifndef FLEET_HUB_KEYS_H
#define FLEET_HUB_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include "hub_url.h"
#include "late_gnutls.h"

/* The characters of the name of a node, with the 0. */
#define NODE_SIZE 65

/* The versions of TLS, for GnuTLS. */
#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

struct hub_keys {
  gnutls_x509_privkey_t key;
  gnutls_x509_crt_t certificate;
  char *key_pem, *certificate_pem;
  char fingerprint[FINGERPRINT_SIZE];
};

/* Reads the files key.pem and certificate.pem of [folder], a file descriptor;
   makes the missing ones, readable by the user only.  [path] names the
   folder in messages.  Returns false, with the reason, when that fails; the
   caller calls close_hub_keys in any case. */
bool open_hub_keys(int folder, const char *path, struct hub_keys *keys,
                   char *why, size_t size);
void close_hub_keys(struct hub_keys *keys);

/* Makes a private key on the curve P-256, and sets *pem to it, which the caller
   frees.  Returns false with the reason. */
bool make_key(char **pem, char *why, size_t size);

/* Sets *public_pem to the public key of the private key [pem]; the caller frees
   it.  Returns false with the reason. */
bool public_key_pem(const char *pem, char **public_pem, char *why,
                    size_t size);

/* Signs a certificate for the agent of [node] with the public key
   [public_pem].  Sets *certificate_pem, which the caller frees, and
   [fingerprint] to the SHA-256 of the public key.  Returns false with the
   reason: a key that is none, or weaker than 112 bits of security. */
bool sign_agent(const struct hub_keys *keys, const char *node,
                const char *public_pem, char **certificate_pem,
                char fingerprint[FINGERPRINT_SIZE], char *why, size_t size);

/* Sets [fingerprint] to the SHA-256 of the public key of the peer of [session],
   which is not checked further.  Returns false when it has shown none. */
bool peer_fingerprint(gnutls_session_t session,
                      char fingerprint[FINGERPRINT_SIZE]);

/* Checks the certificate of the client of [session]: the hub has signed it, and
   it has not expired.  Sets [node] to the name in it, and [fingerprint] to the
   SHA-256 of its public key.  Returns false with the reason. */
bool check_agent(gnutls_session_t session, char node[NODE_SIZE],
                 char fingerprint[FINGERPRINT_SIZE], char *why, size_t size);

/* The characters of a token, 128 random bits, with the 0. */
#define HUB_TOKEN_SIZE 33

/* Sets [token] to a random one.  Returns false when the system has no random
   numbers. */
bool make_hub_token(char token[HUB_TOKEN_SIZE]);

/* Sets [sum] to the SHA-256 of [text]. */
void sum_of_text(const char *text, char sum[FINGERPRINT_SIZE]);

/* Returns whether [a] and [b] are the same text.  How long that takes does not
   depend on where they differ. */
bool same_secret(const char *a, const char *b);

/* Returns whether [name] may be the name of a node: 1 to 64 letters, digits or
   characters of "._-", of which the first is not a dot. */
bool is_node_name(const char *name);

#endif /* FLEET_HUB_KEYS_H */
