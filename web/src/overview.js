// All processes, one row each: live ones first, then those that were killed.

import { html, useEffect, useState } from './html.js';
import { processAddress } from './address.js';
import { useAnswer } from './answer.js';
import { get } from './api.js';
import * as format from './format.js';
import { Attach } from './attach.js';
import { LinkTo } from './saved_link.js';
import { Sparkline, useSparklines } from './sparkline.js';
import { Verdict } from './verdict.js';

const few = 50;

export const isSaved = (process) => process.format === 'recording';

// When a process ended, in ns since 1970; null: it runs, or nobody knows.
export const endOf = ({ state, started_unix_ns: started, now_ns: last }) =>
  ['ended', 'killed', 'replaced'].includes(state) && started && last ? started + last : null;

// Returns what a process does now, in a word.
export function stateOf(process) {
  if (process.error) return 'unreadable';
  if (isSaved(process)) return 'saved';
  if (process.state !== 'running') return process.state;
  return process.paused ? 'paused' : 'recording';
}

function Empty() {
  return html`
    <div class="empty">
      <h2>No traced program is running</h2>
      <p>Start an OCaml program of this toolchain with
        <code>OCAML_EVENTRING_START=1 ./program</code>, and it appears here
        within a second.</p>
    </div>`;
}

const lost = 'Lost unread';

// Numbers of a process: label, meaning and text.
const columns = [
  ['Utilisation',
    'Time of all domains spent running or collecting, in the last second',
    (p) => format.share(p.utilisation_share)],
  ['GC of active',
    'The collector\'s share of the time running or collecting, in the last second',
    (p) => format.share(p.active_gc_share)],
  ['Processors', 'Processors in use at a time: processor time of the last second',
    (p) => p.processors == null ? format.unknown : p.processors.toFixed(2)],
  ['Pause p50', 'Half of the pauses of the last 10 s were shorter',
    (p) => format.duration(p.p50_ns)],
  ['Pause p99', '99 % of the pauses of the last 10 s were shorter',
    (p) => format.duration(p.p99_ns)],
  ['Pause max', 'The longest pause of the last 10 s',
    (p) => format.duration(p.max_ns)],
  ['Allocation', 'Bytes allocated',
    (p) => format.byteRate(p.alloc_bytes_per_s)],
  ['Heap', 'The major heap at the end of the last cycle',
    (p) => format.bytes(p.heap_bytes)],
  ['Resident', 'Memory of the whole process, as the system counts it',
    (p) => format.bytes(p.resident_bytes)],
  [lost, 'Events that were overwritten before the server could read them, since ' +
    'it opened the process; of a recording: lost in it',
    (p) => format.count(p.lost_events)],
];

// [more]: further numbers, [name]: the class of the list.
export function Numbers({ process, more = [], name }) {
  return html`<dl class=${name}>${
    [...columns, ...more].map(([label, meaning, value]) => html`
      <div key=${label} title=${meaning} class=${
        label === lost && process.lost_events ? 'bad' : ''}>
        <dt>${label}</dt><dd>${value(process)}</dd></div>`)}</dl>`;
}

// What is wrong with the file of a process, if anything is.
export function Damage({ process }) {
  return process.damage && html`<p class="error damage">Only a part of the file could
    be read: ${format.name(process.damage)}.</p>`;
}

function Unreadable({ process }) {
  return html`
    <li class="process unreadable">
      <div class="title">
        <b>Process ${process.pid ?? format.name(process.id)}</b>${' '}
        <span class="state unreadable">not readable</span></div>
      <p class="reason">${format.name(process.error)}</p>
    </li>`;
}

function Row({ process, spark }) {
  if (process.error) return html`<${Unreadable} process=${process} />`;
  const state = stateOf(process);
  return html`
    <li class=${`process ${state}`}>
      <div class="title">
        <a href=${processAddress(process.id)}>${format.program(process)}</a>
        <span class=${`state ${state}`}>${state}</span>
        <small>${process.pid ? `pid ${process.pid}` : ''}${
            endOf(process) ? ` · until ${format.clock(endOf(process))}` : ''}
          ${process.domains ? ` · ${process.domains} domain${
            process.domains === 1 ? '' : 's'}` : ''}${
            isSaved(process) && process.path ? ` · ${format.fileName(process.path)}` : ''}</small>
      </div>
      <${Sparkline} points=${spark} label=${format.program(process)} />
      <${Numbers} process=${process} />
      <${Damage} process=${process} />
      ${process.verdict && html`<a class="of-rules" title="All that the rules found"
        href=${processAddress(process.id, 'charts', { rules: 1 })}>
        <${Verdict} process=${process} />${process.verdict_unix_ns && html`
          ${' '}<small class="quiet">judged at ${format.clock(process.verdict_unix_ns)}</small>`}</a>`}
    </li>`;
}

