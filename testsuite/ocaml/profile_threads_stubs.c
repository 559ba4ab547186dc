#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <caml/mlvalues.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER;
static pthread_t *thread;
static long count, turn;        /* -1: the end */

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

/* Works for 20 ms when it is the turn of this thread, again and again. */
static void *work(void *number)
{
  pthread_mutex_lock(&lock);
  for (;;) {
    while (turn >= 0 && turn != (long) number) pthread_cond_wait(&next, &lock);
    if (turn < 0) break;
    const double end = processor_time() + 0.008;
    while (processor_time() < end) { }
    turn = (turn + 1) % count;
    pthread_cond_broadcast(&next);
    /* Lets the thread in that ends this. */
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return NULL;
}

value threads_start(value n)
{
  count = Long_val(n);
  thread = malloc((size_t) count * sizeof(*thread));
  for (long i = 0; i < count; i++)
    if (thread == NULL
        || pthread_create(&thread[i], NULL, work, (void *) i) != 0) abort();
  return Val_unit;
}

value threads_stop(value unit)
{
  (void) unit;
  pthread_mutex_lock(&lock);
  turn = -1;
  pthread_cond_broadcast(&next);
  pthread_mutex_unlock(&lock);
  for (long i = 0; i < count; i++) pthread_join(thread[i], NULL);
  free(thread);
  return Val_unit;
}
