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

/* The part of eventring_unwind.c that differs between machines: the registers,
   and the code whose call frame information is missing or wrong.  Each machine
   has

     registers           their numbers in DWARF; of them, SP, PC and RETURN, the
                         one that stands for the return address in call frame
                         information; LINK, where caml_c_call_stack_args keeps
                         the address of the struct c_stack_link; REGISTERS
     RED_ZONE            bytes below the C stack's pointer that may be read
     TO_CFA              from the OCaml stack pointer in a c_stack_link to the
                         CFA of the OCaml code that called C
     LEAST_FRAME         bytes of a function's frame; 0 where a call puts the
                         return address into a register
     machine_register    a register of an interrupted thread
     in_growth_stub      where the CFA is in the code that grows a fiber
     step_by_code        steps by looking at the code itself
     return_address      a return address as the code uses it */

#ifndef CAML_EVENTRING_MACHINE_H
#define CAML_EVENTRING_MACHINE_H

#include <dlfcn.h>
#include <string.h>
#include <ucontext.h>

#include "caml/domain.h"
#include "caml/fiber.h"

#if defined(__x86_64__)

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R12 = 12, R13, R14, R15, RIP,
       REGISTERS,
       SP = RSP, PC = RIP, RETURN = RIP, LINK = RBX,
       RED_ZONE = 128, TO_CFA = 8, LEAST_FRAME = 8 };
typedef uint32_t register_set;  /* bit n: register n */

/* Where the functions that switch between fibers have the one that they leave;
   caml_runstack when it ends it. */
enum { OLD_IN_PERFORM = RSI, OLD_IN_RESUME = RSI, OLD_IN_RUNSTACK = RDI };

#elif defined(__aarch64__)

/* x0 to x30 are 0 to 30.  The program counter has no number in DWARF. */
enum { X9 = 9, X16 = 16, X19 = 19, X29 = 29, X30 = 30, SP, PC, REGISTERS,
       RETURN = X30, LINK = X19,
       RED_ZONE = 160,          /* the frame of caml_start_program */
       TO_CFA = 16, LEAST_FRAME = 0 };
typedef uint64_t register_set;

enum { OLD_IN_PERFORM = 2, OLD_IN_RESUME = X9, OLD_IN_RUNSTACK = 0 };

#endif

/* OCaml's assembly code, in this order. */
extern char caml_system__code_begin[], caml_call_realloc_stack[],
  caml_call_gc[], caml_c_call_stack_args[], caml_start_program[],
  caml_perform[], caml_resume[], caml_runstack[], caml_system__code_end[];

struct registers {
  uint64_t value[REGISTERS];
  register_set known;           /* the registers whose values are known */
};

static int is_known(const struct registers *r, uint64_t n)
{
  return n < REGISTERS && r->known >> n & 1;
}

static void set(struct registers *r, unsigned n, uint64_t value)
{
  r->value[n] = value;
  r->known |= (register_set) 1 << n;
}

/* Where the walk is, and from where it may load. */
struct place {
  uintptr_t low, high;          /* the C stack, from its lowest used address */
  struct stack_info *fiber;     /* that the stack pointer is in; NULL: it is in
                                   the C stack */
  struct stack_info *current;   /* the domain's current fiber, if the thread
                                   holds the domain lock; else NULL */
};

/* Returns 1 if [address] is in the C stack of [w]. */
static int in_c_stack(const struct place *w, uint64_t address)
{
  return address >= w->low && address < w->high;
}

/* Returns 1 if [address] is in the stack of the fiber [f], or in the words
   above it that link the fiber to its parent; 0 if [f] is NULL. */
static int in_fiber(const struct stack_info *f, uint64_t address)
{
  return f != NULL && address >= (uintptr_t) f
    && address < (uintptr_t) f->handler + sizeof(struct stack_handler);
}

/* Returns the parent of the fiber [f]; NULL if there is none. */
static struct stack_info *parent_of(const struct stack_info *f)
{
  return f != NULL ? f->handler->parent : NULL;
}

/* Loads the 8 bytes at [address] into [*word].  Returns 1; 0 if [address] is
   not aligned or not in a part of the stack that [w] names. */
static int load(const struct place *w, uint64_t address, uint64_t *word)
{
  if (address % 8 != 0) return 0;
  if (!in_c_stack(w, address) && !in_fiber(w->fiber, address)) {
    /* Of a parent, the saved stack pointer. */
    struct stack_info *parent = parent_of(w->fiber);
    if (parent == NULL || address != (uintptr_t) &parent->sp) return 0;
  }
  *word = *(const uint64_t *) address;
  return 1;
}

