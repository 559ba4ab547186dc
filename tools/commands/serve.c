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

/* eventring serve: the server, from the command line to its end. */

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common.h"
#include "fleet_guard.h"
#include "guards.h"
#include "http.h"
#include "hub_target.h"
#include "options.h"
#include "own_command.h"
#include "recordings.h"
#include "registry.h"
#include "rules.h"
#include "sampler.h"
#include "store.h"
#include "webhook.h"

static const char usage[] =
"Usage: eventring serve [OPTION...] [PID|FILE|DIR...]\n"
"Serves a page that shows processes live, and the JSON behind it, to browsers\n"
"of this machine.  Without arguments: all traced processes of the user.  Prints\n"
"the address of the page first; Ctrl-C ends it.\n";

static const enum option_id option_ids[] = {
  OPTION_HUB, OPTION_LISTEN, OPTION_OPEN, OPTION_READ_ONLY, OPTION_STORE,
  OPTION_TLS_CERT, OPTION_TLS_KEY, OPTION_TOKEN_FILE, OPTION_HELP, OPTION_END
};

static const char notes[] =
"The address contains a secret token: who knows it sees the processes and, but\n"
"for --read-only, controls their recording.  Other addresses than those of this\n"
"machine need --tls-cert and --tls-key.  A file given with --token-file is read;\n"
"if it does not exist, it is written, for Prometheus for example.  Saved\n"
"recordings go to the folder --store, $EVENTRING_STORE or\n"
"~/.local/share/eventring.  With --hub, the page also lists the processes of a\n"
"hub and opens their recordings.  doc/HTTP.md describes the JSON.\n";

extern char **environ;

/* The token */

#define TOKEN_BYTES 16
/* The shortest token that is accepted from a file. */
#define TOKEN_SHORTEST 16

static void make_token(char token[TOKEN_SIZE])
{
  unsigned char bytes[TOKEN_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
    complain("serve: the system has no random numbers");
    exit(STATUS_CANNOT_READ);
  }
  for (int i = 0; i < TOKEN_BYTES; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
}

/* Returns whether all characters of [token] may stand in a header and in the
   fragment of an address, and they are enough. */
static bool is_token(const char *token)
{
  static const char allowed[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  size_t length = strlen(token);
  return length >= TOKEN_SHORTEST && strspn(token, allowed) == length;
}

/* Reads the token in the file [path], open as [fd]. */
static bool read_token(int fd, const char *path, char token[TOKEN_SIZE])
{
  struct stat st;
  char text[TOKEN_SIZE + 1] = "";
  ssize_t n = read(fd, text, TOKEN_SIZE);
  const int error = n < 0 ? errno : 0;
  bool known = fstat(fd, &st) == 0;
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  if (error != 0) {
    complain("serve: %s: %s", path, strerror(error));
    return false;
  }
  if (!known || (st.st_mode & 077) != 0) {
    complain("serve: %s: other users can read it: chmod 600", path);
    return false;
  }
  if (st.st_uid != geteuid()) {
    complain("serve: %s: it belongs to another user, who knows it", path);
    return false;
  }
  if (strlen(text) >= TOKEN_SIZE || !is_token(text)) {
    complain("serve: %s has no token: from %d to %d letters, digits or -._~",
             path, TOKEN_SHORTEST, TOKEN_SIZE - 1);
    return false;
  }
  strcpy(token, text);
  return true;
}

/* Makes a token, or reads it from the file [path] if that is not NULL, which is
   written if it does not exist. */
static bool take_token(const char *path, char token[TOKEN_SIZE])
{
  if (path == NULL) {
    make_token(token);
    return true;
  }
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) return read_token(fd, path, token);
  make_token(token);
  if (errno == ENOENT)
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0 || dprintf(fd, "%s\n", token) < 0 || close(fd) < 0) {
    complain("serve: %s: %s", path, strerror(errno));
    return false;
  }
  return true;
}

/* TLS */

/* Returns the contents of the file [path], or NULL, with a message. */
static char *read_whole(const char *path)
{
  FILE *file = fopen(path, "re");
  char *text = allocate(65536, 1);
  size_t n = file != NULL ? fread(text, 1, 65535, file) : 0;
  if (n == 0) {
    complain("serve: %s: %s", path,
             file == NULL ? strerror(errno) : "cannot be read");
    free(text);
    text = NULL;
  }
  if (file != NULL) fclose(file);
  return text;
}

/* The store */

/* Returns whether [path] is a folder, or may become one when something is
   saved; otherwise with a message. */
