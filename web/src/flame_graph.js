// A flame graph, the callers on top, of the page of a process and of the file that
// eventring profile --flame writes.  A click enlarges a function; a field marks
// functions by name.

import { html, useEffect, useMemo, useState } from './html.js';
import { decoded } from './api.js';
import { flameSvg } from './flame_svg.js';
import * as format from './format.js';
import { saveText } from './save_file.js';
import { Table } from './table.js';

const row_px = 18;
const least = 0.0004;             // of the width: narrower boxes are not drawn

let nodes = 0;

// A node of the tree: the sums of its samples, which are in [self] if they end in
// it, and the same of the profile that is compared with.
export function newNode(name, parent = null) {
  return { name, parent, number: nodes++, value: 0, self: 0, base: 0, baseSelf: 0,
           children: new Map() };
}

export function child(node, name) {
  const found = node.children.get(name) ?? newNode(name, node);
  node.children.set(name, found);
  return found;
}

function addSelf(node, from) {
  node.value += from.self;
  node.base += from.baseSelf;
}

// Sets [value] and [base] of all nodes below [root] from what ends in them.
export function sumUp(root) {
  addSelf(root, root);
  for (const node of root.children.values()) {
    sumUp(node);
    root.value += node.value;
    root.base += node.base;
  }
}

// Returns the tree with the callers of each function below it.
function inverted(root) {
  const top = newNode(root.name);
  const visit = (node) => {
    let at = top;
    addSelf(top, node);
    for (let n = node; n.parent && (node.self || node.baseSelf); n = n.parent) {
      at = child(at, n.name);
      addSelf(at, node);
      if (n === node) at.self += node.self;
    }
    node.children.forEach(visit);
  };
  visit(root);
  return top;
}

// Returns boxes { node, depth, from, to } of [shown], in parts of the width, and of
// its callers, which are [above]; children share the width of their parent from the
// left, the largest first.  And how many are too narrow: their callees do not count.
function boxes(shown) {
  const above = [];
  for (let node = shown.parent; node; node = node.parent)
    above.unshift({ node, from: 0, to: 1, above: true });
  const list = above.map((box, depth) => ({ ...box, depth }));
  let narrow = 0;
  const visit = (node, depth, from, to) => {
    list.push({ node, depth, from, to });
    let at = from;
    for (const c of [...node.children.values()].sort((a, b) => b.value - a.value)) {
      const end = at + (node.value ? (to - from) * c.value / node.value : 0);
      if (end - at >= least) visit(c, depth + 1, at, end);
      else narrow++;
      at = end;
    }
  };
  visit(shown, above.length, 0, 1);
  return { list, narrow };
}

// Returns name, self, total and total of the base of each function; recursion
// counts once.
function functions(root) {
  const table = new Map();
  const visit = ({ name, value, self, base, children }) => {
    const entry = table.get(name) ?? { name, self: 0, total: 0, base: 0, open: 0 };
    table.set(name, entry);
    if (entry.open++ === 0) {
      entry.total += value;
      entry.base += base;
    }
    entry.self += self;
    children.forEach(visit);
    entry.open--;
  };
  root.children.forEach(visit);
  return [...table.values()].sort((a, b) => b.self - a.self);
}

const part = (value, all) => all ? value / all : 0;

// The change of a function: [by] 'share', of its part of all, each of its own
// profile; 'growth', of its value, as a part of all.
const change = (node, root, by) => by === 'growth'
  ? part(node.value - node.base, Math.max(root.value, root.base))
  : part(node.value, root.value) - part(node.base, root.base);

// Functions of a module, and those of C, have colours that are alike.
function hue(name) {
  const end = name.lastIndexOf('.');
  let hash = 0;
  for (const c of end > 0 ? name.slice(0, end) : name)
    hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return (/^[A-Z]/.test(name) ? 20 : 170) + hash % 45;
}

// Returns the variables of the style sheet for the colour of [node].
function shadeOf(node, root, compared) {
  if (!compared) return { '--hue': hue(node.name) };
  const changed = change(node, root, compared);
  return { '--hue': changed > 0 ? 8 : 212,
           '--colour': changed === 0 ? '0%' : '85%',
           '--light': `${88 - Math.min(38, Math.abs(changed) * 400)}%` };
}

const styleOf = ({ node, depth, from, to }, root, compared) => ({
  left: `${100 * from}%`, top: `${depth * row_px}px`,
  width: `max(1px, ${100 * (to - from)}% - 1px)`,
  ...shadeOf(node, root, compared) });

// Returns the colour of [node] on white paper.
function inkOf(node, root, compared) {
  const { '--hue': tone, '--colour': colour = '75%',
          '--light': light = '72%' } = shadeOf(node, root, compared);
  return `hsl(${tone},${colour},${light})`;
}

// Returns a function of names for [wanted], a part of a name or /REGEXP/: null for
// an empty text, undefined for a regular expression that is none.
function matcher(wanted) {
  const [, source] = /^\/(.*)\/$/.exec(wanted) ?? [];
  if (source === undefined)
    return wanted ? (name) => name.toLowerCase().includes(wanted.toLowerCase()) : null;
  try {
    const regexp = new RegExp(source, 'i');
    return (name) => regexp.test(name);
  } catch {
    return undefined;
  }
}

// The root is no function.
const isFound = (node, matches) => node.parent !== null && matches(node.name);

