#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <caml/mlvalues.h>

value load_heap_bytes(value unit)
{
  struct mallinfo2 m = mallinfo2();
  (void) unit;
  return Val_long(m.uordblks + m.hblkhd);
}

value load_lose_bytes(value n)
{
  static void **lost;
  void **more = malloc(Long_val(n));
  if (more == NULL) abort();
  *more = lost;
  lost = more;
  return Val_unit;
}

/* Maps pages of two kinds in turn: neighbours of one kind would be merged. */
value load_lose_pages(value unit)
{
  static int kind;
  static void *last;
  (void) unit;
  last = mmap(NULL, 8192, kind++ % 2 == 0 ? PROT_READ : PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (last == MAP_FAILED) abort();
  return Val_unit;
}

/* fork(2) behind the runtime's back; the child runs C only. */
value load_raw_fork(value unit)
{
  pid_t pid = fork();
  (void) unit;
  if (pid == 0) _exit(0);
  return Val_int(pid);
}
