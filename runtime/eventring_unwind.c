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

#define CAML_INTERNALS
#define _GNU_SOURCE

/* The stack of an interrupted thread, found in a signal handler.

   A thread's stack has several parts: its C stack, and fibers of OCaml.  OCaml
   and C code that call each other switch between them:

       C stack          fiber           its parent, another fiber
       +---------+      +---------+      +---------+
       | C code  |      |  OCaml  |      |  OCaml  |
       | ------- | ---> |  code   | ---> |  code   |
       | C code  | <--- |         |      |         |
       +---------+      +---------+      +---------+

   Two tables tell how to step from a frame to its caller.  OCaml's frame tables
   have the frame size of each return address in OCaml code.  The call frame
   information of DWARF (.eh_frame) covers all other places: C code, the
   interrupted instruction in OCaml code, and the switches between the parts,
   where OCaml's assembly code describes with an expression how to find the
   other stack pointer.

   Nothing here takes a lock or allocates, and loads are only from the thread's
   own C stack and the fiber that is being walked.  When a step would load from
   elsewhere, or is not described, the walk ends there, and the sample says
   so. */

#include <string.h>

#include "caml/eventring.h"
#include "eventring_internal.h"

#ifdef EVENTRING_SAMPLES

#include "caml/domain.h"
#include "caml/fiber.h"
#include "caml/frame_descriptors.h"
#include "caml/gc_ctrl.h"
#include "caml/runtime_events.h"
#include "caml/stack.h"
#include "eventring_machine.h"

/* The table of frame descriptors, as the runtime last published it.  A handler
   may be reading a table while the runtime makes the next one, so no table is
   ever freed; each is at least twice as large as the one before. */
static struct frame_table {
  frame_descr **descriptors;
  uintnat mask;
} frame_tables[64];
static _Atomic(struct frame_table *) frame_table;

void caml_eventring_publish_frames(void *descriptors, int mask)
{
  struct frame_table *now = atomic_load(&frame_table);
  if (now != NULL && now->descriptors == descriptors) return;
  struct frame_table *next = now == NULL ? frame_tables : now + 1;
  if (next == frame_tables + sizeof(frame_tables) / sizeof(frame_tables[0]))
    return;
  next->descriptors = descriptors;
  next->mask = (uintnat) mask;
  atomic_store_explicit(&frame_table, next, memory_order_release);
}

/* Returns the frame descriptor of the return address [pc]; NULL if [pc] is no
   return address in OCaml code. */
static frame_descr *descriptor_of(uintptr_t pc)
{
  struct frame_table *t =
    atomic_load_explicit(&frame_table, memory_order_acquire);
  if (t == NULL) return NULL;
  for (uintnat h = Hash_retaddr(pc, t->mask), n = 0; n <= t->mask;
       h = (h + 1) & t->mask, n++) {
    frame_descr *d = t->descriptors[h];
    if (d == NULL || d->retaddr == pc) return d;
  }
  return NULL;
}

/* Call frame information */

/* Bytes of call frame information that are being read.  A read behind [end]
   sets [bad] and gives 0. */
struct bytes {
  const uint8_t *at, *end;
  int bad;
};

static uint64_t byte(struct bytes *b)
{
  if (b->at < b->end) return *b->at++;
  b->bad = 1;
  return 0;
}

/* Reads an integer of [size] bytes.  Inlined, so that each size is one load. */
Caml_inline uint64_t fixed(struct bytes *b, unsigned size)
{
  uint64_t x = 0;
  if ((size_t) (b->end - b->at) < size) {
    b->bad = 1;
    return 0;
  }
  memcpy(&x, b->at, size);
  b->at += size;
  return x;
}

static uint64_t uleb(struct bytes *b)
{
  uint64_t x = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint64_t next = byte(b);
    x |= (next & 0x7F) << shift;
    if (next < 0x80) return x;
  }
  b->bad = 1;
  return 0;
}

static int64_t sleb(struct bytes *b)
{
  uint64_t x = 0;
  for (unsigned shift = 0; shift < 64; ) {
    uint64_t next = byte(b);
    x |= (next & 0x7F) << shift;
    shift += 7;
    if (next < 0x80)
      return (int64_t) (shift < 64 && next & 0x40 ? x | -UINT64_C(1) << shift
                                                  : x);
  }
  b->bad = 1;
  return 0;
}

