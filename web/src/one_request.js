// One request: the threads that worked on it, and their waits and spans
// meanwhile.

import { html, useEffect, useState } from './html.js';
import { get, ofProcess } from './api.js';
import { allSamples } from './flame_selection.js';
import { selectionValues } from './choice.js';
import * as format from './format.js';
import { after, isMerged, kindNames, laneName, nameOf,
         threadName } from './lanes.js';
import { outside, overlap } from './intervals.js';
import { LegendOf } from './legend.js';
import { Complete, OverwrittenEvents } from './overwritten.js';
import { colourOf } from './picture.js';
import { typeNamed } from './profile_types.js';
import { getCovered, rangeValues } from './range.js';
import { Table } from './table.js';
import { most_pixels } from './timeline_window.js';

// The kinds of spans that say what a thread did, but the request itself.
const [collector, program, wait, stop] = [0, 1, 2, 3];
const told = [wait, stop, collector, program];
const drawn = [collector, stop, wait];  // the later ones over those before

const titleOf = (timeline, span) => span[4] === program ? nameOf(timeline, span)
  : format.phrase(timeline.names[span[2]]);

// Returns the spans of [lane], with the stops of its domain in the place of those that its
// thread reports: these begin when the last domain arrived.  A stop does not hold up a
// thread that waits.
function spansOf({ stops }, lane) {
  const own = stops.find((s) => s.domain === lane.domain)?.spans ?? [];
  const reported = (span) => span[4] === stop && own.some((s) => s[2] === span[2]);
  const waits = lane.spans.filter((span) => span[4] === wait);
  return [...lane.spans.filter((span) => !reported(span)),
          ...own.flatMap((span) => outside(waits, span)
            .map((part) => [...part, ...span.slice(2)]))];
}

const isOf = (lane, run) => lane.thread === run.thread && lane.domain === run.domain;

// Returns the time that [span] and [runs] have in common, of merged spans their part.
const common = (span, runs) => runs.reduce(
  (ns, run) => ns + Math.max(0, overlap(span, [run.from, run.to])), 0)
  * (isMerged(span) ? span[5] : 1);

// Returns what the threads did while they worked on the request: rows of kind, name,
// count, total and longest.  [waits]: of the request; the timeline has no waits for the lock
// of the domain, which end others.
export function work(timeline, runs, waits) {
  const rows = new Map(waits.filter(({ name }) => name === 'domain_lock')
    .map(({ name, count, total_ns }) => [name, {
      kind: wait, name: format.phrase(name), count, total: total_ns, longest: 0 }]));
  for (const lane of timeline.lanes) {
    const own = runs.filter((run) => isOf(lane, run));
    if (!own.length) continue;
    for (const span of spansOf(timeline, lane)) {
      // A collection has its phases inside.
      if (!told.includes(span[4]) || span[4] === collector && span[3] > 0) continue;
      const ns = common(span, own);
      if (ns <= 0) continue;
      const name = isMerged(span) ? 'short ones' : titleOf(timeline, span);
      const key = `${span[4]} ${name}`;
      const row = rows.get(key) ?? { kind: span[4], name, count: 0, total: 0, longest: 0 };
      row.count += isMerged(span) ? span[6] : 1;
      row.total += ns;
      if (!isMerged(span)) row.longest = Math.max(row.longest, ns);
      rows.set(key, row);
    }
  }
  return [...rows.values()].sort((a, b) => b.total - a.total);
}

const columns = [
  { label: 'While threads had it', value: (r) => kindNames[r.kind] },
  { label: 'Name', value: (r) => r.name },
  { label: 'Count', value: (r) => r.count },
  { label: 'Total', value: (r) => r.total, text: format.duration },
  { label: 'Longest', value: (r) => r.longest || null, text: format.duration }];

