// The charts of a process: over time, with one range and one cursor for all,
// and the histogram of its pauses.

import { html } from './html.js';
import { allSamples } from './flame_selection.js';
import * as format from './format.js';
import { Chart, counterColour, heapColour, seriesColour } from './chart.js';
import { beginOf } from './history.js';
import { Histogram } from './histogram.js';
import { isFixed, limits } from './range.js';
import { useFreshTier, useTiers } from './tiers.js';
import { waitColour } from './waits.js';

const shortest = 10e9;
const most_domains = 16;
const most_counters = 12;
const most_names = 8;           // of spans and of requests

// Returns what is shown: [from, to] in ns since the start.
function windowOf(range, now, history, alive) {
  const { from, to } = limits(range, now);
  return [from ?? beginOf(history),
          isFixed(range) || !alive ? to ?? now : Math.max(now, shortest)];
}

function slice(tier, [from, to], started) {
  const first = Math.max(tier.first, tier.search(from) - 1);
  const last = Math.min(tier.end, tier.search(to) + 1);
  return {
    seconds: Array.from({ length: Math.max(0, last - first) },
                        (_, i) => (started + (first + i) * tier.ns) / 1e9),
    column: (columns, key) => tier.values(columns?.[key], first, last) };
}

// The share in which a domain waits is what the others leave.
const remainder = (running, collecting) => running.map((r, i) =>
  r === null || collecting[i] === null ? null : 1 - r - collecting[i]);

const shares = (take, columns) => [
  { label: 'running', colour: 'running', fill: true },
  { label: 'collecting', colour: 'collecting', fill: true },
  { label: 'waiting', colour: 'waiting', fill: true },
].map((s) => ({ ...s, values: s.label in columns ? take(columns, s.label)
  : remainder(take(columns, 'running'), take(columns, 'collecting')) }));

function Domains({ tier, take, common, names }) {
  const domains = tier.columns.domains ?? {};
  const ids = Object.keys(domains);
  if (ids.length < 2) return null;
  return html`${ids.slice(0, most_domains).map((id) => html`
      <${Chart} ...${common} key=${`domain ${id}`} height=${70} legend=${false}
        title=${names.get(id) ?? `Domain ${id}`} stacked=${true} max=${1}
        text=${format.share} series=${shares(take, domains[id])} />`)}
    ${ids.length > most_domains && html`<p class="note">${
      `There were more than these ${most_domains} domains.`}</p>`}`;
}

// The latest value, and the counter's name for programs that read the page.  [value]: if the
// range ends with the data; else of the [values] that are drawn.
const latest = (name, value, values) => html`latest: <span data-counter=${name}>${
  format.compact(value ?? values.findLast((v) => v !== null))}</span>`;

// [known]: the latest values, or undefined if the range ends earlier.
function Counters({ tier, take, common, known }) {
  const counters = tier.columns.counters ?? {};
  return Object.keys(counters).slice(0, most_counters).map((key) => {
    const values = take(counters, key);
    return html`
      <${Chart} ...${common} key=${`counter ${key}`} height=${100} legend=${false}
        title=${format.name(key)} note=${latest(
          key, known?.find(({ name }) => name === key)?.value, values)}
        text=${format.compact} series=${[
          { label: format.name(key), colour: counterColour, values }]} />`;
  });
}

const threads = (n) => n == null ? format.unknown : n.toFixed(2);

// A link to the flame graph of the type [type].
const flameLink = (address, type, text) => html`<a
  href=${address.to({ ...allSamples, type }, 'flame')}>${text}</a>`;

const line = (take, columns) => (label, key, colour, fill) =>
  ({ label, colour, fill, values: take(columns, key) });

function Main({ tier, take, common, address }) {
  const of = line(take, tier.columns);
  return html`
    <${Chart} ...${common} title="Utilisation" wide=${true} stacked=${true}
      note="of all domains" link=${flameLink(address, 'cpu', 'by function')} max=${1} text=${format.share}
      series=${shares(take, tier.columns)} />
    <${Chart} ...${common} title="Pauses"
      note="for the collector"
      link=${html`<a href=${address.to({ table: 'pauses' }, 'tables')}>the longest</a>`}
      logarithmic=${true} text=${format.duration} series=${[
        of('p50', 'p50_ns', seriesColour(2)), of('p99', 'p99_ns', seriesColour(0)),
        // Often the same: p99 shows through
        { ...of('longest', 'max_ns', seriesColour(1)), dash: [6, 6] }]} />
    <${Chart} ...${common} title="Allocation" binary=${true}
      link=${flameLink(address, 'alloc', 'by function')}
      text=${format.byteRate} series=${[
        of('allocated', 'alloc_bytes_per_s', seriesColour(0)),
        of('promoted', 'promoted_bytes_per_s', seriesColour(1))]} />
    <${Chart} ...${common} title="Memory" binary=${true}
      link=${flameLink(address, 'live', 'what is alive, by function')}
      text=${format.bytes} series=${[
        of('resident', 'resident_bytes', seriesColour(0)),
        of('major heap', 'heap_bytes', heapColour)]} />`;
}

