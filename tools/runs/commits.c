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
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common.h"
#include "json.h"
#include "runs/batch.h"
#include "capture.h"
#include "runs/commands.h"
#include "runs/commits.h"
#include "runs/execute.h"
#include "runs/sources.h"

/* The digits of a commit in labels and in names of folders. */
#define DIGITS 12

/* The commits */

/* Appends a copy of each of [commands] for [commit] to [all]. */
static void add_commit(json_t *all, const json_t *commands, const char *commit)
{
  for (size_t i = 0; i < json_array_size(commands); i++) {
    json_t *command = json_copy(json_array_get(commands, i));
    const char *label = json_string_value(json_object_get(command, "label"));
    json_object_set_new(
      command, "label", json_array_size(commands) == 1
      ? json_sprintf("%.*s", DIGITS, commit)
      : json_sprintf("%.*s %s", DIGITS, commit, label));
    json_object_set_new(command, "commit", json_string(commit));
    json_array_append_new(all, command);
  }
}

json_t *commands_of_commits(const struct command *usage, json_t *commands,
                            const char *range, const char *build,
                            json_t **commits)
{
  /* An option of git may print anything. */
  char *list = range[0] == '-' ? NULL
    : GIT(".", NULL, "rev-list", "--reverse", "--topo-order", range, "--"),
    *top = GIT(".", NULL, "rev-parse", "--show-toplevel"),
    *prefix = GIT(".", NULL, "rev-parse", "--show-prefix");
  if (list == NULL || list[0] == '\0' || top == NULL || prefix == NULL)
    usage_error(usage, "%s: --commits %s names no commits of a repository here",
                usage->name, range);
  json_t *all = json_array();
  char *rest = list, *slash = strrchr(prefix, '/');
  if (slash != NULL) *slash = '\0';
  for (const char *commit; (commit = strsep(&rest, "\n")) != NULL; )
    add_commit(all, commands, commit);
  if (json_array_size(all) > BATCH_COMMANDS)
    usage_error(usage, "%s: --commits %s: more than %d commands", usage->name,
                range, BATCH_COMMANDS);
  *commits = json_pack("{s:o, s:o, s:o, s:o, s:[]}", "range", json_text(range),
                       "build", json_text(build), "repository", json_text(top),
                       "prefix", json_text(prefix), "failed");
  json_decref(commands);
  free(list);
  free(top);
  free(prefix);
  return all;
}

/* Builds */

/* A worktree: of [commit], in [path]; its build's output goes to [log]. */
struct worktree {
  const char *commit;
  char path[PATH_MAX], log[PATH_MAX], directory[2 * PATH_MAX];
};

static struct worktree worktree_of(const char *folder, const json_t *batch,
                                   const json_t *command)
{
  const json_t *commits = json_object_get(batch, "commits");
  struct worktree w = {
    .commit = json_string_value(json_object_get(command, "commit"))
  };
  snprintf(w.path, sizeof w.path, "%s/commits/%.*s", folder, DIGITS, w.commit);
  snprintf(w.log, sizeof w.log, "%s/commits/%.*s.log", folder, DIGITS,
           w.commit);
  const char *prefix = json_string_value(json_object_get(commits, "prefix"));
  snprintf(w.directory, sizeof w.directory, "%s%s%s", w.path,
           prefix[0] != '\0' ? "/" : "", prefix);
  return w;
}

/* Frees the output [text] of a program, which may be NULL.  Returns whether the
   program succeeded. */
static bool succeeded(char *text)
{
  free(text);
  return text != NULL;
}

/* Checks the commit out, in place of a worktree that was not finished.  Returns
   false, with a message, when that fails. */
static bool check_out(const struct worktree *w, const char *repository)
{
  const char *const remove[] = { "rm", "-rf", "--", w->path, NULL };
  if (succeeded(capture(remove, "/", NULL))
      && succeeded(GIT(repository, NULL, "worktree", "prune"))
      && succeeded(GIT(repository, NULL, "worktree", "add", "--force",
                       "--detach", w->path, w->commit)))
    return true;
  complain("cannot check out commit %.*s to %s: git worktree add failed",
           DIGITS, w->commit, w->path);
  return false;
}

