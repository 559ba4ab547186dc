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

/* The publication of a ring, for the model checker SPIN: is every event that a
   reader returns one that the writer wrote, whole and in order, and is each
   that it wrote read or counted as lost, whatever order the machine gives to
   loads and stores?  testsuite/model/check runs it.  doc/FORMAT.md, "The model",
   says which line of code each step stands for.

   Memory is that of C11, for one thread that stores:

       pos val rel     every store of the writer, in the order of the program
     +---+---+---+
     |   |   |   |     No store is ever overwritten here.  A load takes any
     |   |   |   |     store of its location, however old, but for what its
     |   |   |   | <-- thread must have seen: nothing older than the newest
     |   |   |   |     one up to [cur], nor older than it took there before.
     +---+---+---+

   So a store becomes visible long after those that follow it, and a load is
   satisfied long before those in front of it, unless something forbids it:

     release store    whoever acquires it has seen all stores up to it
     release fence    whoever acquires a later store has seen those before the
                      fence
     acquire load     the thread has seen what the store that it takes tells
     acquire fence    the thread has seen what the stores that it took before
                      tell

   [rel] is what a store tells, [acq] what the thread will have seen after its
   next acquire fence.  The words of a ring are not even held to the rule that
   two loads of one location by one thread do not go back in time.

   Words of an event: first EVENT(its number, how many), then its number.  A
   header has one word, the events before the block.  0 is padding.  Ids, ticks
   and forms are left out: the reader takes them from the same word.

   Each mutation, a macro, takes away one thing that the protocol rests on; each
   must lead to a failed assertion. */

/* Sizes, from the command line */
#ifndef BLOCK
#define BLOCK 3                 /* words of a block; 2 or more */
#endif
#ifndef BLOCKS
#define BLOCKS 2                /* of the ring */
#endif
#ifndef WRITTEN
#define WRITTEN 4               /* blocks that are written at most */
#endif
#ifndef READERS
#define READERS 1
#endif
#ifndef SNAPSHOTS
#define SNAPSHOTS 0
#endif

/* The writer never loads what a reader stores: a reader changes nothing for it,
   nor for another reader.  And a load may take a store of any age.  So whatever
   a reader does while the writer runs, it can do with the same stores when the
   writer has ended, alone; that one reader, after the writer, is what the
   larger sizes try.  AT_ANY_TIME puts this to the test at small sizes: readers
   begin when they like, and there may be two of them. */

#ifdef AT_ANY_TIME
#define wait_for_writer()
#else
#define wait_for_writer() ended
#endif

/* What lies between two loads of a reader is seen by nobody: a step of it is
   one load and what follows from that. */

#define RING (BLOCK * BLOCKS)
#define PADDING 0
#define EVENT(number, words) (4 * ((number) + 1) + (words))
#define EVENT_WORDS(word) ((word) & 3)
#define EVENT_NUMBER(word) ((word) / 4 - 1)

/* Memory.  Store 0 is the zero that is everywhere at first. */

#define STORES (WRITTEN * (2 * BLOCK + 2) + 1)
#define TAIL 254                /* what is no word of the ring */
#define RESERVE 255

byte pos[STORES];               /* position of the word, TAIL or RESERVE */
byte val[STORES];
byte rel[STORES];
byte stores;                    /* how many, and the newest */
byte fence;                     /* the newest before the last release fence */

#define LOCATION(s) (pos[s] >= TAIL -> pos[s] : pos[s] % RING)

/* A killed writer ends in front of one of its stores: what it does between two
   is seen by nobody. */
inline be_killed() { if :: true :: goto dead fi }

inline store_relaxed(where, what)
{
  atomic {
    be_killed();
    d_step {
      stores++;
      pos[stores] = where; val[stores] = what; rel[stores] = fence
    }
  }
}

inline store_release(where, what)
{
  atomic {
    be_killed();
    d_step {
      stores++;
      pos[stores] = where; val[stores] = what; rel[stores] = stores
    }
  }
}

