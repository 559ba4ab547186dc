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
#include "ocaml_name.h"

#define ANONYMOUS "(fun)"
#define NAME_SIZE 1024          /* of a function defined before or after */

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns the value of two hexadecimal digits at [text], or -1. */
static int hex_byte(const char *text)
{
  int value = 0;
  for (int i = 0; i < 2; i++) {
    char c = text[i];
    if (is_digit(c)) value = 16 * value + c - '0';
    else if (c >= 'a' && c <= 'f') value = 16 * value + c - 'a' + 10;
    else return -1;
  }
  return value;
}

/* Returns the length of [text] without the number that the compiler appends,
   as in map_123. */
static size_t without_number(const char *text)
{
  size_t length = strlen(text), end = length;
  while (end > 0 && is_digit(text[end - 1])) end--;
  return end < length && end > 1 && text[end - 1] == '_' ? end - 1 : length;
}

/* Copies [length] bytes of [from] to [to], at most [size] - 1, with a NUL.  $xx
   becomes the byte with the hexadecimal digits xx. */
static void copy_unescaped(char *to, size_t size, const char *from,
                           size_t length)
{
  size_t n = 0;
  for (size_t i = 0; i < length && n + 1 < size; i++) {
    int byte = from[i] == '$' && i + 2 < length ? hex_byte(from + i + 1) : -1;
    to[n++] = byte > 0 ? (char) byte : from[i];
    if (byte > 0) i += 2;
  }
  to[n] = '\0';
}

/* Copies the module path at *from to [to], at most [size] - 1 bytes, with dots
   between the modules, and moves *from behind it.  Returns the length. */
static size_t copy_modules(char *to, size_t size, const char **from)
{
  const char *text = *from;
  size_t n = 0;
  while (*text != '\0' && *text != '.' && *text != '$' && n + 1 < size) {
    if (text[0] == '_' && text[1] == '_' && n > 0) {
      if (!is_upper(text[2])) break;
      to[n++] = '.';
      text += 2;
    } else {
      to[n++] = *text++;
    }
  }
  to[n] = '\0';
  *from = text;
  return n;
}

bool name_of_symbol(const char *symbol, char *name, size_t size)
{
  const char *text = symbol + 4;
  if (strncmp(symbol, "caml", 4) != 0 || !is_upper(*text)) return false;
  size_t n = copy_modules(name, size, &text);
  /* module.function since OCaml 5.1, module__function before. */
  text += *text == '.' || *text == '$' ? 1 : *text == '_' ? 2 : 0;
  size_t length = without_number(text);
  if (length == 0 || n + 2 >= size) return true;
  if (length == 5 && strncmp(text, "entry", 5) == 0) return true;
  if (length == 3 && strncmp(text, "fun", 3) == 0 && text[3] == '_') {
    snprintf(name + n, size - n, "." ANONYMOUS);
    return true;
  }
  char function[256];
  copy_unescaped(function, sizeof function, text, length);
  bool is_operator = strchr("!#$%&*+-./:<=>?@^|~", function[0]) != NULL;
  snprintf(name + n, size - n, is_operator ? ".(%s)" : ".%s", function);
  return true;
}

bool is_module_entry(const char *symbol)
{
  size_t length = strlen(symbol);
  return length > 10 && strncmp(symbol, "caml", 4) == 0 && is_upper(symbol[4])
    && strcmp(symbol + length - 5, "entry") == 0
    && (symbol[length - 6] == '.' || strncmp(symbol + length - 7, "__", 2) == 0);
}

void name_of_function(const char *function, char *name, size_t size)
{
  size_t n = 0;
  for (const char *text = function; *text != '\0' && n + 1 < size; ) {
    bool begins = text == function || text[-1] == '.';
    if (begins && is_upper(*text)) {
      n += copy_modules(name + n, size - n, &text);
      continue;
    }
    name[n++] = *text++;
  }
  name[n < size ? n : size - 1] = '\0';
}

/* Returns the last part of [name], the name of a value, with the dot before it,
   or NULL. */
static const char *last_part(const char *name)
{
  const char *from = name[strlen(name) - (name[0] != '\0')] == ')'
                     ? strrchr(name, '(') : strrchr(name, '.');
  return from != NULL && from > name && from[-1] == '.' ? from - 1 : from;
}

bool is_name_of_symbol(const char *name, const char *symbol)
{
  char text[NAME_SIZE];
  const char *value = name_of_symbol(symbol, text, sizeof text)
                      ? last_part(text) : NULL;
  const char *end = last_part(name);
  return value != NULL && end != NULL && strcmp(value, end) == 0;
}

bool is_anonymous(const char *function)
{
  const size_t length = strlen(function), end = sizeof ANONYMOUS - 1;
  return length > end && strcmp(function + length - end, ANONYMOUS) == 0;
}

/* Returns the length of the modules at the beginning of [name], with the dots
   behind them. */
static size_t modules_length(const char *name)
{
  size_t length = 0;
  while (is_upper(name[length])) {
    const char *dot = strchr(name + length, '.');
    if (dot == NULL) break;
    length = (size_t) (dot - name) + 1;
  }
  return length;
}

/* Puts the modules into [name] that have both [before] and [after], names from a
   frame table of functions before and after it in the source: it is in these
   modules, too. */
static void add_modules(char *name, size_t size, const char *before,
                        const char *after)
{
  char first[NAME_SIZE], last[NAME_SIZE];
  /* With a dot at the end, a module is one of the modules. */
  name_of_function(before, first, sizeof first - 1);
  name_of_function(after, last, sizeof last - 1);
  strcat(first, ".");
  strcat(last, ".");
  const size_t own = modules_length(name);
  size_t common = 0, end = modules_length(first);
  if (modules_length(last) < end) end = modules_length(last);
  for (size_t i = 0; i < end && first[i] == last[i]; i++)
    if (first[i] == '.') common = i + 1;
  if (common <= own || strncmp(first, name, own) != 0
      || strlen(name) + common - own >= size)
    return;
  memmove(name + common, name + own, strlen(name + own) + 1);
  memcpy(name + own, first + own, common - own);
}

/* Shortens [name], the name of a closure that the function [symbol] makes, to the
   name of this function. */
static void leave_closure(char *name, const char *symbol)
{
  const char *last = last_part(name);
  if (last == NULL || is_name_of_symbol(name, symbol)) return;
  const size_t length = (size_t) (last - name);
  const char first = *last;
  name[length] = '\0';
  if (!is_name_of_symbol(name, symbol)) name[length] = first;
}

bool name_of_code(const struct code_function *f, char *name, size_t size)
{
  if (f->name != NULL) {
    name_of_function(f->name, name, size);
    if (f->symbol != NULL) leave_closure(name, f->symbol);
  } else if (f->symbol == NULL || !name_of_symbol(f->symbol, name, size)) {
    return false;
  } else if (f->before != NULL && f->after != NULL) {
    add_modules(name, size, f->before, f->after);
  }
  if (f->line != 0 && is_anonymous(name)) {
    const size_t end = strlen(name) - 1;
    if (f->column == 0) snprintf(name + end, size - end, ":%" PRIu32 ")", f->line);
    else snprintf(name + end, size - end, ":%" PRIu32 ":%" PRIu32 ")", f->line,
                  f->column);
  }
  return true;
}
