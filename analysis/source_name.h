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

/* The names of sources in DWARF sections, as the compiler was called with
   them. */

#ifndef ANALYSIS_SOURCE_NAME_H
#define ANALYSIS_SOURCE_NAME_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <string.h>

/* Returns the folder in which the compiler ran that made [unit], or NULL. */
static inline const char *folder_of(Dwarf_Die *unit)
{
  Dwarf_Attribute attribute;
  return unit == NULL ? NULL
         : dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

/* Returns [file], which may be NULL, without [folder] at its beginning, as frame
   tables have names of files. */
static inline const char *within(const char *folder, const char *file)
{
  size_t length = folder == NULL ? 0 : strlen(folder);
  if (file == NULL || length == 0 || strncmp(file, folder, length) != 0
      || file[length] != '/')
    return file;
  file += length;
  while (*file == '/') file++;
  return strncmp(file, "./", 2) == 0 ? file + 2 : file;
}

#endif /* ANALYSIS_SOURCE_NAME_H */
