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

/* The address of a request to eventring serve, and the words of a filter.  An
   input is an address, up to a NUL or its end. */

#include <stdlib.h>
#include <string.h>
#include "filter_words.h"
#include "fuzz.h"
#include "query.h"
#include "routes.h"

static void parse_filter(const char text[QUERY_FILTER], bool pairs)
{
  char words[QUERY_FILTER], why[64] = "";
  struct filter *filter = new_filter();
  memcpy(words, text, sizeof words);
  if (!(pairs ? between_filter : filter_words)(filter, words, why, sizeof why))
    CHECK(memchr(why, '\0', sizeof why) != NULL);
  free_filter(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct query query;
  const char *why = NULL;
  char *uri = malloc(size + 1);
  if (uri == NULL) return 0;
  memcpy(uri, data, size);
  uri[size] = '\0';
  unsigned status = parse_query(routes, uri, &query, &why);
  CHECK(status == 200 || status == 400 || status == 404);
  CHECK(why != NULL);
  if (status == 200) {
    CHECK(query.from_ns >= 0 && query.to_ns >= query.from_ns);
    CHECK(query.other_from_ns >= 0
          && query.other_to_ns >= query.other_from_ns);
    CHECK(query.width >= 1 && query.width <= QUERY_WIDTH);
    CHECK(query.limit >= 1 && query.limit <= QUERY_LIMIT);
    CHECK(query.tier < HISTORY_TIERS);
    CHECK(memchr(query.filter, '\0', sizeof query.filter) != NULL);
    /* Only the page is public. */
    CHECK(query_is_private(uri) == (query.route->kind != ROUTE_FILE));
    CHECK(memchr(query.then, '\0', sizeof query.then) != NULL);
    CHECK(query.scope < BETWEEN_SCOPE_COUNT);
    parse_filter(query.filter, (query.route->parameters >> FIRST & 1) != 0);
    parse_filter(query.then, (query.route->parameters >> FIRST & 1) != 0);
  }
  free(uri);
  return 0;
}
