// Requests: the durations of each kind, the slowest ones, and one of them.

import { html } from './html.js';
import * as format from './format.js';
import { allSamples } from './flame_selection.js';
import { Bars } from './histogram.js';
import { OneRequest, waitsText } from './one_request.js';
import { isOverwritten, OverwrittenMark, overwrittenText } from './overwritten.js';
import { coverText } from './range.js';
import { useRangeAnswer } from './range_answer.js';
import { fileOf } from './save_file.js';
import { Table } from './table.js';

const most = 100;

const number = (label, value, meaning) => ({ label, value, meaning });
const ns = (label, value, meaning) =>
  ({ label, value, meaning, text: format.duration });

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

const kindColumns = (address) => [
  { label: 'Request', value: (k) => k.name }, number('Count', (k) => k.count),
  ns('p50', (k) => k.p50_ns), ns('p90', (k) => k.p90_ns), ns('p99', (k) => k.p99_ns),
  ns('Longest', (k) => k.max_ns),
  { label: 'Samples', value: () => '', cell: (k) => html`<a
      href=${address.to({ ...allSamples, requests: k.name }, 'flame')}>flame graph</a>` }];

// Returns the time that threads ran for a request, which is the rest of what is known.
const ran = (r) => r.running_ns == null ? null
  : Math.max(0, r.running_ns - r.collector_ns - sum(r.waits.map((w) => w.total_ns)));

const requestLink = (address) => (r, text) => html`<a
  href=${address.to({ request: r.number })}>${text} ${r.number}</a>${
  r.overwritten && html`<${OverwrittenMark} />`}`;

// [at]: the time of a request.
const timeColumn = (process, label, at) => ({
  label, value: at, text: (t) => format.moment(t, 1e6), unit: 'ns',
  cell: (r, text) => html`<span title=${format.timeOfDay(process, at(r))}>${text}</span>` });

// [waits], [collector]: they are recorded.
const columns = (process, address, { waits, collector }) => [
  { label: 'Request', value: (r) => r.name, cell: requestLink(address) },
  ns('Duration', (r) => r.duration_ns),
  ns('Ran', (r) => waits && collector ? ran(r) : null,
     'What is left for the threads that had it, with waits for a processor, and those that ' +
       'are too short to be recorded'),
  ns('Collector', (r) => collector ? r.collector_ns : null,
     'Time in which the threads that had it were in the collector, or stopped for it'),
  ns('Queued', (r) => r.waiting_ns, 'Time in which no thread had it'),
  ns('Waited', (r) => waits && r.waits ? sum(r.waits.map((w) => w.total_ns)) : null,
     'Time in which the threads that had it waited'),
  { label: 'For', value: (r) => waits && r.waits ? waitsText(r) : format.unknown },
  timeColumn(process, 'End', (r) => r.to)];

const openColumns = (process, address) => [
  { label: 'Request', value: (r) => r.name, cell: requestLink(address) },
  ns('So far', (r) => r.duration_ns),
  timeColumn(process, 'Begin', (r) => r.from),
  { label: 'Thread', value: (r) => r.thread, text: (t) => t === null ? 'queued' : String(t),
    meaning: 'That works on it; queued: none does' },
  ns('Queued', (r) => r.waiting_ns, 'Time in which no thread had it')];

function Distribution({ kind }) {
  return html`<figure class="chart"><figcaption>${format.name(kind.name)}
    ${' '}<small>${format.count(kind.count)}, height logarithmic</small></figcaption>
    <${Bars} buckets=${kind.buckets}
      label=${`Durations of ${format.name(kind.name)}`} /></figure>`;
}

// Returns from when on all requests of the range are in [kept], as text; '' if all are.
function lateText({ from }, kept) {
  const late = kept.filter((k) => k.begin_lost && k.from_ns > (from ?? 0));
  return late.length === 0 ? '' : format.moment(Math.max(...late.map((k) => k.from_ns)), 1e8);
}

function Found({ found, address, process, recorded, now, wider }) {
  const file = fileOf(process);
  const { requests, open, kinds, kept } = found.answer;
  const alive = process.state === 'running';
  const late = lateText(found.span, kept);
  return html`
    ${open.length > 0 && html`<${Table} name="open" file=${file}
      title=${alive ? 'Open requests' : 'Requests without an end'}
      note="the longest first; click one to see what it does"
      columns=${openColumns(process, address)} rows=${open} limit=${5} />`}
    <p class="quiet">Requests that ended from ${
      coverText(found.span, now, kept)}</p>
    ${!requests.length && html`<p class="empty">${isOverwritten(kept, found.span.to ?? now)
      ? overwrittenText : html`There is no event of a request that ended in this range.${' '}
      ${!open.length && html`A program tells of its requests
        by${' '}<code>Eventring.Request</code>.`}`}${wider}</p>`}
    <${Table} name="request-kinds" file=${file} title="Durations" columns=${kindColumns(address)}
      note=${late && `only from ${late} on: later events took the place of those before`}
      rows=${kinds} />
    <${Table} name="slowest" file=${file} title="Slowest requests" columns=${columns(process, address, recorded)}
      note=${(late && `complete from ${late} on; before that, as far as they are in the
        range, the 16 slowest of each second of the last minute, and the 16 slowest since
        the start; `) + 'click one to see what it did'}
      rows=${requests} limit=${20} />
    <div class="charts">${kinds.map((kind) => html`
      <${Distribution} key=${kind.name} kind=${kind} />`)}</div>`;
}

export function Requests({ id, process, data, address, range, wider }) {
  const chosen = address.values.request;
  const records = (category) => process.categories?.includes(category);
  const { found, error } = useRangeAnswer(id, 'requests', range, data,
                                          process.state === 'running', { limit: most });
  return html`<section class="requests">
    ${chosen && html`<${OneRequest} key=${chosen}
      ...${{ id, process, number: chosen, address, found }}
      threads=${data.detail?.threads} />`}
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!found && !error && html`<p class="quiet">Computing…</p>`}
    ${found && html`<${Found} ...${{ found, address, process, now: data.now, wider }}
      recorded=${{ waits: records('wait'), collector: records('gc') }} />`}
  </section>`;
}
