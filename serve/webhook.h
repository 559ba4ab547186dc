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

/* Webhooks: a POST for each firing of a rule that has an address for it. */

#ifndef SERVE_WEBHOOK_H
#define SERVE_WEBHOOK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of an address, with its NUL. */
#define WEBHOOK_URL 512

/* Returns whether [url] is an address of http or https without control characters and
   spaces. */
bool is_webhook_url(const char *url);

/* Before the functions below, and before there are threads: loads and prepares libcurl, of
   which a server that has no descriptor left could not open the file. */
void start_webhooks(void);

/* Sends [body], which it takes, to [url] in the background, once and for 10 seconds at
   most; at most 64 wait, 8 of them for one address.  The result is among the actions, as [action] on the process
   [process]; [told] is called with it, for the rule [rule], in another thread or before
   this returns.  May be called by any thread, until stop_webhooks. */
void send_webhook(const char *url, json_t *body, const char *action, uint64_t process,
                  uint32_t rule, void (*told)(uint32_t rule, const char *result));

/* Ends what is under way, and drops what waits. */
void stop_webhooks(void);

#endif /* SERVE_WEBHOOK_H */
