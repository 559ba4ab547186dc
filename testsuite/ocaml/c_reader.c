/* The C interface of Runtime_events, from a stub: a cursor on this process,
   every callback, and the result of a poll.  Each check is a line of standard
   output as the function "checks" of programs.sh reads them. */

#define CAML_NAME_SPACE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <caml/mlvalues.h>
#include <caml/runtime_events.h>
#include <caml/runtime_events_consumer.h>

#define DATA ((void *) &seen)

static struct {
  int begins, ends, counters, units, spans, ints, customs, lives, lost, wrong;
  uint64_t last_int;
  char text[32];
  int stop_at;
  struct caml_runtime_events_cursor *cursor;
} seen;

static void ok(const char *name, int condition)
{
  printf("%s - %s\n", condition ? "ok" : "not ok", name);
  fflush(stdout);
}

static void note(void *data, int64_t time)
{
  if (data != DATA || time <= 0) seen.wrong++;
}

static int begin(int domain, void *data, uint64_t time, ev_runtime_phase phase)
{
  (void) domain;
  note(data, time);
  seen.begins += phase == EV_MINOR;
  return 1;
}

static int end(int domain, void *data, uint64_t time, ev_runtime_phase phase)
{
  (void) domain;
  note(data, time);
  seen.ends += phase == EV_MINOR;
  return 1;
}

static int counter(int domain, void *data, uint64_t time,
                   ev_runtime_counter counter, uint64_t value)
{
  (void) domain; (void) value;
  note(data, time);
  seen.counters += counter == EV_C_MINOR_PROMOTED;
  return 1;
}

static int lifecycle(int domain, void *data, int64_t time, ev_lifecycle event,
                     int64_t argument)
{
  (void) domain; (void) argument;
  note(data, time);
  seen.lives += event == EV_RING_START;
  return 1;
}

static int lost(int domain, void *data, int n)
{
  (void) domain; (void) data;
  seen.lost += n;
  return 1;
}

static int user_unit(int domain, void *data, int64_t time, uintnat id,
                     char *name)
{
  (void) domain; (void) id;
  note(data, time);
  seen.units += strcmp(name, "a unit") == 0;
  return 1;
}

static int user_span(int domain, void *data, int64_t time, uintnat id,
                     char *name, ev_user_span span)
{
  (void) domain; (void) id;
  note(data, time);
  seen.spans += strcmp(name, "a span") == 0
    && span == (seen.spans == 0 ? EV_USER_SPAN_BEGIN : EV_USER_SPAN_END);
  return 1;
}

static int user_int(int domain, void *data, int64_t time, uintnat id,
                    char *name, uint64_t value)
{
  (void) domain; (void) id;
  note(data, time);
  if (strcmp(name, "an int") != 0) return 1;
  if (value == (uint64_t) seen.stop_at) return 0;
  seen.ints++;
  seen.last_int = value;
  return 1;
}

static int user_custom(int domain, void *data, int64_t time, uintnat id,
                       char *name, uintnat words, uint64_t *payload)
{
  (void) domain; (void) id;
  note(data, time);
  if (strcmp(name, "a text") == 0 && words == 2 && payload[0] == 5)
    memcpy(seen.text, &payload[1], 5);
  seen.customs++;
  return 1;
}

static int poll_inside(int domain, void *data, int64_t time, uintnat id,
                       char *name)
{
  (void) domain; (void) time; (void) id; (void) name;
  seen.units += caml_runtime_events_read_poll(seen.cursor, data, 0, NULL)
                == E_CURSOR_POLL_BUSY;
  return 1;
}

static int free_inside(int domain, void *data, int64_t time, uintnat id,
                       char *name)
{
  (void) domain; (void) data; (void) time; (void) id; (void) name;
  caml_runtime_events_free_cursor(seen.cursor);
  seen.units++;
  return 1;
}

