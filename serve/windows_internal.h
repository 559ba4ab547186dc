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


/* A window of time of a process, for which the file is read anew: the reading, for
   the files that make answers of it. */

#ifndef SERVE_WINDOWS_INTERNAL_H
#define SERVE_WINDOWS_INTERNAL_H

#include <jansson.h>
#include "answer.h"
#include "download.h"
#include "eventring_reader.h"
#include "long_spans.h"
#include "query.h"
#include "view.h"

/* The time of the data that a view has, and its long spans in a window. */
struct extent {
  const struct query *query;
  int64_t first_ns, now_ns;
  struct long_span *spans;
  size_t span_count;
  struct begin { uint32_t domain; int64_t ns; } *begins;  /* of a recording, after
                                                             events of its domain */
  size_t begin_count;
};

/* A window of the events of a view, and the reading of it. */
struct window {
  struct view *view;
  const struct query *query;
  int64_t from_ns, to_ns;         /* CLOCK_MONOTONIC */
  int64_t started_ns;
  int64_t margin_ns;              /* read before and behind */
  bool from_start;                /* all events before the window are read */
  struct eventring_cursor *cursor;
  void (*event)(struct window *w, const struct eventring_event *event);
  void (*idle)(struct window *w);
  int64_t last_ns;                /* of the events that were read */
  bool enough;                    /* the work wants no more */
  void *state;                    /* of the work */
  unsigned status;                /* of a refusal, with [why]; 0: none */
  char why[512];
  json_t *result;
  char *text;                     /* instead of [result] */
  struct download *download;      /* for a profile of pprof */
  int sink_error;                 /* an errno: the file could not be written; or 0 */
  struct extent extent;           /* for a timeline and live sites */
};

/* Returns a window of the query [asked], of which the file is not open. */
struct window new_window(const struct asked *asked);

/* Opens the file of [w] and computes the times of the window.  Returns false,
   with the reason in [w], when it cannot be opened. */
bool open_window(struct window *w);

/* Calls [w->event] for the events of the window and its margin, in their order. */
void read_window(struct window *w);

/* Closes the file of [w].  If it was cut shorter, that is the answer. */
void close_window(struct window *w);

bool is_in_window(const struct window *w, const struct eventring_event *event);

/* Puts the reason of a refusal into [w]. */
void refuse_window(struct window *w, unsigned status, const char *why);

/* Takes notice of the time of the data of the view of [w].  Returns false when the
   file of the view was cut. */
bool find_extent(struct window *w);

/* Cuts the window to the time of the data, which find_extent has found. */
void clip_window(struct window *w);

/* Returns the answer that [work] makes of [w], one at a time. */
struct answer make_answer(struct window *w, void (*work)(void *state));

#endif /* SERVE_WINDOWS_INTERNAL_H */
