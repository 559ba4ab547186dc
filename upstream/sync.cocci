// Waiting for mutexes and conditions.
// file runtime/sync.c

// adds caml_eventring_wait_for_mutex
@mutex@
identifier mut;
@@
caml_ml_mutex_lock(...) {
  ...
  sync_mutex mut = Mutex_val(...);
<...
+ caml_eventring_wait_for_mutex(mut);
  caml_enter_blocking_section();
...>
}

// The span ends before an error is raised.
// adds caml_eventring_wait_for_condition
@condition@
identifier cond;
identifier check_error =~ "^...._check_error$";
@@
caml_ml_condition_wait(...) {
  ...
  sync_condvar cond = Condition_val(...);
<...
+ caml_eventring_wait_for_condition(cond);
  caml_enter_blocking_section();
  ...
- check_error(retcode, "Condition.wait");
  CAML_EV_END(EV_DOMAIN_CONDITION_WAIT);
+ check_error(retcode, "Condition.wait");
...>
}
