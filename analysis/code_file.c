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

/* Machine code, by elfutils' libdwfl.  Each file has a Dwfl of its own, with
   one module at the addresses of the file, so that files cannot overlap. */

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "code_file.h"
#include "code_units.h"
#include "debug_file.h"
#include "memory.h"
#include "ocaml_frames.h"
#include "ocaml_functions.h"
#include "ocaml_name.h"
#include "source_name.h"

struct code_file {
  Dwfl *dwfl;
  Dwfl_Module *module;
  Elf *elf;
  GElf_Addr bias;               /* address in [dwfl] - virtual address */
  enum code_problem problem;
  int error;                    /* an errno, after CODE_UNREADABLE */
  struct ocaml_frames *frames;
  struct ocaml_functions *functions; /* NULL: not needed yet */
  struct code_units *units;     /* NULL: has_lines is false */
  bool has_lines;               /* its DWARF sections may be read */
  struct shared_debug shared;
};

static const Dwfl_Callbacks callbacks = {
  .find_elf = dwfl_build_id_find_elf,
  .find_debuginfo = find_debug_file,
  .section_address = dwfl_offline_section_address
};

/* Opening */

static bool same_build_id(const struct code_file *f,
                          const struct eventring_mapping *mapping)
{
  const unsigned char *bits;
  GElf_Addr address;
  int size = dwfl_module_build_id(f->module, &bits, &address);
  if (size < 0) size = 0;
  return mapping->build_id_size == (uint32_t) size
         && (size == 0 || memcmp(mapping->build_id, bits, (size_t) size) == 0);
}

