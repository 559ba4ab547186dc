// Tables of numbers of the range: the server computes them as eventring stat does.

import { html, useEffect } from './html.js';
import * as format from './format.js';
import { pauseAddress } from './choice.js';
import { obstacle } from './control.js';
import { fileOf } from './save_file.js';
import { Table } from './table.js';
import { isOverwritten, OverwrittenMark, overwrittenText } from './overwritten.js';
import { coverText } from './range.js';
import { useRangeAnswer } from './range_answer.js';
import { Stacks } from './stacks.js';

const ns = (label, value, meaning) =>
  ({ label, value, meaning, text: format.duration });
const number = (label, value, meaning) => ({ label, value, meaning });

const durations = [
  number('Count', (r) => r.count), ns('Total', (r) => r.total_ns),
  ns('p50', (r) => r.p50_ns), ns('p90', (r) => r.p90_ns),
  ns('p99', (r) => r.p99_ns), ns('Longest', (r) => r.max_ns)];

const part = (d, part_ns) =>
  part_ns == null || !d.watched_ns ? null : part_ns / d.watched_ns;

// In minor heaps and directly in the major heap, if that is known.
const allocated = (d) => d.allocated_words
  + Math.max(0, (d.major_allocated_words ?? 0) - d.promoted_words);

// [state]: of the process.
const domainColumns = (state) => [
  number('Domain', (d) => d.id),
  { label: 'Name', value: (d) => d.name ?? '' },
  { label: 'State', value: (d) => d.ended ? 'ended' : state },
  { label: 'From', value: (d) => d.from_ns,
    text: (ns) => format.moment(ns, 1e8),
    unit: 'ns',
    meaning: 'The begin of the time that the numbers cover' },
  { label: 'Running', value: (d) => part(d, d.running_ns), text: format.share },
  { label: 'GC', value: (d) => d.gc_share, text: format.share },
  { label: 'Waiting', value: (d) => part(d, d.waiting_ns), text: format.share },
  number('Pauses', (d) => d.pauses.any.count),
  ns('p50', (d) => d.pauses.any.p50_ns), ns('p99', (d) => d.pauses.any.p99_ns),
  ns('Longest', (d) => d.pauses.any.max_ns),
  ns('Arrival p99', (d) => d.arrivals?.p99_ns,
     'From the request for a stop until this domain had stopped'),
  { label: 'Allocated', value: (d) => format.bytesOfWords(allocated(d)),
    text: format.bytes },
  { label: 'Promoted', value: (d) => format.bytesOfWords(d.promoted_words),
    text: format.bytes },
  number('Minor', (d) => d.minor_collections, 'Minor collections')];

const nowColumns = [
  number('Domain', (d) => d.id), { label: 'Name', value: (d) => d.name ?? '' },
  { label: 'Doing', value: (d) => d.activity ?? '', text: format.phrase },
  { label: 'Span', value: (d) => d.user_span ?? '', meaning: 'Of the program' },
  { label: 'Last wait', value: (d) => d.wait ?? '',
    text: format.phrase },
  { label: 'Waiting', value: (d) => d.wait_share, text: format.share },
  { label: 'GC', value: (d) => d.gc_share, text: format.share },
  { label: 'Allocation', value: (d) => d.alloc_bytes_per_s,
    text: format.byteRate },
  { label: 'Minor', value: (d) => d.minor_per_s, text: format.rate,
    meaning: 'Minor collections' },
  { label: 'Slices', value: (d) => d.slices_per_s, text: format.rate,
    meaning: 'Slices of major collection' },
  ns('Last pause', (d) => d.last_pause_ns),
  ns('Longest of all', (d) => d.max_pause_ns, 'Of the pauses that the server has read')];

const spanColumns = [
  { label: 'Span', value: (s) => s.name },
  { label: 'Of', value: (s) => s.user ? 'program' : 'runtime' }, ...durations];

const waitColumns = [
  { label: 'Waiting for', value: (w) => w.name, text: format.phrase },
  ...durations];

const requestColumns = [
  { label: 'Request', value: (r) => r.name }, ...durations,
  number('Not finished', (r) => r.not_finished),
  ns('On threads p50', (r) => r.running?.p50_ns,
     'Time in which threads had it, with their waits'),
  ns('Queued p50', (r) => r.waiting?.p50_ns, 'Time in which no thread had it')];

