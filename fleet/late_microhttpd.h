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

/* libmicrohttpd: the servers of eventring serve and hub.  Loaded late: late.h */

#ifndef FLEET_LATE_MICROHTTPD_H
#define FLEET_LATE_MICROHTTPD_H

#include <microhttpd.h>
#include "late.h"

#define MHD_add_response_header LATE(MICROHTTPD, MHD_add_response_header)
#define MHD_create_response_from_buffer \
  LATE(MICROHTTPD, MHD_create_response_from_buffer)
#define MHD_create_response_from_callback \
  LATE(MICROHTTPD, MHD_create_response_from_callback)
#define MHD_create_response_from_fd64 LATE(MICROHTTPD, MHD_create_response_from_fd64)
#define MHD_destroy_response LATE(MICROHTTPD, MHD_destroy_response)
#define MHD_get_connection_info LATE(MICROHTTPD, MHD_get_connection_info)
#define MHD_lookup_connection_value LATE(MICROHTTPD, MHD_lookup_connection_value)
#define MHD_queue_response LATE(MICROHTTPD, MHD_queue_response)
#define MHD_set_connection_option LATE(MICROHTTPD, MHD_set_connection_option)
#define MHD_start_daemon LATE(MICROHTTPD, MHD_start_daemon)
#define MHD_stop_daemon LATE(MICROHTTPD, MHD_stop_daemon)

#endif
