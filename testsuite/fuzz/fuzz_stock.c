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


/* .events files of stock OCaml.  An input is such a file without the zeros that
   it ends with: room for 8192 names, most of it never used. */

#include "fuzz.h"

#define NAMES ((size_t) 8192 * 128)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint64_t hash = fuzz_hash(data, size), words = (size + NAMES) / 8;
  const char *path = fuzz_file(0, data, size, NAMES);
  fuzz_read(path, words, hash);
  if (hash / 8 % 16 == 0) fuzz_record(path, words);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed)
{
  return fuzz_mutate_words(data, size, max_size, seed);
}
