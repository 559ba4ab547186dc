// If this breaks, charts show rows at wrong times or not at all, the memory of the page
// grows as long as it is open, or the timeline says that a thread runs when nobody knows.

import assert from 'node:assert/strict';
import { begin, beginOf, History, Tier } from '../../web/src/history.js';
import { nextSpan } from '../../web/src/choice.js';
import { joinEvents } from '../../web/src/join_events.js';
import { layOut, nearest } from '../../web/src/lanes.js';
import { outside } from '../../web/src/intervals.js';
import { pathOf } from '../../web/src/spark_path.js';
import { finish, test } from './browser.js';

const make = (rows = 10) => new Tier({ name: '1s', ns: 1e9, rows });
const row = (s, running, more = {}) => ({ t: s * 1e9, running, ...more });
const range = (from, to) =>
  Array.from({ length: to - from }, (_, i) => from + i);

await test('rows are at their times, and a row that is missing is null', () => {
  const tier = make();
  for (const s of [3, 4, 7]) tier.add(row(s, s));
  assert.deepEqual([tier.first, tier.end], [3, 8]);
  assert.deepEqual(tier.values(tier.columns.running), [3, 4, null, null, 7]);
  assert.deepEqual(tier.values(tier.columns.running, 4, 6), [4, null]);
  assert.deepEqual(tier.values(undefined, 4, 6), [null, null]);
  assert.deepEqual([0, 3, 3.5, 7, 9].map((s) => tier.search(s * 1e9)),
                   [3, 4, 4, 8, 8]);
});

await test('rows of an answer before the newest tick are kept', () => {
  const tier = make();
  tier.add(row(5, 5));
  tier.add(row(8, 8));
  tier.merge({ tier_ns: 1e9, t: range(4, 8).map((s) => s * 1e9),
               running: [40, 50, null, 70] });
  assert.deepEqual(tier.values(tier.columns.running), [40, 50, null, 70, 8]);
});

await test('the oldest rows make room for new ones', () => {
  const tier = make();
  for (const s of range(0, 25)) tier.add(row(s, s));
  assert.deepEqual(tier.values(tier.columns.running), range(15, 25));
  tier.add(row(14, 14));
  assert.deepEqual(tier.values(tier.columns.running), range(15, 25));
  tier.add(row(28, 28));
  assert.deepEqual(tier.values(tier.columns.running),
                   [...range(19, 25), null, null, null, 28]);
  tier.add(row(1000, 1));
  assert.deepEqual(tier.values(tier.columns.running),
                   [...new Array(9).fill(null), 1]);
  assert.equal(begin(tier), 1000e9);
});

await test('a row that is too old is not mistaken for one of the same answer', () => {
  const tier = make();
  tier.merge({ tier_ns: 1e9, t: [1e9, 2e9, 1000e9], running: [1, 2, 1000] });
  assert.deepEqual(tier.values(tier.columns.running), [1000]);
  tier.merge({ tier_ns: 1e9, t: [995e9, 997e9], running: [995, 997] });
  assert.deepEqual(tier.values(tier.columns.running),
                   [995, null, 997, null, null, 1000]);
});

await test('columns of names are nested, and 50 at most', () => {
  const tier = make();
  tier.add(row(1, 1, { domains: { 0: { running: 0.5 } } }));
  tier.add(row(2, null, { domains: { 0: { running: null } } }));
  assert.deepEqual(tier.values(tier.columns.domains[0].running), [0.5, null]);
  tier.add(row(3, 3, { counters: Object.fromEntries(
    range(0, 80).map((i) => [`c${i}`, i])) }));
  assert.equal(Object.keys(tier.columns.counters).length, 50);
  assert.deepEqual(tier.values(tier.columns.counters.c7), [null, null, 7]);
});

await test('the memory of a tier stays the same from its first row on', () => {
  const tier = make(3600);
  const bytes = () => tier.columns.running.byteLength;
  tier.add(row(0, 0));
  const before = bytes();
  for (const s of range(1, 10000)) tier.add(row(s, s));
  assert.equal(bytes(), before);
  assert.equal(tier.count, 3600);
});