/* Builds the worktree with [build].  Returns 0, or the status of waitpid. */
static int build_worktree(const struct worktree *w, const char *build)
{
  char *argv[] = { "sh", "-c", (char *) build, NULL };
  return execute_build(argv, w->directory, w->log);
}

/* Removes the commands of [commit] from [batch], and notes it as failed. */
static void drop_commit(json_t *batch, const char *commit)
{
  json_t *commands = json_object_get(batch, "commands"),
    *name = json_string(commit);
  for (size_t i = json_array_size(commands); i-- > 0; )
    if (json_equal(json_object_get(json_array_get(commands, i), "commit"),
                   name))
      json_array_remove(commands, i);
  json_array_append_new(json_object_get(json_object_get(batch, "commits"),
                                        "failed"), name);
}

/* Adds the directory and the facts to the commands of the commit of [w], which
   was built.  Returns false, with a message, when the program is not there. */
static bool add_built(json_t *batch, const struct worktree *w)
{
  json_t *commands = json_object_get(batch, "commands"), *own = json_array();
  for (size_t i = 0; i < json_array_size(commands); i++) {
    json_t *command = json_array_get(commands, i);
    const char *commit = json_string_value(json_object_get(command, "commit"));
    if (commit == NULL || strcmp(commit, w->commit) != 0) continue;
    json_object_set_new(command, "directory", json_text(w->directory));
    json_array_append(own, command);
  }
  bool good = add_facts(own);
  json_decref(own);
  return good;
}

/* Returns the first command of [batch] without the facts of its program, or
   NULL. */
static const json_t *next_to_build(const json_t *batch)
{
  const json_t *commands = json_object_get(batch, "commands");
  for (size_t i = 0; i < json_array_size(commands); i++)
    if (json_object_get(json_array_get(commands, i), "program") == NULL)
      return json_array_get(commands, i);
  return NULL;
}

/* Checks out and builds the commit of [w].  Returns false, with a message
   unless executions were stopped, when that fails. */
static bool build_commit(json_t *batch, const struct worktree *w)
{
  const json_t *commits = json_object_get(batch, "commits");
  const char *build = json_string_value(json_object_get(commits, "build")),
    *repository = json_string_value(json_object_get(commits, "repository"));
  if (!check_out(w, repository)) return false;
  int how = build_worktree(w, build);
  if (executions_stopped()) return false;
  /* A signal may have ended the programs that find the facts. */
  if (how == 0) return add_built(batch, w) && !executions_stopped();
  complain("commit %.*s cannot be built: %s %d; see %s", DIGITS, w->commit,
           WIFEXITED(how) ? "exit code" : "signal",
           WIFEXITED(how) ? WEXITSTATUS(how) : WTERMSIG(how), w->log);
  return false;
}

bool build_commits(const char *folder, json_t *batch, bool keep_going,
                   bool (*save)(const void *state), const void *state)
{
  char commits[PATH_MAX];
  const json_t *command;
  snprintf(commits, sizeof commits, "%s/commits", folder);
  if (mkdir(commits, 0700) < 0 && errno != EEXIST) {
    complain("cannot create %s: %s", commits, strerror(errno));
    return false;
  }
  while ((command = next_to_build(batch)) != NULL) {
    struct worktree w = worktree_of(folder, batch, command);
    if (executions_stopped()) return false;
    if (!build_commit(batch, &w)) {
      if (!keep_going || executions_stopped()) return false;
      /* [w.commit] belongs to a command that is removed. */
      char *commit = strdup(w.commit);
      if (commit == NULL) out_of_memory();
      drop_commit(batch, commit);
      free(commit);
      /* A batch without commands is none: the last commit stays in the plan. */
      if (json_array_size(json_object_get(batch, "commands")) == 0) {
        complain("no commit can be built");
        return false;
      }
    }
    if (!save(state)) return false;
  }
  return true;
}
