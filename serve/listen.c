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

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "listen.h"
#include "parse.h"

#define BACKLOG 64

/* The size of the buffer of a connection in the kernel, which a client that
   does not read keeps full. */
#define SEND_BUFFER (64 * 1024)

/* Unix sockets */

/* Removes the socket at [address] if no process listens on it any more.
   Returns false, with the reason in [why], when there is another file or a
   server. */
static bool remove_stale(const struct sockaddr_un *address, char *why,
                         size_t why_size)
{
  struct stat st;
  if (lstat(address->sun_path, &st) < 0) return true;
  bool stale = false;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (S_ISSOCK(st.st_mode) && fd >= 0)
    stale = connect(fd, (const struct sockaddr *) address,
                    sizeof *address) < 0 && errno == ECONNREFUSED;
  if (fd >= 0) close(fd);
  if (stale && unlink(address->sun_path) == 0) return true;
  snprintf(why, why_size, "cannot listen on unix:%s: %s", address->sun_path,
           strerror(S_ISSOCK(st.st_mode) ? EADDRINUSE : EEXIST));
  return false;
}

static bool listen_unix(const char *path, struct listener *listener, char *why,
                        size_t why_size)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  if (*path == '\0' || strlen(path) >= sizeof address.sun_path) {
    snprintf(why, why_size, "cannot listen on unix:%s: the path must have from 1 to "
             "%zu bytes", path, sizeof address.sun_path - 1);
    return false;
  }
  strcpy(address.sun_path, path);
  if (!remove_stale(&address, why, why_size)) return false;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  /* No other user connects, not even before a chmod. */
  mode_t mask = umask(0177);
  bool bound = fd >= 0 && bind(fd, (struct sockaddr *) &address,
                               sizeof address) == 0;
  umask(mask);
  if (!bound || listen(fd, BACKLOG) < 0) {
    snprintf(why, why_size, "cannot listen on unix:%s: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
    return false;
  }
  *listener = (struct listener) { .fd = fd, .local = true,
                                  .path = strdup(path) };
  return true;
}

/* Addresses */

union address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

/* Parses [text], ADDRESS:PORT, into [*address], and returns the length of the
   address; 0 when it is none. */
static socklen_t parse_address(const char *text, union address *address)
{
  char host[INET6_ADDRSTRLEN + 1];
  const char *colon = strrchr(text, ':');
  if (colon == NULL || !is_number(colon + 1) || strlen(colon + 1) > 5)
    return 0;
  unsigned long port = strtoul(colon + 1, NULL, 10);
  size_t length = (size_t) (colon - text);
  bool v6 = length > 2 && text[0] == '[' && text[length - 1] == ']';
  if (v6) {
    text++;
    length -= 2;
  }
  if (port > 65535 || length >= sizeof host) return 0;
  memcpy(host, text, length);
  host[length] = '\0';
  memset(address, 0, sizeof *address);
  if (v6) {
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons((uint16_t) port);
    return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1
           ? sizeof address->v6 : 0;
  }
  address->v4.sin_family = AF_INET;
  address->v4.sin_port = htons((uint16_t) port);
  return inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1"
                   : host, &address->v4.sin_addr) == 1
         ? sizeof address->v4 : 0;
}

static bool is_loopback(const union address *address)
{
  if (address->any.sa_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
  return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
}

/* Sets the host and the port of [listener] from its socket, which may have got
   a free port. */
static void name_listener(struct listener *listener)
{
  union address address;
  socklen_t length = sizeof address;
  char host[INET6_ADDRSTRLEN];
  getsockname(listener->fd, &address.any, &length);
  bool v6 = address.any.sa_family == AF_INET6;
  inet_ntop(address.any.sa_family,
            v6 ? (void *) &address.v6.sin6_addr
               : (void *) &address.v4.sin_addr, host, sizeof host);
  snprintf(listener->host, sizeof listener->host, v6 ? "[%s]" : "%s", host);
  listener->port = ntohs(v6 ? address.v6.sin6_port : address.v4.sin_port);
}

static bool listen_address(const char *text, bool tls, struct listener *listener,
                           char *why, size_t why_size)
{
  union address address;
  const int on = 1;
  socklen_t length = parse_address(text, &address);
  if (length == 0) {
    snprintf(why, why_size, "cannot listen on %s: not an ADDRESS:PORT or unix:PATH",
             text);
    return false;
  }
  bool local = is_loopback(&address);
  if (!local && !tls) {
    snprintf(why, why_size, "cannot listen on %s: others could read along; it needs "
             "--tls-cert and --tls-key", text);
    return false;
  }
  int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  /* Connections of a server that has just ended do not keep the port. */
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0
      || bind(fd, &address.any, length) < 0 || listen(fd, BACKLOG) < 0) {
    snprintf(why, why_size, "cannot listen on %s: %s", text, strerror(errno));
    if (fd >= 0) close(fd);
    return false;
  }
  *listener = (struct listener) { .fd = fd, .local = local };
  name_listener(listener);
  return true;
}

bool open_listener(const char *address, bool tls, struct listener *listener,
                   char *why, size_t why_size)
{
  const int size = SEND_BUFFER;
  bool listens = strncmp(address, "unix:", 5) == 0
                 ? listen_unix(address + 5, listener, why, why_size)
                 : listen_address(address, tls, listener, why, why_size);
  /* Connections inherit it. */
  if (listens)
    setsockopt(listener->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  return listens;
}

void remove_listener(struct listener *listener)
{
  if (listener->path == NULL) return;
  unlink(listener->path);
  free(listener->path);
  listener->path = NULL;
}
