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

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "diagnosis_text.h"
#include "text.h"

/* Returns why [rule] of [d] was not judged; NULL if it was. */
static const char *not_judged_since(const struct diagnosis *d,
                                    enum rule_id rule)
{
  uint32_t count;
  const struct not_judged *not = diagnosis_not_judged(d, &count);
  for (uint32_t i = 0; i < count; i++)
    if (not[i].rule == rule) return not[i].why;
  return NULL;
}

static const char *whole(const struct vital_signs *signs)
{
  return signs->waits_known ? "active time"
                            : "all time (active time is not known)";
}

/* Writes the finding collector_time to [text] of [size] bytes. */
static void format_collector(char *text, size_t size, const struct vital_signs *signs)
{
  char share[QUANTITY_SIZE], causes[128] = "", promoted[QUANTITY_SIZE];
  const char *first = signs->causes.first, *second = signs->causes.second;
  if (first != NULL)
    snprintf(causes, sizeof causes, "%s%s%s, ", first, second != NULL ? " and " : "",
             second != NULL ? second : "");
  for (char *at = causes; *at != '\0'; at++)
    if (*at == '_') *at = ' ';
  int length = snprintf(text, size, "The collector takes %s of %s: %s%s promoted",
                        format_share(share, signs->collector_share), whole(signs),
                        causes, format_share(promoted, signs->promoted_share));
  if (signs->proposed_heap != NULL)
    snprintf(text + length, size - (size_t) length, "; try OCAMLRUNPARAM=s=%s",
             signs->proposed_heap);
}

/* Writes the result to [text] of [size] bytes. */
static void format_result(char *text, size_t size, const struct diagnosis *d)
{
  char first[VERDICT_SIZE / 3], watched[QUANTITY_SIZE];
  uint32_t count, left;
  const struct finding *f = diagnosis_findings(d, &count);
  const char *why = not_judged_since(d, RULE_COLLECTOR_TIME);
  const struct vital_signs signs = diagnosis_vital_signs(d);
  (void) diagnosis_not_judged(d, &left);
  if (count > 0 && f->rule == RULE_COLLECTOR_TIME)
    format_collector(first, sizeof first, &signs);
  else if (count > 0)
    snprintf(first, sizeof first, "%s", rules[f->rule].title);
  if (count == 1)
    snprintf(text, size, "%s (%s)", first, certainty_name[f->certainty]);
  else if (count > 1)
    snprintf(text, size, "%s (%s; %" PRIu32 " findings in all)", first,
             certainty_name[f->certainty], count);
  else if (why != NULL)
    snprintf(text, size, "Too little is known to say that all is well, since "
             "%s", why);
  else if (signs.partial)
    snprintf(text, size, "Nothing is wrong in the last %s, as far as %" PRIu32 " of %d "
             "rules can tell; earlier events are overwritten",
             format_duration(watched, diagnosis_watched_ns(d)), RULES - left, RULES);
  else
    snprintf(text, size, "All is well, as far as %" PRIu32 " of %d rules can "
             "tell", RULES - left, RULES);
}

/* Writes the numbers [signs] to [text] of [size] bytes, but the collector's share if
   it was [told]; nothing if they are not known. */
static void format_signs(char *text, size_t size, const struct vital_signs *signs,
                         bool told)
{
  char gc[QUANTITY_SIZE], longest[QUANTITY_SIZE];
  int length = 0;
  text[0] = '\0';
  if (!signs->known) return;
  if (!told)
    length = snprintf(text, size, "; %s of %s in the collector",
                      format_share(gc, signs->collector_share), whole(signs));
  if (signs->longest_stop_ns > 0)
    snprintf(text + length, size - (size_t) length, "%s longest pause %s",
             told ? ";" : ",", format_duration(longest, signs->longest_stop_ns));
}

const char *format_verdict(char buffer[VERDICT_SIZE],
                           const struct diagnosis *d)
{
  char result[VERDICT_SIZE / 2], numbers[VERDICT_SIZE / 4];
  const struct vital_signs signs = diagnosis_vital_signs(d);
  uint32_t count;
  const struct finding *f = diagnosis_findings(d, &count);
  format_result(result, sizeof result, d);
  format_signs(numbers, sizeof numbers, &signs,
               count > 0 && f->rule == RULE_COLLECTOR_TIME);
  snprintf(buffer, VERDICT_SIZE, "%s%s", result, numbers);
  return buffer;
}
