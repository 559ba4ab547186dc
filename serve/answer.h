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


/* An answer to a request. */

#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include <jansson.h>

struct download;
struct settings;
struct query;
struct view;

/* The sources of an answer. */
struct asked {
  const struct settings *settings;
  const struct query *query;
  struct view *view;              /* of the process that is asked about, or NULL */
  const json_t *body;             /* of a POST, an object with known members only */
  const char *origin;             /* of a POST or DELETE: the client's address */
  int socket;                     /* of the client */
};

/* An answer: a JSON value, or another text, which the receiver frees, or a file, which
   it closes. */
struct answer {
  unsigned status;                /* of HTTP */
  json_t *json;
  char *text;
  const char *type;               /* of the text */
  struct download *download;
  unsigned methods;               /* with status 405: that are allowed */
};

/* Returns an error with the HTTP status [status] and a message, one line. */
__attribute__((format(printf, 2, 3)))
struct answer refusal(unsigned status, const char *format, ...);

#endif /* SERVE_ANSWER_H */
