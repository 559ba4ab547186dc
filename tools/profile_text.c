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
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common.h"
#include "profile_text.h"
#include "profile_types.h"
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

/* Prints the processes of the profile. */
static void print_origin(const struct profile_origin *origin)
{
  if (origin->cursor == NULL) {
    printf("%" PRIu32 " process%s on %" PRIu32 " node%s", origin->processes,
           origin->processes == 1 ? "" : "es", origin->nodes,
           origin->nodes == 1 ? "" : "s");
    if (origin->version != NULL) printf(", version %s", origin->version);
    return;
  }
  const struct eventring_info info = target_info(origin->cursor);
  printf("process %" PRId32 "%s", info.pid, info.program[0] ? " " : "");
  print_text(stdout, info.program, strlen(info.program), TEXT_LINE);
  printf(" (%s)", state_name(eventring_state(origin->cursor)));
}

/* Room for any size with a sign. */
#define GROWTH_SIZE (QUANTITY_SIZE + 1)

/* Writes [now] - [was] bytes, with a sign unless it is 0, into [buffer], and
   returns it. */
static const char *format_growth(char buffer[GROWTH_SIZE], uint64_t now,
                                 uint64_t was)
{
  if (now == was) return format_bytes(buffer, 0);
  buffer[0] = now > was ? '+' : '-';
  format_bytes(buffer + 1, now > was ? now - was : was - now);
  return buffer;
}

/* Prints the growth since the time of [earlier]. */
static void print_growth(const struct profile_origin *origin,
                         const struct profile_sums *sums,
                         const struct profile *earlier)
{
  const struct profile_sums was = profile_sums(earlier);
  const int64_t since = time_since(was.last_ns,
                                   target_info(origin->cursor).started_ns);
  char growth[GROWTH_SIZE], time[QUANTITY_SIZE];
  printf("; %s since %s%s", format_growth(growth, sums->weight, was.weight),
         format_duration(time, since < 0 ? 0 : (uint64_t) since),
         sums->survivors ? ", of blocks that a major cycle has kept" : "");
}

