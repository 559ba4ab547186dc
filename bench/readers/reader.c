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

/* A reader for bench/run-reader: libeventring, one ring or all merged by time.
   reader FOLDER PID ring|merged.  Commands and answers are as in polling.ml;
   all events count as the program's. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <eventring_reader.h>

#define BATCH 256

static volatile int64_t last;   /* it looks at the time of each event */

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
  static struct eventring_event ev[BATCH];
  struct eventring_cursor *c;
  char why[512] = "";
  struct eventring_options o = { .size = sizeof(o), .message = why,
                                 .message_size = sizeof(why) };
  if (argc != 4) {
    fprintf(stderr, "usage: reader FOLDER PID ring|merged\n");
    return 2;
  }
  if (eventring_open_pid(atoi(argv[2]), argv[1], &o, &c) < 0) {
    fprintf(stderr, "reader: %s\n", why);
    return 1;
  }
  int merged = strcmp(argv[3], "merged") == 0;
  puts("ready");
  fflush(stdout);
  while (scanf("%*d %*d") != EOF) {
    int64_t events = 0, lost = 0, failed = 0, n;
    int64_t start = now();
    while ((n = merged ? eventring_read(c, ev, BATCH)
                       : eventring_read_ring(c, 0, ev, BATCH)) != 0) {
      if (n < 0) failed++;
      for (int64_t i = 0; i < n; i++) {
        last = ev[i].ns;
        if (ev[i].form == EVENTRING_EV_LOST)
          lost += (int64_t) ev[i].payload[0];
        else events++;
      }
    }
    printf("%" PRId64 " %" PRId64 " 0 %" PRId64 " %" PRId64 "\n",
           now() - start, events, lost, failed);
    fflush(stdout);
  }
  eventring_close(c);
  return 0;
}
