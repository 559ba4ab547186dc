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

/* Libraries that most commands do without: each is loaded when the first of its functions
   is called.  A command that loads all of them at its start takes three times as long.

   late_curl.h and its like are included in place of the headers of the libraries, and name
   each function that is used by LATE.  A function that they do not name is not found when
   the command is linked. */

#ifndef FLEET_LATE_H
#define FLEET_LATE_H

enum late_library { LATE_CURL, LATE_GNUTLS, LATE_MICROHTTPD, LATE_NATS };

/* The function [name] of [library]: CURL, GNUTLS, MICROHTTPD or NATS. */
#define LATE(library, name)                                                 \
  (__extension__({                                                          \
    static void *late_##name;                                               \
    (__typeof__(&name)) late_function(&late_##name, LATE_##library, #name); \
  }))

/* Returns the address of the function [name] of [library], and keeps it in *[address], which
   is NULL at first.  Loads the library before, if need be; it stays loaded.  Calls
   no_library if there is no such library or function.  May be called by several threads at
   once. */
void *late_function(void **address, enum late_library library, const char *name);

/* Returns the handle of [library] for dlsym, which also finds what the library brings
   along, or NULL with the reason in dlerror.  Loads it if need be. */
void *load_late(enum late_library library);

/* Ends the program, because of [why].  Set before the function above is called; abort
   unless set. */
extern void (*no_library)(const char *why);

#endif