inline release_fence() { fence = stores }

/* [taken] becomes the store that the load takes, [floor] or later. */
inline load(location, floor)
{
  d_step {
    taken = cur;
    do
    :: taken > 0 && LOCATION(taken) != location -> taken--
    :: else -> break
    od;
    if :: taken < floor -> taken = floor :: else fi
  }
  do
  :: break
  :: d_step {
       later = taken + 1;
       do
       :: later <= stores && LOCATION(later) != location -> later++
       :: else -> break
       od
     }
     if :: later <= stores -> taken = later :: else -> break fi
  od;
  later = 0
}

inline load_relaxed(location, floor)
{
  load(location, floor);
  if :: rel[taken] > acq -> acq = rel[taken] :: else fi
}

inline load_acquire(location, floor)
{
  load_relaxed(location, floor);
  if :: rel[taken] > cur -> cur = rel[taken] :: else fi
}

inline acquire_fence()
{
  if :: acq > cur -> cur = acq :: else fi
}

#ifdef RELAXED_TAIL_STORE
#define store_tail store_relaxed
#else
#define store_tail store_release
#endif
#ifdef RELAXED_RESERVE_STORE
#define store_reserve store_relaxed
#else
#define store_reserve store_release
#endif
#ifdef RELAXED_TAIL_LOAD
#define load_tail load_relaxed
#else
#define load_tail load_acquire
#endif
#ifdef RELAXED_RESERVE_LOAD
#define load_reserve load_relaxed
#else
#define load_reserve load_acquire
#endif

/* The writer, runtime/eventring_writer.c */

byte published;                 /* events before the tail */
bool ended;

inline enter_block()
{
#ifndef NO_PADDING
  if :: w_pos < w_end -> store_relaxed(w_pos, PADDING) :: else fi;
#endif
  w_pos = w_end;
  w_end = w_end + BLOCK;
#ifndef LATE_RESERVE
  store_reserve(RESERVE, w_end);
#endif
#ifndef NO_RELEASE_FENCE
  release_fence();
#endif
  store_relaxed(w_pos, w_events);
#ifdef LATE_RESERVE
  store_reserve(RESERVE, w_end);
#endif
  w_pos++;
  if
  :: true
#if BLOCK > 3
  :: store_relaxed(w_pos, EVENT(w_events, 1));  /* the thread that runs */
     w_pos++;
     w_events++
#endif
  fi
}

inline publish(words)
{
  w_pos = w_pos + words;
  w_events++;
  atomic { store_tail(TAIL, w_pos); published = w_events }
}

inline emit(words)
{
  if
  :: w_end - w_pos < words -> enter_block()
  :: w_end - w_pos >= words
  :: w_end - w_pos >= words && w_end > 0 && w_end < WRITTEN * BLOCK ->
     enter_block()              /* ticks that do not fit; another domain */
  fi;
#ifdef EARLY_TAIL
  store_tail(TAIL, w_pos + words);
#endif
  store_relaxed(w_pos, EVENT(w_events, words));
  if
  :: words == 2 -> store_relaxed(w_pos + 1, w_events + 1)
  :: else
  fi;
  publish(words)
}

active proctype writer()
{
  byte w_pos, w_end, w_events;
  do
  :: w_pos < WRITTEN * BLOCK && (w_end < WRITTEN * BLOCK || w_pos < w_end) ->
     emit(1)
#if BLOCK > 2
  :: w_end < WRITTEN * BLOCK || w_pos + 1 < w_end -> emit(2)
#endif
  :: w_end == WRITTEN * BLOCK -> break
  od;
dead:
  skip;
  /* Fewer states: what matters no more is 0. */
  d_step { w_pos = 0; w_end = 0; w_events = 0; fence = 0; ended = true }
}

/* What has been copied, a word at its place in the ring: the store that it was
   taken from, or 0 if that is not the one of the [position] that the word is
   read for.  Which of the wrong ones it is makes no difference: nothing looks
   at one without failing IS_RIGHT. */
