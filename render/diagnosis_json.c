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

#include <math.h>
#include "diagnosis_json.h"
#include "diagnosis_text.h"
#include "json.h"
#include "target.h"

/* Returns a fact's value: a whole number with all its digits. */
static json_t *json_value(const struct fact *fact)
{
  if (fact->unit == FACT_TEXT) return json_text(fact->text);
  return fact->value == rint(fact->value) && fabs(fact->value) < 1e15
         ? json_integer((json_int_t) fact->value) : json_real(fact->value);
}

static json_t *json_pause(const struct finding *f)
{
  return f->pause.ns == 0 ? json_null()
    : json_pack("{s:I, s:I, s:I}", "end_ns", (json_int_t) f->pause.end_ns,
                "duration_ns", (json_int_t) f->pause.ns,
                "domain", (json_int_t) f->pause.domain);
}

static json_t *json_finding(const struct finding *f)
{
  const struct rule *rule = &rules[f->rule];
  json_t *facts = json_array();
  for (uint32_t i = 0; i < f->fact_count; i++) {
    const struct fact *fact = &f->facts[i];
    json_array_append_new(facts, json_pack(
      "{s:s, s:s, s:o}", "name", fact->name, "unit",
      fact_unit_name[fact->unit], "value", json_value(fact)));
  }
  return json_pack("{s:s, s:s, s:s, s:f, s:o, s:s, s:s, s:o, s:o}",
                   "rule", rule->name, "title", rule->title,
                   "certainty", certainty_name[f->certainty],
                   "weight", f->weight, "evidence", facts,
                   "advice", f->advice, "event", rule->event,
                   "pause", json_pause(f),
                   "request", f->request == 0 ? json_null()
                              : json_integer((json_int_t) f->request));
}

/* Returns the limits of [rule], with the measured values. */
static json_t *json_limits(const struct diagnosis *d, enum rule_id rule)
{
  json_t *limits = json_array();
  for (const struct rule_limit *l = next_limit(rule, NULL); l != NULL;
       l = next_limit(rule, l)) {
    const double measured = diagnosis_measured(d, l->id);
    json_array_append_new(limits, json_pack(
      "{s:f, s:s, s:s, s:o}", "number", l->number, "unit", l->unit, "meaning", l->meaning,
      "measured", isfinite(measured) ? json_real(measured) : json_null()));
  }
  return limits;
}

/* Returns the rules that were judged and have no finding. */
static json_t *json_passed(const struct diagnosis *d)
{
  uint32_t count, left;
  const struct finding *f = diagnosis_findings(d, &count);
  const struct not_judged *not = diagnosis_not_judged(d, &left);
  bool named[RULES] = { false };
  json_t *passed = json_array();
  for (uint32_t i = 0; i < count; i++) named[f[i].rule] = true;
  for (uint32_t i = 0; i < left; i++) named[not[i].rule] = true;
  for (uint32_t i = 0; i < RULES; i++)
    if (!named[i])
      json_array_append_new(passed, json_pack("{s:s, s:s, s:o}", "rule", rules[i].name,
                                              "title", rules[i].title, "limits",
                                              json_limits(d, i)));
  return passed;
}

json_t *json_diagnosis(struct diagnosis *d)
{
  uint32_t count, left;
  const struct finding *f = diagnosis_findings(d, &count);
  const struct not_judged *not = diagnosis_not_judged(d, &left);
  struct summary *s = diagnosis_summary(d);
  const struct summary_numbers *n = summary_numbers(s);
  char verdict[VERDICT_SIZE];
  json_t *findings = json_array(), *rest = json_array();
  for (uint32_t i = 0; i < count; i++)
    json_array_append_new(findings, json_finding(&f[i]));
  for (uint32_t i = 0; i < left; i++)
    json_array_append_new(rest, json_pack(
      "{s:s, s:s, s:s?, s:s}", "rule", rules[not[i].rule].name, "title",
      rules[not[i].rule].title, "category", not[i].category, "reason", not[i].why));
  return json_pack("{s:i, s:o, s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o}",
                   "version", JSON_VERSION,
                   "process", json_process(n->cursor),
                   "verdict", format_verdict(verdict, d),
                   "level", level_name[diagnosis_level(d)],
                   "first_ns", (json_int_t) n->first_ns,
                   "last_ns", (json_int_t) n->last_ns,
                   "watched_ns", (json_int_t) diagnosis_watched_ns(d),
                   "lost_events", (json_int_t) lost_events(n->cursor),
                   "findings", findings, "not_judged", rest,
                   "passed", json_passed(d));
}
