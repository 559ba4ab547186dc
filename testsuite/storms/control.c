/* Pauses, resumes and changes categories of a process at random, N times.

     control FILE N SEED */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "eventring_reader.h"

int main(int argc, char **argv)
{
  char why[256] = "";
  struct eventring_options o = {
    .size = sizeof o, .control = 1, .message = why, .message_size = sizeof why
  };
  struct eventring_cursor *c;
  if (argc != 4) return 2;
  if (eventring_open(argv[1], &o, &c) < 0) {
    fprintf(stderr, "%s\n", why);
    return 3;
  }
  srand(atoi(argv[3]));
  for (int i = atoi(argv[2]); i > 0; i--) {
    int error = 0;
    switch (rand() % 3) {
    case 0: error = eventring_pause(c); break;
    case 1: error = eventring_resume(c); break;
    case 2: error = eventring_set_categories(c, (uint32_t) rand()); break;
    }
    if (error < 0) return 1;
    usleep(rand() % 200);
  }
  /* Switches all categories on at the end, even if set while paused. */
  eventring_set_categories(c, 0xFFFFFFFF);
  eventring_resume(c);
  eventring_close(c);
  return 0;
}
