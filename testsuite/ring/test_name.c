// BUILD: @testsuite/ring/producer.files -I_build/ocaml/runtime -iquote _build/ocaml/runtime/caml
/* If this breaks, the file names another program than the one that runs, or
   the runtime reads beyond the program's arguments that the system returned.
   The test runs itself again under other names, with the runtime's own
   producer, as for bytecode. */

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "producer.h"
#include "eventring_reader.h"

/* Runs in the second process.  Returns 0 when its file has the [expected]
   name. */
static int is_named(const char *expected)
{
  char dir[] = "/tmp/name.XXXXXX", why[1024];
  struct eventring_cursor *c;
  struct eventring_info info;
  char *path;
  int differs = 1;
  params.runtime_events_log_wsize = EVENTRING_MIN_LOG_WORDS;
  params.max_domains = 1;
  if (mkdtemp(dir) == NULL
      || !caml_eventring_start(dir, EVENTRING_SUFFIX, EVENTRING_ALL_CATEGORIES,
                               0, why, sizeof why))
    return 2;
  path = caml_eventring_path();
  if (path != NULL && eventring_open(path, NULL, &c) == 0) {
    info.size = sizeof info;
    eventring_get_info(c, &info);
    differs = strcmp(info.argv0, expected) != 0;
    if (differs) printf("# %s\n", info.argv0);
    eventring_close(c);
  }
  free(path);
  caml_eventring_stop();
  rmdir(dir);
  return differs;
}

static int number;

static int named(const char *what, const char *expected, const char *name,
                 const char *argument)
{
  int status = 1;
  pid_t child;
  fflush(stdout);
  setenv("EXPECTED_NAME", expected, 1);
  child = fork();
  if (child == 0) {
    execl("/proc/self/exe", name, argument, (char *) NULL);
    _exit(9);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0) status = 1;
  printf("%sok %d - %s\n", status == 0 ? "" : "not ", ++number, what);
  return status != 0;
}

int main(void)
{
  const char *expected = getenv("EXPECTED_NAME");
  char name[1100], cut[256];
  int failed = 0;
  if (expected != NULL) return is_named(expected);
  failed |= named("a program", "/x/prog", "/x/prog", "/x/other");
  failed |= named("ocamlrun's program", "/x/prog", "/x/ocamlrun", "/x/prog");
  failed |= named("ocamlrun without one", "/x/ocamlrun", "/x/ocamlrun", NULL);
  failed |= named("ocamlrun's options", "/x/ocamlrun", "/x/ocamlrun", "-v");
  /* The last component begins before the end of the part that is kept. */
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  memcpy(name + 1000, "/ocamlrun", 9);
  memcpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = 0;
  failed |= named("a long name of ocamlrun", cut, name, "/x/prog");
  printf("1..%d\n", number);
  return failed;
}