/* Returns the sorted table of entries of the module that has the instruction at
   [pc]; NULL if there is none. */
static const uint8_t *find_table(uint64_t pc)
{
  struct dl_find_object object;
  return _dl_find_object((void *) pc, &object) == 0 ? object.dlfo_eh_frame
                                                    : NULL;
}

#if defined(__x86_64__)

static uint64_t machine_register(const ucontext_t *u, unsigned n)
{
  static const uint8_t numbers[REGISTERS] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
    REG_RIP
  };
  return (uint64_t) u->uc_mcontext.gregs[numbers[n]];
}

/* The code at the end of an OCaml function that makes room in its fiber, before
   the function has a frame:

     push size; call caml_call_realloc_stack; pop r10; jmp to the function

   The call frame information there describes another place in the function
   (OCaml's issue 15037).  Returns how far the CFA is above the stack pointer at
   the instruction at [pc] of this code; 0 if [pc] is elsewhere. */
static unsigned in_growth_stub(const uint8_t *pc)
{
  int32_t distance;
  /* The call, seen from each of the four instructions. */
  static const struct { int8_t call; uint8_t cfa; } from[] = {
    { 5, 8 }, { 2, 8 }, { 0, 16 }, { -5, 16 }, { -7, 8 }
  };
  for (unsigned i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
    const uint8_t *call = pc + from[i].call;
    if (call[0] != 0xE8 || call[5] != 0x41 || call[6] != 0x5A) continue;
    memcpy(&distance, call + 1, 4);
    if ((uintptr_t) call + 5 + (uintptr_t) (intptr_t) distance
        == (uintptr_t) caml_call_realloc_stack) return from[i].cfa;
  }
  return 0;
}

static int step_by_code(struct place *w, struct registers *r, int *exact)
{
  (void) w;
  (void) r;
  (void) exact;
  return 0;
}

static uint64_t return_address(uint64_t address)
{
  return address;
}

#elif defined(__aarch64__)

static uint64_t machine_register(const ucontext_t *u, unsigned n)
{
  return n == PC ? u->uc_mcontext.pc
       : n == SP ? u->uc_mcontext.sp
       : u->uc_mcontext.regs[n];
}

/* Returns [address] without its authentication code, if it has one; on a
   machine that knows none, the instruction does nothing. */
static uint64_t return_address(uint64_t address)
{
  register uint64_t x30 __asm__("x30") = address;
  __asm__("hint #7" /* xpaclri */ : "+r"(x30));
  return x30;
}

/* step_by_code knows that code. */
static unsigned in_growth_stub(const uint8_t *pc)
{
  (void) pc;
  return 0;
}

/* Instructions that OCaml's compiler and its assembly code use for nothing
   else, with the bits that they always have. */
enum { STR_X30 = 0xF90003FE,            /* str x30, [sp, #n] */
       STR_X30_MASK = 0xFFC003FF,
       PUSH_X29_X30 = 0xA9807BFD,       /* stp x29, x30, [sp, #-n]! */
       PUSH_X29_X30_MASK = 0xFFC07FFF,
       PUSH_X16_X30 = 0xA9BF7BF0,       /* stp x16, x30, [sp, #-16]! */
       POP_X16_X30 = 0xA8C17BF0,        /* ldp x16, x30, [sp], #16 */
       POP_TRAP = 0xA8C143FA,           /* ldp x26, x16, [sp], #16 */
       BR_X16 = 0xD61F0200,
       PUSH_X29 = 0xF81F0FFD,           /* str x29, [sp, #-16]! */
       SP_TO_X29 = 0x910003FD,          /* mov x29, sp */
       X16_TO_SP = 0x9100021F,          /* mov sp, x16 */
       X29_TO_SP = 0x910003BF,          /* mov sp, x29 */
       POP_X29 = 0xF84107FD };          /* ldr x29, [sp], #16 */

/* In an OCaml function that calls a C function which does not allocate:

     push x29; mov x29, sp; ldr x16, ...; mov sp, x16; bl; mov sp, x29; pop x29

   The call frame information there does not know the push.  Puts [r] in front
   of this code if the instruction at [code] belongs to it.  Returns 1 if so. */
