// A server that answers the interface of doc/HTTP.md with made-up data: for
// what the real server does not do on demand, such as failing, and names that
// no program has.
//
//     node mock.js DIR [PORT]     DIR: output of web/build

import http from 'node:http';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { batchAnswers } from './mock_batches.js';

export const token = 'secret-token';
export const hostile = [
  '<script>alert(1)</script>', '<img src=x onerror=alert(2)>',
  '\u001b[31mred\u001b[0m', 'bad \\xff\\xfe bytes', '"\'&amp;\u202etxet'];

const csp = "default-src 'self'";
const tiers = { '100ms': 1e8, '1s': 1e9, '10s': 1e10 };
const wave = (t, period, phase = 0) =>
  (1 + Math.sin(2 * Math.PI * (t / period + phase))) / 2;

const durations = (name, count, scale) => ({
  name, user: true, count, total_ns: count * scale, max_ns: 9 * scale,
  p50_ns: scale, p90_ns: 3 * scale, p99_ns: 6 * scale, p99_9_ns: 8 * scale });

// One row of history.  Nothing is known from second 20 to 25.
function row(t, domains, name) {
  const s = t / 1e9;
  const gap = s > 20 && s < 25;
  const of = (value) => gap ? null : value;
  const collecting = of(0.05 + 0.1 * wave(s, 7));
  const running = of(0.5 + 0.3 * wave(s, 11));
  const each = {};
  for (let d = 0; d < domains; d++)
    each[d] = { collecting: of(0.05 + 0.1 * wave(s, 7, d / 5)),
                running: of(0.4 + 0.4 * wave(s, 11, d / 3)) };
  for (const d of Object.values(each))
    d.waiting = of(1 - d.running - d.collecting);
  const ended = (per_s, mean_ns) => ({ per_s: of(per_s), mean_ns: of(mean_ns) });
  return {
    t, running, collecting, waiting: of(1 - running - collecting),
    alloc_bytes_per_s: of(4e8 + 2e8 * wave(s, 5)),
    promoted_bytes_per_s: of(2e7 + 1e7 * wave(s, 3)),
    heap_bytes: of(1e8 + 5e7 * wave(s, 60)), resident_bytes: of(2.2e8),
    p50_ns: of(2e5), p99_ns: of(1e6 + 2e6 * wave(s, 13)),
    max_ns: of(4e6 + 2e6 * wave(s, 17)), events: of(900), lost: gap ? 50 : 0,
    domains: each, counters: { [name]: of(5 + Math.round(10 * wave(s, 9))) },
    spans: { parse: ended(81.25, 1.5e6), [hostile[0]]: ended(4, null) },
    requests: {},
    waits: { 'unfinished wait': of(2), mutex_wait: of(0.25),
             condition_wait: of(1.5), semaphore_wait: of(s > 12 && s < 14 ? 0.5 : 0) },
    heap: { pool_live_bytes: of(6e7 + 1e7 * wave(s, 60)), large_bytes: of(2 ** 25),
            pool_free_bytes: of(1e7), fragmented_bytes: of(1e6),
            custom_bytes: of(0) } };
}

// Appends the values of [row] to the arrays of [columns].
function append(columns, row) {
  for (const key in row)
    if (typeof row[key] === 'object' && row[key] !== null)
      append(columns[key] ??= {}, row[key]);
    else
      (columns[key] ??= []).push(row[key]);
}

function history(now, tier_ns, domains, name, forgotten) {
  const columns = { tier_ns };
  const first = Math.max(tier_ns, (Math.floor(now / tier_ns) - 600) * tier_ns,
                         Math.ceil(forgotten / tier_ns) * tier_ns);
  for (let t = first; t <= now; t += tier_ns)
    append(columns, row(t, domains, name));
  return columns;
}

const names = ['blocking_section', 'minor', 'stop_the_world', hostile[0],
               'checkout', 'minor_heap_full', 'mutex_wait', 'condition_wait',
               'thread_yield'];
const waitOf = [0, 6, 7, 8];    // by domain
let timelines = 0;

