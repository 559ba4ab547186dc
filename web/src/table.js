// A table whose columns sort it.

import { html, useState } from './html.js';
import { saveCsv } from './csv.js';
import * as format from './format.js';

const isNumber = (column, row) => typeof column.value(row) !== 'string';

// Texts from A on, numbers from the largest on, or with [sign] -1 the other way; what is
// not known at the end.
const compare = (a, b, sign) => a == null || b == null ? (a == null) - (b == null)
  : sign * (typeof a === 'string' ? a.localeCompare(b) : b - a);

// [order]: the label of a column, which may be there no longer, and whether back.
function sorted(rows, columns, [label, back]) {
  const column = columns.find((c) => c.label === label);
  return !column ? rows : [...rows].sort((a, b) =>
    compare(column.value(a), column.value(b), back ? -1 : 1));
}

function Cell({ column, row }) {
  const value = column.value(row);
  const number = isNumber(column, row);
  const text = (column.text ?? (number ? format.count : format.name))(value);
  return html`<td class=${number ? 'number' : ''}>${
    column.cell ? column.cell(row, text) : text}</td>`;
}

// [title]: what [save] saves.
export function CsvButton({ title, save }) {
  return html`<button type="button" class="save-as" onClick=${save}
    title=${`Save ${title} as CSV`}>CSV</button>`;
}

// [columns]: objects with label, value (of a row: a number or a text), text
// (formats it), unit (of the value, if [text] does not tell: see csv.js), cell
// (makes the element, if it is not the text alone), meaning, and buttons (the column
// has them, and does not sort).  [limit]: number of rows shown at first.  [file]: the
// begin of the name of a CSV file of the table; without it there is none.
export function Table({ title, note, columns, rows, limit = 50, name, file }) {
  const [order, setOrder] = useState([null, false]);
  const [all, setAll] = useState(false);
  if (!rows?.length) return null;
  const shown = sorted(rows, columns, order);
  const cut = all ? shown : shown.slice(0, limit);
  const sort = ({ label }) => () => setOrder([label, order[0] === label && !order[1]]);
  const direction = (c) => order[0] !== c.label ? undefined
    : isNumber(c, rows[0]) === order[1] ? 'ascending' : 'descending';
  return html`<section class="table" data-table=${name}>
    ${title && html`<h2>${title} ${note && html`<small>${note}</small>`}
      ${file && html`<${CsvButton} title=${`all rows of ${title}`} save=${() =>
        saveCsv(`${file}-${name}`, columns, shown)} />`}</h2>`}
    <div class="scroll"><table>
      <thead><tr>${columns.map((c) => html`
        <th key=${c.label} scope="col"
          class=${isNumber(c, rows[0]) ? 'number' : ''}
          aria-sort=${direction(c)} title=${c.meaning}>
          ${c.buttons ? c.label : html`<button onClick=${sort(c)}>${
            c.label}</button>`}</th>`)}</tr></thead>
      <tbody>${cut.map((row, i) => html`<tr key=${i}>${columns.map((c) => html`
        <${Cell} key=${c.label} column=${c} row=${row} />`)}</tr>`)}</tbody>
    </table></div>
    ${cut.length < shown.length && html`<button onClick=${() => setAll(true)}>
      Show all ${shown.length}</button>`}
  </section>`;
}
