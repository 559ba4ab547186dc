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

/* The address of a request: which resource it names, and its parameters. */

#ifndef SERVE_QUERY_H
#define SERVE_QUERY_H

#include <stdbool.h>
#include <stdint.h>
#include "between.h"
#include "history.h"
#include "profile.h"
#include "route.h"
#include "trace.h"

#define PROCESSES_PATH "/api/processes/"

/* The size of a filter expression, with its NUL. */
#define QUERY_FILTER 512

/* The size of the groups of a comparison, with its NUL. */
#define QUERY_GROUPS 4096

/* The most pixels of a timeline, and events of an answer. */
#define QUERY_WIDTH 8192
#define QUERY_LIMIT 10000

struct query {
  const struct route *route;
  uint32_t given;                 /* parameters: a set of 1 << enum parameter */
  bool has_process;
  uint64_t process;
  /* Since tracing started: [from_ns] 0 and [to_ns] INT64_MAX if not given. */
  int64_t from_ns, to_ns;
  uint32_t width, limit;
  bool latest;                    /* the last [limit] events, not the first */
  enum history_tier tier;
  uint32_t rule;                  /* the id of one; 0: none */
  uint64_t number;                /* of a request; 0: none */
  /* Of a comparison: the second process and its window; the first one has the
     members above. */
  bool has_other;
  uint64_t other;
  int64_t other_from_ns, other_to_ns;
  enum between_scope scope;
  enum profile_type type;
  const struct trace_format *format;
  /* Decoded; they may hold any bytes but NUL.  [filter] is also the first one
     of the two filters of pairs, and [then] the second one. */
  char filter[QUERY_FILTER], then[QUERY_FILTER];
  /* The samples of a profile: '' selects all. */
  char domain[QUERY_FILTER], thread[QUERY_FILTER]; /* see filter_add */
  char span[QUERY_FILTER], requests[QUERY_FILTER]; /* names */
  char batch[QUERY_FILTER], groups[QUERY_GROUPS];  /* see batches.c */
  bool other_machines;            /* compare runs of different machines */
};

/* Returns whether the resource at [uri], which need not exist, is one that only
   a client with the token may ask for. */
bool query_is_private(const char *uri);

/* Parses [uri], a path with its parameters as the client sent it, into
   [*query].  The path of the last of [routes] is NULL.
   Returns 200 or the HTTP status of the refusal, with the reason in
   *why, a static text.  Allocates nothing. */
unsigned parse_query(const struct route *routes, const char *uri,
                     struct query *query, const char **why);

/* The reason with which a parameter is refused that a resource does not have. */
extern const char no_such_parameter[];

/* Returns the name of [parameter]. */
const char *parameter_name(enum parameter parameter);

/* Returns the method called [name], HEAD being GET; 0 for any other. */
unsigned method_of(const char *name);

#endif /* SERVE_QUERY_H */
