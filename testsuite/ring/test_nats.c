// BUILD: -Ifleet -Ianalysis fleet/nats_fresh.c fleet/nats_version.c fleet/hub_url.c fleet/explain.c libanalysis.a -ljansson
/* If this breaks, an old report of a node counts as a new one, or the agents of a
   hub that has been started again are refused for ever; or a hub does not warn of
   a server that loses data. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>
#include "nats_fresh.h"
#include "nats_version.h"
#include "tls.h"

#define SECOND INT64_C(1000000000)
#define NOW (1000 * SECOND)

static const char *said;          /* by the server */
static unsigned runs;

/* In place of the network and the random numbers of the system. */
int connect_to_host(const struct hub_url *url, int64_t until, char *why,
                    size_t size)
{
  int pair[2];
  (void) until;
  (void) why;
  (void) size;
  assert_string_equal(url->host, "example.com");
  assert_string_equal(url->port, "4222");
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  assert_int_equal(write(pair[1], said, strlen(said)), strlen(said));
  close(pair[1]);
  return pair[0];
}

bool make_hub_token(char token[HUB_TOKEN_SIZE])
{
  snprintf(token, HUB_TOKEN_SIZE, "%032u", ++runs);
  return true;
}

/* Judges a report of [node] that was made at [time_ns], and keeps it if it is
   new and [kept]. */
static enum freshness report(struct fresh *f, const char *node, const char *run,
                             int64_t time_ns, bool kept)
{
  struct reported_node *reported;
  char text[32];
  int64_t parsed;
  snprintf(text, sizeof text, "%lld", (long long) time_ns);
  const enum freshness judged = begin_report(f, node, run, text, NOW, &reported,
                                             &parsed);
  assert_int_equal(reported == NULL, judged == FRESH_OLD);
  end_report(reported, kept, parsed);
  return judged;
}

static void times_of_reports_grow(void **state)
{
  struct fresh f;
  (void) state;
  assert_true(open_fresh(&f));
  assert_int_equal(report(&f, "a", f.run, NOW - 5, true), FRESH_NEW);
  assert_int_equal(report(&f, "a", f.run, NOW - 5, true), FRESH_REPEATED);
  assert_int_equal(report(&f, "a", f.run, NOW - 6, true), FRESH_OLD);
  assert_int_equal(report(&f, "b", f.run, NOW - 6, true), FRESH_NEW);
  assert_int_equal(report(&f, "a", f.run, NOW - 4, true), FRESH_NEW);
  assert_int_equal(report(&f, "a", f.run, NOW - 5, true), FRESH_OLD);
  close_fresh(&f);
}

static void report_that_was_not_kept_comes_again(void **state)
{
  struct fresh f;
  (void) state;
  assert_true(open_fresh(&f));
  assert_int_equal(report(&f, "a", f.run, NOW, false), FRESH_NEW);
  assert_int_equal(report(&f, "a", f.run, NOW, true), FRESH_NEW);
  assert_int_equal(report(&f, "a", f.run, NOW, true), FRESH_REPEATED);
  close_fresh(&f);
}

static void report_for_another_run_is_old(void **state)
{
  struct fresh before, f;
  (void) state;
  assert_true(open_fresh(&before));
  assert_true(open_fresh(&f));
  assert_int_equal(report(&f, "a", before.run, NOW, true), FRESH_OLD);
  assert_int_equal(report(&f, "a", "", NOW, true), FRESH_OLD);
  close_fresh(&before);
  close_fresh(&f);
}

static void messages_are_fresh_for_a_time(void **state)
{
  struct fresh f;
  int64_t ns;
  (void) state;
  assert_true(open_fresh(&f));
  assert_int_equal(report(&f, "a", f.run, NOW - FRESH_REPORT_NS - 1, true),
                   FRESH_OLD);
  assert_int_equal(report(&f, "a", f.run, NOW - FRESH_REPORT_NS, true),
                   FRESH_NEW);
  assert_int_equal(report(&f, "a", f.run, NOW + FRESH_AHEAD_NS + 1, true),
                   FRESH_OLD);
  assert_true(is_fresh_message(&f, f.run, "400000000000", FRESH_PART_NS, NOW,
                               &ns));
  assert_int_equal(ns, 400 * SECOND);
  assert_false(is_fresh_message(&f, f.run, "399999999999", FRESH_PART_NS, NOW,
                                &ns));
  static const char *const wrong[] = { "", "-1", " 1000000000000", "1e12",
                                       "9999999999999999999" };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(is_fresh_message(&f, f.run, wrong[i], INT64_MAX, NOW, &ns));
  close_fresh(&f);
}

/* Returns the fault of a server of this version. */
static const char *fault(const char *version, bool clustered)
{
  struct nats_server server = { .clustered = clustered };
  snprintf(server.version, sizeof server.version, "%s", version);
  return nats_server_fault(&server);
}

static void faults_are_of_versions(void **state)
{
  (void) state;
  assert_null(fault("2.9.25", false));
  assert_non_null(fault("2.9.25", true));
  assert_non_null(fault("2.8.0", true));
  assert_null(fault("2.9.26", true));
  assert_null(fault("2.10.19", true));
  assert_non_null(fault("2.10.20", false));
  assert_non_null(fault("2.10.22", true));
  assert_null(fault("2.10.23", true));
  assert_null(fault("2.12.0", true));
  assert_non_null(fault("2.12.1", false));
  assert_non_null(fault("2.12.1-RC.1", false));
  assert_null(fault("2.12.10", true));
  assert_null(fault("", true));
  assert_null(fault("two", true));
}

/* Asks a server that says [line]. */
static bool asks(const char *line, struct nats_server *server)
{
  said = line;
  return ask_nats_server("nats://example.com:4222", server);
}

static void server_tells_its_version(void **state)
{
  struct nats_server server;
  (void) state;
  assert_true(asks("INFO {\"version\":\"2.9.10\",\"cluster\":\"c\"} \r\n",
                   &server));
  assert_string_equal(server.version, "2.9.10");
  assert_true(server.clustered);
  assert_true(asks("INFO {\"version\":\"2.12.1\"}\r\nPING\r\n", &server));
  assert_false(server.clustered);
  assert_false(asks("INFO {\"version\":\"2.9.10\"}", &server));
  assert_false(asks("INFO {\"version\":7}\r\n", &server));
  assert_false(asks("INFO {\r\n", &server));
  assert_false(asks("-ERR 'no'\r\n", &server));
  assert_false(asks("", &server));
  assert_false(ask_nats_server("example.com:4222", &server));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(times_of_reports_grow),
    cmocka_unit_test(report_that_was_not_kept_comes_again),
    cmocka_unit_test(report_for_another_run_is_old),
    cmocka_unit_test(messages_are_fresh_for_a_time),
    cmocka_unit_test(faults_are_of_versions),
    cmocka_unit_test(server_tells_its_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
