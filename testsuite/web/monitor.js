// See monitor.t.  The environment has the addresses of the servers, PID and RING
// of the program, SERVER, the process id of the first server, and TMP, a folder.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {
  allDisabled, ask, click, finish, launch, open, pause, retry, test, textOf,
  timeout, until,
} from './browser.js';

const { ADDRESS: address, READ_ONLY: readOnly, PID: pid, RING: ring,
        SERVER: server, TMP: folder, EVENTRING_BIN: command } = process.env;
const browser = await launch();

const eventring = (...args) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe',
                                maxBuffer: 1 << 28 });
const has = (page, text) =>
  until(page, (wanted) => document.body.innerText.includes(wanted), text);
const seen = (page, selector) =>
  page.waitForSelector(selector, { visible: true, timeout });
const silent = (page) => assert.deepEqual(page.complaints.splice(0), []);
const api = (path) => ask(address, path);

const { processes: [{ id }] } = await api('/api/processes');
const page = await open(browser, address);
const view = (name) =>
  page.evaluate((h) => { location.hash = h; }, `#/process/${id}/${name}`);
const press = (text) => page.evaluate((label) =>
  [...document.querySelectorAll('main button')]
    .find((b) => b.innerText === label).click(), text);

// The rows of the tables, each an object by the heads of its columns, and the
// window that they are of: all at one moment, since windows move.
const tables = (...names) => page.evaluate((...which) => {
  const texts = (row) => [...row.children].map((cell) => cell.innerText.trim());
  const { from, to } = document.querySelector('[data-to]')?.dataset ?? {};
  const rows = (name) => {
    const element = document.querySelector(`[data-table=${name}]`);
    const heads = texts(element.querySelector('thead tr'));
    return [...element.querySelectorAll('tbody tr')].map((row) =>
      Object.fromEntries(texts(row).map((text, i) => [heads[i], text])));
  };
  return { from: Number(from), to: Number(to),
           ...Object.fromEntries(which.map((name) => [name, rows(name)])) };
}, ...names);
const table = async (name) => (await tables(name))[name];
const integer = (text) => Number(text.replace(/\D/g, ''));

// A duration or share as the page shows it, in ns or parts.
function shown(text) {
  const [, number, unit] = /^<?([\d.]+) (\S+)$/.exec(text);
  const factors = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, '%': 0.01 };
  return number * factors[unit];
}
const near = (text, value, what, part = 0.0051) => assert.ok(
  Math.abs(shown(text) - value) <= part * Math.abs(value) + 5e-4,
  `${what}: ${text}, not ${value}`);

await test('the process is shown with its numbers', async () => {
  await has(page, 'shop');
  const text = await textOf(page);
  for (const word of [`pid ${pid}`, '2 domains', 'recording', 'Live'])
    assert.ok(text.includes(word), word);
  await until(page, () => /[1-9][\d.]* MiB\/s/.test(document.body.innerText));
  silent(page);
});

const legend = () => page.evaluate(() =>
  document.querySelector('.chart .u-legend').innerText.replace(/\s+/g, ' '));

await test('charts have new points, with the numbers of the history', async () => {
  await view('charts');
  await until(page, () => /running ?[\d.]+ %/.test(
    document.querySelector('.chart .u-legend')?.innerText.replace(/\s+/g, ' ')));
  const before = await legend();
  await until(page, (old) => document.querySelector('.chart .u-legend')
    .innerText.replace(/\s+/g, ' ') !== old, before);
  // A wait that ends corrects a row that the page has already.
  let text, rows, latest;
  for (let i = 0; i < 100 && !rows?.includes(latest.join()); i++) {
    text = await legend();
    const history = await api(`/api/processes/${id}/history?tier=100ms`);
    const percent = (share) => share === null ? '–' : (100 * share).toFixed(1);
    rows = history.t.map((_, i) => ['waiting', 'collecting', 'running']
      .map((key) => percent(history[key][i])).join());
    latest = ['waiting', 'collecting', 'running'].map((key) =>
      new RegExp(`${key} ?([\\d.]+|–)`).exec(text)[1])
      .map((part) => part === '–' ? part : Number(part).toFixed(1));
  }
  assert.ok(rows.includes(latest.join()), `${text}; ${rows.slice(-10)}`);
  silent(page);
});

