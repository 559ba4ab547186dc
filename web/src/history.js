// The rows of a process over time, in columns, for the charts.  The server has
// three tiers; live rows are added to the finest, the others are asked for
// again.  A row that is missing or null is a gap.

import { get, ofProcess } from './api.js';

export const tiers = [
  { name: '100ms', ns: 1e8, rows: 3000 },
  { name: '1s', ns: 1e9, rows: 3600 },
  { name: '10s', ns: 1e10, rows: 8640 },
];
const groups = ['domains', 'counters'];
const most_counters = 50;

const nulls = (n) => new Array(n).fill(null);

// Columns of one tier.  [t]: the ends of the rows, in ns since the start.
class Tier {
  constructor({ name, ns, rows }) {
    this.name = name;
    this.ns = ns;
    this.limit = rows;
    this.t = [];
    this.columns = {};
    this.domains = Object.create(null);
    this.counters = Object.create(null);        // by names from the program
    this.loaded = false;
  }

  get last() {
    return this.t.length ? this.t[this.t.length - 1] : -1;
  }

  #put(columns, key, value) {
    (columns[key] ??= nulls(this.t.length - 1)).push(value ?? null);
  }

  // Adds [row], which may lack columns; a hole before it becomes a null row,
  // at which charts break their lines.
  add(row) {
    if (row.t <= this.last) return;
    if (this.t.length && row.t - this.last > 1.5 * this.ns)
      this.#add({ t: this.last + this.ns });
    this.#add(row);
  }

  #add({ t, tier_ns: _, domains = {}, counters = {}, ...values }) {
    this.t.push(t);
    for (const key in values) this.#put(this.columns, key, values[key]);
    for (const id in domains)
      for (const key in domains[id])
        this.#put(this.domains[id] ??= {}, key, domains[id][key]);
    for (const name in counters)
      if (name in this.counters ||
          Object.keys(this.counters).length < most_counters)
        this.#put(this.counters, name, counters[name]);
    this.#finishRow();
    if (this.t.length > this.limit * 1.1)
      this.#drop(this.t.length - this.limit);
  }

  *#all() {
    yield* Object.values(this.columns);
    yield* Object.values(this.counters);
    for (const d of Object.values(this.domains)) yield* Object.values(d);
  }

  #finishRow() {
    for (const column of this.#all())
      while (column.length < this.t.length) column.push(null);
  }

  #drop(n) {
    this.t.splice(0, n);
    for (const column of this.#all()) column.splice(0, n);
  }

  // Adds the rows of an answer of the server that are newer.
  merge(answer) {
    const { t, domains = {}, counters = {}, tier_ns: _, ...columns } = answer;
    for (let i = 0; i < t.length; i++) {
      if (t[i] <= this.last) continue;
      const row = { t: t[i], domains: {}, counters: Object.create(null) };
      for (const key in columns) row[key] = columns[key]?.[i];
      for (const id in domains) {
        row.domains[id] = {};
        for (const key in domains[id])
          row.domains[id][key] = domains[id][key][i];
      }
      for (const key in counters) row.counters[key] = counters[key][i];
      this.add(row);
    }
    this.loaded = true;
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

  // Asks for the rows of [tier] and adds those that are new.
  async load(tier, signal) {
    tier.merge(await get(ofProcess(this.id, 'history'), { tier: tier.name },
                         signal));
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