// A collection each 10 ms and a span each 3 ms; merged when they are narrow.
function timeline(now, from, to, width, domains) {
  const pixel = (to - from) / width;
  const end = Math.min(to, now);
  const add = (spans, step, length, name, kind, cause = null) => {
    if (step < 2 * pixel) {
      spans.push([from, end, null, 0, kind, length / step,
                  Math.round((end - from) / step)]);
      return;
    }
    for (let t = Math.max(0, Math.floor(from / step) * step); t < end; t += step)
      if (t + length >= from)
        spans.push([t, Math.min(t + length, now), name, 0, kind, cause]);
  };
  const lanes = Array.from({ length: domains }, (_, domain) => {
    const spans = [];
    add(spans, 1e7, 4e5, 1, 0, 5);
    add(spans, 3e6, 1e6, 3, 1);
    add(spans, 5e7, 8e6, waitOf[domain], 2);
    add(spans, 1e7, 3e5, 2, 3);
    add(spans, 2e7, 1.5e7, 4, 4);
    return { domain, thread: 4242 + domain, name: hostile[domain],
             backup: false, spans };
  });
  // Domain 3 waits for 5 s; the server cuts spans at the ends of the window.
  if (lanes[3] && from < 65e9 && to > 60e9)
    lanes[3].spans.push([Math.max(from, 60e9), Math.min(end, 65e9), 6, 0, 2, null]);
  // The backup threads of the first two domains only collect.
  for (const { domain, name, spans } of lanes.slice(0, 2))
    lanes.push({ domain, thread: 5242 + domain, name, backup: true,
                 spans: spans.filter((s) => s[4] === 0).map((s) => [...s]) });
  // Domain 1 stands still for a stop in each of these times.
  const stops = [{ domain: 1, spans: [] }];
  add(stops[0].spans, 1e8, 2e7, 2, 3);
  const gaps = from < 25e9 && to > 20e9
    ? [[20e9, 22e9, 50, 1], [22e9, 25e9, 'paused', null]] : [];
  // The numbers of names are good for one answer.
  const shift = timelines++ % names.length;
  const renamed = (n) => n === null ? null : (n + shift) % names.length;
  for (const { spans } of [...lanes, ...stops])
    for (const span of spans) {
      const merged = span[2] === null;
      span[2] = renamed(span[2]);
      if (!merged) span[5] = renamed(span[5]);
    }
  // The backup thread of domain 0 had the domain lock at the end of each wait there; the
  // main thread had the mutex when a wait of domain 1 began.
  // Times of two answers differ a little.
  const arrowsOf = (domain, from, what) => (lanes[domain]?.spans ?? [])
    .filter((s) => s[4] === 2 && s[2] !== null).map(([since, end]) =>
      [end + timelines % 3 * 5, domain, from, 4242 + domain, since, what]);
  const arrows = [...arrowsOf(0, 5242, 'domain lock'), ...arrowsOf(1, 4242, 'mutex')];
  return { from, to, complete: true, until_ns: to, lanes, stops, gaps,
           arrows,
           names: names.map((_, i) =>
             names[(i - shift + names.length) % names.length]) };
}

const units = { 12: { promoted: 'words', allocated: 'words' },
                641: { arrived_after: 'ns', left_before: 'ns' } };

function events(from, to, limit, order) {
  if (order === 'latest') {
    const { events: all } = events(from, to, Infinity);
    return { events: all.slice(-limit), units, more: all.length > limit };
  }
  const list = from > 0 ? [] : [{ ns: 40e9, domain: 1, form: 'lost',
    events: 312649, overwritten: true }];
  for (let t = Math.ceil(from / 1e7) * 1e7; t < to; t += 1e7) {
    if (list.length + 2 > limit) return { events: list, units, more: true };
    list.push(
      { ns: t + 4e5, domain: 0, thread: 4242, form: 'end', id: 12, name: 'minor',
        category: 'gc', duration_ns: 4e5, fields: { promoted: 120,
          allocated: 32768, cause: 'minor_heap_full', requested_by: 1 } },
      { ns: t + 4.5e5, domain: 0, form: 'complete', id: 641,
        name: 'stop_the_world', category: 'sync', duration_ns: 3e5, fields: {
          requested_by: 1, reason: 'minor_collection', cause: 'minor_heap_full',
          rounds: [{ domain: 0, arrived_after: 2100, left_before: 1e5 },
                   { domain: 1, arrived_after: 150000, left_before: 0 }] } });
  }
  return { events: list, units, more: false };
}

