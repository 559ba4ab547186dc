/* The public part of caml/eventring.h, and nothing else of the runtime's. */

#include <pthread.h>
#include <caml/mlvalues.h>
#include <caml/eventring.h>

value stub_span(value name)
{
  return Val_int(caml_eventring_span(String_val(name)));
}

value stub_counter(value name, value unit)
{
  const char *u = String_val(unit);
  return Val_int(caml_eventring_counter(String_val(name), *u ? u : NULL));
}

value stub_start(value event)
{
  caml_eventring_span_start(Int_val(event));
  return Val_unit;
}

value stub_finish(value event)
{
  caml_eventring_span_finish(Int_val(event));
  return Val_unit;
}

value stub_sample(value event, value n)
{
  caml_eventring_sample(Int_val(event), Long_val(n));
  return Val_unit;
}

value stub_sample_extremes(value event)
{
  caml_eventring_sample(Int_val(event), INT64_MAX);
  caml_eventring_sample(Int_val(event), INT64_MIN);
  return Val_unit;
}

value stub_no_names(value unit)
{
  return Val_bool(caml_eventring_span(NULL) == EVENTRING_BAD_NAME
                  && caml_eventring_counter(NULL, NULL) == EVENTRING_BAD_NAME);
}

static void *register_span(void *name)
{
  return (void *) (intptr_t) caml_eventring_span(name);
}

value stub_in_thread(value name)
{
  pthread_t thread;
  void *result = NULL;
  if (pthread_create(&thread, NULL, register_span, (void *) String_val(name))
      == 0)
    pthread_join(thread, &result);
  return Val_int((int) (intptr_t) result);
}
