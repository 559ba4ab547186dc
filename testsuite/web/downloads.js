// If this breaks, a file that the page saves lacks rows or has a formula in it, shows
// another time than the page, or has the token in its address; or a click deletes a
// recording without a question.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { csv } from '../../web/src/csv.js';
import * as format from '../../web/src/format.js';
import { flameSvg } from '../../web/src/flame_svg.js';
import { Mock, hostile, token } from './mock.js';
import {
  buildPage, click, eventually, finish, launch, open, retry, test, textOf, timeout,
  until } from './browser.js';

const mock = new Mock(buildPage());
const address = await mock.listen();
const browser = await launch();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'eventring-downloads-'));
const session = await browser.target().createCDPSession();
await session.send('Browser.setDownloadBehavior',
                   { behavior: 'allow', downloadPath: folder });

const go = (page, hash) => page.evaluate((h) => { location.hash = h; }, hash);
const seen = (page, selector) =>
  page.waitForSelector(selector, { visible: true, timeout });
const has = (page, text) =>
  until(page, (wanted) => document.body.innerText.includes(wanted), text);

// Runs [body] with a page at [hash], which must not complain.
async function onPage(hash, body) {
  const page = await open(browser, address);
  try {
    await go(page, hash);
    await body(page);
    assert.deepEqual(page.complaints, []);
  } finally {
    await page.close();
  }
}

// Waits for the file [name], and returns its bytes.
const file = (name) => eventually(() => {
  const bytes = fs.readFileSync(path.join(folder, name));
  fs.rmSync(path.join(folder, name));
  return bytes;
});
const named = async (page, label) => {
  await seen(page, '.menu button');
  await page.evaluate((text) => [...document.querySelectorAll('.menu button')]
    .find((b) => b.innerText === text).click(), label);
};

// CSV

const columns = [
  { label: 'Name', value: (r) => r.name }, { label: 'Total', value: (r) => r.ns,
    text: format.duration },
  { label: 'Share, of all', value: (r) => r.share, text: format.share },
  { label: 'At', value: (r) => r.at, text: String, unit: 'ns' }];
const csvOf = (...names) => csv(columns.slice(0, 1), names.map((name) => ({ name })))
  .split('\r\n').slice(1, -1);

await test('CSV has units in its heads, and numbers as they are', () => {
  assert.equal(csv(columns, [{ name: 'a', ns: 1234567, share: 0.125, at: -5 },
                             { name: 'b', ns: null, share: undefined, at: 1e-9 }]),
               'Name,Total (ns),"Share, of all (share)",At (ns)\r\n' +
               'a,1234567,0.125,-5\r\nb,,,1e-9\r\n');
});

await test('names are quoted as RFC 4180 says', () => {
  assert.deepEqual(csvOf('a,b', 'say "no"', 'plain', ''),
                   ['"a,b"', '"say ""no"""', 'plain', '']);
  assert.deepEqual(csvOf('two\r\nlines', '\u001b[31m', 'a\u202eb'),
                   ['two\\x0d\\x0alines', '\\x1b[31m', 'a\\u202eb']);
});

await test('a name is no formula', () => {
  assert.deepEqual(csvOf('=1+2', '+1', '-1', '@SUM(A1)', '=HYPERLINK("x","y")', 'a=b'),
                   ["'=1+2", "'+1", "'-1", "'@SUM(A1)",
                    '"\'=HYPERLINK(""x"",""y"")"', 'a=b']);
  assert.deepEqual(csvOf('\t=1'), ['\\x09=1']);
});

await test('names are text in an SVG', () => {
  const node = (name) => ({ name });
  const text = flameSvg(hostile[0], [
    { node: node(hostile[1]), depth: 0, from: 0, to: 1 },
    { node: node('a\ud800\uffff\u0001&"'), depth: 1, from: 0, to: 0.5, above: true }],
  () => ['red', 'blue'], (n) => `${n.name}]]>`);
  assert.ok(!/<(script|img)/.test(text));
  assert.ok(text.includes('&#60;img src=x onerror=alert(2)&#62;'));
  assert.ok(text.includes('>a\ufffd\ufffd\\x01&#38;&#34;</text>'), text);
});

