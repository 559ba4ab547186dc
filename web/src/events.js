// The log of events: a filter in the language of eventring events, and a
// window.

import { html, useEffect, useState } from './html.js';
import { decoded } from './api.js';
import * as format from './format.js';
import { all, coverText, getCovered, limits, Windows } from './window.js';

const limit = 500;
const filterHelp =
  'Words: a name, or name=, domain=, thread=, categories=, form=, longer-than=';

function valueText(value) {
  if (value === null) return format.unknown;
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  return typeof value === 'object' ? `(${fieldsText(value)})`
    : format.name(value);
}

const fieldsText = (fields) => Object.entries(fields)
  .map(([key, value]) => `${format.name(key)}=${valueText(value)}`).join(' ');

// Returns the payload of an event as text.
export function payload(event) {
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
  if (event.fields) parts.push(fieldsText(event.fields));
  return parts.join(' ');
}

const domainText = (e) => e.domain === undefined ? ''
  : e.domain_name ? `${e.domain} ${format.name(e.domain_name)}` : `${e.domain}`;
const threadText = (e) => e.thread_name ? format.name(e.thread_name)
  : e.thread_id !== undefined ? `thread ${e.thread_id}` : e.thread ?? '';

// Rows of events; [mark]: whether a row is marked.
export function EventTable({ events, mark = () => false }) {
  return html`<div class="scroll log"><table>
    <thead><tr><th class="number">Time</th><th>Domain</th><th>Thread</th>
      <th>Form</th><th>Event</th><th class="number">Duration</th>
      <th>Payload</th></tr></thead>
    <tbody>${events.map((e, i) => html`
      <tr key=${i} class=${mark(e) ? 'marked' : ''}>
        <td class="number">${format.moment(e.ns, 1)}</td>
        <td>${domainText(e)}</td><td>${threadText(e)}</td>
        <td>${format.name(e.form)}</td>
        <td>${e.name == null ? `#${e.id ?? ''}` : format.name(e.name)}</td>
        <td class="number">${e.duration_ns === undefined ? ''
          : format.duration(e.duration_ns)}</td>
        <td>${payload(e)}</td></tr>`)}</tbody></table></div>`;
}

function Form({ filter, choice, ask, data }) {
  const [text, setText] = useState(filter);
  useEffect(() => setText(filter), [filter]);
  const submit = (event) => {
    event.preventDefault();
    ask({ filter: text.trim() });
  };
  return html`
    <form class="toolbar" onSubmit=${submit}>
      <input type="search" name="filter" class="filter" value=${text}
        onInput=${(e) => setText(e.target.value)} spellcheck=${false}
        aria-label="Filter of events"
        placeholder="Filter, such as: minor longer-than=1ms domain=0"
        title=${filterHelp} />
      <button>Show</button>
      <${Windows} choice=${choice} data=${data}
        choose=${(value) => ask({ filter: text.trim(), choice: value })} />
    </form>`;
}

// Asks for the events of [wish]: { filter, choice }.
function useEvents(id, wish, data) {
  const [answer, set] = useState({ events: null });
  useEffect(() => {
    const abort = new AbortController();
    const span = limits(wish.choice, data);
    const failed = (e) => {
      if (e.name !== 'AbortError') set({ error: e.message });
    };
    getCovered(id, 'events', { filter: wish.filter || null, ...span, limit },
               abort.signal)
      .then((found) => set({ ...found, ...wish, span }), failed);
    return () => abort.abort();
  }, [id, wish]);
  return answer;
}

// [detail]: a filter from the address.
export function Events({ id, process, data, detail }) {
  const [wish, setWish] = useState({
    filter: detail ? decoded(detail) : '',
    choice: detail || process.state !== 'running' ? all : 1e9 });
  const answer = useEvents(id, wish, data);
  useEffect(() => {
    if (detail) setWish({ filter: decoded(detail), choice: all });
  }, [detail]);
  return html`<section>
    <${Form} ...${wish} data=${data}
      ask=${(change) => setWish({ ...wish, ...change })} />
    ${answer.error && html`<p class="error" role="alert">${
      format.name(answer.error)}</p>`}
    ${answer.span && html`<p class="quiet">${
      answer.more ? `The first ${limit} events`
        : `${answer.events.length} events`}
      ${answer.filter ? ' that pass the filter' : ''}, ${
        coverText(answer.span, data.now, answer.kept)}${
        answer.more ? '. A filter or a shorter window shows others' : ''}.</p>`}
    ${answer.events?.length > 0 && html`
      <${EventTable} events=${answer.events} />`}
  </section>`;
}