/* The OCaml side has switched categories off. */
value test_c_refused(value unit)
{
  struct caml_runtime_events_cursor *c = NULL;
  ok("not all categories are recorded: an error of its own",
     caml_runtime_events_create_cursor(NULL, -1, &c) == E_NOT_RECORDED
     && c == NULL);
  return unit;
}

/* The OCaml side has written an event of each kind, and ints 1 to 10. */
value test_c_reader(value unit)
{
  struct caml_runtime_events_cursor *c = NULL;
  uintnat n = 0;
  (void) unit;

  ok("no such process is an error",
     caml_runtime_events_create_cursor("/nowhere", 1, &c) == E_OPEN_FAILURE);
  ok("a cursor on this process",
     caml_runtime_events_create_cursor(NULL, -1, &c) == E_SUCCESS);
  ok("tracing is active", caml_runtime_events_are_active());

  ok("a poll without callbacks",
     caml_runtime_events_read_poll(c, DATA, 3, &n) == E_SUCCESS);
  ok("reads as many events as it may", n == 3);
  caml_runtime_events_free_cursor(c);

  memset(&seen, 0, sizeof(seen));
  seen.stop_at = 6;
  caml_runtime_events_create_cursor(NULL, -1, &c);
  caml_runtime_events_set_runtime_begin(c, begin);
  caml_runtime_events_set_runtime_end(c, end);
  caml_runtime_events_set_runtime_counter(c, counter);
  caml_runtime_events_set_lifecycle(c, lifecycle);
  caml_runtime_events_set_lost_events(c, lost);
  caml_runtime_events_set_user_unit(c, user_unit);
  caml_runtime_events_set_user_span(c, user_span);
  caml_runtime_events_set_user_int(c, user_int);
  caml_runtime_events_set_user_custom(c, user_custom);
  ok("a poll with every callback",
     caml_runtime_events_read_poll(c, DATA, 0, &n) == E_SUCCESS && n > 10);
  ok("a minor collection begins and ends", seen.begins > 0
     && seen.begins == seen.ends);
  ok("a counter", seen.counters > 0);
  ok("a lifecycle event", seen.lives == 1);
  ok("a unit", seen.units == 1);
  ok("a span", seen.spans == 2);
  ok("a text", strcmp(seen.text, "hello") == 0);
  ok("nothing lost", seen.lost == 0);
  ok("data and time are right everywhere", seen.wrong == 0);
  ok("a callback that returns 0 stops the poll", seen.last_int == 5);
  seen.stop_at = 0;
  caml_runtime_events_read_poll(c, DATA, 0, &n);
  ok("the next one begins with the same event", seen.ints == 10);
  caml_runtime_events_read_poll(c, DATA, 0, &n);
  ok("and then there is nothing", n == 0);
  caml_runtime_events_free_cursor(c);

  memset(&seen, 0, sizeof(seen));
  caml_runtime_events_create_cursor(NULL, -1, &seen.cursor);
  caml_runtime_events_set_user_unit(seen.cursor, poll_inside);
  caml_runtime_events_read_poll(seen.cursor, DATA, 0, &n);
  ok("polling inside a poll is refused", seen.units == 1);
  caml_runtime_events_free_cursor(seen.cursor);

  memset(&seen, 0, sizeof(seen));
  caml_runtime_events_create_cursor(NULL, -1, &seen.cursor);
  caml_runtime_events_set_user_unit(seen.cursor, free_inside);
  ok("freeing inside a poll",
     caml_runtime_events_read_poll(seen.cursor, DATA, 0, &n) == E_SUCCESS
     && seen.units == 1);

  caml_runtime_events_pause();
  ok("paused by C", !caml_runtime_events_are_active());
  caml_runtime_events_resume();
  ok("resumed by C", caml_runtime_events_are_active());
  puts("done");
  fflush(stdout);
  return Val_unit;
}

value test_c_start(value unit)
{
  (void) unit;
  caml_runtime_events_start();
  return Val_unit;
}
