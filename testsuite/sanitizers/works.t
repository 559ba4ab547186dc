#!/bin/sh
# If this breaks, the sanitizers report nothing when something is wrong; or
# there are none here, and the tests that need them are not run.
. "$(dirname "$0")/../cli/tap.sh"
cc=${SAN_CC:-gcc}

# reports FLAGS: builds standard input and wants a report of it, with our
# options.
reports() {
  # shellcheck disable=SC2086
  run $cc -g -O1 $1 -x c "$here/options.c" - -o "$tmp/bad" -lpthread
  exits 0 || return 1
  run "$tmp/bad" 1
  exits 99
}

asan="-fsanitize=address,undefined -fno-sanitize-recover=all"
tsan="-fsanitize=thread"

works() {
  # shellcheck disable=SC2086
  echo 'int main(void) { return 0; }' |
    $cc $1 -x c - -o "$tmp/good" 2>/dev/null && "$tmp/good" >/dev/null 2>&1
}

if works "$asan"; then
  ok "a read beyond the end" reports "$asan" <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
  volatile char *p = calloc(8, 1);
  (void) argv;
  return p[7 + argc - 1 + 1];
}
END
  ok "undefined behaviour" reports "$asan" <<'END'
int main(int argc, char **argv)
{
  (void) argv;
  return (0x7FFFFFFF - 2 + argc) + argc > 0;
}
END
  ok "a leak" reports "$asan" <<'END'
#include <stdlib.h>
int main(void)
{
  char *volatile p = malloc(100);
  p = NULL;
  return p != NULL;
}
END
else
  skip "ASan and UBSan, the C tests and the command with them" \
    "$cc cannot build and run a program with $asan"
fi

if works "$tsan"; then
  # The two mappings are one for a program that is built as the tests are.
  ok "a race in a file that is mapped twice" reports \
    "$tsan -Wl,--wrap=mmap,--wrap=munmap $here/one_mapping.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
static int fd;
static void *see(void *unused)
{
  volatile uint64_t *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
  (void) unused;
  return (void *) (uintptr_t) __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
int main(void)
{
  pthread_t t;
  volatile uint64_t *p;
  fd = memfd_create("shared", 0);
  if (ftruncate(fd, 4096) != 0) return 1;
  p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  pthread_create(&t, NULL, see, NULL);
  *p = 1;
  pthread_join(t, NULL);
  return 0;
}
END
else
  skip "ThreadSanitizer, and the C tests with it" \
    "$cc cannot build and run a program with $tsan"
fi
finish
