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

/* The screen of eventring top, drawn from a plain struct. */

#ifndef TOOLS_TOP_SCREEN_H
#define TOOLS_TOP_SCREEN_H

#include "live_stats.h"
#include "text.h"

#define SCREEN_DOMAINS 1024
#define SCREEN_SPANS 16
#define SCREEN_FUNCTION_ROWS 256
#define SCREEN_TEXT 512
#define SCREEN_ROWS 256

enum screen_view {
  SCREEN_MAIN, SCREEN_FUNCTIONS, SCREEN_CATEGORIES, SCREEN_PROCESSES,
  SCREEN_HELP, SCREEN_ALL
};

/* A function of the program, with its shares of the processor time. */
struct screen_function {
  double self, total;
  char name[LIVE_NAME];
  char line[LIVE_NAME];           /* of its code, with the most time of its
                                     own; "" when not known */
};

/* A process of the list of all. */
struct screen_row {
  char node[256], process[SCREEN_TEXT], state[32];
  bool ended;
  struct live_process totals;
  uint64_t lost;
  bool lost_is_bound;
};

/* A line of a list in which the user selects a line. */
struct screen_item {
  char text[SCREEN_TEXT];
  bool marked;
};

/* The contents of the screen.  Texts may contain any bytes: screen_draw escapes
   them. */
struct screen {
  enum screen_view view;
  char process[SCREEN_TEXT];      /* its pid and name; "" for none yet */
  char state[SCREEN_TEXT];
  bool ended;
  bool paused, frozen;
  int64_t interval_ns;
  char recording[SCREEN_TEXT];    /* which categories */
  uint64_t lost;
  bool lost_is_bound;             /* it is that at the most */
  int64_t now;
  struct live_process totals;
  int domain_count;
  int first_domain;               /* the first one after scrolling */
  struct live_domain domains[SCREEN_DOMAINS];
  char phases[SCREEN_DOMAINS][LIVE_NAME + 32];  /* present activity */
  int span_count;
  struct live_span spans[SCREEN_SPANS];
  int pause_count;
  struct long_pause pauses[LONG_PAUSES];
  int function_count;
  int first_function;             /* the first one after scrolling */
  struct screen_function functions[SCREEN_FUNCTION_ROWS];
  uint64_t samples, samples_ns;   /* their number and processor time */
  char no_samples[SCREEN_TEXT];   /* why there are none */
  char message[SCREEN_TEXT];      /* result of the last key, or "" */
  struct screen_row *rows;        /* of SCREEN_ALL, SCREEN_ROWS at most */
  int row_count, selected_row;
  uint32_t rows_left_out;         /* of further processes */
  bool several_nodes;
  struct screen_item *items;      /* of a list */
  int item_count, selected;
};

/* Prepares the terminal for drawing with curses.  Returns false when the
   terminal cannot be drawn on. */
bool screen_open(void);

/* Restores the terminal to its state before screen_open. */
void screen_close(void);

/* Draws [screen] on the terminal. */
void screen_draw(const struct screen *screen);

#endif /* TOOLS_TOP_SCREEN_H */
