// Processes that are not traced, and a button to start tracing in each.

import { html, useState } from './html.js';
import { get, post } from './api.js';
import * as format from './format.js';
import { Table } from './table.js';

export function Attach({ readOnly }) {
  const [list, setList] = useState(null);
  const [message, setMessage] = useState('');
  const look = () => get('/api/attach').then(
    (answer) => setList(answer.processes),
    (error) => setMessage(error.message));
  const attach = (pid) => post('/api/attach', { pid }).then((answer) => {
    setMessage(answer.pending
      ? `Process ${pid} is traced from its next event of the runtime on.`
      : `Process ${pid} is traced.`);
    return look();
  }, (error) => setMessage(error.message));
  const button = (p) => html`<button disabled=${readOnly}
    title=${readOnly ? 'The server was started with --read-only' : ''}
    onClick=${() => attach(p.pid)}>Attach</button>`;
  return html`<details class="untraced" onToggle=${(e) => e.target.open && look()}>
    <summary>Programs that are not traced</summary>
    <p class="message" role="status">${format.name(message)}</p>
    ${list && (list.length ? html`<${Table} name="attachable" rows=${list} columns=${[
      { label: 'Process', value: (p) => p.pid, text: String },
      { label: 'Program', value: (p) => p.program },
      { label: 'Trace it', value: () => '', cell: button }]} />`
      : html`<p class="quiet">There is no other program of this OCaml that you may
          attach to.</p>`)}
  </details>`;
}
