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

/* See address.h. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "address.h"
#include "explain.h"
#include "tls.h"

#define BACKLOG 16

static bool begins(const char *text, const char *prefix)
{
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum address_kind address_kind(const char *text)
{
  struct stat st;
  if (strcmp(text, "-") == 0) return ADDRESS_STANDARD;
  if (lstat(text, &st) == 0) return ADDRESS_FILE;
  if (begins(text, "unix:")) return ADDRESS_UNIX;
  if (begins(text, "tcp:")) return ADDRESS_TCP;
  if (begins(text, "tls:")) return ADDRESS_TLS;
  if (begins(text, "exec:")) return ADDRESS_EXEC;
  return ADDRESS_FILE;
}

/* Unix sockets */

/* Sets [to] to the address of the socket in unix:PATH.  Returns false, with the
   reason, when the path is empty or too long. */
static bool unix_address(const char *address, struct sockaddr_un *to,
                         char *why, size_t size)
{
  const char *path = address + strlen("unix:");
  *to = (struct sockaddr_un) { .sun_family = AF_UNIX };
  if (*path == '\0' || strlen(path) >= sizeof to->sun_path)
    return explain(why, size, "%s: a path has 1 to %zu characters", address,
                   sizeof to->sun_path - 1);
  strcpy(to->sun_path, path);
  return true;
}

/* Removes the socket at [to], when nobody listens there any more. */
static void remove_dead(const struct sockaddr_un *to)
{
  struct stat st;
  int fd;
  if (lstat(to->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode)) return;
  /* A sender that lives but does not accept must not be waited for. */
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;
  if (connect(fd, (const struct sockaddr *) to, sizeof *to) < 0
      && errno == ECONNREFUSED)
    unlink(to->sun_path);
  close(fd);
}

static bool listen_unix(const char *address, struct listener *l, char *why,
                        size_t size)
{
  struct sockaddr_un to;
  struct stat st;
  mode_t mask;
  int bound;
  if (!unix_address(address, &to, why, size)) return false;
  remove_dead(&to);
  l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (l->fd < 0)
    return explain(why, size, "cannot listen at %s: %s", address,
                   strerror(errno));
  /* The socket never has another mode, not even for a moment. */
  mask = umask(0177);
  bound = bind(l->fd, (struct sockaddr *) &to, sizeof to);
  umask(mask);
  if (bound < 0)
    return explain(why, size, "cannot listen at %s: %s", address,
                   errno == EADDRINUSE ? "the file exists" : strerror(errno));
  l->path = strdup(to.sun_path);
  if (lstat(to.sun_path, &st) == 0) {
    l->device = st.st_dev;
    l->inode = st.st_ino;
  }
  if (listen(l->fd, BACKLOG) < 0)
    return explain(why, size, "cannot listen at %s: %s", address,
                   strerror(errno));
  snprintf(l->address, sizeof l->address, "%s", address);
  return true;
}

static int connect_unix(const char *address, char *why, size_t size)
{
  struct sockaddr_un to;
  int fd;
  if (!unix_address(address, &to, why, size)) return -1;
  fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *) &to, sizeof to) == 0)
    return fd;
  explain(why, size, "cannot connect to %s: %s", address,
          errno == ECONNREFUSED ? "nobody sends there any more"
                                : strerror(errno));
  if (fd >= 0) close(fd);
  return -1;
}

/* TCP */

/* The parts of tcp:HOST:PORT#TOKEN, or of tls:HOST:PORT. */
struct tcp {
  char host[128], port[16], token[TOKEN_SIZE + 1];
};

/* Takes [address] apart.  HOST may be in brackets.  Returns false, with the
   reason, when it has another form. */
static bool take_apart(const char *address, struct tcp *tcp, char *why,
                       size_t size)
{
  const char *host = address + strlen("tcp:");
  const char *hash = strchr(host, '#');
  const char *end = hash != NULL ? hash : host + strlen(host);
  const char *colon = memrchr(host, ':', (size_t) (end - host));
  size_t host_size, port_size;
  *tcp = (struct tcp) { .host = "" };
  if (colon == NULL)
    return explain(why, size, "%s: expected %.4sHOST:PORT", address, address);
  host_size = (size_t) (colon - host);
  port_size = (size_t) (end - colon - 1);
  if (host_size >= 2 && host[0] == '[' && colon[-1] == ']') {
    host++;
    host_size -= 2;
  }
  if (host_size == 0 || host_size >= sizeof tcp->host || port_size == 0
      || port_size >= sizeof tcp->port
      || strspn(colon + 1, "0123456789") != port_size
      || strtoul(colon + 1, NULL, 10) > UINT16_MAX)
    return explain(why, size, "%s: expected %.4sHOST:PORT, with a port from 0 "
                   "to 65535", address, address);
  memcpy(tcp->host, host, host_size);
  memcpy(tcp->port, colon + 1, port_size);
  if (hash != NULL && strlen(hash + 1) != TOKEN_SIZE)
    return explain(why, size, "%s: the token after # has %d characters; copy "
                   "the address as record prints it", address, TOKEN_SIZE);
  if (hash != NULL) memcpy(tcp->token, hash + 1, TOKEN_SIZE);
  return true;
}

static bool is_loopback(const struct sockaddr *a)
{
  if (a->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const void *) a;
    return ntohl(in->sin_addr.s_addr) >> 24 == 127;
  }
  return a->sa_family == AF_INET6
    && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *) (const void *) a)
                              ->sin6_addr);
}

/* Finds the socket address of [tcp], which must be of this machine only unless
   [address] is of kind ADDRESS_TLS.
   Returns it, which the caller frees with freeaddrinfo; or NULL with the
   reason. */
