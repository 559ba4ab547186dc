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

/* The processes and files that the server shows: those that the command line
   names or, if it names none, all traced processes of the user. */

#ifndef SERVE_REGISTRY_H
#define SERVE_REGISTRY_H

#include <stddef.h>
#include <sys/stat.h>
#include "view.h"

/* The most views that are open at once, and ended ones among them; the most
   entries.  Further processes are listed without numbers, or not at all. */
#define REGISTRY_VIEWS 64
#define REGISTRY_ENDED 16
#define REGISTRY_ENTRIES 2048

/* The most files that clients have opened with show_file. */
#define REGISTRY_SHOWN 8

/* Begins to show the [count] operands, which must stay valid; 0: all processes.
   Returns false, with the reason in [why], when an operand cannot be shown. */
bool open_registry(char **operands, int count, char *why, size_t why_size);

/* Looks for processes that have begun, ended, or were replaced.  To be called
   by one thread. */
void scan_registry(void);

/* Closes all views. */
void close_registry(void);

/* Returns the view with the id [id], which the caller gives to drop_view, and
   opens it if it is only listed; NULL, with the reason in [why], when there is
   none. */
struct view *find_view(uint64_t id, char *why, size_t why_size);

/* Returns the id of the view of process [process] of a file with the state
   [st], which is no live process; its tracing started at [started_ns]. */
uint64_t id_of_file(const struct stat *st, uint32_t process,
                    int64_t started_ns);

/* Shows the [processes] processes of the recording at [path] too, until no
   client has asked for them for ten minutes or more files are shown than
   REGISTRY_SHOWN. */
void show_file(const char *path, uint32_t processes);

/* Does that with the recording at [path], whose processes are not known.  Returns the id
   of its first process; 0, with the reason in [why], when it cannot be read. */
uint64_t show_recording(const char *path, char *why, size_t why_size);

/* Stores holds of all open views in [views] and returns their number. */
int all_views(struct view *views[REGISTRY_VIEWS]);

/* An entry, as registry_list describes it. */
struct registry_entry {
  uint64_t id;
  int32_t pid;
  char error[256];                /* why it is not open; "" if it is, or may
                                     be */
  struct view *view;              /* a hold, or NULL */
};

/* Calls [visit] with [state] for each entry, in the order of their ids of
   processes.  [visit] must not call the registry; holds are dropped here. */
void visit_registry(void (*visit)(void *state,
                                  const struct registry_entry *entry),
                    void *state);

#endif /* SERVE_REGISTRY_H */
