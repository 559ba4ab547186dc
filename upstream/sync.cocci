// Waiting for mutexes and conditions.
// file runtime/sync.c

// adds EV_MUTEX_WAIT
@mutex@
@@
caml_ml_mutex_lock(...) {
<...
+ caml_eventring_set_wait_reason(EV_MUTEX_WAIT);
  caml_enter_blocking_section();
...>
}

// The span ends before an error is raised.
// adds EV_CONDITION_WAIT
@condition@
identifier check_error =~ "^...._check_error$";
@@
caml_ml_condition_wait(...) {
<...
+ caml_eventring_set_wait_reason(EV_CONDITION_WAIT);
  caml_enter_blocking_section();
  ...
- check_error(retcode, "Condition.wait");
  CAML_EV_END(EV_DOMAIN_CONDITION_WAIT);
+ check_error(retcode, "Condition.wait");
...>
}
