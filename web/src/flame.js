// The flame graph: processor time by stack, the callers on top.  A click
// enlarges a function; a field marks functions by name.

import { html, useEffect, useMemo, useState } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import { colour } from './chart.js';
import { fit, useCanvas } from './canvas.js';
import { Table } from './table.js';
import { all, limits, Windows } from './window.js';

const row_px = 18;
const most_rows = 60;

// Returns boxes { node, depth, from, to } of the tree, in parts of its value;
// children share their parent's time from the left, the largest first.
function boxes(root) {
  const list = [];
  const visit = (node, depth, from) => {
    const to = from + node.value_ns / root.value_ns;
    list.push({ node, depth, from, to });
    let at = from;
    const children = [...node.children ?? []]
      .sort((a, b) => b.value_ns - a.value_ns);
    for (const child of children) {
      if (depth < most_rows) visit(child, depth + 1, at);
      at += child.value_ns / root.value_ns;
    }
  };
  visit(root, 0, 0);
  return list;
}

// Returns name, self_ns and total_ns of each function; recursion counts once.
function functions(root) {
  const table = new Map();
  const visit = ({ name, value_ns, children = [] }) => {
    const entry = table.get(name) ?? { name, self_ns: 0, total_ns: 0, open: 0 };
    table.set(name, entry);
    if (entry.open++ === 0) entry.total_ns += value_ns;
    entry.self_ns += value_ns - children.reduce((n, c) => n + c.value_ns, 0);
    children.forEach(visit);
    entry.open--;
  };
  root.children?.forEach(visit);
  return [...table.values()].sort((a, b) => b.self_ns - a.self_ns);
}

// A warm colour that is the same for the same name in every graph.
function hue(name) {
  let hash = 0;
  for (let i = 0; i < name.length; i++)
    hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return 10 + Math.abs(hash) % 45;
}

function fillOf(name, found, dark) {
  if (found) return colour('user');
  return `hsl(${hue(name)} ${dark ? '55% 38%' : '80% 72%'})`;
}

function painter(list, zoom, text) {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  return (context, width) => {
    const scale = width / (zoom.to - zoom.from);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const { node, depth, from, to } of list) {
      const x = Math.max(0, (from - zoom.from) * scale);
      const end = Math.min(width, (to - zoom.from) * scale);
      if (end - x < 0.5) continue;
      const found = text && node.name.includes(text);
      context.fillStyle = fillOf(node.name, found, dark);
      context.fillRect(x, depth * row_px, Math.max(0.5, end - x - 0.5),
                       row_px - 1);
      if (end - x < 20) continue;
      context.fillStyle = colour('text');
      context.fillText(fit(format.name(node.name), end - x - 6, 7), x + 3,
                       depth * row_px + row_px / 2);
    }
  };
}

function Graph({ root }) {
  const list = useMemo(() => boxes(root), [root]);
  const rows = useMemo(() => functions(root), [root]);
  const [zoomed, zoom] = useState(null);
  const [text, search] = useState('');
  const [under, setUnder] = useState(null);
  const shown = list.includes(zoomed) ? zoomed : list[0];
  const canvas = useCanvas(painter(list, shown, text));
  const depth = Math.max(...list.map((b) => b.depth)) + 1;
  useEffect(() => {
    canvas.current.style.height = `${depth * row_px}px`;
  }, [depth]);
  const at = (event) => {
    const { left, top, width } = canvas.current.getBoundingClientRect();
    const x = shown.from +
      (event.clientX - left) / width * (shown.to - shown.from);
    const row = Math.floor((event.clientY - top) / row_px);
    return list.find((b) => b.depth === row && b.from <= x && x < b.to);
  };
  const told = (under ?? shown).node;
  return html`
    <div class="toolbar">
      <input type="search" placeholder="Mark functions" value=${text}
        aria-label="Mark functions" onInput=${(e) => search(e.target.value)} />
      <button disabled=${shown === list[0]} onClick=${() => zoom(null)}>
        Whole graph</button>
      <span class="told">${format.name(told.name)}: ${
        format.duration(told.value_ns)}, ${
        format.share(told.value_ns / root.value_ns)}</span>
    </div>
    <p class="quiet hint">A bar is as wide as the processor time of its function
      and of all that it called, which are the bars below it. A click enlarges a
      bar. Colours only tell functions apart.</p>
    <canvas ref=${canvas} class="flame" role="img"
      aria-label="Flame graph; the table below has the same functions"
      onClick=${(e) => zoom(at(e) ?? null)}
      onMouseMove=${(e) => setUnder(at(e))}
      onMouseLeave=${() => setUnder(null)}></canvas>
    <${Table} name="functions" title="Functions" rows=${rows} columns=${[
      { label: 'Function', value: (f) => f.name },
      { label: 'Self', value: (f) => f.self_ns, text: format.duration },
      { label: 'Total', value: (f) => f.total_ns, text: format.duration },
      { label: 'Of all', value: (f) => f.self_ns / root.value_ns,
        text: format.share }]} />`;
}

function NoSamples({ process }) {
  return html`<p class="empty">There are no samples of processor time in this
    window. Switch the category <b>profile</b> on (tab Control) to take some${
    process.categories?.includes('profile') ? '; it is on' : ''}.</p>`;
}

export function Flame({ id, process, data }) {
  const [wish, setWish] = useState({ choice: all });
  const [answer, set] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    get(ofProcess(id, 'flame'), limits(wish.choice, data), abort.signal)
      .then(set, (e) => {
        if (e.name !== 'AbortError') set({ error: e.message });
      });
    return () => abort.abort();
  }, [id, wish]);
  return html`<section>
    <div class="toolbar" role="group" aria-label="Window of time">
      <${Windows} choice=${wish.choice} data=${data}
        choose=${(choice) => setWish({ choice })} /></div>
    ${!answer ? html`<p class="quiet">Loading…</p>`
      : answer.error ? html`<p class="error" role="alert">${
        format.name(answer.error)}</p>`
      : answer.value_ns ? html`<${Graph} root=${answer} />`
      : html`<${NoSamples} process=${process} />`}
  </section>`;
}
