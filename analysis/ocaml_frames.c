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

/* Frame tables, in the data of an ELF file.

   A table is a number of frames, of 8 bytes, and the frames.  A frame begins
   with its return address, its size with two flags, and the number of its live
   values; after their 16-bit places come, depending on the flags, the number
   and sizes of allocations, and a 32-bit distance to debug information: one for
   each allocation, 0 when it has none, or one for the call.  Each
   debug information is two words of 32 bits: a line, the distance to the name
   of a function, whose first word is the distance to the name of a file, and
   whether another debug information follows, of the call that was inlined.

   The words that hold addresses may be 0 in the file, filled by the dynamic
   linker from the list of relocations. */

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "memory.h"
#include "ocaml_frames.h"
#include "ocaml_name.h"

/* Bits of a frame's size. */
#define HAS_DEBUG 1
#define HAS_ALLOCATIONS 2
#define RETURNS_TO_C 0xFFFF

/* Bits of the first word of debug information. */
#define HAS_NEXT 1
#define NAME_DISTANCE UINT32_C(0x3FFFFFC)

/* Bit 31 of the second word: the name has 8 bytes of columns before it. */
#define HAS_COLUMNS UINT32_C(0x80000000)

/* Bounds for hostile files. */
#define MOST_FRAMES ((size_t) 1 << 24)
#define DEEPEST 1024            /* calls inlined at one place */

struct segment { uint64_t address, size, offset; };
struct relocation { uint64_t at, value; };
struct ocaml_frame {
  uint64_t returns;
  uint64_t distances;           /* the address of the first distance */
  uint8_t count;                /* of distances */
};

/* A file may have been made to keep us busy: the longest name, the places that are
   read to look at all frames, and to answer one question. */
#define LONGEST_TEXT 65536
#define MOST_READS 10000000
#define MOST_CALLS 20000

struct ocaml_frames {
  const unsigned char *bytes;   /* of the file */
  size_t size;
  struct segment *segments;
  size_t segments_count;
  struct relocation *relocations;
  size_t relocations_count;
  struct ocaml_frame *frames;
  size_t count, room;
};

/* Memory of the file */

/* Returns the bytes at virtual address [address], and sets *left to how many
   the segment has from there on.  Returns NULL when the file has none. */
static const unsigned char *bytes_at(const struct ocaml_frames *f,
                                     uint64_t address, size_t *left)
{
  for (size_t i = 0; i < f->segments_count; i++) {
    const struct segment *s = &f->segments[i];
    if (address < s->address || address - s->address >= s->size) continue;
    *left = (size_t) (s->size - (address - s->address));
    return f->bytes + s->offset + (address - s->address);
  }
  return NULL;
}

/* Copies [size] bytes at [address] to [to]; returns false when the file does
   not have them. */
static bool load(const struct ocaml_frames *f, uint64_t address, void *to,
                 size_t size)
{
  size_t left;
  const unsigned char *from = bytes_at(f, address, &left);
  if (from == NULL || left < size) return false;
  memcpy(to, from, size);
  return true;
}

/* Returns the text at [address], or NULL when it does not end in the file. */
static const char *text_at(const struct ocaml_frames *f, uint64_t address)
{
  size_t left = 0;
  const unsigned char *from = bytes_at(f, address, &left);
  if (left > LONGEST_TEXT) left = LONGEST_TEXT;
  return from == NULL || memchr(from, 0, left) == NULL ? NULL
                                                       : (const char *) from;
}

