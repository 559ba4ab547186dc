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

/* The rules of diagnosis.h, from the table of events. */

#ifndef ANALYSIS_DIAGNOSIS_RULES_H
#define ANALYSIS_DIAGNOSIS_RULES_H

enum rule_id {
#define RULE(id, name, event, category, title, advice) RULE_##id,
#include "caml/eventring_events.tbl"
  RULES
};

enum limit_id {
#define LIMIT(id, rule, number, unit, event, meaning) LIMIT_ID_##id,
#include "caml/eventring_events.tbl"
  LIMITS
};

struct rule {
  const char *name;
  const char *event;              /* see doc/EVENTS.md; "" for none */
  const char *category;           /* that it needs; "" for none */
  const char *title;              /* the fault */
  const char *advice;
};
extern const struct rule rules[RULES];

/* Returns the limit of [rule] that comes after [last], the first after NULL; NULL: it has
   no more. */
struct rule_limit {
  enum limit_id id;
  enum rule_id rule;
  double number;
  const char *unit, *meaning;
};
const struct rule_limit *next_limit(enum rule_id rule, const struct rule_limit *last);

#endif /* ANALYSIS_DIAGNOSIS_RULES_H */
