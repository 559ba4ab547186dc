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

/* libcurl: requests to hubs, webhooks and receivers of OTLP.  Loaded late: late.h */

#ifndef FLEET_LATE_CURL_H
#define FLEET_LATE_CURL_H

/* Its macros of the functions check types by statements that call them. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include "late.h"

#undef curl_easy_setopt
#undef curl_easy_getinfo
#define curl_easy_cleanup LATE(CURL, curl_easy_cleanup)
#define curl_easy_getinfo LATE(CURL, curl_easy_getinfo)
#define curl_easy_init LATE(CURL, curl_easy_init)
#define curl_easy_perform LATE(CURL, curl_easy_perform)
#define curl_easy_setopt LATE(CURL, curl_easy_setopt)
#define curl_easy_strerror LATE(CURL, curl_easy_strerror)
#define curl_global_init LATE(CURL, curl_global_init)
#define curl_multi_add_handle LATE(CURL, curl_multi_add_handle)
#define curl_multi_cleanup LATE(CURL, curl_multi_cleanup)
#define curl_multi_info_read LATE(CURL, curl_multi_info_read)
#define curl_multi_init LATE(CURL, curl_multi_init)
#define curl_multi_perform LATE(CURL, curl_multi_perform)
#define curl_multi_poll LATE(CURL, curl_multi_poll)
#define curl_multi_remove_handle LATE(CURL, curl_multi_remove_handle)
#define curl_multi_wakeup LATE(CURL, curl_multi_wakeup)
#define curl_slist_append LATE(CURL, curl_slist_append)
#define curl_slist_free_all LATE(CURL, curl_slist_free_all)

#endif
