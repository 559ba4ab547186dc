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

/* libeventring: reading the ring file of an OCaml process.

   A cursor is an open ring file and a place in each of its rings.  Any number
   of cursors may read one file, from any process that may open it; the writer
   never waits for a reader and never learns of it.  The process may be running,
   ended or killed.  The file is not trusted: the functions below stay within it
   and end, for any content.

     struct eventring_cursor *c;
     char why[256];
     struct eventring_options o = { .size = sizeof o, .message = why,
                                    .message_size = sizeof why };
     struct eventring_event ev[256];
     int n;

     if (eventring_open("1234.eventring", &o, &c) < 0)
       { fprintf(stderr, "%s\n", why); exit(3); }
     while ((n = eventring_read(c, ev, 256)) > 0)
       for (int i = 0; i < n; i++) ...;
     eventring_close(c);

   Functions that can fail return a negative enum eventring_error.  A cursor is
   for one thread at a time; different cursors are independent.

   Memory: reading a ring file allocates nothing after open.  eventring_read and
   eventring_seek on a recording allocate as much as its largest segment needs;
   on a file of stock OCaml they allocate 1 MiB when a ring has its first
   event.  When there is no memory, eventring_read returns EVENTRING_E_MEMORY
   for a recording; for a file of stock OCaml the ring waits.  Finding processes
   (eventring_open_pid, eventring_processes) and the functions for recordings
   allocate too.

   Compatibility: EVENTRING_ABI is the number in the library's SONAME.  While it
   stays the same, a program runs with any later libeventring:

   - No function is removed, no parameter changes, no constant gets another
     value.  Each new function is listed in consumer/library/libeventring.map under the
     version that has it first.
   - Structs with [size] as their first field grow at their end.  Set [size] to
     sizeof the struct and fields that you do not use to 0.  A library that is
     older than the program refuses options that it does not know, with
     EVENTRING_E_ARGUMENT, and sets unknown fields of a result to 0.
   - Structs that the library returns by pointer grow at their end: do not make
     arrays of them, nor rely on their sizeof.
   - struct eventring_event and struct eventring_process keep their size;
     [reserved] is 0 until it gets a meaning.
   - New values of enums may appear in results (forms, kinds, payloads, states,
     formats, errors): a program must expect values that it does not know. */

#ifndef EVENTRING_READER_H
#define EVENTRING_READER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef EVENTRING_API
#define EVENTRING_API __attribute__((visibility("default")))
#endif

/* The version of the package: of the library, the command, and configure. */
#define EVENTRING_READER_VERSION "0.3.0"

#define EVENTRING_ABI 1

/* Returns the version of the library that the program runs with, in the form of
   EVENTRING_READER_VERSION. */
EVENTRING_API const char *eventring_reader_version(void);

enum eventring_error {
  EVENTRING_OK = 0,
  EVENTRING_E_NOT_FOUND = -1,     /* no such file or process */
  EVENTRING_E_PERMISSION = -2,    /* may not open it */
  EVENTRING_E_SYSTEM = -3,        /* another failure of open, fstat or mmap */
  EVENTRING_E_NOT_A_RING = -4,    /* not a ring file: wrong magic, or empty */
  EVENTRING_E_VERSION = -5,       /* another major version of the format */
  EVENTRING_E_HEADER = -6,        /* sizes or offsets that cannot be */
  EVENTRING_E_TRUNCATED = -7,     /* shorter than its header says, or cut while it
                                     was read */
  EVENTRING_E_MEMORY = -8,        /* no memory for the cursor */
  EVENTRING_E_DAMAGED = -9,       /* a block that no writer writes; reading
                                     goes on behind it */
  EVENTRING_E_ARGUMENT = -10      /* a null pointer, a ring out of range, a
                                     cursor that was not opened for control */
};

/* Returns a few words that describe the error code [error], such as "damaged
   block"; "unknown error" for other numbers.  Never NULL; the text is
   static. */
EVENTRING_API const char *eventring_strerror(int error);

/* Options for opening.  Set [size] to sizeof(struct eventring_options) and
   unused fields to 0; the struct may grow at its end. */
struct eventring_options {
  size_t size;
  int from_now;                   /* 1: only events written from now on;
                                     0: from the oldest that is still there */
  int control;                    /* 1: the functions under Control work; the
                                     user must be allowed to write to the file,
                                     of which the cursor keeps a descriptor */
  char *message;                  /* if not NULL: gets one line with the failed
                                     operation, its object and the reason */
  size_t message_size;
  uint32_t process;               /* of a recording with several processes:
                                     which one, from 0; see
                                     eventring_info.processes */
  int changes;                    /* 1: eventring_read returns
                                     EVENTRING_EV_CONTROL_CHANGED too */
  struct eventring_cursor *share_with; /* NULL, or an open cursor of the same
                                          recording, for another process; the
                                          two share the list of chunks of the
                                          file; either may be closed first */
  int place;                      /* of a stream through a socket: 1: sends to
                                     the sender that the receiver has nothing
                                     yet, for which a sender waits otherwise */
  int resume;                     /* of a stream: 1: a connection that breaks
                                     does not end the stream, see
                                     eventring_is_broken */
  int open_spans;                 /* 1: eventring_read returns EVENTRING_EV_OPEN
                                     too */
  int unused;                     /* 0 */
};

struct eventring_cursor;

/* Opens the ring file, the recording, or the file of stock OCaml at [path].
   [options] may be NULL.  On success sets *result to a new cursor, which the
   caller gives to eventring_close, and returns 0.  On failure sets *result to
   NULL and returns a negative enum eventring_error, with a message in the
   options' buffer. */
EVENTRING_API int eventring_open(const char *path,
                                 const struct eventring_options *options,
                                 struct eventring_cursor **result);

