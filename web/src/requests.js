// Requests: the durations of each kind, the slowest ones, and one of them.

import { html } from './html.js';
import * as format from './format.js';
import { allSamples } from './flame_selection.js';
import { Bars } from './histogram.js';
import { OneRequest, waitsText } from './one_request.js';
import { isOverwritten, OverwrittenMark, overwrittenText } from './overwritten.js';
import { coverText } from './range.js';
import { useRangeAnswer } from './range_answer.js';
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

// [waits]: they are recorded.
const columns = (address, waits) => [
  { label: 'Request', value: (r) => r.name,
    cell: (r, text) => html`<a href=${address.to({ request: r.number })}>${text} ${
      r.number}</a>${r.overwritten && html`<${OverwrittenMark} />`}` },
  ns('Duration', (r) => r.duration_ns),
  ns('On threads', (r) => r.running_ns, 'Time in which threads had it, with their waits'),
  ns('Queued', (r) => r.waiting_ns, 'Time in which no thread had it'),
  ns('Waited', (r) => waits && r.waits ? sum(r.waits.map((w) => w.total_ns)) : null,
     'Of the time on threads; the rest of it they ran, stood still for the collector, or ' +
       'waited too shortly to be recorded'),
  { label: 'For', value: (r) => waits && r.waits ? waitsText(r) : format.unknown },
  { label: 'End', value: (r) => r.to, text: (t) => format.moment(t, 1e6) }];

function Distribution({ kind }) {
  return html`<figure class="chart"><figcaption>${format.name(kind.name)}
    ${' '}<small>${format.count(kind.count)}, height logarithmic</small></figcaption>
    <${Bars} buckets=${kind.buckets}
      label=${`Durations of ${format.name(kind.name)}`} /></figure>`;
}

// Says which of the requests before the latest begin of [kept] the table has.
function overwrittenNote({ from }, kept) {
  const late = kept.filter((k) => k.begin_lost && k.from_ns > (from ?? 0));
  return late.length === 0 ? '' : `complete from ${
    format.moment(Math.max(...late.map((k) => k.from_ns)), 1e8)} on; before that,
    as far as they are in the range, the 16 slowest of each second of the last minute, and
    the 16 slowest since the start; `;
}

function Found({ found, address, waits, now, wider }) {
  const { requests, kinds, kept } = found.answer;
  return html`
    <p class="quiet">Requests that ended from ${
      coverText(found.span, now, kept)}${requests.some((r) => r.overwritten)
      && '. Those whose events are overwritten are in the list of the slowest only'}</p>
    ${!requests.length && html`<p class="empty">${isOverwritten(kept, found.span.to ?? now)
      ? overwrittenText : html`There is no event of a request that ended in this range.
      A program tells of its requests by${' '}<code>Eventring.Request</code>.`}${wider}</p>`}
    <${Table} name="request-kinds" columns=${kindColumns(address)} rows=${kinds} />
    <${Table} name="slowest" title="Slowest requests" columns=${columns(address, waits)}
      note=${`${overwrittenNote(found.span, kept)}click one to see what it did`}
      rows=${requests} limit=${20} />
    <div class="charts">${kinds.map((kind) => html`
      <${Distribution} key=${kind.name} kind=${kind} />`)}</div>`;
}

export function Requests({ id, process, data, address, range, wider }) {
  const chosen = address.values.request;
  const { found, error } = useRangeAnswer(id, 'requests', range, data,
                                          process.state === 'running', { limit: most });
  return html`<section class="requests">
    ${chosen && html`<${OneRequest} key=${chosen}
      ...${{ id, process, number: chosen, address, found }} />`}
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!found && !error && html`<p class="quiet">Computing…</p>`}
    ${found && html`<${Found} ...${{ found, address, now: data.now, wider }}
      waits=${process.categories?.includes('wait')} />`}
  </section>`;
}