/* Reads an address with the encoding [encoding] (DW_EH_PE_...), absolute or
   relative to its place. */
static uint64_t encoded(struct bytes *b, uint8_t encoding)
{
  uint64_t place = (uintptr_t) b->at, x;
  switch (encoding & 0x0F) {
  case 0x00: case 0x04: case 0x0C: x = fixed(b, 8); break;
  case 0x03: x = fixed(b, 4); break;
  case 0x0B: x = (uint64_t) (int64_t) (int32_t) fixed(b, 4); break;
  default: b->bad = 1; return 0;
  }
  switch (encoding & 0x70) {
  case 0x00: return x;
  case 0x10: return x + place;
  default: b->bad = 1; return 0;
  }
}

enum { SAME, UNDEFINED, AT_OFFSET, OFFSET, AT_EXPRESSION, EXPRESSION, REGISTER };

/* How to find the caller's value of a register.  Small, so that a row that is
   remembered takes one line of the cache. */
struct rule {
  unsigned kind : 3;
  int n : 29;                   /* offset from the CFA, number of a register, or
                                   place of an expression with its length, from
                                   the table of the module */
};

/* A row of the table: the rules at one instruction.  The CFA is EXPRESSION, or
   REGISTER with an offset. */
struct row {
  struct rule cfa;
  int64_t cfa_offset;
  struct rule reg[REGISTERS];
};

/* Returns the rule [kind] with [n]; UNDEFINED if [n] is too large for it. */
static __attribute__((noinline))
struct rule rule_of(unsigned kind, int64_t n)
{
  int64_t most = (1 << 28) - 1;
  return n > most || n < -most ? (struct rule) { UNDEFINED, 0 }
                               : (struct rule) { kind, (int) n };
}

/* What a function's entry (FDE) and the one that it shares (CIE) say. */
struct entry {
  const uint8_t *table;         /* of the module */
  uint64_t start;               /* address of the function */
  struct bytes initial, instructions;
  uint64_t code_factor;
  int64_t data_factor;
  uint8_t encoding;             /* of addresses */
  int signal_frame;
};

/* Finds the entry of the function that has the instruction at [pc] in the table
   [header] of its module.  Returns 1, or 0 if there is none.  Not inlined: every
   program carries this code. */
static __attribute__((noinline))
int find_entry(const uint8_t *header, uint64_t pc, struct entry *e)
{
  if (header == NULL) return 0;
  /* Version 1, the number of entries in 4 bytes, and entries of two offsets
     from the header in 4 bytes each. */
  if (header[0] != 1 || header[2] != 0x03 || header[3] != 0x3B) return 0;
  struct bytes b = { header + 4, header + 20, 0 };
  encoded(&b, header[1]);
  uint64_t count = fixed(&b, 4);
  if (b.bad || count == 0) return 0;
  const struct { int32_t start, entry; } *table = (const void *) b.at;
  int64_t wanted = (int64_t) (pc - (uint64_t) (uintptr_t) header);
  if (wanted < table[0].start) return 0;
  uint64_t low = 0, above = count;
  while (above - low > 1) {
    uint64_t middle = low + (above - low) / 2;
    if (table[middle].start <= wanted) low = middle;
    else above = middle;
  }

  const uint8_t *fde = header + table[low].entry;
  b = (struct bytes) { fde, fde + 4, 0 };
  uint64_t length = fixed(&b, 4);
  if (length == 0 || length > 0xFFFFFF) return 0;
  b.end = b.at + length;
  const uint8_t *cie = b.at;
  cie -= fixed(&b, 4);
  struct bytes c = { cie, cie + 4, 0 };
  length = fixed(&c, 4);
  if (length == 0 || length > 0xFFFFFF) return 0;
  c.end = c.at + length;
  if (fixed(&c, 4) != 0) return 0;
  uint64_t version = byte(&c);
  const char *augmentation = (const char *) c.at;
  while (byte(&c) != 0) { }
  e->code_factor = uleb(&c);
  e->data_factor = sleb(&c);
  if ((version == 1 ? byte(&c) : uleb(&c)) != RETURN) return 0;
  e->encoding = 0;
  e->signal_frame = 0;
  if (augmentation[0] == 'z') {
    uint64_t size = uleb(&c);
    const uint8_t *after = c.at + size;
    if (c.bad || size > (uint64_t) (c.end - c.at)) return 0;
    for (const char *a = augmentation + 1; *a != '\0'; a++) {
      if (*a == 'R') e->encoding = (uint8_t) byte(&c);
      else if (*a == 'S') e->signal_frame = 1;
      else if (*a == 'L') byte(&c);
      else if (*a == 'P') {
        uint8_t encoding = (uint8_t) byte(&c);
        encoded(&c, encoding & 0x7F);
      } else return 0;
    }
    c.at = after;
  } else if (augmentation[0] != '\0') return 0;
  e->initial = c;
  e->start = encoded(&b, e->encoding);
  uint64_t size = encoded(&b, e->encoding & 0x0F);
  if (augmentation[0] == 'z') {
    uint64_t skip = uleb(&b);
    if (skip > (uint64_t) (b.end - b.at)) return 0;
    b.at += skip;
  }
  e->instructions = b;
  e->table = header;
  return !b.bad && !c.bad && pc - e->start < size;
}

