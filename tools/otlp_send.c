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

/* See otlp_send.h. */

#include <stdio.h>
#include <string.h>
#include "explain.h"
#include "hub_client.h"
#include "late_curl.h"
#include "otlp_send.h"

#define SECONDS 10

/* Takes the answer, which is not needed. */
static size_t ignore(char *bytes, size_t one, size_t count, void *state)
{
  (void) bytes;
  (void) state;
  return one * count;
}

bool send_otlp(const char *url, const char *path, const struct message *request,
               char *why, size_t size)
{
  return send_otlp_until(url, path, request, NULL, why, size) == OTLP_ACCEPTED;
}

/* Converts a status of HTTP. */
static enum otlp_answer answer_of(long status)
{
  if (status / 100 == 2) return OTLP_ACCEPTED;
  return status == 400 || status == 413 || status == 422 ? OTLP_REFUSED
                                                         : OTLP_UNAVAILABLE;
}

enum otlp_answer send_otlp_until(const char *url, const char *path,
                                 const struct message *request,
                                 atomic_bool *stop, char *why, size_t size)
{
  char address[1024];
  long status = 0;
  CURL *c = curl_easy_init();
  struct curl_slist *headers =
    curl_slist_append(NULL, "Content-Type: application/x-protobuf");
  const size_t url_length = strlen(url);
  const bool slash = url_length > 0 && url[url_length - 1] == '/';
  int length = snprintf(address, sizeof address, "%.*s%s",
                        (int) (url_length - slash), url, path);
  CURLcode code = c == NULL || headers == NULL ? CURLE_OUT_OF_MEMORY
                  : length >= (int) sizeof address ? CURLE_URL_MALFORMAT
                  : CURLE_OK;
  if (code == CURLE_OK) {
    curl_easy_setopt(c, CURLOPT_URL, address);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT, (long) SECONDS);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, request->bytes);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
                     (curl_off_t) message_size(request));
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, ignore);
    end_when_stopped(c, stop);
    code = curl_easy_perform(c);
  }
  if (code == CURLE_OK) curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
  curl_slist_free_all(headers);
  curl_easy_cleanup(c);
  if (code != CURLE_OK) {
    explain(why, size, "cannot send to %s: %s", url, curl_easy_strerror(code));
    return OTLP_UNAVAILABLE;
  }
  if (answer_of(status) != OTLP_ACCEPTED)
    explain(why, size, "cannot send to %s: it answers with status %ld", address,
            status);
  return answer_of(status);
}
