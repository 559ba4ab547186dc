/* A process with write access to a ring file that means harm: writes words of
   any kind to all parts of the file, as fast as it can, until the process PID
   ends.

     scribble FILE PID SEED */

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "caml/eventring_format.h"

static uint64_t state;

static uint64_t random_word(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Returns a word that is likely to make sizes, places and counts wrong. */
static uint64_t bad_word(uint64_t old)
{
  uint64_t x = random_word();
  switch (x >> 60) {
  case 0: case 1: case 2: return random_word();
  case 3: return 0;
  case 4: return UINT64_MAX;
  case 5: return x & 0xFFF;
  case 6: return UINT64_C(1) << (x & 63);
  case 7: return UINT64_MAX - (x & 0xFFF);
  default: return old ^ UINT64_C(1) << (x & 63);
  }
}

/* Some thousand words into each part of the file of [size] bytes, then from the
   start: the process may have begun another file, also with rings of another
   size, which the control word may ask for. */
static uint64_t scribble(uint64_t *words, off_t size)
{
  const struct eventring_header *h = (const struct eventring_header *) words;
  /* The places of the parts, read before the header is overwritten: they
     are the same in files of one size.  Large rings are not filled. */
  static off_t known;
  static uint64_t schema, directory, rings, ring_words;
  if (size != known) {
    known = size;
    schema = h->schema_offset / 8;
    directory = h->directory_offset / 8;
    rings = h->rings_offset / 8;
    ring_words = h->ring_words < 1 << 16 ? h->ring_words : 1 << 16;
  }
  for (int i = 0; i < 100000; i++) {
    uint64_t x = random_word(), at;
    switch (x >> 61) {
    case 0: at = x % (sizeof *h / 8); break;
    case 1: at = schema + x % 4000; break;
    case 2: case 3: at = directory + x % (8 * 16); break;
    default: at = rings + x % (4 * ring_words); break;
    }
    words[at] = bad_word(words[at]);
    /* Most of the time it is on, or nothing would happen. */
    if (i % 1000 == 0)
      words[offsetof(struct eventring_header, control) / 8] =
        random_word() | 0xFFFFFFFF;
  }
  return 100000;
}

int main(int argc, char **argv)
{
  uint64_t written = 0;
  if (argc != 4) return 2;
  pid_t pid = atoi(argv[2]);
  state = strtoull(argv[3], NULL, 10) | UINT64_C(1) << 40;
  do {
    struct stat st;
    int fd = open(argv[1], O_RDWR);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 1 << 22) {
      uint64_t *words = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE,
                             MAP_SHARED, fd, 0);
      if (words == MAP_FAILED) return 3;
      written += scribble(words, st.st_size);
      munmap(words, st.st_size);
    }
    if (fd >= 0) close(fd);
  } while (kill(pid, 0) == 0);
  printf("%llu\n", (unsigned long long) written);
  return 0;
}