#define COPIED(i) copy[(block + (i)) % RING]
#define WORD(i) val[COPIED(i)]
#define IS_RIGHT(i) (COPIED(i) != 0)

inline copy_word(position_of_word)
{
  atomic {
    load_relaxed((position_of_word) % RING, 0);
    if
    :: pos[taken] == (position_of_word) -> copy[pos[taken] % RING] = taken
    :: else
    fi;
    taken = 0
  }
}

inline take_tail()
{
  atomic { load_tail(TAIL, tail_seen); tail_seen = taken; taken = 0 }
}

/* What is left of an earlier look at the ring and matters no more.  What the
   next acquire fence would tell, and the stores below which a load cannot go,
   matter beyond what the thread has seen anyway. */
inline forget()
{
  d_step {
    i = 0;
    do
    :: i < RING -> copy[i] = 0; i++
    :: else -> break
    od;
    i = 0; block = 0; oldest = 0; next = 0;
    if :: acq <= cur -> acq = 0 :: else fi;
    if :: tail_seen <= cur -> tail_seen = 0 :: else fi;
    if :: reserve_seen <= cur -> reserve_seen = 0 :: else fi
  }
}

/* Whether the first word of a block is its header; what it says of losses. */
inline begin_block()
{
  assert(IS_RIGHT(0));
#ifndef NO_COUNT
  assert(WORD(0) >= index);
  lost = lost + WORD(0) - index;
  index = WORD(0);
#endif
  next = 1;
  assert(end > 1 && WORD(1) != PADDING)
}

/* Returns the events of the copy, from [next] to [end]. */
inline decode()
{
  do
  :: next < end && WORD(next) != PADDING ->
     assert(IS_RIGHT(next));                    /* of this lap */
     assert(next + EVENT_WORDS(WORD(next)) <= end);
     assert(EVENT_NUMBER(WORD(next)) == index); /* in order, all of them */
     if
     :: EVENT_WORDS(WORD(next)) == 2 ->
        assert(IS_RIGHT(next + 1));             /* not torn */
        assert(WORD(next + 1) == index + 1)
     :: else
     fi;
     next = next + EVENT_WORDS(WORD(next));
     index++;
     read++
  :: next < end && WORD(next) == PADDING ->
     assert(IS_RIGHT(next));
     position = block + BLOCK;
     break
  :: next == end -> break
  od
}

/* The oldest block that is whole, for who has seen [reserve]. */
#ifdef CHECK_AGAINST_TAIL
#define ABOVE ((val[tail_seen] + BLOCK - 1) / BLOCK * BLOCK)
#else
#define ABOVE val[reserve_seen]
#endif
#define OLDEST (ABOVE > RING -> ABOVE - RING : 0)

/* A reader, consumer/reader/eventring_reader.c */

inline take_reserve()
{
  atomic {
    load_reserve(RESERVE, reserve_seen);
    reserve_seen = taken;
    taken = 0
  }
}

/* Copies what there is of the block of [position]; [end] is 0 when there is
   nothing. */
inline copy_block()
{
#ifdef EARLY_CHECK
  take_reserve();
#endif
  atomic {
    take_tail();
    if
    :: val[tail_seen] > position ->
       block = position - position % BLOCK;
       end = (val[tail_seen] - block < BLOCK -> val[tail_seen] - block : BLOCK);
       i = position - block
    :: else
    fi
  }
  do
  :: atomic { i < end -> copy_word(block + i); i++ }
  :: else -> break
  od
}

/* What the copy is worth. */
inline check()
{
#ifndef NO_ACQUIRE_FENCE
  acquire_fence();
#endif
#ifndef EARLY_CHECK
  take_reserve();
#endif
  assert(val[reserve_seen] >= val[tail_seen]); /* else taken for damage */
#ifdef CHECK_AGAINST_TAIL
  take_tail();
#endif
  oldest = OLDEST
}

