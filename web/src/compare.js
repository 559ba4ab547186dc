// Two runs compared: a table of differences, and charts laid over each other,
// with times relative to the begin of each run, or of its last part.

import { html, useEffect, useState } from './html.js';
import { useAnswer } from './answer.js';
import { decoded } from './api.js';
import { Chart, seriesColour } from './chart.js';
import { CopyLink } from './copy_link.js';
import * as format from './format.js';
import { begin, History } from './history.js';
import { processAddress } from './address.js';
import { Table } from './table.js';

const texts = {
  ns: format.duration, share: format.share, bytes: format.bytes,
  bytes_per_s: format.byteRate,
  per_s: (n) => n == null || n === 0 || n >= 10 ? format.rate(n)
    : `${n.toPrecision(2)}/s` };

const reading_ms = 1000;        // until the next question
const similar = 2;              // runs of which one is at most so much longer

const groups = [
  ['total', 'Totals'], ['pauses', 'Pauses'], ['spans', 'Spans'],
  ['requests', 'Requests'], ['waits', 'Waits'], ['causes', 'Causes']];

const change = ({ a, b }) => a == null || b == null || a === 0 ? null : b / a;

function changeText(factor) {
  if (factor === null) return format.unknown;
  if (factor >= 2) return `× ${factor.toFixed(factor < 10 ? 1 : 0)}`;
  const percent = 100 * (factor - 1);
  return Math.abs(percent) < 0.05 ? '0 %'
    : `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(1)} %`;
}

const side = (label, key) => ({
  label, value: (d) => d[key],
  cell: (d) => texts[d.unit]?.(d[key]) ?? format.count(d[key]) });

const columns = [
  { label: 'Name', value: (d) => d.name, text: format.phrase },
  { label: 'Measure', value: (d) => d.measure === 'size' ? 'size at the end' : d.measure },
  side('A', 'a'), side('B', 'b'),
  { label: 'From A to B', value: change, text: changeText }];

const some = ({ a, b }) => (a ?? 0) !== 0 || (b ?? 0) !== 0;

function Differences({ differences }) {
  return groups.map(([group, title]) => html`
    <${Table} key=${group} name=${`differences-${group}`} title=${title}
      columns=${columns} limit=${30}
      rows=${differences.filter((d) => d.group === group && some(d))} />`);
}

// Returns the name of a difference that the first sentence may tell: of totals, and of
// usual durations of pauses and requests; null for others.
function subject({ group, name, measure }) {
  if (group === 'total') return format.phrase(name);
  if (!['mean', 'p50', 'p90', 'p99'].includes(measure)) return null;
  if (group === 'requests') return `${format.name(name)} ${measure}`;
  return group === 'pauses' && name === 'any' ? `pauses ${measure}` : null;
}

// The length of the time that was compared; [to_ns] is null without events.
function lengthText(run) {
  return run.to_ns === null ? 'no events of this time'
                            : format.duration(run.to_ns - run.from_ns);
}

const named = 3;                // differences in the first sentence
const least = 0.1;              // of them, as a share
const least_of_few = 0.5;       // of what one moment or a few events decide

const leastOf = ({ measure }) => ['size', 'p99'].includes(measure) ? least_of_few : least;

// By the ratio: half is as much as twice.
function MostChanged({ a, b, differences }) {
  const size = (d) => Math.abs(Math.log(change(d)));
  const all = differences.filter((d) => subject(d) && change(d) !== null);
  const large = all.filter((d) => Math.abs(change(d) - 1) >= leastOf(d))
    .sort((x, y) => size(y) - size(x));
  if (!all.length) return html`<p>No total, pause or request of both is known.</p>`;
  const looked = `Of totals, and of usual durations of all pauses and of requests, over all of
    A (${lengthText(a)}) and B (${lengthText(b)}),`;
  return html`<p>${large.length
    ? html`<b>${looked} most changed from A to B:</b> ${large.slice(0, named).map((d) =>
        `${subject(d)} ${changeText(change(d))}`).join(', ')}.`
    : `${looked} none differs by ${format.share(least)} or more (sizes and p99 by ${
      format.share(least_of_few)}).`}
    ${' '}<span class="quiet">One run of each: a difference may be chance.
    ${' '}<a href="#/runs">Batches of runs</a> tell.</span></p>`;
}

// The history of [id], with all tiers, and again while the server reads it; null until
// it has come.
function useHistory(id) {
  const [history, set] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    let timer;
    const load = async () => {
      const next = new History(id);
      const reading = await Promise.all(next.tiers.map(
        (tier) => next.load(tier, abort.signal)));
      set(next);
      return reading.includes(true);
    };
    const start = () => load().catch((e) => e.name !== 'AbortError')
      .then((again) => { if (again) timer = setTimeout(start, reading_ms); });
    start();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, []);
  return history;
}

const length = (tier) =>
  tier.count ? tier.end * tier.ns - begin(tier) : 0;

// Returns the length of a run: that in the finest tier that has all of it, since a
// coarse one has whole rows.
function wholeLength({ tiers }) {
  const isLonger = (tier, fine) => length(tier) - length(fine) >= 2 * tier.ns;
  return length(tiers.find((fine, i) =>
    !tiers.slice(i + 1).some((tier) => isLonger(tier, fine))));
}

