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

/* See broadcast.h.  A chunk is kept once, however many queues it is in.

     SHAKING --TLS--> NEW --token--> KNOWN --place, or PLACE_NS without one--> JOINED */

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "broadcast.h"
#include "tls.h"

/* How long a receiver may take to give the token. */
#define TOKEN_NS (5 * INT64_C(1000000000))

/* How long a receiver is waited for that sends no place, such as nc. */
#define PLACE_NS (INT64_C(100000000))

struct packet {
  unsigned users;                 /* queues that have it, and its maker */
  size_t size;
  char bytes[];
};

struct link {
  struct link *next;
  struct packet *packet;
};

enum stage { EMPTY, SHAKING, NEW, KNOWN, JOINED };

/* The most bytes of a place are read at first: its size is among them. */
#define PLACE_BEGINNING 24

struct receiver {
  enum stage stage;
  int fd;
  gnutls_session_t tls;           /* NULL: plain */
  char token[TOKEN_SIZE];
  size_t token_have;
  int64_t since_ns;               /* when it connected; KNOWN: gave the token */
  char *place;                    /* that it has sent, or NULL */
  size_t place_have, place_size;
  struct link *first, **end;      /* the queue */
  size_t sent;                    /* bytes of the first packet */
  size_t queued;                  /* bytes of all packets */
};

struct broadcast {
  const struct listener *listener;
  struct receiver receivers[MAX_RECEIVERS];
  struct broadcast_totals totals;
};

static int64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

struct broadcast *new_broadcast(const struct listener *listener)
{
  struct broadcast *b = calloc(1, sizeof *b);
  if (b != NULL) b->listener = listener;
  return b;
}

/* Queues */

static void release(struct packet *p)
{
  if (--p->users == 0) free(p);
}

/* Returns a packet with a copy of the [size] bytes, which the caller releases;
   NULL when there is no memory. */
static struct packet *new_packet(const void *bytes, size_t size)
{
  struct packet *p = malloc(sizeof *p + size);
  if (p == NULL) return NULL;
  p->users = 1;
  p->size = size;
  memcpy(p->bytes, bytes, size);
  return p;
}

/* Adds [packet] to the end of the queue.  Returns false when there is no
   memory. */
static bool enqueue(struct receiver *r, struct packet *packet)
{
  struct link *link = malloc(sizeof *link);
  if (link == NULL) return false;
  *link = (struct link) { NULL, packet };
  packet->users++;
  *r->end = link;
  r->end = &link->next;
  r->queued += packet->size;
  return true;
}

static void dequeue(struct receiver *r)
{
  struct link *link = r->first;
  r->queued -= link->packet->size;
  r->first = link->next;
  if (r->first == NULL) r->end = &r->first;
  r->sent = 0;
  release(link->packet);
  free(link);
}

/* Closes the connection and forgets the receiver. */
static void drop(struct receiver *r)
{
  while (r->stage != EMPTY && r->first != NULL) dequeue(r);
  if (r->stage != EMPTY) {
    if (r->tls != NULL) gnutls_deinit(r->tls);
    close(r->fd);
    free(r->place);
  }
  r->stage = EMPTY;
}

void free_broadcast(struct broadcast *b)
{
  if (b == NULL) return;
  for (int i = 0; i < MAX_RECEIVERS; i++) drop(&b->receivers[i]);
  free(b);
}

int broadcast_write(void *state, int kind, const void *bytes, size_t size)
{
  struct broadcast *b = state;
  struct packet *packet;
  /* Its offsets are only right for a receiver from the beginning. */
  if (kind == EVENTRING_CHUNK_INDEX) return 0;
  packet = new_packet(bytes, size);
  if (packet == NULL) {
    errno = ENOMEM;
    return -1;
  }
  for (int i = 0; i < MAX_RECEIVERS; i++) {
    struct receiver *r = &b->receivers[i];
    if (r->stage != JOINED) continue;
    if (kind == EVENTRING_CHUNK_EVENTS && r->queued + size > MAX_QUEUE_BYTES)
      b->totals.left_out++;
    else if (!enqueue(r, packet))
      drop(r);
  }
  release(packet);
  return 0;
}

/* Receivers */

/* Adds a chunk to the queue of the receiver [state]: the [write] of
   eventring_record_rejoin. */
static int write_joined(void *state, int kind, const void *bytes, size_t size)
{
  struct receiver *r = state;
  struct packet *packet;
  bool works;
  if (kind == EVENTRING_CHUNK_EVENTS && r->queued + size > MAX_QUEUE_BYTES)
    return 0;
  packet = new_packet(bytes, size);
  works = packet != NULL && enqueue(r, packet);
  if (packet != NULL) release(packet);
  if (!works) errno = ENOMEM;
  return works ? 0 : -1;
}

/* Returns whether another process of this user, or of root, is at the other end
   of the Unix socket [fd]; true for other sockets. */
static bool is_own(int fd)
{
  struct ucred peer;
  socklen_t size = sizeof peer;
  struct sockaddr address = { .sa_family = AF_UNSPEC };
  socklen_t length = sizeof address;
  if (getsockname(fd, &address, &length) < 0) return false;
  if (address.sa_family != AF_UNIX) return true;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
         && (peer.uid == geteuid() || peer.uid == 0);
}