void print_profile_head(const struct profile_origin *origin,
                        const struct profile *profile,
                        const struct profile *earlier)
{
  const struct profile_sums sums = profile_sums(profile);
  char text[SUMS_SIZE];
  print_origin(origin);
  printf(": %s", format_sums(text, origin, profile));
  if (profile_type(profile) != PROFILE_LIVE && sums.samples < sums.all_samples)
    printf(" of %" PRIu64, sums.all_samples);
  if (earlier != NULL) print_growth(origin, &sums, earlier);
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

/* Two entries */

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

static int by_frame_of(const void *a, const void *b)
{
  return by_frame(*(struct profile_entry *const *) a,
                  *(struct profile_entry *const *) b);
}

/* The table */

/* Keeps the file with the code only of entries that are equal otherwise, each
   in another file. */
static void keep_builds(struct profile_entry *entries, size_t count)
{
  struct profile_entry **sorted = allocate(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = &entries[i];
  if (count > 0)
    qsort(sorted, count, sizeof(struct profile_entry *), by_frame_of);
  for (size_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count; next++)
      if (by_frame_of(&sorted[i], &sorted[next]) != 0) break;
    if (next == i + 1) sorted[i]->code = NULL;
  }
  free(sorted);
}

/* The bytes of a build id that are printed. */
#define BUILD_BYTES 4

/* Prints the file with the code of an entry: its name, and the begin of its
   build id. */
static void print_build(const struct eventring_mapping *code)
{
  const char *slash = strrchr(code->path, '/');
  fputs("  [", stdout);
  print_column(slash != NULL ? slash + 1 : code->path);
  if (code->build_id_size > 0) putchar(' ');
  for (uint32_t i = 0; i < code->build_id_size && i < BUILD_BYTES; i++)
    printf("%02x", code->build_id[i]);
  putchar(']');
}

/* Returns the width of a column with weights, with a blank before "999
   bytes". */
static int width_of(enum profile_type type)
{
  return profile_type_words[type].weighs_bytes ? 10 : 8;
}

/* Prints [weight] and its share of [all] as two columns. */
static void print_weight(enum profile_type type, uint64_t weight, uint64_t all)
{
  char text[QUANTITY_SIZE];
  printf("%*s ", width_of(type), format_weight(text, type, weight));
  print_share(weight, all);
}

/* The width of a column with errors. */
#define ERROR_WIDTH 7

/* Returns the width of a column with errors, 0 for a type without errors. */
static int error_width(enum profile_type type)
{
  return type == PROFILE_IO ? 0 : ERROR_WIDTH;
}

/* Prints the standard error of a share as a column of percentage points; blanks
   when it is not known. */
static void print_error(double error)
{
  if (error > 0) printf(" ±%5.2f", 100 * error);
  else printf("%*s", ERROR_WIDTH, "");
}

/* Prints [value], its share of [all] and the error of the share as columns. */
static void print_value(enum profile_type type,
                        const struct profile_value *value,
                        const struct profile_value *all)
{
  print_weight(type, value->weight, all->weight);
  if (error_width(type) > 0) print_error(share_error(value, all));
}

/* Prints the headings of the columns behind the weights, and then
   "function" or "line". */
static void print_more_headings(enum profile_type type, enum profile_by by)
{
  printf("%s", profile_type_words[type].has_blocks ? "   blocks"
               : type == PROFILE_IO ? "      bytes    calls" : "   ");
  printf("  %s\n", by == BY_FUNCTION ? "function" : "line");
}

/* Prints the columns behind the weights: sums that include the functions that
   were called. */
static void print_more_columns(enum profile_type type,
                               const struct profile_value *total)
{
  char text[QUANTITY_SIZE];
  if (profile_type_words[type].has_blocks)
    printf(" %8s", format_number(text, total->extra));
  if (type != PROFILE_IO) return;
  printf("  %9s", format_bytes(text, total->extra));
  printf(" %8s", format_number(text, total->samples));
}

void print_profile_table(const struct profile *profile, enum profile_by by)
{
  print_profile_top(profile, by, SIZE_MAX);
}

void print_profile_top(const struct profile *profile, enum profile_by by,
                       size_t max)
{
  const enum profile_type type = profile_type(profile);
  const struct profile_value all = profile_total(profile);
  size_t count;
  struct profile_entry *entries = profile_table(profile, by, &count);
  keep_builds(entries, count);
  const int width = width_of(type), more = error_width(type);
  printf("%*s %*s      %*s", width + 2, "self", width + 7 + more, "total", more,
         "");
  print_more_headings(type, by);
  for (size_t i = 0; i < count && i < max && output_works(); i++) {
    const struct profile_entry *e = &entries[i];
    print_value(type, &e->self, &all);
    print_value(type, &e->total, &all);
    print_more_columns(type, &e->total);
    fputs("  ", stdout);
    print_frame(&e->frame);
    if (e->code != NULL) print_build(e->code);
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
    if (nodes[i].self.weight == 0) continue;
    print_path(nodes, i, path);
    printf(" %" PRIu64 "\n", nodes[i].self.weight);
  }
  free(path);
  free(nodes);
}

/* The tree */

static void print_node(const struct profile_node *node, enum profile_type type,
                       uint64_t all, uint32_t depth)
{
  print_weight(type, node->total.weight, all);
  print_weight(type, node->self.weight, all);
  /* Otherwise the output would grow with the square of the depth. */
  uint32_t indented = depth < MOST_INDENTED ? depth : MOST_INDENTED;
  printf("  %*s", 2 * (int) indented, "");
  if (depth > MOST_INDENTED) printf("[%" PRIu32 "] ", depth);
  print_column(node->function);
  putchar('\n');
}

void print_profile_tree(const struct profile *profile, bool inverted)
{
  const enum profile_type type = profile_type(profile);
  uint64_t all = profile_sums(profile).weight;
  uint32_t count, at = 0;
  uint32_t depth = 0;
  struct profile_node *nodes = profile_tree(profile, inverted, &count);
  const int width = width_of(type);
  printf("%*s %*s           function\n", width + 2, "total", width + 7, "self");
  print_node(&nodes[0], type, all, 0);
  /* Depth first; a stack may be deeper than ours. */
  for (uint32_t next = nodes[0].first; output_works(); ) {
    if (next != 0 && share(nodes[next].total.weight, all) >= LEAST_SHARE) {
      at = next;
      print_node(&nodes[at], type, all, ++depth);
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
    if (next != 0 && share(nodes[next].total.weight, all) < LEAST_SHARE)
      next = 0;
  }
  free(nodes);
}

/* Two profiles */

/* A row of a comparison: the entries with the same function and line, either of
   which may be missing. */
struct pair { const struct profile_entry *now, *base; double difference; };

/* The rows of a comparison, and the entries that they are of. */
struct pairs {
  struct pair *list;
  size_t count;
  struct profile_entry *now, *base;
};

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
  return entry == NULL ? 0 : share(entry->self.weight, all);
}

static double total_share(const struct profile_entry *entry, uint64_t all)
{
  return entry == NULL ? 0 : share(entry->total.weight, all);
}

/* Returns the entries of [profile], sorted by function, file and line, with the
   builds added up.  The caller frees the array. */
static struct profile_entry *sorted_table(const struct profile *profile,
                                          enum profile_by by, size_t *count)
{
  struct profile_entry *entries = profile_table(profile, by, count);
  size_t kept = 0;
  if (*count == 0) return entries;
  qsort(entries, *count, sizeof *entries, by_frame);
  for (size_t i = 1; i < *count; i++) {
    struct profile_entry *last = &entries[kept];
    if (by_frame(last, &entries[i]) == 0) {
      add_value(&last->self, entries[i].self);
      add_value(&last->total, entries[i].total);
    } else {
      entries[++kept] = entries[i];
    }
  }
  *count = kept + 1;
  return entries;
}

/* Returns the rows of both profiles, without their differences.  The caller
   frees them with free_pairs. */
static struct pairs make_pairs(const struct profile *profile,
                               const struct profile *base, enum profile_by by)
{
  struct pairs p = { NULL, 0, NULL, NULL };
  size_t count, count_base;
  p.now = sorted_table(profile, by, &count);
  p.base = sorted_table(base, by, &count_base);
  p.list = allocate(count + count_base, sizeof *p.list);
  for (size_t i = 0, j = 0; i < count || j < count_base; p.count++) {
    int order = i == count ? 1
                : j == count_base ? -1 : by_frame(&p.now[i], &p.base[j]);
    struct pair *pair = &p.list[p.count];
    if (order <= 0) pair->now = &p.now[i++];
    if (order >= 0) pair->base = &p.base[j++];
  }
  return p;
}

static void free_pairs(struct pairs *p)
{
  free(p->list);
  free(p->now);
  free(p->base);
}

/* Returns the standard error of the difference of two shares, which have no
   samples in common: the root of the sum of the squares of theirs. */
static double difference_error(const struct pair *p,
                               const struct profile_value *all,
                               const struct profile_value *all_base)
{
  const double now = p->now == NULL ? 0 : share_error(&p->now->self, all);
  const double base = p->base == NULL ? 0
                      : share_error(&p->base->self, all_base);
  return sqrt(now * now + base * base);
}

static void print_pair_frame(const struct pair *p)
{
  print_frame(&(p->now != NULL ? p->now : p->base)->frame);
  putchar('\n');
}

void print_profile_diff(const struct profile *profile,
                        const struct profile *base, enum profile_by by)
{
  const struct profile_value sums = profile_total(profile);
  const struct profile_value sums_base = profile_total(base);
  const uint64_t all = sums.weight, all_base = sums_base.weight;
  const int more = error_width(profile_type(profile));
  struct pairs pairs = make_pairs(profile, base, by);
  for (size_t i = 0; i < pairs.count; i++) {
    struct pair *pair = &pairs.list[i];
    pair->difference = self_share(pair->now, all)
                       - self_share(pair->base, all_base);
  }
  if (pairs.count > 0)
    qsort(pairs.list, pairs.count, sizeof *pairs.list, by_difference);
  printf("     self    base  points%*s   total    base  %s\n", more, "",
         by == BY_FUNCTION ? "function" : "line");
  for (size_t i = 0; i < pairs.count && output_works(); i++) {
    const struct pair *p = &pairs.list[i];
    printf("  %6.2f%% %6.2f%% %+7.2f", 100 * self_share(p->now, all),
           100 * self_share(p->base, all_base), 100 * p->difference);
    if (more > 0) print_error(difference_error(p, &sums, &sums_base));
    printf(" %6.2f%% %6.2f%%  ", 100 * total_share(p->now, all),
           100 * total_share(p->base, all_base));
    print_pair_frame(p);
  }
  free_pairs(&pairs);
}

/* Growth */

static uint64_t self_of(const struct profile_entry *entry)
{
  return entry == NULL ? 0 : entry->self.weight;
}

static uint64_t total_of(const struct profile_entry *entry)
{
  return entry == NULL ? 0 : entry->total.weight;
}

static int by_growth(const void *a, const void *b)
{
  const struct pair *x = a, *y = b;
  /* No weight is more than INT64_MAX. */
  int64_t left = (int64_t) self_of(x->now) - (int64_t) self_of(x->base);
  int64_t right = (int64_t) self_of(y->now) - (int64_t) self_of(y->base);
  if (left != right) return left < right ? 1 : -1;
  left = (int64_t) total_of(x->now) - (int64_t) total_of(x->base);
  right = (int64_t) total_of(y->now) - (int64_t) total_of(y->base);
  if (left != right) return left < right ? 1 : -1;
  return by_difference(a, b);
}

void print_profile_growth(const struct profile *profile,
                          const struct profile *earlier, enum profile_by by)
{
  struct pairs pairs = make_pairs(profile, earlier, by);
  if (pairs.count > 0)
    qsort(pairs.list, pairs.count, sizeof *pairs.list, by_growth);
  printf("      self       total    was self    now self  %s\n",
         by == BY_FUNCTION ? "function" : "line");
  for (size_t i = 0; i < pairs.count && output_works(); i++) {
    const struct pair *p = &pairs.list[i];
    char text[GROWTH_SIZE];
    printf("%10s", format_growth(text, self_of(p->now), self_of(p->base)));
    printf("  %10s", format_growth(text, total_of(p->now), total_of(p->base)));
    printf("  %10s", format_bytes(text, self_of(p->base)));
    printf("  %10s  ", format_bytes(text, self_of(p->now)));
    print_pair_frame(p);
  }
  free_pairs(&pairs);
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
struct line { uint32_t number; struct profile_value self, total; };

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
      last->self.weight += next->self.weight;
      last->total.weight += next->total.weight;
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
  if (line != NULL && line->total.weight > 0) {
    fputs("  ", stdout);
    print_share(line->self.weight, all);
    putchar(' ');
    print_share(line->total.weight, all);
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
      frame->line, entries[i].self, entries[i].total };
  }
  free(entries);
  sort_lines(lines);
}

bool print_annotated(const struct profile *profile, const char *what)
{
  uint64_t all = profile_sums(profile).weight;
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