// In the browser

await test('the table that is shown is saved, in its order and with all rows',
  () => onPage('#/process/100/tables', async (page) => {
    await seen(page, '[data-table=spans]');
    await click(page, '[data-table=spans] thead th:first-child button');
    await click(page, '[data-table=spans] .save-as');
    const lines = (await file('shop-100-spans.csv')).toString().split('\r\n');
    assert.equal(lines[0], 'Span,Of,Count,Total (ns),p50 (ns),p90 (ns),p99 (ns),' +
      'Longest (ns)');
    const shown = await page.$$eval('[data-table=spans] tbody tr', (rows) =>
      rows.map((row) => row.cells[0].innerText));
    assert.deepEqual(lines.slice(1, -1).map((line) => line.split(',')[0]), shown);
    assert.equal(lines.find((l) => l.startsWith('parse')),
                 'parse,program,812,812000000,1000000,3000000,6000000,9000000');
    const tables = await page.$$eval('[data-table]', (all) =>
      all.map((t) => [t.dataset.table, t.querySelectorAll('.save-as').length]));
    assert.ok(tables.length >= 7);
    assert.deepEqual(tables.filter(([, n]) => n !== 1), []);
  }));

await test('the events that are shown are saved',
  () => onPage('#/process/100/events?from=40000000000&to=40100000000', async (page) => {
    await click(page, '.save-as');
    const lines = (await file('shop-100-events.csv')).toString().split('\r\n');
    assert.equal(lines.length - 2, await page.$$eval('.log tbody tr', (r) => r.length));
    assert.equal(lines[1], '40000400000,0,,4242,,end,minor,400000,promoted=120 ' +
      'allocated=32768 cause=minor_heap_full requested_by=1');
  }));

await test('the functions of a flame graph are saved',
  () => onPage('#/process/100/flame?last=all', async (page) => {
    await click(page, '[data-table=functions] .save-as');
    const lines = (await file('flame-functions.csv')).toString().split('\r\n');
    assert.equal(lines[0], 'Function,Kind,Self (ns),Total (ns),"Self, of all (share)"');
    assert.equal(lines.length - 2, await page.$$eval('[data-table=functions] tbody tr',
                                                     (rows) => rows.length));
  }));

// Returns the size of a PNG, and of its data without compression.
function pixels(png) {
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return { width, height, bytes: zlib.inflateSync(Buffer.concat(parts)).length };
}

await test('a chart is saved as a picture with its title, its axes and its legend',
  () => onPage('#/process/100/charts?from=30000000000&to=60000000000', async (page) => {
    await seen(page, '.chart .u-over');
    await until(page, () => /running:?\s*[\d.]+ %/.test(
      document.querySelector('.chart .u-legend')?.innerText));
    const charts = await page.$$('.chart');
    assert.equal((await page.$$('.chart .save-as')).length, charts.length);
    // What is drawn on the picture, besides the plot.
    await page.evaluate(() => {
      globalThis.drawn = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (...given) {
        globalThis.drawn.push([this.canvas.isConnected, given[0]]);
        return fillText.apply(this, given);
      };
    });
    await click(page, '.chart .save-as');
    const { width, height, bytes } = pixels(await file('shop-100-Utilisation.png'));
    const plot = await page.$eval('.chart canvas', (c) => [c.width, c.height]);
    assert.equal(width, plot[0]);
    assert.ok(height > plot[1] + 60, `${height} ${plot[1]}`);
    assert.ok(bytes > width * height);
    const drawn = await page.evaluate(() => globalThis.drawn
      .filter(([connected]) => !connected).map(([, text]) => text));
    assert.deepEqual(drawn.map((t) => t.split(':')[0]),
                     ['Utilisation', 'of all domains', drawn[2].split(':')[0], 'running',
                      'collecting', 'waiting']);
    assert.match(drawn[2], /^shop, pid 100, [-\d]{10} [:\d]{8} to [:\d]{8}$/);
    assert.match(drawn[3], /^running: [\d.]+ %$/);
  }));

