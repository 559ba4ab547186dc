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

/* See tls.h.

     sender <== TLS ==> thread <-- socket pair --> the reader of the stream

   Readers of streams take a descriptor.  So a receiver has a thread, which copies
   both ways until one side ends. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "explain.h"
#include "hub_keys.h"
#include "late_gnutls.h"
#include "small_file.h"
#include "state_folder.h"
#include "tls.h"

/* For the connection and the handshake of a receiver. */
#define CONNECT_MS 10000

/* Between two probes of the machine of the sender, which is given up when it does
   not answer some of them. */
#define PROBE_SECONDS 15

/* The sender */

struct tls_server {
  struct hub_keys keys;
  gnutls_certificate_credentials_t credentials;
};

/* Opens the keys in the folder at [path].  Returns false with the reason. */
static bool open_keys(const char *path, struct hub_keys *keys, char *why,
                      size_t size)
{
  if (!make_folders(path))
    return explain(why, size, "cannot make %s: %s", path, strerror(errno));
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return explain(why, size, "cannot open %s: %s", path, strerror(errno));
  bool opened = open_hub_keys(folder, path, keys, why, size);
  close(folder);
  return opened;
}

struct tls_server *open_tls_server(char fingerprint[FINGERPRINT_SIZE], char *why,
                                   size_t size)
{
  struct tls_server *s = calloc(1, sizeof *s);
  char *path = state_folder("stream");
  if (s == NULL || path == NULL) {
    explain(why, size, s == NULL ? "not enough memory"
            : "no folder for the key: there is no HOME");
    free(path);
    free(s);
    return NULL;
  }
  bool opened = open_keys(path, &s->keys, why, size);
  int error = opened ? gnutls_certificate_allocate_credentials(&s->credentials)
                     : 0;
  if (opened && error == 0)
    error = gnutls_certificate_set_x509_key(s->credentials,
                                            &s->keys.certificate, 1,
                                            s->keys.key);
  free(path);
  if (error < 0)
    opened = explain(why, size, "cannot use the key: %s",
                     gnutls_strerror(error));
  if (opened) {
    memcpy(fingerprint, s->keys.fingerprint, FINGERPRINT_SIZE);
    return s;
  }
  close_tls_server(s);
  return NULL;
}

void close_tls_server(struct tls_server *s)
{
  if (s == NULL) return;
  if (s->credentials != NULL)
    gnutls_certificate_free_credentials(s->credentials);
  close_hub_keys(&s->keys);
  free(s);
}

/* Returns a session of a client or a server on the socket [fd]; NULL when there
   is no memory. */
static gnutls_session_t new_session(unsigned flags,
                                    gnutls_certificate_credentials_t credentials,
                                    int fd)
{
  gnutls_session_t session = NULL;
  if (gnutls_init(&session, flags | GNUTLS_NO_SIGNAL) < 0) return NULL;
  if (gnutls_priority_set_direct(session, TLS_PRIORITIES, NULL) < 0
      || gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials)
         < 0) {
    gnutls_deinit(session);
    return NULL;
  }
  gnutls_transport_set_int(session, fd);
  return session;
}

gnutls_session_t accept_tls(const struct tls_server *server, int fd)
{
  return new_session(GNUTLS_SERVER | GNUTLS_NONBLOCK, server->credentials, fd);
}

int shake_hands(gnutls_session_t session)
{
  int error = gnutls_handshake(session);
  return error == 0 ? 1 : gnutls_error_is_fatal(error) ? -1 : 0;
}

/* Returns [n], the result of GnuTLS, as recv and send do. */
static ssize_t result_of(ssize_t n)
{
  if (n >= 0) return n;
  errno = gnutls_error_is_fatal((int) n) ? EPROTO : EAGAIN;
  return -1;
}

ssize_t receive_tls(gnutls_session_t session, void *to, size_t size)
{
  return result_of(gnutls_record_recv(session, to, size));
}

ssize_t send_tls(gnutls_session_t session, const void *bytes, size_t size)
{
  return result_of(gnutls_record_send(session, bytes, size));
}

/* The receiver */

struct client {
  gnutls_session_t session;
  gnutls_certificate_credentials_t credentials;
  int fd;                         /* of the connection, which does not block */
  int local;                      /* to the reader */
};

static void free_client(struct client *c)
{
  if (c->session != NULL) gnutls_deinit(c->session);
  if (c->credentials != NULL)
    gnutls_certificate_free_credentials(c->credentials);
  if (c->fd >= 0) close(c->fd);
  if (c->local >= 0) close(c->local);
  free(c);
}

static int64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Waits until [fd] has one of [events], at most until the time [until]; -1 means
   for ever.  Returns false at that time. */