const causeColumns = [
  { label: 'Collection', value: (c) => c.kind, text: format.phrase },
  { label: 'Cause', value: (c) => c.cause, text: format.phrase },
  number('Count', (c) => c.count), ns('Total', (c) => c.total_ns),
  ns('Longest', (c) => c.max_ns)];

// [kept]: what the rings have now.
const pauseColumns = (process, address, kept) => [
  { label: 'End', value: (p) => p.end_ns, text: (t) => format.moment(t, 1e6),
    unit: 'ns',
    cell: (p, text) => html`<a href=${pauseAddress(address, p)}
      title=${format.timeOfDay(process, p.end_ns)}>${text}</a>${
      isOverwritten(kept.filter((k) => k.domain === p.domain), p.end_ns) &&
        html`<${OverwrittenMark} />`}` },
  ns('Duration', (p) => p.duration_ns), number('Domain', (p) => p.domain),
  number('Domains', (p) => p.domains, 'How many domains paused together'),
  number('Requested by', (p) => p.requested_by,
         'The domain that asked for the pause'),
  number('Arrived last', (p) => p.arrived_last,
         'The domain for which the others waited longest'),
  { label: 'Event', value: (p) => p.name ?? '', text: format.phrase },
  { label: 'Cause', value: (p) => p.cause ?? '', text: format.phrase }];

// [alive]: the process is; otherwise what it did at its end is said.
const threadColumns = (address, now, alive) => [
  { label: 'Thread', value: (t) => t.id, text: String,
    meaning: 'Its id in the system' },
  { label: 'Name', value: (t) => t.name ?? (t.backup ? 'backup' : ''),
    meaning: 'The backup thread of a domain collects while the domain waits' },
  number('Number', (t) => t.thread_id, 'Its id in the threads library'),
  number('Domain', (t) => t.domain),
  { label: alive ? 'Doing' : 'Did', text: format.phrase,
    value: (t) => t.activity ?? (alive ? '' : 'no open span') },
  ns(alive ? 'Has waited' : 'Had waited', (t) => t.waiting_ns,
     'Since when it sleeps, as far as is known'),
  ...alive ? [] : [{ label: 'Last event', value: (t) => t.last_ns, unit: 'ns',
    text: (ns) => format.moment(ns, 1e3) }],
  { label: 'Request', value: (t) => t.request?.number ?? '',
    cell: ({ request }, text) => request && html`<a href=${address.to(
      { request: request.number }, 'requests')}>${request.name
      ? format.name(request.name) : 'request'} ${text}</a>` },
  { label: 'Spans', value: (t) => t.spans.join(' › '),
    meaning: 'Of the program, that are open, the outermost first' },
  { label: 'Last wait', value: (t) => t.wait ?? '', text: format.phrase,
    meaning: 'That has ended: what a wait is for is known at its end' },
  ns('Took', (t) => t.wait_ns, 'The duration of its last wait that has ended'),
  { label: 'Running', value: (t) => t.running_share, text: format.share },
  { label: 'GC', value: (t) => t.gc_share, text: format.share,
    meaning: 'In collections and stops' },
  { label: 'Waiting', value: (t) => t.wait_share, text: format.share },
  ns('Lives', (t) => (t.ended ? t.last_ns : now) - t.first_ns,
     'From its first event until now, or until its last one')];

const counterColumns = [
  { label: 'Counter', value: (c) => c.name },
  number('Value', (c) => c.value, 'The latest')];

// Returns rows of kind, cause, count, total_ns and max_ns.
function causeRows({ causes = {}, cause_times = {} }) {
  return Object.entries(causes).flatMap(([kind, counts]) =>
    Object.entries(counts).map(([cause, count]) =>
      ({ kind, cause, count, ...cause_times[kind]?.[cause] })))
    .sort((a, b) => (b.total_ns ?? 0) - (a.total_ns ?? 0));
}

// Returns the domains of [stat], with the time since the start from which on
// their numbers are known.
const withBegin = ({ domains, process }) => domains.map((d) => ({
  ...d, domain: d.id, from_ns: d.watched_from_ns == null ? null
    : Math.max(0, d.watched_from_ns - process.started_ns) }));