/* Skips the expression that follows in [b].  Returns its place, from the table
   of the entry [e]. */
static int64_t expression(const struct entry *e, struct bytes *b)
{
  int64_t place = b->at - e->table;
  uint64_t length = uleb(b);
  if (length > (uint64_t) (b->end - b->at)) b->bad = 1;
  else b->at += length;
  return place;
}

/* Sets the rule of the register [n] in [row]; registers that a walk does not
   follow are left out. */
static __attribute__((noinline))
void set_rule(struct row *row, uint64_t n, unsigned kind, int64_t value)
{
  if (n < REGISTERS) row->reg[n] = rule_of(kind, value);
}

/* Executes the instructions [b] of the entry [e] on [row], up to the row of the
   instruction at [pc].  [initial] is the row that DW_CFA_restore takes a rule
   from.  Returns 1, or 0 for an instruction that is not known. */
static int execute(const struct entry *e, struct bytes b, uint64_t pc,
                   const struct row *initial, struct row *row)
{
  enum { REMEMBERED = 4 };
  struct row remembered[REMEMBERED];
  unsigned depth = 0;
  uint64_t at = e->start;
  while (b.at < b.end && !b.bad) {
    uint64_t op = byte(&b), n = op & 0x3F;
    switch (op >> 6) {
    case 1:                     /* DW_CFA_advance_loc */
      at += n * e->code_factor;
      if (at > pc) return 1;
      continue;
    case 2:                     /* DW_CFA_offset */
      set_rule(row, n, AT_OFFSET, (int64_t) uleb(&b) * e->data_factor);
      continue;
    case 3:                     /* DW_CFA_restore */
      if (n < REGISTERS) row->reg[n] = initial->reg[n];
      continue;
    }
    switch (op) {
    case 0x00: break;           /* DW_CFA_nop */
    case 0x01: at = encoded(&b, e->encoding); goto moved; /* set_loc */
    case 0x02: at += byte(&b) * e->code_factor; goto moved;
    case 0x03: at += fixed(&b, 2) * e->code_factor; goto moved;
    case 0x04: at += fixed(&b, 4) * e->code_factor; goto moved;
    moved:
      if (at > pc) return 1;
      break;
    case 0x05:                  /* offset_extended */
      n = uleb(&b);
      set_rule(row, n, AT_OFFSET, (int64_t) uleb(&b) * e->data_factor);
      break;
    case 0x06:                  /* restore_extended */
      n = uleb(&b);
      if (n < REGISTERS) row->reg[n] = initial->reg[n];
      break;
    case 0x07: set_rule(row, uleb(&b), UNDEFINED, 0); break;
    case 0x08: set_rule(row, uleb(&b), SAME, 0); break;
    case 0x09:                  /* register */
      n = uleb(&b);
      set_rule(row, n, REGISTER, (int64_t) uleb(&b));
      break;
    case 0x0A:                  /* remember_state */
      if (depth == REMEMBERED) return 0;
      remembered[depth++] = *row;
      break;
    case 0x0B:                  /* restore_state */
      if (depth == 0) return 0;
      *row = remembered[--depth];
      break;
    case 0x0C: case 0x12:       /* def_cfa, def_cfa_sf */
      row->cfa = rule_of(REGISTER, (int64_t) uleb(&b));
      row->cfa_offset = op == 0x0C ? (int64_t) uleb(&b)
                                   : sleb(&b) * e->data_factor;
      break;
    case 0x0D:                  /* def_cfa_register */
      row->cfa = rule_of(REGISTER, (int64_t) uleb(&b));
      break;
    case 0x0E: row->cfa_offset = (int64_t) uleb(&b); break;
    case 0x13: row->cfa_offset = sleb(&b) * e->data_factor; break;
    case 0x0F:                  /* def_cfa_expression */
      row->cfa = rule_of(EXPRESSION, expression(e, &b));
      break;
    case 0x10: case 0x16:       /* expression, val_expression */
      n = uleb(&b);
      set_rule(row, n, op == 0x10 ? AT_EXPRESSION : EXPRESSION,
               expression(e, &b));
      break;
    case 0x11: case 0x15:       /* offset_extended_sf, val_offset_sf */
      n = uleb(&b);
      set_rule(row, n, op == 0x11 ? AT_OFFSET : OFFSET,
               sleb(&b) * e->data_factor);
      break;
    case 0x14:                  /* val_offset */
      n = uleb(&b);
      set_rule(row, n, OFFSET, (int64_t) uleb(&b) * e->data_factor);
      break;
    case 0x2E: uleb(&b); break; /* GNU_args_size */
#ifdef __aarch64__
    case 0x2D: break;           /* negate_ra_state: see return_address */
#endif
    default: return 0;
    }
  }
  return !b.bad;
}

