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
#define CAML_INTERNALS
#define _GNU_SOURCE

/* The environment, read at the start of the runtime.  A variable of ours wins
   over its older synonym; a value that is not understood is named and
   ignored. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caml/eventring.h"
#include "caml/osdeps.h"
#include "caml/startup_aux.h"
#include "eventring_internal.h"

#define DEFAULT_THRESHOLD 1000  /* ns of waiting */

struct caml_ring_config caml_ring_config = {
  .threshold = DEFAULT_THRESHOLD
};

/* Returns the binary logarithm of the number of words in a ring: the one of the
   settings, or else N of OCAMLRUNPARAM=e=N, at least EVENTRING_MIN_LOG_WORDS.
   Prints a message and returns EVENTRING_DEFAULT_LOG_WORDS when the parameter is
   not understood. */
unsigned caml_ring_log_words(void)
{
  if (caml_ring_config.log_words != 0) return caml_ring_config.log_words;
  /* The startup code has parsed the parameter but takes anything for a
     number. */
  uintnat log = caml_params->runtime_events_log_wsize;
  char *item = caml_secure_getenv("OCAMLRUNPARAM");
  if (item == NULL) item = caml_secure_getenv("CAMLRUNPARAM");
  while (item != NULL) {
    if (*item == 'e') {
      size_t length = strcspn(item, ",");
      char *end;
      unsigned long n = strtoul(length > 2 ? item + 2 : "", &end, 0);
      if (item[1] != '=' || end != item + length || n < 1
          || n > EVENTRING_MAX_LOG_WORDS) {
        caml_eventring_complain(
          "OCAMLRUNPARAM: %.*s is not understood (e=N with N from 1 to"
          " %d: 2^N words a ring); using e=%d",
          (int) length, item, EVENTRING_MAX_LOG_WORDS,
          EVENTRING_DEFAULT_LOG_WORDS);
        log = EVENTRING_DEFAULT_LOG_WORDS;
      }
    }
    item = strchr(item, ',');
    if (item != NULL) item++;
  }
  if (log > EVENTRING_MAX_LOG_WORDS) log = EVENTRING_DEFAULT_LOG_WORDS;
  return log < EVENTRING_MIN_LOG_WORDS ? EVENTRING_MIN_LOG_WORDS : log;
}

/* Returns the mask of the categories in [list], the value of
   OCAML_EVENTRING_CATEGORIES: names or "all" separated by commas, a name after
   "-" to remove its category.  A list that begins with "-" starts from [mask],
   any other list from no category.  Prints a message for an unknown name, and
   ignores it. */
COLD
static uint32_t categories_from(const char *list, uint32_t mask)
{
  /* No pointers, which would need relocations. */
  static const struct { char name[16]; uint32_t mask; } known[] = {
#define CATEGORY(id, bit, name, by_default, doc) { name, EVENTRING_##id },
#include "caml/eventring_events.tbl"
    { "all", EVENTRING_EVENT_CATEGORIES }
  };
  const size_t count = sizeof(known) / sizeof(known[0]);
  /* "gc,sync" is just these; "-alloc" takes away from the default. */
  if (*list != '-') mask = 0;
  while (*list != '\0') {
    size_t i, length = strcspn(list, ",");
    int remove = *list == '-';
    const char *name = list + remove;
    size_t name_length = length - remove;
    for (i = 0; i < count; i++)
      if (strlen(known[i].name) == name_length
          && memcmp(known[i].name, name, name_length) == 0) break;
    if (i < count)
      mask = remove ? mask & ~known[i].mask : mask | known[i].mask;
    else if (length > 0)
      caml_eventring_complain(
        "OCAML_EVENTRING_CATEGORIES: there is no category %.*s (all"
#define CATEGORY(id, bit, name, by_default, doc) ", " name
#include "caml/eventring_events.tbl"
        "); ignored", (int) name_length, name);
    list += length;
    if (*list == ',') list++;
  }
  return mask;
}

/* Returns the value of the environment variable [name], 1 or 0.  Returns
   [otherwise] when the variable is unset or empty, and also when it has another
   value, after printing a message.  A privileged program (setuid) counts as one
   without the variable. */
COLD
static int flag(const char *name, int otherwise)
{
  const char *s = caml_secure_getenv(name);
  if (s == NULL || *s == '\0') return otherwise;
  if (strcmp(s, "1") == 0) return 1;
  if (strcmp(s, "0") == 0) return 0;
  caml_eventring_complain(
    "%s: %s is not understood (1 or 0); ignored", name, s);
  return otherwise;
}

/* Parses the duration [s]: a whole number, followed by ns, us, ms or s, or by
   nothing for ns.  Returns 1 with the duration in [*ns], or 0 when [s] is no
   such duration or over INT64_MAX ns; then [*ns] is unchanged. */
