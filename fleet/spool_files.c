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


/* The files of a spool, see spool.h.  The file `state` of a stream has lines of
   a word and a value:

     next 4                the number of the next part
     dropped 1             parts that were dropped
     pid 1234
     written 1000          events that the process has written
     counted 2             parts up to this number have left the spool...
     stored 800            ...with so many events, which the hub has...
     end 0 500             ...the last of which in ring 0 is number 500
     ended killed          the stream gets no more parts
     buried ended          the process is gone, by its tombstone
     program /usr/bin/x    the last line
*/

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "memory.h"
#include "small_file.h"
#include "spool_internal.h"

/* No ring of a process has a higher number. */
#define MOST_RINGS 4096

#define STATE_FILE "state"

char *text_of(const char *format, ...)
{
  char *path;
  va_list args;
  va_start(args, format);
  if (vasprintf(&path, format, args) < 0) out_of_memory();
  va_end(args);
  return path;
}

char *part_path(const struct spool *s, const struct spool_stream *t,
                uint32_t number)
{
  return text_of("%s/%s/%" PRIu32 ".evr", s->dir, t->facts.name, number);
}

int64_t file_size(const struct spool *s, const struct spool_stream *t,
                  uint32_t number, int64_t *changed_ns)
{
  char *path = part_path(s, t, number);
  struct stat st;
  int64_t size = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : -1;
  int reason = errno;
  free(path);
  errno = reason;
  if (size >= 0)
    *changed_ns = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
  return size;
}

bool cut_part_file(const struct spool *s, const struct spool_stream *t,
                   uint32_t number, uint64_t size)
{
  char *path = part_path(s, t, number);
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  bool cut = fd >= 0 && ftruncate(fd, (off_t) size) == 0;
  int reason = errno;
  if (fd >= 0) close(fd);
  free(path);
  errno = reason;
  return cut;
}

bool make_part_file(const char *path)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                0600);
  return fd >= 0 && close(fd) == 0;
}

/* The state of a stream */

/* Returns the lines of the ends of the stored events, which the caller frees. */
static char *ends_text(const struct stored *stored)
{
  const size_t room = 1 + stored->rings * sizeof "end 4294967295 "
                                                 "18446744073709551615\n";
  size_t used = 0;
  char *text = reallocate(NULL, room, 1);
  text[0] = '\0';
  for (uint32_t i = 0; i < stored->rings; i++)
    if (stored->ends[i] > 0)
      used += (size_t) snprintf(text + used, room - used,
                                "end %" PRIu32 " %" PRIu64 "\n", i,
                                stored->ends[i]);
  return text;
}

/* Returns the lines of the state, which the caller frees. */
static char *state_text(const struct spool_stream *t)
{
  char *ends = ends_text(&t->stored);
  char *text = text_of("next %" PRIu32 "\ndropped %" PRIu64 "\n"
                       "pid %" PRId32 "\nwritten %" PRIu64 "\n"
                       "counted %" PRIu32 "\nstored %" PRIu64 "\n"
                       "%s%s%s%sprogram %s\n",
                       t->next_part, t->dropped, t->facts.pid, t->written,
                       t->counted, t->stored.events, ends,
                       t->ended ? "ended " : t->buried ? "buried " : "",
                       t->ended || t->buried ? t->state : "",
                       t->ended || t->buried ? "\n" : "", t->facts.program);
  free(ends);
  return text;
}

bool write_state(const struct spool *s, const struct spool_stream *t)
{
  char *path = text_of("%s/%s", s->dir, t->facts.name);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  char *text = state_text(t);
  bool written = folder >= 0
                 && replace_small_file(folder, STATE_FILE, text, false);
  int reason = errno;
  if (folder >= 0) close(folder);
  free(text);
  free(path);
  errno = reason;
  return written;
}

/* Takes the word after "ended " or "buried ".  Returns whether it is the state
   of a process. */
static bool take_state(struct spool_stream *t, const char *word)
{
  static const char *const states[] = { "ended", "replaced", "killed",
                                        "unknown" };
  for (size_t i = 0; i < sizeof states / sizeof *states; i++)
    if (strcmp(word, states[i]) == 0) {
      strcpy(t->state, states[i]);
      return true;
    }
  return false;
}

/* Takes one line of a state, without its end; an unknown line is ignored. */
static void take_line(struct spool_stream *t, const char *line)
{
  uint32_t number;
  uint64_t end;
  if (sscanf(line, "next %9" SCNu32, &number) == 1 && number > t->next_part)
    t->next_part = number;
  sscanf(line, "dropped %19" SCNu64, &t->dropped);
  sscanf(line, "pid %10" SCNd32, &t->facts.pid);
  sscanf(line, "written %19" SCNu64, &t->written);
  sscanf(line, "counted %9" SCNu32, &t->counted);
  sscanf(line, "stored %19" SCNu64, &t->stored.events);
  if (sscanf(line, "end %5" SCNu32 " %19" SCNu64, &number, &end) == 2
      && number < MOST_RINGS)
    set_end(&t->stored, number, end);
  if (strncmp(line, "program ", 8) == 0)
    snprintf(t->facts.program, sizeof t->facts.program, "%.255s", line + 8);
  if (strncmp(line, "ended ", 6) == 0 && take_state(t, line + 6))
    t->ended = true;
  if (strncmp(line, "buried ", 7) == 0 && take_state(t, line + 7))
    t->buried = true;
}

void read_state(const struct spool *s, struct spool_stream *t)
{
  char *path = text_of("%s/%s/" STATE_FILE, s->dir, t->facts.name);
  char line[512];
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    take_line(t, line);
  }
  if (file != NULL) fclose(file);
  free(path);
}

void remove_folder(const struct spool *s, const struct spool_stream *t)
{
  static const char *const names[] = { STATE_FILE, "." STATE_FILE ".new" };
  char *dir = text_of("%s/%s", s->dir, t->facts.name);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *path = text_of("%s/%s", dir, names[i]);
    unlink(path);
    free(path);
  }
  rmdir(dir);
  free(dir);
}