static bool await(int fd, short events, int64_t until)
{
  struct pollfd p = { .fd = fd, .events = events };
  for (;;) {
    int64_t left = until < 0 ? -1 : until - now_ms();
    if (until >= 0 && left <= 0) return false;
    int n = poll(&p, 1, (int) left);
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

/* Connects to the socket address [to], until the time [until].  Returns the
   socket, which does not block; -1 with errno. */
static int connect_until(const struct addrinfo *to, int64_t until)
{
  socklen_t size = sizeof(int);
  int error = 0;
  int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  if (connect(fd, to->ai_addr, to->ai_addrlen) < 0) {
    error = errno;
    if (error == EINPROGRESS && !await(fd, POLLOUT, until)) error = ETIMEDOUT;
    else if (error == EINPROGRESS)
      getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error == 0) return fd;
  close(fd);
  errno = error;
  return -1;
}

int connect_to_host(const struct hub_url *url, int64_t until, char *why,
                    size_t size)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                            .ai_flags = AI_NUMERICSERV }, *found = NULL;
  int fd = -1;
  int error = getaddrinfo(url->host, url->port, &hints, &found);
  if (error != 0) {
    explain(why, size, "%s: %s", url->host, gai_strerror(error));
    return -1;
  }
  for (const struct addrinfo *a = found; a != NULL && fd < 0; a = a->ai_next)
    fd = connect_until(a, until);
  if (fd < 0)
    explain(why, size, "cannot connect to %s:%s: %s", url->host, url->port,
            strerror(errno));
  freeaddrinfo(found);
  if (fd >= 0) {
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int) { 1 }, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int) { PROBE_SECONDS },
               sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &(int) { PROBE_SECONDS },
               sizeof(int));
  }
  return fd;
}

/* Waits until the session may go on. */
static bool await_session(const struct client *c, int64_t until)
{
  return await(c->fd, gnutls_record_get_direction(c->session) ? POLLOUT : POLLIN,
               until);
}

/* Returns whether the peer has the key with the fingerprint. */
static bool has_key(gnutls_session_t session, const char *fingerprint)
{
  char found[FINGERPRINT_SIZE] = "";
  return peer_fingerprint(session, found) && strcmp(found, fingerprint) == 0;
}

/* Sends the bytes.  Returns false when the connection has ended. */
static bool send_all(const struct client *c, const char *bytes, size_t size,
                     int64_t until)
{
  while (size > 0) {
    ssize_t n = send_tls(c->session, bytes, size);
    if (n < 0 && (errno != EAGAIN || !await_session(c, until))) return false;
    if (n < 0) continue;
    bytes += n;
    size -= (size_t) n;
  }
  return true;
}

/* Shakes hands with the sender, and gives the token to the right one.  Returns
   false with the reason. */
static bool greet(const struct client *c, const struct hub_url *url,
                  int64_t until, char *why, size_t size)
{
  int error;
  while ((error = gnutls_handshake(c->session)) < 0) {
    if (gnutls_error_is_fatal(error))
      return explain(why, size, "cannot connect to %s:%s: %s", url->host,
                     url->port, gnutls_strerror(error));
    if (!await_session(c, until))
      return explain(why, size, "cannot connect to %s:%s: %s", url->host,
                     url->port, strerror(ETIMEDOUT));
  }
  if (!has_key(c->session, url->fingerprint))
    return explain(why, size, "%s:%s has another key than the fingerprint "
                   "after @ says; copy the address as record prints it",
                   url->host, url->port);
  return send_all(c, url->token, strlen(url->token), until)
    || explain(why, size, "cannot connect to %s:%s: the connection ended",
               url->host, url->port);
}

/* Writes the bytes to the reader.  Returns false when it has ended. */
static bool give(int fd, const char *bytes, size_t size)
{
  while (size > 0) {
    ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes += n;
    size -= (size_t) n;
  }
  return true;
}

/* Copies bytes that have arrived, both ways.  Returns false when a side has
   ended. */
static bool copy(const struct client *c)
{
  char bytes[16384];
  ssize_t n = receive_tls(c->session, bytes, sizeof bytes);
  if (n == 0 || (n < 0 && errno != EAGAIN)) return false;
  if (n > 0 && !give(c->local, bytes, (size_t) n)) return false;
  n = recv(c->local, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
  return n < 0 || send_all(c, bytes, (size_t) n, -1);
}

/* The thread. */
static void *copy_all(void *state)
{
  struct client *c = state;
  do {
    struct pollfd fds[2] = { { .fd = c->fd, .events = POLLIN },
                             { .fd = c->local, .events = POLLIN } };
    if (gnutls_record_check_pending(c->session) == 0) poll(fds, 2, -1);
  } while (copy(c));
  free_client(c);
  return NULL;
}

/* Starts the thread of [c], to which [c] belongs then.  Returns the descriptor
   for the reader; -1 with errno. */
static int start_thread(struct client *c)
{
  int ends[2], error;
  sigset_t all, before;
  pthread_t thread;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return -1;
  c->local = ends[1];
  /* Signals are for the thread that reads. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  error = pthread_create(&thread, NULL, copy_all, c);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) {
    pthread_detach(thread);
    return ends[0];
  }
  close(ends[0]);
  errno = error;
  return -1;
}

int connect_tls(const struct hub_url *url, char *why, size_t size)
{
  const int64_t until = now_ms() + CONNECT_MS;
  struct client *c = calloc(1, sizeof *c);
  int fd = -1;
  if (c == NULL) return explain(why, size, "not enough memory"), -1;
  c->local = -1;
  c->fd = connect_to_host(url, until, why, size);
  if (c->fd >= 0) {
    if (gnutls_certificate_allocate_credentials(&c->credentials) == 0)
      c->session = new_session(GNUTLS_CLIENT | GNUTLS_NONBLOCK, c->credentials,
                               c->fd);
    if (c->session == NULL) explain(why, size, "not enough memory");
    else if (greet(c, url, until, why, size)) {
      fd = start_thread(c);
      if (fd < 0) explain(why, size, "%s: %s", url->host, strerror(errno));
    }
  }
  if (fd < 0) free_client(c);
  return fd;
}
