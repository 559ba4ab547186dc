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

/* See reply.h. */

#include <string.h>
#include "explain.h"
#include "reply.h"

static size_t take_bytes(char *bytes, size_t one, size_t count, void *state)
{
  struct reply *r = state;
  size_t size = one * count;
  /* The request fails then. */
  if (size > sizeof r->text - r->length) return 0;
  memcpy(r->text + r->length, bytes, size);
  r->length += size;
  return size;
}

void receive_reply(CURL *curl, struct reply *reply)
{
  reply->length = 0;
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, reply);
}

json_t *take_reply(CURL *curl, CURLcode code, const struct reply *reply,
                   long also, long *status, char *why, size_t size)
{
  const char *error;
  json_t *json;
  *status = 0;
  if (code == CURLE_SSL_PINNEDPUBKEYNOTMATCH) {
    explain(why, size, "another server answers there: its key has not the "
            "fingerprint of the hub");
    return NULL;
  }
  if (code == CURLE_WRITE_ERROR) {
    explain(why, size, "an answer that is not of a hub: it is too long");
    return NULL;
  }
  if (code != CURLE_OK) {
    explain(why, size, "%s", curl_easy_strerror(code));
    return NULL;
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
  json = json_loadb(reply->text, reply->length, 0, NULL);
  if (json_is_object(json) && (*status == 200 || *status == also)) return json;
  error = json_string_value(json_object_get(json, "error"));
  if (error != NULL)
    explain(why, size, "%s", error);
  else
    explain(why, size, "an answer that is not of a hub, with status %ld",
            *status);
  json_decref(json);
  return NULL;
}