// Returns the index of the tier to draw the last [ns] of both with: the finest that
// has them, and not too many rows.
function commonTier(histories, ns) {
  const fits = (i) => ns / histories[0].tiers[i].ns <= 1500 &&
    histories.every((h) => length(h.tiers[i]) >=
      Math.min(ns, wholeLength(h)) - 2 * h.tiers[i].ns);
  return [0, 1, 2].find(fits) ?? 2;
}

// Returns [rows] values of the column [key] of [tier], its last ones, or from its begin
// on if it has fewer.
function lastRows(tier, key, rows) {
  const first = Math.max(begin(tier) / tier.ns, tier.end - rows);
  const values = tier.values(tier.columns[key], first,
                             Math.min(tier.end, first + rows));
  return [...values, ...new Array(rows - values.length).fill(null)];
}

const charts = [
  ['Collecting', 'collecting', format.share, { note: 'share of the time' }],
  ['Pauses', 'p99_ns', format.duration, { note: '99 %', logarithmic: true }],
  ['Allocation', 'alloc_bytes_per_s', format.byteRate, { binary: true }],
  ['Promotion', 'promoted_bytes_per_s', format.byteRate, { binary: true }],
  ['Major heap', 'heap_bytes', format.bytes, { binary: true }],
  ['Resident memory', 'resident_bytes', format.bytes, { binary: true }]];

function Charts({ a, b }) {
  const [zoom, setZoom] = useState(null);
  const [asked, ask] = useState(null);
  const histories = [useHistory(a), useHistory(b)];
  if (histories.includes(null)) return html`<p class="quiet">Loading…</p>`;
  const [shorter, longer] = histories.map(wholeLength).sort((x, y) => x - y);
  const all = asked ?? (shorter === 0 || longer <= similar * shorter);
  const index = commonTier(histories, all ? longer : shorter);
  const tiers = histories.map((h) => h.tiers[index]);
  const lengths = tiers.map((t) => Math.round(length(t) / t.ns));
  const rows = Math.max(1, all ? Math.max(...lengths) : Math.min(...lengths));
  const step = tiers[0].ns / 1e9;
  const seconds = Array.from({ length: rows }, (_, i) => (i + 1) * step);
  const [from, to] = zoom ?? [0, rows * step];
  return html`
    <div class="toolbar">
      ${[[false, `The last ${format.duration(shorter)} of each`],
         [true, 'All of both']].map(([value, label]) => html`
        <button key=${label} aria-pressed=${all === value}
          onClick=${() => { ask(value); setZoom(null); }}>${label}</button>`)}
      <span class="quiet">Time since the begin ${all ? 'of each run'
        : 'of this time'}; drag to enlarge</span></div>
    <div class="charts">${charts.map(([title, key, text, more]) => html`
      <${Chart} key=${key} title=${title} text=${text} ...${more}
        relative=${true} seconds=${seconds} from=${from} to=${to}
        onZoom=${(x, y) => setZoom([x, y])} series=${tiers.map((tier, i) => ({
          label: 'AB'[i], colour: seriesColour(i),
          dash: i ? [6, 4] : undefined,        // A shows through
          values: lastRows(tier, key, rows) }))} />`)}</div>`;
}

// [file]: the name of the recording, if it is in the store.
function Run({ letter, run, id, file }) {
  return html`<p><b class=${`run ${letter}`}>${letter}</b>
    ${' '}<a href=${processAddress(id)}>${format.program(run)}</a>
    ${' '}<span class="quiet">${file && `${format.name(file)}, `}pid ${run.pid}, ${
      run.format}, started ${
      format.date(run.started_unix_ns)}, ${lengthText(run)}${run.lost_events
      ? `, ${format.count(run.lost_events)} events overwritten or lost`
      : ''}</span></p>`;
}

const alike = 1.2;              // lengths of which one is at most so many times the other

// Says that maxima of times of different length cannot be compared; [a], [b]: the runs.
function maximaText(a, b) {
  if (a.to_ns === null || b.to_ns === null) return '';
  const [of_a, of_b] = [a, b].map((run) => run.to_ns - run.from_ns);
  const [longer, factor] = of_a > of_b ? ['A', of_a / of_b] : ['B', of_b / of_a];
  return !(factor > alike && factor < Infinity) ? ''
    : ` ${longer} is ${factor.toFixed(factor < 10 ? 1 : 0)} times as long: that alone makes its
    maxima larger.`;
}

// [rest]: the ids, from the address.
export function Compare({ rest }) {
  const [a, b] = rest.map((id) => decoded(id ?? ''));
  const { answer, error, again } = useAnswer('/api/compare',
                                             { parameters: { a, b } });
  const { answer: store } = useAnswer('/api/saved');
  const recording = (id) => store?.saved.find((s) => s.id === id)?.name;
  return html`<main>
    <div class="heading"><a href="#/saved" class="back">‹ Saved</a>
      <h1>Comparison</h1> <button onClick=${again}>Compute again</button>
      <${CopyLink} /></div>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!answer && !error && html`<p class="quiet">Loading…</p>`}
    ${answer && html`
      <${Run} letter="A" run=${answer.a} id=${a} file=${recording(a)} />
      <${Run} letter="B" run=${answer.b} id=${b} file=${recording(b)} />
      <${MostChanged} ...${answer} />
      <${Charts} a=${a} b=${b} />
      <p class="quiet">The numbers below are of all of both, whatever the charts show. Rates are for each second in
        which the process was watched, of the time from which the rings of all domains
        have events.${maximaText(answer.a, answer.b)}</p>
      <${Differences} differences=${answer.differences} />`}
  </main>`;
}
