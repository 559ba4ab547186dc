// Finalisers that the program gave: how many, how long.
// file runtime/finalise.c

// adds eventring_since = caml_eventring_work_begin
// adds caml_eventring_work_end 2
// adds eventring_count++
@calls@
expression list how;
identifier fi, res;
identifier do_calls =~ "^caml_final_do_calls_...$";
identifier callback =~ "^caml_callback_...$";
identifier raised =~ "_exception";
@@
do_calls(void) {
<...
  if (fi->todo_head != NULL) {
+   uint64_t eventring_since = caml_eventring_work_begin(EVENTRING_RUNTIME);
+   uintnat eventring_count = 0;
    ...
    while (1) {
      <...
      res = callback(how);
+     eventring_count++;
      ...
-     if (raised(res)) return res;
+     if (raised(res)) {
+       caml_eventring_work_end(EV_FINALISERS, eventring_since,
+                               eventring_count);
+       return res;
+     }
      ...>
    }
+   caml_eventring_work_end(EV_FINALISERS, eventring_since, eventring_count);
    ...
  }
...>
}