/* Opens a recording that arrives through [fd], a pipe or a socket, and sets
   *result to a cursor on it.  [name] stands for a path in messages.  Waits until
   the first events or the end of the stream have arrived; reads do not wait, and
   return 0 when nothing has arrived.  eventring_state is
   EVENTRING_STATE_RUNNING until the stream ends; a stream that ends without an
   end of its recording sets [damaged_at] of eventring_info.  The cursor has a
   copy of [fd], which the caller may close.  The option [control] is an error,
   and seeking is not possible.  Memory is bounded by the largest segment, 256
   MiB, and the schema.  Returns 0 or the errors of eventring_open. */
EVENTRING_API int eventring_open_stream(int fd, const char *name,
                                        const struct eventring_options *options,
                                        struct eventring_cursor **result);

/* eventring_is_broken returns 1 when [cursor] is on a stream that was opened with
   the option [resume], after its connection has ended before its recording; else
   0.  The cursor then returns no more events, and its state is
   EVENTRING_STATE_RUNNING, until eventring_resume_stream is called:

   - [fd] is a new connection, of which the cursor gets a copy.  Sends through
     [fd], a socket, which events the cursor has returned, so that the sender
     begins behind them if it still has the later ones
     (eventring_record_rejoin).  Events that arrive again are left out; events
     that do not arrive count as lost, exactly.  The stream ends as damaged when
     it is of another process or session.
   - [fd] is -1: the stream ends, as cut.

   eventring_resume_stream returns 0; EVENTRING_E_ARGUMENT when the stream is
   not broken; EVENTRING_E_MEMORY; or EVENTRING_E_SYSTEM, with errno, when [fd]
   cannot be written to: the stream is then still broken. */
EVENTRING_API int eventring_is_broken(const struct eventring_cursor *cursor);
EVENTRING_API int eventring_resume_stream(struct eventring_cursor *cursor,
                                          int fd);

/* Opens the ring file of process [pid], as the caller's pid namespace numbers
   it.  Returns the same as eventring_open.  The name of the file is
   <own>.eventring or <own>.events, or has a number from 1 to 15 after <own>, as
   in 12.1.eventring; <own> is the pid that the process has in its own pid
   namespace.  The file is searched in directory [dir].  If [dir] is NULL, the
   file that the process has mapped is opened, or else a file in the directory
   that the environment of the process names, in the working directory of the
   process, or in the working directory of the caller.  Among several files, the
   file of a living process is preferred, then the file of the process that was
   started last.  Files of processes in other pid namespaces than the namespace
   of [pid] are never opened. */
EVENTRING_API int eventring_open_pid(int32_t pid, const char *dir,
                                     const struct eventring_options *options,
                                     struct eventring_cursor **result);

/* A process that has a ring file. */
struct eventring_process {
  int32_t pid;                    /* as we call it; of one that is gone, as
                                     its file is named */
  uint8_t alive;                  /* 1: it runs, and has the file mapped or may
                                     not be looked into, or is elsewhere and may
                                     have the file mapped; 0: it is gone */
  uint8_t format;                 /* by the file's name: EVENTRING_FORMAT_RING
                                     for .eventring, _STOCK for .events */
  uint8_t elsewhere;              /* 1: [pid] is the number of the process in
                                     another pid namespace, where we may not see
                                     it; open it by its path */
  uint8_t reserved[57];
  char path[4096];                /* by which we can open it, if we may */
};

/* Lists the traced processes that the caller may look into, and the ring files
   of other processes in directory [dir] (NULL: the working directory).  Stores
   the first [max] of them, sorted by pid, in [list], which may be NULL when
   [max] is 0.  Returns the number of all of them, which may exceed [max], or a
   negative error, for example when [dir] cannot be read. */
EVENTRING_API int eventring_processes(const char *dir,
                                      struct eventring_process *list, int max);

/* A search for traced processes that is done again and again.  It costs a
   fraction of as many calls of eventring_processes, since it remembers each
   process.  One thread at a time may use a search. */
struct eventring_search;

/* Returns a new search, which the caller gives to eventring_search_end; NULL
   when there is no memory. */
EVENTRING_API struct eventring_search *eventring_search_begin(void);

/* Sets *list to the traced processes and ring files that eventring_processes
   lists, sorted by pid, and returns their number, or a negative error.  The list
   is valid until the next call for [search].  [pid] not 0: looks at no other
   process than this one, and at no other ring files in [dir] than those that are
   named after it.  The mappings of a process are read when the search sees it
   for the first time, when the size of its address space or its ring file has
   changed, and in each 16th call. */
EVENTRING_API int eventring_search_processes(
  struct eventring_search *search, int32_t pid, const char *dir,
  const struct eventring_process **list);

/* Frees the search and its list; does nothing for NULL. */
EVENTRING_API void eventring_search_end(struct eventring_search *search);

/* Closes the cursor and frees its memory; does nothing for NULL.  Pointers
   returned by functions on the cursor are invalid afterwards. */
EVENTRING_API void eventring_close(struct eventring_cursor *cursor);

/* The form of an event.  The first four are as in the file. */
enum {
  EVENTRING_EV_BEGIN = 0,         /* a span begins */
  EVENTRING_EV_END = 1,           /* a span ends */
  EVENTRING_EV_COUNTER = 2,       /* payload[0] is the value, signed */
  EVENTRING_EV_INSTANT = 3,       /* something happened; see the schema for its
                                     payload */
  EVENTRING_EV_LOST = 4,          /* the reader was overtaken: payload[0] is
                                     how many events of this ring it will
                                     never see, see also
                                     eventring_info.lost_is_bound; id is 0 */
  EVENTRING_EV_CONTROL_CHANGED = 5, /* the mask of recorded categories was
                                      changed by eventring_pause, _resume or
                                      _set_categories, of any program, at about
                                      this time, so that a begin may have no end
                                      or the reverse; of no ring: id and all
                                      else is 0 */
  EVENTRING_EV_OPEN = 6           /* the begin of a span that was open when a
                                     receiver joined the stream; it is before
                                     the events of the stream, and does not
                                     count as an event */
};

/* The largest number of payload words of an event, of any file.  It
   does not grow while EVENTRING_ABI stays the same. */
#define EVENTRING_MAX_EVENT_WORDS 4096