static bool starts_with(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

/* Returns whether [name] is the symbol of a frame table: camlModule.frametable,
   or camlModule__frametable before OCaml 5.1. */
static bool is_frame_table(const char *name)
{
  static const char ending[] = "frametable";
  size_t length = strlen(name), end = sizeof ending - 1;
  return starts_with(name, "caml") && length > end + 5
         && strcmp(name + length - end, ending) == 0
         && strchr("._$", name[length - end - 1]) != NULL;
}

/* Adds the frame tables of the file.  Sets the problem when the file has no
   symbols of its own. */
static void take_symbols(struct code_file *f)
{
  int count = dwfl_module_getsymtab(f->module), own = 0;
  f->frames = new_ocaml_frames(f->elf);
  for (int i = 0; i < count; i++) {
    GElf_Sym symbol;
    GElf_Addr address, bias;
    GElf_Word section;
    Elf *elf;
    const char *name = dwfl_module_getsym_info(f->module, i, &symbol, &address,
                                               &section, &elf, &bias);
    if (name == NULL || section == SHN_UNDEF) continue;
    own += GELF_ST_TYPE(symbol.st_info) == STT_FUNC
           && GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
    if (is_frame_table(name)) add_frame_table(f->frames, address - f->bias);
  }
  sort_ocaml_frames(f->frames);
  if (own == 0 && ocaml_frames_count(f->frames) == 0)
    f->problem = CODE_STRIPPED;
}

static bool report(struct code_file *f, const char *path, int fd)
{
  GElf_Addr start, end;
  f->dwfl = dwfl_begin(&callbacks);
  if (f->dwfl == NULL) return false;
  dwfl_report_begin(f->dwfl);
  f->module = dwfl_report_elf(f->dwfl, path, path, fd, 0, false);
  dwfl_report_end(f->dwfl, NULL, NULL);
  if (f->module == NULL) return false;
  f->elf = dwfl_module_getelf(f->module, &f->bias);
  dwfl_module_info(f->module, NULL, &start, &end, NULL, NULL, NULL, NULL);
  return f->elf != NULL;
}

/* Opens the DWARF sections of the file or of its debug file. */
static bool open_lines(struct code_file *f, const char *path)
{
  GElf_Addr bias;
  const char *debug = NULL;
  Dwarf *dwarf = dwfl_module_getdwarf(f->module, &bias);
  if (dwarf == NULL) return false;
  dwfl_module_info(f->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
  return open_shared_debug(&f->shared, dwarf, debug == NULL ? path : debug);
}

struct code_file *open_code_file(const struct eventring_mapping *mapping,
                                 const char *path)
{
  struct code_file *f = allocate(1, sizeof *f);
  int fd = open_elf_file(path);
  f->problem = CODE_UNREADABLE;
  f->shared.fd = -1;
  if (fd < 0) {
    f->error = errno;
    return f;
  }
  if (!report(f, mapping->path, fd)) {
    /* A module owns the descriptor. */
    if (f->module == NULL) close(fd);
    return f;
  }
  f->problem = CODE_FINE;
  if (!same_build_id(f, mapping)) {
    f->problem = CODE_OTHER;
    return f;
  }
  take_symbols(f);
  f->has_lines = open_lines(f, mapping->path);
  if (f->has_lines) f->units = new_code_units(f->module);
  if (f->problem == CODE_FINE && !f->has_lines) f->problem = CODE_WITHOUT_LINES;
  return f;
}

void close_code_file(struct code_file *f)
{
  if (f == NULL) return;
  free_ocaml_functions(f->functions);
  free_code_units(f->units);
  free_ocaml_frames(f->frames);
  if (f->dwfl != NULL) dwfl_end(f->dwfl);
  close_shared_debug(&f->shared);
  free(f);
}

enum code_problem code_file_problem(const struct code_file *f)
{
  errno = f->error;
  return f->problem;
}

/* Addresses */

/* Sets *address to the virtual address of byte [offset] of the file.  Returns
   false when the byte is not in memory. */
static bool address_of(const struct code_file *f, uint64_t offset,
                       GElf_Addr *address)
{
  size_t count;
  if (elf_getphdrnum(f->elf, &count) < 0) return false;
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr p;
    if (gelf_getphdr(f->elf, (int) i, &p) == NULL || p.p_type != PT_LOAD
        || offset < p.p_offset || offset - p.p_offset >= p.p_filesz)
      continue;
    *address = p.p_vaddr + (offset - p.p_offset);
    return true;
  }
  return false;
}

/* Scopes.  dwarf_getscopes of libdw 0.188 leaks memory when a unit is damaged,
   and stops at the innermost inlined function, so it is not used. */

#define SCOPES 128

struct scopes {
  GElf_Addr address;
  Dwarf_Off last;                 /* visited DIE; a damaged file may go back */
  int depth;
  Dwarf_Die list[SCOPES];         /* the outermost first */
};

/* Returns whether functions may be inside of a DIE that has no code itself. */
static bool holds_functions(int tag)
{
  return tag == DW_TAG_namespace || tag == DW_TAG_module
         || tag == DW_TAG_class_type || tag == DW_TAG_structure_type
         || tag == DW_TAG_union_type;
}

/* Adds the scopes around the address that are inside of [die]. */
static void add_scopes(struct scopes *s, Dwarf_Die *die, int level)
{
  const int before = s->depth;
  Dwarf_Die child;
  int error = level < SCOPES ? dwarf_child(die, &child) : -1;
  while (error == 0 && s->depth == before && dwarf_dieoffset(&child) > s->last) {
    s->last = dwarf_dieoffset(&child);
    if (dwarf_haspc(&child, s->address) > 0) s->list[s->depth++] = child;
    if (s->depth > before || holds_functions(dwarf_tag(&child)))
      add_scopes(s, &child, level + 1);
    error = dwarf_siblingof(&child, &child);
  }
}

/* Takes the functions inlined at [address] of [unit] from the DWARF sections;
   places[0] has the line there.  The number of places is returned. */
static uint32_t unfold_inlined(Dwarf_Die *unit, GElf_Addr address,
                               struct code_place *places, uint32_t max)
{
  struct scopes scopes = { .address = address };
  Dwarf_Files *files = NULL;
  size_t files_count = 0;
  uint32_t count = 1;
  add_scopes(&scopes, unit, 0);
  if (scopes.depth > 0) dwarf_getsrcfiles(unit, &files, &files_count);
  for (int i = scopes.depth - 1; i >= 0 && count < max; i--) {
    Dwarf_Die *scope = &scopes.list[i];
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0, file = 0;
    if (dwarf_tag(scope) == DW_TAG_subprogram) break;
    if (dwarf_tag(scope) != DW_TAG_inlined_subroutine) continue;
    places[count - 1].function.name = dwarf_diename(scope);
    places[count - 1].function.inlined_c = true;
    dwarf_formudata(dwarf_attr(scope, DW_AT_call_line, &attribute), &line);
    dwarf_formudata(dwarf_attr(scope, DW_AT_call_file, &attribute), &file);
    places[count] = (struct code_place) {
      .folder = places[0].folder, .line = (uint32_t) line,
      .file = files == NULL || file >= files_count ? NULL
              : within(places[0].folder,
                       dwarf_filesrc(files, file, NULL, NULL))
    };
    count++;
  }
  return count;
}

/* Returns the functions of the OCaml code, NULL when the file has no lines. */
static const struct ocaml_functions *functions_of(struct code_file *f)
{
  if (f->functions == NULL && f->has_lines)
    f->functions = new_ocaml_functions(f->module, f->bias, f->units,
                                       f->frames);
  return f->functions;
}

/* Adds the folder of [unit] to the places, and lines to anonymous functions that
   are inlined there. */
static void complete_places(struct code_file *f, Dwarf_Die *unit,
                            struct code_place *places, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    places[i].folder = folder_of(unit);
    const char *name = i + 1 < count ? places[i].function.name : NULL;
    if (name != NULL && is_anonymous(name) && places[i].function.line == 0
        && functions_of(f) != NULL)
      complete_place(f->functions, &places[i]);
  }
}

