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

/* Separate files with the debug information of machine code.

   libdwfl would look for them too, but it waits for ever on a FIFO, unpacks
   compressed files of any size and asks servers. */

#ifndef ANALYSIS_DEBUG_FILE_H
#define ANALYSIS_DEBUG_FILE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* Opens the file at [path], if it is a regular file that begins as an ELF file
   does.  Returns the descriptor, which the caller closes; or -1, with errno: 0
   when the file is of another kind. */
int open_elf_file(const char *path);

/* The longest build id, in bytes. */
#define BUILD_ID_SIZE 64

/* Copies the build id of the ELF file [fd] to [id].  Returns its length in bytes;
   0 when the file has none, or is no ELF file. */
size_t read_build_id(int fd, unsigned char id[BUILD_ID_SIZE]);

/* The callback find_debuginfo of libdwfl: finds the file with the symbols and
   lines of [module], by its build id or by the name [link], in the folders
   where libdwfl looks by default.  The file must have the build id of the module
   or, if the module has none, the checksum [crc]. */
int find_debug_file(Dwfl_Module *module, void **state, const char *module_name,
                    Dwarf_Addr base, const char *file, const char *link,
                    GElf_Word crc, char **name);

/* Information that several debug files share, as dwz makes it. */
struct shared_debug { int fd; Dwarf *dwarf; };

/* Opens the information to which [dwarf], of the file at [path], refers, and
   joins it to [dwarf].  Returns false when [dwarf] must not be used: libdw
   would open the file itself.  The caller calls close_shared_debug after the end of
   [dwarf]. */
bool open_shared_debug(struct shared_debug *shared, Dwarf *dwarf,
                       const char *path);
void close_shared_debug(struct shared_debug *shared);

#endif /* ANALYSIS_DEBUG_FILE_H */
