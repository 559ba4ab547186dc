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

/* See hub_client.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "explain.h"
#include "hub_client.h"

#define CONNECT_SECONDS 10L
/* A hub that sends nothing for so long is given up. */
#define SILENCE_SECONDS 60L
/* The hub is silent while it makes a recording.  The system probes whether the
   machine of the hub still answers. */
#define RECORDING_SECONDS 600L
#define PROBE_SECONDS 15L
/* The most bytes of an answer in JSON. */
#define JSON_MAX ((size_t) 256 << 20)

CURL *hub_request(const struct hub_url *url, const char *path)
{
  char address[1024], pin[HUB_PIN_SIZE];
  struct hub_url bare = *url;
  CURL *c = curl_easy_init();
  if (c == NULL) return NULL;
  bare.token[0] = bare.fingerprint[0] = '\0';
  format_hub_url(&bare, address, sizeof address - strlen(path));
  strcat(address, path);
  hub_pin(url, pin);
  curl_easy_setopt(c, CURLOPT_URL, address);
  curl_easy_setopt(c, CURLOPT_PINNEDPUBLICKEY, pin);
  /* The pin says more than names and signatures could. */
  curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(c, CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(c, CURLOPT_PROXY, "");
  curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, SILENCE_SECONDS);
  return c;
}

/* An answer while it arrives: an error or JSON in memory, a recording in a
   file. */
struct arriving {
  CURL *curl;
  int fd;                         /* -1: all in memory */
  int error;                      /* of writing to it */
  char *text;
  size_t length;
  unsigned long left_out;
  atomic_bool *stop;              /* ends it when true; NULL: nothing does */
};

static bool is_good(CURL *c)
{
  long status = 0;
  curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
  return status == 200;
}

static bool (*request_is_over)(void);

void end_hub_requests_when(bool (*is_over)(void))
{
  request_is_over = is_over;
}

/* Returns whether nobody wants the answer any more. */
static bool is_over(const struct arriving *a)
{
  return (a->stop != NULL && *a->stop)
         || (request_is_over != NULL && request_is_over());
}

static size_t take_bytes(char *bytes, size_t one, size_t count, void *state)
{
  struct arriving *a = state;
  const size_t size = one * count;
  /* libcurl takes much that has arrived before it asks. */
  if (is_over(a)) return 0;
  if (a->fd >= 0 && is_good(a->curl)) {
    for (size_t done = 0; done < size; ) {
      ssize_t n = write(a->fd, bytes + done, size - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        a->error = errno;
        return 0;
      }
      done += (size_t) n;
    }
    return size;
  }
  char *more = size < JSON_MAX - a->length
               ? realloc(a->text, a->length + size + 1) : NULL;
  if (more == NULL) return 0;
  a->text = more;
  memcpy(more + a->length, bytes, size);
  a->length += size;
  more[a->length] = '\0';
  return size;
}

static size_t take_header(char *line, size_t one, size_t count, void *state)
{
  static const char name[] = "Eventring-Parts-Left-Out: ";
  struct arriving *a = state;
  const size_t size = one * count, length = strlen(name);
  char number[16] = "";
  if (size > length && size - length < sizeof number
      && strncasecmp(line, name, length) == 0) {
    memcpy(number, line + length, size - length);
    a->left_out = strtoul(number, NULL, 10);
  }
  return size;
}

/* Ends the request when *[state] is true; libcurl calls it about once a second. */
static int is_stopped(void *state, curl_off_t download, curl_off_t downloaded,
                      curl_off_t upload, curl_off_t uploaded)
{
  atomic_bool *stop = state;
  (void) download;
  (void) downloaded;
  (void) upload;
  (void) uploaded;
  return atomic_load(stop) ? 1 : 0;
}

void end_when_stopped(CURL *c, atomic_bool *stop)
{
  if (stop == NULL) return;
  curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, is_stopped);
  curl_easy_setopt(c, CURLOPT_XFERINFODATA, stop);
}

/* Writes why the request failed, by libcurl or by the hub's answer. */
static bool explain_failure(const struct arriving *a, const struct hub_url *url,
                            CURLcode code, char *why, size_t size)
{
  json_t *json;
  const char *error;
  long status = 0;
  if (a->error != 0)
    return explain(why, size, "cannot keep the recording: %s",
                   strerror(a->error));
  if (code == CURLE_SSL_PINNEDPUBKEYNOTMATCH)
    return explain(why, size, "%s:%s is not the hub with this fingerprint",
                   url->host, url->port);
  if (code != CURLE_OK)
    return explain(why, size, "hub %s:%s: %s", url->host, url->port,
                   curl_easy_strerror(code));
  curl_easy_getinfo(a->curl, CURLINFO_RESPONSE_CODE, &status);
  json = a->text != NULL ? json_loads(a->text, 0, NULL) : NULL;
  error = json_string_value(json_object_get(json, "error"));
  explain(why, size, "hub %s:%s: %s", url->host, url->port,
          error != NULL ? error : "an answer that is not of a hub");
  json_decref(json);
  return false;
}

