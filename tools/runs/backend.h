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

/* The boundary between a run and the place where it is made.

   A backend lists its nodes and runs a command on one of them, with standard
   input, output and error, and the exit status, passed through.  ssh and Slurm
   are built in.  Any other backend is a program:

     PROGRAM nodes                        prints the names of nodes, one a line
     PROGRAM run NODE -- COMMAND [ARG]... runs COMMAND on the node NODE

   doc/RUNS.md says on which behaviour of a backend batches rely. */

#ifndef TOOLS_RUNS_BACKEND_H
#define TOOLS_RUNS_BACKEND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The most nodes of a batch. */
#define BATCH_NODES 256

/* Returns the name of the backend of the value [on] of --on, a new text with the
   absolute path of a program; NULL when there is no such backend. */
char *backend_name(const char *on);

/* Returns the names of the nodes of the backend [name], of backend_name, as a new
   JSON array; NULL with the reason in [why], or after stop_executions. */
json_t *backend_nodes(const char *name, char *why, size_t why_size);

/* Returns whether [name] can be the name of a node: letters, digits and some other
   characters, of which a shell takes only brackets as a pattern; no option, and no path
   with . or .. in it. */
bool is_batch_node(const char *name);

/* Returns the words of the command line that runs [words], up to NULL, on the
   node [node] of the backend [name], up to NULL.  The caller frees the result
   with free_words. */
char **backend_command(const char *name, const char *node,
                       const char *const words[]);
void free_words(char **words);

/* Returns [words], up to NULL, as a command line for a shell, which the caller
   frees: every word is quoted, with any characters, for sh, csh and fish. */
char *quote_words(const char *const words[]);

#endif /* TOOLS_RUNS_BACKEND_H */
