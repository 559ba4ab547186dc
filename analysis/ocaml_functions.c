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

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "ocaml_functions.h"
#include "ocaml_name.h"
#include "pair_map.h"
#include "source_name.h"

/* Rows of a function that are looked at on each side of an instruction. */
#define LONGEST_RUN 1000

/* Functions that may have a line of code, at most. */
#define MOST_OWNERS 1000

struct function {
  uint64_t low, high;           /* virtual addresses: from low up to high */
  struct code_function code;
  uint32_t unit, file;          /* numbers */
  const char *file_name;        /* NULL: it has no lines */
  uint32_t line, column;        /* where its definition begins; 0: the code of a
                                   module that runs when this is initialised */
};

/* A line with code of a function. */
struct row { uint32_t file, line, column, function; };

struct ocaml_functions {
  Dwfl_Module *module;
  GElf_Addr bias;
  struct code_units *code_units;
  const struct ocaml_frames *frames;
  struct function *list;        /* by address */
  uint32_t count;
  struct row *rows;             /* sorted */
  size_t rows_count, rows_room;
  struct pair_map files, units;
};

/* The lines of a unit, by address. */
struct unit {
  Dwarf_Lines *lines;
  size_t count;
  GElf_Addr shift;              /* address there - virtual address */
  const char *folder;
  Dwarf_Off offset;
};

/* A line and its code. */
struct line {
  const char *file;
  uint32_t line, column;
  uint64_t low, high;           /* virtual addresses; equal: without code */
};

/* Lines */

/* Sets *unit to the unit with the code at [address].  Returns false when there is
   none. */
static bool unit_at(const struct ocaml_functions *f, uint64_t address,
                    struct unit *unit)
{
  GElf_Addr bias;
  Dwarf_Die *die = find_unit(f->code_units, address + f->bias, &bias);
  if (die == NULL || dwarf_getsrclines(die, &unit->lines, &unit->count) != 0)
    return false;
  unit->shift = f->bias - bias;
  unit->folder = folder_of(die);
  unit->offset = dwarf_dieoffset(die);
  return true;
}

static uint64_t line_address(const struct unit *unit, size_t index)
{
  Dwarf_Addr address = 0;
  dwarf_lineaddr(dwarf_onesrcline(unit->lines, index), &address);
  return address - unit->shift;
}

/* Returns the index of the first line of [unit] at [address] or above. */
static size_t first_line(const struct unit *unit, uint64_t address)
{
  size_t low = 0, high = unit->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (line_address(unit, middle) < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Returns line [index] of [unit]; without code, and with number 0, when it is the
   end of a sequence. */
static struct line line_of(const struct unit *unit, size_t index)
{
  Dwarf_Line *from = dwarf_onesrcline(unit->lines, index);
  struct line line = { .low = line_address(unit, index) };
  int number = 0, column = 0;
  bool ends = true;
  line.high = index + 1 < unit->count ? line_address(unit, index + 1)
                                      : line.low;
  dwarf_lineendsequence(from, &ends);
  dwarf_lineno(from, &number);
  dwarf_linecol(from, &column);
  line.file = within(unit->folder, dwarf_linesrc(from, NULL, NULL));
  line.line = ends || number < 0 ? 0 : (uint32_t) number;
  if (line.line == 0 || line.file == NULL) line.high = line.low;
  line.column = column < 0 ? 0 : (uint32_t) column;
  return line;
}

/* Returns the number of [name] in [files], or UINT32_MAX when it has none and
   [add] is NULL. */
static uint32_t number_of_file(const struct pair_map *files,
                               struct pair_map *add, const char *name)
{
  uint64_t hash = files->seed;
  const size_t length = strlen(name);
  bool added;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char) name[i]) * (files->seed | 1) + (hash >> 29);
  return add == NULL ? find_pair(files, hash, length)
                     : number_of_pair(add, hash, length, &added);
}

/* Functions */

static int by_address(const void *a, const void *b)
{
  const struct function *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high < y->high) - (x->high > y->high);
}

static bool is_ocaml(const char *symbol)
{
  return symbol != NULL && strncmp(symbol, "caml", 4) == 0 && symbol[4] >= 'A'
         && symbol[4] <= 'Z';
}

