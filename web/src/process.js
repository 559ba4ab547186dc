// One process: its header, its findings, and a view of it at a time.

import {
  Guard, html, useEffect, useLayoutEffect, useReducer, useRef, useState,
} from './html.js';
import { processAddress, useAddress } from './address.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import { beginOf, History } from './history.js';
import { Damage, endOf, isSaved, Numbers, stateOf } from './overview.js';
import {
  isFixed, limits, RangeBar, rangeOf, rangeValues, widerOffer,
} from './range.js';
import { useTiers } from './tiers.js';
import { Charts } from './charts.js';
import { Timeline } from './timeline.js';
import { Tables } from './tables.js';
import { Requests } from './requests.js';
import { Locks } from './locks.js';
import { Between } from './between.js';
import { Events } from './events.js';
import { Flame } from './flame.js';
import { flameParameters } from './flame_selection.js';
import { Control, QuickControl } from './control.js';
import { CompareMenu } from './compare_menu.js';
import { CopyLink } from './copy_link.js';
import { Diagnosis } from './diagnosis.js';
import { DownloadMenu } from './download.js';
import { OverwrittenRange, PartlyOverwritten, useKept } from './overwritten.js';
import { typeNamed, typeOf } from './profile_types.js';

const detail_ms = 5000;

const views = {
  charts: ['Charts', Charts], timeline: ['Timeline', Timeline],
  tables: ['Tables', Tables], requests: ['Requests', Requests],
  locks: ['Locks', Locks],
  events: ['Events', Events],
  between: ['Between', Between],
  flame: ['Flame graph', Flame], control: ['Control', Control],
};

// Returns the ms between two drawings: a range that moves slowly is drawn seldom.
const redrawMs = ({ last }) => Math.min(1000, Math.max(250, (last ?? 10e9) / 10e6));

// Returns functions that draw the component again, not while the page is hidden: [redraw],
// and [paced], [redraw_ms] after its last drawing, whoever asked for that.
function useRedraw(redraw_ms) {
  const [, redraw] = useReducer((n) => n + 1, 0);
  const timer = useRef(0);
  const frame = useRef(0);
  const last = useRef(0);
  const pace = useRef(redraw_ms);
  pace.current = redraw_ms;
  const stop = () => {
    clearTimeout(timer.current);
    cancelAnimationFrame(frame.current);
    timer.current = 0;
  };
  useEffect(() => stop, []);
  useLayoutEffect(() => {
    stop();
    last.current = performance.now();
  });
  const after = (pause_ms) => {
    stop();
    timer.current = setTimeout(() => {
      frame.current = requestAnimationFrame(redraw);
    }, Math.max(0, pause_ms));
  };
  return useRef({
    redraw: () => after(0),
    paced: () => {
      if (!timer.current) after(last.current + pace.current - performance.now());
    } }).current;
}

