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

/* libmicrohttpd serves each connection with a thread of its own, so that an
   answer that takes long, or a stream, keeps nobody else waiting.

   A request is judged in this order: the Host (a page of another site that
   rebinds its name to this address is refused), the method, the token, the
   resource and its parameters; of a POST also the Origin and the length.  All
   of that happens before a byte of a body is taken.

   libmicrohttpd closes connections that are silent.  Those that send a byte now
   and then are closed by reap_connections, when a request has not arrived, or
   its answer was not taken, in time.  All requests of a connection without the
   token have the time of one together. */

#include <arpa/inet.h>
#include <inttypes.h>
#include <limits.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "download.h"
#include "gzip.h"
#include "http.h"
#include "late_microhttpd.h"
#include "listen.h"
#include "live_json.h"
#include "locks.h"
#include "memory.h"
#include "query.h"
#include "registry.h"
#include "routes.h"
#include "saved.h"
#include "stream.h"
#include "target.h"

/* Silence after which a connection is closed. */
#define SILENCE_SECONDS 30
#define STREAM_BLOCK (32 * 1024)
/* Answers with fewer bytes are not compressed: they take one packet. */
#define LEAST_COMPRESSED 1400
#define STACK_SIZE (1024 * 1024)

/* The files of the page, see build-aux/page.S. */
extern const char page_html[], page_html_end[], page_script[],
  page_script_end[], page_style[], page_style_end[], page_icon[],
  page_icon_end[];

static const struct settings *settings;
static struct listener listener;
static struct MHD_Daemon *server;

/* Connections */

enum doing { ASKING, ANSWERING, DOWNLOADING, STREAMING };
struct connection {
  int fd;
  bool trusted;                   /* it has shown the token */
  enum doing doing;
  int64_t since_ns;               /* it does so, or was accepted */
};

/* Guards the list, and descriptors in it from being closed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection *connections[HTTP_CONNECTIONS + 16] GUARDED_BY(lock);
#define PLACES (sizeof connections / sizeof *connections)

static struct connection *new_connection(struct MHD_Connection *c)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
  struct connection *connection = allocate(1, sizeof *connection);
  connection->fd = info->connect_fd;
  connection->since_ns = monotonic_ns();
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < PLACES; i++)
    if (connections[i] == NULL) {
      connections[i] = connection;
      break;
    }
  pthread_mutex_unlock(&lock);
  return connection;
}

static void end_connection(struct connection *connection)
{
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < PLACES; i++)
    if (connections[i] == connection) connections[i] = NULL;
  pthread_mutex_unlock(&lock);
  free(connection);
}

static void notice_connection(void *state, struct MHD_Connection *c,
                              void **context,
                              enum MHD_ConnectionNotificationCode code)
{
  (void) state;
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    *context = new_connection(c);
  else if (*context != NULL)
    end_connection(*context);
}

static struct connection *connection_of(struct MHD_Connection *c)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info != NULL ? info->socket_context : NULL;
}

/* Begins a time for [doing], if the client has the token; the time of all other
   clients began when they connected. */
static void set_doing(struct MHD_Connection *c, enum doing doing)
{
  struct connection *connection = connection_of(c);
  if (connection == NULL || !connection->trusted) return;
  pthread_mutex_lock(&lock);
  connection->doing = doing;
  connection->since_ns = monotonic_ns();
  pthread_mutex_unlock(&lock);
}

void reap_connections(void)
{
  static const int64_t seconds[] = {
    [ASKING] = HTTP_REQUEST_SECONDS, [ANSWERING] = HTTP_ANSWER_SECONDS,
    [DOWNLOADING] = HTTP_DOWNLOAD_SECONDS,
    [STREAMING] = INT64_MAX / SECOND_NS
  };
  const int64_t now = monotonic_ns();
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < PLACES; i++) {
    struct connection *c = connections[i];
    if (c != NULL && now - c->since_ns > seconds[c->doing] * SECOND_NS)
      shutdown(c->fd, SHUT_RDWR);
  }
  pthread_mutex_unlock(&lock);
}

/* Requests */

struct request {
  bool is_private;
  unsigned status;                /* the result of parse_query */
  const char *why;
  struct query query;
  const char *uri_end;            /* the byte behind the address */
  bool begun;                     /* its head was judged */
  size_t length;                  /* of [body] */
  char *body;                     /* of a POST */
};

