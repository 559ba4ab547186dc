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

/* The screen of eventring top.

   Every text goes through [put], which cleans it as print_text does, cuts it
   to the columns that it may take, and does without characters that the
   terminal's character set lacks.  So no name in a traced program can move the
   cursor.  Lines that are too wide are cut off at the right, lines that do not
   fit in height are left out: first pauses, then spans, then domains. */

#define _GNU_SOURCE
#include <curses.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "top_screen.h"
#include "top_terminal.h"

#define LEAST_ROWS 12
#define LEAST_COLUMNS 60
#define BAR 10                    /* columns of a GC share */
#define BAR_FROM 94               /* columns that a screen with bars has */

enum { GREEN = 1, YELLOW, RED, CYAN };

static bool utf8;

static SCREEN *terminal;

bool screen_open(void)
{
  if (setlocale(LC_CTYPE, "") == NULL) setlocale(LC_CTYPE, "C.UTF-8");
  utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  terminal_note();
  terminal = newterm(NULL, stdout, stdin);
  if (terminal == NULL) return false;
  terminal_note_ending();
  cbreak();
  noecho();
  nonl();
  curs_set(0);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  const char *no_color = getenv("NO_COLOR");
  if (has_colors() && (no_color == NULL || no_color[0] == '\0')) {
    start_color();
    use_default_colors();
    init_pair(GREEN, COLOR_GREEN, -1);
    init_pair(YELLOW, COLOR_YELLOW, -1);
    init_pair(RED, COLOR_RED, -1);
    init_pair(CYAN, COLOR_CYAN, -1);
  }
  return true;
}

void screen_close(void)
{
  endwin();
  delscreen(terminal);
}

/* Text */

/* Returns [text] as wide characters that are safe to draw: control characters
   and bytes that are not UTF-8 are escaped, and characters that the terminal's
   character set lacks become question marks.  The caller frees the result.
   Returns NULL when there is no memory. */
static wchar_t *clean(const char *text)
{
  char *bytes = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&bytes, &length);
  if (out == NULL) return NULL;
  print_text(out, text, strlen(text), TEXT_LINE);
  fclose(out);
  wchar_t *wide = calloc(length + 1, sizeof *wide);
  if (wide != NULL && bytes != NULL) {
    size_t n = 0;
    mbstate_t state = { 0 };
    for (size_t i = 0, used; i < length; i += used) {
      used = utf8 ? mbrtowc(&wide[n], bytes + i, length - i, &state) : 1;
      if (!utf8) wide[n] = (unsigned char) bytes[i];
      if (used == 0 || used > length - i || wcwidth(wide[n]) < 0
          || (!utf8 && (unsigned char) bytes[i] >= 0x80)) {
        wide[n] = L'?';
        if (used == 0 || used > length - i) used = 1;
      }
      n++;
    }
  }
  free(bytes);
  return wide;
}

/* Draws [text] in row [y], in the [width] columns from column [x] on: at their
   left or, if [width] is negative, at the right of -[width] columns.  Text that
   does not fit into the columns or on the screen is cut off. */
static void put(int y, int x, int width, const char *text)
{
  bool right = width < 0;
  if (right) width = -width;
  if (y < 0 || y >= LINES || x >= COLS) return;
  if (width > COLS - x) width = COLS - x;
  wchar_t *wide = clean(text);
  if (wide == NULL) return;
  int columns = 0, fits = 0;
  for (const wchar_t *c = wide; *c != 0; c++) {
    columns += wcwidth(*c);
    if (columns <= width) fits = (int) (c - wide) + 1;
  }
  if (right && columns < width) x += width - columns;
  mvaddnwstr(y, x, wide, fits);
  free(wide);
}

/* The place where the next cell of a row is drawn.  It moves to the right with
   each cell, and a space separates the cells. */
struct pen { int y, x; };

/* Draws [text] at the pen in [width] columns, as put does, and moves the pen to
   the right. */
