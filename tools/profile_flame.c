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

/* Flame graphs.  The page holds the tree as JSON, rows of function, parent and
   own time, and draws it itself, so that one file can be sent to anybody. */

#include <stdlib.h>
#include <string.h>
#include "json.h"
#include "pair_map.h"
#include "profile_export.h"
#include "profile_types.h"
#include "sink.h"
#include "text.h"

/* The page, before and behind its data. */
static const char page_begin[] =
"<!DOCTYPE html>\n"
"<html lang=\"en\">\n"
"<head>\n"
"<meta charset=\"utf-8\">\n"
"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';\n"
" style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
"<title>Flame graph</title>\n"
"<style>\n"
":root { color-scheme: light dark; }\n"
"body { margin: 0; font: 13px/1.5 system-ui, sans-serif; }\n"
"header { position: sticky; top: 0; z-index: 1; padding: 8px 12px;\n"
"  background: Canvas; border-bottom: 1px solid GrayText;\n"
"  display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; }\n"
"h1 { font-size: 14px; margin: 0; }\n"
"#about { color: GrayText; }\n"
"#found { min-width: 8em; }\n"
"#graph { position: relative; margin: 8px 12px; }\n"
"#graph button { position: absolute; height: 17px; padding: 0 3px; border: 0;\n"
"  font: 11px/17px ui-monospace, monospace; text-align: left; color: #111;\n"
"  overflow: hidden; white-space: nowrap; border-radius: 2px;\n"
"  cursor: pointer; }\n"
"#graph button:hover, #graph button:focus-visible {\n"
"  outline: 2px solid #1558d6; z-index: 1; }\n"
"#graph .above { opacity: .5; }\n"
"#graph .match { background: #c58af9 !important; }\n"
"#detail { position: fixed; bottom: 0; left: 0; right: 0; padding: 5px 12px;\n"
"  background: Canvas; border-top: 1px solid GrayText; min-height: 1.5em;\n"
"  font-family: ui-monospace, monospace; overflow-wrap: anywhere; }\n"
"main { padding-bottom: 4em; }\n"
"</style>\n"
"</head>\n"
"<body>\n"
"<header>\n"
"<h1 id=\"title\"></h1><span id=\"about\"></span>\n"
"<label>Search <input id=\"search\" type=\"search\" size=\"18\"\n"
" placeholder=\"part of a name, or /regexp/\"></label>\n"
"<span id=\"found\" role=\"status\"></span>\n"
"<label><input id=\"inverted\" type=\"checkbox\"> Inverted: callers\n"
" below</label>\n"
"<button id=\"reset\" type=\"button\">Show all</button>\n"
"</header>\n"
"<main><div id=\"graph\"></div></main>\n"
"<div id=\"detail\"></div>\n"
"<script type=\"application/json\" id=\"data\">\n";
static const char page_end[] =
"</script>\n"
"<script>\n"
"\"use strict\";\n"
"const data = JSON.parse(document.getElementById(\"data\").textContent);\n"
"const $ = id => document.getElementById(id);\n"
"const ROW = 18, LEAST = 0.0004;\n"
"\n"
"/* A tree from rows of [name, parent, self], parents first. */\n"
"function newNode(name, parent) {\n"
"  return { name, parent, self: 0, total: 0, baseTotal: 0,\n"
"           depth: parent ? parent.depth + 1 : 0, children: new Map() };\n"
"}\n"
"function child(node, name) {\n"
"  let c = node.children.get(name);\n"
"  if (!c) node.children.set(name, c = newNode(name, node));\n"
"  return c;\n"
"}\n"
"function pathOf(rows, i) {\n"
"  const path = [];\n"
"  for (; i > 0; i = rows[i][1]) path.push(data.names[rows[i][0]]);\n"
"  return path;                    /* innermost first */\n"
"}\n"
"function addRows(root, rows, inverted, field) {\n"
"  rows.forEach((row, i) => {\n"
"    if (i === 0 || row[2] === 0) return;\n"
"    const path = pathOf(rows, i);\n"
"    if (!inverted) path.reverse();\n"
"    let node = root;\n"
"    node[field] += row[2];\n"
"    for (const name of path) {\n"
"      node = child(node, name);\n"
"      node[field] += row[2];\n"
"    }\n"
"    if (field === \"total\")\n"
"      (inverted ? child(root, path[0]) : node).self += row[2];\n"
"  });\n"
"}\n"
"function build(inverted) {\n"
"  const root = newNode(\"all\", null);\n"
"  addRows(root, data.nodes, inverted, \"total\");\n"
"  if (data.base) addRows(root, data.base, inverted, \"baseTotal\");\n"
"  return root;\n"
"}\n"
"\n"
"function duration(ns) {\n"
"  for (const [unit, size] of [[\"s\", 1e9], [\"ms\", 1e6], [\"us\", 1e3]])\n"
"    if (ns >= size) return (ns / size).toPrecision(3) + \" \" + unit;\n"
"  return ns + \" ns\";\n"
"}\n"
"function size(bytes) {\n"
"  for (const [unit, size] of [[\"TiB\", 2 ** 40], [\"GiB\", 2 ** 30],\n"
"                              [\"MiB\", 2 ** 20], [\"KiB\", 2 ** 10]])\n"
"    if (bytes >= size) return (bytes / size).toPrecision(3) + \" \" + unit;\n"
"  return bytes + \" B\";\n"
"}\n"
"const quantity = data.unit === \"bytes\" ? size : duration;\n"
"const percent = x => (100 * x).toFixed(2) + \"%\";\n"
"\n"
"let root, zoomed, matcher = null;\n"
"\n"
"/* The share of the base is on the scale of the base. */\n"
"function difference(node) {\n"
"  if (!data.base || !root.total || !root.baseTotal) return 0;\n"
"  return node.total / root.total - node.baseTotal / root.baseTotal;\n"
"}\n"
"function colour(node) {\n"
"  if (data.base) {\n"
"    const d = difference(node);\n"
"    const light = 92 - Math.min(42, Math.abs(d) * 400);\n"
"    return d === 0 ? \"#ddd\" : `hsl(${d > 0 ? 8 : 212} 85% ${light}%)`;\n"
"  }\n"
"  const name = node.name, end = name.lastIndexOf(\".\");\n"
"  let hash = 0;\n"
"  for (const c of end > 0 ? name.slice(0, end) : name)\n"
"    hash = (hash * 31 + c.codePointAt(0)) >>> 0;\n"
"  const ocaml = /^[A-Z]/.test(name);\n"
"  return `hsl(${(ocaml ? 20 : 170) + hash % 45} 75% ${68 + hash % 12}%)`;\n"
"}\n"
"function text(node) {\n"
"  let line = `${node.name}: ${quantity(node.total)}, `\n"
"    + percent(root.total ? node.total / root.total : 0)\n"
"    + `; self ${quantity(node.self)}`;\n"
"  if (data.base) {\n"
"    const d = difference(node);\n"
"    line += `; base ${quantity(node.baseTotal)}, ${d < 0 ? \"\" : \"+\"}`\n"
"      + `${(100 * d).toFixed(2)} points`;\n"
"  }\n"
"  return line;\n"
"}\n"
"function matches(node) { return matcher && matcher(node.name); }\n"
"\n"
"function draw() {\n"
"  const graph = $(\"graph\"), width = graph.clientWidth;\n"
"  const boxes = document.createDocumentFragment();\n"
"  let deepest = 0, matched = 0;\n"
"  const value = node => Math.max(node.total, 0);\n"
"  function box(node, x, w, above) {\n"
"    const b = document.createElement(\"button\");\n"
"    b.type = \"button\";\n"
"    b.style.left = x + \"px\";\n"
"    b.style.top = node.depth * ROW + \"px\";\n"
"    b.style.width = Math.max(w - 1, 1) + \"px\";\n"
"    b.style.background = colour(node);\n"
"    if (above) b.classList.add(\"above\");\n"
"    if (matches(node)) b.classList.add(\"match\");\n"
"    if (w > 24) b.textContent = node.name;\n"
"    b.title = text(node);\n"
"    b.onclick = () => { zoomed = node; draw(); };\n"
"    b.onmouseenter = b.onfocus =\n"
"      () => { $(\"detail\").textContent = b.title; };\n"
"    boxes.append(b);\n"
"    deepest = Math.max(deepest, node.depth);\n"
"  }\n"
"  for (let node = zoomed.parent; node; node = node.parent)\n"
"    box(node, 0, width, true);\n"
"  const stack = [[zoomed, 0, width]];\n"
"  while (stack.length) {\n"
"    const [node, x, w] = stack.pop();\n"
"    box(node, x, w, false);\n"
"    let at = x;\n"
"    for (const c of [...node.children.values()]\n"
"           .sort((a, b) => value(b) - value(a))) {\n"
"      const wide = value(node) ? w * value(c) / value(node) : 0;\n"
"      if (wide >= Math.max(LEAST * width, 0.5)) stack.push([c, at, wide]);\n"
"      at += wide;\n"
"    }\n"
"  }\n"
"  if (matcher) {\n"
"    const rest = [zoomed];\n"
"    while (rest.length) {\n"
"      const node = rest.pop();\n"
"      if (matches(node)) matched += value(node);\n"
"      else rest.push(...node.children.values());\n"
"    }\n"
"  }\n"
"  graph.style.height = (deepest + 1) * ROW + \"px\";\n"
"  graph.replaceChildren(boxes);\n"
"  const part = value(zoomed) ? matched / value(zoomed) : 0;\n"
"  $(\"found\").textContent = matcher ? percent(part) + \" found\" : \"\";\n"
"}\n"
"function search() {\n"
"  const wanted = $(\"search\").value, regexp = /^\\/(.*)\\/$/.exec(wanted);\n"
"  matcher = null;\n"
"  if (regexp) {\n"
"    try {\n"
"      const r = new RegExp(regexp[1]);\n"
"      matcher = name => r.test(name);\n"
"    } catch (e) { $(\"found\").textContent = \"not a regexp\"; return; }\n"
"  } else if (wanted) {\n"
"    matcher = name => name.includes(wanted);\n"
"  }\n"
"  draw();\n"
"}\n"
"function rebuild() {\n"
"  root = zoomed = build($(\"inverted\").checked);\n"
"  draw();\n"
"}\n"
"$(\"title\").textContent = document.title = data.title;\n"
"$(\"about\").textContent = data.about;\n"
"$(\"search\").oninput = search;\n"
"$(\"inverted\").onchange = rebuild;\n"
"$(\"reset\").onclick = () => { zoomed = root; draw(); };\n"
"addEventListener(\"resize\", draw);\n"
"addEventListener(\"keydown\", e => {\n"
"  if (e.key === \"Escape\") { zoomed = root; draw(); }\n"
"});\n"
"rebuild();\n"
"</script>\n"
"</body>\n"
"</html>\n";

