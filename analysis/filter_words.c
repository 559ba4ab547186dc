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

/* Returns whether the text at [at] is > before a time. */
static bool is_longer(const char *at)
{
  if (*at != '>') return false;
  at += 1 + strspn(at + 1, " ");
  return *at >= '0' && *at <= '9';
}

/* Returns the end of the word at [word]; NULL when a quote has no end. */
static char *end_of(char *word)
{
  bool quoted = false;
  for (; *word != '\0' && (quoted || (*word != ' ' && !is_longer(word))); word++)
    if (*word == '"') quoted = !quoted;
  return quoted ? NULL : word;
}

/* Removes the quotes of [word], and returns whether it had some. */
static bool remove_quotes(char *word)
{
  char *to = word, *at = word;
  for (; *at != '\0'; at++)
    if (*at != '"') *to++ = *at;
  *to = '\0';
  return to < at;
}

/* Returns whether [word] compares in a way that is not known: < before a number or
   alone, or > alone. */
static bool compares(const char *word)
{
  const char *sign = strchr(word, '<');
  return strcmp(word, ">") == 0
         || (sign != NULL
             && ((sign[1] >= '0' && sign[1] <= '9') || (sign == word && sign[1] == '\0')));
}

static bool add_word(struct filter *filter, char *word, char *why, size_t why_size)
{
  bool quoted = remove_quotes(word);
  for (size_t i = 0; i < PROPERTIES; i++) {
    size_t length = strlen(properties[i].name);
    if (strncmp(word, properties[i].name, length) == 0)
      return filter_add(filter, properties[i].by, word + length, why,
                        why_size);
  }
  if (!quoted && compares(word)) {
    snprintf(why, why_size, "%s: a filter compares by > and a time, such as > 1ms; "
             "name=%s has events of this name", word, word);
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
  bool longer = false;            /* the next word is the time behind > */
  while (*(words += strspn(words, " ")) != '\0') {
    if (!longer && is_longer(words)) {
      longer = true;
      words++;
      continue;
    }
    char *word = words, *end = end_of(word);
    if (end == NULL) {
      snprintf(why, why_size, "a quote has no end");
      return false;
    }
    bool next = is_longer(end);
    words = *end == '\0' ? end : end + 1;
    *end = '\0';
    if (!(longer ? filter_add(filter, FILTER_LONGER_THAN, word, why, why_size)
                 : add_word(filter, word, why, why_size))) return false;
    longer = next;
  }
  return true;
}
