// The log of the events of the range that pass a filter, in the language of eventring
// events.

import { html, useEffect, useState } from './html.js';
import { eventAddress } from './choice.js';
import { saveCsv } from './csv.js';
import * as format from './format.js';
import { threadName } from './lanes.js';
import { coverText } from './range.js';
import { useRangeAnswer } from './range_answer.js';
import { RuleForNext } from './overwritten.js';
import { fileOf } from './save_file.js';
import { CsvButton } from './table.js';

const limit = 500;
const filterHelp =
  'Words: a name, or name=, domain=, thread=, categories=, form=; > and a time';

const amounts = { ns: format.duration, bytes: format.bytes, words: format.words };

// [units]: of the fields of the event, by their names.
function valueText(value, unit, units) {
  if (value === null) return format.unknown;
  // The flame graph has the functions.
  if (Array.isArray(value) && value.every((v) => v?.frame))
    return `${format.count(value.length)} addresses`;
  if (Array.isArray(value))
    return `[${value.map((v) => valueText(v, unit, units)).join(', ')}]`;
  return typeof value === 'object' ? `(${fieldsText(value, units)})`
    : typeof value === 'number' && Object.hasOwn(amounts, unit) ? amounts[unit](value)
    : format.name(value);
}

const fieldsText = (fields, units) => Object.entries(fields).map(([key, value]) =>
  `${format.name(key)}=${valueText(value, units[key], units)}`).join(' ');

// Returns the payload of an event as text.  [units]: of the fields of all events, by their
// ids and names; without them the numbers are as they were recorded.
export function payload(event, units = {}) {
  const parts = [];
  if (event.form === 'lost')
    parts.push(event.overwritten
      ? `${format.count(event.events)} events before are no longer in the ring`
      : `${format.count(event.events)} events lost`);
  if ('value' in event)
    parts.push(`${event.value} ${format.name(event.unit ?? '')}`.trimEnd());
  if (event.values) parts.push(event.values.join(' '));
  if (event.text != null) parts.push(format.name(event.text));
  if (event.bytes) parts.push(`bytes ${event.bytes}`);
  if (event.fields) parts.push(fieldsText(event.fields, units[event.id] ?? {}));
  return parts.join(' ');
}

const domainText = (e) => e.domain === undefined ? ''
  : e.domain_name ? `${e.domain} ${format.name(e.domain_name)}` : `${e.domain}`;
const threadText = (e) => e.thread === undefined ? ''
  : threadName({ thread: e.thread, name: e.thread_name });

const csvColumns = [
  { label: 'Time', value: (e) => e.ns, unit: 'ns' },
  { label: 'Domain', value: (e) => e.domain },
  { label: 'Domain name', value: (e) => e.domain_name },
  { label: 'Thread', value: (e) => e.thread },
  { label: 'Thread name', value: (e) => e.thread_name },
  { label: 'Form', value: (e) => e.form },
  { label: 'Event', value: (e) => e.name ?? `#${e.id ?? ''}` },
  { label: 'Duration', value: (e) => e.duration_ns, unit: 'ns' },
  { label: 'Payload', value: (e) => payload(e) }];

// The time of [event]; with an [address], as a link to the event in the timeline.
function Time({ event, address }) {
  const text = format.moment(event.ns, 1);
  return address ? html`<a href=${eventAddress(address, event)}>${text}</a>` : text;
}

// Rows of events; [units]: of their fields; [mark]: whether a row is marked.
export function EventTable({ events, units, address = null, mark = () => false }) {
  return html`<div class="scroll log" tabindex="0" role="region"
    aria-label="Events"><table>
    <thead><tr><th class="number">Time</th><th>Event</th><th>Form</th>
      <th class="number">Duration</th><th>Domain</th><th>Thread</th>
      <th>Payload</th></tr></thead>
    <tbody>${events.map((e, i) => html`
      <tr key=${i} class=${mark(e) ? 'marked' : ''}>
        <td class="number"><${Time} event=${e} address=${address} /></td>
        <td>${e.name == null ? `#${e.id ?? ''}` : format.name(e.name)}</td>
        <td>${format.name(e.form)}</td>
        <td class="number">${e.duration_ns === undefined ? ''
          : format.duration(e.duration_ns)}</td>
        <td>${domainText(e)}</td><td>${threadText(e)}</td>
        <td>${payload(e, units)}</td></tr>`)}</tbody></table></div>`;
}

