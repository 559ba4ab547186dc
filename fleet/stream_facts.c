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


/* See stream_facts.h. */

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "stream_facts.h"
#include "target.h"

/* Copies the digits of a boot id, of which [to] has room for 36. */
static void copy_boot(char *to, const char *id)
{
  for (size_t i = 0; i < 36 && id[i] != '\0'; i++)
    if ((id[i] >= '0' && id[i] <= '9') || (id[i] >= 'a' && id[i] <= 'f'))
      *to++ = id[i];
  *to = '\0';
}

/* Returns the digits of the boot id of this machine. */
static const char *own_boot(void)
{
  static char boot[40];
  if (boot[0] == '\0') {
    char id[40];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file == NULL || fscanf(file, "%36[0-9a-f-]", id) != 1) strcpy(id, "0");
    if (file != NULL) fclose(file);
    copy_boot(boot, id);
  }
  return boot;
}

/* Sets [facts] of a process with the number [pid] in its own pid namespace: with
   another number, an agent may not find the process any more when it has ended. */
static void set_facts(struct spool_facts *facts, const char *boot,
                      uint64_t pid_namespace, int32_t pid, int64_t started_ns,
                      const char *program)
{
  *facts = (struct spool_facts) { .pid = pid };
  snprintf(facts->name, sizeof facts->name,
           "%s-%" PRIu64 "-%" PRId32 "-%" PRIu64, boot, pid_namespace, pid,
           (uint64_t) started_ns);
  for (size_t i = 0; i < sizeof facts->program - 1 && program[i] != '\0'; i++)
    facts->program[i] = (unsigned char) program[i] < ' ' ? '?' : program[i];
}

bool facts_of_cursor(struct eventring_cursor *cursor, struct spool_facts *facts)
{
  struct eventring_info info = target_info(cursor);
  char boot[40];
  copy_boot(boot, info.boot_id);
  /* Of another time namespace, the boot is the same, and the times are not. */
  if (boot[0] != '\0' ? strcmp(boot, own_boot()) != 0
                      : !info.same_boot
                        && eventring_state(cursor) != EVENTRING_STATE_RUNNING)
    return false;
  set_facts(facts, own_boot(), info.pid_namespace, info.own_pid, info.started_ns,
            info.program);
  facts->pid = info.pid;
  return true;
}

void facts_of_tombstone(const struct eventring_tombstone *t,
                        struct spool_facts *facts)
{
  char boot[40];
  copy_boot(boot, t->boot_id);
  set_facts(facts, boot[0] != '\0' ? boot : own_boot(), t->pid_namespace,
            t->pid, t->started_ns, t->program);
}
