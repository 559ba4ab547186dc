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
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "text.h"

size_t utf8_char(const unsigned char *s, size_t left, uint32_t *code)
{
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  size_t length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2
                : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
  if (length == 0 || length > left) return 0;
  uint32_t c = length == 1 ? s[0] : s[0] & (0x7Fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((s[i] & 0xC0) != 0x80) return 0;
    c = c << 6 | (s[i] & 0x3Fu);
  }
  if (c < least[length] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
    return 0;
  *code = c;
  return length;
}

size_t copy_as_utf8(char *out, const char *text, size_t length)
{
  const unsigned char *s = (const unsigned char *) text;
  char *start = out;
  for (size_t i = 0, n; i < length; i += n) {
    uint32_t code;
    n = utf8_char(s + i, length - i, &code);
    memcpy(out, n == 0 ? "\xEF\xBF\xBD" : text + i, n == 0 ? 3 : n);
    out += n == 0 ? 3 : n;
    if (n == 0) n = 1;
  }
  return (size_t) (out - start);
}

/* Returns whether the character [c] may control a terminal or change how text
   after it is shown: control characters, line separators, marks of the
   direction of writing, and the byte order mark. */
static bool obeyed_by_terminals(uint32_t c)
{
  return c < 0x20 || (c >= 0x7F && c < 0xA0)  /* control characters */
      || c == 0x061C                          /* direction of writing */
      || c == 0x200E || c == 0x200F
      || (c >= 0x2028 && c <= 0x202E)         /* and line separators */
      || (c >= 0x2066 && c <= 0x2069)
      || c == 0xFEFF;
}

int print_text(FILE *out, const char *text, size_t length,
               enum text_use use)
{
  const unsigned char *s = (const unsigned char *) text;
  bool after_space = true;
  int printed = 0;
  for (size_t i = 0, n; i < length; i += n) {
    uint32_t c = 0;
    n = utf8_char(s + i, length - i, &c);
    bool escape = n == 0 || obeyed_by_terminals(c);
    if (n == 0) n = 1;
    if (use != TEXT_LINE && c == ' ')
      escape = after_space || i + 1 == length;
    after_space = c == ' ';

    if (escape)
      for (size_t k = i; k < i + n; k++)
        printed += fprintf(out, "\\x%02x", s[k]);
    else {
      if ((use != TEXT_LINE && c == '\\')
          || (use == TEXT_QUOTED && c == '"')) {
        putc('\\', out);
        printed++;
      }
      fwrite(s + i, 1, n, out);
      printed++;
    }
  }
  return printed;
}

/* Writes [quantity] with the first of units[0] to units[last] in which it is
   less than [step] - 0.5, or with units[last], into [buffer].  Each unit is
   [step] times the unit before.  Returns [buffer]. */
static const char *format_quantity(char buffer[QUANTITY_SIZE],
                                   uint64_t quantity, unsigned step,
                                   const char *const *units, int last)
{
  double value = (double) quantity;
  int unit = 0;
  while (unit < last && value >= step - 0.5) {
    value /= step;
    unit++;
  }
  int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  snprintf(buffer, QUANTITY_SIZE, "%.*f %s", decimals, value, units[unit]);
  return buffer;
}

char *escape_text(const char *text, enum text_use use)
{
  char *escaped = NULL;
  size_t size;
  FILE *out = open_memstream(&escaped, &size);
  if (out == NULL) return NULL;
  print_text(out, text, strlen(text), use);
  if (fclose(out) == 0) return escaped;
  free(escaped);
  return NULL;
}

const char *format_duration(char buffer[QUANTITY_SIZE], uint64_t ns)
{
  static const char *const units[] = { "ns", "us", "ms", "s" };
  return format_quantity(buffer, ns, 1000, units, 3);
}

const char *format_bytes(char buffer[QUANTITY_SIZE], uint64_t bytes)
{
  static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
  return format_quantity(buffer, bytes, 1024, units, 4);
}

const char *format_elapsed(char buffer[QUANTITY_SIZE], int64_t ns)
{
  const int64_t s = ns / 1000000000;
  if (s < 60)
    snprintf(buffer, QUANTITY_SIZE, "%" PRId64 "s", s);
  else if (s < 3600)
    snprintf(buffer, QUANTITY_SIZE, "%" PRId64 "m%02ds", s / 60, (int) (s % 60));
  else if (s < 86400)
    snprintf(buffer, QUANTITY_SIZE, "%" PRId64 "h%02dm", s / 3600,
             (int) (s / 60 % 60));
  else
    snprintf(buffer, QUANTITY_SIZE, "%" PRId64 "d%02dh", s / 86400,
             (int) (s / 3600 % 24));
  return buffer;
}

const char *format_time_of_day(char buffer[TIME_OF_DAY_SIZE], int64_t ns)
{
  const int64_t second = 1000000000;
  const int64_t fraction = (ns % second + second) % second;
  const time_t seconds = (time_t) (ns / second - (ns % second < 0));
  char day[32], zone[8];
  struct tm tm;
  /* A time of 64 bits in nanoseconds has a year of four digits. */
  localtime_r(&seconds, &tm);
  strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
  strftime(zone, sizeof zone, "%z", &tm);
  snprintf(buffer, TIME_OF_DAY_SIZE, "%s.%09" PRId64 "%.3s:%s", day, fraction,
           zone, zone + 3);
  return buffer;
}

const char *format_share(char buffer[QUANTITY_SIZE], double share)
{
  snprintf(buffer, QUANTITY_SIZE, "%.*f%%", share < 0.9995 ? 1 : 0,
           share * 100);
  return buffer;
}

const char *format_count(char buffer[QUANTITY_SIZE], double count)
{
  static const char *const units[] = { "", "k", "M", "G" };
  if (count < 999.5) {
    snprintf(buffer, QUANTITY_SIZE, "%.*f",
             count == 0 || count >= 9.95 ? 0 : 1, count);
    return buffer;
  }
  return format_quantity(buffer, (uint64_t) count, 1000, units, 3);
}