// Says which time the numbers of [stat] cover.
function timeOf({ span, answer }, now) {
  const kept = withBegin(answer).filter((d) => d.from_ns !== null);
  return coverText(span, now, kept) +
    (answer.all_read ? ': all that the server has read' : '');
}

// The sums since tracing started, with events that are overwritten.
function Totals({ totals: t }) {
  const words = t.allocated_words + t.major_allocated_words - t.promoted_words;
  return html`<p class="quiet" data-totals>Since tracing started:
    ${' '}${format.count(t.minor_collections)} minor collections,
    ${' '}${format.count(t.major_cycles)} major cycles,
    ${' '}${format.words(words)} allocated,
    ${' '}${format.count(t.pauses)} pauses of ${format.duration(t.paused_ns)}, the
    longest ${format.duration(t.longest_pause_ns)}</p>`;
}

function Cover({ stat, error, now }) {
  if (error) return html`<p class="error" role="alert">${format.name(error)}</p>`;
  return stat && html`<p class="quiet" data-from=${stat.span.from ?? ''}
    data-to=${stat.span.to ?? ''}>${timeOf(stat, now)}</p>
    ${isOverwritten(stat.answer.kept, stat.span.to ?? now) && html`
      <p class="empty">${overwrittenText}</p>`}`;
}

// The numbers of the last second, which come by the stream.
function Now({ detail, file }) {
  return html`
    <${Table} name="now" title="Domains now" columns=${nowColumns} file=${file}
      rows=${detail?.domains?.filter((d) => !d.ended)} />
    <${Table} name="counters" title="Counters of the program" file=${file}
      columns=${counterColumns} rows=${detail?.counters} />`;
}

export function Tables({ id, process, data, address, range, server, live }) {
  const alive = process.state === 'running';
  const { found: stat, error } = useRangeAnswer(id, 'stat', range, data, alive);
  const file = fileOf(process);
  const numbers = stat?.answer;
  const { table } = address.values;
  useEffect(() => {
    if (numbers && table)
      document.querySelector(`[data-table="${CSS.escape(table)}"]`)?.scrollIntoView();
  }, [!numbers, table]);
  const pauses = numbers && [...numbers.long_pauses].sort((a, b) => b.duration_ns - a.duration_ns);
  return html`<section>
    ${alive && html`<${Now} detail=${data.detail} file=${file} />`}
    <${Table} name="threads" title="Threads" file=${file}
      note=${`shares are of the last second${alive ? '' : ' before the end'}`}
      columns=${threadColumns(address, data.now, alive)} rows=${data.detail?.threads} />
    ${alive && html`<${Stacks} id=${id} why=${obstacle(process, server, live)} />`}
    <h2>Numbers of the range</h2>
    <${Cover} ...${{ stat, error, now: data.now }} />
    ${!numbers && !error && html`<p class="quiet">Computing…</p>`}
    ${numbers?.all_read && numbers.totals &&
      html`<${Totals} totals=${numbers.totals} />`}
    ${numbers && html`
      <${Table} file=${file} name="domains" title="Domains"
        columns=${domainColumns(alive ? 'alive' : process.state)}
        rows=${withBegin(numbers)} />
      <${Table} file=${file} name="pauses" title="Longest pauses" columns=${pauseColumns(process, address, numbers.kept)}
        note=${`of the range; what a domain does not notice, since it waits, is no pause, but
          counts below${process.lost_events > 0 && alive
          ? '; some may be missing: the server lost events before it read them' : ''
          }; click a time to see it in the timeline`}
        rows=${pauses} />
      <${Table} file=${file} name="causes" title="Causes of collections and stops"
        note="of a collection: the time of the domain that asked; of a stop: the work, without
          the time until the last domain arrived"
        columns=${causeColumns} rows=${causeRows(numbers)} />
      <${Table} file=${file} name="spans" title="Spans" columns=${spanColumns}
        rows=${numbers.spans} />
      <${Table} file=${file} name="requests" title="Requests" columns=${requestColumns}
        rows=${numbers.requests} />
      <${Table} file=${file} name="waits" title="Waits" columns=${waitColumns}
        rows=${numbers.waits} />`}
  </section>`;
}