static int by_place(const void *a, const void *b)
{
  const struct relocation *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

/* Loads the word with an address that is at [at]. */
static bool load_address(const struct ocaml_frames *f, uint64_t at,
                         uint64_t *value)
{
  const struct relocation *r =
    f->relocations_count == 0 ? NULL
    : bsearch(&(struct relocation) { .at = at }, f->relocations,
              f->relocations_count, sizeof *f->relocations, by_place);
  if (!load(f, at, value, sizeof *value)) return false;
  if (r != NULL) *value = r->value;
  return true;
}

static void take_segments(struct ocaml_frames *f, Elf *elf)
{
  size_t count;
  if (elf_getphdrnum(elf, &count) < 0) return;
  f->segments = allocate(count, sizeof *f->segments);
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr p;
    if (gelf_getphdr(elf, (int) i, &p) == NULL || p.p_type != PT_LOAD
        || p.p_offset > f->size || p.p_filesz > f->size - p.p_offset)
      continue;
    f->segments[f->segments_count++] =
      (struct segment) { p.p_vaddr, p.p_filesz, p.p_offset };
  }
}

static bool is_relative(const GElf_Ehdr *header, uint64_t type)
{
  return header->e_machine == EM_X86_64 ? type == R_X86_64_RELATIVE
         : header->e_machine == EM_AARCH64 && type == R_AARCH64_RELATIVE;
}

static void take_relocations(struct ocaml_frames *f, Elf *elf)
{
  GElf_Ehdr header;
  Elf_Scn *section = NULL;
  size_t room = 0;
  if (gelf_getehdr(elf, &header) == NULL) return;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    GElf_Shdr s;
    Elf_Data *data;
    if (gelf_getshdr(section, &s) == NULL || s.sh_type != SHT_RELA
        || (s.sh_flags & SHF_ALLOC) == 0 || s.sh_entsize == 0
        || (data = elf_getdata(section, NULL)) == NULL)
      continue;
    for (size_t i = 0; i < data->d_size / sizeof(Elf64_Rela); i++) {
      GElf_Rela r;
      if (gelf_getrela(data, (int) i, &r) == NULL
          || !is_relative(&header, GELF_R_TYPE(r.r_info)))
        continue;
      if (f->relocations_count == room) {
        room = room == 0 ? 1024 : 2 * room;
        f->relocations = reallocate(f->relocations, room,
                                    sizeof *f->relocations);
      }
      f->relocations[f->relocations_count++] =
        (struct relocation) { r.r_offset, (uint64_t) r.r_addend };
    }
  }
  if (f->relocations_count > 0)
    qsort(f->relocations, f->relocations_count, sizeof *f->relocations,
          by_place);
}

struct ocaml_frames *new_ocaml_frames(Elf *elf)
{
  struct ocaml_frames *f = allocate(1, sizeof *f);
  /* The layout is known for 64-bit machines that store the low byte first. */
  const char *ident = elf_getident(elf, NULL);
  f->bytes = (const unsigned char *) elf_rawfile(elf, &f->size);
  if (f->bytes != NULL && ident != NULL && ident[EI_CLASS] == ELFCLASS64
      && ident[EI_DATA] == ELFDATA2LSB) {
    take_segments(f, elf);
    take_relocations(f, elf);
  }
  return f;
}

void free_ocaml_frames(struct ocaml_frames *f)
{
  if (f == NULL) return;
  free(f->segments);
  free(f->relocations);
  free(f->frames);
  free(f);
}

/* Frames */

static uint64_t aligned(uint64_t address, uint64_t to)
{
  return (address + to - 1) & ~(to - 1);
}

/* Sets the distances of [frame], with the lists at *at, and *at to the address
   behind the frame.  Returns false when the frame is not all in the file. */
static bool skip_frame(const struct ocaml_frames *f, uint16_t flags,
                       uint64_t *at, struct ocaml_frame *frame)
{
  uint8_t allocations = 1;
  size_t left;
  if ((flags & HAS_ALLOCATIONS) != 0) {
    if (!load(f, *at, &allocations, 1)) return false;
    *at += 1u + allocations;
  }
  if ((flags & HAS_DEBUG) != 0) {
    *at = aligned(*at, 4);
    frame->distances = *at;
    frame->count = allocations;
    *at += 4u * allocations;
    if (allocations > 0
        && (bytes_at(f, frame->distances, &left) == NULL
            || left < 4u * allocations))
      return false;
  }
  *at = aligned(*at, 8);
  return true;
}