await test('a short recording, late after the start, has no coarse rows: it begins where its '
  + 'events do', () => {
  const history = new History('1');
  const [fine, middle] = history.tiers;
  for (const s of range(7430, 7495)) fine.add(row(s / 10, 1));
  for (const s of range(743, 749)) middle.add(row(s, 1));
  for (const tier of history.tiers) tier.loaded = true;
  assert.equal(beginOf(history), 743e9);
  assert.equal(history.tierFor(743e9, 749.5e9), fine);
  assert.equal(history.tierFor(689.5e9, 749.5e9), fine);
  assert.equal(history.tierFor(0, 749.5e9), middle);
  assert.equal(history.tierFor(0, 9000e9), middle);
  assert.equal(beginOf(new History('2')), 0);
  history.tiers[2].loaded = false;      // it may reach back further
  assert.equal(history.tierFor(0, 100e9), history.tiers[2]);
});

await test('a sparkline has nothing where the server had no numbers', () => {
  const points = [0, 1, 2, 20, 21, 22].map((s) => ({ t: s * 1e9, share: 1 }));
  points[4].share = null;
  const path = (list) => pathOf(list, (p) => p.share, 30e9, 30);
  assert.equal(path(points),
               'M0.00 0.00L1.00 0.00L2.00 0.00L2.00 24L0.00 24Z' +
               'M20.00 0.00L20.00 24L20.00 24ZM22.00 0.00L22.00 24L22.00 24Z');
  assert.equal(path([]), '');
});

await test('a span is found in another answer, among short ones and with other times', () => {
  const spans = range(0, 9).map((i) => [1000 + 100 * i, 1050 + 100 * i]);
  spans.forEach(([from, to], i) => assert.equal(nearest(spans, [from + 10, to - 5]), i));
  assert.equal(nearest(spans, [5000, 5050]), -1);
  assert.equal(nearest([], [0, 1]), -1);
});

await test('the span in the row below or above begins in the chosen one, is around its begin, or is '
  + 'the nearest', () => {
  const span = (from, to, depth) => [from, to, 0, depth, 1];
  const upper = [span(100, 300, 0), span(310, 320, 0)];
  const lower = [span(0, 90, 1), span(250, 260, 1), span(270, 305, 1)];
  const lane = { domain: 0, thread: 1, rows: 2, first: [0, 0], spans: [...upper, ...lower] };
  const next = (chosen, key) =>
    nextSpan({ lanes: [lane] }, { lane, span: chosen }, key, [0, 1000]).span;
  assert.equal(next(upper[0], '>'), lower[1]);
  assert.equal(next(lower[1], '<'), upper[0]);
  assert.equal(next(upper[1], '>'), lower[2]);
  assert.equal(next(lower[0], '<'), upper[0]);
  lane.spans.push(span(301, 400, 1));
  assert.equal(next(upper[1], '>').at(1), 400);
});

await test('lanes of backup threads are shown if they are wanted, or the only ones of their domain',
  () => {
    const lanes = [[0, 10, false], [0, 11, true], [1, 21, true]].map(
      ([domain, thread, backup]) => ({ domain, thread, backup, rows: 1 }));
    const shown = (backup, hidden = []) => layOut(lanes, {
      backup, hidden: new Set(hidden), pinned: new Set() }).lanes.map((l) => l.thread);
    assert.deepEqual(shown(false), [10, 21]);
    assert.deepEqual(shown(true), [10, 11, 21]);
    assert.deepEqual(shown(false, ['0.10']), [21]);
  });

await test('two answers are joined without an event twice, of which the times are a bit off', () => {
  const event = (ns, name) => ({ ns, name, form: 'instant', domain: 0, thread: 1 });
  const [a, b, c, d] = ['a', 'b', 'a', 'd'].map((name, i) => event(1000 + 5 * i, name));
  assert.deepEqual(joinEvents([a, b, c], [b, event(c.ns - 3, 'a'), d]), [a, b, c, d]);
  assert.deepEqual(joinEvents([a, b], [event(b.ns + 6, 'b'), c, d]), [a, b, c, d]);
  assert.deepEqual(joinEvents([a, b], [event(2000, 'b'), event(3000, 'c')]).map((e) => e.ns),
                   [1000, 1005, 2000, 3000]);
  assert.deepEqual(joinEvents([], [c, d]), [c, d]);
  assert.deepEqual(joinEvents([c, d], [a, b]), [c, d]);
});

await test('the parts outside gaps: gaps overlap, and go over both ends', () => {
  assert.deepEqual(outside([], [10, 90]), [[10, 90]]);
  assert.deepEqual(outside([[60, 70], [0, 20], [15, 30], [85, 99]], [10, 90]),
                   [[30, 60], [70, 85]]);
  assert.deepEqual(outside([[0, 100], [20, 30]], [10, 90]), []);
  assert.deepEqual(outside([[0, 10], [90, 95]], [10, 90]), [[10, 90]]);
});

finish();
