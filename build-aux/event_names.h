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

/* The names of all events of OCaml 5.EVENTRING_OCAML, each with a comma.  For
   build-aux/events-md.c, which includes this for one release after another. */
#define PHASE(id, number, category, name, doc) name,
#define COUNTER(id, number, category, unit, name, doc) name,
#define LIFECYCLE(id, number, category, name, doc) name,
#define RECORD(id, number, category, payload, unit, name, doc) name,
#define COMPLETE(id, number, category, name, doc) name,
#define GROUPED(id, number, part, event, place, scale, unit, name, doc) name,
#include "caml/eventring_events.tbl"
#undef EVENTRING_OCAML
