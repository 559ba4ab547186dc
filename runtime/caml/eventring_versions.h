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

/* Differences between the releases of OCaml that the recorder is compiled into.
   Code of the recorder uses the names of OCaml 5.3; here are those names for
   the other releases. */

#ifndef CAML_EVENTRING_VERSIONS_H
#define CAML_EVENTRING_VERSIONS_H

#ifdef CAML_INTERNALS

#include "version.h"

/* The second number of this release, for the table of events. */
#define EVENTRING_THIS_OCAML (OCAML_VERSION / 100 % 100)

/* The number of domains that there may be at once, in this process, and in any
   process. */
#if OCAML_VERSION >= 50300
#define EVENTRING_DOMAINS caml_params->max_domains
#define EVENTRING_MAX_DOMAINS Max_domains_max
#else
#define EVENTRING_DOMAINS Max_domains
#define EVENTRING_MAX_DOMAINS Max_domains
#define caml_result value
#define caml_result_is_exception(result) Is_exception_result(result)
#define caml_plat_lock_blocking(mutex) caml_plat_lock(mutex)
#define caml_stat_strdup_noexc_os(text) caml_stat_strdup_noexc(text)
#endif

#endif /* CAML_INTERNALS */

#endif /* CAML_EVENTRING_VERSIONS_H */