/* A turn of the loop in fetch; [again]: there was one before. */
inline fetch()
{
  copy_block();
  atomic {
    if
    :: end == 0 ->
       assert(!again)           /* else taken for damage */
    :: else ->
       check();
       if
#ifndef NO_CHECK
       :: block < oldest ->
          position = oldest;    /* overtaken */
          again = true
#endif
       :: else ->
          next = position - block;
          position = block + end;
          if :: next == 0 -> begin_block() :: else fi;
          again = (WORD(next) == PADDING);      /* there is a next block */
          decode()
       fi
    fi;
    forget()
  }
}

/* At first everything, or only what comes from now on: then what was before
   the block that is written counts as lost. */
inline begin()
{
  if
  :: true
  :: take_tail();
     if
     :: val[tail_seen] > 0 ->
        position = val[tail_seen] - 1;
        position = position - position % BLOCK
     :: else
     fi
  fi
}

#if READERS > 0
active [READERS] proctype reader()
{
  byte cur, acq;                /* what it has seen */
  byte tail_seen, reserve_seen; /* what it took of these last */
  byte position, index, read, lost;
  byte copy[RING];
  byte block, end, oldest, next, i, taken, later;
  bool again, last;
  wait_for_writer();
  atomic { begin(); forget() };
  do
  :: fetch();
     atomic {
       if
       :: end > 0 -> end = 0
       :: end == 0 && last -> break
       :: end == 0 && !last && ended ->
          /* A process has ended: all of its stores are there. */
          d_step {
            last = true;
            cur = stores; acq = 0; tail_seen = 0; reserve_seen = 0
          }
       :: end == 0 && !last
       fi
     }
  od;
  assert(index == published);
  assert(read + lost == published)
}
#endif

/* A snapshot, runtime/eventring_snapshot.c: copies a whole ring, to a file in which
   nothing changes any more; then who reads that. */

inline take_reserve_relaxed()
{
  atomic {
    load_relaxed(RESERVE, reserve_seen);
    reserve_seen = taken;
    taken = 0
  }
}

/* The last position below the tail that has its word at place [i]. */
#define LATEST(i) (i + (val[tail_seen] - 1 - i) / RING * RING)

inline copy_ring()
{
#ifdef EARLY_CHECK
  take_reserve_relaxed();
#endif
  take_tail();
  if :: tail_seen == 0 -> goto nothing :: else fi;
  do
  :: atomic { i < RING && i < val[tail_seen] -> copy_word(LATEST(i)); i++ }
  :: else -> break
  od
}

inline check_ring()
{
#ifndef NO_ACQUIRE_FENCE
  acquire_fence();
#endif
#ifndef EARLY_CHECK
  take_reserve_relaxed();
#endif
}

inline read_snapshot()
{
  assert(val[reserve_seen] >= val[tail_seen]);  /* else taken for damage */
  oldest = OLDEST;
  position = oldest;
  assert(position < val[tail_seen]);            /* else taken for damage */
  do
  :: position < val[tail_seen] ->
     block = position;
     end = (val[tail_seen] - block < BLOCK -> val[tail_seen] - block : BLOCK);
     position = block + end;
     begin_block();
     decode()
  :: else -> break
  od;
  assert(position == val[tail_seen])
}

#if SNAPSHOTS > 0
active [SNAPSHOTS] proctype snapshot()
{
  byte cur, acq, tail_seen, reserve_seen;
  byte position, index, read, lost;
  byte copy[RING];
  byte block, end, oldest, next, i, taken, later;
  wait_for_writer();
  do
  :: copy_ring();
     atomic {
       check_ring();
       if
#ifndef NO_OVERTAKEN
       :: val[reserve_seen] >= val[tail_seen] + RING -> forget()
#endif
       :: else -> read_snapshot(); break
       fi
     }
  od;
nothing:
  skip
}
#endif