static struct addrinfo *find(const struct tcp *tcp, const char *address,
                             char *why, size_t size)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                            .ai_flags = AI_NUMERICSERV }, *found;
  int error = getaddrinfo(tcp->host, tcp->port, &hints, &found);
  if (error != 0) {
    explain(why, size, "%s: %s", address, gai_strerror(error));
    return NULL;
  }
  if (begins(address, "tls:") || is_loopback(found->ai_addr)) return found;
  freeaddrinfo(found);
  explain(why, size, "%s: not an address of this machine only: the events are "
          "not encrypted.  Use tls:, or 127.0.0.1 and a tunnel of ssh", address);
  return NULL;
}

/* Sets [token] to a random text.  Returns false, with the reason, when the
   system has no random numbers. */
static bool make_token(char token[TOKEN_SIZE + 1], char *why, size_t size)
{
  unsigned char bytes[TOKEN_SIZE / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t) sizeof bytes)
    return explain(why, size, "cannot make a token: %s", strerror(errno));
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

/* Sets the address that receivers give: of the port of [tcp] with the number
   [port]. */
static void set_address(struct listener *l, const struct tcp *tcp,
                        const char *port, const char *fingerprint)
{
  const bool v6 = strchr(tcp->host, ':') != NULL;
  snprintf(l->address, sizeof l->address, "%s:%s%s%s:%s#%s%s%s",
           l->tls != NULL ? "tls" : "tcp", v6 ? "[" : "", tcp->host,
           v6 ? "]" : "", port, l->token, l->tls != NULL ? "@" : "",
           fingerprint);
}

static bool listen_tcp(const char *address, struct listener *l, char *why,
                       size_t size)
{
  struct sockaddr_storage bound;
  socklen_t length = sizeof bound;
  char port[16] = "", fingerprint[FINGERPRINT_SIZE] = "";
  struct tcp tcp;
  struct addrinfo *at;
  if (!take_apart(address, &tcp, why, size)) return false;
  if (tcp.token[0] != '\0')
    return explain(why, size, "%s: record makes the token itself", address);
  if (begins(address, "tls:")) {
    l->tls = open_tls_server(fingerprint, why, size);
    if (l->tls == NULL) return false;
  }
  if (!make_token(l->token, why, size)) return false;
  at = find(&tcp, address, why, size);
  if (at == NULL) return false;
  l->fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (l->fd >= 0)
    setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &(int) { 1 }, sizeof(int));
  if (l->fd < 0 || bind(l->fd, at->ai_addr, at->ai_addrlen) < 0
      || listen(l->fd, BACKLOG) < 0
      || getsockname(l->fd, (struct sockaddr *) &bound, &length) < 0) {
    freeaddrinfo(at);
    return explain(why, size, "cannot listen at %s: %s", address,
                   strerror(errno));
  }
  freeaddrinfo(at);
  getnameinfo((struct sockaddr *) &bound, length, NULL, 0, port, sizeof port,
              NI_NUMERICSERV);
  set_address(l, &tcp, port, fingerprint);
  return true;
}

static int connect_tcp(const char *address, char *why, size_t size)
{
  struct tcp tcp;
  struct addrinfo *at;
  int fd;
  if (!take_apart(address, &tcp, why, size)) return -1;
  if (tcp.token[0] == '\0') {
    explain(why, size, "%s: without the token after #; copy the address as "
            "record prints it", address);
    return -1;
  }
  at = find(&tcp, address, why, size);
  if (at == NULL) return -1;
  fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, at->ai_addr, at->ai_addrlen) < 0
      || send(fd, tcp.token, TOKEN_SIZE, MSG_NOSIGNAL) != TOKEN_SIZE) {
    explain(why, size, "cannot connect to %s: %s", address, strerror(errno));
    if (fd >= 0) close(fd);
    fd = -1;
  }
  freeaddrinfo(at);
  return fd;
}

/* TLS */

static int connect_by_tls(const char *address, char *why, size_t size)
{
  struct hub_url url;
  if (parse_hub_url(address + strlen("tls:"), true, &url, why, size)
      && strlen(url.token) == TOKEN_SIZE)
    return connect_tls(&url, why, size);
  explain(why, size, "%s: expected tls:HOST:PORT#TOKEN@FINGERPRINT; copy the "
          "address as record prints it", address);
  return -1;
}

/* All */

bool listen_at(const char *address, struct listener *listener, char *why,
               size_t size)
{
  bool works;
  *listener = (struct listener) { .fd = -1 };
  works = address_kind(address) == ADDRESS_UNIX
          ? listen_unix(address, listener, why, size)
          : listen_tcp(address, listener, why, size);
  if (!works) stop_listening(listener);
  return works;
}

void stop_listening(struct listener *listener)
{
  struct stat st;
  /* Before the socket is closed: until then no other file has its inode. */
  if (listener->path != NULL && lstat(listener->path, &st) == 0
      && st.st_dev == listener->device && st.st_ino == listener->inode)
    unlink(listener->path);
  if (listener->fd >= 0) close(listener->fd);
  free(listener->path);
  close_tls_server(listener->tls);
  *listener = (struct listener) { .fd = -1 };
}

int connect_to(const char *address, char *why, size_t size)
{
  return begins(address, "tls:") ? connect_by_tls(address, why, size)
         : begins(address, "tcp:") ? connect_tcp(address, why, size)
         : connect_unix(address, why, size);
}

bool is_stream(const char *target)
{
  const enum address_kind kind = address_kind(target);
  return kind == ADDRESS_STANDARD || kind == ADDRESS_UNIX
         || kind == ADDRESS_TCP || kind == ADDRESS_TLS;
}