/* Begins a request: the one place where its address is as it was sent. */
static void *begin_request(void *state, const char *uri,
                           struct MHD_Connection *c)
{
  struct request *request = allocate(1, sizeof *request);
  (void) state;
  (void) c;
  request->is_private = query_is_private(uri);
  request->status = parse_query(routes, uri, &request->query, &request->why);
  request->uri_end = uri + strlen(uri);
  return request;
}

/* Returns whether the address of [request] was sent with a byte 0 in it, where
   it ends for us.  The [version] follows the address in the same buffer of
   libmicrohttpd, after one byte. */
static bool has_zero(const struct request *request, const char *version)
{
  const uintptr_t end = (uintptr_t) request->uri_end,
    next = (uintptr_t) version;
  return next > end + 1 && next - end < STREAM_BLOCK;
}

static void end_request(void *state, struct MHD_Connection *c, void **request,
                        enum MHD_RequestTerminationCode code)
{
  (void) state;
  (void) code;
  struct request *r = *request;
  if (r != NULL) free(r->body);
  free(r);
  *request = NULL;
  set_doing(c, ASKING);
}

/* Answers */

static void add_headers(struct MHD_Response *response, const char *type,
                        bool data)
{
  const struct { const char *name, *value; } headers[] = {
    { "Content-Type", type },
    { "Content-Security-Policy",
      "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
      "form-action 'none'" },
    { "X-Content-Type-Options", "nosniff" },
    { "Referrer-Policy", "no-referrer" },
    { "Cross-Origin-Resource-Policy", "same-origin" },
    { "Cache-Control", data ? "no-store" : "no-cache" }
  };
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
    MHD_add_response_header(response, headers[i].name, headers[i].value);
}

static enum MHD_Result send_response(struct MHD_Connection *c, unsigned status,
                                     struct MHD_Response *response)
{
  set_doing(c, ANSWERING);
  enum MHD_Result result = MHD_queue_response(c, status, response);
  MHD_destroy_response(response);
  return result;
}

/* Returns a response with [size] bytes, compressed if the client can take that.
   [mode] says whether the bytes are freed.  NULL if there is no memory. */
static struct MHD_Response *new_response(struct MHD_Connection *c, char *bytes,
                                         size_t size,
                                         enum MHD_ResponseMemoryMode mode)
{
  size_t length = size;
  char *packed = NULL;
  if (size >= LEAST_COMPRESSED
      && accepts_gzip(MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                                  "Accept-Encoding")))
    packed = gzip(bytes, size, &length);
  struct MHD_Response *response = packed != NULL
    ? MHD_create_response_from_buffer(length, packed, MHD_RESPMEM_MUST_FREE)
    : MHD_create_response_from_buffer(size, bytes, mode);
  if (mode == MHD_RESPMEM_MUST_FREE && (packed != NULL || response == NULL))
    free(bytes);
  if (response == NULL) {
    free(packed);
    return NULL;
  }
  MHD_add_response_header(response, "Vary", "Accept-Encoding");
  if (packed != NULL)
    MHD_add_response_header(response, "Content-Encoding", "gzip");
  return response;
}

/* Writes the names of the set [methods] to [text]. */
static void name_methods(unsigned methods, char text[32])
{
  snprintf(text, 32, "%s%s%s", (methods & METHOD_GET) != 0 ? ", GET, HEAD" : "",
           (methods & METHOD_POST) != 0 ? ", POST" : "",
           (methods & METHOD_DELETE) != 0 ? ", DELETE" : "");
  memmove(text, text + 2, strlen(text + 2) + 1);
}

static ssize_t read_file_for_client(void *download, uint64_t at, char *buffer,
                                    size_t max)
{
  const ssize_t n = read_download(download, at, buffer, max);
  return n > 0 ? n : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void close_file_for_client(void *download)
{
  close_download(download);
}

/* Sends the file of [download], which is closed. */
static enum MHD_Result send_download(struct MHD_Connection *c,
                                     struct download *download)
{
  char disposition[NAME_MAX + 32];
  struct MHD_Response *response = MHD_create_response_from_callback(
    download_size(download), STREAM_BLOCK, read_file_for_client, download,
    close_file_for_client);
  if (response == NULL) {
    close_download(download);
    return MHD_NO;
  }
  add_headers(response, download_type(download), true);
  snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"",
           download_name(download));
  MHD_add_response_header(response, "Content-Disposition", disposition);
  if (download_complete_from(download) > 0) {
    char complete[32];
    snprintf(complete, sizeof complete, "%" PRId64, download_complete_from(download));
    MHD_add_response_header(response, "Eventring-Complete-From", complete);
  }
  enum MHD_Result result = send_response(c, MHD_HTTP_OK, response);
  set_doing(c, DOWNLOADING);
  return result;
}

