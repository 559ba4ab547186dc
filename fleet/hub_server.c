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

/* See hub_server.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "explain.h"
#include "hub_answers.h"
#include "hub_server.h"
#include "late_microhttpd.h"
#include "locks.h"
#include "nats_hub.h"
#include "nats_names.h"

#define SILENCE_SECONDS 30
#define STACK_SIZE ((size_t) 512 * 1024)
#define CONNECTION_MEMORY ((size_t) 32 * 1024)
#define BACKLOG 128
#define SECOND_NS 1000000000
/* How often old parts and tokens are looked for. */
#define CLEAN_NS (10 * (int64_t) SECOND_NS)
/* Places for connections; some are being closed while new ones begin. */
#define PLACES (HUB_CONNECTIONS + 64)

struct connection {
  int fd;
  int64_t since_ns;               /* its request began, or it connected */
};

struct hub_server {
  struct hub hub;
  struct MHD_Daemon *daemon;
  struct nats_place place;
  struct nats_hub *nats;          /* NULL: none */
  struct hub_url url;             /* without a token */
  char own_host[256];             /* its host for this process */
  int fd;                         /* that listens */
  int64_t cleaned_ns;
  _Atomic uint64_t body_bytes;    /* of all requests */
  pthread_mutex_t lock;           /* of the connections */
  struct connection *connections[PLACES];
};

/* Connections */

static void add_connection(struct hub_server *s, struct MHD_Connection *c,
                           void **context)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
  struct connection *connection = calloc(1, sizeof *connection);
  if (connection == NULL) return;
  connection->fd = info->connect_fd;
  connection->since_ns = hub_monotonic_ns();
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < PLACES; i++)
    if (s->connections[i] == NULL) {
      s->connections[i] = connection;
      break;
    }
  pthread_mutex_unlock(&s->lock);
  *context = connection;
}

static void remove_connection(struct hub_server *s,
                              struct connection *connection)
{
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < PLACES; i++)
    if (s->connections[i] == connection) s->connections[i] = NULL;
  pthread_mutex_unlock(&s->lock);
  free(connection);
}

static void notice_connection(void *state, struct MHD_Connection *c,
                              void **context,
                              enum MHD_ConnectionNotificationCode code)
{
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    add_connection(state, c, context);
  else if (*context != NULL)
    remove_connection(state, *context);
}

/* Sets when the time of a request of the connection began; INT64_MAX: it has no
   limit. */
static void set_time(struct hub_server *s, struct MHD_Connection *c,
                     int64_t since_ns)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  struct connection *connection = info != NULL ? info->socket_context : NULL;
  if (connection == NULL) return;
  pthread_mutex_lock(&s->lock);
  connection->since_ns = since_ns;
  pthread_mutex_unlock(&s->lock);
}

static void close_slow(struct hub_server *s)
{
  const int64_t now = hub_monotonic_ns();
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < PLACES; i++) {
    const struct connection *c = s->connections[i];
    if (c != NULL && now - c->since_ns > HUB_SECONDS * (int64_t) SECOND_NS)
      shutdown(c->fd, SHUT_RDWR);
  }
  pthread_mutex_unlock(&s->lock);
}

/* Requests */

struct request {
  struct hub_request head;
  size_t length, room;            /* of the body */
  char *body;
};

static void end_request(void *state, struct MHD_Connection *c, void **context,
                        enum MHD_RequestTerminationCode code)
{
  struct hub_server *s = state;
  struct request *r = *context;
  (void) code;
  if (r != NULL) {
    s->body_bytes -= r->room;
    free(r->body);
    free(r);
  }
  *context = NULL;
  set_time(s, c, hub_monotonic_ns());
}