COLD
static int parse_duration(const char *s, uint64_t *ns)
{
  static const struct { char unit[4]; uint64_t ns; } units[] = {
    { "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
    { "s", 1000000000 }
  };
  char *end;
  errno = 0;
  unsigned long long n = strtoull(s, &end, 10);
  if (*s < '0' || *s > '9' || errno != 0) return 0;
  for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
    if (strcmp(end, units[i].unit) == 0 && n <= INT64_MAX / units[i].ns) {
      *ns = n * units[i].ns;
      return 1;
    }
  return 0;
}

COLD
void caml_eventring_init(void)
{
  char why[PATH_MAX + 256];
  const char *s, *suffix = EVENTRING_SUFFIX;
  int start = 0, paused = 0;
  uint32_t mask = EVENTRING_DEFAULT_CATEGORIES;

  caml_eventring_note_stderr();
  caml_ring_allocate_writers();

  s = caml_secure_getenv("OCAML_EVENTRING_PREFIX");
  if (s == NULL || *s == '\0')
    s = caml_secure_getenv("OCAML_RUNTIME_EVENTS_DIR");
  free(caml_ring_config.dir);
  caml_ring_config.dir = s == NULL || *s == '\0' ? NULL : strdup(s);

  caml_ring_config.keep = flag("OCAML_EVENTRING_KEEP",
    caml_secure_getenv("OCAML_RUNTIME_EVENTS_PRESERVE") != NULL);

  /* The program may change its current directory. */
  s = caml_secure_getenv("OCAML_EVENTRING_TOMBSTONES");
  free(caml_ring_config.tombstones);
  caml_ring_config.tombstones = NULL;
  if (s != NULL && *s != '\0') {
    caml_ring_config.tombstones = realpath(s, NULL);
    if (caml_ring_config.tombstones == NULL)
      caml_ring_config.tombstones = strdup(s);
  }
  caml_ring_config.log_words = 0;

  s = caml_secure_getenv("OCAML_EVENTRING_CLOCK");
  caml_ring_config.monotonic = 0;
  if (s != NULL && strcmp(s, "monotonic") == 0) caml_ring_config.monotonic = 1;
  else if (s != NULL && *s != '\0' && strcmp(s, "tsc") != 0)
    caml_eventring_complain(
      "OCAML_EVENTRING_CLOCK: %s is not understood (tsc or monotonic);"
      " ignored", s);

  s = caml_secure_getenv("OCAML_EVENTRING_THRESHOLD");
  caml_ring_config.threshold = DEFAULT_THRESHOLD;
  if (s != NULL && *s != '\0'
      && !parse_duration(s, &caml_ring_config.threshold))
    caml_eventring_complain(
      "OCAML_EVENTRING_THRESHOLD: %s is not understood (a number with"
      " ns, us, ms or s); ignored", s);
  /* 0 in the file is no threshold. */
  if (caml_ring_config.threshold == 0) caml_ring_config.threshold = 1;

  s = caml_secure_getenv("OCAML_EVENTRING_START");
  if (s != NULL && *s != '\0') {
    if (strcmp(s, "1") == 0) start = 1;
    else if (strcmp(s, "paused") == 0) start = paused = 1;
    else if (strcmp(s, "0") != 0)
      caml_eventring_complain(
        "OCAML_EVENTRING_START: %s is not understood (1, paused or 0);"
        " ignored", s);
  } else if (caml_secure_getenv("OCAML_RUNTIME_EVENTS_START") != NULL) {
    start = 1;
    suffix = EVENTRING_STOCK_SUFFIX;
    mask = EVENTRING_EVENT_CATEGORIES;
  }

  s = caml_secure_getenv("OCAML_EVENTRING_PROFILE");
  uint32_t profile = 0;
  caml_ring_config.sample_period = EVENTRING_DEFAULT_SAMPLE_PERIOD;
  if (s != NULL && *s != '\0' && strcmp(s, "0") != 0) {
    char *end;
    unsigned long hz = strtoul(s, &end, 10);
    if (*s < '1' || *s > '9' || *end != '\0'
        || hz > 1000000000 / EVENTRING_MIN_SAMPLE_PERIOD)
      caml_eventring_complain(
        "OCAML_EVENTRING_PROFILE: %s is not understood (samples a second of"
        " processor time, 1 to %d); ignored", s,
        1000000000 / EVENTRING_MIN_SAMPLE_PERIOD);
    else {
      caml_ring_config.sample_period = 1000000000 / hz;
      profile = EVENTRING_PROFILE;
    }
  }

  caml_ring_config.perf = flag("OCAML_EVENTRING_PROFILE_PERF", 1);
  caml_ring_config.alarms = flag("OCAML_EVENTRING_PROFILE_ALARMS", 0);

  s = caml_secure_getenv("OCAML_EVENTRING_PROFILE_ALLOC");
  caml_ring_config.alloc_period = EVENTRING_DEFAULT_ALLOC_PERIOD;
  if (s != NULL && *s != '\0' && strcmp(s, "0") != 0) {
    char *end;
    double rate = strtod(s, &end);
    if (*end != '\0' || !(rate >= 1. / EVENTRING_MAX_ALLOC_PERIOD && rate <= 1))
      caml_eventring_complain(
        "OCAML_EVENTRING_PROFILE_ALLOC: %s is not understood (the share of the"
        " allocated words to sample, such as 1e-5); ignored", s);
    else {
      caml_ring_config.alloc_period = (uint64_t) (1 / rate + 0.5);
      profile |= EVENTRING_PROFILE_ALLOC;
    }
  }

  if (!start) return;
  s = caml_secure_getenv("OCAML_EVENTRING_CATEGORIES");
  if (s != NULL && *s != '\0') {
    uint32_t wanted = categories_from(s, mask);
    if (wanted != 0) mask = wanted;
    else
      caml_eventring_complain(
        "OCAML_EVENTRING_CATEGORIES: %s leaves no category to record; ignored",
        s);
  }
  mask |= profile;
  if (!caml_eventring_start(NULL, suffix, mask, paused, why, sizeof(why)))
    caml_eventring_complain("%s; tracing is off", why);
}
