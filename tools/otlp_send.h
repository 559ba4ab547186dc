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

/* Sends requests of OpenTelemetry to a collector, by OTLP over HTTP:
   https://opentelemetry.io/docs/specs/otlp/#otlphttp */

#ifndef TOOLS_OTLP_SEND_H
#define TOOLS_OTLP_SEND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "protobuf.h"

/* Sends [request] to the collector at [url], such as http://localhost:4318, with
   [path], such as /v1/metrics, and waits at most 10 seconds for the answer.
   Returns false, with the reason in [why], of [size] bytes, when the collector
   has not accepted it. */
bool send_otlp(const char *url, const char *path, const struct message *request,
               char *why, size_t size);

enum otlp_answer {
  OTLP_ACCEPTED,
  OTLP_REFUSED,                   /* this request is wrong or too large */
  OTLP_UNAVAILABLE                /* no answer, or a status for any request */
};

/* Does the same, but fails soon after *stop has become true.  Returns the answer,
   with the reason if it is not OTLP_ACCEPTED. */
enum otlp_answer send_otlp_until(const char *url, const char *path,
                                 const struct message *request,
                                 atomic_bool *stop, char *why, size_t size);

#endif /* TOOLS_OTLP_SEND_H */