static struct MHD_Response *file_response(const struct hub_answer *answer)
{
  struct stat st;
  char text[16];
  if (fstat(answer->fd, &st) < 0) {
    close(answer->fd);
    return NULL;
  }
  struct MHD_Response *response =
    MHD_create_response_from_fd64((uint64_t) st.st_size, answer->fd);
  if (response == NULL) {
    close(answer->fd);
    return NULL;
  }
  snprintf(text, sizeof text, "%u", answer->left_out);
  MHD_add_response_header(response, "Eventring-Parts-Left-Out", text);
  return response;
}

static struct MHD_Response *json_response(json_t *json)
{
  char *text = json_dumps(json, JSON_COMPACT);
  json_decref(json);
  if (text == NULL) return NULL;
  struct MHD_Response *response =
    MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
  if (response == NULL) free(text);
  return response;
}

static enum MHD_Result send_answer(struct hub_server *s,
                                   struct MHD_Connection *c,
                                   struct hub_answer answer)
{
  struct MHD_Response *response = answer.json != NULL
                                  ? json_response(answer.json)
                                  : file_response(&answer);
  if (response == NULL) return MHD_NO;
  if (answer.status >= 400) s->hub.refused++;
  /* A reader may take its time for a recording, but may not be silent. */
  if (answer.json == NULL) set_time(s, c, INT64_MAX);
  MHD_add_response_header(response, "Content-Type",
                          answer.json != NULL ? "application/json"
                                              : "application/octet-stream");
  MHD_add_response_header(response, "Cache-Control", "no-store");
  if (answer.status == MHD_HTTP_UNAUTHORIZED)
    MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
  enum MHD_Result result = MHD_queue_response(c, answer.status, response);
  MHD_destroy_response(response);
  return result;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
  return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static const char *parameter(struct MHD_Connection *c, const char *name)
{
  return MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
}

/* Takes memory for the body that the head of [r] announces.  Returns 0 or the
   status of a refusal, with the reason. */
static unsigned prepare_body(struct hub_server *s, struct MHD_Connection *c,
                             struct request *r, const char **why)
{
  const char *length = header(c, "Content-Length");
  const size_t max = hub_body_max(r->head.route);
  *why = "the body needs a Content-Length";
  if (header(c, "Transfer-Encoding") != NULL) return MHD_HTTP_LENGTH_REQUIRED;
  if (length == NULL) return 0;
  *why = "the body is too large";
  if (strlen(length) > 9 || strtoul(length, NULL, 10) > max)
    return MHD_HTTP_CONTENT_TOO_LARGE;
  r->room = strtoul(length, NULL, 10);
  *why = "the hub is busy";
  if (atomic_fetch_add(&s->body_bytes, r->room) + r->room > HUB_BODIES)
    return MHD_HTTP_SERVICE_UNAVAILABLE;
  if (r->room > 0 && (r->body = malloc(r->room)) == NULL)
    return MHD_HTTP_SERVICE_UNAVAILABLE;
  return 0;
}

/* Judges the head of a request.  Sets *context to it. */
static enum MHD_Result begin(struct hub_server *s, struct MHD_Connection *c,
                             const char *url, const char *method,
                             void **context)
{
  char text[256];
  const char *why = text;
  struct request *r = calloc(1, sizeof *r);
  if (r == NULL) return MHD_NO;
  *context = r;
  set_time(s, c, hub_monotonic_ns());
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  const char *number = parameter(c, "offset");
  if (number == NULL) number = parameter(c, "since");
  unsigned status = parse_hub_request(method, url, number,
                                      parameter(c, "last"), &r->head, &why);
  if (status == 0) {
    why = text;
    status = info == NULL ? MHD_HTTP_FORBIDDEN
             : authorize_hub_request(&s->hub, info->tls_session,
                                     header(c, "Authorization"), &r->head,
                                     text, sizeof text);
  }
  if (status == 0) status = prepare_body(s, c, r, &why);
  return status == 0 ? MHD_YES
                     : send_answer(s, c, hub_refusal(status, "%s", why));
}

/* Answers a request that is allowed and has arrived.  A recording may take long
   to be made, and an agent long to answer: the connection then has no limit of
   time. */
static enum MHD_Result answer(struct hub_server *s, struct MHD_Connection *c,
                              const struct request *r)
{
  const bool takes_long = hub_request_waits(r->head.route);
  if (takes_long) {
    set_time(s, c, INT64_MAX);
    MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
  }
  struct hub_answer made = answer_hub_request(
    &s->hub, &r->head, r->body != NULL ? r->body : "", r->length);
  if (takes_long) {
    set_time(s, c, hub_monotonic_ns());
    MHD_set_connection_option(c, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned) SILENCE_SECONDS);
  }
  return send_answer(s, c, made);
}

