// The saved recordings: each is opened like a process; two, or one and a
// process, are compared.

import { html, useState } from './html.js';
import { useAnswer } from './answer.js';
import { CopyLink } from './copy_link.js';
import * as format from './format.js';
import { compareAddress, processAddress } from './address.js';
import { eventAddress } from './choice.js';
import { stateOf } from './overview.js';
import {
  DeleteDialog, fieldColumns, fileColumn, useEdits } from './saved_edit.js';
import { Table } from './table.js';

const firedText = ({ event, took_ns: ns }) =>
  ns === null ? event : `${event} of ${format.duration(ns)}`;

const reason = (s) => s.error ?? (s.saved_by === 'hand' ? 'by hand'
  : s.saved_by !== 'rule' ? '' : `rule ${s.rule}${s.fired ? `: ${firedText(s.fired)}` : ''}`);

// The address of what fired the rule of [s], in the timeline.
const firedAddress = ({ id, fired: { event, ns, took_ns, domain, thread } }) =>
  eventAddress({ to: (values, view) => processAddress(id, view, values) },
               { domain, thread, name: event, ns, duration_ns: took_ns ?? 0 });

const columns = [
  { label: 'Program', value: (s) => s.error ? s.name : format.program(s),
    cell: (s, text) => s.error ? text
      : html`<a href=${processAddress(s.id)}
          title=${format.name(s.name)}>${text}</a>` },
  { label: 'Process', value: (s) => s.pid ?? null,
    text: (v) => v ?? format.unknown },
  { label: 'Saved', value: (s) => s.saved_unix_ns, text: format.date },
  { label: 'Duration', value: (s) => s.duration_ns ?? null,
    text: format.duration },
  { label: 'Events', value: (s) => s.events ?? null },
  { label: 'Lost', value: (s) => s.lost_events ?? null },
  { label: 'Size', value: (s) => s.bytes, text: format.bytes },
  { label: 'Why', value: reason, cell: (s, text) => !s.fired ? text : html`<a
      href=${firedAddress(s)} title="Show in the timeline what fired it">${text}</a>` }];

// The choice of two things to compare; [chosen]: their ids.
function pick(chosen, id) {
  return chosen.includes(id) ? chosen.filter((other) => other !== id)
    : [...chosen, id].slice(-2);
}

const pickColumn = (chosen, set) => ({
  label: 'Compare', buttons: true, value: (s) => chosen.includes(s.id) ? 'yes' : '',
  cell: (s) => s.error ? '' : html`<input type="checkbox"
    aria-label=${`Compare ${format.name(s.name ?? s.program)}`}
    checked=${chosen.includes(s.id)}
    onChange=${() => set((now) => pick(now, s.id))} />` });

const processColumns = [
  { label: 'Program', value: (p) => format.program(p) },
  { label: 'Process', value: (p) => p.pid, text: String },
  { label: 'State', value: stateOf }];

export function Saved({ server, processes }) {
  const { answer, error, again } = useAnswer('/api/saved', { period_ms: 3000 });
  const edits = useEdits(again);
  const [chosen, choose] = useState([]);
  const column = pickColumn(chosen, choose);
  const all = [column, ...columns, fileColumn(edits, server.read_only),
               ...fieldColumns(edits, server.read_only)];
  const shown = (processes ?? []).filter((p) => !p.error &&
    !answer?.saved.some((s) => s.id === p.id));
  return html`<main>
    <div class="heading"><h1>Saved recordings</h1>
      <span class="quiet">${
        server.store ? `in ${format.name(server.store)}` : ''}</span>
      <button disabled=${chosen.length !== 2}
        title="A is the one that was chosen first"  onClick=${() => {
        location.hash = compareAddress(...chosen);
      }}>Compare the two that are chosen</button><${CopyLink} /></div>
    <p class="quiet">A click on a name opens a recording like a process. Two
      ticks choose what to compare.</p>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${answer && !answer.saved.length && html`<p class="note">Nothing is saved
      yet. Open a process and save its last seconds, start a recording of it, or add
      a <a href="#/rules">rule</a>.</p>`}
    <p class=${`message ${edits.message?.failed ? 'error' : ''}`} role="status">${
      edits.message ? format.name(edits.message.text) : ''}</p>
    <${Table} name="saved" columns=${all} rows=${answer?.saved} />
    <${DeleteDialog} ...${edits} />
    <${Table} name="candidates" title="Processes" note="to compare with"
      columns=${[column, ...processColumns]} rows=${shown} />
  </main>`;
}
