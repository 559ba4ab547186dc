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

/* See hub_url.h. */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "explain.h"
#include "hub_url.h"

#define HEX "0123456789abcdef"
#define SCHEME "https://"

/* Copies [length] characters of [text] to [to], of [size] bytes, and a 0.
   Returns false when there is no room. */
static bool take(char *to, size_t size, const char *text, size_t length)
{
  if (length >= size) return false;
  memcpy(to, text, length);
  to[length] = '\0';
  return true;
}

/* Sets the host and the port of [url] from [text], HOST:PORT of [length]
   characters; HOST may be in brackets. */
static bool take_host(struct hub_url *url, const char *text, size_t length)
{
  const char *colon = memrchr(text, ':', length);
  if (colon == NULL) return false;
  size_t host = (size_t) (colon - text), port = length - host - 1;
  if (!take(url->port, sizeof url->port, colon + 1, port) || port == 0
      || strspn(url->port, "0123456789") != port
      || strtoul(url->port, NULL, 10) > UINT16_MAX)
    return false;
  if (host >= 2 && text[0] == '[' && colon[-1] == ']') {
    text++;
    host -= 2;
  }
  if (host == 0 || !take(url->host, sizeof url->host, text, host)) return false;
  return url->host[strcspn(url->host, "/[]@?#% \t\r\n\\\"'")] == '\0';
}

bool parse_hub_url(const char *text, bool fingerprint_needed,
                   struct hub_url *url, char *why, size_t size)
{
  *url = (struct hub_url) { .host = "" };
  if (strncmp(text, SCHEME, strlen(SCHEME)) == 0) text += strlen(SCHEME);
  const size_t host = strcspn(text, "#@/");
  const char *rest = text + host;
  if (*rest == '/') rest++;
  if (*rest == '#') {
    size_t length = strcspn(++rest, "@");
    if (!take(url->token, sizeof url->token, rest, length)
        || strspn(url->token, HEX) != length)
      return explain(why, size, "%.256s: the token after # is not one of a hub;"
                     " copy the line that the hub prints", text);
    rest += length;
  }
  if (!take_host(url, text, host))
    return explain(why, size, "%.256s: expected https://HOST:PORT"
                   "#TOKEN@FINGERPRINT, as the hub prints it", text);
  if (*rest == '\0' && !fingerprint_needed) return true;
  if (*rest != '@' || strlen(rest + 1) != FINGERPRINT_SIZE - 1
      || strspn(rest + 1, HEX) != FINGERPRINT_SIZE - 1)
    return explain(why, size, "%.256s: without the fingerprint of the hub, @ "
                   "and %d hexadecimal digits; copy the line that the hub "
                   "prints", text, FINGERPRINT_SIZE - 1);
  memcpy(url->fingerprint, rest + 1, FINGERPRINT_SIZE);
  return true;
}

void format_hub_url(const struct hub_url *url, char *text, size_t size)
{
  const bool v6 = strchr(url->host, ':') != NULL;
  snprintf(text, size, SCHEME "%s%s%s:%s%s%s%s%s", v6 ? "[" : "", url->host,
           v6 ? "]" : "", url->port, url->token[0] != '\0' ? "#" : "",
           url->token, url->fingerprint[0] != '\0' ? "@" : "",
           url->fingerprint);
}

static unsigned digit(char c)
{
  return (unsigned) (strchr(HEX, c) - HEX);
}

void hub_pin(const struct hub_url *url, char pin[HUB_PIN_SIZE])
{
  static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint8_t bytes[33] = { 0 };
  char *to = stpcpy(pin, "sha256//");
  for (int i = 0; i < 32; i++)
    bytes[i] = (uint8_t) (digit(url->fingerprint[2 * i]) << 4
                          | digit(url->fingerprint[2 * i + 1]));
  for (int i = 0; i < 33; i += 3) {
    const uint32_t word = (uint32_t) bytes[i] << 16
                          | (uint32_t) bytes[i + 1] << 8 | bytes[i + 2];
    for (int shift = 18; shift >= 0; shift -= 6)
      *to++ = letters[word >> shift & 63];
  }
  /* 32 bytes are 43 characters and a filler. */
  to[-1] = '=';
  *to = '\0';
}