static void cell(struct pen *pen, int width, const char *text)
{
  put(pen->y, pen->x, width, text);
  pen->x += abs(width) + 1;
}

__attribute__((format(printf, 3, 4)))
static void cellf(struct pen *pen, int width, const char *format, ...)
{
  char text[SCREEN_TEXT];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cell(pen, width, text);
}

static void heading(int y, const char *text)
{
  attron(A_BOLD | COLOR_PAIR(CYAN));
  put(y, 0, COLS, text);
  attroff(A_BOLD | COLOR_PAIR(CYAN));
}

/* Draws [text] in row [y], and inverts the colours of the whole row. */
static void reversed(int y, const char *text)
{
  attron(A_REVERSE);
  mvhline(y, 0, ' ' | A_REVERSE, COLS);
  put(y, 0, COLS, text);
  attroff(A_REVERSE);
}

/* Numbers */

/* Returns [ns] as a duration in [buffer], or "-" for 0. */
static const char *duration_or_dash(char buffer[QUANTITY_SIZE], uint64_t ns)
{
  return ns == 0 ? "-" : format_duration(buffer, ns);
}

/* Returns a rate of [words] words per second as bytes per second in [buffer],
   or "-" for less than one. */
static const char *words_rate(char buffer[QUANTITY_SIZE + 2], double words)
{
  char bytes[QUANTITY_SIZE];
  if (words < 1) return "-";
  snprintf(buffer, QUANTITY_SIZE + 2, "%s/s",
           format_bytes(bytes, (uint64_t) (words * 8)));
  return buffer;
}

/* Shares */

static attr_t colour_of(double share)
{
  return COLOR_PAIR(share >= 0.3 ? RED : share >= 0.1 ? YELLOW : GREEN);
}

/* Returns the step of [share], a number from 0 to 1, on a scale from 0 to
   [levels].  A share above 0.001 is at least step 1. */
static int step_of(double share, int levels)
{
  int step = (int) (share * levels + 0.5);
  if (step == 0 && share > 0.001) step = 1;
  return step < levels ? step : levels;
}

static void share_cell(struct pen *pen, double share)
{
  attron(colour_of(share));
  cellf(pen, -5, "%.0f %%", share * 100);
  attroff(colour_of(share));
}

static void bar_cell(struct pen *pen, double share)
{
  static const char *const eighths[] = {
    "", "▏", "▎", "▍", "▌", "▋", "▊", "▉"
  };
  char text[BAR * 4 + 4] = "";
  if (utf8) {
    int step = step_of(share, BAR * 8);
    for (int i = 0; i < step / 8; i++) strcat(text, "█");
    strcat(text, eighths[step % 8]);
  } else {
    memset(text, '#', (size_t) step_of(share, BAR));
  }
  attron(colour_of(share));
  cell(pen, BAR, text);
  attroff(colour_of(share));
}

/* Draws the shares in [history], of which the first is that of the latest
   second, at the pen: a column for each second, with the latest second at the
   right.  Leaves out the oldest ones that do not fit on the screen.  The last
   cell of a row: does not move the pen. */
static void spark_cell(struct pen *pen, const float history[HISTORY])
{
  static const char *const wide[] = {
    " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
  };
  static const char *const ascii[] = {
    " ", ".", ":", "-", "=", "+", "*", "#", "@"
  };
  int width = COLS - pen->x < HISTORY ? COLS - pen->x : HISTORY;
  for (int i = 0; i < width; i++) {
    double share = (double) history[width - 1 - i];
    int step = step_of(share, 8);
    attron(colour_of(share));
    put(pen->y, pen->x + i, 1, utf8 ? wide[step] : ascii[step]);
    attroff(colour_of(share));
  }
}

/* The parts of the main view.  Each begins at line [y], the header at line 0,
   and uses at most [lines] lines.  The header and the domains return the line
   for the part after them. */