/* The names of functions, each once. */
struct names { struct pair_map numbers; json_t *array; };

static json_t *rows(struct names *names, const struct profile *profile)
{
  uint32_t count;
  struct profile_node *nodes = profile_tree(profile, false, &count);
  json_t *array = json_array();
  for (uint32_t i = 0; i < count; i++) {
    bool added = false;
    uint32_t name = number_of_pair(&names->numbers,
                                   (uintptr_t) nodes[i].function, 0, &added);
    if (added)
      json_array_append_new(names->array, json_text(nodes[i].function));
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
                       const struct profile *base)
{
  struct names names = { new_pair_map(), json_array() };
  const bool bytes = profile_type_words[profile_type(profile)].weighs_bytes;
  char title[TITLE_SIZE], about[SUMS_SIZE + 64], sums[SUMS_SIZE];
  format_title(title, origin);
  snprintf(about, sizeof about, "%s%s", format_sums(sums, origin, profile),
           base == NULL ? "" : "; red: more than in the base, blue: less");
  json_t *data = json_object();
  json_object_set_new(data, "title", json_text(title));
  json_object_set_new(data, "about", json_string(about));
  json_object_set_new(data, "unit", json_string(bytes ? "bytes" : "ns"));
  json_object_set_new(data, "nodes", rows(&names, profile));
  json_object_set_new(data, "base",
                      base == NULL ? json_null() : rows(&names, base));
  json_object_set_new(data, "names", names.array);
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

enum status write_flame(const char *path, bool force,
                        const struct profile_origin *origin,
                        const struct profile *profile,
                        const struct profile *base)
{
  struct sink *sink = open_sink(path, force);
  if (sink == NULL) return STATUS_CANNOT_WRITE;
  char *data = page_data(origin, profile, base);
  if (data == NULL) {
    complain("not enough memory");
  } else {
    sink_write(sink, page_begin, sizeof page_begin - 1);
    write_data(sink, data);
    sink_write(sink, page_end, sizeof page_end - 1);
  }
  bool made = data != NULL;
  free(data);
  return close_sink(sink, made) && made ? STATUS_OK : STATUS_CANNOT_WRITE;
}
