/* Functions of the library that the command does not show: the description of a
   file, and a recording of the file until its process ends.  use info FILE; use
   record FILE TO. */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <eventring_reader.h>

static int record(struct eventring_cursor *c, const char *to)
{
  struct eventring_recorder *r;
  int running = 1;
  if (eventring_record(to, c, NULL, &r) < 0) return 1;
  while (running) {
    running = eventring_state(c) == EVENTRING_STATE_RUNNING;
    if (eventring_record_step(r) < 0) return 1;
    nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
  }
  return eventring_record_close(r) < 0;
}

int main(int argc, char **argv)
{
  char why[512];
  struct eventring_options o = { .size = sizeof o, .message = why,
                                 .message_size = sizeof why };
  struct eventring_info info = { .size = sizeof info };
  struct eventring_cursor *c;
  int status = 0;
  if (argc < 3 || eventring_open(argv[2], &o, &c) < 0) {
    fprintf(stderr, "%s\n", argc < 3 ? "use info|record FILE [TO]" : why);
    return 1;
  }
  eventring_get_info(c, &info);
  if (argc == 4)
    status = record(c, argv[3]);
  else
    printf("runtime %s\nargv0 %s\n", info.runtime, info.argv0);
  eventring_close(c);
  return status;
}
