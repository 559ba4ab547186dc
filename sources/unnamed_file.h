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

/* Temporary files without a name: the system frees their bytes when the last
   descriptor is closed, also when the program is killed. */

#ifndef SOURCES_UNNAMED_FILE_H
#define SOURCES_UNNAMED_FILE_H

/* Returns the path of the folder for temporary files: TMPDIR or /tmp. */
const char *temporary_folder(void);

/* Opens a new file without a name, for reading and writing, on the file system of
   [folder].  Returns its descriptor, or -1 with errno. */
int unnamed_file(const char *folder);

/* The bytes of a path of descriptor_path, with its NUL. */
#define DESCRIPTOR_PATH 32

/* Writes the path by which this program can open the file of the descriptor [fd]
   once more, with or without a name, to [path]. */
void descriptor_path(int fd, char path[DESCRIPTOR_PATH]);

#endif /* SOURCES_UNNAMED_FILE_H */