/* Takes the functions from the symbols of the file.  None of them overlap. */
static void take_functions(struct ocaml_functions *f)
{
  const int symbols = dwfl_module_getsymtab(f->module);
  size_t count = 0, room = 0;
  for (int i = 0; i < symbols; i++) {
    GElf_Sym symbol;
    GElf_Addr address;
    const char *name = dwfl_module_getsym_info(f->module, i, &symbol, &address,
                                               NULL, NULL, NULL);
    if (!is_ocaml(name) || symbol.st_shndx == SHN_UNDEF
        || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0
        || count == UINT32_MAX)
      continue;
    address -= f->bias;
    f->list = with_room(f->list, count, &room, sizeof *f->list);
    f->list[count++] = (struct function) {
      .low = address, .high = address + symbol.st_size, .code.symbol = name };
  }
  if (count > 0) qsort(f->list, count, sizeof *f->list, by_address);
  for (size_t i = 0; i < count; i++) {
    struct function *last = f->count == 0 ? NULL : &f->list[f->count - 1];
    if (last != NULL && last->low == f->list[i].low) continue;
    if (last != NULL && last->high > f->list[i].low)
      last->high = f->list[i].low;
    f->list[f->count++] = f->list[i];
  }
}

/* Adds the lines with code of function [index], and finds where it begins: the
   first line that has its address, with or without code. */
static void take_rows(struct ocaml_functions *f, uint32_t index)
{
  struct function *function = &f->list[index];
  const bool is_entry = is_module_entry(function->code.symbol);
  struct unit unit;
  bool added;
  if (!unit_at(f, function->low, &unit)) return;
  function->unit = number_of_pair(&f->units, unit.offset, 0, &added);
  for (size_t i = first_line(&unit, function->low); i < unit.count; i++) {
    const struct line line = line_of(&unit, i);
    if (line.low >= function->high) break;
    if (line.line == 0 || line.file == NULL) continue;
    const uint32_t file = number_of_file(&f->files, &f->files, line.file);
    if (function->file_name == NULL) {
      function->file = file;
      function->file_name = line.file;
      function->line = is_entry ? 0 : line.line;
      function->column = is_entry ? 0 : line.column;
    }
    if (line.low == line.high) continue;
    f->rows = with_room(f->rows, f->rows_count, &f->rows_room, sizeof *f->rows);
    f->rows[f->rows_count++] =
      (struct row) { file, line.line, line.column, index };
  }
}

static int compare(uint32_t a, uint32_t b)
{
  return (a > b) - (a < b);
}

static int by_place(const struct row *x, const struct row *y)
{
  int order = compare(x->file, y->file);
  if (order == 0) order = compare(x->line, y->line);
  return order != 0 ? order : compare(x->column, y->column);
}

static int by_row(const void *a, const void *b)
{
  const struct row *x = a, *y = b;
  const int order = by_place(x, y);
  return order != 0 ? order : compare(x->function, y->function);
}

static void sort_rows(struct ocaml_functions *f)
{
  size_t kept = 0;
  if (f->rows_count == 0) return;
  qsort(f->rows, f->rows_count, sizeof *f->rows, by_row);
  for (size_t i = 1; i < f->rows_count; i++)
    if (by_row(&f->rows[kept], &f->rows[i]) != 0)
      f->rows[++kept] = f->rows[i];
  f->rows_count = kept + 1;
}

static int by_definition(const void *a, const void *b)
{
  const struct function *x = *(struct function *const *) a;
  const struct function *y = *(struct function *const *) b;
  int order = compare(x->unit, y->unit);
  if (order == 0) order = compare(x->file, y->file);
  if (order == 0) order = compare(x->line, y->line);
  return order != 0 ? order : compare(x->column, y->column);
}

/* Returns whether the function of a symbol is anonymous. */
static bool has_no_name(const struct function *function)
{
  char name[256];
  return name_of_symbol(function->code.symbol, name, sizeof name)
         && is_anonymous(name);
}

/* Sets the lines of anonymous functions in [sorted], the functions with lines in
   the order of their definitions. */
static void set_lines(struct function **sorted, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct function *last = i == 0 ? NULL : sorted[i - 1], *next = sorted[i];
    if (next->line == 0 || !has_no_name(next)) continue;
    next->code.line = next->line;
    if (last == NULL || last->code.line != next->line
        || last->unit != next->unit || last->file != next->file)
      continue;
    last->code.column = last->column;
    next->code.column = next->column;
  }
}

