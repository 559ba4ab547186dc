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
#include <string.h>
#include "profile_types.h"
#include "target.h"

#define PROFILE_VARIABLE "OCAML_EVENTRING_PROFILE=100"
#define ALLOC_VARIABLE "OCAML_EVENTRING_PROFILE_ALLOC=1e-5"

const struct profile_type_words profile_type_words[PROFILE_TYPES] = {
  [PROFILE_CPU] = { "cpu", false, false, "samples", PROFILE_VARIABLE,
    "profile", "its threads have used little processor time" },
  [PROFILE_ALLOC] = { "alloc", true, true, "samples of allocation",
    ALLOC_VARIABLE, "profile_alloc", "it has allocated little" },
  [PROFILE_LIVE] = { "live", true, true, "samples of allocation",
    ALLOC_VARIABLE, "profile_alloc", "it has allocated little" },
  [PROFILE_WALL] = { "wall", false, false,
    "samples of processor time and of waits",
    PROFILE_VARIABLE " OCAML_EVENTRING_CATEGORIES=all,profile_wait",
    "profile profile_wait",
    "its threads have used and waited for little time" },
  [PROFILE_WAIT] = { "wait", false, false, "samples of waits",
    "OCAML_EVENTRING_CATEGORIES=all,profile_wait", "profile_wait",
    "its threads have waited for little time" },
  [PROFILE_IO] = { "io", false, false, "input and output",
    "OCAML_EVENTRING_CATEGORIES=all,io", "io",
    "it has not read or written anything" }
};

const char *const frame_kind_names[FRAME_KINDS] = {
  [FRAME_UNKNOWN] = "unknown", [FRAME_OCAML] = "ocaml", [FRAME_C] = "c",
  [FRAME_RUNTIME] = "runtime", [FRAME_COLLECTOR] = "collector",
  [FRAME_WAIT] = "wait"
};

bool parse_profile_type(const char *name, enum profile_type *type)
{
  for (int i = 0; i < PROFILE_TYPES; i++)
    if (strcmp(profile_type_words[i].name, name) == 0) {
      *type = (enum profile_type) i;
      return true;
    }
  return false;
}

const char *format_weight(char buffer[QUANTITY_SIZE], enum profile_type type,
                          uint64_t weight)
{
  return profile_type_words[type].weighs_bytes
         ? format_bytes(buffer, weight) : format_duration(buffer, weight);
}

const char *format_number(char buffer[QUANTITY_SIZE], uint64_t n)
{
  if (n >= 1000) return format_count(buffer, (double) n);
  snprintf(buffer, QUANTITY_SIZE, "%" PRIu64, n);
  return buffer;
}

/* Writes the time at which the blocks of [profile] are alive. */
static void format_moment(char buffer[2 * QUANTITY_SIZE],
                          const struct profile_origin *origin,
                          const struct profile *profile)
{
  char time[QUANTITY_SIZE];
  if (origin->cursor == NULL) {
    buffer[0] = '\0';
    return;
  }
  const int64_t since = time_since(profile_sums(profile).last_ns,
                                   target_info(origin->cursor).started_ns);
  snprintf(buffer, 2 * QUANTITY_SIZE, " at %s",
           format_duration(time, since < 0 ? 0 : (uint64_t) since));
}

/* Writes the time of a profile of PROFILE_WALL that leaves earlier samples out. */
static void format_times(char buffer[3 * QUANTITY_SIZE],
                         const struct profile_origin *origin,
                         const struct profile_sums *sums)
{
  char from[QUANTITY_SIZE], to[QUANTITY_SIZE];
  buffer[0] = '\0';
  if (origin->cursor == NULL || sums->earlier == 0 || sums->samples == 0) return;
  const int64_t first = sums->common_ns;
  const int64_t last = time_since(sums->last_ns,
                                  target_info(origin->cursor).started_ns);
  snprintf(buffer, 3 * QUANTITY_SIZE, " from %s to %s",
           format_duration(from, first < 0 ? 0 : (uint64_t) first),
           format_duration(to, last < 0 ? 0 : (uint64_t) last));
}

/* Writes the processor time of samples, with that of the processes if it is known
   of all samples or of some, and whether most of them were taken at ticks. */
static void format_cpu(char buffer[SUMS_SIZE], const struct profile_sums *sums)
{
  char sampled[QUANTITY_SIZE], covered[QUANTITY_SIZE], all[QUANTITY_SIZE];
  const uint64_t ns = sums->weight - sums->unsampled;
  const char *plural = sums->samples == 1 ? "" : "s";
  const char *way = sums->tick_ns > ns / 2 ? " by ticks" : "";
  format_duration(sampled, ns);
  format_duration(covered, sums->covered_ns);
  format_duration(all, sums->cpu_ns);
  if (sums->cpu_ns == 0)
    snprintf(buffer, SUMS_SIZE, "%s of processor time in %" PRIu64 " sample%s",
             sampled, sums->samples, plural);
  else if (sums->covered_ns == ns)
    snprintf(buffer, SUMS_SIZE, "%s of %s of processor time%s in %" PRIu64
             " sample%s", sampled, all, way, sums->samples, plural);
  else
    snprintf(buffer, SUMS_SIZE, "%s of processor time%s in %" PRIu64 " sample%s"
             " (%s of %s as far as known)", sampled, way, sums->samples, plural,
             covered, all);
}

const char *format_sums(char buffer[SUMS_SIZE],
                        const struct profile_origin *origin,
                        const struct profile *profile)
{
  const enum profile_type type = profile_type(profile);
  const struct profile_sums sums = profile_sums(profile);
  char weight[QUANTITY_SIZE], extra[QUANTITY_SIZE], at[3 * QUANTITY_SIZE];
  const char *plural = sums.samples == 1 ? "" : "s";
  format_weight(weight, type, sums.weight);
  switch (type) {
  case PROFILE_ALLOC:
    snprintf(buffer, SUMS_SIZE, "allocated: %s in %s blocks, estimated from %"
             PRIu64 " sample%s", weight,
             format_number(extra, sums.extra), sums.samples, plural);
    break;
  case PROFILE_LIVE:
    format_moment(at, origin, profile);
    snprintf(buffer, SUMS_SIZE, "alive%s: %s in %s blocks, estimated from %"
             PRIu64 " sample%s", at, weight,
             format_number(extra, sums.extra), sums.samples, plural);
    break;
  case PROFILE_WALL:
    format_times(at, origin, &sums);
    snprintf(buffer, SUMS_SIZE, "%s of processor time and waits%s in %" PRIu64
             " sample%s", weight, at, sums.samples, plural);
    break;
  case PROFILE_WAIT:
    snprintf(buffer, SUMS_SIZE, "%s of waits in %" PRIu64 " sample%s", weight,
             sums.samples, plural);
    break;
  case PROFILE_IO:
    snprintf(buffer, SUMS_SIZE, "%s of input and output, %s in %" PRIu64
             " operation%s", weight, format_bytes(extra, sums.extra),
             sums.samples, plural);
    break;
  default:
    format_cpu(buffer, &sums);
  }
  return buffer;
}