struct eventring_event {
  int64_t ns;                     /* CLOCK_MONOTONIC nanoseconds */
  uint64_t ticks;                 /* the writer's clock */
  const uint64_t *payload;        /* [words] words; valid until the next read
                                     on this cursor */
  uint32_t words;                 /* EVENTRING_MAX_EVENT_WORDS at most */
  uint32_t ring;                  /* which ring, from 0 */
  uint32_t domain;                /* unique id of the domain */
  uint32_t thread;                /* OS id of the thread that wrote it */
  uint16_t id;                    /* see eventring_describe */
  uint8_t form;
  uint8_t reserved;
  int32_t thread_id;              /* of that thread in the threads library, or
                                     -1 when it is not one of its threads */
};

/* Reads the next events of all rings, at most [max], into [events], in the
   order of their times.  Returns the number of events, 0 when there are no more
   at present, EVENTRING_E_DAMAGED once for each damaged block, which is
   skipped, or another negative error.  May return fewer than [max] events
   though there are more.  While the process runs, the order holds between calls
   as well, except for events of a writer that was interrupted between reading
   the clock and publishing. */
EVENTRING_API int eventring_read(struct eventring_cursor *cursor,
                                 struct eventring_event *events, int max);

/* Reads the next events of ring [ring] only, at most [max], into [events].  Is
   faster than eventring_read; a cursor must use one of the two functions, not
   both.  Returns the same as eventring_read, but EVENTRING_E_ARGUMENT for a
   recording, since rings are mixed in its file, and never
   EVENTRING_EV_CONTROL_CHANGED. */
EVENTRING_API int eventring_read_ring(struct eventring_cursor *cursor,
                                      uint32_t ring,
                                      struct eventring_event *events, int max);

/* Moves the cursor of a recording to a place from which eventring_read returns
   all events of time [ns] (CLOCK_MONOTONIC) and later, and perhaps some earlier
   events.  Sets the counts of events_read and events_lost to 0.  Returns 0,
   EVENTRING_E_ARGUMENT when the file is not a recording, or another negative
   error. */
EVENTRING_API int eventring_seek(struct eventring_cursor *cursor, int64_t ns);

/* Return the number of events of ring [ring] that this cursor has returned
   (_read), or will never return because they were overwritten (_lost).  Events
   before the opening of a [from_now] cursor are in neither number.  Both
   numbers are exact, but see eventring_info.lost_is_bound.  0 for a ring out of
   range. */
EVENTRING_API uint64_t eventring_events_read(
  const struct eventring_cursor *cursor, uint32_t ring);
EVENTRING_API uint64_t eventring_events_lost(
  const struct eventring_cursor *cursor, uint32_t ring);

/* The events of a ring have numbers, from 1.  eventring_events_end returns the
   number of the last event of ring [ring] that this cursor has returned; 0 when
   none was returned, or for a ring out of range.  eventring_skip_events makes the
   cursor of a recording leave out the events of ring [ring] up to number
   [count], which eventring_events_end returns until there is a later event.
   Call it before the first event is read.  Returns 0 or EVENTRING_E_ARGUMENT. */
EVENTRING_API uint64_t eventring_events_end(
  const struct eventring_cursor *cursor, uint32_t ring);
EVENTRING_API int eventring_skip_events(
  struct eventring_cursor *cursor, uint32_t ring, uint64_t count);

/* Returns the first byte of the payload of [event], an event with
   EVENTRING_PAYLOAD_BYTES or _TEXT, and sets *length (unless [length] is NULL)
   to the number of bytes.  The bytes may have any value and do not end with a
   NUL.  Returns NULL, and does not set *length, when the payload does not have
   this form; integers may have the form by chance. */
EVENTRING_API const char *eventring_event_bytes(
  const struct eventring_event *event, size_t *length);

/* The kinds of events. */
enum {
  EVENTRING_KIND_SPAN = 1,
  EVENTRING_KIND_COUNTER = 2,
  EVENTRING_KIND_INSTANT = 3,
  EVENTRING_KIND_FLOW = 5,        /* begin, steps (instants) and end, perhaps
                                     in several domains, tied together by the
                                     id in payload[0] */
  EVENTRING_KIND_COMPLETE = 9,    /* an instant at the end of something;
                                     payload[0] is how long it took, in ns */
  EVENTRING_KIND_REQUEST = 10     /* begin and end of a request, perhaps in
                                     several threads; payload[0] is the number
                                     of the request */
};
enum {
  EVENTRING_PAYLOAD_NONE = 0,
  EVENTRING_PAYLOAD_INT = 1,      /* one signed word */
  EVENTRING_PAYLOAD_BYTES = 2,    /* see eventring_event_bytes */
  EVENTRING_PAYLOAD_INTS = 3,     /* signed words */
  EVENTRING_PAYLOAD_TEXT = 4,     /* the same as bytes, meant to be read */
  EVENTRING_PAYLOAD_PACKED = 5    /* as _INTS once read, with a field for each
                                     word, see eventring_field.  A span has
                                     them at its end only */
};

struct eventring_description {
  uint16_t id;
  uint8_t kind;
  uint8_t payload;
  uint32_t category;              /* bit number in the masks */
  char unit[16];                  /* "" for none */
  char name[128];
};

/* Returns the description of the events with id [id], or NULL when the file
   does not describe them (yet).  The description stays valid and unchanged
   until the cursor is closed. */
EVENTRING_API const struct eventring_description *eventring_describe(
  struct eventring_cursor *cursor, uint32_t id);

/* Returns the id of the events with the name [name], or -1 when the file
   describes no such events.  When several user events have this name, the id of
   the first one registered is returned. */
EVENTRING_API int eventring_find(struct eventring_cursor *cursor,
                                 const char *name);

/* A field of the payload of events with PACKED payload. */
struct eventring_field {
  char unit[16];                  /* "ns", "words", "bytes" ...; "cause" and
                                     other names of values, see
                                     eventring_value; "domain": a unique id;
                                     "thread": an id of the threads library;
                                     "os_thread"; "request": the number of a
                                     request, 0 for none; "address": an address
                                     of machine code; "lock": the address of a
                                     mutex or condition */
  char name[128];
};

