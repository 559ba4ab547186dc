// The flame graph: processor time or another amount by stack, the callers on
// top.  A click enlarges a function; a field marks functions by name.

import { html, useEffect, useMemo, useState } from './html.js';
import * as format from './format.js';
import { colour } from './chart.js';
import { fit, useCanvas } from './canvas.js';
import { LiveSites } from './live_sites.js';
import { processAddress } from './overview.js';
import { typeLabels, typeNamed, typeOf } from './profile_types.js';
import { Table } from './table.js';
import {
  all, coverText, getCovered, limits, ofTimeline, Windows } from './window.js';

const row_px = 18;
const most_rows = 60;

// Returns the tree of an answer with its numbers, of any unit, in [value].
function treeOf(node, unit) {
  return { name: node.name, value: node[`value_${unit}`],
           children: (node.children ?? []).map((c) => treeOf(c, unit)) };
}

// Returns boxes { node, depth, from, to } of the tree, in parts of its value;
// children share their parent's time from the left, the largest first.
function boxes(root) {
  const list = [];
  const visit = (node, depth, from) => {
    const to = from + node.value / root.value;
    list.push({ node, depth, from, to });
    let at = from;
    const children = [...node.children]
      .sort((a, b) => b.value - a.value);
    for (const child of children) {
      if (depth < most_rows) visit(child, depth + 1, at);
      at += child.value / root.value;
    }
  };
  visit(root, 0, 0);
  return list;
}

// Returns name, self and total of each function; recursion counts once.
function functions(root) {
  const table = new Map();
  const visit = ({ name, value, children }) => {
    const entry = table.get(name) ?? { name, self: 0, total: 0, open: 0 };
    table.set(name, entry);
    if (entry.open++ === 0) entry.total += value;
    entry.self += value - children.reduce((n, c) => n + c.value, 0);
    children.forEach(visit);
    entry.open--;
  };
  root.children.forEach(visit);
  return [...table.values()].sort((a, b) => b.self - a.self);
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

function Graph({ root, type }) {
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
        type.text(told.value)}, ${
        format.share(told.value / root.value)}</span>
    </div>
    <p class="quiet hint">A bar is as wide as ${type.bar} of its function
      and of all that it called, which are the bars below it. A click enlarges a
      bar. Colours only tell functions apart.</p>
    <canvas ref=${canvas} class="flame" role="img"
      aria-label="Flame graph; the table below has the same functions"
      onClick=${(e) => zoom(at(e) ?? null)}
      onMouseMove=${(e) => setUnder(at(e))}
      onMouseLeave=${() => setUnder(null)}></canvas>
    <${Table} name="functions" title="Functions" rows=${rows} columns=${[
      { label: 'Function', value: (f) => f.name },
      { label: 'Self', value: (f) => f.self, text: type.text },
      { label: 'Total', value: (f) => f.total, text: type.text },
      { label: 'Of all', value: (f) => f.self / root.value,
        text: format.share }]} />`;
}

function NoSamples({ process, type }) {
  const off = type.categories.filter((c) => !process.categories?.includes(c));
  const names = (off.length ? off : type.categories).map((c, i) => html`${
    i > 0 && ' and '}<b key=${c}>${c}</b>`);
  const advice = process.state !== 'running'
    ? html`They are taken while ${names} is recorded.`
    : off.length ? html`Switch ${names} on (tab Control) to take some.`
    : html`They are taken now: ${names} is on.`;
  return html`<p class="empty">There are no samples for this profile in this
    window. ${advice}</p>`;
}

// The selection of the type, which the address keeps.
function Types({ id, chosen }) {
  const choose = (event) => {
    location.hash = `${processAddress(id, 'flame')}?${event.target.value}`;
  };
  return html`<label>Show <select name="type" value=${chosen}
    onChange=${choose}>${typeLabels.map(([key, label]) => html`
      <option key=${key} value=${key}>${label}</option>`)}</select></label>`;
}

// Asks for the tree of the samples of type [key].  An answer for another type than
// [key] is not returned.
function useAnswer(id, key, choice, data) {
  const [answer, set] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    const span = limits(choice.now, data);
    getCovered(id, 'flame', { type: key, ...span }, abort.signal)
      .then((found) => set({ ...found, key, span }), (e) => {
        if (e.name !== 'AbortError') set({ error: e.message, key });
      });
    return () => abort.abort();
  }, [id, key, choice]);
  return answer?.key === key ? answer : null;
}

function Answer({ answer, process, type }) {
  const root = useMemo(() => answer?.samples > 0
    ? treeOf(answer, type.unit) : null, [answer, type]);
  if (!answer) return html`<p class="quiet">Loading…</p>`;
  if (answer.error)
    return html`<p class="error" role="alert">${format.name(answer.error)}</p>`;
  return root?.value ? html`<${Graph} root=${root} type=${type} />`
    : html`<${NoSamples} process=${process} type=${type} />`;
}

// A ring of samples belongs to a thread.  A recording does not say when its
// samples begin.
const timeOf = ({ span, kept, keptSamples }, now) => keptSamples.length > 0
  ? coverText(span, now, keptSamples, 'thread of domain')
  : coverText(span, now, kept);

// [detail]: the type, from the address.
export function Flame({ id, process, data, detail, live }) {
  const [choice, setChoice] = useState({ now: all });
  const key = typeNamed(detail);
  const type = typeOf(key);
  const answer = useAnswer(id, key, choice, data);
  const zoom = (window) => {
    data.shared.window = window;
    setChoice({ now: ofTimeline });
  };
  return html`<section>
    <div class="toolbar" role="group" aria-label="Profile and window of time">
      <${Types} id=${id} chosen=${key} />
      <${Windows} choice=${choice.now} data=${data}
        choose=${(now) => setChoice({ now })} /></div>
    <h2>${type.title} <small class="quiet">in ${
      type.unit === 'ns' ? 'time' : 'bytes'}${
      answer?.samples > 0 ? `, ${format.count(answer.samples)} samples, ${
        timeOf(answer, data.now)}` : ''}</small></h2>
    ${key === 'live' && html`<${LiveSites} ...${{ id, process, data, live }}
      choice=${choice} onZoom=${zoom} />`}
    <${Answer} key=${key} answer=${answer} process=${process} type=${type} />
  </section>`;
}
