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

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common.h"
#include "profile_text.h"
#include "regular_file.h"
#include "text.h"

/* Calls with a smaller part of all are not in the tree. */
#define LEAST_SHARE 0.001

/* Calls in the tree that are deeper have their depth as a number. */
#define MOST_INDENTED 50

/* Bytes of a source that is printed. */
#define MOST_SOURCE (16 << 20)

/* Lines of context around the lines of a function. */
#define CONTEXT 2

void print_profile_head(struct eventring_cursor *cursor,
                        const struct profile *profile)
{
  struct eventring_info info = target_info(cursor);
  struct profile_sums sums = profile_sums(profile);
  char cpu[QUANTITY_SIZE];
  printf("process %" PRId32 "%s", info.pid, info.program[0] ? " " : "");
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  printf(" (%s): %s of processor time in %" PRIu64 " sample%s",
         state_name(eventring_state(cursor)),
         format_duration(cpu, sums.cpu_ns), sums.samples,
         sums.samples == 1 ? "" : "s");
  if (sums.samples < sums.all_samples)
    printf(" of %" PRIu64, sums.all_samples);
  putchar('\n');
}

static double share(uint64_t part, uint64_t all)
{
  return all == 0 ? 0 : (double) part / (double) all;
}

static void print_share(uint64_t part, uint64_t all)
{
  printf("%6.2f%%", 100 * share(part, all));
}

static void print_column(const char *text)
{
  print_text(stdout, text, strlen(text), TEXT_COLUMN);
}

/* Prints the function of [frame], and its file and line if they are known. */
static void print_frame(const struct frame *frame)
{
  print_column(frame->function);
  if (frame->file == NULL) return;
  fputs("  ", stdout);
  print_column(frame->file);
  if (frame->line != 0) printf(":%" PRIu32, frame->line);
}

void print_profile_table(const struct profile *profile, enum profile_by by)
{
  uint64_t all = profile_sums(profile).cpu_ns;
  size_t count;
  struct profile_entry *entries = profile_table(profile, by, &count);
  printf("      self           total           %s\n",
         by == BY_FUNCTION ? "function" : "line");
  for (size_t i = 0; i < count && output_works(); i++) {
    const struct profile_entry *e = &entries[i];
    char self[QUANTITY_SIZE], total[QUANTITY_SIZE];
    printf("%8s ", format_duration(self, e->self_ns));
    print_share(e->self_ns, all);
    printf("%8s ", format_duration(total, e->total_ns));
    print_share(e->total_ns, all);
    fputs("  ", stdout);
    print_frame(&e->frame);
    putchar('\n');
  }
  free(entries);
}

/* Folded stacks */

/* Prints a name in a folded stack, where a semicolon separates functions. */
static void print_folded_name(const char *name)
{
  for (const char *part = name; ; part++) {
    size_t length = strcspn(part, ";");
    print_text(stdout, part, length, TEXT_COLUMN);
    part += length;
    if (*part == '\0') return;
    putchar(':');
  }
}

/* Prints the functions from the root to node [at]; [path] has room for as many
   numbers as there are nodes. */
static void print_path(const struct profile_node *nodes, uint32_t at,
                       uint32_t *path)
{
  uint32_t depth = 0;
  for (; at != 0; at = nodes[at].parent) path[depth++] = at;
  while (depth-- > 0) {
    print_folded_name(nodes[path[depth]].function);
    if (depth > 0) putchar(';');
  }
}

void print_folded(const struct profile *profile)
{
  uint32_t count;
  struct profile_node *nodes = profile_tree(profile, false, &count);
  uint32_t *path = allocate(count, sizeof *path);
  for (uint32_t i = 1; i < count && output_works(); i++) {
    if (nodes[i].self_ns == 0) continue;
    print_path(nodes, i, path);
    printf(" %" PRIu64 "\n", nodes[i].self_ns);
  }
  free(path);
  free(nodes);
}

/* The tree */

static void print_node(const struct profile_node *node, uint64_t all,
                       uint32_t depth)
{
  char self[QUANTITY_SIZE], total[QUANTITY_SIZE];
  printf("%8s ", format_duration(total, node->total_ns));
  print_share(node->total_ns, all);
  printf("%8s ", format_duration(self, node->self_ns));
  print_share(node->self_ns, all);
  /* Otherwise the output would grow with the square of the depth. */
  uint32_t indented = depth < MOST_INDENTED ? depth : MOST_INDENTED;
  printf("  %*s", 2 * (int) indented, "");
  if (depth > MOST_INDENTED) printf("[%" PRIu32 "] ", depth);
  print_column(node->function);
  putchar('\n');
}

