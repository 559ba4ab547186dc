// What a process or a recording can be compared with: recordings of the store, and other
// processes.

import { html } from './html.js';
import { compareAddress } from './address.js';
import { useAnswer } from './answer.js';
import * as format from './format.js';
import { Menu } from './menu.js';
import { stateOf } from './overview.js';

const most = 8;                 // of each kind

// Those of the same program come first; the order of the others stays.
const byProgram = (program, list) => [...list].sort(
  (a, b) => (b.program === program) - (a.program === program)).slice(0, most);

const recordingText = (s) => `${format.program(s)}, saved ${format.date(s.saved_unix_ns)}`;
const processText = (p) => `${format.program(p)} ${p.pid}, ${stateOf(p)}`;

function Choices({ title, list, to, text }) {
  return list.length > 0 && html`<p class="quiet">With ${title}</p>${list.map((one) => html`
    <div key=${one.id}><a href=${to(one)} title=${format.name(one.name ?? '')}>${
      text(one)}</a></div>`)}`;
}

function Panel({ process }) {
  const { answer: store, error } = useAnswer('/api/saved');
  const { answer: all, error: failed } = useAnswer('/api/processes');
  if (!(store || error) || !(all || failed)) return html`<p class="quiet">Loading…</p>`;
  const saved = (store?.saved ?? []).filter((s) => !s.error && s.id !== process.id)
    .sort((a, b) => b.saved_unix_ns - a.saved_unix_ns);
  const others = (all?.processes ?? []).filter((p) => !p.error && p.id !== process.id &&
    !saved.some((s) => s.id === p.id));
  const to = (other) => compareAddress(other.id, process.id);
  const none = store && all && !saved.length && !others.length;
  return html`${[error, failed].filter(Boolean).map((text) => html`
      <p class="error" role="alert">${format.name(text)}</p>`)}
    ${none && html`<p class="note">There is nothing to compare with yet: save a recording,
      or start another process.</p>`}
    <${Choices} title="a recording of the store, the last first" text=${recordingText}
      to=${to} list=${byProgram(process.program, saved)} />
    <${Choices} title="a process" text=${processText} to=${to}
      list=${byProgram(process.program, others)} />
    ${!none && html`<div><a href="#/saved">All recordings</a></div>`}`;
}

export function CompareMenu({ process }) {
  return html`<${Menu} label="Compare" panel=${() => html`
    <${Panel} process=${process} />`} />`;
}