void add_frame_table(struct ocaml_frames *f, uint64_t table)
{
  uint64_t count, at = table + 8;
  if (!load(f, table, &count, sizeof count)) return;
  for (uint64_t i = 0; i < count && f->count < MOST_FRAMES; i++) {
    struct ocaml_frame frame = { 0, 0, 0 };
    uint16_t sizes[2];
    if (!load_address(f, at, &frame.returns)
        || !load(f, at + 8, sizes, sizeof sizes))
      return;
    at += 12;
    if (sizes[0] == RETURNS_TO_C) {
      at = aligned(at, 8);
      continue;
    }
    at += 2u * sizes[1];
    if (!skip_frame(f, sizes[0], &at, &frame)) return;
    if (f->count == f->room) {
      f->room = f->room == 0 ? 1024 : 2 * f->room;
      f->frames = reallocate(f->frames, f->room, sizeof *f->frames);
    }
    f->frames[f->count++] = frame;
  }
}

static int by_return(const void *a, const void *b)
{
  const struct ocaml_frame *x = a, *y = b;
  return (x->returns > y->returns) - (x->returns < y->returns);
}

void sort_ocaml_frames(struct ocaml_frames *f)
{
  if (f->count > 0)
    qsort(f->frames, f->count, sizeof *f->frames, by_return);
}

size_t ocaml_frames_count(const struct ocaml_frames *f)
{
  return f->count;
}

/* Reads the debug information at [at].  Returns the address of the next one, 0
   when it is the last or impossible. */
static uint64_t read_place(const struct ocaml_frames *f, uint64_t at,
                           struct code_place *place)
{
  uint32_t info[2], file;
  uint64_t name;
  uint16_t column = 0;
  *place = (struct code_place) { .line = 0 };
  if (!load(f, at, info, sizeof info)) return 0;
  name = at + (info[0] & NAME_DISTANCE);
  if (load(f, name, &file, sizeof file))
    place->file = text_at(f, name + (uint64_t) (int64_t) (int32_t) file);
  if ((info[1] & HAS_COLUMNS) != 0) {
    load(f, name + 4, &column, sizeof column);
    place->line = info[1] >> 12 & 0x7FFFF;
    place->column = column;
    place->function.name = text_at(f, name + 12);
  } else {
    place->line = info[1] >> 19;
    place->column = info[1] >> 10 & 0x3F;
    place->function.name = text_at(f, name + 4);
  }
  return (info[0] & HAS_NEXT) != 0 ? at + sizeof info : 0;
}

/* Returns the address of the debug information of [allocation] of [frame] (see
   struct code_address), or of the first one that has some; 0 when none has. */
static uint64_t debug_of(const struct ocaml_frames *f,
                         const struct ocaml_frame *frame, uint8_t allocation)
{
  const bool any = allocation == 0 || allocation > frame->count;
  const unsigned end = any ? frame->count : allocation;
  for (unsigned i = any ? 0 : end - 1; i < end; i++) {
    uint64_t at = frame->distances + 4u * i;
    uint32_t distance = 0;
    if (load(f, at, &distance, sizeof distance) && distance != 0)
      return at + (uint64_t) (int64_t) (int32_t) distance;
  }
  return 0;
}

