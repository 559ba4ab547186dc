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

/* Files with machine code: an input is an ELF file.  Functions and places are
   asked for at bytes all over it. */

#include <string.h>
#include "code_file.h"
#include "fuzz.h"
#include "ocaml_name.h"

#define PLACES 64
#define NAME_SIZE 1024
#define ASKED 50                /* bytes of a file */

static volatile size_t touched;

static void touch(const char *text)
{
  if (text != NULL) touched += strlen(text);
}

static void touch_name(const char *symbol)
{
  char name[NAME_SIZE], small[5];
  if (symbol == NULL) return;
  if (name_of_symbol(symbol, name, sizeof name)) CHECK(name[0] != '\0');
  name_of_symbol(symbol, small, sizeof small);
  name_of_function(symbol, name, sizeof name);
  name_of_function(symbol, small, sizeof small);
  CHECK(strlen(name) < sizeof name && strlen(small) < sizeof small);
}

static void touch_function(const struct code_function *function)
{
  char name[NAME_SIZE], small[5];
  touch_name(function->symbol);
  touch_name(function->name);
  touch_name(function->before);
  touch_name(function->after);
  if (name_of_code(function, name, sizeof name))
    CHECK(strlen(name) < sizeof name);
  if (name_of_code(function, small, sizeof small))
    CHECK(strlen(small) < sizeof small);
}

static void ask(struct code_file *file, uint64_t offset, bool returns,
                uint8_t allocation)
{
  struct code_place places[PLACES];
  const struct code_address code = { offset, returns, allocation };
  uint32_t count = find_places(file, code, places, PLACES);
  CHECK(count <= PLACES);
  for (uint32_t i = 0; i < count; i++) {
    touch_function(&places[i].function);
    touch(places[i].file);
    touch(places[i].folder);
  }
  const struct code_function function = find_function(file, offset, returns);
  touch_function(&function);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct eventring_mapping mapping = { .start = 0, .length = UINT64_MAX };
  mapping.path = fuzz_file(0, data, size, 0);
  struct code_file *file = open_code_file(&mapping, mapping.path);
  enum code_problem problem = code_file_problem(file);
  if (problem != CODE_UNREADABLE && problem != CODE_OTHER)
    for (uint64_t i = 0; i < ASKED; i++) {
      ask(file, i * size / ASKED, i % 2 == 0, 0);
      ask(file, i * size / ASKED + 1, i % 2 == 1, i % 4 == 3 ? (uint8_t) i : 0);
    }
  close_code_file(file);
  return 0;
}