/* Accepts new connections, as many as there is room for; the others wait. */
static void accept_new(struct broadcast *b)
{
  const int listener = b->listener->fd;
  for (int i = 0; i < MAX_RECEIVERS; i++) {
    struct receiver *r = &b->receivers[i];
    struct sockaddr_storage from;
    socklen_t size = sizeof from;
    int fd;
    if (r->stage != EMPTY) continue;
    fd = accept4(listener, (struct sockaddr *) &from, &size,
                 SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    if (!is_own(fd)) {
      close(fd);
      continue;
    }
    *r = (struct receiver) { .stage = NEW, .fd = fd, .since_ns = now_ns() };
    r->end = &r->first;
    if (b->listener->tls == NULL) continue;
    r->stage = SHAKING;
    r->tls = accept_tls(b->listener->tls, fd);
    if (r->tls == NULL) drop(r);
  }
}

/* Goes on with the handshake of TLS.  Returns true when it is over; drops the
   receiver when it fails or takes too long. */
static bool has_shaken(struct receiver *r)
{
  int done = shake_hands(r->tls);
  if (done == 0 && now_ns() - r->since_ns <= TOKEN_NS) return false;
  if (done <= 0) drop(r);
  return done > 0;
}

static ssize_t receive(struct receiver *r, void *to, size_t size)
{
  return r->tls != NULL ? receive_tls(r->tls, to, size)
                        : recv(r->fd, to, size, 0);
}

/* Returns whether the [TOKEN_SIZE] bytes are equal, in a time that does not
   depend on them. */
static bool same_token(const char *a, const char *b)
{
  unsigned char difference = 0;
  for (size_t i = 0; i < TOKEN_SIZE; i++)
    difference |= (unsigned char) (a[i] ^ b[i]);
  return difference == 0;
}

/* Reads the token of a new receiver.  Returns true when it was right or none is
   needed; drops the receiver when it was wrong or takes too long. */
static bool has_token(const struct broadcast *b, struct receiver *r)
{
  ssize_t n;
  if (b->listener->token[0] == '\0') return true;
  n = receive(r, r->token + r->token_have, TOKEN_SIZE - r->token_have);
  if (n > 0) r->token_have += (size_t) n;
  if (r->token_have == TOKEN_SIZE) {
    if (same_token(r->token, b->listener->token)) return true;
    drop(r);
  } else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)
             || now_ns() - r->since_ns > TOKEN_NS) {
    drop(r);
  }
  return false;
}

/* Reads bytes of the place of a known receiver, up to number [size].  Returns true
   when they are there; false when they have not arrived, or, with *over true,
   when the receiver sends no more. */
static bool read_place(struct receiver *r, size_t size, bool *over)
{
  ssize_t n;
  char *more;
  /* Of a call before, for more bytes: the buffer must not shrink. */
  if (r->place_have >= size) return true;
  more = realloc(r->place, size);
  if (more == NULL) return *over = true, false;
  r->place = more;
  n = receive(r, r->place + r->place_have, size - r->place_have);
  if (n > 0) r->place_have += (size_t) n;
  *over = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  return r->place_have == size;
}

/* Returns whether the known receiver has sent its place, or sends none: in time,
   or at all.  Then the first r->place_size bytes at r->place are the place. */
static bool has_place(struct receiver *r)
{
  bool over = false;
  if (read_place(r, PLACE_BEGINNING, &over)) {
    int64_t size = eventring_place_size(r->place, PLACE_BEGINNING);
    if (size < PLACE_BEGINNING) return true;
    if (read_place(r, (size_t) size, &over)) {
      r->place_size = (size_t) size;
      return true;
    }
  }
  /* A receiver that sends other bytes than a place is not waited for. */
  return over || now_ns() - r->since_ns > PLACE_NS
         || eventring_place_size(r->place, r->place_have) < 0;
}

/* Sends as much of the queue as the socket takes. */
static void send_queue(struct receiver *r)
{
  while (r->first != NULL) {
    const struct packet *p = r->first->packet;
    const char *rest = p->bytes + r->sent;
    ssize_t n = r->tls != NULL ? send_tls(r->tls, rest, p->size - r->sent)
                : send(r->fd, rest, p->size - r->sent,
                       MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      if (errno != EAGAIN) drop(r);
      return;
    }
    r->sent += (size_t) n;
    if (r->sent == p->size) dequeue(r);
  }
}

void broadcast_send(struct broadcast *b, struct eventring_recorder *recorder)
{
  accept_new(b);
  for (int i = 0; i < MAX_RECEIVERS; i++) {
    struct receiver *r = &b->receivers[i];
    if (r->stage == SHAKING && has_shaken(r)) r->stage = NEW;
    if (r->stage == NEW && has_token(b, r)) {
      r->stage = KNOWN;
      r->since_ns = now_ns();
    }
    if (r->stage == KNOWN && has_place(r)) {
      if (eventring_record_rejoin(recorder, r->place, r->place_size,
                                  write_joined, r) < 0) {
        drop(r);
        continue;
      }
      r->stage = JOINED;
      b->totals.receivers++;
    }
    if (r->stage == JOINED) send_queue(r);
  }
}

void broadcast_end(struct broadcast *b, int ms)
{
  const int64_t until = now_ns() + ms * INT64_C(1000000);
  struct pollfd fds[MAX_RECEIVERS];
  for (;;) {
    nfds_t count = 0;
    int64_t left = until - now_ns();
    for (int i = 0; i < MAX_RECEIVERS; i++) {
      struct receiver *r = &b->receivers[i];
      if (r->stage == JOINED) send_queue(r);
      if (r->stage == JOINED && r->first != NULL)
        fds[count++] = (struct pollfd) { .fd = r->fd, .events = POLLOUT };
    }
    if (count == 0 || left <= 0) break;
    poll(fds, count, (int) (left / 1000000) + 1);
  }
  for (int i = 0; i < MAX_RECEIVERS; i++) drop(&b->receivers[i]);
}

struct broadcast_totals broadcast_totals(const struct broadcast *b)
{
  return b->totals;
}