await test('a histogram is saved as SVG, with its colours',
  () => onPage('#/process/100/charts', async (page) => {
    await click(page, 'button[title="Save the histogram as SVG"]');
    const text = (await file('histogram.svg')).toString();
    const bars = await page.evaluate((source) => [...new DOMParser()
      .parseFromString(source, 'image/svg+xml').querySelectorAll('.bar')]
      .map((bar) => bar.getAttribute('fill')), text);
    assert.equal(bars.length, await page.$$eval('.histogram .bar', (b) => b.length));
    assert.deepEqual([...new Set(bars)], ['rgb(11, 92, 173)']);
  }));

await test('the flame graph that is shown is saved as SVG, in which names are text',
  () => onPage('#/process/100/flame?zoom=Dune.main', async (page) => {
    await click(page, 'button[title="Save the flame graph as SVG"]');
    const text = (await file('flame.svg')).toString();
    const shown = await page.evaluate((source) => {
      const document_ = new DOMParser().parseFromString(source, 'image/svg+xml');
      return { error: document_.querySelector('parsererror')?.textContent ?? null,
               titles: [...document_.querySelectorAll('g title')]
                 .map((t) => t.textContent),
               bars: [...document.querySelectorAll('.flame button')]
                 .map((b) => b.title) };
    }, text);
    assert.equal(shown.error, null);
    assert.deepEqual(shown.titles, shown.bars);
    assert.ok(shown.titles.some((t) => t.startsWith(`${hostile[0]}: 500 ms`)));
  }));

await test('a wait has its colours in the flame graph that is saved',
  () => onPage('#/process/100/flame?type=wall', async (page) => {
    await click(page, 'button[title="Save the flame graph as SVG"]');
    const text = (await file('flame.svg')).toString();
    const mutex = /<g><title>\[mutex_wait\].*?<\/g>/.exec(text)[0];
    assert.deepEqual([...mutex.matchAll(/fill="(.*?)"/g)].map(([, fill]) => fill),
                     ['#a40087', '#ffffff']);
  }));

await test('recording and traces of the range are downloaded, without the token in an '
  + 'address', () => onPage('#/process/100/tables?from=1000000000&to=2500000000',
  async (page) => {
    mock.requests.length = 0;
    await click(page, '.menu summary');
    for (const [label, name, part, more] of [
      ['Recording', 'shop-100.evr', 'recording', ''],
      ['Perfetto trace', 'shop-100.pftrace', 'trace', '&format=perfetto'],
      ['Chrome trace', 'shop-100.json', 'trace', '&format=chrome']]) {
      await named(page, label);
      assert.equal((await file(name)).toString(),
                   `/api/processes/100/${part}?from=1000000000&to=2500000000${more}`);
      await has(page, `Downloaded ${name}`);
    }
    mock.completeFrom = 2e9;
    await named(page, 'Recording');
    await file('shop-100.evr');
    await has(page, 'The rings had all events only from 2.000 s on. Downloaded shop-100.evr');
    mock.completeFrom = null;
    assert.deepEqual(mock.requests.filter((r) => r.includes(token)), []);
    assert.ok(!(await textOf(page)).includes('Profile for pprof'), 'no samples');
  }));

await test('all that is known has no limits in its request',
  () => onPage('#/process/100/tables?last=all', async (page) => {
    await click(page, '.menu summary');
    await named(page, 'Recording');
    assert.equal((await file('shop-100.evr')).toString(),
                 '/api/processes/100/recording');
  }));

