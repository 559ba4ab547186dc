// BUILD: testsuite/ring/ring_file.c testsuite/ring/ring_test.c -Ianalysis -Ifleet -Iserve -Irender -Isources serve/guards.c serve/view.c sources/unnamed_file.c sources/trigger.c libanalysis.a -ljansson
/* If this breaks, a rule of eventring serve misses its event, or the event is not in the
   file, or nobody learns that a process is not watched. */

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>
#include "actions.h"
#include "guards.h"
#include "manifest.h"
#include "registry.h"
#include "ring_test.h"
#include "rules.h"
#include "saved.h"
#include "target.h"
#include "view.h"

#define MARK 700

/* What the guards use of the server.  There is one view at a time, which only they
   read, and one rule: the event "mark", with no time before and after. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct view *the_view;
static char dir[128];
static atomic_int version, files, kept, told, failed;
static int64_t cut_from_ns;
static const struct settings settings = { .store = dir };

int all_views(struct view *views[REGISTRY_VIEWS])
{
  pthread_mutex_lock(&lock);
  const int count = the_view != NULL;
  if (count > 0) views[0] = hold_view(the_view);
  pthread_mutex_unlock(&lock);
  return count;
}

uint64_t rules_version(void)
{
  return (uint64_t) version;
}

int rules_for(const char *program, bool fleet, struct rule rules[RULES])
{
  char why[256];
  (void) program;
  (void) fleet;
  rules[0] = (struct rule) { .id = 1, .text = "mark" };
  return parse_trigger(&rules[0].trigger, "mark", why, sizeof why);
}

const struct rule *fired_rule(struct rule *rules, int number,
                              const struct happening *happening, uint64_t process)
{
  return number == 1 && process == 1 && trigger_fires(&rules[0].trigger, happening)
           ? &rules[0] : NULL;
}

void rule_has_fired(const struct rule *rule, uint64_t process, int32_t pid,
                    json_t *fired, bool saved, const char *result)
{
  (void) rule, (void) process, (void) pid, (void) result;
  told += json_is_true(fired);
  kept += saved;
}

void add_action(const char *origin, uint64_t process, const char *action,
                const char *result)
{
  (void) origin;
  (void) process;
  if (strcmp(action, "watch") == 0 && strstr(result, strerror(EMFILE)) != NULL)
    failed++;
}

bool make_store(const char *store, char *why, size_t why_size)
{
  (void) store;
  (void) why;
  (void) why_size;
  return true;
}

uint32_t limit_store(const char *store, const char *rule,
                     const struct store_limits *limits)
{
  (void) store;
  (void) rule;
  (void) limits;
  return 0;
}

void temporary_in_store(const char *store, char path[PATH_MAX])
{
  snprintf(path, PATH_MAX, "%s/%d", store, files++);
}

json_t *json_fired_event(const struct fired_event *event)
{
  return strcmp(event->name, "mark") == 0 ? json_true() : json_false();
}

char *new_saved_manifest(struct eventring_cursor *cursor, const char *rule,
                         const struct fired_event *fired)
{
  (void) cursor, (void) fired;
  return strdup(rule);
}

int cut_recording(const char *from, const char *to, int64_t from_ns,
                  int64_t to_ns, char *why, size_t why_size)
{
  (void) from;
  (void) to;
  (void) to_ns;
  (void) why;
  (void) why_size;
  cut_from_ns = from_ns;
  return 0;
}

bool keep_in_store(const char *store, const char *temporary,
                   const struct eventring_info *info, const char *rule,
                   const struct store_limits *limits, char path[PATH_MAX],
                   char *why, size_t why_size)
{
  (void) store;
  (void) temporary;
  (void) info;
  (void) rule;
  (void) limits;
  (void) why;
  (void) why_size;
  path[0] = '\0';
  return true;
}

/* The test has no metrics. */
void free_metrics(struct metrics *metrics)
{
  assert_null(metrics);
}

/* Returns the member [name] of what the guards say of the rules. */
static int said(const char *name)
{
  json_t *rules = json_object();
  set_watched(rules);
  const int n = (int) json_integer_value(json_object_get(rules, name));
  json_decref(rules);
  return n;
}

static bool is_watched(void)
{
  return said("watched") == 1 && said("not_watched") == 0;
}

static bool is_not_watched(void)
{
  return said("watched") == 0 && said("not_watched") == 1 && failed > 0;
}

static bool is_idle(void)
{
  return said("watched") == 0 && said("not_watched") == 0;
}

static bool is_kept(void)
{
  return kept == 1;
}

/* Waits up to a minute until [comes_true]. */
static void eventually(bool (*comes_true)(void), const char *what)
{
  const int64_t until = monotonic_ns() + 60 * SECOND_NS;
  while (!comes_true() && monotonic_ns() < until)
    nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
  if (!comes_true()) fail_msg("not within a minute: %s", what);
}

static void show(struct view *view)
{
  pthread_mutex_lock(&lock);
  the_view = view;
  pthread_mutex_unlock(&lock);
}

static struct view *set_up(struct ring_file *f)
{
  char why[512];
  ring_create(f, &(struct ring_options) { .log_words = 14,
                                              .state = EVENTRING_RUNNING });
  ring_schema(f, MARK, EVENTRING_INSTANT, EVENTRING_INTS, 1, "", "mark");
  snprintf(dir, sizeof dir, "%s", f->dir);
  files = kept = told = failed = 0;
  struct view *view = new_view(1, 0, f->path, 0, why, sizeof why);
  if (view == NULL) fail_msg("%s", why);
  return view;
}

static void tear_down(struct ring_file *f, struct view *view)
{
  show(NULL);
  f->header->state = EVENTRING_ENDED;
  eventually(is_idle, "the guard ends");
  drop_view(view);
  for (int i = 0; i < files; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%d", dir, i);
    unlink(path);
  }
  ring_destroy(f);
}

/* Neither the sampler of the server reads the view nor a client. */
static void an_event_fires_a_rule(void **state)
{
  struct ring_file f;
  (void) state;
  struct view *view = set_up(&f);
  show(view);
  eventually(is_watched, "the process is watched");
  const int64_t ns = monotonic_ns();
  ring_count(&f, 0, (uint64_t) ns, MARK, 1);
  eventually(is_kept, "a file is kept");
  assert_int_equal(told, 1);
  /* The clock of the file may be a little behind that of the view. */
  assert_in_range(ns - cut_from_ns, 1000, SECOND_NS);
  tear_down(&f, view);
}

/* Without a free descriptor a guard cannot begin; another one begins later. */
static void a_guard_that_fails_is_reported(void **state)
{
  struct ring_file f;
  struct rlimit limit;
  (void) state;
  struct view *view = set_up(&f);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit) {
                                              0, limit.rlim_max }), 0);
  show(view);
  eventually(is_not_watched, "the failure is told");
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
  version++;
  eventually(is_watched, "the process is watched");
  tear_down(&f, view);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_event_fires_a_rule),
    cmocka_unit_test(a_guard_that_fails_is_reported),
  };
  start_guards(&settings);
  const int result = cmocka_run_group_tests(tests, NULL, NULL);
  stop_guards();
  return result;
}
