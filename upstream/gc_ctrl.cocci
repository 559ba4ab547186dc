// A finaliser that raises ends Gc.full_major.
// file runtime/gc_ctrl.c

// if >= 5.3
// adds CAML_EV_END(EV_EXPLICIT_GC_FULL_MAJOR)
@full_major_raises@
identifier r;
@@
gc_full_major_res(...) {
<...
  if (caml_result_is_exception(r))
- return r;
+ {
+   CAML_EV_END(EV_EXPLICIT_GC_FULL_MAJOR);
+   return r;
+ }
...>
}
