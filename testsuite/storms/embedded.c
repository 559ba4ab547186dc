/* A C program with OCaml in it.

     embedded twice     started twice, shut down twice, as OCaml allows
     embedded again     started after the shutdown, which it does not
     embedded LIBRARY   in a library that is loaded at run time */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#ifdef LINKED
#include <caml/callback.h>
#include <caml/mlvalues.h>

static void call(void)
{
  caml_callback(*caml_named_value("collect"), Val_int(10));
}

int main(int argc, char **argv)
{
  char *args[] = { argv[0], NULL };
  if (argc != 2) return 2;
  caml_startup(args);
  call();
  if (strcmp(argv[1], "twice") == 0) {
    caml_startup(args);
    call();
    caml_shutdown();
    call();
  }
  caml_shutdown();
  if (strcmp(argv[1], "again") == 0) caml_startup(args);
  puts("embedded");
  return 3;
}
#else
int main(int argc, char **argv)
{
  char *args[] = { argv[0], NULL };
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  void (*start)(char **) = (void (*)(char **)) dlsym(library, "caml_startup");
  void (*stop)(void) = (void (*)(void)) dlsym(library, "caml_shutdown");
  start(args);
  stop();
  puts("loaded");
  return 3;
}
#endif