// The threads and their runs, with what kept them from running, in the colours of the
// timeline.
function Runs({ request, runs, timeline }) {
  const { from, to } = request;
  const x = (t) => 150 + 840 * (Math.min(Math.max(t, from), to) - from) /
    Math.max(1, to - from);
  const lanes = timeline.lanes.filter((lane) => runs.some((run) => isOf(lane, run)));
  const colours = new Set();
  const bar = (y, [begin, end], name, text) => colours.add(name) && html`
    <rect x=${x(begin)} y=${y} height="16" class=${name}
      style=${{ fill: `var(--${name})` }}
      width=${Math.max(1, x(end) - x(begin))}><title>${text}</title></rect>`;
  return html`<svg class="runs" viewBox=${`0 0 1000 ${lanes.length * 24 + 20}`} role="img"
    aria-label=${`${lanes.length} threads worked on the request`}>
    ${lanes.map((lane, i) => {
      const own = runs.filter((run) => isOf(lane, run));
      const spans = drawn.flatMap((kind) => spansOf(timeline, lane).filter((span) =>
        span[4] === kind && span[3] === 0));
      const y = i * 24 + 4;
      return html`<g key=${i}><text x="0" y=${y + 13}>${laneName(lane)}</text>
        ${own.map((run) => bar(y, [run.from, run.to], 'running',
          `had it for ${format.duration(run.to - run.from)}`))}
        ${spans.flatMap((span) => own.filter((run) => overlap(span, [run.from, run.to]) > 0)
            .map((run) => bar(y, [Math.max(span[0], run.from), Math.min(span[1], run.to)],
              colourOf(timeline.names, span), `${isMerged(span) ? 'short ones' : titleOf(timeline, span)}: ${
                format.duration(span[1] - span[0])}`)))}</g>`;
    })}
    <text x="150" y=${lanes.length * 24 + 16}>${format.moment(from, 1e3)}</text>
    <text x="990" y=${lanes.length * 24 + 16} text-anchor="end">${
      format.moment(to, 1e3)}</text></svg>
    <${LegendOf} colours=${colours} />`;
}

// Returns the waits of a request as text, those with the longest total first.
export const waitsText = ({ waits }) => [...waits]
  .sort((a, b) => b.total_ns - a.total_ns)
  .map(({ name, total_ns }) =>
    `${name === null ? 'others' : format.phrase(name)} ${format.duration(total_ns)}`)
  .join(', ');

// Says what the threads did while they had the request, as far as it is recorded.
function spentText(request, records) {
  const [gc, wait] = ['gc', 'wait'].map(records);
  const rest = request.open ? `${wait ? '' : ', waited'} or were in a wait that had not ended`
    : ` or waited${wait ? ' too shortly to be recorded' : ''}`;
  return [...gc ? [`in the collector ${format.duration(request.collector_ns)}`] : [],
          ...request.waits.length ? [`waits: ${waitsText(request)}`] : [],
          `the rest they ran${gc ? '' : ', collected'}${rest}`].join('; ');
}

// Says what [thread] does, or did at the end of the process.
function doingText({ activity, waiting_ns, spans }) {
  const for_ = waiting_ns === null ? '' : ` for ${format.duration(waiting_ns)}`;
  return (activity === null ? '' : `, ${format.phrase(activity)}${for_}`) +
    (spans.length ? `, in ${spans.map(format.name).join(' › ')}` : '');
}

// Says of a request that it is open, and what the thread that has it does; [threads]: all
// of the process.
function openText(request, threads, alive) {
  const thread = threads?.find(({ id }) => id === request.thread);
  const who = request.thread === null ? 'no thread'
    : threadName({ ...thread, thread: request.thread });
  return `${alive ? 'It has not ended' : 'It had not ended by the last event'}: ${who} ${
    alive ? 'has' : 'had'} it${thread ? doingText(thread) : ''}. `;
}

// A place with a request and some time around it.
function placeOf({ from, to }) {
  const margin = 0.05 * (to - from);
  return { from: Math.max(0, Math.floor(from - margin)), to: Math.ceil(to + margin) + 1 };
}

const refresh_ms = 2000;