static int before_call(struct place *w, struct registers *r,
                       const uint32_t *code)
{
  for (unsigned n = 1; n <= 6; n++) {
    const uint32_t *push = code - n;
    if (push[0] != PUSH_X29 || push[1] != SP_TO_X29 || push[3] != X16_TO_SP
        || push[5] != X29_TO_SP || push[6] != POP_X29) continue;
    uint64_t sp = r->value[n == 1 ? SP : X29];
    if (!in_fiber(w->current, sp) && !in_fiber(w->fiber, sp)) return 0;
    if (w->fiber == NULL) w->fiber = w->current;
    set(r, SP, sp + 16);
    set(r, PC, (uintptr_t) push);
    r->known &= ~((register_set) 1 << X29);
    return 1;
  }
  return 0;
}

/* Entries of the procedure linkage table have no call frame information:

     adrp x16, ...; ldr x17, [x16, ...]; add x16, x16, ...; br x17

   Returns 1 if the instruction at [code] is in one other than the first, which
   pushes registers before. */
static int in_plt(const uint32_t *code)
{
  static const struct { uint32_t mask, bits; } entry[] = {
    { 0x9F00001F, 0x90000010 }, { 0xFFC003FF, 0xF9400211 },
    { 0xFFC003FF, 0x91000210 }, { 0xFFFFFFFF, 0xD61F0220 }
  };
  int n = 0;
  while (n < 4 && (code[0] & entry[n].mask) != entry[n].bits) n++;
  for (int i = 0; i < 4; i++)
    if (n == 4 || (code[i - n] & entry[i].mask) != entry[i].bits) return 0;
  return code[-n - 1] != PUSH_X16_X30;
}

/* In the code in front of an OCaml function that makes room in its fiber:

     mov x16, size; push x16, x30; bl caml_call_realloc_stack; pop x16, x30

   Returns 1 if the instruction at [code] is in it, and 2 after the push; else
   0.  [code] may also be the function's first instruction. */
static int before_function(const uint32_t *code)
{
  for (int n = -1; n <= 2; n++) {
    const uint32_t *call = code - n + 1;
    if (call[-1] != PUSH_X16_X30 || call[1] != POP_X16_X30) continue;
    int64_t distance = (int64_t) ((uint64_t) call[0] << 38) >> 36;
    if (call[0] >> 26 == 0x25 && (uintptr_t) call + (uintptr_t) distance
        == (uintptr_t) caml_call_realloc_stack) return n >= 1 ? 2 : 1;
  }
  return 0;
}

static int step_by_code(struct place *w, struct registers *r, int *exact)
{
  uint64_t pc = r->value[PC], sp = r->value[SP], word;
  const uint32_t *code = (const uint32_t *) pc;
  if (pc % 4 != 0 || find_table(pc) == NULL) return 0;
  if (!*exact) {
    if (w->fiber == NULL && is_known(r, X29)
        && in_fiber(w->current, r->value[X29]) && before_call(w, r, code))
      *exact = 1;
    /* Arguments are below the c_stack_link. */
    else if (pc >= (uintptr_t) caml_c_call_stack_args
             && pc < (uintptr_t) caml_start_program && is_known(r, LINK))
      set(r, SP, r->value[LINK]);
    return 0;
  }
  int in_system = pc >= (uintptr_t) caml_system__code_begin
    && pc < (uintptr_t) caml_system__code_end;
  if (w->fiber != NULL || in_system) {
    /* The call frame information already describes the next instruction. */
    if ((*code & STR_X30_MASK) == STR_X30) {
      set(r, SP, sp + (*code >> 10 & 0xFFF) * 8 + 8);
      goto returns;
    }
    if ((*code & PUSH_X29_X30_MASK) == PUSH_X29_X30) goto returns;
    switch (before_function(code)) {
    case 1: goto returns;
    case 2:
      if (!load(w, sp + 8, &word)) return 0;
      set(r, SP, sp + 16);
      set(r, X30, word);
      goto returns;
    }
    /* A raise has cut the stack, and goes on in the handler. */
    if (*code == POP_TRAP) {
      if (!load(w, sp + 8, &word)) return 0;
      set(r, SP, sp + 16);
      set(r, PC, word);
    } else if (*code == BR_X16 && code[-1] == POP_TRAP) {
      set(r, PC, r->value[X16]);
    } else before_call(w, r, code);
    return 0;
  }
  if (in_fiber(w->current, r->value[X29]) && before_call(w, r, code)) return 0;
  if (!in_plt(code)) return 0;

returns:
  /* As in a function that has no frame. */
  if (!is_known(r, X30)) return 0;
  set(r, PC, return_address(r->value[X30]));
  r->known &= ~((register_set) 1 << X30);
  /* It returns to code in front of a function. */
  *exact = pc == (uintptr_t) caml_call_realloc_stack;
  return 1;
}

#endif

#endif /* CAML_EVENTRING_MACHINE_H */