await test('with samples there is a profile for pprof, of a type', async () => {
  mock.samples = true;
  try {
    await onPage('#/process/100/flame?from=1000000000&to=2500000000&type=alloc&domain=1',
                 async (page) => {
      await click(page, '.menu summary');
      await seen(page, 'select[name=pprof]');
      assert.equal(await page.$eval('select[name=pprof]', (s) => s.value), 'alloc');
      await page.select('select[name=pprof]', 'wait');
      await named(page, 'Profile for pprof');
      assert.equal((await file('shop-100.pb.gz')).toString(),
        '/api/processes/100/pprof?from=1000000000&to=2500000000&type=wait&domain=1');
    });
  } finally {
    mock.samples = false;
  }
});

await test('a download that is refused says why, as text', async () => {
  mock.fails.add('/api/processes/100/trace');
  const page = await open(browser, address);
  await go(page, '#/process/100/charts');
  await click(page, '.menu summary');
  await named(page, 'Chrome trace');
  await until(page, (text) =>
    document.querySelector('.menu .error')?.innerText === text,
  `failed as asked: ${hostile[0]}`);
  mock.fails.clear();
  await page.close();
});

// Saved recordings

const saved = (i, more = {}) => ({
  id: `90${i}`, name: `run${i}.evr`, path: `/store/run${i}.evr`, note: null,
  bytes: 1e6, saved_unix_ns: 1.79e18 + i * 1e9, program: '/usr/bin/shop', argv0: 'shop',
  pid: 7, started_unix_ns: 1.79e18, duration_ns: 1e9, events: 1000, lost_events: 0,
  saved_by: 'hand', rule: null, ...more });
const files = (page) => page.$$eval('[data-table=saved] tbody tr', (rows) =>
  rows.map((row) => [row.cells[11], row.cells[10]].map((cell) =>
    cell.querySelector('span')?.innerText ?? cell.innerText)));
const label = (text) => `[data-table=saved] [aria-label="${text}"]`;
const filesAre = (page, wanted) => eventually(async () =>
  assert.deepEqual(await files(page), wanted));

mock.saved = [saved(1), saved(2, { note: `slow ${hostile[0]}` }),
              { name: 'bad.evr', path: '/store/bad.evr', note: null, bytes: 3,
                saved_unix_ns: 1.79e18, error: 'not a recording', id: '903' }];

await test('a process is compared with a recording that its menu offers, the last first',
  () => onPage('#/process/100', async (page) => {
    await click(page, '.menu + .menu summary');
    await seen(page, '.menu[open] a');
    const links = await page.$$eval('.menu[open] a', (all) => all.map((a) => a.hash));
    assert.deepEqual(links.slice(0, 2), ['#/compare/902/100', '#/compare/901/100']);
    assert.ok(links.includes('#/compare/101/100') && !links.includes('#/compare/100/100'));
    // The mock does not know 902.
    await click(page, '.menu[open] a[href="#/compare/101/100"]');
    await until(page, () => location.hash === '#/compare/101/100');
  }));

await test('a saved recording is downloaded whole',
  () => onPage('#/saved', async (page) => {
    await click(page, label('Download run2.evr'));
    assert.equal((await file('shop-100.evr')).toString(),
                 '/api/processes/902/recording');
    assert.equal(await page.$(label('Download bad.evr')), null);
  }));

await test('a recording of a rule says what fired it, which is shown in the timeline', async () => {
  const { saved: all } = mock;
  mock.saved = [saved(1, { saved_by: 'rule', rule: 'checkout > 2s', fired: {
    event: 'checkout', ns: 40e9, took_ns: 2.5e9, domain: 0, thread: 4242 } })];
  try {
    await onPage('#/saved', async (page) => {
      await click(page, '[data-table=saved] td a[href*=timeline]');
      await until(page, () => location.hash.includes('/timeline'));
      assert.equal(await page.evaluate(() => decodeURIComponent(location.hash)),
                   '#/process/901/timeline?from=35000000000&to=42500000000&' +
                   'sel=0,4242,,37500000000,40000000000,checkout&' +
                   'from_sel=37500000000&to_sel=40000001000');
    });
    await onPage('#/saved', (page) => has(page, 'rule checkout > 2s: checkout of 2.50 s'));
  } finally {
    mock.saved = all;
  }
});