const some = (values) => values.some((v) => v !== null);
// The spans or requests of the program in two charts: how many, how long.
function Ended({ columns, take, common, title }) {
  const all = Object.keys(columns ?? {});     // a name keeps its colour
  const series = (key, names) => names.map((name) => ({
    label: format.name(name), colour: seriesColour(all.indexOf(name)),
    values: take(columns[name], key) }));
  const names = all
    .filter((name) => some(take(columns[name], 'mean_ns')))
    .slice(0, most_names);
  if (names.length === 0) return null;
  return html`
    <${Chart} ...${common} title=${`${title}: rate`} note="ended in a second"
      text=${format.rate} series=${series('per_s', names)} />
    <${Chart} ...${common} title=${`${title}: mean duration`}
      logarithmic=${true} text=${format.duration}
      series=${series('mean_ns', names)} />`;
}

const openWait = 'unfinished wait';

// Shares of the time of one thread: they add up to the threads that waited.  Waits
// that go on are on top: their kind is known when they end.
function Waits({ columns, take, common, address }) {
  const kinds = Object.keys(columns ?? {}).filter((name) => name !== openWait);
  const series = [...kinds, openWait].map((name) => ({
    label: format.phrase(name), fill: true, colour: waitColour(name),
    values: take(columns, name) })).filter((s) => s.values.some((v) => v > 0));
  if (series.length === 0) return null;
  return html`
    <${Chart} ...${common} title="Waits"
      note="mean number of threads" link=${flameLink(address, 'wait', 'by function')}
      stacked=${true} text=${threads} series=${series} />`;
}

function Heap({ columns, take, common }) {
  const kinds = [
    ['live', 'pool_live_bytes', seriesColour(0)],
    ['large blocks', 'large_bytes', seriesColour(3)],
    ['free', 'pool_free_bytes', seriesColour(2)],
    ['fragmented', 'fragmented_bytes', seriesColour(1)]];
  const series = kinds.map(([label, key, colour]) =>
    ({ label, colour, fill: true, values: take(columns, key) }));
  if (!series.some((s) => some(s.values))) return null;
  return html`
    <${Chart} ...${common} title="Major heap" stacked=${true} binary=${true}
      note="at the end of the last cycle" text=${format.bytes}
      series=${series} />`;
}

// What has no data has no chart.
function Kinds({ tier, take, common, address }) {
  const { spans, requests, waits, heap } = tier.columns;
  return html`
    <${Ended} title="Spans" columns=${spans} take=${take} common=${common} />
    <${Ended} title="Requests" columns=${requests} take=${take}
      common=${common} />
    <${Waits} columns=${waits} ...${{ take, common, address }} />
    <${Heap} columns=${heap} take=${take} common=${common} />`;
}

function domainNames(detail) {
  return new Map((detail?.domains ?? []).map((d) => [
    String(d.id), `Domain ${d.id}${d.name ? ` ${format.name(d.name)}` : ''}`]));
}

export function Charts({ process, data, live, address, range, setRange }) {
  const alive = process.state === 'running';
  const { history, detail, now } = data;
  const view = windowOf(range, now, history, alive);
  const tier = history.tierFor(...view);
  useTiers([tier], data, live);
  useFreshTier(tier, data, live && alive && !isFixed(range));
  const started = process.started_unix_ns;
  const { seconds, column } = slice(tier, view, started);
  const common = {
    process, seconds, from: (started + view[0]) / 1e9, to: (started + view[1]) / 1e9,
    onZoom: (...times) => {
      const [from, to] = times.map((s) => s * 1e9 - started);
      setRange({ from: Math.max(0, from), to });
    } };
  return html`<section>
    <p class="quiet hint">${!tier.loaded ? 'Loading…'
      : 'Drag in a chart to enlarge a time; blank: not recorded or lost'}${
      tier.loaded && process.reading && '. The server still reads the past'}</p>
    <div class="charts">
      <${Main} take=${column} ...${{ tier, common, address }} />
      <${Kinds} take=${column} ...${{ tier, common, address }} />
      <${Histogram} distributions=${detail?.distributions} />
    </div>
    <div class="charts small">
      <${Domains} tier=${tier} take=${column} common=${common}
        names=${domainNames(detail)} />
      <${Counters} take=${column} ...${{ tier, common }}
        known=${isFixed(range) ? undefined : detail?.counters} />
    </div>
  </section>`;
}
