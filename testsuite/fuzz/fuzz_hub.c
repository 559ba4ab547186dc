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


/* Requests to a hub, with the store in a folder of TMPDIR, and addresses of
   hubs.  An input has requests, one after the other:

     METHOD PATH OFFSET LAST LENGTH\n  and LENGTH bytes

   - stands for an OFFSET or LAST that is missing.  Certificates and tokens are
   not asked for: an agent is node "n", and the join token "t" works once for each
   input. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"
#include "hub_answers.h"

#define STORE_BYTES (4 << 20)
#define WORD 300
#define AGENT_KEY "key"

static struct hub *open_hub(void)
{
  static struct hub hub;
  static bool opened, made;
  char path[1024], why[512];
  const char *folder = getenv("TMPDIR");
  if (opened) return &hub;
  snprintf(path, sizeof path, "%s/hub-XXXXXX",
           folder != NULL ? folder : "/tmp");
  CHECK(mkdtemp(path) != NULL);
  CHECK(open_hub_store(&hub.store, path, true, why, sizeof why));
  CHECK(open_hub_keys(hub.store.hub, path, &hub.keys, why, sizeof why));
  open_turns(&hub.parsed, HUB_PARSED);
  open_hub_control(&hub.control);
  hub.control.fetch_ns = hub.control.answer_ns = hub.control.idle_ns = 0;
  CHECK(register_node(&hub.store, "n", AGENT_KEY, &made) == NODE_REGISTERED);
  hub.store.max_bytes = STORE_BYTES;
  opened = true;
  return &hub;
}

/* Makes the token "t" one that works. */
static void make_token(struct hub *hub)
{
  char sum[FINGERPRINT_SIZE];
  sum_of_text("t", sum);
  int fd = openat(hub->store.tokens, sum, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
}

static void check_answer(const struct hub_request *r, struct hub_answer answer,
                         size_t length)
{
  CHECK(answer.status >= 200 && answer.status < 600);
  CHECK((answer.json == NULL) == (answer.fd >= 0));
  CHECK(answer.status != 200 || r->route != HUB_PART
        || json_integer_value(json_object_get(answer.json, "size"))
           >= (json_int_t) (r->offset + length));
  CHECK(answer.status == 200
        || json_is_string(json_object_get(answer.json, "error")));
  json_decref(answer.json);
  if (answer.fd >= 0) close(answer.fd);
}

static void request(struct hub *hub, char words[4][WORD], const char *body,
                    size_t length)
{
  struct hub_request r;
  const char *why = NULL;
  unsigned status = parse_hub_request(
    words[0], words[1], strcmp(words[2], "-") == 0 ? NULL : words[2],
    strcmp(words[3], "-") == 0 ? NULL : words[3], &r, &why);
  if (status != 0) {
    CHECK(status >= 400 && status < 500 && why != NULL);
    return;
  }
  CHECK(r.route != HUB_PART
        || (is_stream_name(r.stream) && r.number >= 1
            && r.number <= PART_MAX_NUMBER));
  CHECK(r.route != HUB_RECORDING
        || (is_stream_name(r.stream) && is_node_name(r.node)));
  if (r.route == HUB_PART || r.route == HUB_REPORT
      || r.route == HUB_REQUESTS) {
    strcpy(r.node, "n");
    strcpy(r.fingerprint, AGENT_KEY);
  }
  check_answer(&r, answer_hub_request(hub, &r, body, length), length);
}

static void parse_address(const char *text)
{
  struct hub_url url, again;
  char why[512], written[1024], pin[HUB_PIN_SIZE];
  if (!parse_hub_url(text, true, &url, why, sizeof why)) return;
  format_hub_url(&url, written, sizeof written);
  CHECK(parse_hub_url(written, true, &again, why, sizeof why));
  CHECK(strcmp(url.host, again.host) == 0 && strcmp(url.port, again.port) == 0
        && strcmp(url.token, again.token) == 0
        && strcmp(url.fingerprint, again.fingerprint) == 0);
  hub_pin(&url, pin);
  CHECK(strlen(pin) == strlen("sha256//") + 44);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct hub *hub = open_hub();
  make_token(hub);
  while (size > 0) {
    char line[5 * WORD] = "", words[4][WORD] = { "" };
    size_t length = 0;
    const uint8_t *end = memchr(data, '\n', size);
    const size_t taken = end != NULL ? (size_t) (end - data) : size;
    if (taken >= sizeof line) break;
    memcpy(line, data, taken);
    data += end != NULL ? taken + 1 : taken;
    size -= end != NULL ? taken + 1 : taken;
    parse_address(line);
    if (sscanf(line, "%299s %299s %299s %299s %5zu", words[0], words[1],
               words[2], words[3], &length) < 5 || length > size)
      continue;
    char *body = malloc(length + 1);
    if (body == NULL) break;
    memcpy(body, data, length);
    request(hub, words, body, length);
    free(body);
    data += length;
    size -= length;
  }
  CHECK(hub->store.bytes <= STORE_BYTES);
  return 0;
}