await test('the numbers of the tables are those of /stat for the same window, '
  + 'and the count of a span that of eventring events', async () => {
  await view('tables');
  await seen(page, '[data-table=domains]');
  await press('10 s');
  await until(page, () => document.querySelector('[data-to]')?.dataset.to);
  const { from, to, domains, spans } = await tables('domains', 'spans');
  const stat = await api(`/api/processes/${id}/stat?from=${from}&to=${to}`);
  assert.equal(domains.length, stat.domains.length);
  stat.domains.forEach((domain, i) => {
    assert.equal(integer(domains[i].Pauses), domain.pauses.any.count);
    assert.equal(integer(domains[i].Minor), domain.minor_collections);
    near(domains[i].p99, domain.pauses.any.p99_ns, 'p99');
    near(domains[i].Longest, domain.pauses.any.max_ns, 'longest');
    near(domains[i].GC, domain.gc_share, 'share of the collector');
  });
  for (const span of stat.spans) {
    const name = span.name.replaceAll('\u001b', '\\x1b');
    const row = spans.find((r) => r.Span === name);
    assert.equal(integer(row.Count), span.count, name);
  }
  const events = eventring('events', '--json', '--name=parse', ring).split('\n')
    .filter((line) => line).map((line) => JSON.parse(line))
    .filter((e) => e.form === 'end' && e.ns < to &&
      e.ns - e.duration_ns >= from);
  const parse = spans.find((r) => r.Span === 'parse');
  assert.ok(events.length > 10);
  assert.equal(integer(parse.Count), events.length);
  silent(page);
});

// Records the program for some seconds, in a process of its own.  Returns a
// window of that time, [from, to], and the object of stat for the window.  The
// clocks of two readers may differ by nanoseconds, so the window begins and ends
// in the middle of the longest time without an event of its first and last
// fifth in which both domains wait outside spans: a pause or a span at the border would
// be in the window, but not in what is cut.
function recording() {
  const [whole, part] = ['whole.evr', 'part.evr'].map((f) => path.join(folder, f));
  eventring('record', '--for=4s', '-o', whole, pid);
  const { last_ns, process: { started_ns } } =
    JSON.parse(eventring('stat', '--json', whole));
  const events = eventring('events', '--json', whole).split('\n')
    .filter((line) => line).map((line) => JSON.parse(line));
  const times = events.map((e) => e.ns).sort((a, b) => a - b);
  const waits = events.filter((e) => e.name === 'blocking_section');
  const spans = events.filter((e) => e.duration_ns && e.name !== 'blocking_section');
  const isOpen = (e, ns) => e.ns > ns && e.ns - e.duration_ns < ns;
  const wait = (ns) => [0, 1].every((domain) => waits.some((e) =>
    e.domain === domain && isOpen(e, ns))) && !spans.some((e) => isOpen(e, ns));
  const end = last_ns - started_ns;
  const silence = (from, to) => times.map((t, i) => [t, times[i + 1] - t])
    .filter(([t]) => t >= from && t < to).sort((a, b) => b[1] - a[1])
    .find(([t, length]) => wait(t + length / 2));
  const [from, to] = [silence(end - 4e9, end - 3.2e9), silence(end - 1e9, end - 2e8)]
    .map(([t, length]) => {
      assert.ok(length > 1e5, `${length} ns`);
      return Math.round(t + length / 2);
    });
  eventring('cut', `--from=${from}ns`, `--to=${to}ns`, whole, '-o', part);
  return { from, to, stat: JSON.parse(eventring('stat', '--json', part)) };
}

// Compares row [row] of a table with the durations [d] of stat: the number
// exactly, the times within 1 %.
function sameDurations(row, d, what) {
  assert.equal(integer(row.Count), d.count, `${what}: count`);
  for (const [head, value] of [['Total', d.total_ns], ['p50', d.p50_ns],
                               ['p90', d.p90_ns], ['p99', d.p99_ns],
                               ['Longest', d.max_ns]])
    near(row[head], value, `${what}: ${head}`, 0.01);
}

