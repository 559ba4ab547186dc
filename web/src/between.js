// The time between two events that the user chooses by filters: a histogram,
// the times in the order in which they ended, and the longest ones.

import { html, useEffect, useState } from './html.js';
import { useAnswer } from './answer.js';
import { ofProcess } from './api.js';
import { Chart, seriesColour } from './chart.js';
import { selectionValues } from './choice.js';
import * as format from './format.js';
import { Bars } from './histogram.js';
import { after, threadName } from './lanes.js';
import { coverText, rangeValues } from './range.js';
import { useRangeAnswer } from './range_answer.js';
import { fileOf } from './save_file.js';
import { Table } from './table.js';

const scopes = [['thread', 'the same thread'], ['domain', 'the same domain'],
                ['process', 'the process']];
const help = 'Words: a name, or name=, domain=, thread=, categories=, ' +
  'form=begin or form=end; > and a time';

// Returns the filter that only [name] passes.  A byte that is not UTF-8, and a
// quote, which a filter cannot have, become a pattern for any character.  The server
// takes a > or < before a number, or alone, for a comparison.
export function filterOf(name) {
  const pattern = name.replace(/\\x[0-9a-f]{2}|"/g, '\0')
    .replace(/[\\*?[\]]/g, '\\$&').replaceAll('\0', '?');
  return /[\s=]|[<>]\d|^[<>]?$/.test(pattern) ? `name="${pattern}"` : pattern;
}

function Names({ id }) {
  const { answer } = useAnswer(ofProcess(id, 'names'));
  return html`<datalist id="names">${answer?.names.map((name) => html`
    <option key=${name} value=${filterOf(name)}>${format.name(name)}</option>`)}
    </datalist>`;
}

function Form({ wish, ask, id }) {
  const [text, setText] = useState({ first: wish.first, then: wish.then });
  const [scope, setScope] = useState(wish.scope);
  useEffect(() => {
    setText({ first: wish.first, then: wish.then });
    setScope(wish.scope);
  }, [wish.first, wish.then, wish.scope]);
  const submit = (event) => {
    event.preventDefault();
    ask({ first: text.first.trim(), then: text.then.trim(), scope });
  };
  const input = (name, label, example) => html`
    <label class="filter">${label} <input type="search" name=${name}
      list="names" required value=${text[name]} spellcheck=${false}
      placeholder=${example} title=${help}
      onInput=${(e) => setText({ ...text, [name]: e.target.value })} /></label>`;
  return html`<form class="toolbar" onSubmit=${submit}>
    <${Names} id=${id} />
    ${input('first', 'From', 'An event, such as: minor')}
    ${input('then', 'to the next', 'An event, such as: minor form=end')}
    <label>of <select name="scope" value=${scope}
      onChange=${(e) => setScope(e.target.value)}>${scopes.map(([key, label]) =>
        html`<option key=${key} value=${key}>${label}</option>`)}</select>
    </label>
    <button>Show</button></form>`;
}

function Numbers({ answer }) {
  const cards = [
    ['Pairs', format.count(answer.count)],
    ['p50', format.duration(answer.p50_ns)],
    ['p90', format.duration(answer.p90_ns)],
    ['p99', format.duration(answer.p99_ns)],
    ['p99.9', format.duration(answer.p99_9_ns)],
    ['Longest', format.duration(answer.max_ns)],
    ['Total', format.duration(answer.total_ns)]];
  return html`<dl class="numbers">${cards.map(([label, value]) => html`
    <div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

// Says how many events there were, and why some of them have no pair.
function Counts({ answer, span, wish, now }) {
  const { first_events, then_events, replaced, cut, open } = answer;
  const reasons = [
    [replaced, 'before another first event'],
    [cut, 'before a time that was lost or not recorded'],
    [open, 'without a second event behind it']].filter(([n]) => n > 0);
  return html`<p class="quiet">${format.count(first_events)} first and ${
    format.count(then_events)} second events, ${coverText(span, now, answer.kept)}.${
    reasons.length > 0 && ` First events without a pair: ${
      reasons.map(([n, why]) => `${format.count(n)} ${why}`).join(', ')}.`}${
    !answer.count && first_events > 0 && then_events > 0 &&
      wish.scope !== 'process' &&
      ' They may be in different threads: choose another scope.'}${
    [[first_events, wish.first], [then_events, wish.then]].filter(([n]) => n === 0)
      .map(([, filter]) => ` No event passes the filter ${format.name(filter)}.`)}</p>`;
}

function seriesOf({ step_ns, min_ns, max_ns }) {
  return step_ns === 0
    ? [{ label: 'time between', colour: seriesColour(0), points: true, values: max_ns }]
    : [{ label: 'longest', colour: seriesColour(1), values: max_ns },
       { label: 'shortest', colour: seriesColour(2), values: min_ns }];
}

// The pairs by the time of their second event, in [span] if it has limits.
function Series({ series, span, process, address }) {
  const started = process.started_unix_ns;
  const from = span.from ?? series.t[0];
  const to = span.to ?? Math.max(series.t.at(-1), from + 1e6);
  return html`<${Chart} title="Time between the two events" logarithmic=${true}
    note=${series.step_ns === 0 ? 'each pair when it ended; drag for the timeline'
      : `in ${format.duration(series.step_ns)} each; drag for the timeline`}
    text=${format.duration} height=${170} series=${seriesOf(series)}
    seconds=${series.t.map((t) => (started + t) / 1e9)}
    from=${(started + from) / 1e9} to=${(started + to) / 1e9}
    onZoom=${(...times) => {
      const [begin, end] = times.map((s) => Math.max(0, s * 1e9 - started));
      location.hash = address.to(rangeValues({ from: begin, to: end }), 'timeline');
    }} />`;
}

const eventText = ({ name, domain, thread, thread_name }) =>
  `${name ? format.name(name) : 'unknown'} in domain ${domain}, ${
    threadName({ thread, name: thread_name })}`;

// The address of the timeline with a pair, whose time is selected, and some time around it.
function addressOf(address, { first, then, duration_ns }) {
  const margin = Math.max(1000, Math.round(duration_ns / 5));
  return address.to({ ...rangeValues({ from: Math.max(0, first.ns - margin),
                                       to: then.ns + margin }),
                      sel: null, ...selectionValues([first.ns, after(then.ns)]) }, 'timeline');
}

function Longest({ address, pairs, process }) {
  return html`<${Table} title="Longest" note="click a time to see it in the timeline"
    name="longest" file=${fileOf(process)} rows=${pairs} columns=${[
      { label: 'Time', value: (p) => p.duration_ns, text: format.duration,
        cell: (p, text) => html`<a href=${addressOf(address, p)}>${text}</a>` },
      { label: 'From', value: (p) => p.first.ns,
        text: (ns) => format.moment(ns, 1000), unit: 'ns' },
      { label: 'First event', value: (p) => eventText(p.first) },
      { label: 'Second event', value: (p) => eventText(p.then) }]} />`;
}

// Times that many ask for, as links: what is chosen above then shows how it is written.
function Examples({ data, address }) {
  const own = [...data.detail?.requests ?? [], ...data.detail?.spans ?? []].slice(0, 3);
  const toNext = (name, scope) => ({ first: filterOf(name), then: filterOf(name), scope,
                                     text: `from one ${format.name(name)} to the next` });
  const pairs = [
    toNext('minor', 'domain'),
    { first: 'minor form=end', then: 'minor', scope: 'domain',
      text: 'from the end of one minor to the next' },
    toNext('major_slice', 'domain'), ...own.map(({ name }) => toNext(name, 'process'))];
  return html`<p class="note">Such as: ${pairs.map(({ text, ...pair }, i) => html`${
    i > 0 && ' · '}<a key=${text} href=${address.to(pair)}>${text}</a>`)}</p>`;
}

export function Between({ id, process, data, address, range, wider }) {
  const { first = '', then = '', scope = 'thread' } = address.values;
  const [round, again] = useState(0);
  const wish = { first, then, scope };
  const { found, error } = useRangeAnswer(id, first && then ? 'between' : null, range, data,
    process.state === 'running', wish, round);
  const { span, parameters: asked, answer } = error || !first || !then ? {} : found ?? {};
  const ask = (next) => {
    address.go(next);
    again(round + 1);
  };
  return html`<section>
    <${Form} wish=${wish} ask=${ask} id=${id} />
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    <p class=${answer ? 'quiet' : 'note'}>The time from each first event to the next second
      one; if another first event comes before, it counts. A span counts at its begin, with
      form=end at its end. A wait counts when it ends.</p>
    ${!answer && !error && html`<${Examples} data=${data} address=${address} />`}
    ${answer && html`<${Counts} answer=${answer} span=${span} wish=${asked}
      now=${data.now} />
      ${!answer.count && wider && html`<p class="empty">${wider}</p>`}`}
    ${answer?.count > 0 && html`
      <${Numbers} answer=${answer} />
      <div class="charts">
        <${Series} series=${answer.series} span=${span} process=${process}
          address=${address} />
        <figure class="chart"><figcaption>Histogram${' '}
          <small>height logarithmic</small></figcaption>
          <${Bars} buckets=${answer.buckets}
            label="Histogram of the time between the two events" /></figure>
      </div>
      <${Longest} ...${{ address, process }} pairs=${answer.longest} />`}
  </section>`;
}
