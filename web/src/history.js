// The rows of a process over time, in columns, for the charts.  The server has
// three tiers; live rows are added to the finest.  All are asked for again,
// since a wait that ends changes the rows that it covers.  A row that is missing
// or null is a gap.
//
// Row [n] of a tier begins n times its length after the start; it is element
// n modulo [limit] of each column.  A column has its full size from the
// beginning, so that the page's memory does not grow with time.

import { get, ofProcess } from './api.js';

export const tiers = [
  { name: '100ms', ns: 1e8, rows: 3000 },
  { name: '1s', ns: 1e9, rows: 3600 },
  { name: '10s', ns: 1e10, rows: 8640 },
];
const most_names = 50;          // in an object of columns

const empty = () => Object.create(null);        // names are from the program

// Returns the member [name] of [object], a new one unless there are too many.
function member(object, name, make) {
  if (!(name in object) && Object.keys(object).length < most_names)
    object[name] = make();
  return object[name];
}

const isObject = (value) => value !== null && typeof value === 'object';

// Returns columns with one row, [row].
function columnsOf(row) {
  const columns = empty();
  for (const key in row)
    columns[key] = isObject(row[key]) ? columnsOf(row[key]) : [row[key]];
  return columns;
}

// Columns of one tier: arrays of numbers, where NaN is null, and objects of
// columns.  Has the rows from [first] to [end], without [end].
export class Tier {
  constructor({ name, ns, rows }) {
    this.name = name;
    this.ns = ns;
    this.limit = rows;
    this.first = 0;
    this.end = 0;
    this.columns = empty();
    this.loaded = false;
  }

  get count() {
    return this.end - this.first;
  }

  *#all(columns = this.columns) {
    for (const value of Object.values(columns))
      if (isObject(value) && !ArrayBuffer.isView(value)) yield* this.#all(value);
      else yield value;
  }

  // Clears rows [from] to [to], without [to].
  #clear(from, to) {
    const start = from % this.limit;
    const end = start + to - from;
    for (const column of this.#all())
      column.fill(NaN, start, end).fill(NaN, 0, Math.max(0, end - this.limit));
  }

  // Makes room for row [n].  Returns its element in the columns; -1 if it is
  // too old.
  #place(n) {
    if (this.count === 0) this.first = this.end = n;
    if (n >= this.end) {
      this.#clear(Math.max(this.end, n + 1 - this.limit), n + 1);
      this.end = n + 1;
    }
    if (n < this.end - this.limit) return -1;
    this.first = Math.max(Math.min(this.first, n), this.end - this.limit);
    return n % this.limit;
  }

  #copy(to, from, places) {
    for (const key in from)
      if (Array.isArray(from[key])) {
        const column = member(to, key, () =>
          new Float64Array(this.limit).fill(NaN));
        places.forEach((place, i) => {
          if (column && place >= 0) column[place] = from[key][i] ?? NaN;
        });
      } else if (isObject(from[key])) {
        const group = member(to, key, empty);
        if (group) this.#copy(group, from[key], places);
      }
  }

  // Adds the rows of an answer of the server, and replaces those of the same
  // time.  [t] ascends: the last row decides which ones are too old.
  merge({ t, tier_ns: _, ...columns }) {
    const numbers = t.map((ns) => Math.max(0, Math.round(ns / this.ns)));
    if (numbers.length > 0) this.#place(numbers.at(-1));
    this.#copy(this.columns, columns, numbers.map((n) => this.#place(n)));
  }

  add({ tier_ns: _, ...row }) {
    this.merge(columnsOf(row));
  }

  // Returns the number of the first row that begins after [ns].
  search(ns) {
    const after = Math.floor(ns / this.ns) + 1;
    return Math.min(Math.max(after, this.first), this.end);
  }

  // Returns the values of [column] in rows [from] to [to], without [to]; all
  // null if it is undefined.
  values(column, from = this.first, to = this.end) {
    const values = new Array(Math.max(0, to - from)).fill(null);
    for (let i = 0; column && i < values.length; i++) {
      const value = column[(from + i) % this.limit];
      if (!Number.isNaN(value)) values[i] = value;
    }
    return values;
  }
}

// Returns the first time of [tier] for which numbers are known: samples may be
// older than all other events.
export function begin(tier) {
  const known = tier.values(tier.columns.running)
    .findIndex((share) => share !== null);
  return (tier.first + Math.max(0, known)) * tier.ns;
}

// Returns the begin of all that is known, by the finest rows that have it.  A short
// recording has no coarse rows.
export function beginOf({ tiers }) {
  let [start, step] = [0, Infinity];
  for (const tier of tiers.filter((t) => t.count > 0 || !t.loaded).reverse()) {
    if (begin(tier) <= start + step) start = Math.max(begin(tier), start);
    step = tier.ns;
  }
  return start;
}

export class History {
  constructor(id) {
    this.id = id;
    this.tiers = tiers.map((tier) => new Tier(tier));
    this.waiting = [];          // ticks that came before the answer
  }

  // Asks for the rows of [tier].  Returns whether the server still reads the past.
  async load(tier, signal) {
    const { reading, ...rows } = await get(ofProcess(this.id, 'history'),
                                           { tier: tier.name }, signal);
    tier.merge(rows);
    tier.loaded = true;
    if (tier === this.tiers[0]) {
      this.waiting.forEach((row) => tier.add(row));
      this.waiting = [];
    }
    return reading;
  }

  tick(row) {
    if (this.tiers[0].loaded) this.tiers[0].add(row);
    else if (this.waiting.length < 600) this.waiting.push(row);
  }

  // Returns the tier to show [from]..[to] with: at most about 1500 rows, and one that
  // reaches back far enough, if there is one: to [from], to the start, or as far as any
  // tier does, once all are loaded.
  tierFor(from, to) {
    const fine = this.tiers.filter((tier) => (to - from) / tier.ns <= 1500);
    const candidates = fine.length ? fine : this.tiers.slice(-1);
    const filled = this.tiers.filter((tier) => tier.count > 0);
    const earliest = Math.min(...this.tiers.map((tier) => !tier.loaded ? 0
      : tier.count > 0 ? tier.first * tier.ns : Infinity));
    const reaches = (tier) => !tier.loaded || tier.count > 0 && (
      (tier.first - 1) * tier.ns <= from + (to - from) / 20 ||
      tier.count < tier.limit / 2 && tier.first <= 2 ||
      earliest > 0 && tier.first * tier.ns <= earliest + this.tiers.at(-1).ns);
    return candidates.find(reaches) ?? filled.at(-1) ?? candidates.at(-1);
  }
}