uint32_t find_places(struct code_file *f, struct code_address code,
                     struct code_place *places, uint32_t max)
{
  GElf_Addr address, bias = 0;
  int number = 0;
  uint32_t count = 0;
  if (!address_of(f, code.address - code.returns, &address)) return 0;
  Dwarf_Die *unit = !f->has_lines ? NULL
    : find_unit(f->units, address + f->bias, &bias);
  if (code.returns)
    count = find_ocaml_places(f->frames, address + 1, code.allocation, places,
                              max);
  else if (f->has_lines && max > 1)
    count = find_inlined(functions_of(f), address, places, max);
  complete_places(f, unit, places, count);
  if (count > 0) return count;
  address += f->bias - bias;
  Dwarf_Line *line = unit == NULL ? NULL : find_line(unit, address);
  if (line == NULL || max == 0) return 0;
  const char *file = dwarf_linesrc(line, NULL, NULL);
  dwarf_lineno(line, &number);
  places[0] = (struct code_place) {
    .file = within(folder_of(unit), file), .folder = folder_of(unit),
    .line = number < 0 ? 0 : (uint32_t) number
  };
  return unfold_inlined(unit, address, places, max);
}

struct code_function find_function(struct code_file *f, uint64_t offset,
                                   bool returns)
{
  struct code_function function = { .symbol = NULL };
  GElf_Addr address;
  GElf_Off within_symbol;
  GElf_Sym symbol;
  if (!address_of(f, offset - returns, &address)) return function;
  function.symbol = dwfl_module_addrinfo(f->module, address + f->bias,
                                         &within_symbol, &symbol, NULL, NULL,
                                         NULL);
  if (function.symbol == NULL || !starts_with(function.symbol, "caml")
      || symbol.st_size == 0 || is_module_entry(function.symbol))
    return function;
  const GElf_Addr start = address - within_symbol;
  function.name = ocaml_function(f->frames, start + 1,
                                 start + symbol.st_size + 1, function.symbol);
  if ((function.name == NULL || is_anonymous(function.name))
      && functions_of(f) != NULL)
    complete_function(f->functions, address, &function);
  return function;
}