static int draw_header(const struct screen *s)
{
  char a[QUANTITY_SIZE], b[QUANTITY_SIZE], c[QUANTITY_SIZE],
    rate[QUANTITY_SIZE + 2], line[SCREEN_TEXT * 2 + 64];
  snprintf(line, sizeof line, "%s  %s%s", s->process, s->state,
           s->frozen ? "  FROZEN" : "");
  attr_t warn = s->ended ? COLOR_PAIR(RED) : s->paused || s->frozen
                ? COLOR_PAIR(YELLOW) : 0;
  attron(warn | A_BOLD);
  reversed(0, line);
  attroff(warn | A_BOLD);

  snprintf(line, sizeof line, "%s events/s  lost %s%" PRIu64 "  %s",
           format_count(a, s->totals.event_rate),
           s->lost_is_bound && s->lost > 0 ? "up to " : "", s->lost,
           s->recording);
  if (s->lost > 0) attron(COLOR_PAIR(YELLOW));
  put(1, 0, COLS, line);
  if (s->lost > 0) attroff(COLOR_PAIR(YELLOW));

  const struct live_process *t = &s->totals;
  struct pen pen = { 2, 0 };
  cell(&pen, 2, "GC");
  share_cell(&pen, t->gc_share);
  cellf(&pen, COLS, " allocated %s", words_rate(rate, t->words_rate));
  pen.x = 32;
  cellf(&pen, COLS, "promoted %s", words_rate(rate, t->promoted_rate));
  pen.x = 54;
  cellf(&pen, COLS, "minor %s/s  slices %s/s  cycles %" PRIu64 " in 10 s",
        format_count(a, t->minor_rate), format_count(b, t->slice_rate),
        t->cycles);

  if (t->heap_known)
    snprintf(line, sizeof line, "heap %s, live %s  ",
             format_bytes(a, t->heap_words * 8),
             format_bytes(b, t->live_words * 8));
  else
    snprintf(line, sizeof line, "heap -  ");
  size_t length = strlen(line);
  snprintf(line + length, sizeof line - length, "RSS %s",
           t->resident == 0 ? "-" : format_bytes(a, t->resident));
  put(3, 0, COLS, line);

  snprintf(line, sizeof line, "pauses, 10 s: %" PRIu64 "  p50 %s  p99 %s  ",
           t->pauses, duration_or_dash(a, t->p50),
           duration_or_dash(b, t->p99));
  length = strlen(line);
  snprintf(line + length, sizeof line - length, "max %s  longest so far %s",
           duration_or_dash(a, t->max), duration_or_dash(c, t->max_ever));
  put(4, 0, COLS, line);
  return 6;
}

static void draw_domain(const struct screen *s, int i, int y)
{
  const struct live_domain *d = &s->domains[i];
  char text[LIVE_NAME + 16], rate[QUANTITY_SIZE + 2];
  struct pen pen = { y, 0 };
  if (d->ended) attron(A_DIM);
  snprintf(text, sizeof text, "%" PRIu32 " %s", d->id, d->name);
  cell(&pen, 11, text);
  cell(&pen, 20, s->phases[i]);
  if (d->ended) attroff(A_DIM);
  share_cell(&pen, d->gc_share);
  if (COLS >= BAR_FROM) bar_cell(&pen, d->gc_share);
  cell(&pen, -11, words_rate(rate, d->words_rate));
  cell(&pen, -6, format_count(text, d->minor_rate));
  cell(&pen, -6, format_count(text, d->slice_rate));
  cell(&pen, -7, duration_or_dash(text, d->last_pause));
  cell(&pen, -7, duration_or_dash(text, d->max_pause));
  spark_cell(&pen, d->gc_history);
}

/* Draws the row [y]: [count] more things, called [what], than fit on the
   screen. */
static void more(int y, int count, const char *what)
{
  struct pen pen = { y, 0 };
  attron(A_DIM);
  cellf(&pen, COLS, "%d more %s%s", count, what, count == 1 ? "" : "s");
  attroff(A_DIM);
}