/* Returns the description of word [word] of the payload of events with id [id],
   or NULL when the file does not describe the word or the payload is not
   PACKED.  In a payload whose last fields repeat, the words of every repetition
   are described.  The description stays valid and unchanged until the cursor is
   closed. */
EVENTRING_API const struct eventring_field *eventring_field(
  struct eventring_cursor *cursor, uint32_t id, uint32_t word);

/* Returns the name of the number [value] in fields with the unit [unit], such
   as a cause; NULL when the file has no such name. */
EVENTRING_API const char *eventring_value(struct eventring_cursor *cursor,
                                          const char *unit, uint64_t value);

/* Return the newest name that the program or the system gave to domain [domain],
   or to a thread; NULL when it has no name.  [domain], [thread] and [thread_id]
   are fields of an event.  The name is valid until the next read on this cursor.
   The functions with _at return the name that the domain or the thread had at
   the time [ticks] of an event, or, before its first name, that one.  Files of a
   format before 1.8 do not have the times: then this is the newest name. */
EVENTRING_API const char *eventring_domain_name(
  struct eventring_cursor *cursor, uint32_t domain);
EVENTRING_API const char *eventring_thread_name(
  struct eventring_cursor *cursor, uint32_t domain, uint32_t thread,
  int32_t thread_id);
EVENTRING_API const char *eventring_domain_name_at(
  struct eventring_cursor *cursor, uint32_t domain, uint64_t ticks);
EVENTRING_API const char *eventring_thread_name_at(
  struct eventring_cursor *cursor, uint32_t domain, uint32_t thread,
  int32_t thread_id, uint64_t ticks);

/* A mapping: machine code in the memory of the process. */
struct eventring_mapping {
  uint64_t start;                 /* the address of the first byte */
  uint64_t length;                /* bytes, at least 1; start + length does not
                                     wrap */
  uint64_t offset;                /* of the first byte in the file */
  const char *path;               /* of the file, as the process named it; any
                                     bytes, at least one */
  uint32_t build_id_size;         /* bytes of the build id of the file; 0: it
                                     has none */
  uint8_t build_id[48];
};

/* Returns mapping number [index], from 0 on, in the order in which the process
   wrote them, or NULL when there are not so many (yet).  Where mappings
   overlap, the later mapping counts.  The mapping stays valid and unchanged
   until the cursor is closed. */
EVENTRING_API const struct eventring_mapping *eventring_mapping(
  struct eventring_cursor *cursor, uint32_t index);

/* Returns the name of the category with bit number [bit] in the masks, or NULL
   when the file has no such category. */
EVENTRING_API const char *eventring_category(struct eventring_cursor *cursor,
                                             uint32_t bit);

/* Returns a short description of the events in the category with the name
   [name], or NULL when this library does not know the category.  The text is
   static.  Not in the reader that is compiled into OCaml's runtime. */
EVENTRING_API const char *eventring_category_meaning(const char *name);

/* The state of the process. */
enum {
  EVENTRING_STATE_RUNNING = 1,
  EVENTRING_STATE_ENDED = 2,      /* ended in order */
  EVENTRING_STATE_REPLACED = 3,   /* replaced by another program (exec) */
  EVENTRING_STATE_KILLED = 4,     /* gone without having said so */
  EVENTRING_STATE_UNKNOWN = 5     /* a recording that ended before the
                                     process */
};

/* Returns the state of the process that wrote the file, one of the constants
   above, or EVENTRING_E_ARGUMENT for a NULL cursor.  When the file says that
   the process runs, asks the system.  For a recording, the state when the
   recording ended. */
EVENTRING_API int eventring_state(struct eventring_cursor *cursor);

/* Returns the state of the thread with the system's id [thread], a field of an
   event, as the letter in /proc: 'R' when the thread runs or is ready to run,
   'S' when it sleeps, 'X' when it runs only to its end, since it was killed or
   ends.  Returns 0 when the state is not known, such as for a recording or a
   process in another pid namespace.  The result is only right while
   eventring_state returns EVENTRING_STATE_RUNNING: the id may pass to another
   process later. */
EVENTRING_API char eventring_thread_state(struct eventring_cursor *cursor,
                                          uint32_t thread);

