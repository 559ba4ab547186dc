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

/* Writes the result without numbers to [text] of [size] bytes. */
static void format_result(char *text, size_t size, const struct diagnosis *d)
{
  uint32_t count, left;
  const struct finding *f = diagnosis_findings(d, &count);
  const char *why = not_judged_since(d, RULE_COLLECTOR_TIME);
  (void) diagnosis_not_judged(d, &left);
  if (count == 1)
    snprintf(text, size, "%s (%s)", rules[f->rule].title,
             certainty_name[f->certainty]);
  else if (count > 1)
    snprintf(text, size, "%s (%s; %" PRIu32 " findings in all)",
             rules[f->rule].title, certainty_name[f->certainty], count);
  else if (why != NULL)
    snprintf(text, size, "Too little is known to say that all is well, since "
             "%s", why);
  else
    snprintf(text, size, "All is well, as far as %" PRIu32 " of %d rules can "
             "tell", RULES - left, RULES);
}

/* Writes the numbers [signs] to [text] of [size] bytes; nothing if they are not
   known. */
static void format_signs(char *text, size_t size,
                         const struct vital_signs *signs)
{
  char gc[QUANTITY_SIZE], longest[QUANTITY_SIZE];
  text[0] = '\0';
  if (!signs->known) return;
  int length = snprintf(text, size, "; %s of %s in the collector",
                        format_share(gc, signs->collector_share),
                        signs->waits_known ? "active time"
                          : "all time (active time is not known)");
  if (signs->longest_stop_ns > 0)
    snprintf(text + length, size - (size_t) length, ", longest stop %s",
             format_duration(longest, signs->longest_stop_ns));
}

const char *format_verdict(char buffer[VERDICT_SIZE],
                           const struct diagnosis *d)
{
  char result[VERDICT_SIZE / 2], numbers[VERDICT_SIZE / 4];
  const struct vital_signs signs = diagnosis_vital_signs(d);
  format_result(result, sizeof result, d);
  format_signs(numbers, sizeof numbers, &signs);
  snprintf(buffer, VERDICT_SIZE, "%s%s", result, numbers);
  return buffer;
}
