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

#define _DEFAULT_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "parse.h"

struct unit {
  const char *name;
  double worth;
};

/* Parses the decimal number at the beginning of [text] into *number, and sets *end
   behind it.  Returns false when there is none, or it is negative. */
static bool take_decimal(const char *text, char **end, double *number)
{
  if (!isdigit((unsigned char) *text) && *text != '.') return false;
  /* strtod takes hexadecimal numbers, too. */
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return false;
  *number = strtod(text, end);
  return *end != text && isfinite(*number);
}

/* Parses [text], a number and perhaps one of [units] directly after it, and
   sets *result to the number times the worth of its unit.  The case of the unit
   does not matter.  The array [units] ends with a unit without a name, which is
   used for a bare number.  Returns false when [text] is no such number, is
   negative, or gives 9e18 or more; *result may then be changed. */
static bool parse(const char *text, const struct unit *units, double *result)
{
  char *end;
  double number;
  if (!take_decimal(text, &end, &number)) return false;
  while (*units->name != 0 && strcasecmp(units->name, end) != 0) units++;
  if (strcasecmp(units->name, end) != 0) return false;
  *result = number * units->worth;
  return *result < 9e18;
}

bool parse_decimal(const char *text, double *number)
{
  char *end;
  return take_decimal(text, &end, number) && *end == '\0';
}

bool parse_duration(const char *text, int64_t *ns)
{
  static const struct unit units[] = {
    { "ns", 1 }, { "us", 1e3 }, { "\302\265s", 1e3 }, { "ms", 1e6 },
    { "s", 1e9 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "", 1e9 }
  };
  double value;
  if (!parse(text, units, &value)) return false;
  *ns = (int64_t) llround(value);
  return true;
}

bool parse_size(const char *text, uint64_t *bytes)
{
  static const struct unit units[] = {
    { "K", 1024 }, { "KB", 1024 }, { "KiB", 1024 }, { "M", 1048576 },
    { "MB", 1048576 }, { "MiB", 1048576 }, { "G", 1073741824 },
    { "GB", 1073741824 }, { "GiB", 1073741824 }, { "B", 1 }, { "", 1 }
  };
  double value;
  if (!parse(text, units, &value)) return false;
  *bytes = (uint64_t) value;
  return true;
}

/* Times of day */

/* Takes exactly [digits] digits from *text as a number from [least] to [most]
   into *number, and moves *text behind them.  Returns whether they are there. */
static bool take_number(const char **text, int digits, int least, int most,
                        int *number)
{
  *number = 0;
  for (; digits > 0; digits--, ++*text) {
    if (!isdigit((unsigned char) **text)) return false;
    *number = 10 * *number + (**text - '0');
  }
  return *number >= least && *number <= most;
}

/* Moves *text behind its first character if that is one of [characters], and
   returns whether it is. */
static bool take_one(const char **text, const char *characters)
{
  if (**text == '\0' || strchr(characters, **text) == NULL) return false;
  ++*text;
  return true;
}

/* Takes a date, a time and the seconds with their fraction, if these are there,
   from *text.  Returns false when there is no such time or no such day. */
static bool take_calendar(const char **text, struct tm *tm, int64_t *fraction)
{
  if (!take_number(text, 4, 1970, 2261, &tm->tm_year) || !take_one(text, "-")
      || !take_number(text, 2, 1, 12, &tm->tm_mon) || !take_one(text, "-")
      || !take_number(text, 2, 1, 31, &tm->tm_mday) || !take_one(text, "Tt ")
      || !take_number(text, 2, 0, 23, &tm->tm_hour) || !take_one(text, ":")
      || !take_number(text, 2, 0, 59, &tm->tm_min))
    return false;
  if (take_one(text, ":")) {
    if (!take_number(text, 2, 0, 59, &tm->tm_sec)) return false;
    if (take_one(text, ".,")) {
      if (!isdigit((unsigned char) **text)) return false;
      for (int64_t worth = 100000000; isdigit((unsigned char) **text);
           worth /= 10, ++*text)
        *fraction += worth * (**text - '0');
    }
  }
  tm->tm_year -= 1900;
  tm->tm_mon--;
  /* timegm makes March 2 of February 30. */
  struct tm day = { .tm_year = tm->tm_year, .tm_mon = tm->tm_mon,
                    .tm_mday = tm->tm_mday };
  timegm(&day);
  return day.tm_mday == tm->tm_mday;
}

/* Takes "Z" or an offset such as "+01:00", "+0100" or "+01" from *text into *east,
   the seconds that the clock there is ahead of UTC.  Returns false when there is
   something else. */
static bool take_zone(const char **text, int *east)
{
  int hours, minutes = 0;
  *east = 0;
  if (take_one(text, "Zz")) return true;
  const bool west = **text == '-';
  if (!take_one(text, "+-") || !take_number(text, 2, 0, 23, &hours))
    return false;
  if ((take_one(text, ":") || **text != '\0')
      && !take_number(text, 2, 0, 59, &minutes))
    return false;
  *east = (hours * 60 + minutes) * (west ? -60 : 60);
  return true;
}

/* Parses a time of day into *ns since 1970.  Returns false when [text] is none. */
static bool parse_wall_time(const char *text, int64_t *ns)
{
  struct tm tm = { .tm_isdst = -1 };
  int64_t fraction = 0, seconds;
  int east;
  if (!take_calendar(&text, &tm, &fraction)) return false;
  if (*text == '\0')
    seconds = mktime(&tm);
  else if (take_zone(&text, &east) && *text == '\0')
    seconds = timegm(&tm) - east;
  else
    return false;
  *ns = seconds * 1000000000 + fraction;
  return true;
}

bool parse_time_point(const char *text, struct time_point *time)
{
  int64_t ns;
  const bool wall = parse_wall_time(text, &ns);
  if (!wall && !parse_duration(text, &ns)) return false;
  *time = (struct time_point) { .wall = wall, .ns = ns };
  return true;
}

bool is_number(const char *s)
{
  return *s != '\0' && s[strspn(s, "0123456789")] == '\0';
}
