// The rows of a process over time, in columns, for the charts.  The server has
// three tiers; live rows are added to the finest.  All are asked for again,
// since a wait that ends changes the rows that it covers.  A row that is missing
// or null is a gap.

import { get, ofProcess } from './api.js';

export const tiers = [
  { name: '100ms', ns: 1e8, rows: 3000 },
  { name: '1s', ns: 1e9, rows: 3600 },
  { name: '10s', ns: 1e10, rows: 8640 },
];
const most_names = 50;          // in an object of columns

const nulls = (n) => new Array(n).fill(null);
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

// Columns of one tier: arrays, and objects of columns.  [t]: the ends of the
// rows, in ns since the start.
class Tier {
  constructor({ name, ns, rows }) {
    this.name = name;
    this.ns = ns;
    this.limit = rows;
    this.t = [];
    this.columns = empty();
    this.loaded = false;
  }

  get last() {
    return this.t.length ? this.t[this.t.length - 1] : -1;
  }

  *#all(columns = this.columns) {
    for (const value of Object.values(columns))
      if (Array.isArray(value)) yield value;
      else yield* this.#all(value);
  }

  #append(t) {
    this.t.push(t);
    for (const column of this.#all()) column.push(null);
  }

  // Returns the index of the row at [t], which is appended if it is later than
  // all others; -1 for an earlier row that there is not.  A hole before it
  // becomes a null row, at which charts break their lines.
  #place(t) {
    if (t > this.last) {
      if (this.t.length && t - this.last > 1.5 * this.ns)
        this.#append(this.last + this.ns);
      this.#append(t);
      return this.t.length - 1;
    }
    const i = this.search(t - 1);
    return this.t[i] === t ? i : -1;
  }

  #copy(to, from, places) {
    for (const key in from)
      if (Array.isArray(from[key])) {
        const column = member(to, key, () => nulls(this.t.length));
        places.forEach((place, i) => {
          if (column && place >= 0) column[place] = from[key][i] ?? null;
        });
      } else if (isObject(from[key])) {
        const group = member(to, key, empty);
        if (group) this.#copy(group, from[key], places);
      }
  }

  // Adds the rows of an answer of the server, and replaces those of the same
  // time.
  merge({ t, tier_ns: _, ...columns }) {
    this.#copy(this.columns, columns, t.map((ns) => this.#place(ns)));
    if (this.t.length <= this.limit * 1.1) return;
    const old = this.t.length - this.limit;
    this.t.splice(0, old);
    for (const column of this.#all()) column.splice(0, old);
  }

  add({ tier_ns: _, ...row }) {
    this.merge(columnsOf(row));
  }

  // Returns the first row that ends after [ns].
  search(ns) {
    let low = 0;
    let high = this.t.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.t[middle] <= ns) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

// Returns the first time of [tier] for which numbers are known: samples may be
// older than all other events.
export function begin(tier) {
  const first = tier.columns.running?.findIndex((share) => share !== null);
  return tier.t[Math.max(0, first ?? 0)] ?? 0;
}

export class History {
  constructor(id) {
    this.id = id;
    this.tiers = tiers.map((tier) => new Tier(tier));
    this.waiting = [];          // ticks that came before the answer
  }

  // Asks for the rows of [tier].
  async load(tier, signal) {
    tier.merge(await get(ofProcess(this.id, 'history'), { tier: tier.name },
                         signal));
    tier.loaded = true;
    if (tier === this.tiers[0]) {
      this.waiting.forEach((row) => tier.add(row));
      this.waiting = [];
    }
  }

  tick(row) {
    if (this.tiers[0].loaded) this.tiers[0].add(row);
    else if (this.waiting.length < 600) this.waiting.push(row);
  }

  // Returns the tier to show [from]..[to] with: at most about 1500 rows, and
  // one that reaches back far enough, if there is one.
  tierFor(from, to) {
    const fine = this.tiers.filter((tier) => (to - from) / tier.ns <= 1500);
    const candidates = fine.length ? fine : this.tiers.slice(-1);
    const reaches = (tier) => !tier.loaded || !tier.t.length ||
      tier.t[0] - tier.ns <= from + (to - from) / 20 ||
      tier.t.length < tier.limit / 2 && tier.t[0] <= 2 * tier.ns;
    return candidates.find(reaches) ?? candidates[candidates.length - 1];
  }
}