// A pair each 50 ms, the longest one from 30 s on.
function between(from, to) {
  const t = [];
  for (let at = Math.max(from, to - 100e9); at < to; at += 5e7) t.push(at);
  const times = t.map((at) => 1e6 + 9e5 * wave(at, 3e9));
  const event = (ns, name) => ({ ns, domain: 1, thread: 4243, name,
                                 thread_name: hostile[2] });
  return {
    ...durations('', t.length, 1e6), first_events: t.length + 3,
    then_events: t.length, replaced: 2, cut: 0, open: 1,
    longest: [{ duration_ns: 9e6, first: event(30e9, 'minor'),
                then: event(30.009e9, hostile[0]) }],
    series: { step_ns: 0, t, count: t.map(() => 1), min_ns: times,
              max_ns: times },
    buckets: [[5e5, 1e6, 700], [1e6, 2e6, 900], [8e6, 1e7, 1]].map(
      ([from_ns, to_ns, count]) => ({ from_ns, to_ns, count })) };
}

// A flame graph of a type.  There are no samples of input and output.  The one of
// wall-clock time is truncated: 200 ms of what all called are missing.  Its waits have no
// C code above OCaml code; one is of a kind that the page does not know.  [lost]: it has
// the time from 32.5 s on, of which no ring has lost samples.  The numbers of allocation
// are estimates with a standard error.
function flame(type, scale = 1, lost = false) {
  const unit = ['alloc', 'live'].includes(type) ? 'bytes' : 'ns';
  if (type === 'io') return { samples: 0, unknown_requests: 0, unit };
  const node = (name, value, children = [], { kind = 'ocaml', rest = 0, error } = {}) =>
    ({ name, kind, [`value_${unit}`]: value, children, [`self_${unit}`]: children.reduce(
      (self, c) => self - c[`value_${unit}`], value - rest),
       ...type === 'alloc' && error && { self_error_bytes: error[0], self_samples: error[1] } });
  const samples = { samples: 1000, unknown_requests: 0, unit };
  if (type === 'wall')
    return { ...samples, truncated: true,
             ...lost && { from_ns: 32.5e9, earlier_samples: 1234 },
             ...node('all', 1e9, [
               node('_start', 3.5e8, [node('Dune.main', 3e8)], { kind: 'c' }),
               node('Dune.main', 4.5e8, [['mutex_wait', 1.5e8], ['blocking_section', 2e8],
                                         ['new_wait', 5e7]].map(([name, value]) =>
                 node(`[${name}]`, value, [], { kind: 'wait' })))],
                     { kind: 'unknown', rest: 2e8 }) };
  const collector = node('caml_alloc_small_dispatch', 1e8 * scale, [],
                         { kind: 'collector' });
  const rest = node('Stdlib__List.iter', 2e8, [
    node('Stdlib__Map.add', 1e8, [], { error: [3e6, 8] }),
    node('caml_memory', 5e7, [], { kind: 'runtime', error: [1e6, 1] })]);
  const requests = [[7, hostile[0], 3], [9, null, 1]].map(([number, name, count]) =>
    ({ number, name, samples: count, [`value_${unit}`]: count * 1e7 }));
  return { ...samples, requests, truncated: false, ...node('all', 9e8 + 1e8 * scale, [
    node('Dune.main', 7e8 + 1e8 * scale, [
      node(hostile[0], 5e8, [], { kind: 'c', error: [1e7, 100] }),
      node('Stdlib__Map.add', 1e8 + 1e8 * scale, [collector], { error: [4e6, 4] })]),
    rest], { kind: 'unknown' }) };
}

// A line that leaks, lines that keep their size, and a name that no program has.
function liveSites(from, to, width) {
  const t = Array.from({ length: width }, (_, i) =>
    from + (to - from) * (i + 1) / width);
  const site = (name, line, bytes) =>
    ({ name, file: line && `src/${hostile[1]}`, line, bytes: t.map(bytes) });
  return {
    samples: 1000, left_out: 0, unit: 'bytes', t, sites: [
      site('Cache.store', 42, (ns) => 3e5 * ns / 1e9),
      site(hostile[0], 7, () => 2 ** 22),
      site(hostile[2], null, (ns) => 2 ** 21 * wave(ns, 2e10)),
      ...[4, 5, 6, 7, 8, 9, 10].map((n) =>
        site(`Work.step${n}`, n, (ns) => 2 ** 19 * (1 + wave(ns, n * 5e9))))],
    other: t.map(() => 2 ** 20) };
}

