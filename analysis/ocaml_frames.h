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

/* The frame tables that the OCaml compiler puts into machine code: for each
   return address the places in the source, with the chain of inlined calls. */

#ifndef ANALYSIS_OCAML_FRAMES_H
#define ANALYSIS_OCAML_FRAMES_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>
#include "code_place.h"

struct ocaml_frames;

/* Creates an empty list of the frames of the code in [elf], which must stay
   open and in memory.  Never returns NULL.  The caller frees the list with
   free_ocaml_frames. */
struct ocaml_frames *new_ocaml_frames(Elf *elf);
void free_ocaml_frames(struct ocaml_frames *frames);

/* Adds the frames of the table at the virtual address [table] of the file.
   Frames behind an impossible frame are left out. */
void add_frame_table(struct ocaml_frames *frames, uint64_t table);

/* To be called after the last table. */
void sort_ocaml_frames(struct ocaml_frames *frames);

/* Finds the places of the call that returns to [address], a virtual address of
   the file, or of its [allocation] (see struct code_address), as find_places
   does. */
uint32_t find_ocaml_places(const struct ocaml_frames *frames, uint64_t address,
                           uint8_t allocation, struct code_place *places,
                           uint32_t max);

/* Returns the name of the function [symbol] with the code that returns to addresses
   from [low] up to [high], both virtual; NULL when no frame has it.  When the frames
   have names of closures that the function makes only, the name is of one of
   these. */
const char *ocaml_function(const struct ocaml_frames *frames, uint64_t low,
                           uint64_t high, const char *symbol);

/* Finds the places where [function] was inlined, the call first and then the
   places where its caller was inlined, by the calls and allocations that return
   to addresses from [low] up to [high] and whose innermost place [wants], which
   is called with [state], accepts.  Stores them in [places], at most [max], and
   returns their number; 0 when there is none, or calls have different ones. */
uint32_t find_ocaml_callers(const struct ocaml_frames *frames, uint64_t low,
                            uint64_t high, const char *function,
                            bool (*wants)(void *state,
                                          const struct code_place *innermost),
                            void *state, struct code_place *places,
                            uint32_t max);

/* Calls [take] with [state] for each call and allocation that has debug
   information: with the address it returns to, and its place in the function that
   has the code. */
void each_own_place(const struct ocaml_frames *frames,
                    void (*take)(void *state, uint64_t address,
                                 const struct code_place *place),
                    void *state);

/* Returns the number of frames. */
size_t ocaml_frames_count(const struct ocaml_frames *frames);

#endif /* ANALYSIS_OCAML_FRAMES_H */