/* Evaluates the expression at [expression] with the registers [r], on a stack
   of numbers that begins with [first].  Returns 1 with the result in [*result];
   0 if it cannot be evaluated. */
static int evaluate(const struct place *w, const struct registers *r,
                    const uint8_t *expression, uint64_t first, uint64_t *result)
{
  struct bytes b = { expression, expression + 10, 0 };
  uint64_t length = uleb(&b);
  b.end = b.at + length;
  enum { DEPTH = 16 };
  uint64_t stack[DEPTH + 2] = { 0, first };     /* below, a second operand */
  unsigned top = 1;
  while (b.at < b.end && !b.bad) {
    uint64_t op = byte(&b), n, *x = &stack[top], *y = &stack[top - 1];
    if (top == 0 || top == DEPTH) return 0;
    if (op >= 0x30 && op <= 0x4F) {             /* lit0 to lit31 */
      stack[++top] = op - 0x30;
    } else if (op >= 0x70 && op <= 0x8F) {      /* breg0 to breg31 */
      n = op - 0x70;
      if (!is_known(r, n)) return 0;
      stack[++top] = r->value[n] + (uint64_t) sleb(&b);
    } else switch (op) {
    case 0x06: if (!load(w, *x, x)) return 0; break;            /* deref */
    case 0x08: stack[++top] = byte(&b); break;
    case 0x09: stack[++top] = (uint64_t) (int8_t) byte(&b); break;
    case 0x0A: stack[++top] = fixed(&b, 2); break;
    case 0x0C: stack[++top] = fixed(&b, 4); break;
    case 0x0E: stack[++top] = fixed(&b, 8); break;
    case 0x10: stack[++top] = uleb(&b); break;
    case 0x11: stack[++top] = (uint64_t) sleb(&b); break;
    case 0x12: n = *x; stack[++top] = n; break;                 /* dup */
    case 0x13: top--; break;                                    /* drop */
    case 0x1A: *y &= *x; top--; break;
    case 0x1C: *y -= *x; top--; break;
    case 0x21: *y |= *x; top--; break;
    case 0x22: *y += *x; top--; break;
    case 0x23: *x += uleb(&b); break;                       /* plus_uconst */
    case 0x24: *y = *x < 64 ? *y << *x : 0; top--; break;
    case 0x25: *y = *x < 64 ? *y >> *x : 0; top--; break;
    case 0x29: *y = *y == *x; top--; break;
    case 0x2A: *y = (int64_t) *y >= (int64_t) *x; top--; break;
    case 0x2B: *y = (int64_t) *y > (int64_t) *x; top--; break;
    case 0x2C: *y = (int64_t) *y <= (int64_t) *x; top--; break;
    case 0x2D: *y = (int64_t) *y < (int64_t) *x; top--; break;
    case 0x2E: *y = *y != *x; top--; break;
    default: return 0;
    }
  }
  if (b.bad || top == 0) return 0;
  *result = stack[top];
  return 1;
}

