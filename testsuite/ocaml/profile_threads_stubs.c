#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <caml/mlvalues.h>

static pthread_t *thread;
static int count;
static atomic_int stopped;

static void *work(void *nothing)
{
  while (!stopped) { }
  return nothing;
}

value threads_start(value n)
{
  count = Int_val(n);
  thread = malloc((size_t) count * sizeof(*thread));
  for (int i = 0; i < count; i++)
    if (thread == NULL || pthread_create(&thread[i], NULL, work, NULL) != 0)
      abort();
  return Val_unit;
}

value threads_stop(value unit)
{
  (void) unit;
  stopped = 1;
  for (int i = 0; i < count; i++) pthread_join(thread[i], NULL);
  free(thread);
  return Val_unit;
}
