// The samples of a flame graph that are selected: by domain, thread, span and name of
// request, and the samples that it is compared with.

import { html } from './html.js';
import { useAnswer } from './answer.js';
import * as format from './format.js';
import { typeNamed } from './profile_types.js';
import { limits, rangeText } from './range.js';

// The parameters of the server's flame graph, as the address has them.
const parameters = ['domain', 'thread', 'span', 'requests', 'request'];

// Changes of an address that select all samples.
export const allSamples = Object.fromEntries(
  [...parameters, 'zoom', 'focus'].map((name) => [name, null]));

export const selectionOf = (values) => Object.fromEntries(
  parameters.filter((name) => values[name]).map((name) => [name, values[name]]));

// Returns the parameters of the flame graph that the address shows.
export const flameParameters = (values) =>
  ({ type: typeNamed(values.type), ...selectionOf(values) });

export const isSelected = (values) => parameters.some((name) => values[name]);

// Returns the names of spans or requests, [key], that are known: of late, or charted.
const namesOf = ({ history, detail }, key) => [...new Set([
  ...(detail?.[key] ?? []).map(({ name }) => name),
  ...history.tiers.flatMap((tier) => Object.keys(tier.columns[key] ?? {}))])];

// The values of each parameter that are known, with their texts.
function choices(data) {
  const { detail } = data;
  const named = (x, id) => [id, x.name ? `${id} ${format.name(x.name)}` : id];
  const texts = (names) => names.map((name) => [name, format.name(name)]);
  return {
    domain: (detail?.domains ?? []).map((d) => named(d, String(d.id))),
    thread: (detail?.threads ?? []).filter((t) => !t.backup)
      .map((t) => named(t, String(t.id))),
    span: texts(namesOf(data, 'spans')),
    requests: texts(namesOf(data, 'requests')),
  };
}

const labels = { domain: 'Domain', thread: 'Thread', span: 'Span', requests: 'Requests' };

function Choice({ name, value, list, choose }) {
  if (list.length === 0 && !value) return null;
  const known = list.some(([key]) => key === value);
  return html`<label>${labels[name]} <select name=${name} value=${value ?? ''}
    onChange=${(e) => choose(e.target.value)}>
    <option value="">All</option>
    ${value && !known && html`<option value=${value}>${format.name(value)}</option>`}
    ${list.map(([key, text]) => html`<option key=${key} value=${key}>${text}</option>`)}
    </select></label>`;
}

export function Selection({ data, address }) {
  return Object.entries(choices(data)).map(([name, list]) => html`
    <${Choice} key=${name} name=${name} value=${address.values[name]} list=${list}
      choose=${(value) => address.go({ [name]: value, zoom: null })} />`);
}

// The base of a comparison in the address: 'before', an equal time just before the
// range; or ID or ID,FROM,TO, a time of a process.
const wordOf = (id, { from, to }) => from == null ? id : [id, from, to].join();

// Returns { id, span } of the base [word] for the process [id] and the limits [span],
// or null if there is none.
export function baseOf(word, id, span) {
  if (!word) return null;
  if (word === 'before') {
    if (span.from == null) return null;
    return { id, span: { from: Math.max(0, 2 * span.from - span.to), to: span.from } };
  }
  const [other, from = null, to = null] = word.split(',');
  return { id: other, span: { from: from && Number(from), to: to && Number(to) } };
}

// A recording has the name of its file: there may be many of one process.
function processText(p) {
  const file = p.name ?? (p.format === 'recording' ? p.path : null);
  return file ? format.name(file.slice(file.lastIndexOf('/') + 1))
    : `${format.program(p)}, pid ${p.pid}`;
}

// The choice of the base.
export function Base({ id, data, address, range }) {
  const { answer: running } = useAnswer('/api/processes');
  const { answer: saved } = useAnswer('/api/saved');
  const { base } = address.values;
  const choose = (word) => address.go({ base: word });
  const others = new Map([...running?.processes ?? [], ...saved?.saved ?? []]
    .filter((p) => !p.error).map((p) => [p.id, processText(p)]));
  const at = base && base !== 'before' && baseOf(base, id, {});
  const told = at && `${at.id === id ? '' : `${others.get(at.id) ?? 'another process'}, `}${
    at.span.from === null ? 'all' : rangeText(at.span, 0)}`;
  return html`<label>Compare with <select name="base" value=${base ?? ''}
      onChange=${(e) => choose(e.target.value)}>
      <option value="">nothing</option>
      ${(range.last !== null || base === 'before') && html`<option value="before">the time before</option>`}
      ${at && !(others.has(base) && base !== id) && html`
        <option value=${base}>${told}</option>`}
      ${[...others].filter(([other]) => other !== id).map(([other, text]) => html`
        <option key=${other} value=${other}>${text}, all</option>`)}
    </select></label>
    <button type="button" title="Compare other times and processes with this one"
      onClick=${() => choose(wordOf(id, limits(range, data.now)))}>Use as base</button>`;
}