static const struct function *function_at(const struct ocaml_functions *f,
                                          uint64_t address)
{
  uint32_t low = 0, high = f->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (f->list[middle].low <= address) low = middle + 1;
    else high = middle;
  }
  return low > 0 && address < f->list[low - 1].high ? &f->list[low - 1] : NULL;
}

/* Functions in the order of their definitions, and for each the places that are
   known to be nearest before and after where it begins. */
struct order {
  struct ocaml_functions *functions;
  struct function **sorted;
  size_t count;
  struct code_place *before, *after;
};

/* Takes the place of a call or allocation that returns to [address], in the
   function that has the code. */
static void take_place(void *state, uint64_t address,
                       const struct code_place *place)
{
  struct order *o = state;
  const struct function *in = function_at(o->functions, address - 1);
  if (in == NULL || in->file_name == NULL || place->file == NULL
      || place->function.name == NULL || strcmp(place->file, in->file_name) != 0)
    return;
  const struct function at = { .unit = in->unit, .file = in->file,
                               .line = place->line, .column = place->column };
  const struct function *key = &at;
  size_t low = 0, high = o->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (by_definition(&o->sorted[middle], &key) <= 0) low = middle + 1;
    else high = middle;
  }
  if (low < o->count && o->sorted[low]->unit == at.unit
      && o->sorted[low]->file == at.file
      && (o->before[low].line < place->line
          || (o->before[low].line == place->line
              && o->before[low].column < place->column)))
    o->before[low] = *place;
  if (low == 0 || o->sorted[low - 1]->unit != at.unit
      || o->sorted[low - 1]->file != at.file)
    return;
  struct function *last = o->sorted[low - 1];
  struct code_place *after = &o->after[low - 1];
  /* A closure is allocated where its function begins. */
  if (last->code.name == NULL && last->line != 0
      && by_definition(&last, &key) == 0
      && is_name_of_symbol(place->function.name, last->code.symbol))
    last->code.name = place->function.name;
  if (after->line == 0 || after->line > place->line
      || (after->line == place->line && after->column > place->column))
    *after = *place;
}

/* Sets the names around the functions that have none. */
static void set_neighbours(struct order *o)
{
  const struct function *last = NULL;
  const char *name = NULL;
  for (size_t i = 0; i < o->count; i++) {
    struct function *next = o->sorted[i];
    if (last == NULL || last->unit != next->unit || last->file != next->file)
      name = NULL;
    if (o->before[i].line != 0) name = o->before[i].function.name;
    next->code.before = name;
    last = next;
  }
  last = NULL;
  for (size_t i = o->count; i-- > 0; last = o->sorted[i]) {
    struct function *next = o->sorted[i];
    if (last == NULL || last->unit != next->unit || last->file != next->file)
      name = NULL;
    if (o->after[i].line != 0) name = o->after[i].function.name;
    next->code.after = name;
  }
}

/* Sets what the order of the definitions shows. */
static void order_functions(struct ocaml_functions *f)
{
  struct order o = { f, allocate(f->count, sizeof *o.sorted), 0,
                     allocate(f->count, sizeof *o.before),
                     allocate(f->count, sizeof *o.after) };
  for (uint32_t i = 0; i < f->count; i++)
    if (f->list[i].file_name != NULL) o.sorted[o.count++] = &f->list[i];
  if (o.count > 0)
    qsort(o.sorted, o.count, sizeof(struct function *), by_definition);
  set_lines(o.sorted, o.count);
  each_own_place(f->frames, take_place, &o);
  set_neighbours(&o);
  free(o.sorted);
  free(o.before);
  free(o.after);
}

/* The first line of the code of a module may be an inlined one.  Its source is
   that of the function before or after it in its unit. */
static void set_files_of_entries(struct ocaml_functions *f)
{
  for (uint32_t i = 0; i < f->count; i++) {
    struct function *entry = &f->list[i];
    if (!is_module_entry(entry->code.symbol) || entry->file_name == NULL)
      continue;
    const struct function *other = i > 0 ? entry - 1 : entry;
    if (other->unit != entry->unit || other == entry)
      other = i + 1 < f->count ? entry + 1 : entry;
    if (other->unit != entry->unit || other->file_name == NULL) continue;
    entry->file = other->file;
    entry->file_name = other->file_name;
  }
}