static int draw_domains(const struct screen *s, int y, int lines)
{
  char title[160];
  snprintf(title, sizeof title, "%-11s %-20s %5s%-*s %11s %6s %6s %7s %7s %s",
           "domain", "now", "GC", COLS >= BAR_FROM ? BAR + 1 : 0, "",
           "allocated", "minor", "slices", "last", "longest", "GC, 30 s");
  heading(y++, title);
  lines--;
  int left = s->domain_count - s->first_domain;
  int shown = left <= lines ? left : lines - 1;
  for (int i = 0; i < shown; i++) draw_domain(s, s->first_domain + i, y++);
  if (shown < left) more(y++, left - shown, "domain");
  return y;
}

static int draw_spans(const struct screen *s, int y, int lines)
{
  char a[QUANTITY_SIZE];
  struct pen pen = { y, 0 };
  attron(A_BOLD | COLOR_PAIR(CYAN));
  cell(&pen, 31, "span, 10 s");
  cell(&pen, -8, "calls/s");
  cell(&pen, -6, "time");
  cell(&pen, -8, "mean");
  cell(&pen, -8, "longest");
  attroff(A_BOLD | COLOR_PAIR(CYAN));
  for (int i = 0; i < s->span_count && i < lines - 1; i++) {
    const struct live_span *span = &s->spans[i];
    pen = (struct pen) { y + 1 + i, 0 };
    cell(&pen, 31, span->name);
    cell(&pen, -8, format_count(a, span->rate));
    cellf(&pen, -6, "%.0f %%", span->share * 100);
    cell(&pen, -8, duration_or_dash(a, span->mean));
    cell(&pen, -8, duration_or_dash(a, span->max));
  }
  return y + 1 + s->span_count;
}

static void draw_pauses(const struct screen *s, int y, int lines)
{
  char a[QUANTITY_SIZE];
  heading(y, "long pause, 60 s         length  seconds ago  domain  cause");
  for (int i = 0; i < s->pause_count && i < lines - 1; i++) {
    const struct long_pause *p = &s->pauses[i];
    struct pen pen = { y + 1 + i, 0 };
    cell(&pen, 22, p->name);
    cell(&pen, -8, format_duration(a, p->ns));
    int64_t ago = s->now > p->end_ns ? s->now - p->end_ns : 0;
    cellf(&pen, -12, "%.1f", (double) ago / SECOND_NS);
    cellf(&pen, -7, "%" PRIu32, p->domain);
    cellf(&pen, COLS, p->domains > 1 ? " %s, %" PRIu32 " domains" : " %s",
          p->cause, p->domains);
  }
}

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

static void draw_main(const struct screen *s)
{
  int y = draw_header(s);
  int end = LINES - 2;            /* the message and the keys */
  int domains = s->domain_count - s->first_domain + 1;
  int spans = s->span_count == 0 ? 0 : s->span_count + 2;
  int pauses = s->pause_count == 0 ? 0 : s->pause_count + 2;
  int lines = end - y;

  /* Domains get half of the room, but some lines in any case, and the room that
     the others leave. */
  int others = smaller(spans + pauses, lines / 2);
  domains = smaller(domains, larger(lines - others, 4));
  y = draw_domains(s, y, domains);
  lines = end - y;
  spans = smaller(spans, larger(lines - pauses, lines / 2));
  if (spans >= 3) {
    draw_spans(s, y + 1, spans - 1);
    y += spans;
  }
  if (pauses > 0 && end - y >= 3) draw_pauses(s, y + 1, end - y - 1);
}

/* Functions */

