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

/* How long a program takes from start to end, without and with tracing, in
   turns so that both see the same machine: startup PROGRAM.  Prints two rows
   of the probes table (median and least in ns); the last column, for the bare
   clock, is empty. */

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#define TURNS 400

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t run(char *program, char **environment)
{
  char *argv[] = { program, NULL };
  pid_t pid;
  int status;
  int64_t start = now();
  if (posix_spawn(&pid, program, NULL, NULL, argv, environment) != 0
      || waitpid(pid, &status, 0) != pid || status != 0) {
    fprintf(stderr, "startup: %s does not run\n", program);
    exit(1);
  }
  return now() - start;
}

static int ascending(const void *a, const void *b)
{
  int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  static int64_t ns[2][TURNS];
  char *off[] = { NULL };
  char *on[] = { "OCAML_EVENTRING_START=1", NULL };
  if (argc != 2) {
    fprintf(stderr, "usage: startup PROGRAM\n");
    return 2;
  }
  for (int i = 0; i < TURNS; i++) {
    ns[0][i] = run(argv[1], off);
    ns[1][i] = run(argv[1], on);
  }
  for (int k = 0; k < 2; k++) {
    qsort(ns[k], TURNS, sizeof(ns[k][0]), ascending);
    printf("run an idle program\t%s\t%lld\t%lld\t\n",
           k ? "enabled" : "disabled", (long long) ns[k][TURNS / 2],
           (long long) ns[k][0]);
  }
  return 0;
}