/* Sends [answer], which is freed, with the headers that its status needs. */
static enum MHD_Result send_answer(struct MHD_Connection *c,
                                   struct answer answer)
{
  if (answer.download != NULL) return send_download(c, answer.download);
  char *text = answer.json != NULL ? json_line(answer.json) : answer.text;
  char methods[32];
  struct MHD_Response *response = new_response(c, text, strlen(text),
                                               MHD_RESPMEM_MUST_FREE);
  if (response == NULL) return MHD_NO;
  add_headers(response, answer.json != NULL ? "application/json" : answer.type,
              true);
  if (answer.status == MHD_HTTP_UNAUTHORIZED)
    MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
  if (answer.status == MHD_HTTP_METHOD_NOT_ALLOWED) {
    name_methods(answer.methods, methods);
    MHD_add_response_header(response, "Allow", methods);
  }
  return send_response(c, answer.status, response);
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status,
                              const char *why)
{
  return send_answer(c, refusal(status, "%s", why));
}

/* Sends the file of the page at [path], the path of a ROUTE_FILE. */
static enum MHD_Result send_file(struct MHD_Connection *c, const char *path)
{
  static const struct { const char *path, *begin, *end, *type; } files[] = {
    { "/monitor.js", page_script, page_script_end,
      "text/javascript; charset=utf-8" },
    { "/monitor.css", page_style, page_style_end, "text/css; charset=utf-8" },
    { "/monitor.svg", page_icon, page_icon_end, "image/svg+xml" },
    { "/index.html", page_html, page_html_end, "text/html; charset=utf-8" }
  };
  const size_t last = sizeof files / sizeof *files - 1;   /* also "/" */
  size_t i = 0;
  while (i < last && strcmp(path, files[i].path) != 0) i++;
  struct MHD_Response *response = new_response(
    c, (char *) files[i].begin,
    (size_t) (files[i].end - files[i].begin),
    MHD_RESPMEM_PERSISTENT);
  if (response == NULL) return MHD_NO;
  add_headers(response, files[i].type, false);
  return send_response(c, MHD_HTTP_OK, response);
}

static ssize_t read_for_client(void *stream, uint64_t at, char *buffer,
                               size_t max)
{
  (void) at;
  return read_stream(stream, buffer, max);
}

static void close_for_client(void *stream)
{
  close_stream(stream);
}

static enum MHD_Result send_stream(struct MHD_Connection *c,
                                   const struct query *query)
{
  char why[256] = "";
  if (query->has_process) {
    struct view *view = find_any_view(settings, query->process, why,
                                      sizeof why);
    if (view == NULL) return refuse(c, MHD_HTTP_NOT_FOUND, why);
    drop_view(view);
  }
  struct stream *stream = open_stream(query->has_process, query->process);
  if (stream == NULL)
    return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many streams");
  struct MHD_Response *response = MHD_create_response_from_callback(
    MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_for_client, stream, close_for_client);
  if (response == NULL) {
    close_stream(stream);
    return MHD_NO;
  }
  add_headers(response, "text/event-stream", true);
  enum MHD_Result result = send_response(c, MHD_HTTP_OK, response);
  set_doing(c, STREAMING);
  return result;
}

/* Access */

/* Returns whether the first bytes of [a], up to the end of [b], are equal to
   those of [b], and no more follow; takes a time that does not depend on where
   they differ. */
static bool equal_secret(const char *a, const char *b)
{
  size_t given = strlen(a), wanted = strlen(b);
  unsigned char different = given != wanted;
  for (size_t i = 0; i < wanted; i++)
    different |= (unsigned char) (b[i] ^ (i < given ? a[i] : 0));
  return different == 0;
}

/* Returns whether the request has the token, which makes the connection
   trusted. */
static bool has_token(struct MHD_Connection *c)
{
  static const char bearer[] = "Bearer ";
  const char *given = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                                  "Authorization");
  bool good = given != NULL && strncmp(given, bearer, sizeof bearer - 1) == 0
              && equal_secret(given + sizeof bearer - 1, settings->token);
  struct connection *connection = connection_of(c);
  if (good && connection != NULL) connection->trusted = true;
  return good;
}

/* Copies [host], perhaps with a port, without the port to [name]. */
static bool host_name(const char *host, char *name, size_t size)
{
  const char *end = host[0] == '[' ? strchr(host, ']') : NULL;
  size_t length = end != NULL ? (size_t) (end + 1 - host)
                              : strcspn(host, ":");
  if (length >= size || length == 0
      || (host[length] != '\0' && host[length] != ':'))
    return false;
  memcpy(name, host, length);
  name[length] = '\0';
  return true;
}

