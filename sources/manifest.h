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

/* The facts that a recording contains about itself, in addition to its
   events. */

#ifndef SOURCES_MANIFEST_H
#define SOURCES_MANIFEST_H

#include <jansson.h>
#include "eventring_reader.h"

/* Returns a manifest of the recording of [cursor], as one line of JSON text:
   the program, its arguments, the machine and the versions.  The arguments are
   those of the process, if it runs in this pid namespace, else only its argv[0]
   from the file.  [trigger] is the trigger of the recording, or NULL.  The
   caller frees the text.  Ends the program with a message when there is no
   memory. doc/RECORDING.md lists the members. */
char *new_manifest(struct eventring_cursor *cursor, const char *trigger);

/* Returns a new JSON string with [realtime_ns], nanoseconds since 1970, as a
   date and time in UTC with 9 decimals; JSON null when it is no date. */
json_t *json_date(int64_t realtime_ns);

/* Why a recording is in the store. */
enum saved_by {
  SAVED_UNKNOWN,                  /* not saved by the server */
  SAVED_BY_HAND,                  /* a person asked for it */
  SAVED_BY_RULE                   /* a rule of the server fired */
};

/* Returns the description of this machine for eventring_record_node, which the
   caller frees; [name] is its name as a node, NULL the name of the machine. */
char *new_node(const char *name);

/* Stores the description of this machine in the recording. */
void record_node(struct eventring_recorder *recorder);

/* The bytes of the text of a rule, with its NUL. */
#define SAVED_RULE 320

/* The event that fired a rule. */
struct fired_event {
  char name[128];                 /* "": not known */
  int64_t ns;                     /* since tracing started */
  int64_t took_ns;                /* of the activity that it ended; -1: it ended none */
  uint32_t domain, thread;
};

/* Returns [event] as a new JSON object; JSON null when it is not known. */
json_t *json_fired_event(const struct fired_event *event);

struct manifest_saved {
  enum saved_by by;
  char rule[SAVED_RULE];          /* the rule; "" if it was not one */
  struct fired_event fired;       /* what fired it */
  int64_t at_ns;                  /* when, since 1970; 0: not known */
};

/* Returns a manifest as new_manifest does, of a recording for the store: saved
   now, by the rule [rule], which [fired] fired, or, if both are NULL, by hand. */
char *new_saved_manifest(struct eventring_cursor *cursor, const char *rule,
                         const struct fired_event *fired);

/* Returns why and when the recording with the manifest [note], which may be
   NULL or any text, was saved. */
struct manifest_saved manifest_saved(const char *note);

/* Returns the number of processors that were online, from the manifest in the
   recording of [cursor]; 0 when it does not have one. */
uint32_t manifest_processors(struct eventring_cursor *cursor);

/* The bytes of the name of a machine, with its NUL. */
#define HOST_SIZE 256

/* Sets [host] to the name of the machine on which the process of [cursor] ran:
   from the manifest of a recording, or this machine, if the process ran here
   since its start; "" when it is not known. */
void manifest_host(struct eventring_cursor *cursor, char host[HOST_SIZE]);

#endif /* SOURCES_MANIFEST_H */