/* Takes a step of a request: its head, bytes of its body, or its end. */
static enum MHD_Result handle(void *state, struct MHD_Connection *c,
                              const char *url, const char *method,
                              const char *version, const char *body,
                              size_t *size, void **context)
{
  struct hub_server *s = state;
  struct request *r = *context;
  (void) version;
  if (r == NULL) return begin(s, c, url, method, context);
  if (*size == 0) return answer(s, c, r);
  if (*size > r->room - r->length) return MHD_NO;
  memcpy(r->body + r->length, body, *size);
  r->length += *size;
  *size = 0;
  return MHD_YES;
}

/* The server */

/* Sets the host and the port of the server's addresses: of a socket that listens
   on all addresses, the name of the machine and, for this process, the loopback
   address. */
static void name_server(struct hub_server *s)
{
  struct sockaddr_storage address;
  socklen_t length = sizeof address;
  struct hub_url *url = &s->url;
  if (getsockname(s->fd, (struct sockaddr *) &address, &length) < 0) return;
  getnameinfo((struct sockaddr *) &address, length, url->host, sizeof url->host,
              url->port, sizeof url->port, NI_NUMERICHOST | NI_NUMERICSERV);
  memcpy(s->own_host, url->host, sizeof s->own_host);
  if (strcmp(url->host, "0.0.0.0") == 0) strcpy(s->own_host, "127.0.0.1");
  else if (strcmp(url->host, "::") == 0) strcpy(s->own_host, "::1");
  else return;
  gethostname(url->host, sizeof url->host - 1);
}

bool parse_hub_listen(const char *text, struct hub_url *at)
{
  char why[512];
  return parse_hub_url(text, false, at, why, sizeof why)
    && at->token[0] == '\0' && at->fingerprint[0] == '\0';
}

/* Listens at [text], ADDRESS:PORT. */
static bool listen_at_port(struct hub_server *s, const char *text, char *why,
                           size_t size)
{
  struct hub_url at;
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                            .ai_flags = AI_NUMERICSERV | AI_PASSIVE }, *found;
  if (!parse_hub_listen(text, &at))
    return explain(why, size, "cannot listen on %.256s: not an ADDRESS:PORT",
                   text);
  int error = getaddrinfo(at.host, at.port, &hints, &found);
  if (error != 0)
    return explain(why, size, "cannot listen on %.256s: %s", text,
                   gai_strerror(error));
  s->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s->fd >= 0)
    setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &(int) { 1 }, sizeof(int));
  bool listens = s->fd >= 0 && bind(s->fd, found->ai_addr, found->ai_addrlen) == 0
                 && listen(s->fd, BACKLOG) == 0;
  error = errno;
  freeaddrinfo(found);
  if (!listens)
    return explain(why, size, "cannot listen on %.256s: %s", text,
                   strerror(error));
  name_server(s);
  return true;
}

/* Keeps the address of the hub in the store, for new tokens. */
static bool keep_address(struct hub_server *s, char *why, size_t size)
{
  char text[512];
  memcpy(s->url.fingerprint, s->hub.keys.fingerprint, FINGERPRINT_SIZE);
  format_hub_url(&s->url, text, sizeof text);
  return keep_hub_address(&s->hub.store, text, why, size);
}

