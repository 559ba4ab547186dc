/* Events of C stubs, with the functions of caml/eventring.h. */

#include <caml/eventring.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

static int checksum, size, waiting;

/* Registration, once and before any domain calls the others.  The names are
   shared with OCaml code: this is the event that
   Eventring.Counter.register ~unit:"bytes" "checksum size" gives. */
value example_register(value unit)
{
  checksum = caml_eventring_register_span("checksum");
  size = caml_eventring_register_counter("checksum size", "bytes");
  waiting = caml_eventring_register_span("wait");
  return Val_unit;
}

/* Adler's checksum.  Writing an event neither allocates nor raises, so [data]
   need not be a root for it, and a stub may be [@@noalloc]. */
value example_checksum(value data)
{
  uint32_t a = 1, b = 0;
  mlsize_t length = caml_string_length(data);

  caml_eventring_span_start(checksum);
  caml_eventring_counter_sample(size, length);
  for (mlsize_t i = 0; i < length; i++) {
    a = (a + Byte_u(data, i)) % 65521;
    b = (b + a) % 65521;
  }
  caml_eventring_span_finish(checksum);
  return Val_long((intnat) b << 16 | a);
}

/* The domain lock must be held while writing: span a blocking section from the
   outside. */
value example_wait(value unit)
{
  caml_eventring_span_start(waiting);
  caml_enter_blocking_section();
  /* ... read(), poll(), a computation without OCaml values ... */
  caml_leave_blocking_section();
  caml_eventring_span_finish(waiting);
  return Val_unit;
}
