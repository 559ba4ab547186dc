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

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "filter_words.h"
#include "parse.h"

#define SPACES " \t\r\n"

static const struct { const char *name; enum filter_by by; } properties[] = {
  { "categories=", FILTER_CATEGORY }, { "domain=", FILTER_DOMAIN },
  { "form=", FILTER_FORM }, { "longer-than=", FILTER_LONGER_THAN },
  { "name=", FILTER_NAME }, { "thread=", FILTER_THREAD }
};
#define PROPERTIES (sizeof properties / sizeof *properties)

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Returns whether the text at [at] is > before a time, or before one in quotes, which is
   refused later. */
static bool is_longer(const char *at)
{
  if (*at != '>') return false;
  at += 1 + strspn(at + 1, SPACES);
  return is_digit(at[*at == '"']);
}

/* Returns the end of the word at [word]; NULL when a quote has no end. */
static char *end_of(char *word)
{
  bool quoted = false;
  for (; *word != '\0'; word++) {
    if (!quoted && (strchr(SPACES, *word) != NULL || is_longer(word))) break;
    if (*word == '"') quoted = !quoted;
  }
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

/* Returns whether [word] compares in a way that is not known: it begins with > or <, but
   not with < before a letter, or has one of them with a =, before a number or at its end.
   -> and <fun> do not compare. */
static bool compares(const char *word)
{
  if (*word == '>' || (*word == '<' && !isalpha((unsigned char) word[1]))) return true;
  for (const char *at = word; (at = strpbrk(at, "<>")) != NULL; at++) {
    if (at > word && at[-1] == '-') continue;
    if (at[1] == '=' || (at[1] == '\0' && *word != '<') || (at > word && at[-1] == '=')
        || is_digit(at[1 + strspn(at + 1, "+-.")])) return true;
  }
  return false;
}

/* Returns whether [word] is the unit of [time], the word before it behind >. */
static bool is_unit(const char *word, const char *time)
{
  char both[64];
  int64_t ns;
  return is_digit(time[strlen(time) - 1]) && strpbrk(word, "0123456789.") == NULL
         && snprintf(both, sizeof both, "%s%s", time, word) < (int) sizeof both
         && parse_duration(both, &ns);
}

static bool add_word(struct filter *filter, char *word, char *why, size_t why_size)
{
  const bool greater = *word == '>', quoted = remove_quotes(word);
  for (size_t i = 0; i < PROPERTIES; i++) {
    size_t length = strlen(properties[i].name);
    if (strncmp(word, properties[i].name, length) == 0)
      return filter_add(filter, properties[i].by, word + length, why,
                        why_size);
  }
  if (greater || (!quoted && compares(word))) {
    const int n = snprintf(why, why_size,
                           "%s: a filter compares by > and a time, such as > 0.5ms", word);
    if (n > 0 && (size_t) n < why_size && word[strspn(word, "<>=")] != '\0')
      snprintf(why + n, why_size - (size_t) n, "; name=%s has events of this name", word);
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
  const char *time = NULL;        /* the word before, if it is one */
  while (*(words += strspn(words, SPACES)) != '\0') {
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
    if (time != NULL && is_unit(word, time)) {
      snprintf(why, why_size, "> %s %s: write > %s%s", time, word, time, word);
      return false;
    }
    if (!(longer ? filter_add(filter, FILTER_LONGER_THAN, word, why, why_size)
                 : add_word(filter, word, why, why_size))) return false;
    time = longer ? word : NULL;
    longer = next;
  }
  return true;
}
