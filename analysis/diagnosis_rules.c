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

#include <stddef.h>
#include "diagnosis_rules.h"

const struct rule rules[RULES] = {
#define RULE(id, name, event, category, title, advice) \
  [RULE_##id] = { name, event, category, title, advice },
#include "caml/eventring_events.tbl"
};

/* Of no rule: limits for all. */
#define RULE_ALL RULES

static const struct rule_limit limits[] = {
#define LIMIT(id, rule, number, unit, event, meaning) \
  { LIMIT_ID_##id, RULE_##rule, number, unit, meaning },
#include "caml/eventring_events.tbl"
};

const struct rule_limit *next_limit(enum rule_id rule, const struct rule_limit *last)
{
  const struct rule_limit *end = limits + sizeof limits / sizeof *limits;
  for (const struct rule_limit *l = last == NULL ? limits : last + 1; l < end; l++)
    if (l->rule == rule) return l;
  return NULL;
}
