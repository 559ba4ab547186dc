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

/* The version of OCaml in an executable.

   No header or symbol of an OCaml program tells it, but two constants do.
   Executables of the native compiler hold Sys.ocaml_version, a static string:

       header: words << 10 | 0x300 | 252     "5.3.0"  NUL ... padding

   and executables that run bytecode hold "The OCaml runtime, version 5.3.0".  A
   program may hold other strings that look like the first: when two different
   ones are found, none is believed. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eventring_stock.h"

/* Bytes read of an executable: at most, and at a time. */
#define MAX_BYTES ((size_t) 256 << 20)
#define CHUNK ((size_t) 1 << 20)

/* Bytes before the version, at most, and bytes of the version itself. */
#define BEFORE 32
#define VERSION 32

static const char bytecode[] = "The OCaml runtime, version ";

static int is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Returns the second number, x, of a version 5.x.y at [text]; -1 when [text] is
   no version.  The caller has found the first two characters, and [text] has a
   NUL.  A suffix may follow after "+" or "~". */
static int parse(const char text[VERSION])
{
  int minor = text[2] - '0', i = 3;
  if (!is_digit(text[2])) return -1;
  if (is_digit(text[i])) minor = minor * 10 + text[i++] - '0';
  if (text[i] != '.' || !is_digit(text[i + 1])) return -1;
  i += 1 + (int) strspn(text + i + 1, "0123456789");
  return text[i] == 0 || text[i] == '+' || text[i] == '~' || text[i] == '\n'
         ? minor : -1;
}

/* Returns 1 when the bytes before [text] are the header of an OCaml string of
   the length of a version, or the words that announce a version in bytecode
   executables; else 0. */
static int announced(const char *text)
{
  uint64_t header;
  memcpy(&header, text - sizeof header, sizeof header);
  return ((header & 0x3FF) == (0x300 | 252)
          && header >> 10 >= 1 && header >> 10 <= VERSION / 8)
    || memcmp(text - (sizeof bytecode - 1), bytecode, sizeof bytecode - 1)
       == 0;
}

/* Searches [length] bytes for a version of OCaml.  BEFORE bytes before [bytes]
   and VERSION bytes after them are readable, too.  A version found is written
   to [version], of [size] bytes, and its second number to *minor, which was -1
   before the first.  Returns 1, or 0 when a version differs from the one found
   before, which stays in [version]. */
static int search(const char *bytes, size_t length, char *version, size_t size,
                  int *minor)
{
  const char *p = bytes, *end = bytes + length;
  while ((p = memmem(p, (size_t) (end - p), "5.", 2)) != NULL) {
    char text[VERSION];
    int found;
    memcpy(text, p, sizeof text);
    text[VERSION - 1] = 0;
    text[strcspn(text, "\n")] = 0;
    found = parse(text);
    if (found >= 0 && announced(p)) {
      if (*minor >= 0 && strcmp(text, version) != 0) return 0;
      *minor = found;
      snprintf(version, size, "%s", text);
    }
    p += 2;
  }
  return 1;
}

int eventring_stock_version(int pid, char *version, size_t size)
{
  char path[64], *buffer = calloc(1, BEFORE + CHUNK + VERSION);
  size_t have = 0, total = 0;   /* bytes in the buffer, behind BEFORE */
  int minor = -1, fd;
  ssize_t n = 1;

  version[0] = 0;
  snprintf(path, sizeof path, "/proc/%d/exe", pid);
  fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  while (buffer != NULL && fd >= 0 && n > 0 && total < MAX_BYTES) {
    n = read(fd, buffer + BEFORE + have, CHUNK + VERSION - have);
    if (n > 0) {
      have += (size_t) n;
      total += (size_t) n;
    }
    if (have < CHUNK + VERSION && n > 0) continue;
    if (have > VERSION
        && !search(buffer + BEFORE, have - VERSION, version, size, &minor)) {
      version[0] = 0;
      minor = -1;
      break;
    }
    if (have > VERSION) {
      memmove(buffer, buffer + have - VERSION, BEFORE + VERSION);
      have = VERSION;
    }
  }
  if (fd >= 0) close(fd);
  free(buffer);
  return minor;
}