struct eventring_info {
  size_t size;                    /* set to sizeof before the call */
  int32_t pid;
  int32_t parent_pid;             /* of the traced process that forked this
                                     one; 0: none */
  uint32_t rings;
  uint32_t block_words;
  uint64_t ring_words;
  uint32_t active;                /* mask of categories being recorded; 0 is
                                     paused */
  uint32_t resume;                /* mask that resuming restores */
  int64_t started_ns;             /* CLOCK_MONOTONIC when tracing started */
  int64_t started_realtime_ns;    /* the same instant since the epoch */
  uint16_t version_major, version_minor;
  uint8_t same_boot;              /* the file was made since this machine
                                     started, in our time namespace: its times
                                     are of our CLOCK_MONOTONIC */
  uint8_t clock;                  /* 1 monotonic, 2 TSC, 3 cntvct */
  double ticks_per_ns;
  char program[256];              /* "" when it is not known */
  char runtime[32];               /* of stock OCaml, the certain part, such as
                                     "5.3 or later" */
  char argv0[256];                /* how the program was called; "": unknown */
  uint8_t format;                 /* EVENTRING_FORMAT_... */
  uint32_t processes;             /* processes in the file: 1 but for some
                                     recordings */
  int64_t first_ns, last_ns;      /* of a recording: CLOCK_MONOTONIC between
                                     which it was made; else 0 */
  uint64_t damaged_at;            /* the place in the file from which on it cannot
                                     be read, since it is cut or damaged there;
                                     0: it is whole.  Of recordings */
  uint8_t lost_is_bound;          /* 1: counts of lost events are the most that
                                     they can be (stock OCaml, which counts
                                     words only, and recordings of it); 0: they
                                     are exact */
  uint64_t recorded_events;       /* of a recording: the count of its recorder;
                                     of one that was cut, the events that are
                                     left; UINT64_MAX: not known, since the
                                     recorder was killed or several recordings
                                     were joined */
  uint64_t recorded_lost;         /* likewise, events that it could not copy */
  uint64_t pid_namespace;         /* of the process, the inode number of its
                                     /proc/PID/ns/pid; 0: not known */
  uint8_t pid_is_elsewhere;       /* 1: [pid] is the number of the process in
                                     that namespace, which is not ours: we do
                                     not see the process.  Its state is then
                                     that it runs, unless it is sure that nobody
                                     writes to the file */
  uint64_t threshold_ns;          /* the shortest wait that is recorded; 0: that
                                     with which tracing started, or not known
                                     (before format 1.4, stock OCaml) */
  uint64_t sample_period_ns;      /* processor time between two samples of a
                                     thread; 0: not known (before format 1.5,
                                     stock OCaml) */
  uint64_t samples_dropped;       /* samples that were not written, of threads
                                     that have no ring */
  uint32_t sample_rings_from;     /* the rings from this index on have samples;
                                     0: there are no such rings */
  char boot_id[40];               /* the start of the machine, as Linux names
                                     it; "": not known.  Files with the same one
                                     and the same [time_namespace] have the same
                                     CLOCK_MONOTONIC */
  uint64_t time_namespace;        /* of the process, the inode number of its
                                     /proc/PID/ns/time; 0: not known */
  uint64_t flushes;               /* how many times the program has asked its
                                     readers for a flush; 0 before format 1.6 */
  int64_t traced_since_ns;        /* CLOCK_MONOTONIC from which on the process
                                     is traced without a gap: [started_ns], or of
                                     the first of the sessions that took over
                                     from each other; after eventring_go_on, of
                                     the first one that was read */
  uint64_t alloc_period_words;    /* mean number of allocated words between two
                                     samples of them; 0: not known (before
                                     format 1.7, stock OCaml) */
  int32_t own_pid;                /* of the process in its own pid namespace */
  uint64_t session;               /* sessions that the process, and its parents
                                     before a fork, had with this one; 0 before
                                     format 1.10 */
};

enum {
  EVENTRING_FORMAT_RING = 0,      /* <pid>.eventring, of Eventring's OCaml */
  EVENTRING_FORMAT_RECORDING = 1, /* see Recording */
  EVENTRING_FORMAT_STOCK = 2,     /* <pid>.events, of OCaml 5 itself, see
                                     doc/STOCK.md */
  EVENTRING_FORMAT_STREAM = 3     /* a recording that arrives, see
                                     eventring_open_stream */
};

/* Fills [info], in which the caller has set [size], with facts about the file
   and its process.  Returns 0, or EVENTRING_E_ARGUMENT for a NULL pointer or an
   impossible size. */
EVENTRING_API int eventring_get_info(struct eventring_cursor *cursor,
                                     struct eventring_info *info);

/* Sums over all that the domains of a process have recorded in the category "gc"
   since tracing started, overwritten events included.  Every number only grows
   while the session lasts, and a new session that has rings of another size goes
   on counting; no two numbers are of exactly the same moment. */
struct eventring_totals {
  size_t size;                    /* sizeof the struct; it may grow at its end */
  uint64_t minor_collections;     /* that the domain took part in; of all rings:
                                     each once, as the next two */
  uint64_t major_cycles;          /* that the domain brought to an end */
  uint64_t compactions;           /* that the domain requested */
  uint64_t major_slices;
  uint64_t explicit_calls;        /* of functions of module Gc */
  uint64_t allocated_words;       /* in minor heaps, up to their last minor
                                     collection */
  uint64_t promoted_words;
  uint64_t direct_words;          /* allocated in the major heap, without promoted
                                     words, up to the last slice */
  uint64_t pauses;                /* times in which the domain's OCaml code did
                                     not run: slices, and stops of all domains;
                                     those in each other are one */
  uint64_t paused_ns;             /* of all pauses, of all domains added */
  uint64_t longest_pause_ns;
  uint32_t domains;               /* that have had the ring so far, or a ring; 0:
                                     none */
  uint32_t last_domain;           /* of these, the unique id of the last, which
                                     alone has all numbers if [domains] is 1; of
                                     all rings: 0 */
};

#define EVENTRING_ALL_RINGS UINT32_MAX

/* Fills [totals], in which the caller has set [size], with the totals of ring
   [ring], or with EVENTRING_ALL_RINGS of the process, as they are now.  Reads no
   event.  Returns 0; EVENTRING_E_VERSION when the file has none: its format is
   older than 1.9, or it is a recording; EVENTRING_E_ARGUMENT for a NULL pointer,
   an impossible size or a ring that there is not. */
EVENTRING_API int eventring_get_totals(struct eventring_cursor *cursor,
                                       uint32_t ring,
                                       struct eventring_totals *totals);

/* Returns how many sessions the process had between those of [cursor] and [next]
   (files before format 1.10 tell of one only), or EVENTRING_E_ARGUMENT if [next] is
   not open on a later session of the same program. */
EVENTRING_API int eventring_sessions_between(struct eventring_cursor *cursor,
                                             struct eventring_cursor *next);

/* Goes on with [next], a later session, and owns it: counts, totals and times go on;
   strings of [cursor] stay valid, those of [next] do not.  Returns
   eventring_sessions_between; or it or EVENTRING_E_MEMORY, with no change. */
EVENTRING_API int eventring_go_on(struct eventring_cursor *cursor,
                                  struct eventring_cursor *next);

/* Returns the path by which the file of the cursor was opened, valid until it is
   closed or eventring_go_on.  NULL for a NULL cursor. */
EVENTRING_API const char *eventring_path(const struct eventring_cursor *cursor);

/* Pause the recording of events in the traced process, resume it, or set the
   mask of the recorded categories.  The cursor must have been opened with the
   option [control].  The change takes effect at the next probe of every domain.
   Pausing a paused process and resuming a process that is not paused do
   nothing.  A mask set during a pause is used after resuming; a mask of 0 is
   refused.  Return 0 or a negative error. */