/* Returns the struct c_stack_link at [address], if it is one in the C stack and
   leads to the frame of OCaml code with the CFA [cfa]; else NULL. */
static const struct c_stack_link *link_at(const struct place *w,
                                          uint64_t address, uint64_t cfa)
{
  const struct c_stack_link *link = (const void *) address;
  if (address % 8 != 0 || !in_c_stack(w, address)
      || w->high - address < sizeof(*link)) return NULL;
  return (uintptr_t) link->sp + TO_CFA == cfa ? link : NULL;
}

/* Moves [w] to the part of the stack that has the frame that ends at [cfa], to
   which the frame with the registers [r] returns.  Returns 1, or 0 if no part
   has it, or if the stack does not get shorter by this step. */
static int move(struct place *w, const struct registers *r, uint64_t cfa)
{
  uint64_t sp = r->value[SP];
  const struct c_stack_link *link = NULL;
  if (in_c_stack(w, cfa - 8)) {
    /* From C to C, or from OCaml to C. */
    if (w->fiber == NULL && cfa < sp + LEAST_FRAME) return 0;
    w->fiber = NULL;
    return 1;
  }
  if (w->fiber == NULL) {
    /* From C to OCaml.  The link that the stack pointer points to tells the
       fiber; a function that does not allocate is called without one. */
    link = link_at(w, sp, cfa);
    if (link == NULL && is_known(r, LINK))
      link = link_at(w, r->value[LINK], cfa);
    w->fiber = link != NULL ? link->stack : w->current;
  } else if (!in_fiber(w->fiber, cfa - 8)) w->fiber = parent_of(w->fiber);
  else if (cfa < sp + LEAST_FRAME) return 0;
  return in_fiber(w->fiber, cfa - 8);
}

/* The row for an instruction, found before.  Most walks meet the same ones, and
   finding a row takes more time than all else. */
struct known {
  uint64_t key;
  const uint8_t *table;         /* of the module; another one may be loaded */
  struct rule cfa;
  int cfa_offset;
  register_set changed;         /* the registers with a rule other than SAME */
  uint8_t exact;                /* for the caller, see find_row */
  uint8_t outermost;            /* there is no caller */
  struct rule rule[REGISTERS];  /* of the changed ones, in order */
} __attribute__((aligned(64)));

/* Rows whose keys hash to the same number are in a set; the one found last is
   the first of its set. */
enum { WAYS = 2 };

_Atomic uint16_t caml_ring_unloads;

static struct known *set_of(struct caml_ring_rows *rows, uint64_t key)
{
  enum { SETS = EVENTRING_UNWIND_ROWS / WAYS };
  _Static_assert(sizeof(struct caml_ring_rows)
                 == EVENTRING_UNWIND_ROWS * sizeof(struct known), "rows");
  struct known *known = (struct known *) rows->words;
  return &known[key * UINT64_C(0x9E3779B97F4A7C15) / (UINT64_MAX / SETS + 1)
                * WAYS];
}

/* Finds the row for the instruction at [pc], in [rows] or by call frame
   information.  [exact] tells that [pc] is the next instruction to be executed,
   and does not follow a call; the row tells it for the caller.  Returns NULL if
   no row is found. */