// Returns the sum of the functions that match, and of all that they called.
function sumOf(node, matches) {
  if (isFound(node, matches)) return node.value;
  let sum = 0;
  for (const c of node.children.values()) sum += sumOf(c, matches);
  return sum;
}

const signed = (x, text) => `${x < 0 ? '−' : '+'}${text(Math.abs(x))}`;
const points = (x) => `${(100 * x).toFixed(2)} points`;

const hints = {
  share: 'Red: a larger share than in the base; blue: a smaller one.',
  growth: 'Red: it has grown; blue: it has become smaller.',
  none: 'Colours only tell modules apart.',
};

// The path of [node] from the root as text, and the node below [root] with a path, the
// last one that is there.
function pathOf(node) {
  const names = [];
  for (let n = node; n.parent; n = n.parent) names.unshift(encodeURIComponent(n.name));
  return names.join(';');
}
function nodeAt(root, path) {
  let node = root;
  for (const name of path ? path.split(';').map(decoded) : []) {
    if (!node.children.has(name)) break;
    node = node.children.get(name);
  }
  return node;
}

// [root]: the tree; [text] formats its values; [bar]: the amount that the width of a
// bar shows; [compared]: 'share' or 'growth' if it has the values of a base.  [state]:
// inverted, search and zoom, texts, of which [set] changes some.
export function FlameGraph({ root, text, bar, compared = null, state, set }) {
  const turned = Boolean(state.inverted);
  const wanted = state.search ?? '';
  const [under, setUnder] = useState(null);
  const tree = useMemo(() => turned ? inverted(root) : root, [root, turned]);
  const shown = useMemo(() => nodeAt(tree, state.zoom), [tree, state.zoom]);
  const zoom = (node) => set({ zoom: pathOf(node) });
  const { list, narrow } = useMemo(() => boxes(shown), [shown]);
  const rows = useMemo(() => functions(root), [root]);
  const matches = matcher(wanted);
  const found = matches
    ? `${format.share(part(sumOf(shown, matches), shown.value))} found`
    : matches === undefined ? 'not a regular expression' : '';
  useEffect(() => {
    const leave = (event) => event.key === 'Escape' && set({ zoom: '' });
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  }, []);
  const tell = (node) =>
    `${format.name(node.name)}: ${text(node.value)}, ${
      format.share(part(node.value, tree.value))}; self ${text(node.self)}${
      !compared ? '' : `; base ${text(node.base)}, ${compared === 'growth'
      ? signed(node.value - node.base, text)
      : signed(change(node, tree, compared), points)}`}`;
  // Drawn again for another tree or search, and not when the mouse moves
  const graph = useMemo(() => {
    const deepest = list.reduce((most, { depth }) => Math.max(most, depth), 0);
    const nodeOf = (event) =>
      list[event.target.closest('[data-box]')?.dataset.box]?.node ?? null;
    const point = (event) => setUnder({ tree, node: nodeOf(event) ?? shown });
    return html`
      <div class="flame" style=${{ height: `${(1 + deepest) * row_px}px` }}
        onClick=${(e) => nodeOf(e) && zoom(nodeOf(e))}
        onMouseOver=${point} onFocusIn=${point}
        onMouseLeave=${() => setUnder(null)}>${list.map((box, i) => html`
        <button key=${box.node.number} type="button" data-box=${i}
          title=${tell(box.node)}
          class=${[box.above && 'above',
                   matches && isFound(box.node, matches) && 'match']
            .filter(Boolean).join(' ')}
          style=${styleOf(box, tree, compared)}>${
          format.name(box.node.name)}</button>`)}</div>`;
  }, [list, wanted]);
  const told = under?.tree === tree ? under.node : shown;
  return html`
    <div class="toolbar">
      <input type="search" size="26" placeholder="Part of a name, or /regexp/"
        aria-label="Mark functions" value=${wanted}
        onInput=${(e) => set({ search: e.target.value })} />
      <span class="found" role="status">${found}</span>
      <label><input type="checkbox" name="inverted" checked=${turned}
        onChange=${(e) => set({ inverted: e.target.checked ? 1 : '', zoom: '' })} />
        Inverted</label>
      <button disabled=${shown === tree} onClick=${() => zoom(tree)}>
        Whole graph</button>
      <button type="button" title="Save the flame graph as SVG" onClick=${() =>
        saveText('flame.svg', flameSvg(tell(shown), list, ({ node }) =>
          inkOf(node, tree, compared), tell), 'image/svg+xml')}>SVG</button>
      <span class="told">${tell(told)}</span>
    </div>
    <p class="quiet hint">The width of a bar shows ${bar}: of its function and ${
      turned ? 'of the callers below it' : 'of all that it called, below it'}.
      A click enlarges a bar. ${hints[compared ?? 'none']}${narrow > 0 &&
      ` ${format.count(narrow)} bars are too narrow to be drawn.`}</p>
    ${graph}
    <${Table} name="functions" title="Functions" rows=${rows} columns=${[
      { label: 'Function', value: (f) => f.name },
      { label: 'Self', value: (f) => f.self, text },
      { label: 'Total', value: (f) => f.total, text },
      ...compared
        ? [{ label: 'Total of the base', value: (f) => f.base, text }] : [],
      { label: 'Self, of all', text: format.share,
        value: (f) => part(f.self, root.value) }]} />`;
}
