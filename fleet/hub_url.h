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

/* The address of a hub, as agents and readers get it:

     https://HOST:PORT#TOKEN@FINGERPRINT

   TOKEN is the join token of an agent or the token of readers.  FINGERPRINT is
   the SHA-256 of the public key of the hub: the client accepts a server with
   this key and no other, whatever the names in its certificate are.  #TOKEN may
   be missing, as in an address that an agent keeps after it has joined. */

#ifndef FLEET_HUB_URL_H
#define FLEET_HUB_URL_H

#include <stdbool.h>
#include <stddef.h>

/* The characters of a SHA-256 in hexadecimal digits, with the 0. */
#define FINGERPRINT_SIZE 65

struct hub_url {
  char host[256];                 /* an address of IPv6 without brackets */
  char port[6];
  char token[65];                 /* "": none */
  char fingerprint[FINGERPRINT_SIZE];
};

/* Sets [url] from [text], which may begin without https:// and, if
   [fingerprint_needed] is false, end without @FINGERPRINT.  Returns false, with
   the reason in [why], of [size] bytes, when [text] has another form. */
bool parse_hub_url(const char *text, bool fingerprint_needed,
                   struct hub_url *url, char *why, size_t size);

/* Writes https://HOST:PORT and, unless they are empty, #TOKEN and @FINGERPRINT
   to [text], of [size] bytes. */
void format_hub_url(const struct hub_url *url, char *text, size_t size);

/* The characters of a pin, with the 0. */
#define HUB_PIN_SIZE 64

/* Writes the fingerprint of [url] to [pin], in the form in which libcurl takes a
   pinned public key: sha256// and base64. */
void hub_pin(const struct hub_url *url, char pin[HUB_PIN_SIZE]);

#endif /* FLEET_HUB_URL_H */
