/**************************************************************************/
/*                                                                        */
/*                               Eventring                                */
/*                                                                        */
/*   Copyright 2026 the Eventring authors                                 */
/*                                                                        */
/*   This file is distributed under the terms of the GNU Lesser General   */
/*   Public License version 2.1, with the special exception on linking    */
/*   described in the file LICENSE.                                       */
/*                                                                        */
/**************************************************************************/

/* Says which lock guards a variable or must be held in a function, for clang's
   -Wthread-safety, which testsuite/static/locks.t runs with CHECK_LOCKS defined.
   Other compilers see nothing of it.  Clang's documents have the same names
   ("Thread Safety Analysis").  Attributes of a function come before its definition:

     static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
     static int count GUARDED_BY(lock);

     REQUIRES(lock)
     static void add(void) { count++; }

   Clang does not check members of structs, elements to which a pointer leads, a
   variable of which only the address is taken (an array in a loop of pointers: a
   function that does so has REQUIRES), calls through pointers to functions, and
   functions with TRY_ACQUIRE or NO_THREAD_SAFETY_ANALYSIS. */

#ifndef ANALYSIS_LOCKS_H
#define ANALYSIS_LOCKS_H

#ifdef CHECK_LOCKS

#include <pthread.h>
#include <time.h>

typedef pthread_mutex_t pthread_mutex_t __attribute__((capability("mutex")));

#define GUARDED_BY(lock) __attribute__((guarded_by(lock)))
#define REQUIRES(lock) __attribute__((requires_capability(lock)))
#define TRY_ACQUIRE(result, lock) \
  __attribute__((try_acquire_capability(result, lock)))
#define ACQUIRE(lock) __attribute__((acquire_capability(lock)))
#define RELEASE(lock) __attribute__((release_capability(lock)))
#define NO_THREAD_SAFETY_ANALYSIS __attribute__((no_thread_safety_analysis))

extern int pthread_mutex_lock(pthread_mutex_t *mutex) ACQUIRE(*mutex);
extern int pthread_mutex_trylock(pthread_mutex_t *mutex)
  TRY_ACQUIRE(0, *mutex);
extern int pthread_mutex_unlock(pthread_mutex_t *mutex) RELEASE(*mutex);
extern int pthread_cond_wait(pthread_cond_t *restrict cond,
                             pthread_mutex_t *restrict mutex) REQUIRES(*mutex);
extern int pthread_cond_timedwait(pthread_cond_t *restrict cond,
                                  pthread_mutex_t *restrict mutex,
                                  const struct timespec *restrict until)
  REQUIRES(*mutex);
extern int pthread_cond_clockwait(pthread_cond_t *restrict cond,
                                  pthread_mutex_t *restrict mutex, clockid_t clock,
                                  const struct timespec *restrict until)
  REQUIRES(*mutex);

#else

#define GUARDED_BY(lock)
#define REQUIRES(lock)
#define TRY_ACQUIRE(result, lock)
#define ACQUIRE(lock)
#define RELEASE(lock)
#define NO_THREAD_SAFETY_ANALYSIS

#endif
#endif /* ANALYSIS_LOCKS_H */
