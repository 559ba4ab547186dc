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

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include "code_units.h"
#include "memory.h"

/* Ranges that are listed, at most: in a damaged file, many units may share one
   long list. */
#define MOST_RANGES (1 << 21)

/* A range of addresses in the DWARF sections, and the index of its unit. */
struct range { Dwarf_Addr low, high; size_t unit; };

struct code_units {
  Dwfl_Module *module;
  bool listed;
  Dwarf_Addr bias;              /* of the lists below */
  Dwarf_Die *list;
  size_t count, room;
  struct range *ranges;         /* by address */
  size_t ranges_count, ranges_room;
};

struct code_units *new_code_units(Dwfl_Module *module)
{
  struct code_units *units = allocate(1, sizeof *units);
  units->module = module;
  return units;
}

void free_code_units(struct code_units *units)
{
  if (units == NULL) return;
  free(units->list);
  free(units->ranges);
  free(units);
}

static int by_address(const void *a, const void *b)
{
  const struct range *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

/* Adds the ranges of the unit [die], and the unit if it has any.  The linker moves
   functions that it leaves out to address 0. */
static void add_unit(struct code_units *units, Dwarf_Die *die)
{
  Dwarf_Addr base, low, high;
  const size_t before = units->ranges_count;
  ptrdiff_t at = 0;
  while (units->ranges_count < MOST_RANGES
         && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
    if (low == 0 || low >= high) continue;
    if (units->ranges_count == units->ranges_room) {
      units->ranges_room = 2 * units->ranges_room + 64;
      units->ranges = reallocate(units->ranges, units->ranges_room,
                                 sizeof *units->ranges);
    }
    units->ranges[units->ranges_count++] =
      (struct range) { low, high, units->count };
  }
  if (units->ranges_count == before) return;
  if (units->count == units->room) {
    units->room = 2 * units->room + 64;
    units->list = reallocate(units->list, units->room, sizeof *units->list);
  }
  units->list[units->count++] = *die;
}

/* Lists all units and their ranges. */
static void list_units(struct code_units *units)
{
  Dwarf *dwarf = dwfl_module_getdwarf(units->module, &units->bias);
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  units->listed = true;
  if (dwarf == NULL) return;
  while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
    if (dwarf_tag(&die) == DW_TAG_compile_unit) add_unit(units, &die);
  if (units->ranges_count > 0)
    qsort(units->ranges, units->ranges_count, sizeof *units->ranges,
          by_address);
}

/* Returns the unit of the last listed range that begins at [address] or before,
   if [address] is in it, else NULL. */
static Dwarf_Die *unit_at(const struct code_units *units, Dwarf_Addr address)
{
  size_t low = 0, high = units->ranges_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (units->ranges[middle].low <= address) low = middle + 1;
    else high = middle;
  }
  if (low == 0 || address >= units->ranges[low - 1].high) return NULL;
  return &units->list[units->ranges[low - 1].unit];
}

Dwarf_Die *find_unit(struct code_units *units, Dwarf_Addr address,
                     Dwarf_Addr *bias)
{
  Dwarf_Die *die = dwfl_module_addrdie(units->module, address, bias);
  if (die != NULL) return die;
  if (!units->listed) list_units(units);
  *bias = units->bias;
  return unit_at(units, address - units->bias);
}

Dwarf_Line *find_line(Dwarf_Die *unit, Dwarf_Addr address)
{
  Dwarf_Lines *lines;
  size_t low = 0, high;
  bool ends = true;
  if (dwarf_getsrclines(unit, &lines, &high) != 0) return NULL;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    Dwarf_Addr begin = 0;
    dwarf_lineaddr(dwarf_onesrcline(lines, middle), &begin);
    if (begin <= address) low = middle + 1;
    else high = middle;
  }
  if (low == 0) return NULL;
  Dwarf_Line *line = dwarf_onesrcline(lines, low - 1);
  return dwarf_lineendsequence(line, &ends) != 0 || ends ? NULL : line;
}