static const struct known *find_row(struct caml_ring_rows *rows, uint64_t pc,
                                    int exact)
{
  struct entry e;
  struct row initial = { .cfa_offset = 0 }, row;
  /* The last instruction of a function may be a call: so look before [pc], but
     not in an entry that says that its addresses are exact. */
  uint64_t at = exact ? pc : pc - 1;
  const uint8_t *table = find_table(at);
  if (table == NULL) return NULL;
  /* Another module may have been loaded at the same address. */
  uint64_t key = pc | (uint64_t) (caml_ring_unloads & 0x7FFF) << 48
                 | (uint64_t) exact << 63;
  struct known *known = set_of(rows, key);
  for (int way = 0; way < WAYS; way++)
    if (known[way].key == key && known[way].table == table) return &known[way];
  while (!find_entry(table, at, &e) || (at != pc && e.signal_frame))
    if (at++ == pc) return NULL;
  if (!execute(&e, e.initial, at, &initial, &initial)) return NULL;
  row = initial;
  if (!execute(&e, e.instructions, at, &initial, &row)
      || row.cfa_offset != (int) row.cfa_offset) return NULL;
  memmove(known + 1, known, (WAYS - 1) * sizeof(*known));
  *known = (struct known) { .key = key, .table = table, .cfa = row.cfa,
                            .cfa_offset = (int) row.cfa_offset,
                            .exact = (uint8_t) e.signal_frame,
                            .outermost = row.reg[RETURN].kind == UNDEFINED };
  struct rule *next = known->rule;
  for (unsigned n = 0; n < REGISTERS; n++)
    if (row.reg[n].kind != SAME) {
      known->changed |= (register_set) 1 << n;
      *next++ = row.reg[n];
    }
  return known;
}

/* Finds the caller's value of a register by the rule [rule] of [row], from the
   registers [r] and the frame's CFA [cfa].  Returns 1 with the value in
   [*value], or 0 if the value is not known. */
Caml_inline int restore(const struct place *w, const struct registers *r,
                        const struct known *row, struct rule rule, uint64_t cfa,
                        uint64_t *value)
{
  uint64_t at = cfa + (uint64_t) rule.n;
  if (rule.kind == AT_OFFSET) return load(w, at, value);
  switch (rule.kind) {
  case OFFSET: *value = at; return 1;
  case AT_EXPRESSION:
    return evaluate(w, r, row->table + rule.n, cfa, &at) && load(w, at, value);
  case EXPRESSION: return evaluate(w, r, row->table + rule.n, cfa, value);
  case REGISTER:
    if (!is_known(r, (uint64_t) rule.n)) return 0;
    *value = r->value[rule.n];
    return 1;
  default: return 0;            /* UNDEFINED */
  }
}

enum step { CALLER, OUTERMOST, UNKNOWN };

/* Steps from the frame with the registers [r] to its caller by call frame
   information.  [rows] and [*exact]: see find_row; sets [*exact] for the
   caller. */
static enum step step_by_cfi(struct place *w, struct registers *r,
                             struct caml_ring_rows *rows, int *exact)
{
  uint64_t cfa, value;
  const struct known *row = find_row(rows, r->value[PC], *exact);
  if (row == NULL) return UNKNOWN;
  *exact = row->exact;
  if (row->outermost) return OUTERMOST;

  if (row->cfa.kind == EXPRESSION) {
    if (!evaluate(w, r, row->table + row->cfa.n, 0, &cfa)) return UNKNOWN;
  } else {
    if (row->cfa.kind != REGISTER || !is_known(r, (uint64_t) row->cfa.n))
      return UNKNOWN;
    cfa = r->value[row->cfa.n] + (uint64_t) row->cfa_offset;
  }
  /* A frame of a signal handler is left with the registers that were saved in
     it, and so is not followed to another part of the stack. */
  if (!move(w, r, cfa)) return UNKNOWN;
  struct registers caller = *r;
  set(&caller, SP, cfa);
  caller.known &= ~(row->changed | (register_set) 1 << PC);
  const struct rule *rule = row->rule;
  for (register_set left = row->changed; left != 0; left &= left - 1, rule++)
    if (restore(w, r, row, *rule, cfa, &value))
      set(&caller, (unsigned) __builtin_ctzll(left), value);
  if (!is_known(&caller, RETURN)) return UNKNOWN;
  *r = caller;
  if (RETURN != PC) {
    set(r, PC, return_address(r->value[RETURN]));
    r->known &= ~((register_set) 1 << RETURN);          /* by the call */
  }
  if (r->value[PC] != 0) return CALLER;
  /* Where a call leaves the return address in a register, zero is the root. */
  return RETURN == PC ? UNKNOWN : OUTERMOST;
}

/* Steps from a frame of OCaml code with the registers [r] to its caller; the
   frame's CFA is [size] bytes above the stack pointer.  Returns 1, or 0 if the
   CFA is not in the same fiber. */
