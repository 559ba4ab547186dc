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

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "debug_file.h"
#include "memory.h"
#include "regular_file.h"

#define FOLDER "/usr/lib/debug"
#define PATH_SIZE 8192

/* Largest size of a file with a checksum, all of which is read. */
#define MOST_CHECKED ((off_t) 1 << 30)

int open_elf_file(const char *path)
{
  struct stat st;
  char magic[SELFMAG];
  int fd = open_regular(path, &st);
  if (fd < 0) return -1;
  if (pread(fd, magic, sizeof magic, 0) == (ssize_t) sizeof magic
      && memcmp(magic, ELFMAG, sizeof magic) == 0)
    return fd;
  close(fd);
  errno = 0;
  return -1;
}

/* Checks */

/* The expected contents of a file. */
struct wanted {
  const unsigned char *build_id;
  size_t size;                  /* of it; 0: the checksum counts */
  GElf_Word crc;                /* 0: not known */
};

/* Returns the checksum that a .gnu_debuglink section has of the file [fd]. */
static GElf_Word checksum(int fd)
{
  unsigned char bytes[65536];
  uLong crc = crc32(0, NULL, 0);
  ssize_t length;
  for (off_t at = 0; (length = pread(fd, bytes, sizeof bytes, at)) > 0;
       at += length)
    crc = crc32(crc, bytes, (uInt) length);
  return (GElf_Word) crc;
}

size_t read_build_id(int fd, unsigned char id[BUILD_ID_SIZE])
{
  const void *bits = NULL;
  if (elf_version(EV_CURRENT) == EV_NONE) return 0;
  Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
  ssize_t size = elf == NULL ? 0 : dwelf_elf_gnu_build_id(elf, &bits);
  if (size < 0 || size > BUILD_ID_SIZE) size = 0;
  if (size > 0) memcpy(id, bits, (size_t) size);
  if (elf != NULL) elf_end(elf);
  return (size_t) size;
}

static bool has_build_id(int fd, const struct wanted *wanted)
{
  unsigned char id[BUILD_ID_SIZE];
  return read_build_id(fd, id) == wanted->size
         && memcmp(id, wanted->build_id, wanted->size) == 0;
}

/* Opens the file at [path], if it is the wanted one.  Returns the descriptor or
   -1. */
static int open_wanted(const char *path, const struct wanted *wanted)
{
  struct stat st;
  int fd = open_elf_file(path);
  if (fd < 0) return -1;
  if (wanted->size > 0 ? has_build_id(fd, wanted)
      : wanted->crc != 0 && fstat(fd, &st) == 0 && st.st_size <= MOST_CHECKED
        && checksum(fd) == wanted->crc)
    return fd;
  close(fd);
  return -1;
}

/* Opens the file of the wanted build id, and writes its path to [path]. */
static int open_by_build_id(char *path, const struct wanted *wanted)
{
  char digits[129];
  if (wanted->size < 2 || 2 * wanted->size >= sizeof digits) return -1;
  for (size_t i = 0; i < wanted->size; i++)
    snprintf(digits + 2 * i, 3, "%02x", wanted->build_id[i]);
  snprintf(path, PATH_SIZE, FOLDER "/.build-id/%.2s/%s.debug", digits,
           digits + 2);
  return open_wanted(path, wanted);
}

/* Debug files of one file */

/* Returns whether libdwfl asks for the module's own debug file: [link] and [crc]
   are in its .gnu_debuglink section, or [link] is NULL.  libdwfl also asks
   for shared information, which open_shared_debug finds. */
static bool is_own_link(Dwfl_Module *module, const char *link, GElf_Word crc)
{
  GElf_Addr bias;
  GElf_Word own_crc = 0;
  Elf *elf = dwfl_module_getelf(module, &bias);
  const char *own = elf == NULL ? NULL : dwelf_elf_gnu_debuglink(elf, &own_crc);
  return link == NULL
         || (own != NULL && strcmp(own, link) == 0 && own_crc == crc);
}

int find_debug_file(Dwfl_Module *module, void **state, const char *module_name,
                    Dwarf_Addr base, const char *file, const char *link,
                    GElf_Word crc, char **name)
{
  /* Before and after the folder of [file]. */
  static const char *const places[][2] = {
    { "", "" }, { "", "/.debug" }, { FOLDER, "" }
  };
  GElf_Addr address;
  struct wanted wanted = { .crc = crc };
  char path[PATH_SIZE];
  const char *slash = file == NULL ? NULL : strrchr(file, '/');
  int size = dwfl_module_build_id(module, &wanted.build_id, &address);
  (void) state;
  (void) module_name;
  (void) base;
  if (!is_own_link(module, link, crc)) return -1;
  if (size > 0) wanted.size = (size_t) size;
  int fd = open_by_build_id(path, &wanted);
  for (size_t i = 0;
       fd < 0 && slash != NULL && i < sizeof places / sizeof *places; i++) {
    int length =
      snprintf(path, sizeof path, "%s%.*s%s/%s%s", places[i][0],
               (int) (slash - file), file, places[i][1],
               link == NULL ? slash + 1 : link, link == NULL ? ".debug" : "");
    if (length < (int) sizeof path && (link == NULL || !strchr(link, '/')))
      fd = open_wanted(path, &wanted);
  }
  if (fd >= 0) {
    size_t length = strlen(path) + 1;
    /* libdwfl frees the name. */
    *name = memcpy(allocate(length, 1), path, length);
  }
  return fd;
}

/* Shared information */

bool open_shared_debug(struct shared_debug *shared, Dwarf *dwarf,
                       const char *path)
{
  const char *name;
  const void *id;
  char found[PATH_SIZE];
  ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
  if (size == 0) return true;
  if (size < 0) return false;
  struct wanted wanted = { id, (size_t) size, 0 };
  shared->fd = open_by_build_id(found, &wanted);
  if (shared->fd < 0) {
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int) (slash + 1 - path);
    int length = snprintf(found, sizeof found, "%.*s%s", folder, path, name);
    if (length < (int) sizeof found) shared->fd = open_wanted(found, &wanted);
  }
  if (shared->fd < 0) return false;
  shared->dwarf = dwarf_begin(shared->fd, DWARF_C_READ);
  /* Nor may the shared information refer to a file. */
  if (shared->dwarf == NULL
      || dwelf_dwarf_gnu_debugaltlink(shared->dwarf, &name, &id) != 0)
    return false;
  dwarf_setalt(dwarf, shared->dwarf);
  return true;
}

void close_shared_debug(struct shared_debug *shared)
{
  if (shared->dwarf != NULL) dwarf_end(shared->dwarf);
  if (shared->fd >= 0) close(shared->fd);
}