await test('the numbers of a window are those of stat of an independent '
  + 'recording: counts are equal, percentiles differ by less than 1 %', async () => {
  const { from, to, stat } = recording();
  await view(`timeline?from=${from}&to=${to}`);
  await seen(page, 'canvas.timeline');
  await click(page, '.tabs a[href*="/tables"]');
  await seen(page, '[data-table=domains]');
  await until(page, (...window) => {
    const { from, to } = document.querySelector('[data-to]')?.dataset ?? {};
    return from === window[0] && to === window[1];
  }, String(from), String(to));

  const domains = await table('domains');
  assert.equal(domains.length, 2);
  stat.domains.forEach((d, i) => {
    const row = domains[i];
    const what = `domain ${d.id}`;
    assert.equal(integer(row.Domain), d.id);
    assert.equal(integer(row.Minor), d.minor_collections, what);
    assert.equal(integer(row.Pauses), d.pauses.any.count, what);
    near(row.p50, d.pauses.any.p50_ns, `${what}: p50`, 0.01);
    near(row.p99, d.pauses.any.p99_ns, `${what}: p99`, 0.01);
    near(row.Longest, d.pauses.any.max_ns, `${what}: longest`, 0.01);
    near(row['Arrival p99'], d.arrivals.p99_ns, `${what}: arrivals`, 0.01);
  });
  const phrase = (name) =>
    name.replaceAll('_', ' ').replaceAll('\u001b', '\\x1b');
  for (const [name, head, list] of [['spans', 'Span', stat.spans],
                                    ['waits', 'Waiting for', stat.waits],
                                    ['requests', 'Request', stat.requests]]) {
    const rows = await table(name);
    assert.equal(rows.length, list.length, name);
    for (const d of list) {
      const row = rows.find((r) => phrase(r[head]) === phrase(d.name));
      sameDurations(row, d, d.name);
      if (name === 'requests')
        assert.equal(integer(row['Not finished']), d.not_finished);
    }
  }
  assert.ok(stat.spans.find(({ name }) => name === 'parse').count > 100);
  const causes = Object.entries(stat.causes).flatMap(([kind, counts]) =>
    Object.entries(counts).map(([cause, n]) => `${phrase(kind)} ${phrase(cause)} ${n}`));
  assert.ok(causes.length > 0);
  assert.deepEqual((await table('causes')).map(
    (r) => `${r.Collection} ${r.Cause} ${integer(r.Count)}`).sort(), causes.sort());
  silent(page);
});

await test('names of the program are text: markup, terminal escapes, bad UTF-8',
  async () => {
    await view('tables');
    await seen(page, '[data-table=spans]');
    const names = (await table('spans')).map((row) => row.Span);
    for (const name of ['<script>alert(1)</script>', '\\x1b[31mred\\x1b[0m',
                        'bad \\xff\\xfe bytes'])
      assert.ok(names.includes(name), `${name}: ${names}`);
    await view('charts');
    await has(page, '<img src=x onerror=alert(2)>');
    assert.equal(await page.evaluate(() =>
      document.querySelectorAll('img[src=x], script:not([src])').length), 0);
    silent(page);
  });

await test('threads are those of the system, and backup threads are marked',
  async () => {
    const { threads } = await api(`/api/processes/${id}/detail`);
    const tasks = readdirSync(`/proc/${pid}/task`).map(Number);
    assert.deepEqual(threads.filter((t) => !tasks.includes(t.id)), []);
    assert.deepEqual(threads.filter((t) => !t.backup).map((t) => t.name),
                     ['front', 'worker 0']);
    assert.ok(threads.some((t) => t.backup));
    const { lanes } = await api(`/api/processes/${id}/timeline`);
    for (const lane of lanes)
      assert.equal(lane.backup,
                   threads.find((t) => t.id === lane.thread).backup);
  });

const recorded = () => JSON.parse(eventring('categories', '--json', ring))
  .processes[0].known_categories.filter((c) => c.recorded).map((c) => c.name);
// The events in the ring that pass the filter, given as options.
const events = (...filter) => eventring('events', '--json', ...filter, ring)
  .split('\n').filter((line) => line).map((line) => JSON.parse(line));

await test('category gc off: the ring says so, and no event of gc follows', async () => {
  await view('control');
  assert.ok(recorded().includes('gc'));
  await (await seen(page, 'input[name=gc]')).click();
  await has(page, 'Category gc is off');
  assert.ok(!recorded().includes('gc'));
  await pause(1000);        // a collection that began before may end
  const [last] = events('--categories=user').slice(-1);
  let later;
  do {
    await pause(500);
    later = events().filter((e) => e.ns > last.ns);
  } while (later.filter((e) => e.category === 'user').length <= 5);
  assert.deepEqual(later.filter((e) => e.category === 'gc'), []);
  await until(page, () => !document.querySelector('input[name=gc]').checked);
  await click(page, 'input[name=gc]');
  await has(page, 'Category gc is on');
  assert.ok(recorded().includes('gc'));
  silent(page);
});

await test('a category that was off can be switched on', async () => {
  await click(page, 'input[name=gc_detail]');
  await has(page, 'Category gc_detail is on');
  assert.ok(recorded().includes('gc_detail'));
  await until(page, () => document.querySelector('input[name=gc_detail]').checked);
  await click(page, 'input[name=gc_detail]');
  await has(page, 'Category gc_detail is off');
  assert.ok(!recorded().includes('gc_detail'));
});

await test('pause and resume reach the process', async () => {
  await press('Pause tracing');
  await has(page, 'Resume tracing');
  const status = () =>
    JSON.parse(eventring('categories', '--json', ring)).processes[0].paused;
  assert.equal(status(), true);
  await pause(1000);
  await press('Resume tracing');
  await has(page, 'Pause tracing');
  assert.equal(status(), false);
  silent(page);
});

