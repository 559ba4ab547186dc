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
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include "parse.h"

struct unit {
  const char *name;
  double worth;
};

/* Parses [text], a number and perhaps one of [units] directly after it, and
   sets *result to the number times the worth of its unit.  The case of the unit
   does not matter.  The array [units] ends with a unit without a name, which is
   used for a bare number.  Returns false when [text] is no such number, is
   negative, or gives 9e18 or more; *result may then be changed. */
static bool parse(const char *text, const struct unit *units, double *result)
{
  char *end;
  if (!isdigit((unsigned char) *text) && *text != '.') return false;
  double number = strtod(text, &end);
  if (end == text || !isfinite(number)) return false;
  while (*units->name != 0 && strcasecmp(units->name, end) != 0) units++;
  if (strcasecmp(units->name, end) != 0) return false;
  *result = number * units->worth;
  return *result < 9e18;
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
