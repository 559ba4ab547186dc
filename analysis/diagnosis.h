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


/* Faults of a process that show in its events, each with evidence and advice:
   the rules in the table of events.

     struct diagnosis *d = new_diagnosis(cursor, processors);
     for each event: diagnosis_event(d, event);
     whenever it was read empty: diagnosis_idle(d);
     diagnosis_finish(d, symbols);
     const struct finding *f = diagnosis_findings(d, &count);

   A rule has one finding at most.  A rule that lacks data, since a category was
   not recorded or the recording is too short, says so instead. */

#ifndef ANALYSIS_DIAGNOSIS_H
#define ANALYSIS_DIAGNOSIS_H

#include <stdbool.h>
#include "causes.h"
#include "diagnosis_rules.h"
#include "headline.h"
#include "summary.h"
#include "symbols.h"

enum certainty { POSSIBLE, LIKELY, CERTAIN };
extern const char *const certainty_name[CERTAIN + 1];

enum fact_unit {
  FACT_NS, FACT_BYTES, FACT_COUNT,
  FACT_SHARE,                     /* 1 is all */
  FACT_TEXT
};
extern const char *const fact_unit_name[FACT_TEXT + 1];

/* A piece of evidence. */
struct fact {
  char name[80];
  enum fact_unit unit;
  double value;
  char text[160];                 /* FACT_TEXT: perhaps a text of the file, in
                                     any bytes */
};

/* The most facts of a finding, and room for any advice. */
#define FACTS 10
#define ADVICE_SIZE 640

struct finding {
  enum rule_id rule;
  enum certainty certainty;
  char advice[ADVICE_SIZE];       /* of the rule, or of the cause found */
  double weight;                  /* the share concerned, of active time,
                                     memory, samples or events; of a long stop,
                                     its seconds; of an open request, 1; at most 1 */
  double reach;                   /* how much of the weight counts, from 0 to 1: less
                                     than 1 for time of a program that is hardly
                                     active */
  struct {
    uint64_t ns;                  /* 0: none */
    int64_t end_ns;               /* since tracing started */
    uint32_t domain;
  } pause;                        /* that it is about */
  uint64_t request;               /* that it is about; 0: none */
  uint32_t fact_count;
  struct fact facts[FACTS];
};

struct not_judged {
  enum rule_id rule;
  const char *category;           /* that is not recorded; NULL: another reason */
  char why[120];
};

/* How the process used its time: the numbers of a verdict.  [known] is false
   when rule collector_time could not be judged; the others are 0 then. */
struct vital_signs {
  bool known;
  bool waits_known;               /* if not, all time counts as active */
  bool partial;                   /* earlier events of a domain are overwritten, and
                                     the others cover less than LIMIT_WELL */
  double collector_share;         /* of active time */
  double active_share;            /* of the time of all domains */
  uint64_t longest_stop_ns;       /* of a domain that did not wait; 0: none */
  struct collector_causes causes; /* with most of the collector's time */
  double promoted_share;          /* of the words allocated */
  const char *proposed_heap;      /* size of a minor heap to try, as OCAMLRUNPARAM
                                     takes it, such as "4M"; NULL: none */
};

/* A result at a glance: LEVEL_BAD if the weight of a certain finding, times its reach,
   is a quarter or more, unless it is a hot function, no fault by itself; LEVEL_WARNING with any other finding; LEVEL_UNKNOWN without
   findings when rule collector_time could not be judged, or the signs are partial. */
enum level { LEVEL_GOOD, LEVEL_WARNING, LEVEL_BAD, LEVEL_UNKNOWN };
extern const char *const level_name[LEVEL_UNKNOWN + 1];

struct diagnosis;

/* Creates a diagnosis of the process that [cursor] reads. [processors] is the
   number of processors of its machine, 0 when it is not known.  Never returns
   NULL.  The caller frees it with free_diagnosis; the cursor must stay open. */
struct diagnosis *new_diagnosis(struct eventring_cursor *cursor,
                                uint32_t processors);
void free_diagnosis(struct diagnosis *d);

/* Take an event of the cursor, and the news that a read returned none, as
   summary_event and summary_idle do. */
void diagnosis_event(struct diagnosis *d, const struct eventring_event *event);
void diagnosis_idle(struct diagnosis *d);

/* Applies the rules.  [symbols], which must stay valid, finds functions for
   samples.  The finding and the cause in [last], which may be NULL, of the last
   diagnosis of the process, stay first unless others exceed them clearly (see
   LIMIT_FAVOUR).  To be called once, after the last event. */
void diagnosis_finish(struct diagnosis *d, struct symbols *symbols,
                      const struct headline *last);

/* Return the results, and set *count to their number: findings, the most
   important first (see diagnosis.c), and rules that could not be judged.  Valid
   until free_diagnosis. */
const struct finding *diagnosis_findings(const struct diagnosis *d,
                                         uint32_t *count);
const struct not_judged *diagnosis_not_judged(const struct diagnosis *d,
                                              uint32_t *count);

/* Return the headline, the numbers and the level of the verdict; to be called after
   diagnosis_finish. */
struct headline diagnosis_headline(const struct diagnosis *d);
struct vital_signs diagnosis_vital_signs(const struct diagnosis *d);
enum level diagnosis_level(const struct diagnosis *d);

/* Returns the value that was compared with limit [id], in its unit; NAN: none was. */
double diagnosis_measured(const struct diagnosis *d, enum limit_id id);

/* Returns the time that the events of all domains cover, after diagnosis_finish: of the
   domain watched longest or, if earlier events of any are overwritten, of the one of these
   that was watched for the shortest time. */
uint64_t diagnosis_watched_ns(const struct diagnosis *d);

/* Returns the summary of all events, for reading. */
struct summary *diagnosis_summary(struct diagnosis *d);

#endif /* ANALYSIS_DIAGNOSIS_H */
