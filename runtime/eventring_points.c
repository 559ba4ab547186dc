/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/
#define CAML_INTERNALS

/* Data points of the program: functions of module Eventring.Point, which are
   evaluated when somebody asks for them.  eventring_attach.c says when, and in
   which domain.  A program without module Eventring is linked without this
   file. */

#include "caml/alloc.h"
#include "caml/callback.h"
#include "caml/eventring.h"
#include "caml/memory.h"
#include "caml/printexc.h"
#include "eventring_internal.h"

/* The OCaml function that evaluates all points, and returns their number. */
static value evaluate_all = Val_unit;

/* The function [caml_ring_evaluate_points]. */
COLD
static void evaluate_points(void)
{
  uint64_t since = caml_eventring_ticks();
  value points = caml_callback_exn(evaluate_all, Val_unit);
  /* The function handles the exceptions of the points: this is another one, such
     as the exception of a signal handler that ran between two points. */
  caml_ring_end_points(since, Is_exception_result(points) ? 0
                                                          : Long_val(points));
}

/* Has the function [evaluate] called, to evaluate all points.  Returns unit. */
CAMLprim value caml_ml_eventring_set_evaluator(value evaluate)
{
  if (caml_ring_evaluate_points == NULL) {
    evaluate_all = evaluate;
    caml_register_generational_global_root(&evaluate_all);
    caml_ring_evaluate_points = evaluate_points;
  }
  return Val_unit;
}

/* Writes the event word [word] of a point with the first [length] bytes of
   [text], at most EVENTRING_MAX_BYTES.  Called during an evaluation: the
   category of the points is off again.  Returns unit. */
CAMLprim value caml_ml_eventring_write_point(value word, value text,
                                             value length)
{
  caml_eventring_emit_bytes((uint64_t) Long_val(word), String_val(text),
                            Long_val(length));
  return Val_unit;
}

/* Returns a text for the exception [exn], as for one that ends a program. */
CAMLprim value caml_ml_eventring_exception_text(value exn)
{
  char *text = caml_format_exception(exn);
  if (text == NULL) return caml_copy_string("");
  value result = caml_copy_string(text);
  caml_stat_free(text);
  return result;
}