EVENTRING_API int eventring_pause(struct eventring_cursor *cursor);
EVENTRING_API int eventring_resume(struct eventring_cursor *cursor);
EVENTRING_API int eventring_set_categories(struct eventring_cursor *cursor,
                                           uint32_t mask);

/* eventring_ask_points asks the traced process to evaluate its data points once,
   by switching the category "points" on, which the process switches off again
   before it evaluates them.  Their values are events of this category, before
   the event "points_evaluated".  Returns 0; 1 if they were asked for already
   and the process has not begun; EVENTRING_E_VERSION when the writer has no
   such category; EVENTRING_E_ARGUMENT when recording is paused; or another
   negative error.  eventring_withdraw_points switches the category off, and
   returns 0 or a negative error.  The cursor must have been opened with the
   option [control]. */
EVENTRING_API int eventring_ask_points(struct eventring_cursor *cursor);
EVENTRING_API int eventring_withdraw_points(struct eventring_cursor *cursor);

/* eventring_ask_ring_words asks the traced process to start a new session with
   rings of [words] words, a power of two from 512 to 2^22, at its next safe
   point.  The present session then has ended, and the new file has its name: no
   event is lost or doubled.  When the process cannot have such rings, the
   session goes on; it says why on its standard error.  Returns 0; 1 if the rings
   have this size already, and nothing was asked; EVENTRING_E_VERSION when the
   writer is older than format 1.6; EVENTRING_E_ARGUMENT for another size or when
   recording is paused; or another negative error.  eventring_ring_words_asked
   returns the size that is asked for, 0 when the process has answered or no
   size was asked for.  eventring_withdraw_ring_words withdraws the request, and
   returns 0 or a negative error.  The cursor must have been opened with the
   option [control]. */
EVENTRING_API int eventring_ask_ring_words(struct eventring_cursor *cursor,
                                           uint64_t words);
EVENTRING_API uint64_t eventring_ring_words_asked(
  struct eventring_cursor *cursor);
EVENTRING_API int eventring_withdraw_ring_words(
  struct eventring_cursor *cursor);

/* Sets the shortest wait that the traced process records, in nanoseconds; 0
   counts as 1.  The cursor must have been opened with the option [control].
   Returns 0, EVENTRING_E_VERSION when the writer is older than format 1.4, or
   another negative error. */
EVENTRING_API int eventring_set_threshold(struct eventring_cursor *cursor,
                                          uint64_t ns);

/* Sets the processor time between two samples of a thread of the traced
   process, in nanoseconds, at least 1.  The cursor must have been opened with
   the option [control].  Returns 0, EVENTRING_E_VERSION when the writer is
   older than format 1.5, or another negative error. */
EVENTRING_API int eventring_set_sample_period(struct eventring_cursor *cursor,
                                              uint64_t ns);

/* Sets the mean number of allocated words between two samples of them in the
   traced process, at least 1.  The cursor must have been opened with the option
   [control].  Returns 0, EVENTRING_E_VERSION when the writer is older than
   format 1.7, or another negative error. */
EVENTRING_API int eventring_set_alloc_period(struct eventring_cursor *cursor,
                                             uint64_t words);

/* Options of eventring_attach and eventring_detach.  Set [size] to sizeof the
   struct and unused fields to 0; it may grow at its end. */
struct eventring_attach_options {
  size_t size;
  const char *dir;                /* an absolute path, as the process sees it:
                                     the directory for the ring file; NULL: the
                                     directory that the environment of the
                                     process names (OCAML_EVENTRING_PREFIX), or
                                     else /tmp */
  int64_t wait_ns;                /* how long to wait for the process */
  char *message;                  /* as in eventring_options */
  size_t message_size;
};

/* Lists the processes that eventring_attach can start tracing in: those with the
   runtime of Eventring's OCaml that the caller may debug, and that are not
   traced.  Stores the pids of the first [max] of them in [list], which may be
   NULL when [max] is 0.  Returns the number of all of them.  Reads the memory of
   every process that it may read: not to be called all the time. */
EVENTRING_API int eventring_attachable(int32_t *list, int max);

/* Has the process of [cursor] look now for what it was asked for: samples
   (eventring_set_categories), data points, rings of another size.  OCaml code that
   neither allocates nor waits does not see that by itself, and no code of C does.
   The caller must have the right to debug the process (ptrace).  Returns 0 or a
   negative error. */
EVENTRING_API int eventring_interrupt(struct eventring_cursor *cursor);

/* A result that is no error: the process has got the request, and carries it
   out when its OCaml code next runs. */
#define EVENTRING_PENDING 1

/* Start or end tracing in process [pid], a running process with the runtime of
   Eventring's OCaml, which needs no variable and no code for that.  The caller
   must have the right to debug the process (ptrace).  The process carries the
   request out at the next point at which OCaml code may run signal handlers: an
   allocation, the next turn of a loop, the end of a system call.  A program that
   was linked with an older runtime needs a minor collection or the like.
   It records the default categories.  A process that is traced already is left
   as it is; detaching ends tracing however it was started, and takes back a
   request to attach that is pending.  Return 0 when the process has started or
   ended tracing, EVENTRING_PENDING when it has not within the time that it was
   given, or a negative error, with a message.  Only on Linux, with 64-bit
   processes.  Any thread may call these functions; calls for the same process
   wait for each other. */
EVENTRING_API int eventring_attach(int32_t pid,
                                   const struct eventring_attach_options
                                     *options);
EVENTRING_API int eventring_detach(int32_t pid,
                                   const struct eventring_attach_options
                                     *options);

/* Recording: the words of all rings, copied as they are and compressed, with
   all that is needed to read them, in one file that eventring_open opens.  See
   doc/RECORDING.md for the file.  Not in the reader that OCaml's runtime
   holds.

     eventring_record("out.evr", cursor, &o, &r);
     while (...) { eventring_record_step(r); sleep; }
     eventring_record_close(r);
*/

