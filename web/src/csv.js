// Tables as CSV (RFC 4180): raw numbers, with their units in the heads.

import * as format from './format.js';
import { saveText } from './save_file.js';

// The units of the values that these functions format.
const units = new Map([
  [format.duration, 'ns'], [format.share, 'share'], [format.bytes, 'bytes'],
  [format.byteRate, 'bytes/s'], [format.rate, '1/s'],
  [format.date, 'ns since 1970']]);

const quoted = (text) =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

// A spreadsheet would take a name that begins so for a formula.
const harmless = (text) => /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;

function field(value) {
  if (value == null) return '';
  return typeof value === 'number' ? String(value)
    : quoted(harmless(format.name(value)));
}

function head({ label, text, unit = units.get(text) }) {
  return quoted(unit ? `${label} (${unit})` : label);
}

// Returns [rows] as CSV.  [columns]: as of a Table; [unit] of a column is that of its
// values, if its text does not tell.
export function csv(columns, rows) {
  return [columns.map(head), ...rows.map((row) =>
    columns.map((column) => field(column.value(row))))]
    .map((fields) => `${fields.join(',')}\r\n`).join('');
}

export const saveCsv = (name, columns, rows) =>
  saveText(`${name}.csv`, csv(columns, rows), 'text/csv');