const rank = { recording: 0, paused: 1, unknown: 2, killed: 3, unreadable: 6, saved: 5 };
const order = (a, b) => (rank[stateOf(a)] ?? 4) - (rank[stateOf(b)] ?? 4) ||
  (b.started_unix_ns ?? 0) - (a.started_unix_ns ?? 0);

const matches = (text) => (p) => !text ||
  `${format.program(p)} ${p.pid} ${stateOf(p)}`.toLowerCase()
    .includes(text.toLowerCase());

function useList(path, key) {
  const [list, set] = useState([]);
  useEffect(() => {
    const abort = new AbortController();
    get(path, {}, abort.signal).then((answer) => set(answer[key]), () => {});
    return () => abort.abort();
  }, []);
  return list;
}

function Actions({ processes }) {
  const actions = useList('/api/actions', 'actions');
  if (!actions.length) return null;
  return html`<details><summary>Actions of control: ${actions.length}</summary>
    <${ActionTable} actions=${actions} processes=${processes} /></details>`;
}

// The name of the process [id], if it is in [processes].
function nameOf(id, processes) {
  const process = processes.find((p) => p.id === id);
  return !process ? format.name(id)
    : `${format.program(process)}${process.pid ? ` (${process.pid})` : ''}`;
}

// [processes]: those whose names are known.  The store is asked again for each new file.
export function ActionTable({ actions, processes }) {
  const { answer: store } = useAnswer('/api/saved', {
    key: actions.find((a) => a.result.startsWith('/'))?.unix_ns });
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Actions">
    <table>
    <thead><tr><th>Time</th><th>From</th><th>Process</th><th>Action</th>
      <th>Result</th></tr></thead>
    <tbody>${actions.map((a, i) => html`<tr key=${i}>
      <td>${format.date(a.unix_ns)}</td><td>${format.name(a.origin)}</td>
      <td>${nameOf(a.process, processes)}</td><td>${format.name(a.action)}</td>
      <td><${LinkTo} path=${a.result} saved=${store?.saved} /></td></tr>`)}</tbody></table></div>`;
}

// One that was killed is shown like those that run: it may have crashed.
const isFolded = (p) => ['ended', 'replaced', 'saved'].includes(stateOf(p));

function endedText(processes) {
  const opened = processes.filter(isSaved).length;
  const parts = [['Ended', processes.length - opened], ['opened', opened]];
  const text = parts.filter(([, n]) => n > 0).map((part) => part.join(': ')).join(', ');
  return text[0].toUpperCase() + text.slice(1);
}

function List({ processes, sparks }) {
  return html`<ul class="processes">${processes.map((p) => html`
    <${Row} key=${p.id} process=${p} spark=${sparks.get(p.id)} />`)}</ul>`;
}

// [processes]: null until the server has told.
export function Overview({ processes, server }) {
  const [text, setText] = useState('');
  const [all, setAll] = useState(false);
  const sorted = [...processes ?? []].sort(order).filter(matches(text));
  const shown = all ? sorted : sorted.slice(0, few);
  const ended = shown.filter(isFolded);
  const sparks = useSparklines(shown);
  if (!processes) return html`<main><p class="quiet">Loading…</p></main>`;
  const alive = processes.filter((p) => p.state === 'running').length;
  return html`<main>
    <div class="heading"><h1>Processes</h1>
      <span class="quiet">${alive} running${processes.length > alive
        ? `, ${processes.length - alive} ended, killed or opened` : ''}${
        sorted.length > 0 && html`. A click on a name opens its charts; rates are of the last
          second, pauses of the last 10 s`}</span>
      ${processes.length > 5 && html`<input type="search" value=${text}
        placeholder="Find by name or pid" aria-label="Find a process"
        onInput=${(e) => setText(e.target.value)} />`}
    </div>
    ${!processes.length && html`<${Empty} />`}
    <${List} processes=${shown.filter((p) => !isFolded(p))} sparks=${sparks} />
    ${ended.length > 0 && html`<details class="ended" open=${!alive || text !== ''}>
      <summary>${endedText(ended)}</summary>
      ${!ended.every(isSaved) && html`<p class="quiet">Ended ones stay here for 10 minutes.
        Save keeps one; its file can be opened with eventring serve FILE as long as it is
        there.</p>`}
      <${List} processes=${ended} sparks=${sparks} /></details>`}
    ${shown.length < sorted.length && html`
      <button onClick=${() => setAll(true)}>Show all ${sorted.length}</button>`}
    <${Attach} readOnly=${server.read_only} />
    <${Actions} processes=${processes} />
  </main>`;
}