static int step_over(const struct place *w, struct registers *r, uint64_t size)
{
  uint64_t sp = r->value[SP] + size, pc;
  if (size == 0 || !in_fiber(w->fiber, sp - 8) || !load(w, sp - 8, &pc))
    return 0;
  r->known = 0;
  set(r, SP, sp);
  set(r, PC, pc);
  return 1;
}

/* At the end of a fiber, caml_runstack has only the exception handler in it, or
   not even that: after an exception, for which its call frame information is
   not right.  Steps from there to the code that called caml_runstack, in the
   parent.  Returns 1, or 0 if the registers [r] are not those of such a place,
   or if there is no parent. */
static int leave_fiber(struct place *w, struct registers *r)
{
  enum { EMPTY = 32 };          /* bytes: the exception handler and two words */
  struct stack_info *parent = parent_of(w->fiber);
  uint64_t pc;
  if (RETURN != PC) return 0;   /* not on this machine */
  if (r->value[PC] < (uintptr_t) caml_runstack
      || r->value[PC] >= (uintptr_t) caml_system__code_end
      || parent == NULL
      || (uintptr_t) w->fiber->handler - r->value[SP] > EMPTY) return 0;
  uint64_t sp = (uintptr_t) parent->sp;
  w->fiber = parent;
  if (!in_fiber(parent, sp) || !load(w, sp, &pc)) return 0;
  r->known = 0;
  set(r, SP, sp + 8);
  set(r, PC, pc);
  return 1;
}

/* Returns 1 if the instruction at [pc] is in the functions that switch between
   fibers. */
static int switches(uint64_t pc)
{
  return pc >= (uintptr_t) caml_perform
    && pc < (uintptr_t) caml_system__code_end;
}

/* Finds the part of the stack that the stack pointer in [r], the registers of
   an interrupted thread, points to, and sets [w->low], [w->fiber] and
   [w->current].  Returns 1, or 0 if it points to no part that is known. */
static int find_place(struct place *w, const struct registers *r)
{
  uint64_t sp = r->value[SP], pc = r->value[PC];
  caml_domain_state *domain = Caml_state_opt;
  w->fiber = w->current = NULL;
  /* After it has taken the domain lock, a thread finds the stacks of the thread
     that had the lock before, until it has restored its own. */
  if (domain != NULL && in_c_stack(w, (uintptr_t) domain->c_stack))
    w->current = domain->current_stack;
  if (in_c_stack(w, sp)) {
    /* Functions have room below the stack pointer, where registers are that the
       end of a function has taken from the stack. */
    if (sp - w->low > RED_ZONE) w->low = sp - RED_ZONE;
    return 1;
  }
  if (w->current == NULL) return 0;
  w->low = (uintptr_t) domain->c_stack;
  w->fiber = w->current;
  if (in_fiber(w->fiber, sp)) return 1;
  /* A switch between fibers, which sets [current_stack] before the stack
     pointer.  A new fiber has the old one as its parent; otherwise the old
     fiber is in a register. */
  if (!switches(pc)) return 0;
  if (pc >= (uintptr_t) caml_runstack
      && in_fiber(parent_of(w->current), sp)) {
    w->fiber = parent_of(w->current);
    return 1;
  }
  uint64_t old = r->value[pc >= (uintptr_t) caml_runstack ? OLD_IN_RUNSTACK
                          : pc >= (uintptr_t) caml_resume ? OLD_IN_RESUME
                          : OLD_IN_PERFORM];
  if (old % 8 != 0 || old > sp || sp - old > caml_max_stack_wsize * 8)
    return 0;
  w->fiber = (struct stack_info *) old;
  return in_fiber(w->fiber, sp);
}

uintptr_t caml_ring_c_stack(const void *context)
{
  const ucontext_t *u = context;
  uintptr_t sp = machine_register(u, SP);
  const caml_domain_state *domain = Caml_state_opt;
  return domain != NULL
         && (in_fiber(domain->current_stack, sp)
             || switches(machine_register(u, PC)))
    ? (uintptr_t) domain->c_stack : sp;
}

