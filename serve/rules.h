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

/* Rules: when something happens in a process, save a recording of the time
   around it; or, when it happens on a node of the hub, of all processes of all
   nodes.  They are kept in a file of the store. */

#ifndef SERVE_RULES_H
#define SERVE_RULES_H

#include <stdbool.h>
#include "answer.h"
#include "settings.h"
#include "store.h"
#include "trigger.h"
#include "webhook.h"

/* The most rules. */
#define RULES 16

/* The sizes of the texts of a rule, with their NULs. */
#define RULE_WHEN 160
#define RULE_PROCESS 128

struct rule {
  uint32_t id;
  char when[RULE_WHEN];
  char process[RULE_PROCESS];     /* pattern of programs; "": all */
  bool fleet;                     /* for processes of the hub, and no others */
  char text[SAVED_RULE];          /* all three, as it is in manifests */
  struct trigger trigger;         /* its text is not valid */
  int64_t before_ns, after_ns;
  int64_t distance_ns;            /* between two firings for one process */
  struct store_limits limits;
  char webhook[WEBHOOK_URL];      /* "": none */
  bool seen;                      /* an event of this name, since the rule was added */
};

/* Takes the rules of the store, if there is one and the server may save.  Returns false,
   with the reason in [why], when they cannot be had; new ones then live as long as the
   server.  To be called before all others. */
bool start_rules(const struct settings *settings, char *why, size_t why_size);

/* Return the answers to a request for a new rule, and to delete the rule of the
   query.  All functions may be called by any thread. */
struct answer add_rule(const struct asked *asked);
struct answer delete_rule(const struct asked *asked);

/* Returns a new JSON object of all rules. */
json_t *json_rules(void);

/* Returns a number that is another one after each change of the rules. */
uint64_t rules_version(void);

/* Copies the rules for the program at the path [program] to [rules], and
   returns their number; all rules if [program] is NULL.  [fleet]: the rules for
   processes of the hub, else those for processes of this machine. */
int rules_for(const char *program, bool fleet, struct rule rules[RULES]);

/* Returns the rule of the [number] [rules], which rules_for has copied, that [happening]
   fires now for process [process], 0 for rules with [fleet], and takes notice that it
   does; NULL if none does, or it did so shortly before.  Notes in [rules], and in the
   rules of the server, which names have been seen. */
const struct rule *fired_rule(struct rule *rules, int number,
                              const struct happening *happening, uint64_t process);

/* Takes notice of how a firing of [rule] for the process [process], with the number
   [pid], ended: with a recording at [result], or with the reason of a failure there.
   Both numbers are 0 for a rule with [fleet].  Tells the webhook of the rule, with the
   event [fired], which is released. */
void rule_has_fired(const struct rule *rule, uint64_t process, int32_t pid,
                    json_t *fired, bool saved, const char *result);

#endif /* SERVE_RULES_H */
