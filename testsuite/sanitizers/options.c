/* Linked into all that is built with a sanitizer.  The exit code of a report is
   one that neither a test nor the command has.

   Opening a file allocates memory by the megabyte, and touches little of it: its
   shadow is cleared, which is faster than new pages for it.

   Leaks are looked for in the tests of the library.  The command is a process
   that ends with its work: memory in use at its end is left to the system. */

#ifdef COMMAND
#define LEAKS "0"
#else
#define LEAKS "1"
#endif

const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
  return "exitcode=99:strict_string_checks=1:detect_stack_use_after_return=1:"
         "clear_shadow_mmap_threshold=33554432:"
         "detect_leaks=" LEAKS;
}

const char *__ubsan_default_options(void)
{
  return "exitcode=99:print_stacktrace=1";
}

const char *__tsan_default_options(void)
{
  return "exitcode=99:halt_on_error=1";
}