/* Called by libcurl while it waits; another result than 0 ends the request. */
static int look_up(void *state, curl_off_t wanted, curl_off_t got,
                   curl_off_t to_send, curl_off_t sent)
{
  (void) wanted;
  (void) got;
  (void) to_send;
  (void) sent;
  return is_over(state);
}

/* Makes the request of a reader for [path], with [body] if that is not NULL, and
   fills [a]; the caller frees its text.  Returns false with the reason. */
static bool get(const struct hub_url *url, const char *path, const char *body,
                struct arriving *a, char *why, size_t size)
{
  char authorization[128];
  CURL *c = hub_request(url, path);
  if (c == NULL) return explain(why, size, "not enough memory");
  snprintf(authorization, sizeof authorization, "Authorization: Bearer %s",
           url->token);
  struct curl_slist *headers = curl_slist_append(NULL, authorization);
  a->curl = c;
  if (body != NULL) {
    headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = curl_slist_append(headers, "Expect:");
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, body);
  }
  curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_bytes);
  curl_easy_setopt(c, CURLOPT_WRITEDATA, a);
  curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(c, CURLOPT_HEADERDATA, a);
  curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, look_up);
  curl_easy_setopt(c, CURLOPT_XFERINFODATA, a);
  if (a->fd >= 0) {
    curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, RECORDING_SECONDS);
    curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(c, CURLOPT_TCP_KEEPIDLE, PROBE_SECONDS);
    curl_easy_setopt(c, CURLOPT_TCP_KEEPINTVL, PROBE_SECONDS);
  }
  CURLcode code = curl_easy_perform(c);
  bool done = (code == CURLE_OK && is_good(c))
              || explain_failure(a, url, code, why, size);
  curl_slist_free_all(headers);
  curl_easy_cleanup(c);
  return done;
}

/* Makes a request, and returns its answer as get_from_hub does. */
static json_t *get_object(const struct hub_url *url, const char *path,
                          const char *body, char *why, size_t size)
{
  struct arriving a = { .fd = -1 };
  json_t *json = NULL;
  if (get(url, path, body, &a, why, size)) {
    json = a.text != NULL ? json_loadb(a.text, a.length, 0, NULL) : NULL;
    if (!json_is_object(json)) {
      explain(why, size, "hub %s:%s: an answer that is not of a hub",
              url->host, url->port);
      json_decref(json);
      json = NULL;
    }
  }
  free(a.text);
  return json;
}

json_t *get_from_hub(const struct hub_url *url, const char *path, char *why,
                     size_t size)
{
  return get_object(url, path, NULL, why, size);
}

json_t *post_to_hub(const struct hub_url *url, const char *path,
                    const json_t *body, char *why, size_t size)
{
  char *text = json_dumps(body, JSON_COMPACT);
  if (text == NULL) {
    explain(why, size, "not enough memory");
    return NULL;
  }
  json_t *answer = get_object(url, path, text, why, size);
  free(text);
  return answer;
}

/* Returns a new file without a name in the folder for temporary files; -1 with
   errno. */
static int open_temporary(void)
{
  char path[4096];
  const char *folder = getenv("TMPDIR");
  if (folder == NULL || folder[0] == '\0') folder = "/tmp";
  snprintf(path, sizeof path, "%s/eventring-hub-XXXXXX", folder);
  int fd = mkostemp(path, O_CLOEXEC);
  if (fd >= 0) unlink(path);
  return fd;
}

int get_file_from_hub(const struct hub_url *url, const char *path,
                      unsigned long *left_out, char *why, size_t size)
{
  return get_file_from_hub_until(url, path, left_out, NULL, why, size);
}

int get_file_from_hub_until(const struct hub_url *url, const char *path,
                            unsigned long *left_out, atomic_bool *stop,
                            char *why, size_t size)
{
  struct arriving a = { .fd = open_temporary(), .stop = stop };
  if (a.fd < 0) {
    explain(why, size, "cannot make a temporary file: %s", strerror(errno));
    return -1;
  }
  bool got = get(url, path, NULL, &a, why, size);
  *left_out = a.left_out;
  free(a.text);
  if (got) return a.fd;
  close(a.fd);
  return -1;
}
