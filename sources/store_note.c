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

#define _GNU_SOURCE               /* O_NOFOLLOW */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store_note.h"

/* The room for the name of a note, which may be a path; one that is too long for the
   system is refused by it. */
#define NOTE_NAME (PATH_MAX + 16)

static void note_name(char file[NOTE_NAME], const char *name)
{
  snprintf(file, NOTE_NAME, "%s.note", name);
}

void read_store_note(int folder, const char *name, char note[STORE_NOTE])
{
  char file[NOTE_NAME];
  struct stat st;
  note_name(file, name);
  note[0] = '\0';
  const int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK
                                      | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
              ? read(fd, note, STORE_NOTE - 1) : 0;
  note[n > 0 ? n : 0] = '\0';
  close(fd);
}

bool write_store_note(int folder, const char *name, const char *note,
                      const char *temporary)
{
  char file[NOTE_NAME];
  const size_t length = strlen(note);
  note_name(file, name);
  const int fd = openat(folder, temporary,
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  errno = ENOSPC;                 /* of a write that is short */
  bool good = write(fd, note, length) == (ssize_t) length;
  int reason = errno;
  if (close(fd) < 0 && good) {
    good = false;
    reason = errno;
  }
  if (good && renameat(folder, temporary, folder, file) == 0) return true;
  if (good) reason = errno;
  unlinkat(folder, temporary, 0);
  errno = reason;
  return false;
}

bool remove_store_note(int folder, const char *name)
{
  char file[NOTE_NAME];
  note_name(file, name);
  return unlinkat(folder, file, 0) == 0 || errno == ENOENT
         || errno == ENAMETOOLONG;
}

bool move_store_note(int folder, const char *name, const char *to)
{
  char from[NOTE_NAME], file[NOTE_NAME];
  note_name(from, name);
  note_name(file, to);
  if (renameat(folder, from, folder, file) == 0) return true;
  return errno == ENOENT && remove_store_note(folder, to);
}