/* Draws the functions in the rows from [y] up to [end]. */
static void draw_functions(const struct screen *s, int y, int end)
{
  char a[QUANTITY_SIZE];
  struct pen pen = { y, 0 };
  int width = (COLS - 16) * 3 / 5;
  attron(A_BOLD | COLOR_PAIR(CYAN));
  cell(&pen, -7, "self");
  cell(&pen, -7, "total");
  cellf(&pen, width, "function, 10 s: %" PRIu64 " samples, %s", s->samples,
        format_duration(a, s->samples_ns));
  cell(&pen, COLS, "line");
  attroff(A_BOLD | COLOR_PAIR(CYAN));
  int lines = end - ++y, left = s->function_count - s->first_function;
  int shown = left <= lines ? left : lines - 1;
  if (s->function_count == 0) put(y, 0, COLS, s->no_samples);
  for (int i = 0; i < shown; i++, y++) {
    const struct screen_function *f = &s->functions[s->first_function + i];
    pen = (struct pen) { y, 0 };
    cellf(&pen, -7, "%.1f %%", f->self * 100);
    cellf(&pen, -7, "%.1f %%", f->total * 100);
    cell(&pen, width, f->name);
    cell(&pen, COLS, f->line);
  }
  if (shown < left) more(y, left - shown, "function");
}

/* All processes */

/* Draws [text] in the next cell like cell, with the colours inverted if
   [reverse] is true, for a cell of the selected row. */
static void row_cell(struct pen *pen, int width, const char *text,
                     bool reverse)
{
  if (reverse) attron(A_REVERSE);
  cell(pen, width, text);
  if (reverse) attroff(A_REVERSE);
}

#define NODE_WIDTH 14

/* Draws the row [r] in line [y]. */
static void draw_row(const struct screen *s, const struct screen_row *r, int y,
                     bool selected)
{
  const struct live_process *t = &r->totals;
  char a[QUANTITY_SIZE], rate[QUANTITY_SIZE + 2];
  struct pen pen = { y, 0 };
  if (r->ended) attron(A_DIM);
  if (s->several_nodes) row_cell(&pen, NODE_WIDTH, r->node, selected);
  row_cell(&pen, 22, r->process, selected);
  cell(&pen, 9, r->state);
  if (r->ended) attroff(A_DIM);
  share_cell(&pen, t->gc_share);
  cell(&pen, -8, format_count(a, t->event_rate));
  cell(&pen, -11, words_rate(rate, t->words_rate));
  cell(&pen, -6, format_count(a, t->minor_rate));
  cell(&pen, -7, duration_or_dash(a, t->p99));
  cell(&pen, -7, duration_or_dash(a, t->max_ever));
  if (r->lost > 0) attron(COLOR_PAIR(YELLOW));
  cellf(&pen, -8, "%s%" PRIu64, r->lost_is_bound && r->lost > 0 ? "<" : "",
        r->lost);
  if (r->lost > 0) attroff(COLOR_PAIR(YELLOW));
}

/* Draws the head of all processes: how many there are, and their sums. */
static void draw_all_header(const struct screen *s)
{
  char a[QUANTITY_SIZE], line[SCREEN_TEXT];
  double events = 0;
  uint64_t lost = 0;
  int running = 0;
  for (int i = 0; i < s->row_count; i++) {
    events += s->rows[i].totals.event_rate;
    lost += s->rows[i].lost;
    running += !s->rows[i].ended;
  }
  snprintf(line, sizeof line, "%d process%s, %d running  %s events/s  lost %"
           PRIu64 "%s", s->row_count, s->row_count == 1 ? "" : "es", running,
           format_count(a, events), lost, s->frozen ? "  FROZEN" : "");
  attron(A_BOLD);
  reversed(0, line);
  attroff(A_BOLD);
  snprintf(line, sizeof line, "%-*s%-22s %-9s %5s %8s %11s %6s %7s %7s %8s",
           s->several_nodes ? NODE_WIDTH + 1 : 0,
           s->several_nodes ? "node" : "", "process", "state", "GC", "events/s",
           "allocated", "minor", "p99", "longest", "lost");
  heading(2, line);
}

static void draw_all(const struct screen *s)
{
  const int y = 3, lines = LINES - 2 - y - (s->rows_left_out > 0);
  int first = 0;
  draw_all_header(s);
  if (s->selected_row >= lines) first = s->selected_row - lines + 1;
  for (int i = first; i < s->row_count && i - first < lines; i++)
    draw_row(s, &s->rows[i], y + i - first, i == s->selected_row);
  if (s->rows_left_out > 0)
    more(y + lines, (int) s->rows_left_out, "process that is not shown");
}

