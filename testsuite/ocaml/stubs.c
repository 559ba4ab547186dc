/* The public part of caml/eventring.h, and nothing else of the runtime's. */

#include <pthread.h>
#include <caml/mlvalues.h>
#include <caml/eventring.h>

value stub_span(value name)
{
  return Val_int(caml_eventring_register_span(String_val(name)));
}

value stub_counter(value name, value unit)
{
  const char *u = String_val(unit);
  return Val_int(caml_eventring_register_counter(String_val(name),
                                                 *u ? u : NULL));
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
  caml_eventring_counter_sample(Int_val(event), Long_val(n));
  return Val_unit;
}

value stub_sample_extremes(value event)
{
  caml_eventring_counter_sample(Int_val(event), INT64_MAX);
  caml_eventring_counter_sample(Int_val(event), INT64_MIN);
  return Val_unit;
}

value stub_no_names(value unit)
{
  return Val_bool(caml_eventring_register_span(NULL) == EVENTRING_BAD_NAME
                  && caml_eventring_register_counter(NULL, NULL)
                     == EVENTRING_BAD_NAME
                  && caml_eventring_register_flow(NULL) == EVENTRING_BAD_NAME);
}

value stub_mark(value name)
{
  return Val_int(caml_eventring_register_mark(String_val(name)));
}

value stub_message(value name)
{
  return Val_int(caml_eventring_register_message(String_val(name)));
}

value stub_flow(value name)
{
  return Val_int(caml_eventring_register_flow(String_val(name)));
}

value stub_custom(value name)
{
  return Val_int(caml_eventring_register_custom(String_val(name)));
}

value stub_emit_mark(value event)
{
  caml_eventring_mark_emit(Int_val(event));
  return Val_unit;
}

value stub_emit_message(value event, value text)
{
  caml_eventring_message_emit(Int_val(event), String_val(text));
  return Val_unit;
}

/* A start, a step and an end */
value stub_emit_flow(value event, value id)
{
  caml_eventring_flow_start(Int_val(event), Long_val(id));
  caml_eventring_flow_step(Int_val(event), Long_val(id));
  caml_eventring_flow_finish(Int_val(event), Long_val(id));
  return Val_unit;
}

value stub_emit_custom(value event, value bytes)
{
  caml_eventring_custom_emit(Int_val(event), String_val(bytes),
                             caml_string_length(bytes));
  return Val_unit;
}

static void *register_span(void *name)
{
  return (void *) (intptr_t) caml_eventring_register_span(name);
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
