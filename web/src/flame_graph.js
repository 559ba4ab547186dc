// A flame graph, the callers on top, of the page of a process and of the file that
// eventring profile --flame writes.  A click enlarges a function; a field marks
// functions by name; one function can be shown with its callers and callees.

import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from './html.js';
import { decoded } from './api.js';
import { colour, textOn } from './colours.js';
import { flameSvg } from './flame_svg.js';
import { aroundFunction, boxes, functions, inverted } from './flame_tree.js';
import * as format from './format.js';
import { hasModifier } from './keyboard.js';
import { saveText } from './save_file.js';
import { Table } from './table.js';
import { waitColour, waitLegend } from './waits.js';

const row_px = 18;

const part = (value, all) => all ? value / all : 0;

// The change of a function: [by] 'share', of its part of all, each of its own
// profile; 'growth', of its value, as a part of all.
const change = (node, root, by) => by === 'growth'
  ? part(node.value - node.base, Math.max(root.value, root.base))
  : part(node.value, root.value) - part(node.base, root.base);

// The kinds of code: hue, how far the hues of its modules are apart, and saturation, as
// the timeline has collecting, running and other spans of the runtime.
const kinds = {
  ocaml: ['OCaml', 194, 28, '75%'], c: ['C', 130, 30, '45%'],
  runtime: ['runtime', 34, 0, '14%'], collector: ['collector', 27, 0, '85%'],
  unknown: ['not known', 220, 0, '6%'] };

// Returns the label of a kind in tables.
const kindLabel = (kind) => kind === 'wait' ? 'wait' : kinds[kind][0];

// Returns the colour of the wait [name], such as [mutex_wait]: a CSS variable.
const colourOfWait = (name) => waitColour(name.slice(1, -1));

// The legend: keys of colours, and their labels.
const legend = [...Object.entries(kinds).map(([kind, [label]]) => [kind, label]),
                ...waitLegend, ['waiting', 'waiting']];
const keyOf = ({ name, kind }) => kind === 'wait' ? colourOfWait(name) : kind;

// Functions of a module have a colour; those of others are like it.
function hueOf({ name, kind }) {
  const [, hue, span] = kinds[kind];
  const end = name.lastIndexOf('.');
  let hash = 0;
  for (const c of end > 0 ? name.slice(0, end) : name)
    hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return hue + (span && hash % span);
}

// Returns the variables of the style sheet for the colour of [node].
function shadeOf(node, root, compared) {
  if (!compared && node.kind === 'wait') {
    const wait = colourOfWait(node.name);
    return { '--fill': `var(--${wait})`, '--ink': textOn(colour(wait)) };
  }
  if (!compared) return { '--hue': hueOf(node), '--colour': kinds[node.kind][3] };
  const changed = change(node, root, compared);
  return { '--hue': changed > 0 ? 8 : 212,
           '--colour': changed === 0 ? '0%' : '85%',
           '--light': `${88 - Math.min(38, Math.abs(changed) * 400)}%` };
}

const styleOf = ({ node, from, to }, row, root, compared) => ({
  left: `${100 * from}%`, top: `${row * row_px}px`,
  width: `max(1px, ${100 * (to - from)}% - 1px)`,
  ...shadeOf(node, root, compared) });

