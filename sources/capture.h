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

/* The output of another program, such as git, that eventring asks for facts. */

#ifndef SOURCES_CAPTURE_H
#define SOURCES_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

/* Runs the program [argv], found in PATH, in the folder [dir], with no input
   and without its standard error.  Returns its output with a NUL behind it, and
   its length in *size if that is not NULL; the caller frees it.  Returns NULL
   when the program cannot be run, or does not end with 0.  LC_ALL is C.UTF-8
   for it, and it ends with the thread that called this. */
char *capture(const char *const argv[], const char *dir, size_t *size);

/* Does the same with the descriptor [messages] as standard error.  Returns at most
   [most] + 1 bytes: a program that writes more than [most] bytes is ended.  When
   [stopped] returns true, which is called twice a second and after each signal, ends the
   program and returns NULL. */
char *capture_with_messages(const char *const argv[], const char *dir, int messages,
                            size_t most, bool (*stopped)(void), size_t *size);

/* Returns the contents of the file at [path], at most 1 MiB, with a NUL behind
   them, without white space at the end; the caller frees them.  Returns NULL
   when the file cannot be read. */
char *read_text_file(const char *path);

#endif /* SOURCES_CAPTURE_H */