// What differs between two processes: group, name, measure, unit, a and b.
const differences = [
  ['total', 'collector', 'share', 'share', 0.2, 0.1],
  ['total', 'allocated', 'rate', 'bytes_per_s', null, 2 ** 20],
  ['total', 'nothing', 'rate', 'per_s', 0, null],
  ['pauses', hostile[0], 'p99', 'ns', 1e6, 2.5e6],
  ['spans', 'minor', 'rate', 'per_s', 100, 1500],
  ['requests', 'checkout', 'p50', 'ns', 1e6, 1.043e6],
  ['waits', 'mutex_wait', 'mean', 'ns', 1000, 1000],
  ['causes', 'gc_minor', 'rate', 'per_s', 0, 2.5],
].map(([group, name, measure, unit, a, b]) =>
  ({ group, name, measure, unit, a, b }));

// Two threads of a deadlock, and one that reads.
const frame = (name, kind, line = null) =>
  ({ function: name, kind, file: line && 'shop.ml', line });
const takes = (thread, name, holder) => ({
  thread, name, domain: 0, backup: false, state: 'waiting',
  call: { name: 'futex' }, waits_for: 'mutex', mutex: '0x1000', holder,
  request: { number: 7, name: hostile[0] }, spans: [hostile[1]],
  frames: [frame('caml_ml_mutex_lock', 'runtime'), frame(hostile[2], 'ocaml', 12)],
  cut: null });
const stacks = {
  version: 2, pid: 100, stopped_ns: 1.4e6, deadlocks: [[4242, 4243]],
  threads: [takes(4242, 'front', 4243), takes(4243, hostile[0], 4242), {
    thread: 4244, name: 'shop', domain: null, backup: null, state: 'waiting',
    call: { name: 'read', descriptor: 3, file: 'pipe:[1]' }, waits_for: null,
    mutex: null, holder: null, request: null, spans: null,
    frames: Array.from({ length: 40 }, (_, i) => frame(`f${i}`, 'c')),
    cut: 'its caller is not known' }] };

const findings = [{
  rule: 'small_minor_heap', title: 'The minor heap is too small',
  certainty: 'likely', weight: 0.12, event: 'minor',
  evidence: [{ name: 'promoted', unit: 'share', value: 0.12 },
             { name: 'minor collections', unit: 'count', value: 4821 },
             { name: 'cause', unit: 'text', value: 'minor_heap_full' }],
  request: 7, pause: { end_ns: 30.004e9, duration_ns: 4e6, domain: 0 },
  advice: 'Give values time to die: OCAMLRUNPARAM=s=1M' }];

