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


/* The names of streams and of the files of parts: the agent and the hub have the
   same ones. */

#ifndef FLEET_STREAM_NAME_H
#define FLEET_STREAM_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* The bytes of the name of a stream, with its 0. */
#define STREAM_NAME_SIZE 129

/* The highest number of a part. */
#define PART_MAX_NUMBER 999999999

/* Returns whether [name] may name a stream: 1 to 128 of the characters 0-9, a-z
   and -. */
bool is_stream_name(const char *name);

/* Returns the number of the part with the file name [name], N.evr; 0 for
   another name. */
uint32_t part_number(const char *name);

#endif /* FLEET_STREAM_NAME_H */