static void say_nothing(void *state, const char *format, va_list arguments)
{
  (void) state;
  (void) format;
  (void) arguments;
}

static bool start_daemon(struct hub_server *s, char *why, size_t size)
{
  s->daemon = MHD_start_daemon(
    MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION
    | MHD_USE_POLL | MHD_USE_ITC | MHD_USE_TLS | MHD_USE_ERROR_LOG,
    0, NULL, NULL, handle, s,
    MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
    MHD_OPTION_LISTEN_SOCKET, s->fd,
    MHD_OPTION_HTTPS_MEM_KEY, s->hub.keys.key_pem,
    MHD_OPTION_HTTPS_MEM_CERT, s->hub.keys.certificate_pem,
    MHD_OPTION_HTTPS_MEM_TRUST, s->hub.keys.certificate_pem,
    MHD_OPTION_HTTPS_PRIORITIES, TLS_PRIORITIES,
    MHD_OPTION_CONNECTION_LIMIT, (unsigned) HUB_CONNECTIONS,
    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned) SILENCE_SECONDS,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
    MHD_OPTION_THREAD_STACK_SIZE, STACK_SIZE,
    MHD_OPTION_NOTIFY_COMPLETED, end_request, s,
    MHD_OPTION_NOTIFY_CONNECTION, notice_connection, s,
    MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
  return s->daemon != NULL
    || explain(why, size, "cannot start the server");
}

/* Begins to take messages by NATS if the user wants that. */
static bool start_nats(struct hub_server *s, const struct nats_place *place,
                       char *why, size_t size)
{
  s->place = *place;
  if (place->urls == NULL) return true;
  s->hub.nats = &s->place;
  s->nats = start_nats_hub(&s->hub, &s->place, why, size);
  return s->nats != NULL;
}

bool start_hub(const struct hub_options *options, struct hub_server **server,
               char *why, size_t size)
{
  char path[4096];
  struct hub_server *s = calloc(1, sizeof *s);
  *server = NULL;
  if (s == NULL) return explain(why, size, "not enough memory");
  s->fd = -1;
  pthread_mutex_init(&s->lock, NULL);
  open_turns(&s->hub.parsed, HUB_PARSED);
  open_hub_control(&s->hub.control);
  s->hub.say = options->say;
  s->hub.say_state = options->state;
  snprintf(path, sizeof path, "%s/hub", options->store);
  bool opened = open_hub_store(&s->hub.store, options->store, true, why, size);
  s->hub.store.max_age_ns = options->max_age_ns;
  s->hub.store.max_bytes = options->max_bytes;
  if (!opened
      || !open_hub_keys(s->hub.store.hub, path, &s->hub.keys, why, size)
      || !open_read_token(&s->hub.store, s->hub.read_token, why, size)
      || !open_nats_secret(&s->hub.store, s->hub.nats_secret, why, size)
      || !listen_at_port(s, options->listen, why, size)
      || !keep_address(s, why, size)
      || !start_daemon(s, why, size)
      || !start_nats(s, &options->nats, why, size)) {
    if (s->daemon == NULL && s->fd >= 0) close(s->fd);
    s->fd = -1;
    stop_hub(s, &(struct hub_totals) { 0 });
    return false;
  }
  *server = s;
  return true;
}

void reader_url(const struct hub_server *server, struct hub_url *url)
{
  *url = server->url;
  memcpy(url->token, server->hub.read_token, HUB_TOKEN_SIZE);
}

void own_reader_url(const struct hub_server *server, struct hub_url *url)
{
  reader_url(server, url);
  memcpy(url->host, server->own_host, sizeof url->host);
}

bool new_agent_url(struct hub_server *server, struct hub_url *url, char *why,
                   size_t size)
{
  char token[HUB_TOKEN_SIZE];
  if (!new_join_token(&server->hub.store, token, why, size)) return false;
  *url = server->url;
  memcpy(url->token, token, HUB_TOKEN_SIZE);
  return true;
}

