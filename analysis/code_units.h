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

/* The compile units of a file with machine code.

   The section .debug_aranges tells which unit has an address, but not every
   compiler writes it: clang does not.  For code that it lacks, the ranges of
   addresses of all units are listed once. */

#ifndef ANALYSIS_CODE_UNITS_H
#define ANALYSIS_CODE_UNITS_H

#include <elfutils/libdwfl.h>

struct code_units;

/* Creates the units of [module], which must stay open while they are used.  Never
   returns NULL (see memory.h).  The caller frees them with free_code_units. */
struct code_units *new_code_units(Dwfl_Module *module);
void free_code_units(struct code_units *units);

/* Returns the unit with the code at [address] of the module, or NULL if there is
   none, or no debug information.  Sets *bias: an address in the module minus the
   same address in the DWARF sections.  The unit is valid as long as [units]. */
Dwarf_Die *find_unit(struct code_units *units, Dwarf_Addr address,
                     Dwarf_Addr *bias);

/* Returns the line with the code at [address] of [unit], an address of the DWARF
   sections, or NULL.  It is valid as long as the unit. */
Dwarf_Line *find_line(Dwarf_Die *unit, Dwarf_Addr address);

#endif /* ANALYSIS_CODE_UNITS_H */
