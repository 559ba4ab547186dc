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
   turns so that both see the same machine: startup PROGRAM NAME=VALUE, where
   the variable turns tracing on.  Prints two lines as measure.ml does. */

#include <inttypes.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#define TURNS 31

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

int main(int argc, char **argv)
{
  static int64_t ns[2][TURNS];
  if (argc != 3) {
    fprintf(stderr, "usage: startup PROGRAM NAME=VALUE\n");
    return 2;
  }
  char *off[] = { NULL };
  char *on[] = { argv[2], NULL };
  for (int i = 0; i < TURNS; i++) {
    ns[0][i] = run(argv[1], off);
    ns[1][i] = run(argv[1], on);
  }
  for (int k = 0; k < 2; k++) {
    printf("run an idle program\t-\t%s\t0\t0\t", k ? "enabled" : "disabled");
    for (int i = 0; i < TURNS; i++)
      printf("%s%" PRId64, i > 0 ? "," : "", ns[k][i]);
    printf("\t0\n");
  }
  return 0;
}