bool new_token_of_store(const char *path, struct hub_url *url, char *why,
                        size_t size)
{
  struct hub_store store;
  char token[HUB_TOKEN_SIZE];
  bool made = open_hub_store(&store, path, false, why, size)
              && read_hub_address(&store, url, why, size)
              && new_join_token(&store, token, why, size);
  if (made) memcpy(url->token, token, HUB_TOKEN_SIZE);
  close_hub_store(&store);
  return made;
}

bool forget_node_of_store(const char *path, const char *node, char *why,
                          size_t size)
{
  struct hub_store store;
  if (!is_node_name(node))
    return explain(why, size, "'%.64s' is not the name of a node", node);
  bool forgotten = open_hub_store(&store, path, false, why, size);
  if (forgotten && !forget_node(&store, node))
    forgotten = explain(why, size, "node %s: %s", node, errno == ENOENT
                        ? "no agent has this name" : strerror(errno));
  close_hub_store(&store);
  return forgotten;
}

bool control_url_of_store(const char *path, struct hub_url *url, char *why,
                          size_t size)
{
  struct hub_store store;
  char token[HUB_TOKEN_SIZE];
  bool made = open_hub_store(&store, path, false, why, size)
              && read_hub_address(&store, url, why, size)
              && open_control_token(&store, token, why, size);
  if (made) memcpy(url->token, token, HUB_TOKEN_SIZE);
  close_hub_store(&store);
  return made;
}

struct user_visit {
  char hub[NATS_HUB_SIZE], secret[HUB_TOKEN_SIZE];
  void (*user)(void *state, const char *hub, const char *node,
               const char *password);
  void *state;
};

static void visit_nats_node(void *state, const char *node,
                            const char *fingerprint)
{
  const struct user_visit *v = state;
  struct nats_credentials c;
  derive_nats_node(v->secret, node, fingerprint, &c);
  v->user(v->state, v->hub, node, c.password);
}

bool visit_nats_users(const char *path,
                      void (*user)(void *state, const char *hub,
                                   const char *node, const char *password),
                      void *state, char *why, size_t size)
{
  struct hub_store store;
  struct hub_url url;
  struct nats_credentials c;
  struct user_visit v = { .user = user, .state = state };
  bool read = open_hub_store(&store, path, false, why, size)
              && read_hub_address(&store, &url, why, size)
              && open_nats_secret(&store, v.secret, why, size);
  if (read) {
    name_nats_hub(url.fingerprint, v.hub);
    derive_nats_hub(v.secret, &c);
    user(state, v.hub, NULL, c.password);
    visit_registered(&store, visit_nats_node, &v);
  }
  close_hub_store(&store);
  return read;
}

void tend_hub(struct hub_server *server)
{
  const int64_t now = hub_monotonic_ns();
  close_slow(server);
  if (server->cleaned_ns != 0 && now - server->cleaned_ns < CLEAN_NS) return;
  server->cleaned_ns = now;
  clean_join_tokens(&server->hub.store);
  clean_hub_store(&server->hub.store, 0);
}

void stop_hub(struct hub_server *server, struct hub_totals *totals)
{
  struct hub *hub = &server->hub;
  end_hub_control(&hub->control);
  /* Recordings that are being made are waited for, others are not made. */
  if (server->daemon != NULL) {
    end_turns(&hub->store.merges);
    MHD_stop_daemon(server->daemon);
  }
  /* No request uses NATS any more. */
  stop_nats_hub(server->nats);
  *totals = (struct hub_totals) {
    .joined = hub->joined, .parts = hub->parts, .bytes = hub->bytes,
    .refused = hub->refused, .removed_parts = hub->store.removed_parts,
    .removed_bytes = hub->store.removed_bytes };
  close_hub_keys(&hub->keys);
  close_hub_store(&hub->store);
  close_turns(&hub->parsed);
  close_hub_control(&hub->control);
  pthread_mutex_destroy(&server->lock);
  free(server);
}
