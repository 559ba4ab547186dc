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

/* Flame graphs.  The page has the tree as JSON, rows of function, parent and own
   value, and the script and the style of the monitor's flame graph, which draws it
   (web/src/flame_page.js), so that one file can be sent to anybody. */

#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "output_file.h"
#include "pair_map.h"
#include "profile_export.h"
#include "profile_types.h"
#include "text.h"

/* See build-aux/page.S. */
extern const char flame_script[], flame_script_end[], page_style[],
  page_style_end[];

static const char head[] =
"<!DOCTYPE html>\n"
"<html lang=\"en\">\n"
"<head>\n"
"<meta charset=\"utf-8\">\n"
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';\n"
" style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
"<title>Flame graph</title>\n"
"<style>\n";
static const char body[] =
"</style>\n"
"</head>\n"
"<body>\n"
"<div id=\"page\"></div>\n"
"<noscript>The flame graph needs JavaScript.</noscript>\n"
"<script type=\"application/json\" id=\"data\">\n";
static const char script[] =
"</script>\n"
"<script>\n";
static const char page_end[] =
"</script>\n"
"</body>\n"
"</html>\n";

/* The names of functions, each once, and their kinds. */
struct names { struct pair_map numbers; json_t *array, *kinds; };

static json_t *rows(struct names *names, const struct profile *profile)
{
  uint32_t count;
  struct profile_node *nodes = profile_tree(profile, false, &count);
  json_t *array = json_array();
  for (uint32_t i = 0; i < count; i++) {
    bool added = false;
    uint32_t name = number_of_pair(&names->numbers,
                                   (uintptr_t) nodes[i].function, 0, &added);
    if (added) {
      json_array_append_new(names->array, json_text(nodes[i].function));
      json_array_append_new(names->kinds,
                            json_string(frame_kind_names[nodes[i].kind]));
    }
    json_array_append_new(array, json_pack(
      "[III]", (json_int_t) name, (json_int_t) nodes[i].parent,
      (json_int_t) nodes[i].self.weight));
  }
  free(nodes);
  return array;
}

#define TITLE_SIZE (sizeof ((struct eventring_info *) NULL)->program + 64)

/* Writes the processes of the profile. */
static void format_title(char title[TITLE_SIZE],
                         const struct profile_origin *origin)
{
  if (origin->cursor == NULL) {
    snprintf(title, TITLE_SIZE, "processes: %u, nodes: %u",
             (unsigned) origin->processes, (unsigned) origin->nodes);
    return;
  }
  const struct eventring_info info = target_info(origin->cursor);
  snprintf(title, TITLE_SIZE, "process %d %s", (int) info.pid, info.program);
}

/* Returns the data of the page; the caller frees the text.  No character in it
   can end the element that holds it. */
static char *page_data(const struct profile_origin *origin,
                       const struct profile *profile,
                       const struct profile *base, const char *base_name)
{
  struct names names = { new_pair_map(), json_array(), json_array() };
  char title[TITLE_SIZE], about[SUMS_SIZE];
  format_title(title, origin);
  json_t *data = json_object();
  json_object_set_new(data, "title", json_text(title));
  json_object_set_new(data, "about", json_string(format_sums(about, origin, profile)));
  json_object_set_new(data, "type", json_string(
    profile_type_words[profile_type(profile)].name));
  json_object_set_new(data, "nodes", rows(&names, profile));
  json_object_set_new(data, "base",
                      base == NULL ? json_null() : rows(&names, base));
  json_object_set_new(data, "compared", base == NULL ? json_null()
                      : json_string(base_name == NULL ? "growth" : "share"));
  json_object_set_new(data, "base_name", base_name == NULL ? json_null()
                      : json_text(base_name));
  json_object_set_new(data, "names", names.array);
  json_object_set_new(data, "kinds", names.kinds);
  char *text = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII);
  json_decref(data);
  free_pair_map(&names.numbers);
  return text;
}

static void write_data(struct sink *sink, const char *text)
{
  for (;;) {
    size_t length = strcspn(text, "<");
    sink_write(sink, text, length);
    text += length;
    if (*text == '\0') return;
    sink_write(sink, "\\u003c", 6);
    text++;
  }
}

static void write_file(struct sink *sink, const char *begin, const char *end)
{
  sink_write(sink, begin, (size_t) (end - begin));
}

enum status write_flame(const char *path, bool force,
                        const struct profile_origin *origin,
                        const struct profile *profile,
                        const struct profile *base, const char *base_name)
{
  struct sink *sink = open_sink(path, force);
  if (sink == NULL) return STATUS_CANNOT_WRITE;
  char *data = page_data(origin, profile, base, base_name);
  if (data == NULL) {
    complain("not enough memory");
  } else {
    sink_write(sink, head, sizeof head - 1);
    write_file(sink, page_style, page_style_end);
    sink_write(sink, body, sizeof body - 1);
    write_data(sink, data);
    sink_write(sink, script, sizeof script - 1);
    write_file(sink, flame_script, flame_script_end);
    sink_write(sink, page_end, sizeof page_end - 1);
  }
  bool made = data != NULL;
  free(data);
  return close_sink(sink, made) && made ? STATUS_OK : STATUS_CANNOT_WRITE;
}