await test('the last 10 s are saved in a file that eventring check accepts',
  async () => {
    await click(page, '.save button');
    await has(page, 'Saved as ');
    const [, file] = /Saved as (\S+)/.exec(await textOf(page));
    eventring('check', file);
    const saved = JSON.parse(eventring('stat', '--json', file));
    const seconds = (saved.last_ns - saved.first_ns) / 1e9;
    assert.ok(seconds > 5 && seconds < 15, `${seconds} s`);
    silent(page);
  });

await test('the actions are listed', async () => {
  await until(page, () =>
    document.querySelectorAll('.control .wide tbody tr').length >= 7);
  const text = await textOf(page);
  for (const word of ['pause', 'resume', 'save', '127.0.0.1'])
    assert.ok(text.includes(word), word);
});

await test('a pause in the timeline tells its cause and when domains arrived',
  async () => {
    const found = events('--name=stop_the_world', `--thread=${pid}`).slice(-50)
      .sort((a, b) => b.duration_ns - a.duration_ns)[0];
    const from = found.ns - found.duration_ns;
    await view(`timeline?from=${from - found.duration_ns}&to=${
      found.ns + found.duration_ns}`);
    const canvas = await seen(page, 'canvas.timeline');
    const { x, y, width } = await canvas.boundingBox();
    // The stops are the second row of the first lane, below the ruler.
    await retry(page,
      () => page.mouse.click(x + 150 + (width - 150) / 2, y + 24 + 14 + 7),
      () => document.querySelector('.arrivals') !== null);
    const text = await textOf(page);
    for (const word of ['Cause', 'Requested by', 'Reason of the stop',
                        'All stopped for', 'stop_the_world'])
      assert.ok(text.includes(word), word);
    silent(page);
  });

await test('a filter shows what eventring events shows; a wrong one is refused',
  async () => {
    await view('events');
    await (await seen(page, '.filter')).type('name=parse longer-than=1us');
    await page.keyboard.press('Enter');
    await has(page, 'that pass the filter');
    await page.evaluate(() => document.querySelector('.log').scrollTo(0, 1e6));
    const names = await page.evaluate(() => [...new Set(
      [...document.querySelectorAll('.log tbody tr')]
        .map((row) => row.children[1].innerText))]);
    assert.deepEqual(names, ['parse']);
    silent(page);
    await page.evaluate(() => { document.querySelector('.filter').value = ''; });
    await page.type('.filter', 'nonsense=1');
    await page.keyboard.press('Enter');
    assert.match(await (await seen(page, '.error')).evaluate((e) => e.innerText),
                 /nonsense=1/);
    page.complaints.length = 0;         // the browser reports the status 400
  });

// The processor time of the longest task of the page while [body] runs, in ms.
async function longestTask(body) {
  await page.tracing.start({ categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await body();
  const { traceEvents } = JSON.parse(
    new TextDecoder().decode(await page.tracing.stop()));
  const main = new Set(traceEvents
    .filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain')
    .map((e) => `${e.pid} ${e.tid}`));
  const tasks = traceEvents.filter((e) => main.has(`${e.pid} ${e.tid}`) &&
                                   e.name.endsWith('RunTask') && e.tdur);
  assert.ok(tasks.length > 50, `${tasks.length} tasks`);
  return Math.max(...tasks.map((e) => e.tdur)) / 1000;
}

await test('no task takes more than 100 ms of processor time', async () => {
  const longest = await longestTask(async () => {
    await view('charts');
    await pause(3000);
    await view('timeline');
    const canvas = await seen(page, 'canvas.timeline');
    await pause(1000);
    await canvas.focus();
    for (let i = 0; i < 10; i++) {
      await page.keyboard.press(i < 5 ? '-' : '+');
      await pause(150);
    }
    await view('tables');
    await pause(2000);
  });
  console.log(`# the longest task took ${longest.toFixed(1)} ms`);
  assert.ok(longest < 100, `${longest} ms`);
  silent(page);
});

await test('a silent server is shown, and the page goes on when it is back',
  async () => {
    process.kill(Number(server), 'SIGSTOP');
    await has(page, 'Disconnected');
    process.kill(Number(server), 'SIGCONT');
    await has(page, 'Live');
    page.complaints.length = 0;
  });

await test('a read-only server: the buttons are off, and say why', async () => {
  const other = await open(browser, readOnly);
  await has(other, 'shop');
  const [link] = await other.$$('.process a');
  await link.click();
  await allDisabled(other, '--read-only');
  silent(other);
  await other.close();
});

await test('a killed process is shown as killed and cannot be controlled, but saved',
  async () => {
    await view('charts');
    process.kill(Number(pid), 'SIGKILL');
    await has(page, 'killed');
    await allDisabled(page, 'killed', '.quick > button');
    await page.locator('.quick .save button[type=button]').click();
    await has(page, 'Saved as ');
    silent(page);
  });

await browser.close();
finish();
