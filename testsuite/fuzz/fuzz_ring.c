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


/* Ring files.  An input is one: small, since a file may have its sections
   where it likes. */

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint64_t hash = fuzz_hash(data, size), words = size / 8;
  const char *path = fuzz_file(0, data, size, 0);
  fuzz_read(path, words, hash);
  if (hash / 8 % 16 == 0) fuzz_record(path, words);
  return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned int seed)
{
  return fuzz_mutate_words(data, size, max_size, seed);
}
