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

/* Facts about this machine: stable facts, which make its key, and conditions,
   which vary from run to run. */

#ifndef SOURCES_MACHINE_H
#define SOURCES_MACHINE_H

#include <jansson.h>

/* Returns a new JSON object with the facts that stay: processor, microcode,
   number of CPUs, kernel, memory; the name of the host; and `key`, a checksum
   of all of them but the name. */
json_t *machine_facts(void);

/* Returns a new JSON object with the facts that vary, as they are now: load,
   frequency, governor, temperature, limits of the cgroup, and settings of the
   kernel.  A fact that the system does not tell is JSON null. */
json_t *machine_conditions(void);

#endif /* SOURCES_MACHINE_H */
