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

/* Reads a small file.  Returns its length, and 0 when it cannot be read.  The
   text in [buffer] ends with a NUL, and is cut to [size] - 1 bytes. */
size_t eventring_read_small(const char *path, char *buffer, size_t size);

/* The records of a file, one after the other. */
struct records {
  int fd;
  int cut;                      /* the last record was only the front of one */
  char delimiter;
  size_t begin, end;
  char buffer[2 * PATH_MAX];
};

/* Opens /proc/[pid]/[file]; its records end with [delimiter].  Returns 0 when
   it cannot be opened; otherwise the caller closes [s->fd]. */
int eventring_open_proc(struct records *s, int pid, const char *file,
                        char delimiter);

/* Returns the next record with a NUL behind it, or NULL at the end.  Only the
   front of a record that is too long is returned. */
char *eventring_next_record(struct records *s);

/* Calls [is_it] with each process until it does not return 0.  Returns the
   number of the process for which it returned 1, its error, or 0. */
int eventring_find_process(int (*is_it)(int pid, void *state), void *state);

/* Whether a file was made since this machine started. */
enum boot { BOOT_SAME, BOOT_OTHER, BOOT_UNKNOWN };

/* Compares a boot id with the boot id of this machine; "" is not known. */
enum boot eventring_compare_boot(const char *boot_id);

/* Reads fields 22 and 28 of /proc/PID/stat: when the process started, in clock
   ticks since boot, and its stack, another one after exec; 0 when not known.
   Returns 0 when there is no such process, or only a zombie. */
int eventring_process_fields(int pid, uint64_t *start_time,
                             uint64_t *start_stack);

/* Returns the number that process [pid] has in its own pid namespace; its file
   is named after that number. */
long eventring_own_pid(int pid);

/* Returns the pid namespace of a process, or with 0 of this one, as an inode
   number; 0 when it is not known. */
uint64_t eventring_pid_namespace(int pid);

/* Returns our time namespace as an inode number; 0 when it is not known. */
uint64_t eventring_time_namespace(void);

/* Returns our number for the process that has the number [pid] in another pid
   namespace; 0 when we do not see it. */
int eventring_pid_of(uint64_t pid_namespace, uint32_t pid);

/* Tells whether a process may have [file], which [path] is believed to name,
   open or mapped for writing: 0 only when it is sure that none has. */
int eventring_has_writer(const char *path, const struct stat *file);

/* Writes "user 1001 (bob)", for messages; returns [to]. */
const char *eventring_user(unsigned long uid, char *to, size_t size);

#endif /* EVENTRING_PROC_H */
