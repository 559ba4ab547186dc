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

/* The formats of `eventring trace`, and the reading for a trace. */

#ifndef TOOLS_TRACE_FORMATS_H
#define TOOLS_TRACE_FORMATS_H

#include "follow.h"
#include "output_file.h"
#include "trace.h"

extern const struct trace_format trace_ctf, trace_otlp;

/* trace_format_called returns the format with exactly the name [name];
   trace_format_of_file returns the format for the extension of [path], of which
   the case matters, and the format of Chrome for "-", standard output.  Both
   return NULL when there is no such format, also for a path that is only an
   extension. */
const struct trace_format *trace_format_called(const char *name);
const struct trace_format *trace_format_of_file(const char *path);

/* Reads all events of the [count] sources, at least 1, and writes the trace,
   except for closing the sink.  Sets [state] of the sources.  The caller has
   set the format of [trace], its sink, folder or url, and all other fields to 0;
   afterwards the counts in [trace] are set, and its memory is not freed.
   [follow]: reads until the processes end.  Returns STATUS_OK or
   STATUS_CANNOT_READ as read_sources does; if writing failed, [trace->failed]
   or the sink's error is set. */
enum status write_trace(struct trace *trace, struct source *sources, int count,
                        bool follow);

#endif /* TOOLS_TRACE_FORMATS_H */