/* Returns whether [name] is an address in numbers, which no foreign name server
   can point to us. */
static bool is_numeric(char *name)
{
  unsigned char bytes[16];
  size_t length = strlen(name);
  if (inet_pton(AF_INET, name, bytes) == 1) return true;
  if (name[0] != '[' || name[length - 1] != ']') return false;
  name[length - 1] = '\0';
  return inet_pton(AF_INET6, name + 1, bytes) == 1;
}

/* Returns whether the Host of the request is a name of this server: an address,
   localhost, or the name of the machine.  A client of a Unix socket may call it
   anything. */
static bool is_our_host(struct MHD_Connection *c)
{
  char name[256], ours[256] = "";
  if (listener.path != NULL) return true;
  const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
  if (host == NULL || !host_name(host, name, sizeof name)) return false;
  gethostname(ours, sizeof ours - 1);
  return strcasecmp(name, "localhost") == 0
         || (!listener.local && strcasecmp(name, ours) == 0)
         || is_numeric(name);
}

/* Returns whether the request comes from our page, or from no page. */
static bool is_our_origin(struct MHD_Connection *c)
{
  char ours[300];
  const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
  const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                                   "Origin");
  if (origin == NULL) return true;
  if (host == NULL) return false;
  snprintf(ours, sizeof ours, "%s://%s",
           settings->certificate != NULL ? "https" : "http", host);
  return strcmp(origin, ours) == 0;
}

/* Returns whether the body that the request announces is too long. */
static bool is_too_long(struct MHD_Connection *c)
{
  const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                                   "Content-Length");
  return length != NULL && (strlen(length) > 9
                            || strtoul(length, NULL, 10) > HTTP_BODY);
}

/* Returns whether the request announces a body. */
static bool announces_body(struct MHD_Connection *c)
{
  const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                                   "Content-Length");
  return (length != NULL && strcmp(length, "0") != 0)
         || MHD_lookup_connection_value(c, MHD_HEADER_KIND,
                                        "Transfer-Encoding") != NULL;
}

/* Judges the head of [request].  Returns 0 if it may be answered, else the
   status of the refusal, with the reason in *why and the methods that are allowed
   in *methods. */
static unsigned judge(struct MHD_Connection *c, const struct request *request,
                      const char *method, const char *version,
                      const char **why, unsigned *methods)
{
  const unsigned asked = method_of(method);
  *methods = request->status == MHD_HTTP_OK ? methods_of(request->query.route)
             : METHOD_GET | METHOD_POST | METHOD_DELETE;
  *why = "this server does not have that name";
  if (!is_our_host(c)) return MHD_HTTP_FORBIDDEN;
  *why = "a page of another site asks";
  if (!is_our_origin(c)) return MHD_HTTP_FORBIDDEN;
  *why = "only GET, HEAD, POST and DELETE";
  if (asked == 0) return MHD_HTTP_METHOD_NOT_ALLOWED;
  *why = "the token is missing or wrong: Authorization: Bearer TOKEN";
  if (request->is_private && !has_token(c)) return MHD_HTTP_UNAUTHORIZED;
  *why = "the address has a byte 0";
  if (has_zero(request, version)) return MHD_HTTP_BAD_REQUEST;
  *why = request->why;
  if (request->status != MHD_HTTP_OK) return request->status;
  *why = asked == METHOD_GET ? "it is an action: POST"
                             : "it can only be read: GET";
  if ((asked & *methods) == 0) return MHD_HTTP_METHOD_NOT_ALLOWED;
  *why = "only a POST has a body";
  if (asked != METHOD_POST && announces_body(c)) return MHD_HTTP_BAD_REQUEST;
  *why = "the body is longer than 64 KiB";
  if (is_too_long(c)) return MHD_HTTP_CONTENT_TOO_LARGE;
  *why = "the server was started with --read-only";
  if (asked != METHOD_GET && request->query.route->changes
      && settings->read_only)
    return MHD_HTTP_FORBIDDEN;
  return 0;
}

/* Writes the address of the client to [text]. */
static void client_address(struct MHD_Connection *c, char *text, size_t size)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  snprintf(text, size, "unix");
  if (info == NULL || info->client_addr == NULL) return;
  const struct sockaddr *address = info->client_addr;
  if (address->sa_family != AF_UNIX)
    getnameinfo(address, address->sa_family == AF_INET6
                         ? sizeof(struct sockaddr_in6)
                         : sizeof(struct sockaddr_in),
                text, (socklen_t) size, NULL, 0, NI_NUMERICHOST);
}