uint32_t caml_ring_unwind(const void *context, uintptr_t low, uintptr_t high,
                          struct caml_ring_rows *rows, uint64_t *frame,
                          uint32_t max,
                          enum caml_eventring_stack *state)
{
  const ucontext_t *u = context;
  struct place w = { .low = low, .high = high };
  struct registers r = { .known = 0 };
  for (unsigned n = 0; n < REGISTERS; n++)
    set(&r, n, machine_register(u, n));
  int exact = 1;
  uint32_t count = 0;
  uint64_t growing = 0;
  *state = EV_STACK_OUTSIDE;
  frame[count++] = r.value[PC];
  if (!find_place(&w, &r)) return count;
  for (;;) {
    int stepped = step_by_code(&w, &r, &exact);
    uint64_t pc = r.value[PC];
    if (!stepped && w.fiber != NULL) {
      /* Of a return address also where the call frame information is exact, as
         after caml_call_gc: the call is at the end of its function, where that
         information does not know of an exception handler. */
      frame_descr *d = count == 1 ? NULL : descriptor_of(pc);
      unsigned size = exact || growing ? in_growth_stub((uint8_t *) pc) : 0;
      if (exact && leave_fiber(&w, &r)) stepped = 1;
      else if (size != 0) stepped = step_over(&w, &r, size);
      else if (d != NULL && !frame_return_to_C(d))
        stepped = step_over(&w, &r, frame_size(d));
      if (stepped) exact = 0;
      else if (size != 0 || (d != NULL && !frame_return_to_C(d))) {
        *state = EV_STACK_BROKEN;
        return count;
      }
    }
    growing = pc >= (uintptr_t) caml_call_realloc_stack
      && pc < (uintptr_t) caml_call_gc;
    if (!stepped) {
      enum step step = step_by_cfi(&w, &r, rows, &exact);
      if (step != CALLER) {
        *state = step == OUTERMOST ? EV_STACK_COMPLETE : EV_STACK_BROKEN;
        return count;
      }
    }
    if (count == max) {
      *state = EV_STACK_DEEP;
      return count;
    }
    frame[count++] = r.value[PC];
  }
}

uint32_t caml_ring_ocaml_stack(uint64_t *frame, uint32_t max,
                               enum caml_eventring_stack *state)
{
  struct stack_info *stack = Caml_state->current_stack;
  uint64_t before = 0;
  uint32_t count = 0;
  caml_eventring_sample_threads();
  while (stack != NULL) {
    char *sp;
    uintnat pc;
    frame_descr *d;
    caml_get_stack_sp_pc(stack, &sp, &pc);
    while ((d = caml_next_frame_descriptor(caml_get_frame_descrs(), &pc, &sp,
                                           stack)) != NULL) {
      if (count == max) {
        *state = EV_STACK_DEEP;
        return count;
      }
      uint64_t delta = d->retaddr - before;
      frame[count++] = delta >> 63 ? ~(delta << 1) : delta << 1;
      before = d->retaddr;
    }
    if (pc != 0) {
      *state = EV_STACK_BROKEN;
      return count;
    }
    stack = Stack_parent(stack);
  }
  *state = EV_STACK_COMPLETE;
  return count;
}

#else /* !EVENTRING_SAMPLES */

uint32_t caml_ring_ocaml_stack(uint64_t *frame, uint32_t max,
                               enum caml_eventring_stack *state)
{
  (void) frame;
  (void) max;
  *state = EV_STACK_BROKEN;
  return 0;
}

void caml_eventring_publish_frames(void *descriptors, int mask)
{
  (void) descriptors;
  (void) mask;
}

#endif

void caml_eventring_emit_stack_at(int record, uint64_t now,
                                  const uint64_t *field, uint32_t fields)
{
  enum { MOST_FIELDS = 16 };
  uint64_t number[MOST_FIELDS + CAML_RING_MOST_FRAMES];
  enum caml_eventring_stack state;
  CAMLassert(fields <= MOST_FIELDS);
  memcpy(number, field, fields * sizeof(*field));
  uint32_t n = caml_ring_ocaml_stack(number + fields, CAML_RING_MOST_FRAMES,
                                     &state);
  number[1] = state;
  number[2] = caml_ring_self.request;
  /* The stack is of this thread, also if switches of threads have no events. */
  caml_eventring_thread_switch(now);
  caml_eventring_emit_packed_at(EVENTRING_RECORD(record), now, number,
                                fields + n);
}

void caml_eventring_emit_stack(int record, const uint64_t *field,
                               uint32_t fields)
{
  caml_eventring_emit_stack_at(record, caml_eventring_ticks(), field, fields);
}
