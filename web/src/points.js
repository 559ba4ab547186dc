// The data points of the program, which evaluates them once when the user asks.

import { html, useState } from './html.js';
import { ofProcess, post } from './api.js';
import * as format from './format.js';
import { Table } from './table.js';

const columns = [
  { label: 'Point', value: (p) => p.name },
  { label: 'Type', value: (p) => p.type, text: (type) => type ?? format.unknown },
  { label: 'Value', value: (p) => p.value, text: (value) => format.name(String(value)) }];

// [file]: the beginning of the name of the table as a file.  [why]: the process cannot be
// controlled, or null.
export function Points({ id, file, why }) {
  const [{ points, error }, set] = useState({});
  const ask = () => post(ofProcess(id, 'points'), {}).then(
    (answer) => set({ points: answer.points }), ({ message }) => set({ error: message }));
  return html`<h2>Data points of the program</h2>
    <p><button class="points" disabled=${why !== null} title=${why ?? ''} onClick=${ask}>
      Evaluate</button> <span class="quiet">The program evaluates the functions that it has
      given to Eventring.Point once, at its next safe point.</span></p>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${points && html`<${Table} name="points" title="Values" columns=${columns} file=${file}
      rows=${points} />`}
    ${points?.length === 0 && html`<p class="quiet">It has none.</p>`}`;
}