struct ocaml_functions *new_ocaml_functions(Dwfl_Module *module, GElf_Addr bias,
                                            struct code_units *units,
                                            const struct ocaml_frames *frames)
{
  struct ocaml_functions *f = allocate(1, sizeof *f);
  *f = (struct ocaml_functions) { .module = module, .bias = bias,
                                  .code_units = units, .frames = frames,
                                  .files = new_pair_map(),
                                  .units = new_pair_map() };
  take_functions(f);
  for (uint32_t i = 0; i < f->count; i++) {
    struct function *function = &f->list[i];
    if (!is_module_entry(function->code.symbol))
      function->code.name = ocaml_function(frames, function->low + 1,
                                           function->high + 1,
                                           function->code.symbol);
    take_rows(f, i);
  }
  sort_rows(f);
  set_files_of_entries(f);
  order_functions(f);
  return f;
}

void free_ocaml_functions(struct ocaml_functions *f)
{
  if (f == NULL) return;
  free(f->list);
  free(f->rows);
  free_pair_map(&f->files);
  free_pair_map(&f->units);
  free(f);
}

void complete_function(const struct ocaml_functions *f, uint64_t address,
                       struct code_function *function)
{
  const struct function *found = function_at(f, address);
  if (found == NULL) return;
  if (function->name == NULL) function->name = found->code.name;
  function->before = found->code.before;
  function->after = found->code.after;
  function->line = found->code.line;
  function->column = found->code.column;
}

/* Inlined code */

/* Returns whether [function] begins after the place [row]. */
static bool begins_after(const struct function *function, const struct row *row)
{
  return function->line > row->line
         || (function->line == row->line && function->column > row->column);
}

/* Returns whether the source of [function] may have [row], a row of the code of
   [function] and of [in], inside of its definition. */
static bool may_have(const struct function *function, const struct row *row,
                     const struct function *in)
{
  if (function->file != row->file || begins_after(function, row)) return false;
  /* [in] makes a closure of a function where the function begins. */
  return function == in || in == NULL || function->file != in->file
         || function->line != row->line || function->column != row->column
         || function->line < in->line
         || (function->line == in->line && function->column <= in->column);
}

/* Returns the function whose source has [row], of which [in] has code: the last
   one to begin before it, since functions inside of it are in its code only when
   they are inlined.  Returns NULL when the function is not known. */
static const struct function *owner_of(const struct ocaml_functions *f,
                                       struct row row,
                                       const struct function *in)
{
  const struct function *best = NULL;
  size_t low = 0, high = f->rows_count;
  bool differ = false;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (by_place(&f->rows[middle], &row) < 0) low = middle + 1;
    else high = middle;
  }
  if (f->rows_count - low > MOST_OWNERS) high = low + MOST_OWNERS;
  else high = f->rows_count;
  for (; low < high && by_place(&f->rows[low], &row) == 0; low++) {
    const struct function *next = &f->list[f->rows[low].function];
    if (!may_have(next, &row, in)) continue;
    /* Two units may have sources of the same name. */
    if (best != NULL && best->unit != next->unit) {
      if (in != NULL && best->unit == in->unit) continue;
      differ = in == NULL || next->unit != in->unit;
      best = next;
    } else if (best == NULL || next->line > best->line
               || (next->line == best->line && next->column > best->column)) {
      best = next;
    }
  }
  return differ ? NULL : best;
}

static const struct function *owner_of_line(const struct ocaml_functions *f,
                                            const struct line *line,
                                            const struct function *in)
{
  return owner_of(f, (struct row) {
    number_of_file(&f->files, NULL, line->file), line->line, line->column, 0
  }, in);
}

void complete_place(const struct ocaml_functions *f, struct code_place *place)
{
  if (place->file == NULL || place->function.name == NULL) return;
  const struct line line = { place->file, place->line, place->column, 0, 0 };
  const struct function *owner = owner_of_line(f, &line, NULL);
  if (owner == NULL || owner->code.name == NULL
      || strcmp(owner->code.name, place->function.name) != 0)
    return;
  place->function.line = owner->code.line;
  place->function.column = owner->code.column;
}

/* Lines of the code of a function, one after the other. */
struct run {
  const struct unit *unit;
  size_t first, end;            /* from first up to end */
};

/* Returns whether [line], with code of [in], is inlined. */
static bool is_inlined(const struct ocaml_functions *f, const struct line *line,
                       const struct function *in)
{
  const struct function *owner = owner_of_line(f, line, in);
  return owner != NULL && owner != in;
}

