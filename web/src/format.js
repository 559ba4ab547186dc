// Numbers and names as people read them.  An unknown number is a dash.

export const unknown = '–';

const two = (n) => String(n).padStart(2, '0');

function digits(n) {
  return n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2);
}

function scaled(n, units, step) {
  let i = 0;
  while (i < units.length - 1 && Math.abs(n) >= step - step / 2000) {
    n /= step;
    i++;
  }
  return `${i === 0 && Number.isInteger(n) ? n : digits(n)} ${units[i]}`;
}

export function duration(ns) {
  if (ns == null) return unknown;
  if (ns === 0) return '0 s';
  if (Math.abs(ns) < 1e9 * 100)
    return scaled(ns, ['ns', 'µs', 'ms', 's'], 1000);
  const s = Math.round(ns / 1e9);
  return s < 3600 ? `${Math.floor(s / 60)} min ${two(s % 60)} s`
    : `${Math.floor(s / 3600)} h ${two(Math.floor(s / 60) % 60)} min`;
}

export function bytes(n) {
  return n == null ? unknown
    : scaled(n, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);
}

export const bytesOfWords = (n) => n == null ? n : 8 * n;

export const words = (n) => bytes(bytesOfWords(n));
export const byteRate = (n) => n == null ? unknown : `${bytes(n)}/s`;

export function share(x) {
  if (x == null) return unknown;
  const percent = 100 * x;
  return percent === 0 || percent >= 99.95 ? `${percent.toFixed(0)} %`
    : percent < 0.1 ? '<0.1 %' : `${percent.toFixed(1)} %`;
}

export function count(n) {
  return n == null ? unknown : n.toLocaleString('en-US').replaceAll(',', ' ');
}

export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;

export function rate(n) {
  if (n == null) return unknown;
  return `${n < 10 ? n.toFixed(1) : count(Math.round(n))}/s`;
}

// Short numbers for the axes of charts.
export function compact(n) {
  if (n == null) return unknown;
  const units = ['', 'k', 'M', 'G', 'T'];
  let i = 0;
  while (Math.abs(n) >= 1000 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${Number(n.toPrecision(3))}${units[i]}`;
}

// A time since the start, with as many digits as [step] needs, such as
// 12.345 678 s.
export function moment(ns, step = 1e6) {
  if (ns == null) return unknown;
  const digits = Math.ceil(-Math.log10(step / 1e9) - 1e-9);
  const places = Math.min(9, Math.max(0, digits));
  const [whole, part = ''] = (ns / 1e9).toFixed(places).split('.');
  const groups = part.match(/.{1,3}/g)?.join('\u202f');
  return `${whole}${groups ? `.${groups}` : ''} s`;
}

export function clock(unix_ns) {
  const d = new Date(unix_ns / 1e6);
  return [d.getHours(), d.getMinutes(), d.getSeconds()].map(two).join(':');
}

// The time of day of [ns] since the start of [process]; null: not known.
export const timeOfDay = ({ started_unix_ns: started }, ns) =>
  started ? clock(started + ns) : null;

export function date(unix_ns) {
  const d = new Date(unix_ns / 1e6);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${
    clock(unix_ns)}`;
}

// A name of a traced program: characters that move the cursor, change the
// direction of the text or cannot be seen are written as numbers.
const unseen = new RegExp(
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]', 'g');

export function name(text) {
  if (text == null) return unknown;
  return String(text).replace(unseen, (c) => {
    const code = c.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

// The name of an event or a cause, with blanks: minor_heap_full.
export const phrase = (text) => name(text).replaceAll('_', ' ');

// The last part of a path; a text that is no path stays.
export const fileName = (path) =>
  path.startsWith('/') ? path.slice(path.lastIndexOf('/') + 1) : path;

export function program(process) {
  const path = process.argv0 ?? process.program;
  return path ? name(path.slice(path.lastIndexOf('/') + 1))
    : `process ${process.pid}`;
}
