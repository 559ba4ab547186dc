// The program's exit.
// file runtime/sys.c

// adds caml_eventring_process_exit
@exit@
identifier code;
@@
caml_do_exit(int code) {
<...
+ caml_eventring_process_exit(code);
  CAML_RUNTIME_EVENTS_DESTROY();
...>
}
