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

#include <stdio.h>
#include <string.h>
#include "filter_words.h"

static const struct { const char *name; enum filter_by by; } properties[] = {
  { "categories=", FILTER_CATEGORY }, { "domain=", FILTER_DOMAIN },
  { "form=", FILTER_FORM }, { "longer-than=", FILTER_LONGER_THAN },
  { "name=", FILTER_NAME }, { "thread=", FILTER_THREAD }
};
#define PROPERTIES (sizeof properties / sizeof *properties)

/* Ends the word at [word] with a NUL, removes its quotes, and returns the text
   behind it; NULL when a quote has no end. */
static char *end_word(char *word)
{
  char *to = word, *at = word;
  bool quoted = false;
  for (; *at != '\0' && (quoted || *at != ' '); at++)
    if (*at == '"') quoted = !quoted;
    else *to++ = *at;
  if (quoted) return NULL;
  char *rest = *at == '\0' ? at : at + 1;
  *to = '\0';
  return rest;
}

/* Returns whether [word] compares: > or < before a number or alone. */
static bool is_comparison(const char *word)
{
  const char *sign = strpbrk(word, "<>");
  return sign != NULL
         && ((sign[1] >= '0' && sign[1] <= '9') || (sign == word && sign[1] == '\0'));
}

static bool add_word(struct filter *filter, const char *word, char *why,
                     size_t why_size)
{
  for (size_t i = 0; i < PROPERTIES; i++) {
    size_t length = strlen(properties[i].name);
    if (strncmp(word, properties[i].name, length) == 0)
      return filter_add(filter, properties[i].by, word + length, why,
                        why_size);
  }
  if (is_comparison(word)) {
    snprintf(why, why_size, "%s: a filter does not compare; longer-than=1ms takes "
             "durations, and name=%s events of this name", word, word);
    return false;
  }
  if (strchr(word, '=') == NULL)
    return filter_add(filter, FILTER_NAME, word, why, why_size);
  snprintf(why, why_size, "%s: not one of name=, domain=, thread=, "
           "categories=, form=, longer-than=", word);
  return false;
}

bool filter_words(struct filter *filter, char *words, char *why,
                  size_t why_size)
{
  while (*words != '\0') {
    char *word = words;
    if (*words == ' ') {
      words++;
      continue;
    }
    words = end_word(word);
    if (words == NULL) {
      snprintf(why, why_size, "a quote has no end");
      return false;
    }
    if (!add_word(filter, word, why, why_size)) return false;
  }
  return true;
}