static bool may_be_store(const char *path)
{
  struct stat st;
  if (path == NULL || stat(path, &st) != 0 || S_ISDIR(st.st_mode)) return true;
  complain("cannot save in %s: %s", path, strerror(ENOTDIR));
  return false;
}

/* The browser */

static void open_browser(const char *url)
{
  const char *browser = getenv("BROWSER");
  if (browser == NULL || browser[0] == '\0') browser = "xdg-open";
  char *arguments[] = { (char *) browser, (char *) url, NULL };
  pid_t pid;
  int error = posix_spawnp(&pid, browser, NULL, NULL, arguments, environ);
  if (error != 0) note("cannot start %s: %s", browser, strerror(error));
}

/* The server */

/* Blocks the signals that end the server, in this thread and in all that it
   starts, and returns them in *ends. */
static void block_ends(sigset_t *ends)
{
  sigemptyset(ends);
  sigaddset(ends, SIGINT);
  sigaddset(ends, SIGTERM);
  sigaddset(ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, ends, NULL);
}

/* Makes large tables, most of which stay untouched, memory of their own, which
   the system takes back when they are freed; by default, they come from the
   heap after the first of them was freed.  All threads share one heap, since
   malloc_trim gives back the end of no other. */
static void keep_memory_low(void)
{
  mallopt(M_MMAP_THRESHOLD, 32 * 1024);
  mallopt(M_ARENA_MAX, 1);
}

static enum status serve(const struct settings *settings, bool open_it)
{
  char url[512], why[MESSAGE_SIZE];
  sigset_t ends;
  int signal;
  keep_memory_low();
  start_webhooks();
  if (settings->store != NULL && !settings->read_only)
    clean_store(settings->store);
  if (!start_rules(settings, why, sizeof why))
    complain("%s; they are not applied, and new ones are not kept", why);
  scan_registry();
  block_ends(&ends);
  if (!start_http(settings, url, sizeof url, why, sizeof why)) {
    complain("%s", why);
    return STATUS_CANNOT_READ;
  }
  start_sampler();
  start_guards(settings);
  start_fleet_guard(settings);
  puts(url);
  fflush(stdout);
  if (open_it) open_browser(url);
  sigwait(&ends, &signal);
  stop_own_commands();
  stop_http();
  stop_fleet_guard();
  stop_guards();
  stop_webhooks();
  stop_recordings();
  stop_sampler();
  close_registry();
  return finish_output(STATUS_OK);
}

/* Opens the registry with the operands; otherwise with a message. */
static bool may_serve(char **texts, int count)
{
  char why[MESSAGE_SIZE];
  if (open_registry(texts, count, why, sizeof why)) return true;
  complain("%s", why);
  return false;
}

static enum status run(int argc, char **argv)
{
  struct settings settings = { .listen = "127.0.0.1:0" };
  const char *token_file = NULL, *certificate = NULL, *key = NULL;
  char *store = NULL;
  bool open_it = false, unix_socket = false;
  int option;
  while ((option = next_option(&serve_command, argc, argv)) >= 0)
    switch (option) {
    case OPTION_LISTEN:
      settings.listen = optarg;
      unix_socket = strncmp(optarg, "unix:", 5) == 0;
      break;
    case OPTION_HUB: use_hub(&serve_command, optarg); break;
    case OPTION_OPEN: open_it = true; break;
    case OPTION_READ_ONLY: settings.read_only = true; break;
    case OPTION_STORE: settings.store = optarg; break;
    case OPTION_TLS_CERT: certificate = optarg; break;
    case OPTION_TLS_KEY: key = optarg; break;
    case OPTION_TOKEN_FILE: token_file = optarg; break;
    }
  if ((certificate == NULL) != (key == NULL))
    usage_error(&serve_command, "serve: --tls-cert and --tls-key go together");
  if (open_it && unix_socket)
    usage_error(&serve_command, "serve: --open: a browser cannot connect to a"
                " Unix socket");
  settings.hub = chosen_hub(&serve_command);
  if (settings.store == NULL) settings.store = store = default_store();
  enum status status = STATUS_CANNOT_READ;
  if (may_be_store(settings.store) && take_token(token_file, settings.token)
      && (certificate == NULL
          || ((settings.certificate = read_whole(certificate)) != NULL
              && (settings.key = read_whole(key)) != NULL))
      && may_serve(argv + optind, argc - optind))
    status = serve(&settings, open_it);
  free(settings.certificate);
  free(settings.key);
  free(store);
  return status;
}

const struct command serve_command = {
  .name = "serve",
  .summary = "show processes in a browser, live",
  .usage = usage, .options = option_ids, .notes = notes, .run = run
};
