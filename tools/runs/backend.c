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

#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "capture.h"
#include "memory.h"
#include "runs/backend.h"
#include "runs/execute.h"

/* The longest name of a node, and the longest list of nodes that a program prints. */
#define NODE_NAME 200
#define LONGEST_LIST ((size_t) 1 << 20)

/* Words */

/* A list of words that belong to it; at the end, the last one is NULL. */
struct words { char **list; size_t count, room; };

/* Appends a copy of [word], which may be NULL. */
static void add_word(struct words *w, const char *word)
{
  char *copy = word != NULL ? strdup(word) : NULL;
  if (word != NULL && copy == NULL) out_of_memory();
  w->list = with_room(w->list, w->count, &w->room, sizeof *w->list);
  w->list[w->count++] = copy;
}

/* Appends copies of [words], up to NULL and without it. */
static void add_words(struct words *w, const char *const words[])
{
  while (*words != NULL) add_word(w, *words++);
}

void free_words(char **words)
{
  for (size_t i = 0; words[i] != NULL; i++) free(words[i]);
  free(words);
}

char *quote_words(const char *const words[])
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) out_of_memory();
  for (size_t i = 0; words[i] != NULL; i++) {
    fputs(i > 0 ? " '" : "'", out);
    /* Inside of quotes, a backslash is special in fish, and an exclamation mark
       in csh. */
    for (const char *c = words[i]; *c != '\0'; c++)
      if (*c == '\'' || *c == '\\' || *c == '!') fprintf(out, "'\\%c'", *c);
      else putc(*c, out);
    putc('\'', out);
  }
  if (fclose(out) != 0 || text == NULL) out_of_memory();
  return text;
}

/* Names */

/* Returns whether a word between slashes in [name] is . or .., as in a path. */
static bool has_dots(const char *name)
{
  for (; name != NULL; name = strchr(name, '/')) {
    name += *name == '/';
    const size_t length = strcspn(name, "/");
    if ((length == 1 || length == 2) && strspn(name, ".") == length) return true;
  }
  return false;
}

bool is_batch_node(const char *name)
{
  size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "abcdefghijklmnopqrstuvwxyz0123456789._-@:/%+[]");
  return length > 0 && length <= NODE_NAME && name[length] == '\0'
         && name[0] != '-' && !has_dots(name);
}

/* Adds the node [name], if it is neither empty nor one of [nodes].  Returns false,
   with the reason in [why], when a batch cannot have it. */
static bool add_node(json_t *nodes, const char *name, char *why, size_t why_size)
{
  for (size_t i = 0; i < json_array_size(nodes); i++)
    if (strcmp(json_string_value(json_array_get(nodes, i)), name) == 0)
      return true;
  if (*name == '\0') return true;
  if (json_array_size(nodes) == BATCH_NODES)
    snprintf(why, why_size, "node '%.200s' is one too many: a batch has at most %d",
             name, BATCH_NODES);
  else if (!is_batch_node(name))
    snprintf(why, why_size, "'%.200s' is no name of a node: it begins with -, is too "
             "long, has . or .. as a path has, or other characters than letters, "
             "digits and ._-@:/%%+[]", name);
  else {
    json_array_append_new(nodes, json_string(name));
    return true;
  }
  return false;
}

/* Returns the nodes in [text], which is changed, between the characters
   [separators]; NULL with the reason in [why]. */
static json_t *split_nodes(char *text, const char *separators, char *why,
                           size_t why_size)
{
  json_t *nodes = json_array();
  for (char *name; (name = strsep(&text, separators)) != NULL; )
    if (!add_node(nodes, name, why, why_size)) {
      json_decref(nodes);
      return NULL;
    }
  if (json_array_size(nodes) > 0) return nodes;
  snprintf(why, why_size, "there is no node");
  json_decref(nodes);
  return NULL;
}

/* Returns the nodes that the program [argv] prints. */
static json_t *printed_nodes(const char *const argv[], char *why,
                             size_t why_size)
{
  size_t size;
  json_t *nodes = NULL;
  char *text = capture_with_messages(argv, ".", STDERR_FILENO, LONGEST_LIST,
                                     executions_stopped, &size);
  if (text == NULL)
    snprintf(why, why_size, "%.300s cannot be run or fails", argv[0]);
  else if (size > LONGEST_LIST)
    snprintf(why, why_size, "the list of nodes is longer than 1 MiB");
  else if (strlen(text) < size)
    snprintf(why, why_size, "the list of nodes has a NUL character");
  else nodes = split_nodes(text, "\n", why, why_size);
  free(text);
  return nodes;
}

/* ssh */

static json_t *ssh_nodes(const char *hosts, char *why, size_t why_size)
{
  char *copy = strdup(hosts);
  if (copy == NULL) out_of_memory();
  json_t *nodes = split_nodes(copy, ",", why, why_size);
  free(copy);
  return nodes;
}

