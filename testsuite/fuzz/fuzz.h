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


/* Code shared by the fuzz targets.  Each has a LLVMFuzzerTestOneInput of its
   own, which makes a file in memory of its input and hands it to
   [fuzz_read]. */

#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed);

/* Ends the run: the input shows a fault. */
#define CHECK(condition) \
  ((condition) ? (void) 0 : fuzz_failed(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_failed(const char *file, int line, const char *condition);

/* Makes file 0 or 1 in memory hold [data] and then [zeros] bytes of 0.
   Returns its path. */
const char *fuzz_file(int which, const void *data, size_t size, size_t zeros);

/* Returns a number that chooses between tests of an input, when all of them for
   each input would take too long. */
uint64_t fuzz_hash(const void *data, size_t size);

/* Opens the file and reads it to its end in several ways, as [hash] says, asks
   for everything that can be asked, and compares the results with the promises
   of the library's header.  [words]: of events, at most, in the file. */
void fuzz_read(const char *path, uint64_t words, uint64_t hash);

/* Records the events of the file to file 1, and reads that. */
void fuzz_record(const char *path, uint64_t words);

/* Changes an input as fits a file of words.  Returns its size. */
size_t fuzz_mutate_words(uint8_t *data, size_t size, size_t max_size,
                         unsigned int seed);

#endif /* FUZZ_H */