// [latest]: whether the latest events are shown, and not the first.
function Form({ filter, latest, ask, choose }) {
  const [text, setText] = useState(filter);
  useEffect(() => setText(filter), [filter]);
  const submit = (event) => {
    event.preventDefault();
    ask(text.trim());
  };
  return html`
    <form class="toolbar" onSubmit=${submit}>
      <input type="search" name="filter" class="filter" value=${text}
        onInput=${(e) => setText(e.target.value)} spellcheck=${false}
        aria-label="Filter of events"
        placeholder="Filter, such as: minor > 1ms domain=0"
        title=${filterHelp} />
      <label>Show the <select name="order" value=${latest ? 'latest' : 'first'}
        onChange=${(e) => choose(e.target.value)}>
        <option value="latest">latest</option><option value="first">first</option>
        </select></label>
      <button>Show</button>
    </form>`;
}

// Says which events [found] has; [rule]: a link for the next ones.
function Which({ found: { span, parameters: { filter, order }, answer }, now, rule }) {
  const { events, more, kept } = answer;
  const count = `${events.length} ${events.length === 1 ? 'event' : 'events'}`;
  const edge = () => order === 'first' ? `, up to ${format.moment(events.at(-1).ns, 1e6)},`
    : `, from ${format.moment(events[0].ns, 1e6)} on,`;
  return html`<p class="quiet">${more ? `The ${order} ${count}` : count}${
    filter ? ' that pass the filter' : ''}${more && events.length > 0 ? edge() : ''} of ${
    coverText(span, now, kept)}${
    more ? '. A filter or a shorter range shows others' : ''}. ${rule}</p>`;
}

// Returns the name of events that [filter] asks for and when a rule fires for what passes
// it; { name: null } if no rule can say that.
function ruleOf(filter) {
  const words = (filter.match(/>[ \t\r\n]*\d[^ \t\r\n>]*|(?:[^ \t\r\n">]|>(?![ \t\r\n]*\d)|"[^"]*")+/g) ?? []).map(
    (word) => /^(?:([\w-]+)=)?(.*)$/s.exec(
      word.replace(/^>\s*(?=\d)/, 'longer-than=').replaceAll('"', '')));
  const valueOf = (...keys) => words.find(([, key]) => keys.includes(key))?.[2];
  const [name, longer] = [valueOf(undefined, 'name'), valueOf('longer-than')];
  return name && !/[*?[\\]/.test(name) && words.length === (longer ? 2 : 1)
    ? { name, when: longer ? `${name} > ${longer}` : name } : { name: null };
}

export function Events({ id, process, data, address, range, wider }) {
  const { filter = '' } = address.values;
  const order = address.values.order === 'first' ? 'first' : 'latest';
  const [round, again] = useState(0);
  const { found, error } = useRangeAnswer(id, 'events', range, data,
    process.state === 'running', { filter: filter || null, order, limit }, round);
  const ask = (text) => {
    address.go({ filter: text });
    again(round + 1);
  };
  const events = error ? [] : found?.answer.events ?? [];
  return html`<section>
    <${Form} filter=${filter} latest=${order === 'latest'} ask=${ask}
      choose=${(next) => address.go({ order: next === 'first' ? next : null })} />
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${found && !error && html`<${Which} found=${found} now=${data.now} rule=${
        html`<${RuleForNext} process=${process} ...${ruleOf(filter)} />`} />
      ${!events.length && wider && html`<p class="empty">${wider}</p>`}`}
    ${events.length > 0 && html`
      <p><${CsvButton} title="the events shown" save=${() =>
        saveCsv(`${fileOf(process)}-events`, csvColumns, events)} />
        <span class="quiet"> Click a time to see it in the timeline.</span></p>
      <${EventTable} address=${address} units=${found.answer.units}
        events=${found.parameters.order === 'first' ? events : events.toReversed()} />`}
  </section>`;
}
