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

/* The settings of the server, from the command line. */

#ifndef SERVE_SETTINGS_H
#define SERVE_SETTINGS_H

#include <stdbool.h>
#include "hub_url.h"

#define TOKEN_SIZE 129            /* bytes, with the NUL */

struct settings {
  const char *listen;             /* ADDRESS:PORT or unix:PATH */
  bool read_only;
  const char *store;              /* the folder of saved recordings */
  const struct hub_url *hub;      /* or NULL */
  char *certificate, *key;        /* in PEM, or NULL: no TLS */
  char token[TOKEN_SIZE];
};

#endif /* SERVE_SETTINGS_H */
