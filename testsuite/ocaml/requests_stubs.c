/* The functions for requests of caml/eventring.h, for requests.ml. */

#include <caml/eventring.h>
#include <caml/mlvalues.h>

value stub_request(value name)
{
  return Val_int(caml_eventring_register_request(String_val(name)));
}

value stub_request_start(value event)
{
  return Val_long(caml_eventring_request_start(Int_val(event)));
}

value stub_request_resume(value number)
{
  caml_eventring_request_resume((uint64_t) Long_val(number));
  return Val_unit;
}

value stub_request_suspend(value unit)
{
  (void) unit;
  caml_eventring_request_suspend();
  return Val_unit;
}

value stub_request_current(value unit)
{
  (void) unit;
  return Val_long(caml_eventring_request_current());
}

value stub_request_finish(value event, value number)
{
  caml_eventring_request_finish(Int_val(event), (uint64_t) Long_val(number));
  return Val_unit;
}