// Returns the colours of the bar of [node] on white paper, and of its text.
function inkOf(node, root, compared) {
  const { '--hue': tone, '--colour': saturation, '--light': light = '72%', '--ink': ink } =
    shadeOf(node, root, compared);
  return ink ? [colour(colourOfWait(node.name)), ink]
    : [`hsl(${tone},${saturation},${light})`, '#000000'];
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

const few_samples = 10;         // the interval below is not valid for fewer

// Returns half the width of the 95 % interval of the total of a function, as a part of it;
// null if it is not known.
const error = ({ total, variance, samples }) => variance > 0 && samples >= few_samples
  ? 1.96 * Math.sqrt(variance) / total : null;

// The columns of functions that compare their totals.
const comparisons = (root, text) => ({
  growth: [
    { label: 'Total of the base', value: (f) => f.base, text },
    { label: 'Growth', value: (f) => f.total - f.base, text: (n) => signed(n, text) }],
  share: [
    { label: 'Share', value: (f) => part(f.total, root.value), text: format.share },
    { label: 'Share of the base', value: (f) => part(f.base, root.base),
      text: format.share },
    { label: 'Difference', text: (n) => signed(n, points),
      value: (f) => part(f.total, root.value) - part(f.base, root.base) }] });

const hints = {
  share: 'Red: a larger share than in the base; blue: a smaller one.',
  growth: 'Red: it has grown; blue: it has become smaller.',
  none: '',
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

// The kinds of code and of waits, with their shares of [rows] of functions.
function Legend({ rows, all }) {
  const sums = new Map();
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.self);
  return html`<ul class="legend" aria-label="Legend">${
    legend.filter(([key]) => sums.get(key) > 0).map(([key, label]) =>
      html`<li key=${key}><i class=${key in kinds ? 'kind' : key} style=${key in kinds
        ? shadeOf({ name: '', kind: key }, null, null) : null}></i>${label} ${
        format.share(part(sums.get(key), all))}</li>`)}</ul>`;
}

const most_self = 4;

// The first of [rows], which have the largest values of their own, above the [table] of all.
function Largest({ rows, all, focus, table }) {
  const most = rows.filter((f) => f.self > 0).slice(0, most_self);
  const showAll = () => {
    table.current.scrollIntoView();
    table.current.focus({ preventScroll: true });
  };
  if (most.length === 0) return null;
  return html`<p class="quiet hint largest">Largest self: ${most.map((f, i) => html`${
    i > 0 && ', '}<button key=${f.name} type="button" class="link" title="Callers and callees"
      onClick=${() => focus(f.name)}>${format.name(f.name)}</button> ${
      format.share(part(f.self, all))}`)} · <button type="button" class="link"
      onClick=${showAll}>all functions</button></p>`;
}

// Returns the number in [list], of which callers come before what they called, of the bar
// to which the key of an arrow leads from bar [i]; -1: to none.  [upward]: as of Bars.
function neighbour(list, i, key, upward) {
  const row = list[i].depth;
  const before = (depth) => list.findLastIndex((box, j) => j < i && box.depth === depth);
  if (key === 'ArrowLeft') return before(row);
  if (key === 'ArrowRight')
    return list.findIndex((box, j) => j > i && box.depth === row);
  return key === (upward ? 'ArrowDown' : 'ArrowUp') ? before(row - 1)
    : list[i + 1]?.depth === row + 1 ? i + 1 : -1;
}

// The bars of [list]; [upward]: the root is at the bottom.  [choose] is called with the
// node of a bar that is clicked, and [point] with the one under the mouse, or null.  One
// bar has the focus of the keyboard; arrows move it.
function Bars({ list, tree, wanted, compared, tell, choose, point, upward, label }) {
  const frame = useRef(null);
  const giveFocus = (bar) => {
    for (const b of frame.current.querySelectorAll('[tabindex="0"]')) b.tabIndex = -1;
    if (bar) bar.tabIndex = 0;
  };
  useLayoutEffect(() => giveFocus(frame.current.firstElementChild), [list]);
  // Drawn again for another tree or search, and not when the mouse moves
  return useMemo(() => {
    const deepest = list.reduce((most, { depth }) => Math.max(most, depth), 0);
    const matches = matcher(wanted);
    const barOf = (event) => event.target.closest('[data-box]');
    const nodeOf = (event) => list[barOf(event)?.dataset.box]?.node ?? null;
    const over = (event) => point(nodeOf(event));
    const onFocusIn = (event) => {
      over(event);
      giveFocus(barOf(event));
    };
    const onKeyDown = (event) => {
      if (!event.key.startsWith('Arrow') || hasModifier(event)) return;
      event.preventDefault();
      const i = neighbour(list, Number(barOf(event).dataset.box), event.key, upward);
      frame.current.children[i]?.focus();
    };
    return html`
      <div ref=${frame} class="flame" role="group" aria-label=${label}
        style=${{ height: `${(1 + deepest) * row_px}px` }}
        onClick=${(e) => nodeOf(e) && choose(nodeOf(e))}
        onMouseOver=${over} ...${{ onFocusIn, onKeyDown }}
        onMouseLeave=${() => point(null)}>${list.map((box, i) => html`
        <button key=${box.node.number} type="button" tabindex="-1" data-box=${i}
          title=${tell(box.node)}
          class=${[box.above && 'above',
                   matches && isFound(box.node, matches) && 'match']
            .filter(Boolean).join(' ')}
          style=${styleOf(box, upward ? deepest - box.depth : box.depth, tree,
                          compared)}>${
          format.name(box.node.name)}</button>`)}</div>`;
  }, [list, wanted]);
}

// A function with its callers above it and the functions that it called below it.
function Around({ around, ...given }) {
  const lists = useMemo(() => [boxes(around.callers).list, boxes(around.callees).list],
                        [around]);
  return html`
    <h3>Callers</h3>
    <${Bars} ...${given} list=${lists[0]} upward=${true} label="Callers" />
    <h3>Callees</h3>
    <${Bars} ...${given} list=${lists[1]} label="Callees" />`;
}

// [root]: the tree; [text] formats its values; [bar]: the amount that the width of a
// bar shows; [compared]: 'share' or 'growth' if it has the values of a base.  [state]:
// inverted, search, zoom and focus, texts, of which [set] changes some.
export function FlameGraph({ root, text, bar, compared = null, state, set }) {
  const turned = Boolean(state.inverted);
  const wanted = state.search ?? '';
  const [under, setUnder] = useState(null);
  const tree = useMemo(() => turned ? inverted(root) : root, [root, turned]);
  const shown = useMemo(() => nodeAt(tree, state.zoom), [tree, state.zoom]);
  const around = useMemo(() => state.focus ? aroundFunction(root, state.focus) : null,
                         [root, state.focus]);
  const whole = () => set({ zoom: '', focus: '' });
  const zoom = (node) => set({ zoom: pathOf(node) });
  const focus = (name) => set({ focus: name, zoom: '' });
  const { list, narrow } = useMemo(() => boxes(shown), [shown]);
  const rows = useMemo(() => functions(root), [root]);
  const table = useRef(null);
  const matches = matcher(wanted);
  const top = around?.callees ?? shown;
  const found = matches
    ? `${format.share(part(sumOf(top, matches), top.value))} found`
    : matches === undefined ? 'not a regular expression' : '';
  useEffect(() => {
    const leave = (event) => event.key === 'Escape' && whole();
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  }, []);
  const tell = (node) =>
    `${format.name(node.name)}: ${text(node.value)}, ${
      format.share(part(node.value, root.value))}; self ${text(node.self)}${
      !compared ? '' : `; base ${text(node.base)}, ${compared === 'growth'
      ? signed(node.value - node.base, text)
      : `${format.share(part(node.base, root.base))}, ${
        signed(change(node, root, compared), points)}`}`}`;
  const bars = { tree: root, wanted, compared, tell,
                 point: (node) => setUnder(node && { top, node }) };
  return html`
    <div class="toolbar">
      <input type="search" size="26" placeholder="Part of a name, or /regexp/"
        aria-label="Mark functions" value=${wanted}
        onInput=${(e) => set({ search: e.target.value })} />
      <span class="found" role="status">${found}</span>
      <label><input type="checkbox" name="inverted" checked=${turned}
        disabled=${Boolean(around)}
        onChange=${(e) => set({ inverted: e.target.checked ? 1 : '', zoom: '' })} />
        Inverted</label>
      <button type="button" disabled=${around || !shown.parent}
        title="The callers and callees of the function that is enlarged"
        onClick=${() => focus(shown.name)}>Callers and callees</button>
      <button type="button" disabled=${!around && shown === tree} onClick=${whole}>
        Whole graph</button>
      ${!around && html`<button type="button" title="Save the flame graph as SVG"
        onClick=${() => saveText('flame.svg', flameSvg(tell(shown), list, ({ node }) =>
          inkOf(node, root, compared), tell), 'image/svg+xml')}>SVG</button>`}
      <span class="told">${tell(under?.top === top ? under.node : top)}</span>
    </div>
    ${!compared && html`<${Legend} rows=${rows} all=${root.value} />
      <${Largest} ...${{ rows, focus, table }} all=${root.value} />`}
    <p class="quiet hint">${around
      ? `The width of a bar shows ${bar} in calls of ${format.name(top.name)}. A click
        shows another function.`
      : `The width of a bar shows ${bar}: of its function and ${
      turned ? 'of the callers below it' : 'of all that it called, below it'}.
      A click enlarges a bar; arrows move between bars.`} ${hints[compared ?? 'none']}${!around && narrow > 0 &&
      ` ${format.plural(narrow, 'bar')} ${
        narrow === 1 ? 'is' : 'are'} too narrow to be drawn.`}</p>
    ${state.focus && !around && html`<p class="note">No sample has the function ${
      format.name(state.focus)}.</p>`}
    ${around
      ? html`<${Around} ...${bars} around=${around}
          choose=${(node) => focus(node.name)} />`
      : html`<${Bars} ...${bars} list=${list} choose=${zoom} label="Flame graph" />`}
    <div ref=${table} tabindex="-1"><${Table} key=${compared} name="functions" title="Functions" file="flame" rows=${rows} columns=${[
      { label: 'Function', value: (f) => f.name,
        cell: (f, name) => html`<button type="button" class="link"
          title="Callers and callees" onClick=${() => focus(f.name)}>${name}</button>` },
      { label: 'Kind', value: (f) => kindLabel(f.kind) },
      { label: 'Self', value: (f) => f.self, text },
      { label: 'Total', value: (f) => f.total, text },
      ...root.variance === 0 ? [] : [{ label: 'Error', value: error, text: (x) => x === null ? format.unknown
          : `± ${format.share(x)}`,
        meaning: 'The true total differs by less than this part of it with a ' +
          'probability of 95 %; –: estimated from too few samples, or no estimate' }],
      ...comparisons(root, text)[compared] ?? [{
        label: 'Self, of all', value: (f) => part(f.self, root.value),
        text: format.share }]]} /></div>`;
}