/* Returns the index of the first frame that returns to [address] or higher. */
static size_t first_from(const struct ocaml_frames *f, uint64_t address)
{
  size_t low = 0, high = f->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (f->frames[middle].returns < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

uint32_t find_ocaml_places(const struct ocaml_frames *f, uint64_t address,
                           uint8_t allocation, struct code_place *places,
                           uint32_t max)
{
  size_t i = first_from(f, address);
  uint32_t count = 0;
  if (i == f->count || f->frames[i].returns != address) return 0;
  for (uint64_t at = debug_of(f, &f->frames[i], allocation);
       at != 0 && count < max; count++)
    at = read_place(f, at, &places[count]);
  return count;
}

/* Sets *place to the last one of the places at [at]: where the others, if there
   are any, are inlined.  Adds the number of places that were read to *reads. */
static void outermost_place(const struct ocaml_frames *f, uint64_t at,
                            struct code_place *place, uint64_t *reads)
{
  *place = (struct code_place) { .line = 0 };
  for (int depth = 0; at != 0 && depth < DEEPEST; depth++, ++*reads)
    at = read_place(f, at, place);
}

const char *ocaml_function(const struct ocaml_frames *f, uint64_t low,
                           uint64_t high, const char *symbol)
{
  const char *first = NULL;
  uint64_t reads = 0;
  for (size_t i = first_from(f, low);
       i < f->count && f->frames[i].returns < high && reads < MOST_CALLS; i++)
    for (unsigned n = 1; n <= f->frames[i].count; n++) {
      struct code_place place;
      outermost_place(f, debug_of(f, &f->frames[i], (uint8_t) n), &place,
                      &reads);
      const char *name = place.function.name;
      if (name == NULL || name[0] == '\0') continue;
      if (is_name_of_symbol(name, symbol)) return name;
      if (first == NULL) first = name;
    }
  return first;
}

void each_own_place(const struct ocaml_frames *f,
                    void (*take)(void *state, uint64_t address,
                                 const struct code_place *place),
                    void *state)
{
  uint64_t reads = 0;
  for (size_t i = 0; i < f->count && reads < MOST_READS; i++)
    for (unsigned n = 1; n <= f->frames[i].count; n++) {
      struct code_place place;
      outermost_place(f, debug_of(f, &f->frames[i], (uint8_t) n), &place,
                      &reads);
      if (place.line != 0) take(state, f->frames[i].returns, &place);
    }
}

/* Inlined functions */

/* The callers of an inlined function that were found. */
struct callers {
  struct code_place *places;
  uint32_t count, max;
  uint32_t reads;               /* places that were read */
  bool differ;                  /* another call has other callers */
};

static bool same_text(const char *a, const char *b)
{
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Takes the places whose debug information begins at [at] as callers. */
static void take_callers(const struct ocaml_frames *f, uint64_t at,
                         struct callers *callers)
{
  const bool first = callers->count == 0;
  uint32_t count = 0;
  for (; at != 0 && count < callers->max; count++) {
    struct code_place place;
    at = read_place(f, at, &place);
    if (first) callers->places[count] = place;
    else if (count >= callers->count
             || place.line != callers->places[count].line
             || !same_text(place.file, callers->places[count].file)
             || !same_text(place.function.name,
                           callers->places[count].function.name))
      callers->differ = true;
  }
  if (first) callers->count = count;
  else if (count != callers->count) callers->differ = true;
}

/* Takes the callers of [function] in the chain of places at [at], if it is
   wanted; see find_ocaml_callers. */
static void take_chain(const struct ocaml_frames *f, uint64_t at,
                       const char *function,
                       bool (*wants)(void *state,
                                     const struct code_place *innermost),
                       void *state, struct callers *callers)
{
  for (int depth = 0; at != 0 && depth < DEEPEST; depth++) {
    struct code_place place;
    at = read_place(f, at, &place);
    callers->reads++;
    if (depth == 0 && !wants(state, &place)) return;
    if (at != 0 && same_text(place.function.name, function))
      take_callers(f, at, callers);
  }
}

uint32_t find_ocaml_callers(const struct ocaml_frames *f, uint64_t low,
                            uint64_t high, const char *function,
                            bool (*wants)(void *state,
                                          const struct code_place *innermost),
                            void *state, struct code_place *places,
                            uint32_t max)
{
  struct callers callers = { .places = places, .max = max };
  for (size_t i = first_from(f, low);
       i < f->count && f->frames[i].returns < high && !callers.differ
         && callers.reads < MOST_CALLS; i++)
    for (unsigned n = 1; n <= f->frames[i].count; n++)
      take_chain(f, debug_of(f, &f->frames[i], (uint8_t) n), function, wants,
                 state, &callers);
  return callers.differ || callers.reads >= MOST_CALLS ? 0 : callers.count;
}