/* Lists and help */

static void draw_list(const struct screen *s, const char *title,
                      const char *empty)
{
  heading(0, title);
  int lines = LINES - 4, first = 0;
  if (s->selected >= lines) first = s->selected - lines + 1;
  if (s->item_count == 0) put(2, 0, COLS, empty);
  for (int i = first; i < s->item_count && i - first < lines; i++) {
    char text[SCREEN_TEXT + 8];
    snprintf(text, sizeof text, "%s %s", s->items[i].marked ? "*" : " ",
             s->items[i].text);
    if (i == s->selected)
      reversed(2 + i - first, text);
    else
      put(2 + i - first, 0, COLS, text);
  }
}

static const char *const help[] = {
  "q         quit",
  "p         pause the recording, or resume it",
  "f         the functions with the most processor time, or back",
  "c         choose the categories that are recorded",
  "s         choose the process",
  "a         all processes, with --all",
  "<- ->     the process before, the next one",
  "up, down  scroll the domains or functions",
  "+ -       shorten or lengthen the interval",
  "r         forget the longest pauses and spans so far",
  "space     freeze the screen, or go on",
  "",
  "GC        share of the time inside of the collector",
  "minor, slices   collections, slices of major collection a second",
  "last, longest   pause: time in the collector at one go",
  "now       span of the runtime or of the program; what it waits for",
};

static void draw_help(void)
{
  heading(0, "eventring top");
  for (int i = 0; i < (int) (sizeof help / sizeof *help) && i < LINES - 3; i++)
    put(2 + i, 0, COLS, help[i]);
}

static void draw_keys(const struct screen *s)
{
  char a[QUANTITY_SIZE], line[160];
  if (s->view == SCREEN_ALL)
    snprintf(line, sizeof line, "q quit  up, down: select  Enter: look at it"
             "  +/- %s  r reset  space %s",
             format_duration(a, (uint64_t) s->interval_ns),
             s->frozen ? "go on" : "freeze");
  else if (s->view != SCREEN_MAIN && s->view != SCREEN_FUNCTIONS)
    snprintf(line, sizeof line, "%s", s->view == SCREEN_HELP
             ? "any key: back"
             : s->view == SCREEN_CATEGORIES
             ? "up, down: select   space: switch on or off   Esc: back"
             : "up, down: select   Enter: look at it   Esc: back   q: quit");
  else
    snprintf(line, sizeof line, "q quit  p %s  f %s  c categories"
             "  s processes  +/- %s  r reset  space %s  h help",
             s->paused ? "resume" : "pause",
             s->view == SCREEN_MAIN ? "functions" : "domains",
             format_duration(a, (uint64_t) s->interval_ns),
             s->frozen ? "go on" : "freeze");
  reversed(LINES - 1, line);
}

void screen_draw(const struct screen *s)
{
  erase();
  if (LINES < LEAST_ROWS || COLS < LEAST_COLUMNS) {
    put(0, 0, COLS, "terminal too small");
    char line[64];
    snprintf(line, sizeof line, "at least %dx%d", LEAST_COLUMNS, LEAST_ROWS);
    put(1, 0, COLS, line);
    refresh();
    return;
  }
  switch (s->view) {
  case SCREEN_MAIN: draw_main(s); break;
  case SCREEN_FUNCTIONS: draw_functions(s, draw_header(s), LINES - 2); break;
  case SCREEN_CATEGORIES: draw_list(s, "recorded categories", ""); break;
  case SCREEN_PROCESSES:
    draw_list(s, "traced processes", "none was found");
    break;
  case SCREEN_HELP: draw_help(); break;
  case SCREEN_ALL: draw_all(s); break;
  }
  attron(COLOR_PAIR(YELLOW));
  put(LINES - 2, 0, COLS, s->message);
  attroff(COLOR_PAIR(YELLOW));
  draw_keys(s);
  refresh();
}