/* Adds the command line of ssh.  The shell of the other machine gets one word. */
static void add_ssh(struct words *w, const char *hosts, const char *node,
                    const char *const words[])
{
  char *line = quote_words(words);
  (void) hosts;
  add_words(w, (const char *const[]) {
    "ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20",
    "-o", "ServerAliveInterval=20", "--", node, line, NULL
  });
  free(line);
}

/* Slurm */

/* Adds srun and the words of [options], which begin with a colon. */
static void add_srun(struct words *w, const char *options)
{
  char *copy = strdup(*options == ':' ? options + 1 : options), *rest = copy;
  if (copy == NULL) out_of_memory();
  add_word(w, "srun");
  for (char *word; (word = strsep(&rest, " ")) != NULL; )
    if (*word != '\0') add_word(w, word);
  free(copy);
}

static int by_text(const void *a, const void *b)
{
  const char *const *x = a, *const *y = b;
  return strcmp(*x, *y);
}

/* Returns the texts of [names], which is freed, in their order. */
static json_t *sorted(json_t *names)
{
  const size_t count = json_array_size(names);
  const char **texts = allocate(count, sizeof *texts);
  json_t *result = json_array();
  for (size_t i = 0; i < count; i++)
    texts[i] = json_string_value(json_array_get(names, i));
  qsort(texts, count, sizeof *texts, by_text);
  for (size_t i = 0; i < count; i++)
    json_array_append_new(result, json_string(texts[i]));
  free(texts);
  json_decref(names);
  return result;
}

static json_t *slurm_nodes(const char *options, char *why, size_t why_size)
{
  struct words w = { .list = NULL };
  add_srun(&w, options);
  add_words(&w, (const char *const[]) {
    "--", "sh", "-c", "echo \"$SLURMD_NODENAME\"", NULL
  });
  add_word(&w, NULL);
  json_t *nodes = printed_nodes((const char *const *) w.list, why, why_size);
  free_words(w.list);
  /* They print their names in any order. */
  return nodes != NULL ? sorted(nodes) : NULL;
}

static void add_slurm(struct words *w, const char *options, const char *node,
                      const char *const words[])
{
  char *nodelist;
  if (asprintf(&nodelist, "--nodelist=%s", node) < 0) out_of_memory();
  add_srun(w, options);
  add_words(w, (const char *const[]) {
    "--nodes=1", "--ntasks=1", nodelist, "--", NULL
  });
  add_words(w, words);
  free(nodelist);
}

/* A program */

static json_t *program_nodes(const char *program, char *why, size_t why_size)
{
  return printed_nodes((const char *const[]) { program, "nodes", NULL }, why,
                       why_size);
}

static void add_program(struct words *w, const char *program, const char *node,
                        const char *const words[])
{
  add_words(w, (const char *const[]) { program, "run", node, "--", NULL });
  add_words(w, words);
}

/* All of them */

/* A backend: the beginning of its name, and its functions, which get the rest of
   its name. */
struct backend {
  const char *prefix;
  json_t *(*nodes)(const char *rest, char *why, size_t why_size);
  void (*add_command)(struct words *w, const char *rest, const char *node,
                      const char *const words[]);
};

static const struct backend backends[] = {
  { "ssh:", ssh_nodes, add_ssh },
  { "slurm", slurm_nodes, add_slurm },
  { "", program_nodes, add_program }
};

/* Returns the backend [name]. */
static const struct backend *backend_of(const char *name)
{
  const struct backend *b = backends;
  while (strncmp(name, b->prefix, strlen(b->prefix)) != 0) b++;
  return b;
}

char *backend_name(const char *on)
{
  char path[PATH_MAX];
  struct stat st;
  const bool known = strncmp(on, "ssh:", 4) == 0 || strcmp(on, "slurm") == 0
                     || strncmp(on, "slurm:", 6) == 0;
  if (!known && (strchr(on, '/') == NULL || access(on, X_OK) < 0
                 || stat(on, &st) < 0 || !S_ISREG(st.st_mode)
                 || realpath(on, path) == NULL))
    return NULL;
  char *name = strdup(known ? on : path);
  if (name == NULL) out_of_memory();
  return name;
}

json_t *backend_nodes(const char *name, char *why, size_t why_size)
{
  const struct backend *b = backend_of(name);
  return b->nodes(name + strlen(b->prefix), why, why_size);
}

char **backend_command(const char *name, const char *node,
                       const char *const words[])
{
  struct words w = { .list = NULL };
  const struct backend *b = backend_of(name);
  b->add_command(&w, name + strlen(b->prefix), node, words);
  add_word(&w, NULL);
  return w.list;
}
