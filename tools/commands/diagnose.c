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


/* eventring diagnose: prints the findings of the rules of diagnosis.h, in words
   or as JSON. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "all_processes.h"
#include "diagnosis_json.h"
#include "diagnosis_reading.h"
#include "diagnosis_text.h"
#include "hub_target.h"
#include "json.h"
#include "options.h"
#include "summary_text.h"
#include "targets.h"
#include "text.h"

static const char usage[] =
"Usage: eventring diagnose [OPTION...] [PID|FILE]...\n"
"Prints the faults of a process, how sure they are, and what to do about them.\n"
"For a running process, takes the events that are in its rings now.\n";

static const enum option_id option_ids[] = {
  OPTION_ALL, OPTION_DIR, OPTION_FOLLOW, OPTION_HUB, OPTION_JSON, OPTION_HELP,
  OPTION_END
};

static const char notes[] =
"The exit code is 0 with and without findings.  doc/EVENTS.md lists the rules\n"
"with their limits.  To let more of them judge: eventring enable PID gc_detail\n"
"profile.\n";

/* Text */

#define WIDTH 79

/* Prints [text], words of ASCII, behind [column] characters that are on the
   line already, and breaks lines at WIDTH; further lines begin with [indent]
   spaces. */
static void print_wrapped(const char *text, int column, int indent)
{
  bool first = true;
  while (*text != '\0') {
    int length = (int) strcspn(text, " ");
    if (!first && column + 1 + length > WIDTH) {
      printf("\n%*s", indent, "");
      column = indent;
    } else if (!first) {
      putchar(' ');
      column++;
    }
    printf("%.*s", length, text);
    column += length;
    text += length;
    text += strspn(text, " ");
    first = false;
  }
  putchar('\n');
}

static void print_fact(const struct fact *fact)
{
  char value[QUANTITY_SIZE];
  printf("   %s: ", fact->name);
  switch (fact->unit) {
  case FACT_NS: puts(format_duration(value, (uint64_t) fact->value)); break;
  case FACT_BYTES: puts(format_bytes(value, (uint64_t) fact->value)); break;
  case FACT_SHARE: puts(format_share(value, fact->value)); break;
  case FACT_COUNT: printf("%.*f\n", fact->value == (double) (uint64_t)
                          fact->value ? 0 : 1, fact->value); break;
  default:
    print_text(stdout, fact->text, strlen(fact->text), TEXT_COLUMN);
    putchar('\n');
  }
}

static void print_finding(uint32_t number, const struct finding *f)
{
  const struct rule *rule = &rules[f->rule];
  printf("\n%" PRIu32 ". %s (%s; %s)\n", number, rule->title, rule->name,
         certainty_name[f->certainty]);
  for (uint32_t i = 0; i < f->fact_count; i++) print_fact(&f->facts[i]);
  fputs("   What to do: ", stdout);
  print_wrapped(f->advice, 15, 3);
}

/* Prints [head], the names of the rules for which [member] is true, and an end
   of line; breaks lines at WIDTH. */
static void print_rules(const char *head, const bool member[RULES])
{
  int column = printf("%s", head);
  for (int rule = 0; rule < RULES; rule++) {
    if (!member[rule]) continue;
    int length = (int) strlen(rules[rule].name);
    if (column + 1 + length > WIDTH) {
      fputs("\n   ", stdout);
      column = 3;
    }
    column += printf(" %s", rules[rule].name);
  }
  putchar('\n');
}

/* Prints the names of the rules that were judged, of which none found
   anything. */
static void print_nothing_found(const struct diagnosis *d)
{
  uint32_t count;
  const struct not_judged *not = diagnosis_not_judged(d, &count);
  bool judged[RULES];
  for (int rule = 0; rule < RULES; rule++) judged[rule] = true;
  for (uint32_t i = 0; i < count; i++) judged[not[i].rule] = false;
  if (count < RULES) print_rules("looked for:", judged);
}

/* Prints the rules that were not judged, one line for each reason. */
static void print_not_judged(const struct diagnosis *d)
{
  uint32_t count;
  const struct not_judged *not = diagnosis_not_judged(d, &count);
  bool printed[RULES] = { false };
  if (count > 0) puts("\nnot judged:");
  for (uint32_t i = 0; i < count; i++) {
    bool same[RULES] = { false };
    char head[sizeof not->why + 4];
    if (printed[not[i].rule]) continue;
    for (uint32_t k = i; k < count; k++)
      if (strcmp(not[k].why, not[i].why) == 0)
        printed[not[k].rule] = same[not[k].rule] = true;
    snprintf(head, sizeof head, "  %s:", not[i].why);
    print_rules(head, same);
  }
}

static void print_diagnosis(struct diagnosis *d)
{
  uint32_t count;
  const struct finding *f = diagnosis_findings(d, &count);
  char verdict[VERDICT_SIZE];
  fputs("verdict: ", stdout);
  print_wrapped(format_verdict(verdict, d), 9, 3);
  print_process(diagnosis_summary(d));
  for (uint32_t i = 0; i < count; i++) print_finding(i + 1, &f[i]);
  if (count == 0) print_nothing_found(d);
  print_not_judged(d);
  print_lost(diagnosis_summary(d));
}

/* The command */

static void *begin(void *command, const struct all_processes *all, int which)
{
  (void) command;
  return begin_diagnosis(all->sources[which].cursor);
}

/* Applies the rules, prints the findings in the form that [command], a bool,
   says (JSON if it is true), and frees the diagnosis. */
static enum status end(void *command, const struct all_processes *all,
                       int which, void *diagnosis)
{
  const bool *json = command;
  end_diagnosis(diagnosis, all->sources[which].cursor, NULL);
  if (*json) {
    json_t *object = json_diagnosis(diagnosis);
    if (all->labels != NULL) json_label(object, &all->labels[which]);
    print_json(object, all->labels != NULL);
  } else {
    print_section(all, which, which == 0);
    print_diagnosis(diagnosis);
  }
  free_diagnosis(diagnosis);
  return STATUS_OK;
}

static enum status run(int argc, char **argv)
{
  const char *dir = NULL;
  bool follow = false, json = false, several = false;
  int option;
  while ((option = next_option(&diagnose_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_ALL: several = true; break;
    case OPTION_DIR: dir = optarg; break;
    case OPTION_FOLLOW: follow = true; break;
    case OPTION_HUB: use_hub(&diagnose_command, optarg); break;
    case OPTION_JSON: json = true; break;
    }
  struct all_processes all = open_processes(&diagnose_command, argc, argv, dir,
                                            several);
  enum status status = read_each(&all, &(struct each) {
    .command = &json, .begin = begin, .event = take_diagnosis_event,
    .quiet = diagnosis_is_quiet, .end = end
  }, follow);
  status = finish_output(status);
  close_processes(&all);
  return status;
}

const struct command diagnose_command = {
  .name = "diagnose",
  .summary = "say what is wrong, and what to do about it",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