await test('a recording is renamed and gets a note; a name that is there is refused',
  async () => {
    const page = await open(browser, address);
    await go(page, '#/saved');
    await filesAre(page, [['run1.evr', ''], ['run2.evr', `slow ${hostile[0]}`],
                          ['bad.evr', '']]);
    await click(page, label('Rename run1.evr'));
    const input = await seen(page, 'input[name=rename]');
    assert.equal(await input.evaluate((e) => e.value), 'run1.evr');
    await page.locator('input[name=rename]').fill('run2.evr');
    await page.keyboard.press('Enter');
    await has(page, 'cannot give the name run2.evr: File exists');
    assert.ok(page.complaints.splice(0).every((c) => c.includes('409')));
    await page.locator('input[name=rename]').fill('before.evr');
    await page.keyboard.press('Enter');
    await filesAre(page, [['before.evr', ''], ['run2.evr', `slow ${hostile[0]}`],
                          ['bad.evr', '']]);
    assert.ok(!(await textOf(page)).includes('File exists'));
    await click(page, label('Add a note before.evr'));
    await page.locator('input[name=note]').fill('the "old" heap');
    await page.keyboard.press('Enter');
    await click(page, label('Change run2.evr'));
    await until(page, () => document.activeElement?.value.startsWith('slow'));
    await page.evaluate(() => document.activeElement.select());
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await filesAre(page, [['before.evr', 'the "old" heap'], ['run2.evr', ''],
                          ['bad.evr', '']]);
    assert.deepEqual(page.complaints, []);
    await page.close();
  });

await test('a recording is deleted after a question only',
  () => onPage('#/saved', async (page) => {
    await click(page, label('Delete bad.evr'));
    await has(page, 'Delete bad.evr? Its events are gone then.');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('dialog').open);
    assert.equal(mock.saved.length, 3);
    await click(page, label('Delete bad.evr'));
    await click(page, 'dialog button[autofocus]');
    await until(page, () => !document.querySelector('dialog').open);
    assert.equal(mock.saved.length, 3);
    await click(page, label('Delete bad.evr'));
    await click(page, 'dialog .delete');
    await filesAre(page, [['before.evr', 'the "old" heap'], ['run2.evr', '']]);
    assert.deepEqual(mock.saved.map((s) => s.name), ['before.evr', 'run2.evr']);
  }));

await test('a read-only server: recordings are downloaded, and not changed', async () => {
  mock.readOnly = true;
  try {
    await onPage('#/saved', async (page) => {
      await seen(page, label('Download run2.evr'));
      assert.deepEqual(await page.$$eval('[data-table=saved] tbody button', (all) =>
        all.map((b) => b.innerText)), ['Download', 'Download']);
    });
  } finally {
    mock.readOnly = false;
  }
});

await test('the menu and the list of saved recordings fit into 400 pixels', async () => {
  const page = await open(browser, address, { width: 400, dark: true });
  for (const hash of ['#/process/100/charts', '#/saved']) {
    await go(page, hash);
    await seen(page, hash === '#/saved' ? '[data-table=saved]' : '.menu');
    if (hash !== '#/saved')
      await retry(page, () => click(page, '.menu summary'),
                  () => document.querySelector('.menu').open);
    assert.ok(await page.evaluate(() =>
      document.documentElement.scrollWidth <= 400), hash);
  }
  await page.close();
});

await browser.close();
mock.close();
fs.rmSync(folder, { recursive: true });
finish();
