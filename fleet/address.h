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

/* Addresses of streams, as the command line has them:

     -                 standard output or input
     unix:PATH         a socket in the file system, for its owner only
     tcp:HOST:PORT     a port of this machine: HOST is a loopback address.  The
                       sender adds #TOKEN to the address that it prints, and a
                       receiver must give the token
     tls:HOST:PORT     a port, by TLS.  The sender adds #TOKEN@FINGERPRINT to the
                       address that it prints; a receiver accepts the key with
                       this fingerprint alone, and must give the token
     exec:COMMAND      the input of a shell command; for a sender only

   Errors are returned as one line of text, without "eventring: ". */

#ifndef FLEET_ADDRESS_H
#define FLEET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum address_kind {
  ADDRESS_FILE, ADDRESS_STANDARD, ADDRESS_UNIX, ADDRESS_TCP, ADDRESS_TLS,
  ADDRESS_EXEC
};

/* Returns the kind of the address [text]; ADDRESS_FILE for a text of no other
   form, and for the name of a file that exists. */
enum address_kind address_kind(const char *text);

/* The characters of a token, without the 0. */
#define TOKEN_SIZE 32

/* A socket that receivers connect to. */
struct listener {
  int fd;
  char *path;                     /* of a Unix socket, to be removed; or NULL */
  dev_t device;                   /* of the file at [path]... */
  ino_t inode;                    /* ...to know it again */
  char token[TOKEN_SIZE + 1];     /* "": none is needed */
  struct tls_server *tls;         /* NULL: connections are plain */
  char address[300];              /* that a receiver gives */
};

/* Begins to listen at [address], of kind ADDRESS_UNIX, _TCP or _TLS, and sets
   [listener], which stop_listening ends.  stop_listening removes the file of a Unix socket,
   but not a file that has taken its place.  A Unix socket gets mode 0600; the
   socket of a sender that does not live any more is replaced, any other file is
   not.  Port 0 is a free port.  Returns true; or false with the reason in [why],
   of [size] bytes. */
bool listen_at(const char *address, struct listener *listener, char *why,
               size_t size);
void stop_listening(struct listener *listener);

/* Connects to the sender at [address], of kind ADDRESS_UNIX, _TCP or _TLS, and
   gives it the token of the address.  Returns a socket, which the caller closes;
   or -1 with the reason in [why], of [size] bytes. */
int connect_to(const char *address, char *why, size_t size);

/* Returns whether [target] is the address of a stream that can be read: - or the
   address of a socket, and not the name of a file that exists. */
bool is_stream(const char *target);

#endif /* FLEET_ADDRESS_H */