/* Returns whether line [index] of [unit] goes on with the run of line [from], whose
   code in [in] is inlined: it has the same place if [same] is true, else it is
   inlined, too. */
static bool goes_on(const struct ocaml_functions *f, const struct unit *unit,
                    size_t index, size_t from, const struct function *in,
                    bool same)
{
  const struct line line = line_of(unit, index), other = line_of(unit, from);
  if (line.low < in->low || line.low >= in->high) return false;
  if (line.low == line.high) return true;
  return same ? line.line == other.line && line.column == other.column
                && strcmp(line.file, other.file) == 0
              : is_inlined(f, &line, in);
}

/* Returns the run with line [index] of [unit]; see goes_on. */
static struct run run_of(const struct ocaml_functions *f,
                         const struct unit *unit, size_t index,
                         const struct function *in, bool same)
{
  struct run run = { unit, index, index + 1 };
  while (run.first > 0 && index - run.first < LONGEST_RUN
         && goes_on(f, unit, run.first - 1, index, in, same))
    run.first--;
  while (run.end < unit->count && run.end - index < LONGEST_RUN
         && goes_on(f, unit, run.end, index, in, same))
    run.end++;
  return run;
}

/* Returns whether a line of [run], a struct run, is [place]. */
static bool is_in_run(void *run, const struct code_place *place)
{
  const struct run *r = run;
  for (size_t i = r->first; i < r->end; i++) {
    const struct line line = line_of(r->unit, i);
    if (line.low < line.high && line.line == place->line
        && (line.column == place->column || line.column == 0)
        && place->file != NULL && strcmp(line.file, place->file) == 0)
      return true;
  }
  return false;
}

/* Finds the callers of [inner] by the calls in [run], code of [in], that have one
   of its lines: behind the code may be calls of other lines. */
static uint32_t find_run_callers(const struct ocaml_functions *f,
                                 struct run *run,
                                 const struct function *inner,
                                 const struct function *in,
                                 struct code_place *places, uint32_t max)
{
  const uint64_t end = run->end < run->unit->count
                       ? line_address(run->unit, run->end) : in->high;
  return find_ocaml_callers(f->frames, line_address(run->unit, run->first) + 1,
                            (end < in->high ? end : in->high) + 1,
                            inner->code.name, is_in_run, run, places, max);
}

/* Finds the callers of [inner], inlined in [in] at line [index]: by calls that have
   this place; or by those in the code around that is inlined, too; or by calls
   behind the code of [in], for errors and allocations, that have one of these
   lines. */
static uint32_t find_callers(const struct ocaml_functions *f,
                             const struct unit *unit, size_t index,
                             const struct function *inner,
                             const struct function *in,
                             struct code_place *places, uint32_t max)
{
  if (inner->code.name == NULL
      || !is_name_of_symbol(inner->code.name, inner->code.symbol))
    return 0;
  struct run run = run_of(f, unit, index, in, true);
  uint32_t count = find_run_callers(f, &run, inner, in, places, max);
  if (count > 0) return count;
  run = run_of(f, unit, index, in, false);
  count = find_run_callers(f, &run, inner, in, places, max);
  return count > 0 ? count
         : find_ocaml_callers(f->frames, in->low + 1, in->high + 1,
                              inner->code.name, is_in_run, &run, places, max);
}

uint32_t find_inlined(const struct ocaml_functions *f, uint64_t address,
                      struct code_place *places, uint32_t max)
{
  const struct function *in = function_at(f, address);
  struct unit unit;
  if (in == NULL || !unit_at(f, address, &unit)) return 0;
  const size_t above = first_line(&unit, address + 1);
  if (above == 0) return 0;
  const struct line line = line_of(&unit, above - 1);
  if (line.low < in->low || line.low == line.high) return 0;
  const struct function *inner = owner_of_line(f, &line, in);
  if (inner == NULL || inner == in) return 0;
  places[0] = (struct code_place) {
    .function = inner->code, .file = line.file, .line = line.line,
    .column = line.column };
  const uint32_t count = find_callers(f, &unit, above - 1, inner, in,
                                      places + 1, max - 1);
  if (count > 0) return 1 + count;
  places[1] = (struct code_place) { .file = in->file_name };
  return 2;
}
