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

#define _GNU_SOURCE               /* renameat2 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store.h"
#include "store_edit.h"
#include "store_note.h"

static bool has_control(const char *text)
{
  for (; *text != '\0'; text++)
    if ((unsigned char) *text < ' ' || *text == 0x7F) return true;
  return false;
}

/* Returns why [name] cannot be the name of a recording, or NULL. */
static const char *wrong_name(const char *name)
{
  const size_t length = strlen(name);
  if (has_control(name)) return "the name has a control character";
  if (strchr(name, '/') != NULL) return "the name has a slash";
  if (name[0] == '.') return "the name begins with a dot";
  if (length < 5 || strcmp(name + length - 4, ".evr") != 0)
    return "the name does not end in .evr";
  return length > NAME_MAX ? "the name is too long" : NULL;
}

static enum store_change fail(char *why, size_t why_size, const char *what,
                              const char *name)
{
  snprintf(why, why_size, "cannot %s %.255s: %s", what, name, strerror(errno));
  return errno == ENOENT ? STORE_ABSENT : STORE_FAILED;
}

/* Sets *folder to the open folder [store], where [name] is a recording.  Returns
   STORE_DONE, or the reason in [why]; then the folder is not open. */
static enum store_change open_folder(const char *store, const char *name,
                                     int *folder, char *why, size_t why_size)
{
  struct stat st;
  const char *wrong = wrong_name(name);
  if (wrong != NULL) {
    snprintf(why, why_size, "%s", wrong);
    return STORE_WRONG;
  }
  *folder = open(store, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*folder < 0) return fail(why, why_size, "open", store);
  if (fstatat(*folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0
      && S_ISREG(st.st_mode))
    return STORE_DONE;
  close(*folder);
  snprintf(why, why_size, "the store has no recording %.255s", name);
  return STORE_ABSENT;
}

enum store_change delete_stored(const char *store, const char *name, char *why,
                                size_t why_size)
{
  int folder;
  enum store_change change = open_folder(store, name, &folder, why, why_size);
  if (change != STORE_DONE) return change;
  if (unlinkat(folder, name, 0) < 0) change = fail(why, why_size, "delete", name);
  else remove_store_note(folder, name);
  close(folder);
  return change;
}

/* Renames [name] to [to], where nothing must be.  Returns 0, or -1 with errno,
   EEXIST if something is there. */
static int rename_new(int folder, const char *name, const char *to)
{
  if (renameat2(folder, name, folder, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  /* The file system cannot do that; a link does not replace a file either. */
  return linkat(folder, name, folder, to, 0) == 0 ? unlinkat(folder, name, 0)
                                                  : -1;
}

enum store_change rename_stored(const char *store, const char *name,
                                const char *to, char *why, size_t why_size)
{
  int folder;
  const char *wrong = wrong_name(to);
  if (wrong != NULL) {
    snprintf(why, why_size, "%s", wrong);
    return STORE_WRONG;
  }
  enum store_change change = open_folder(store, name, &folder, why, why_size);
  if (change != STORE_DONE) return change;
  if (rename_new(folder, name, to) < 0)
    change = fail(why, why_size, "give the name", to);
  else if (!move_store_note(folder, name, to)) {
    change = fail(why, why_size, "move the note of", name);
    renameat2(folder, to, folder, name, RENAME_NOREPLACE);
  }
  close(folder);
  return change;
}

enum store_change note_stored(const char *store, const char *name,
                              const char *note, char *why, size_t why_size)
{
  int folder;
  char temporary[PATH_MAX];
  if (strlen(note) >= STORE_NOTE || has_control(note)) {
    snprintf(why, why_size, "a note has %d bytes at most, and no control characters",
             STORE_NOTE - 1);
    return STORE_WRONG;
  }
  enum store_change change = open_folder(store, name, &folder, why, why_size);
  if (change != STORE_DONE) return change;
  temporary_in_store(store, temporary);
  const bool good = note[0] == '\0' ? remove_store_note(folder, name)
    : write_store_note(folder, name, note, strrchr(temporary, '/') + 1);
  if (!good) change = fail(why, why_size, "write the note of", name);
  close(folder);
  return change;
}
