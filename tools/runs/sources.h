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

/* The sources and packages of a program, and its environment. */

#ifndef TOOLS_RUNS_SOURCES_H
#define TOOLS_RUNS_SOURCES_H

#include <jansson.h>

/* Returns a new JSON object with the variables of the environment that are
   known to change how a program runs and contain no secrets, if they are
   set.  All others are only counted, see environment_bytes. */
json_t *environment_facts(void);

/* Sets these variables to their values in [environment], a result of
   environment_facts, and removes the variables of the list that it does not
   have. */
void restore_environment(const json_t *environment);

/* Returns the size of the whole environment, which moves the stack. */
size_t environment_bytes(void);

/* Returns the output of git with these [arguments], at most 14, in [dir],
   without the end of its last line, and its length in *size if that is not
   NULL.  The caller frees it.  Returns NULL when git fails. */
char *git_output(const char *dir, const char *const arguments[], size_t *size);
#define GIT(dir, size, ...) \
  git_output(dir, (const char *const[]) { __VA_ARGS__, NULL }, size)

/* Returns a new JSON object with the repository of the folder [dir]: commit,
   branch and, if there are uncommitted changes, their checksum; JSON null, and
   a text in [unknown], when it is in none, or there is no git. */
json_t *git_facts(const char *dir, json_t *unknown);

/* Returns a new JSON object with the version and the configuration of the OCaml
   compiler in PATH; JSON null, and a text in [unknown], when PATH has no
   compiler. */
json_t *compiler_facts(const char *dir, json_t *unknown);

/* Returns a new JSON object with the packages of the opam switch in the
   environment and of the dune lock folders above [dir]; texts in [unknown] name
   the ones that cannot be found. */
json_t *package_facts(const char *dir, json_t *unknown);

#endif /* TOOLS_RUNS_SOURCES_H */