struct eventring_recorder;

/* Gets a chunk of a recording: [bytes] has its [size] bytes until the call ends,
   and [kind] is an EVENTRING_CHUNK_....  All chunks, one after the other, are a
   recording file.  [state] is the caller's.  Returns 0, or -1 with errno set:
   the recorder then stops. */
typedef int eventring_sink(void *state, int kind, const void *bytes,
                           size_t size);

struct eventring_record_options {
  size_t size;                    /* sizeof this struct; it may grow */
  int level;                      /* of compression by zstd; 0: the default */
  int64_t hold_ns;                /* if not 0, there is no file until
                                     eventring_record_release; until then, held
                                     words that are older than this may be
                                     forgotten; those that are older at the first
                                     step are not held */
  int replace;                    /* 1: a file at the path is overwritten; 0:
                                     that is an error */
  char *message;                  /* as in eventring_options */
  size_t message_size;
  uint64_t hold_bytes;            /* the most memory for held words, but for the
                                     last segment; 0: no limit */
  int64_t flush_ns;               /* the longest time until copied words are
                                     written; 0: a second */
  eventring_sink *write;          /* if not NULL, gets the recording, and there
                                     is no file: the path is only for messages,
                                     [replace] is not used, and [hold_ns] must
                                     be 0 */
  void *state;                    /* for [write] */
  uint64_t window_bytes;          /* with [write]: the last segments are kept in
                                     memory for eventring_record_rejoin, up to
                                     so many bytes, and one more; 0: none */
  int from_start;                 /* 1: the recording is to have the events from
                                     the start of tracing: those overwritten
                                     before the first step are lost; 0: they are
                                     before the recording */
  int unused;                     /* 0 */
};

/* Kinds of chunks.  A sink may leave out EVENTRING_CHUNK_EVENTS, for
   example for a receiver that is slow: the receiver then counts the events in
   these chunks as lost, exactly.  It must not leave out others. */
enum {
  EVENTRING_CHUNK_STATE = 0,      /* facts that the later chunks need */
  EVENTRING_CHUNK_EVENTS = 1,
  EVENTRING_CHUNK_END = 2,        /* the last one of the events */
  EVENTRING_CHUNK_INDEX = 3       /* for a file; needs all chunks before it */
};

/* Calls [write] with [state] and the chunks that a late receiver needs before
   the chunks from now on: its recording begins with the events of the next
   chunk.  The recorder must have a sink.  Returns 0,
   EVENTRING_E_ARGUMENT for a recorder to a file or one that has ended, or another
   negative error, with a message; when [write] fails, EVENTRING_E_SYSTEM, and
   the recorder goes on. */
EVENTRING_API int eventring_record_join(
  struct eventring_recorder *recorder, eventring_sink *write, void *state);

/* eventring_place_size returns the size of the place that a receiver sends, of
   which the first [size] bytes are at [bytes]; 0 when more bytes are needed to
   know; or EVENTRING_E_ARGUMENT when the bytes are no place.
   eventring_record_rejoin is eventring_record_join for a receiver that has sent
   the [size] bytes at [place].  If the place is of the same process and session,
   and the option [window_bytes] has kept segments with later events, the
   chunks begin with these segments.  For any other bytes, does the same as
   eventring_record_join. */
EVENTRING_API int64_t eventring_place_size(const void *bytes, size_t size);
EVENTRING_API int eventring_record_rejoin(
  struct eventring_recorder *recorder, const void *place, size_t size,
  eventring_sink *write, void *state);

/* Creates a recording at [path], of the words that [cursor] reads, and sets
   *result to its recorder; with the option [hold_ns], the file is created by
   eventring_record_release.  Returns 0 or the errors of eventring_open,
   EVENTRING_E_ARGUMENT for a cursor on a recording; *result is then NULL.
   Until the recorder is closed the cursor belongs to it: do not read events
   from the cursor, and close the cursor after the recorder.  Events that the
   cursor has returned before are not recorded.  The recorder never waits for
   the process, and the process never waits for the recorder.

   eventring_record_events sets *result to another cursor, which reads the events
   that the recorder copies: it has the events and the losses of the recording.
   The recorder must be to a file, without [hold_ns] and with [from_start], and
   have made no step; else the result is EVENTRING_E_ARGUMENT.  The events of a step
   may be readable only after a later one; steps write and read no more than they
   have copied until the events are read.  After eventring_record_end the cursor
   has all events.  When the file cannot be written, the step that finds this
   returns the error, and so does eventring_record_end, but the recorder goes on
   for the cursor.  Close the cursor before the recorder. */
EVENTRING_API int eventring_record(const char *path,
                                   struct eventring_cursor *cursor,
                                   const struct eventring_record_options
                                     *options,
                                   struct eventring_recorder **result);
EVENTRING_API int eventring_record_events(struct eventring_recorder *recorder,
                                          struct eventring_cursor **result);

/* Copies the new words of all rings to the recording.  Returns the number of
   words, EVENTRING_E_ARGUMENT after eventring_record_end, or another negative
   error when the file could not be written (with a message in the options'
   buffer, which must live as long as the recorder).  To lose no events, call
   this function more often than the fastest domain fills its ring. */
EVENTRING_API int64_t eventring_record_step(
  struct eventring_recorder *recorder);

/* Creates the file of a recorder with the option [hold_ns], and writes the
   words held in memory and the rings' new words to it; later steps write to the
   file.  Does nothing when the file exists.  Returns 0 or a negative error. */
EVENTRING_API int eventring_record_release(struct eventring_recorder *recorder);

/* Ends the present file, and creates another one at [path] for the events after
   it, without a gap; with the option [hold_ns], that file is created by the
   next eventring_record_release.  Returns 0, EVENTRING_E_ARGUMENT when there is
   no present file, or another negative error. */
EVENTRING_API int eventring_record_next(struct eventring_recorder *recorder,
                                        const char *path);

