// Rules: the server saves a recording when something happens.

import { html, useState } from './html.js';
import { valuesOf } from './address.js';
import { post, remove } from './api.js';
import { useAnswer } from './answer.js';
import * as format from './format.js';
import { NotifyButton } from './notify.js';
import { LinkTo } from './saved_link.js';
import { Table } from './table.js';

const seconds = (s) => format.duration(s * 1e9);

// Returns the address of the form, filled in with [when] and the program of [process].
export const ruleAddress = (process, when) => `#/rules?${new URLSearchParams({
  when, process: (process.program ?? '').replace(/.*\//, '')
    .replace(/[\\*?[]/g, '\\$&') })}`;

// Returns when a rule fires for the events [name] that take about as long as [ns] or
// longer, or for all of them if that is 0.
export function whenLike(name, ns) {
  // Two digits, rounded down, so that [ns] itself is longer
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(ns)) - 1);
  const least = Math.max(1, Math.ceil(ns / unit) - 1) * unit;
  const time = least < 1e3 ? `${least}ns` : least < 1e6 ? `${least / 1e3}us`
    : `${least / 1e6}ms`;
  return ns > 0 ? `${name} > ${time}` : name;
}

// The fields of the form: name, label, usual value and unit.
const fields = [
  ['before_s', 'Save', 5, 's before the event'],
  ['after_s', 'and', 1, 's after it'],
  ['distance_s', 'once in', 10, 's at most.'],
  ['max_files', 'Keep the last', 10, 'files'],
  ['max_mib', 'of', 1024, 'MiB together'], ['max_days', 'for', 7, 'days.']];

function request(elements) {
  const number = (name) => Number(elements[name].value);
  const process = elements.process.value.trim();
  return {
    when: elements.when.value.trim(), process: process || null,
    webhook: elements.webhook.value.trim() || null,
    ...(elements.fleet?.checked && { fleet: true }),
    before_s: number('before_s'), after_s: number('after_s'),
    distance_s: number('distance_s'), max_files: number('max_files'),
    max_bytes: Math.round(number('max_mib') * 2 ** 20),
    max_age_s: number('max_days') * 86400 };
}

// [given]: the values of the fields that the address has.
function RuleForm({ act, hub, given }) {
  const submit = (event) => {
    event.preventDefault();
    act(() => post('/api/rules', request(event.target.elements)), ({ rule }) =>
      rule.not_kept ? `The rule is added, and ends with the server: ${rule.not_kept}`
        : `The rule is added: ${rule.when}.`);
  };
  return html`<form class="rule" onSubmit=${submit}>
    <div class="fields"><label>When <input name="when" required
      defaultValue=${given.when} maxlength="159" placeholder="minor > 10ms" /></label>
    <label>in the programs <input name="process" maxlength="127"
      defaultValue=${given.process}
      placeholder="all; or such as shop*" /></label>
    ${hub && html`<label><input type="checkbox" name="fleet" /> on any node of
      the hub, and save all processes of all nodes</label>`}</div>
    <p class="quiet">Write <code>minor > 10ms</code> for a span, a stop, a wait or a
      request that took longer, the name of an event for each event of that
      name, or <code>lost</code> for events that were lost. A time without a unit is
      in seconds.</p>
    <div class="fields">${fields.map(([name, label, usual, unit]) => html`
      <label key=${name}>${label} <input type="number" name=${name} min="0"
        step="any" required defaultValue=${usual} /> ${unit}</label>`)}</div>
    <div class="fields"><label>Tell also <input type="url" name="webhook"
      maxlength="511" placeholder="https://example.org/hook" /> by a POST</label></div>
    <button>Add the rule</button>
  </form>`;
}

// [saved]: the recordings of the store.
const columns = (saved) => [
  { label: 'When', value: (r) => r.when, cell: (r, text) => html`${text}${
    r.seen === false && html` <span class="quiet" title="Since the rule was added, or the
      server has started: is the name right?">no such event yet</span>`}` },
  { label: 'Programs', value: (r) => `${r.process ?? 'all'}${r.fleet
    ? ' on any node' : ''}` },
  { label: 'Saves', value: (r) =>
    `${seconds(r.before_s)} before, ${seconds(r.after_s)} after` },
  { label: 'Once in', value: (r) => r.distance_s, text: seconds },
  { label: 'Keeps', value: (r) => `${r.max_files} files, ${
    format.bytes(r.max_bytes)}, ${format.compact(r.max_age_s / 86400)} days` },
  { label: 'Webhook', value: (r) => r.webhook ?? '', cell: (r, text) => html`${text}${
    r.webhook_result && r.webhook_result !== 'ok' && html` <span class="error">${
      format.name(r.webhook_result)}</span>`}` },
  { label: 'Fired', value: (r) => r.fired },
  { label: 'Saved', value: (r) => r.saved },
  { label: 'Last', value: (r) => r.last_unix_ns,
    text: (v) => v == null ? format.unknown : format.date(v) },
  { label: 'Result', value: (r) => format.fileName(r.last_result ?? ''),
    cell: (r, text) => r.last_result ? html`<${LinkTo} path=${r.last_result}
      ...${{ text, saved }} />` : text }];

const deleteColumn = (act) => ({
  label: 'Actions', buttons: true, value: () => '', cell: (r) => html`
    <button aria-label=${`Delete rule ${format.name(r.when)}`} onClick=${() =>
      act(() => remove('/api/rules', { id: r.id }), 'The rule is deleted.')}>
      Delete</button>` });

function Watched({ answer }) {
  if (!answer?.rules.length) return null;
  return html`<p class="quiet">${answer.watched} process${
    answer.watched === 1 ? ' is' : 'es are'} watched${answer.not_watched
    ? `; ${answer.not_watched} more cannot be: there are too many, or see the actions` : ''}${
    answer.rules.some((r) => r.fleet)
    ? `; of the hub, ${answer.nodes_watched}` : ''}.</p>`;
}

// Returns how often the rules have saved.
const saves = (answer) => answer?.rules.reduce((n, r) => n + r.saved, 0);

export function Rules({ server, detail }) {
  const { answer, error, again } = useAnswer('/api/rules', { period_ms: 2000 });
  const { answer: store } = useAnswer('/api/saved', { period_ms: 10000,
                                                      key: saves(answer) });
  const [message, set] = useState(null);
  const act = async (work, text) => {
    try {
      const answer = await work();
      set({ text: typeof text === 'function' ? text(answer) : text });
    } catch (failure) {
      set({ text: failure.message, failed: true });
    }
    again();
  };
  const shown = [...columns(store?.saved), ...server.read_only ? [] : [deleteColumn(act)]];
  return html`<main>
    <div class="heading"><h1>Rules</h1><span class="quiet">The server saves a
      recording when an event happens, among the <a href="#/saved">saved
      recordings</a>. The rules are kept in the store.</span></div>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${server.read_only ? html`<p class="note">The server was started with
      --read-only: it only shows.</p>` : html`<${RuleForm} key=${detail}
      act=${act} hub=${server.hub} given=${valuesOf(detail)} />`}
    <p class=${`message ${message?.failed ? 'error' : ''}`} role="status">${
      message ? format.name(message.text) : ''}</p>
    <${Table} name="rules" columns=${shown} rows=${answer?.rules} />
    <${Watched} answer=${answer} />
    <${NotifyButton} />
  </main>`;
}