// Returns what is known of the request; [gone]: its events are overwritten; [samples]: how
// many of [type] were taken in it, if that is known.  Asks again while it is open, if the
// process is [alive].
function useRequest(id, number, known, type, alive) {
  const [state, set] = useState({});
  useEffect(() => {
    const abort = new AbortController();
    let timer;
    const ask = async (again) => {
      const { requests: [ended], open: [open], runs, kept } =
        await getCovered(id, 'requests', { request: number }, abort.signal);
      const request = ended ?? (open && { ...open, open: true });
      if (!request) {
        set({ missing: true });
        return;
      }
      const { from, to } = request;
      const gone = request.overwritten && !runs.length;
      if (!again) set({ request, gone });
      // The rings of samples may go back farther.
      const [timeline, samples] = await Promise.all([
        gone ? undefined : get(ofProcess(id, 'timeline'), {
          from, to: Math.max(to, from + 1), width: most_pixels }, abort.signal),
        get(ofProcess(id, 'flame'), { type: typeNamed(type), request: number,
                                      ...placeOf(request) }, abort.signal)
          .then((answer) => answer.samples, () => undefined)]);
      set({ request, gone, kept, runs, timeline, samples });
      if (request.open && alive) timer = setTimeout(tryAsk, refresh_ms, true);
    };
    const tryAsk = (again) => ask(again).catch((e) => {
      if (e.name !== 'AbortError') set({ error: e.message });
    });
    tryAsk(false);
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [id, number, type, alive]);
  return state.error || state.missing || state.request ? state : { request: known, ...state };
}

// The way to the samples of the request or, if it has none, to those of all of its kind.
function ToSamples({ request: { number, name }, samples, gone, type, place, address }) {
  const to = (selected) => address.to({ ...allSamples, ...selected, type }, 'flame');
  return samples === 0
    ? html`${gone ? 'There is no sample of it' : 'No sample was taken in it'}: <a href=${to({ requests: name })}>flame graph of
      all ${format.name(name)}</a>`
    : html`<a href=${to({ ...place, request: number })}>Flame graph</a>${
      samples > 0 && ` of ${format.plural(samples, 'sample')}`}`;
}

// [found]: the answer with the slowest requests, or null; [threads]: of the process now.
export function OneRequest({ id, process, number, address, found, threads }) {
  const known = found?.answer.requests.find((r) => `${r.number}` === number);
  const alive = process.state === 'running';
  const records = (category) => process.categories?.includes(category);
  const type = records('profile_wait') ? 'wall' : null;
  const taken = records('profile');
  const { request: r, gone, missing, runs, timeline, kept, samples, error } =
    useRequest(id, number, known, type, alive);
  const place = r && { ...placeOf(r), last: null };
  return html`<section class="one-request" aria-label="A request">
    <h2>Request ${r ? format.name(r.name) : ''} ${number}
      ${' '}<a href=${address.to({ request: null })} aria-label="Close">✕</a></h2>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${missing && html`<p class="note">There is no end of this request: it goes on, or later
      events took the place of its own. ${taken && html`<a href=${address.to(
        { ...allSamples, ...rangeValues({ last: null }), request: number, type },
        'flame')}>Its samples</a> may be there
        still.`}</p>`}
    ${r && html`<p>${r.open && openText(r, threads, alive)}${
      format.duration(r.duration_ns)}${r.open && (alive ? ' so far' : ' until then')}, from ${
      format.moment(r.from, 1e3)}${r.running_ns == null ? '' : html`: threads had it
      for ${format.duration(r.running_ns)}; it was queued for ${
        format.duration(r.waiting_ns)}. While they had it: ${spentText(r, records)}`}.
      ${!gone && html`${' '}<a href=${address.to({ ...place, sel: null, at: null,
        ...selectionValues([r.from, after(r.to)]) }, 'timeline')}>Timeline</a> ·`}
      ${!gone && r.collector_ns > 0 && html`${' '}<a href=${address.to(
        { ...place, request: null }, 'tables')}>Pauses meanwhile</a> ·`}
      ${r.open && alive && html`${' '}<a href=${address.to({ request: null }, 'tables')}>Its
        thread, and stacks now</a> ·`}
      ${(!gone || taken || samples > 0) && html`${' '}
        <${ToSamples} ...${{ request: r, samples, gone, type, place, address }} />`}
      </p>`}
    ${gone && html`<${OverwrittenEvents} process=${process} name=${r.name}
      ns=${r.duration_ns} />`}
    ${!error && !missing && !timeline && !gone && html`<p class="quiet">Loading…</p>`}
    ${timeline && html`${r.overwritten && html`<${Complete} from=${r.from} kept=${kept} />`}
      <${Runs} ...${{ request: r, runs, timeline }} />
      <p class="quiet">What is inside another row of this table counts in both.</p>
      <${Table} name="request-work" columns=${columns} rows=${work(timeline, runs, r.waits)} />`}
  </section>`;
}
