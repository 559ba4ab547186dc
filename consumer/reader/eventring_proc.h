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

/* Functions that read /proc and /etc/passwd.  Where there is no /proc they
   return that nothing is known.  Not for users. */

#ifndef EVENTRING_PROC_H
#define EVENTRING_PROC_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

/* Reads the file at [path] into [buffer], of [size] bytes, at least 1, as a
   text that ends with a NUL; cuts the text to [size] - 1 bytes, and at a read
   error.  Returns the length of the text, or 0 when the file is empty or cannot
   be opened; [buffer] is not set in the second case. */
size_t eventring_read_small(const char *path, char *buffer, size_t size);

/* The records of a file, one after the other. */
struct records {
  int fd;
  int cut;                      /* the last record was only the front of one */
  char delimiter;
  size_t begin, end;
  char buffer[2 * PATH_MAX];
};

/* Initialises [s] and opens /proc/[pid]/[file] for eventring_next_record; its
   records end with [delimiter].  Returns 1, after which the caller closes
   s->fd, or 0 when the file cannot be opened. */
int eventring_open_proc(struct records *s, int pid, const char *file,
                        char delimiter);

/* Returns the next record of the file, with a NUL in place of the delimiter and
   valid until the next call, or NULL at the end of the file or at a read error.
   The last record needs no delimiter.  When a record is longer than the buffer,
   2 * PATH_MAX - 1 bytes, only its front is returned. */
char *eventring_next_record(struct records *s);

/* Calls [is_it] with the pid of each process and [state], until a call returns
   a positive number (the process was found) or a negative error.  Returns the
   pid of the process found, the error, or 0 when there is no such process or
   /proc cannot be read. */
int eventring_find_process(int (*is_it)(int pid, void *state), void *state);

/* Whether a file was made since this machine started. */
enum boot { BOOT_SAME, BOOT_OTHER, BOOT_UNKNOWN };

/* Compares [boot_id], the boot id in a file, with the boot id of this machine.
   Returns BOOT_SAME or BOOT_OTHER, or BOOT_UNKNOWN when [boot_id] is "" or this
   machine has no boot id. */
enum boot eventring_compare_boot(const char *boot_id);

/* Reads fields 22 and 28 of /proc/PID/stat: *start_time is the start of the
   process in clock ticks since boot, *start_stack the address of its stack,
   which changes with exec; each is 0 when it is not known.  Returns 1, also
   when the process exists but the file cannot be read, or 0 when there is no
   such process or only a zombie. */
int eventring_process_fields(int pid, uint64_t *start_time,
                             uint64_t *start_stack);

/* Reads fields 22 and 23 of /proc/PID/stat: *start_time as
   eventring_process_fields, *size is the size of the address space in bytes.
   Returns as that function does. */
int eventring_process_size(int pid, uint64_t *start_time, uint64_t *size);

/* Returns the state of thread [thread] of process [pid] as the letter in /proc,
   or 0 when the state is not known.  *ends, if not NULL, is whether the thread was
   killed or ends: it runs only to its end, and no other code. */
char eventring_task_state(int pid, uint32_t thread, int *ends);

/* Returns the thread of process [pid] by the number of which /proc shows the memory,
   the environment and the working directory of the process: [pid], the main thread,
   or another one if the main thread has ended and others go on. */
int eventring_thread_with_memory(int pid);

/* Returns the number that process [pid] has in its own pid namespace, after
   which its ring file is named; [pid] itself when that number is not known. */
long eventring_own_pid(int pid);

/* Returns the inode number of the pid namespace of process [pid], with 0 of the
   calling process; 0 when it is not known. */
uint64_t eventring_pid_namespace(int pid);

/* Returns the inode number of the time namespace of the calling process; 0 when
   it is not known. */
uint64_t eventring_time_namespace(void);

/* Returns the pid, in the caller's pid namespace, of the process that has the
   number [pid] in the pid namespace [pid_namespace]; 0 when the caller does not
   see the process.  Looks at all processes in /proc. */
int eventring_pid_of(uint64_t pid_namespace, uint32_t pid);

/* Returns 1 when a process may have [file] open for writing or mapped for
   writing, 0 when it is certain that no process has.  [path] is believed to be
   the file's path; when another file is there, the file cannot be opened, or
   the system cannot tell, the result is 1. */
int eventring_has_writer(const char *path, const struct stat *file);

/* Writes the user with number [uid] to [to], of [size] bytes, for a message:
   "user 1001 (bob)", or "user 1001" when /etc/passwd does not have the name.
   Cuts a longer text.  Returns [to]. */
const char *eventring_user(unsigned long uid, char *to, size_t size);

#endif /* EVENTRING_PROC_H */