export class Mock {
  constructor(dir) {
    this.dir = dir;
    this.start = Date.now() - 90e3;
    this.processes = 3;
    this.readOnly = false;
    this.fails = new Set();     // paths that answer 500
    this.slow = new Set();      // what is answered by release()
    this.waiting = [];
    this.streams = new Set();
    this.requests = [];
    this.paused = false;
    this.categories = ['gc', 'domain', 'sync', 'user', 'wait', 'thread'];
    this.actions = [];
    this.points = [];
    this.completeFrom = null;   // of what is saved, if not all of it
    this.rule = {};             // what the rule has besides
    this.recordEnd = null;      // the file of a recording, or why there is none
    this.saved = [];
    this.ruleResult = null;     // the file that the rule has saved
    this.samples = false;       // the rings have some
    this.noSamples = false;     // no flame graph has any
    this.nothing = false;       // there are no events, locks, requests and pairs
    this.recordings = [];       // processes that are opened recordings
    this.states = { 1: 'ended' };       // of processes that do not run
    this.first_sample_ns = 20e9;
    this.busy = false;          // the rings have no event of a moment ago
    this.kept_s = 40;           // when the events of domain 1 begin
    this.overwritten = false;   // the first events of all rings; all of `events`
    this.tick_ms = 100;
    this.held = null;           // Date.now() at which the clock stands still
    this.short = false;         // the history of process 101 has 10 s
    this.forgotten = 0;         // the history before, as after a new start
    this.server = http.createServer((q, s) => this.#answer(q, s));
  }

  listen(port = 0) {
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', () => {
      this.port = this.server.address().port;
      resolve(`http://127.0.0.1:${this.port}/#token=${token}`);
    }));
  }

  close() {
    this.disconnect();
    this.server.close();
    this.server.closeAllConnections();
  }

  disconnect() {
    for (const s of this.streams) s.destroy();
    this.streams.clear();
  }

  now() { return ((this.held ?? Date.now()) - this.start) * 1e6; }

  // The next row is so many seconds later.
  skip(seconds) { this.start -= seconds * 1e3; }

  process(i) {
    const now_ns = this.now();
    if (i === 2)
      return { id: '102', pid: 102, error: 'cannot open the ring file: Permission denied' };
    const { running, collecting } = row(now_ns, 4, '');
    return {
      id: String(100 + i), pid: 100 + i, program: i ? hostile[i % 5] : '/usr/bin/shop',
      argv0: i ? hostile[0] : 'shop', runtime: '5.3.0',
      format: this.recordings.includes(i) ? 'recording' : 'ring',
      state: this.states[i] ?? 'running', paused: this.paused,
      categories: this.categories, threshold_ns: 2500,
      started_unix_ns: this.start * 1e6, now_ns,
      path: i ? `/rings/${100 + i} ${hostile[0]} ${hostile[4]}`
        : '/rings/100.eventring',
      domains: 4, gc_share: collecting, utilisation_share: running + collecting,
      alloc_bytes_per_s: 5.1e8, pauses_per_s: 100, p50_ns: 2e5, p99_ns: 2.3e6,
      max_ns: 6e6, heap_bytes: 1.2e8, resident_bytes: 2.2e8, events_per_s: 9000,
      lost_events: i ? 0 : 250,
      damage: i === 1 ? '1 damaged block was left out' : null,
      active_gc_share: collecting / (running + collecting), processors: 1.5,
      verdict: i ? null : `${findings[0].title} (likely)`, level: i ? null : 'warning',
      verdict_unix_ns: i ? null : 1e18,
      findings: i ? [] : [{ title: findings[0].title, certainty: 'likely' }] };
  }

  detail() {
    const now = this.now();
    const known = ['gc', 'gc_detail', 'domain', 'sync', 'user', 'wait', 'thread',
                   'profile', 'profile_alloc', 'profile_wait', 'io'];
    return {
      now_ns: now,
      domains: [0, 1, 2, 3].map((id) => ({
        id, name: id ? hostile[id] : 'main', ended: false, activity: 'running',
        watched_from_ns: 7e12 + (id === 1 ? 40e9 : 12.5e9), begin_lost: id === 1,
        user_span: hostile[0], wait: 'mutex_wait', wait_share: 0.2, gc_share: 0.1,
        alloc_bytes_per_s: 1e8, minor_per_s: 50, slices_per_s: 100,
        last_pause_ns: 2e5, max_pause_ns: 6e6,
        gc_ns: now / 10, watched_ns: now, minor_collections: 4821,
        allocated_words: 1e9, promoted_words: 1e7, major_allocated_words: 2e8,
        running_ns: now * 0.7, waiting_ns: now * 0.2,
        pauses: { any: durations('any', 4821, 2e5) },
        arrivals: durations('arrivals', 4821, 2000) })),
      spans: [durations('parse', 812, 1e6), durations(hostile[0], 12, 3e6)],
      waits: [durations('mutex_wait', 99, 1e5)],
      requests: [{ ...durations('checkout', 400, 5e6),
                   not_finished: 2, running: durations('', 400, 4e6),
                   waiting: durations('', 400, 1e6) }],
      causes: { minor: { minor_heap_full: 4800, gc_minor: 21 },
                stopped: { minor_collection: 4821 } },
      cause_times: { minor: {
        minor_heap_full: { total_ns: 1e9, max_ns: 6e6 } } },
      threads: [
        { id: 4242, thread_id: 0, name: hostile[2], domain: 0, backup: false,
          ended: false, activity: 'waiting', spans: ['serve', hostile[0]],
          request: { number: 7, name: hostile[1] },
          wait: 'mutex_wait', wait_ns: 3e6, waiting_ns: 25e6, running_share: 0.7, gc_share: 0.1,
          wait_share: 0.2, first_ns: now - 5e9, last_ns: now },
        { id: 4243, thread_id: null, name: null, domain: 1, backup: true,
          ended: true, activity: 'ended', spans: [], request: null, wait: null,
          wait_ns: null, waiting_ns: null, running_share: null, gc_share: null, wait_share: null,
          first_ns: 1e9, last_ns: 4e9 }],
      counters: [{ name: hostile[1], value: 7 }],
      long_pauses: [5e6, 7e6, 6e6].map((duration_ns, i) => ({
        // With a stop of the timeline
        end_ns: Math.floor(now / 1e7) * 1e7 - i * 1e9 + 3e5, duration_ns, domain: 1, domains: 4,
        requested_by: 2, arrived_last: 3, name: 'minor', cause: 'minor_heap_full' })),
      distributions: [{ ...durations('any', 300, 2e5), buckets:
        [[1e5, 2e5, 100], [2e5, 4e5, 150], [4e5, 8e5, 49], [3.2e6, 6.4e6, 1]].map(
          ([from_ns, to_ns, count]) => ({ from_ns, to_ns, count })) }],
      known_categories: known.map((name) => ({
        name, recorded: this.categories.includes(name),
        meaning: `Events of ${name}` })) };
  }

  #file(s, name) {
    const types = { html: 'text/html; charset=utf-8', js: 'text/javascript',
                    css: 'text/css', svg: 'image/svg+xml' };
    s.writeHead(200, { 'Content-Type': types[name.split('.').pop()],
                       'Content-Security-Policy': csp });
    s.end(fs.readFileSync(path.join(this.dir, name)));
  }

  // Only the events called [name], if it is not empty, and the lost ones.
  #ofName(name, answer) {
    return { ...answer, events: answer.events.filter((e) => !name || !e.name || e.name === name) };
  }

  #json(s, status, value) {
    s.writeHead(status, { 'Content-Type': 'application/json' });
    s.end(JSON.stringify(value));
  }

  #stream(s, id) {
    s.writeHead(200, { 'Content-Type': 'text/event-stream' });
    this.streams.add(s);
    const send = (event, value) =>
      s.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
    const second = () => {
      send('processes', { processes: this.list() });
      if (id) send('detail', this.detail());
    };
    second();
    const timers = [setInterval(second, 1000)];
    if (id)
      timers.push(setInterval(() => this.held ?? send('tick', { tier_ns: 1e8, ...row(
        Math.floor(this.now() / 1e8) * 1e8, 4, hostile[1]) }), this.tick_ms));
    this.send = send;
    s.on('close', () => {
      timers.forEach(clearInterval);
      this.streams.delete(s);
    });
  }

  list() {
    return Array.from({ length: this.processes }, (_, i) => this.process(i));
  }

  // A file, of which the content is its address.
  #download(s, url, ending) {
    s.writeHead(200, { 'Content-Disposition':
      `attachment; filename="shop-100${ending}"`,
      ...this.completeFrom && { 'Eventring-Complete-From': this.completeFrom } });
    s.end(url.pathname + url.search);
  }

  #edit({ action, name, to, note }, s) {
    const at = this.saved.findIndex((r) => r.name === name);
    if (this.saved.some((r) => r.name === to))
      return this.#json(s, 409, { error: `cannot give the name ${to}: File exists` });
    if (action === 'delete') this.saved.splice(at, 1);
    if (action === 'rename') this.saved[at].name = to;
    if (action === 'note') this.saved[at].note = note || null;
    return this.#json(s, 200, {});
  }

  #act(id, what, q, s) {
    let body = '';
    q.on('data', (chunk) => { body += chunk; });
    q.on('end', () => {
      const wish = JSON.parse(body);
      if (q.url === '/api/saved') return this.#edit(wish, s);
      if (q.url === '/api/batches/runs') return this.#json(s, 200, { id: '101' });
      if (q.url === '/api/rules')
        return this.#json(s, 200, { rule: { when: wish.when.replace(/\d$/, '$&s') } });
      if (wish.action === 'pause') this.paused = true;
      if (wish.action === 'resume') this.paused = false;
      if (wish.action === 'categories') this.categories = wish.categories;
      this.actions.push({ unix_ns: Date.now() * 1e6, origin: '127.0.0.1',
                          process: id, action: body,
                          result: what === 'save' ? '/store/shop.evr' : 'done' });
      if (what === 'stacks') return this.#json(s, 200, stacks);
      if (what === 'points')
        return this.#json(s, 200, { points: this.points });
      if (what === 'record')
        for (const [action, result, ns] of [['start', 'ok', 0],
          ['its time is over', this.recordEnd, 1e5]])
          this.actions.unshift({ unix_ns: Date.now() * 1e6 + ns, origin: '127.0.0.1',
                                 process: id, action: `record: ${action}`, result });
      return this.#json(s, 200, what === 'save'
        ? { file: '/store/shop.evr', complete_from_ns: this.completeFrom } : {});
    });
  }

  #answer(q, s) {
    const url = new URL(q.url, 'http://x');
    const [, api, what, id, part] = url.pathname.split('/');
    const number = (name, other) => Number(url.searchParams.get(name) ?? other);
    this.requests.push(q.method + ' ' + q.url);
    if (url.pathname === '/') return this.#file(s, 'index.html');
    if (/^\/monitor\.(js|css|svg)$/.test(url.pathname))
      return this.#file(s, api);
    if (q.headers.authorization !== `Bearer ${token}`)
      return this.#json(s, 401, { error: 'the token is missing or wrong' });
    if (this.fails.has(url.pathname))
      return this.#json(s, 500, { error: `failed as asked: ${hostile[0]}` });
    const now = this.now();
    const from = number('from', 0);
    const to = number('to', now);
    if (q.method === 'POST') return this.#act(id, part, q, s);
    if (what === 'stream')
      return this.#stream(s, url.searchParams.get('process'));
    if (this.busy_once && what === 'batches') {
      this.busy_once = false;
      return this.#json(s, 503, { error: 'busy: ask again later' });
    }
    if (this.otherMachines && id === 'comparison' && !url.searchParams.has('other_machines'))
      return this.#json(s, 409, { error: 'other machine; --other-machines compares them' });
    const files = { recording: '.evr', pprof: '.pb.gz',
                    trace: url.searchParams.get('format') === 'chrome' ? '.json'
                      : '.pftrace' };
    if (files[part]) return this.#download(s, url, files[part]);
    const answers = {
      server: () => ({ version: 1, read_only: this.readOnly, store: '/store',
                       program: 'eventring mock', now_unix_ns: Date.now() * 1e6 }),
      processes: () => ({ processes: this.list() }),
      saved: () => ({ saved: this.saved }),
      rules: () => ({ watched: 1, not_watched: 0, rules: [{
        id: 1, when: 'minor > 10ms', process: null, fleet: false, before_s: 5, after_s: 1,
        distance_s: 10, max_files: 10, max_bytes: 2 ** 30, max_age_s: 604800,
        webhook: null, ...this.rule, fired: 1, saved: this.ruleResult ? 1 : 0, last_unix_ns: null,
        last_result: this.ruleResult }] }),
      batches: () => batchAnswers(hostile)[id ?? 'list'],
      actions: () => ({ actions: this.actions }),
      recordings: () => ({ recordings: [] }),
      detail: () => this.detail(),
      history: () => history(this.short && id === '101' ? 1e10 : now,
                             tiers[url.searchParams.get('tier')], 4, hostile[1],
                             this.forgotten),
      kept: () => ({ rings: [[0, this.busy ? 1e6 : 12.5, this.overwritten || this.busy],
                             [1, this.busy ? 1e6 : this.kept_s, true]].map(
        ([domain, s, begin_lost]) =>
          ({ domain, from_ns: s * 1e9, begin_lost, samples: this.samples })) }),
      stat: () => ({ all_read: !from && to === now, first_ns: 7e12 + Math.max(from, 12.5e9), last_ns: 7e12 + to,
                     lost_events: 0, process: { started_ns: 7e12 },
                     totals: { minor_collections: 194000, major_cycles: 412,
                               allocated_words: 2 ** 30, promoted_words: 2 ** 20,
                               major_allocated_words: 2 ** 21, pauses: 201000,
                               paused_ns: 9e10, longest_pause_ns: 12e6 },
                     total: this.detail().domains[0], ...this.detail() }),
      timeline: () => timeline(now, from, to, number('width', 1000), 4),
      events: () => this.overwritten || this.nothing ? { events: [], units, more: false }
        : this.#ofName(url.searchParams.get('filter')?.split(' ')[0], events(
          from, to, number('limit', 100), url.searchParams.get('order'))),
      names: () => ({ names: ['checkout', 'my span', hostile[0], hostile[3],
                              'minor', 'wait>5ms'] }),
      between: () => ({ ...between(from, to),
                        ...this.nothing && { count: 0, then_events: 0 } }),
      locks: () => ({ locks: this.nothing ? [] : [
        { kind: 'mutex', lock: '0x1000', waits: 3, total_ns: 15e6, longest_ns: 5e6,
          longest: { from: 40.003e9, to: 40.008e9, domain: 0, thread: 4242 },
          holders: [{ thread: 4242, waits: 2, total_ns: 10e6 }],
          spans: [{ span: hostile[0], waits: 3, total_ns: 15e6 }] },
        { kind: 'domain lock', lock: '1', waits: 1, total_ns: 2e6, longest_ns: 2e6,
          longest: { from: 40.998e9, to: 41e9, domain: 1, thread: 4243 },
          holders: [], spans: [] }] }),
      requests: () => {
        const one = url.searchParams.get('request');
        // The ring no longer has the events of request 9.
        const list = [[7, 40e9, 3e7], [9, 50e9, 2e7]].map(([number, from, ns]) => ({
          number, name: number === 9 ? 'checkout' : hostile[0], overwritten: number === 9, from, to: from + ns,
          duration_ns: ns, running_ns: 1.2e7, waiting_ns: ns - 1.2e7, collector_ns: 2e6,
          waits: number !== 9 ? [{ name: 'domain_lock', count: 1, total_ns: 5e5 }] : [
            { name: 'blocking_section', count: 1, total_ns: 1e6 },
            { name: 'mutex_wait', count: 2, total_ns: 3e6 },
            { name: null, count: null, total_ns: 2e6 }] }))
          .filter((r) => !this.nothing && from < r.to && r.to <= to);
        return {
          requests: list.filter((r) => !one || one === String(r.number)),
          open: [{
            number: 11, name: hostile[0], overwritten: false, from: 40e9, to: 41e9,
            duration_ns: 1e9, running_ns: 1e9, waiting_ns: 0, collector_ns: 2e6, waits: [],
            thread: 4242 }].filter(() => !this.nothing && to > 40e9 && (!one || one === '11')),
          kinds: [{ ...durations(hostile[0], 2, 2e7), buckets:
            [{ from_ns: 1e7, to_ns: 4e7, count: 2 }] }],
          runs: !['7', '11'].includes(one) ? [] : [[0, 4242, 40e9, 40.01e9], [1, 4243, 40.019e9, 40.022e9]].map(
            ([domain, thread, from, to]) => ({ domain, thread, from, to })) };
      },
      last_diagnosis: () => ({
        watched_ns: 5.5e7, findings,
        passed: [{ rule: 'long_stop', title: 'A long stop', limits: [
          { number: 100, unit: 'ms', meaning: 'least length', measured: 20.513 },
          { number: 2, unit: 'stops', meaning: 'least number', measured: null }] }],
        not_judged: [{ rule: 'remembered_set', title: 'A large remembered set',
                       category: 'gc_detail', reason: 'not recorded' },
                     { rule: 'memory_growth', title: 'The heap grows', category: null,
                       reason: 'fewer than 8 major cycles ended' }] }),
      // Another process, and another time, have more of the collector.
      flame: () => ({
        first_ns: this.first_sample_ns, last_ns: this.last_sample_ns, ...flame(
        this.noSamples ? 'io' : url.searchParams.get('type'),
        id !== '100' || from === 1e9 ? 3 : 1, this.overwritten) }),
      live_sites: () => liveSites(from, to, number('width', 1000)),
      ...url.searchParams.get('a') === '100' && { compare: () => {
        const side = (i) => ({ ...this.process(i), from_ns: 0,
                               to_ns: this.short && !i ? 9e10 : 1e10, lost_events: 0 });
        return { version: 1, a: side(0), b: side(1), differences };
      } } };
    const answer = answers[part ?? what];
    if (!answer) return this.#json(s, 404, { error: 'no such page' });
    const send = () => this.#json(s, 200, answer());
    if (this.slow.has(part ?? what)) this.waiting.push(send);
    else send();
  }

  release() {
    this.slow.clear();
    for (const send of this.waiting.splice(0)) send();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = new Mock(process.argv[2]);
  console.log(await mock.listen(Number(process.argv[3] ?? 0)));
}