/* The totals of a recorder up to the present.  bytes: size of the present file.
   files, all_bytes: number and total size of all its files.  events, lost:
   numbers of events in all files and held in memory for the next file, and of
   events that were overwritten before they could be copied.  before: events of
   all rings before the first one that was copied.  So before + events + lost
   were written when the recorder last looked. */
struct eventring_record_totals {
  size_t size;
  uint64_t bytes, files, all_bytes, events, lost, before;
};
EVENTRING_API int eventring_record_totals(
  struct eventring_recorder *recorder, struct eventring_record_totals *totals);

/* Stores a copy of [text], such as a description as JSON, in the present file,
   if there is one, and in the files that follow.  Replaces an earlier text.
   Returns 0 or a negative error. */
EVENTRING_API int eventring_record_note(struct eventring_recorder *recorder,
                                        const char *text);

/* Writes the remaining words and the index, and closes the file; words that
   eventring_record_release has not written are dropped.  After this nothing
   more can be recorded; eventring_record_totals still works.  Returns 0 or the
   error that stopped the recorder. */
EVENTRING_API int eventring_record_end(struct eventring_recorder *recorder);

/* Ends the recording, unless eventring_record_end did, and frees the recorder,
   even when the recording cannot be ended.  Does nothing for NULL.  Returns 0
   or the error that stopped the recorder. */
EVENTRING_API int eventring_record_close(struct eventring_recorder *recorder);

/* Returns the text that eventring_record_note stored in the recording, or NULL
   when there is no text or the file is not a recording.  Valid until the cursor
   is closed. */
EVENTRING_API const char *eventring_note(struct eventring_cursor *cursor);

/* eventring_record_node stores a copy of [text], the description of the machine as
   JSON (doc/RECORDING.md, section 8), like eventring_record_note.
   eventring_node returns the text in a recording, as eventring_note does. */
EVENTRING_API int eventring_record_node(struct eventring_recorder *recorder,
                                        const char *text);
EVENTRING_API const char *eventring_node(struct eventring_cursor *cursor);

/* An instant by two clocks, of which a recorder makes one when a recording begins
   and ends, and every ten seconds. */
struct eventring_clock_sample {
  int64_t monotonic_ns;           /* CLOCK_MONOTONIC of the process */
  int64_t realtime_ns;            /* CLOCK_REALTIME at that time... */
  uint64_t bound_ns;              /* ...with an error of at most this */
};

/* Copies sample number [index] of a recording, from 0 on, to *sample.  Of more than
   256, there are the first 255 and the last.  Returns 1, or 0 when there are not
   so many (yet). */
EVENTRING_API int eventring_get_clock_sample(
  struct eventring_cursor *cursor, uint32_t index,
  struct eventring_clock_sample *sample);

/* An input of eventring_recording_merge.  That function makes the recording
   [path] of the [count] inputs, copying their segments as they are stored, and
   returns 0 or a negative error, with a message in the options' buffer.  An
   input with [join] 1 continues the process of the input before it: it must be
   a later recording of the same process.  Each other input becomes a process of
   its own.  All inputs have the same [size].  An input that is cut, see
   [damaged_at] of eventring_info, is copied up to there.  Other damage is an
   error, EVENTRING_E_DAMAGED, unless [left_out] is set. */
struct eventring_merge_input {
  size_t size;                    /* sizeof this struct; it may grow */
  const char *path;
  uint32_t process;
  int join;
  int64_t from_ns, to_ns;         /* CLOCK_MONOTONIC: events from and before;
                                     0, 0: all */
  uint64_t *left_out;             /* if not NULL, damaged parts are left out, and
                                     the number of damaged blocks of events
                                     is added to this */
};
EVENTRING_API int eventring_recording_merge(
  const char *path, const struct eventring_merge_input *inputs, int count,
  const struct eventring_record_options *options);

/* Checks every byte of the ring file or recording at [path]; of a file of stock
   OCaml, only whether its events can be read.  Calls [found] for each fault
   with [state], the offset of the fault in the file, and one line that
   describes the fault.  Returns 0 when the file was checked, with or without
   faults, or a negative error, with a message, when it cannot be opened.  Only
   [message] and [message_size] of [options] are used. */
EVENTRING_API int eventring_verify(
  const char *path, const struct eventring_options *options,
  void (*found)(void *state, uint64_t offset, const char *what), void *state);

/* Tombstones */

/* The final counts of a process that has removed its ring file, which it leaves
   with OCAML_EVENTRING_TOMBSTONES=DIR.  Set [size] to sizeof the struct; it may
   grow at its end.  A process is (boot_id, pid_namespace, pid, start_time); each
   of its sessions has another [started_ns]. */
struct eventring_tombstone {
  size_t size;
  int32_t pid;
  int32_t parent_pid;             /* as in eventring_info */
  uint64_t start_time;            /* field 22 of /proc/PID/stat; 0: unknown */
  uint64_t pid_namespace;         /* as in eventring_info */
  uint64_t time_namespace;        /* inode of /proc/PID/ns/time; 0: unknown */
  char boot_id[40];               /* of the machine; "": unknown */
  int state;                      /* EVENTRING_STATE_ENDED or _REPLACED */
  uint32_t rings;
  uint64_t ring_words;
  uint64_t events;                /* of all rings */
  int64_t started_ns, ended_ns;   /* CLOCK_MONOTONIC of the session */
  int64_t started_realtime_ns, ended_realtime_ns;
  char program[256], runtime[32], argv0[256];
  uint32_t sample_rings_from;     /* as in eventring_info */
};

/* Reads the tombstone at [path]: fills [result], in which the caller has set
   [size], and stores the numbers of events that were written to the first
   [count] rings in [events], which may be NULL if [count] is 0; 0 for rings that
   the process did not have.  Returns 0 or a negative error, with a message in
   the buffer of [options], of which only [message] and [message_size] are
   used. */
EVENTRING_API int eventring_read_tombstone(
  const char *path, const struct eventring_options *options,
  struct eventring_tombstone *result, uint64_t *events, uint32_t count);

#ifdef __cplusplus
}
#endif

#endif /* EVENTRING_READER_H */