/* Appends [size] bytes to the body.  Returns false when it becomes too long,
   which its head did not say. */
static bool take_body(struct request *request, const char *bytes, size_t size)
{
  if (request->body == NULL) request->body = allocate(HTTP_BODY + 1, 1);
  if (size > HTTP_BODY - request->length) return false;
  memcpy(request->body + request->length, bytes, size);
  request->length += size;
  return true;
}

/* Answers [request], which was judged and is complete. */
static enum MHD_Result answer(struct MHD_Connection *c,
                              struct request *request, enum method method)
{
  char origin[128];
  const struct query *query = &request->query;
  if (query->route->kind == ROUTE_FILE) return send_file(c, query->route->path);
  if (query->route->kind == ROUTE_STREAM) return send_stream(c, query);
  set_doing(c, ANSWERING);
  client_address(c, origin, sizeof origin);
  const struct asked asked = {
    .settings = settings, .query = query, .origin = origin,
    .socket = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd
  };
  return send_answer(c, answer_of_route(asked, method,
                                        request->body != NULL ? request->body
                                                              : ""));
}

/* Takes a step of a request: its head, a part of its body, or its end. */
static enum MHD_Result handle(void *state, struct MHD_Connection *c,
                              const char *url, const char *method,
                              const char *version, const char *body,
                              size_t *size, void **request)
{
  struct request *r = *request;
  const char *why;
  (void) state;
  (void) url;
  if (!r->begun) {
    r->begun = true;
    unsigned methods, status = judge(c, r, method, version, &why, &methods);
    if (status == 0) return MHD_YES;
    struct answer answer = refusal(status, "%s", why);
    answer.methods = methods;
    return send_answer(c, answer);
  }
  if (*size == 0) return answer(c, r, (enum method) method_of(method));
  if (!take_body(r, body, *size)) return MHD_NO;
  *size = 0;
  return MHD_YES;
}

/* The server */

static void say_nothing(void *state, const char *format, va_list arguments)
{
  (void) state;
  (void) format;
  (void) arguments;
}

static struct MHD_Daemon *start_server(void)
{
  struct MHD_OptionItem tls[] = {
    { MHD_OPTION_HTTPS_MEM_CERT, 0, settings->certificate },
    { MHD_OPTION_HTTPS_MEM_KEY, 0, settings->key },
    { MHD_OPTION_END, 0, NULL }
  };
  bool encrypted = settings->certificate != NULL;
  if (!encrypted) tls[0].option = MHD_OPTION_END;
  unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD
                   | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL
                   | MHD_USE_ITC | MHD_USE_ERROR_LOG
                   | (encrypted ? MHD_USE_TLS : 0);
  return MHD_start_daemon(
    flags, 0, NULL, NULL, handle, NULL,
    MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
    MHD_OPTION_LISTEN_SOCKET, listener.fd,
    MHD_OPTION_CONNECTION_LIMIT, (unsigned) HTTP_CONNECTIONS,
    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned) SILENCE_SECONDS,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) STREAM_BLOCK,
    MHD_OPTION_THREAD_STACK_SIZE, (size_t) STACK_SIZE,
    MHD_OPTION_URI_LOG_CALLBACK, begin_request, NULL,
    MHD_OPTION_NOTIFY_COMPLETED, end_request, NULL,
    MHD_OPTION_NOTIFY_CONNECTION, notice_connection, NULL,
    MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
    MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

bool start_http(const struct settings *with, char *url, size_t size, char *why,
                size_t why_size)
{
  settings = with;
  bool encrypted = with->certificate != NULL;
  if (!open_listener(with->listen, encrypted, &listener, why, why_size)) return false;
  server = start_server();
  if (server == NULL) {
    snprintf(why, why_size, "cannot start the server%s", encrypted
             ? ": the certificate or the key cannot be used" : "");
    remove_listener(&listener);
    close(listener.fd);
    return false;
  }
  if (listener.path != NULL)
    snprintf(url, size, "unix:%s token=%s", listener.path, with->token);
  else
    snprintf(url, size, "%s://%s:%u/#token=%s", encrypted ? "https" : "http",
             listener.host, listener.port, with->token);
  return true;
}

void stop_http(void)
{
  end_streams();
  MHD_stop_daemon(server);
  remove_listener(&listener);
}