// While the server still reads the past of a process, asks for more of it.
function useWhileReading(reading, { history }, paced) {
  useEffect(() => {
    if (!reading) return undefined;
    const abort = new AbortController();
    const timer = setInterval(() => history.tiers.filter((t) => t.loaded)
      .forEach((tier) => history.load(tier, abort.signal)
        .then(paced, () => {})), 1000);
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [reading]);
}

// Asks for the details again and again while the process is [live], and when its
// past is read: the stream lacks the histograms.
function useDetail(id, data, redraw, live, reading) {
  useEffect(() => {
    const abort = new AbortController();
    const ask = () => get(ofProcess(id, 'detail'), {}, abort.signal)
      .then((detail) => { data.detail = detail; redraw(); }, () => {});
    const timer = live && setInterval(ask, detail_ms);
    ask();
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [live, reading]);
}

// Keeps the data of a process up to date: its history (other tiers than the finest
// come when a chart shows them), the last detail, and [now], the end of its data in ns
// since the start.
function useData(id, process, subscribe, live, redraw_ms) {
  const data = useRef({ history: new History(id), detail: null, now: 0 }).current;
  const { redraw, paced } = useRedraw(redraw_ms);
  const [error, setError] = useState(null);
  const failed = (e) => { if (e.name !== 'AbortError') setError(e.message); };
  data.now = Math.max(data.now, process?.now_ns ?? 0);
  useEffect(() => subscribe((name, value) => {
    if (name === 'tick') {
      data.history.tick(value);
      data.now = Math.max(data.now, value.t);
    } else if (name === 'detail') {
      data.detail = { ...data.detail, ...value };
    } else if (name === 'lost') {
      data.history.load(data.history.tiers[0]).then(paced, () => {});
    }
    paced();
  }), []);
  useEffect(() => {
    const abort = new AbortController();
    const done = () => { setError(null); redraw(); };
    // A recording that was being read has older rows now.
    if (!process?.reading && process?.state !== 'running' &&
        data.history.tiers[0].loaded)
      data.history = new History(id);
    if (live || !data.history.tiers[0].loaded)
      data.history.load(data.history.tiers[0], abort.signal)
        .then(done, failed);
    return () => abort.abort();
  }, [live, process?.reading]);
  useDetail(id, data, redraw, live && process?.state === 'running',
            process?.reading);
  useWhileReading(process?.reading && live, data, paced);
  return { ...data, redraw, paced, error, failed };
}

// The path is selected whole by a click, to be copied.
function Title({ process }) {
  const state = stateOf(process);
  return html`
    <div class="heading">
      <a href="#/" class="back" aria-label="All processes">‹ All</a>
      <h1>${format.program(process)}</h1>
      <span class=${`state ${state}`}>${state}</span>
      <span class="quiet one-line">pid ${process.pid} · OCaml ${
        format.name(process.runtime)} · since ${
        format.date(process.started_unix_ns)}${endOf(process)
          ? ` until ${format.clock(endOf(process))}` : ''}</span>
      ${process.path && html`<span class="quiet hint one-line">File: <code class="path">${
        format.name(process.path)}</code></span>`}
    </div>`;
}

const more = [
  ['Pauses', 'Pauses for the collector in a second, over the last 10 s',
    (p) => format.rate(p.pauses_per_s)],
  ['Events', 'Events recorded in the last second',
    (p) => format.rate(p.events_per_s)],
];

function Tabs({ address, view }) {
  return html`<nav class="tabs" aria-label="Views">${
    Object.entries(views).map(([key, [label]]) => html`
      <a key=${key} href=${address.to({}, key)}
        aria-current=${key === view ? 'page' : undefined}>
        ${label}</a>`)}</nav>`;
}

function Missing({ gone, process }) {
  const text = process?.error ? format.name(process.error)
    : gone ? 'The server no longer shows this process.' : 'Loading…';
  return html`<main class="empty">
    <p>${text}</p><p><a href="#/">All processes</a></p></main>`;
}

// [process]: as in the list of processes.  [live]: the stream is open.
// [detail]: what the address has behind its question mark.
export function Process(given) {
  const { id, view, detail, process, gone, live, server, subscribe } = given;
  const address = useAddress(id, view, detail);
  const known = useRef(process);
  if (process) known.current = process;
  const alive = known.current?.state === 'running';
  const range = rangeOf(address.values, alive);
  const [held, hold] = useState(false);
  const shown = useRef(null);   // see useShown
  const data = { ...useData(id, process, subscribe, live, redrawMs(range)), hold, shown };
  const setRange = (next, options) => address.go(rangeValues(next), options);
  const kept = useKept(id, process && view !== 'control' ? range : {}, alive, view === 'flame' &&
    typeOf(typeNamed(address.values.type)).ownRings === true);
  useTiers(range.last === null ? data.history.tiers : [], data, live);
  if (!known.current || known.current.error)
    return html`<${Missing} gone=${gone} process=${known.current} />`;
  const [, View] = Object.hasOwn(views, view) ? views[view] : views.charts;
  const props = { id, address, process: known.current, data, server, live, range,
                  setRange, wider: widerOffer(range, setRange, alive) };
  return html`<main>
    <${Title} process=${known.current} />
    ${gone && html`<p class="error" role="alert">The server no longer shows this
      process: it ended 10 minutes ago, or its file was removed. These are the last
      numbers.</p>`}
    ${data.error && html`<p class="error" role="alert">${data.error}</p>`}
    ${!isSaved(known.current) && html`<${QuickControl} ...${props} />`}
    <${Numbers} process=${known.current} more=${more} name="numbers" />
    ${!alive && html`<p class="quiet hint">These are of the last seconds before ${
      isSaved(known.current) ? 'the end of the recording' : 'its end'}:
      one for shares and rates, ten for pauses.</p>`}
    <${Damage} process=${known.current} />
    <${Diagnosis} ...${props} />
    <${Tabs} address=${address} view=${view} />
    <div class="ranged">${view !== 'control' && html`
      <${RangeBar} range=${range} choose=${setRange} now=${data.now} alive=${alive}
        begin=${range.last === null ? beginOf(data.history) : 0} />
      ${alive && html`<${PartlyOverwritten} ...${{ ...range, kept }} />`}
      <${DownloadMenu} ...${props} shown=${view === 'flame'
        ? flameParameters(address.values) : {}} />`}
      <${CompareMenu} process=${known.current} /><${CopyLink} alive=${alive} fixed=${isFixed(range)}
        held=${alive && view !== 'control' && range.last > 0 && data.now > 0 ? () =>
          address.to(rangeValues(shown.current ?? limits(range, data.now))) : null} /></div>
    ${isFixed(range) && html`<${OverwrittenRange} ...${{ kept, alive }} to=${range.to} />`}
    <${Guard} key=${view}><${View} ...${props} /><//>
    ${held && html`<p class="held" aria-hidden="true">Rows stay while you point at them</p>`}
  </main>`;
}