void print_profile_tree(const struct profile *profile, bool inverted)
{
  uint64_t all = profile_sums(profile).cpu_ns;
  uint32_t count, at = 0;
  uint32_t depth = 0;
  struct profile_node *nodes = profile_tree(profile, inverted, &count);
  puts("     total            self           function");
  print_node(&nodes[0], all, 0);
  /* Depth first; a stack may be deeper than ours. */
  for (uint32_t next = nodes[0].first; output_works(); ) {
    if (next != 0 && share(nodes[next].total_ns, all) >= LEAST_SHARE) {
      at = next;
      print_node(&nodes[at], all, ++depth);
      next = nodes[at].first;
      continue;
    }
    /* The siblings that follow are smaller. */
    while (at != 0 && nodes[at].next == 0) {
      at = nodes[at].parent;
      depth--;
    }
    if (at == 0) break;
    next = nodes[at].next;
    at = nodes[at].parent;
    depth--;
    if (next != 0 && share(nodes[next].total_ns, all) < LEAST_SHARE) next = 0;
  }
  free(nodes);
}

/* Two profiles */

/* A row of a comparison: the entries with the same function and line, either of
   which may be missing. */
struct pair { const struct profile_entry *now, *base; double difference; };

static int compare_texts(const char *a, const char *b)
{
  return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_frames(const struct frame *a, const struct frame *b)
{
  int order = strcmp(a->function, b->function);
  if (order == 0) order = compare_texts(a->file, b->file);
  return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static int by_frame(const void *a, const void *b)
{
  const struct profile_entry *x = a, *y = b;
  return compare_frames(&x->frame, &y->frame);
}

static int by_difference(const void *a, const void *b)
{
  const struct pair *x = a, *y = b;
  double left = x->difference < 0 ? -x->difference : x->difference;
  double right = y->difference < 0 ? -y->difference : y->difference;
  if (left != right) return left < right ? 1 : -1;
  return compare_frames(&(x->now != NULL ? x->now : x->base)->frame,
                        &(y->now != NULL ? y->now : y->base)->frame);
}

static double self_share(const struct profile_entry *entry, uint64_t all)
{
  return entry == NULL ? 0 : share(entry->self_ns, all);
}

static double total_share(const struct profile_entry *entry, uint64_t all)
{
  return entry == NULL ? 0 : share(entry->total_ns, all);
}

void print_profile_diff(const struct profile *profile,
                        const struct profile *base, enum profile_by by)
{
  uint64_t all = profile_sums(profile).cpu_ns;
  uint64_t all_base = profile_sums(base).cpu_ns;
  size_t count, count_base, rows = 0;
  struct profile_entry *now = profile_table(profile, by, &count);
  struct profile_entry *was = profile_table(base, by, &count_base);
  struct pair *pairs = allocate(count + count_base, sizeof *pairs);
  if (count > 0) qsort(now, count, sizeof *now, by_frame);
  if (count_base > 0) qsort(was, count_base, sizeof *was, by_frame);
  for (size_t i = 0, j = 0; i < count || j < count_base; rows++) {
    int order = i == count ? 1 : j == count_base ? -1 : by_frame(&now[i],
                                                                 &was[j]);
    struct pair *pair = &pairs[rows];
    if (order <= 0) pair->now = &now[i++];
    if (order >= 0) pair->base = &was[j++];
    pair->difference = self_share(pair->now, all)
                       - self_share(pair->base, all_base);
  }
  if (rows > 0) qsort(pairs, rows, sizeof *pairs, by_difference);
  printf("     self    base  points   total    base  %s\n",
         by == BY_FUNCTION ? "function" : "line");
  for (size_t i = 0; i < rows && output_works(); i++) {
    const struct pair *p = &pairs[i];
    printf("  %6.2f%% %6.2f%% %+7.2f %6.2f%% %6.2f%%  ",
           100 * self_share(p->now, all), 100 * self_share(p->base, all_base),
           100 * p->difference, 100 * total_share(p->now, all),
           100 * total_share(p->base, all_base));
    print_frame(&(p->now != NULL ? p->now : p->base)->frame);
    putchar('\n');
  }
  free(pairs);
  free(now);
  free(was);
}

/* Source lines */

/* Returns whether [path] is [what], or ends with a slash and [what]. */
static bool is_path(const char *path, const char *what)
{
  size_t length = strlen(path), end = strlen(what);
  return length >= end && strcmp(path + length - end, what) == 0
         && (length == end || path[length - end - 1] == '/');
}

/* Returns whether [function] is [what], or ends with a dot and [what]. */
static bool is_function(const char *function, const char *what)
{
  size_t length = strlen(function), end = strlen(what);
  return length >= end && strcmp(function + length - end, what) == 0
         && (length == end || function[length - end - 1] == '.');
}

/* The time of a line. */
struct line { uint32_t number; uint64_t self_ns, total_ns; };

/* The lines of one file that have time.  A line may have any number. */
struct lines {
  struct frame any;                 /* one of them; file NULL: no line yet */
  struct line *list;                /* by number, after take_lines */
  size_t count, room;
};

static int by_number(const void *a, const void *b)
{
  const struct line *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

/* Sorts the lines, and adds up the times of each. */
static void sort_lines(struct lines *lines)
{
  size_t kept = 0;
  if (lines->count == 0) return;
  qsort(lines->list, lines->count, sizeof *lines->list, by_number);
  for (size_t i = 1; i < lines->count; i++) {
    struct line *last = &lines->list[kept], *next = &lines->list[i];
    if (next->number == last->number) {
      last->self_ns += next->self_ns;
      last->total_ns += next->total_ns;
    } else {
      lines->list[++kept] = *next;
    }
  }
  lines->count = kept + 1;
}

/* Opens the source at [path].  Returns NULL when there is no such file, or the
   file is not regular or too large: debug information may name any file. */
static FILE *open_text(const char *path)
{
  struct stat st;
  int fd = open_regular(path, &st);
  FILE *file = fd < 0 || st.st_size > MOST_SOURCE ? NULL : fdopen(fd, "r");
  if (file == NULL && fd >= 0) close(fd);
  return file;
}

/* Opens the source of [frame], in the folder where it was compiled or here.
   Returns NULL when it is not there. */
static FILE *open_source(const struct frame *frame, const char *what)
{
  FILE *file = NULL;
  if (frame->file[0] != '/' && frame->folder != NULL) {
    size_t size = strlen(frame->folder) + strlen(frame->file) + 2;
    char *path = allocate(size, 1);
    snprintf(path, size, "%s/%s", frame->folder, frame->file);
    file = open_text(path);
    free(path);
  }
  if (file == NULL) file = open_text(frame->file);
  if (file == NULL && is_path(what, frame->file)) file = open_text(what);
  return file;
}

/* Prints line [number] with [text] and the time of [line], which is NULL when
   the line has no time. */
static void print_line(const struct line *line, uint32_t number, uint64_t all,
                       const char *text)
{
  if (line != NULL && line->total_ns > 0) {
    fputs("  ", stdout);
    print_share(line->self_ns, all);
    putchar(' ');
    print_share(line->total_ns, all);
  } else {
    printf("%17s", "");
  }
  printf("  %5" PRIu32 "  ", number);
  /* TEXT_LINE would make two characters of a tabulator. */
  for (; *text != '\0'; text += strcspn(text, "\t")) {
    for (; *text == '\t'; text++) fputs("    ", stdout);
    print_text(stdout, text, strcspn(text, "\t"), TEXT_LINE);
  }
  putchar('\n');
}

/* Prints the lines from [first] to [last] of the source; when the source cannot
   be read, the numbers of the lines with time. */
static void print_source(const struct lines *lines, uint64_t all,
                         const char *what, uint32_t first, uint32_t last)
{
  FILE *source = open_source(&lines->any, what);
  char *text = NULL;
  size_t room = 0, next = 0;
  if (source == NULL) {
    note("cannot find the source %s", lines->any.file);
    for (; next < lines->count && output_works(); next++)
      print_line(&lines->list[next], lines->list[next].number, all, "");
    return;
  }
  for (uint32_t number = 1;
       number <= last && getline(&text, &room, source) >= 0; number++) {
    const struct line *line = NULL;
    text[strcspn(text, "\n")] = '\0';
    if (next < lines->count && lines->list[next].number == number)
      line = &lines->list[next++];
    if (number >= first && output_works()) print_line(line, number, all, text);
  }
  free(text);
  fclose(source);
}

/* Returns whether [frame] is in a file or, if [in_function] is true, in a
   function called [what]. */
static bool is_in(const struct frame *frame, const char *what, bool in_function)
{
  return frame->file != NULL && frame->line != 0
         && (in_function ? is_function(frame->function, what)
             : is_path(frame->file, what) || is_path(what, frame->file));
}

/* Collects the lines of the file or function [what] in [lines]: of the first
   file that has them, which is the one with most time.  The names in [lines]
   belong to the profile. */
static void take_lines(const struct profile *profile, const char *what,
                       bool in_function, struct lines *lines)
{
  size_t count;
  struct profile_entry *entries =
    profile_table(profile, in_function ? BY_LINE : BY_FILE_LINE, &count);
  for (size_t i = 0; i < count; i++) {
    const struct frame *frame = &entries[i].frame;
    if (!is_in(frame, what, in_function)
        || (lines->any.file != NULL && frame->file != lines->any.file))
      continue;
    if (lines->any.file == NULL) lines->any = *frame;
    lines->list = with_room(lines->list, lines->count, &lines->room,
                            sizeof *lines->list);
    lines->list[lines->count++] = (struct line) {
      frame->line, entries[i].self_ns, entries[i].total_ns };
  }
  free(entries);
  sort_lines(lines);
}

bool print_annotated(const struct profile *profile, const char *what)
{
  uint64_t all = profile_sums(profile).cpu_ns;
  struct lines lines = { .room = 0 };
  take_lines(profile, what, false, &lines);
  bool whole = lines.any.file != NULL, found = whole;
  if (!whole) {
    take_lines(profile, what, true, &lines);
    found = lines.any.file != NULL;
  }
  if (!found) {
    complain("no sample is in a file or function %s", what);
  } else {
    print_column(lines.any.file);
    puts(":\n     self   total");
    uint32_t first = lines.list[0].number;
    uint32_t last = lines.list[lines.count - 1].number;
    first = first > CONTEXT ? first - CONTEXT : 1;
    last = last < UINT32_MAX - CONTEXT ? last + CONTEXT : UINT32_MAX;
    print_source(&lines, all, what, whole ? 1 : first,
                 whole ? UINT32_MAX : last);
  }
  free(lines.list);
  return found;
}
