#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "eventring_reader.h"

/* Switches the samples of the process with the ring file argv[1] on and off
   argv[2] times, a millisecond apart.  argv[3] is the mask of categories with
   samples, argv[4] without. */
int main(int argc, char **argv)
{
  struct eventring_options o = { .size = sizeof o, .control = 1 };
  struct timespec ms = { 0, 1000000 };
  struct eventring_cursor *c;
  if (argc < 5) return 2;
  int err = eventring_open(argv[1], &o, &c);
  for (int i = 2 * atoi(argv[2]); i > 0 && err == 0; i--) {
    err = eventring_set_categories(c, (uint32_t) atoi(argv[3 + i % 2]));
    nanosleep(&ms, NULL);
  }
  if (err != 0) fprintf(stderr, "%s\n", eventring_strerror(err));
  eventring_close(c);
  return err != 0;
}
