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

/* Calls of the reader for the C tests.  Each function fails the running cmocka
   test when the reader returns an unexpected result. */

#ifndef RING_TEST_H
#define RING_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "eventring_reader.h"
#include "ring_file.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* Opens the file; fails the test if it cannot be opened. */
struct eventring_cursor *ring_open(struct ring_file *f);
struct eventring_cursor *ring_open_from_now(struct ring_file *f);

/* Opens [path], which must be refused with [error] and a message of one line
   that names the file. */
void ring_refused(const char *path, int error);

/* Reads to the end, keeping the first [max] events and dropping the rest;
   payload pointers are void.  Returns the number of events read.  *damaged, if
   not NULL, counts damaged blocks; if NULL there must be none. */
size_t ring_read_all(struct eventring_cursor *c, struct eventring_event *to,
                     size_t max, int *damaged);

#endif /* RING_TEST_H */
