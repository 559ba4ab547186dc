// See page.t.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as format from '../../web/src/format.js';
import { waitColour } from '../../web/src/waits.js';
import { Mock, hostile, token } from './mock.js';
import {
  allDisabled, buildPage, click, eventually, finish, launch, open, pause, retry,
  test, textOf, timeout, top, until } from './browser.js';

const mock = new Mock(buildPage());
const address = await mock.listen();
const browser = await launch();

const has = (page, text) =>
  until(page, (wanted) => document.body.innerText.includes(wanted), text);
const go = (page, hash) => page.evaluate((h) => { location.hash = h; }, hash);
const seen = (page, selector) =>
  page.waitForSelector(selector, { visible: true, timeout });
const press = async (page, label, of = '.toolbar button') => {
  const find = (text, selector) => [...document.querySelectorAll(selector)]
    .find((b) => b.innerText === text);
  const button = await page.waitForFunction(find, { timeout }, label, of);
  await button.evaluate((b) => b.click());
};
// What the address has behind its question mark.
const values = (page) => page.evaluate(() =>
  Object.fromEntries(new URLSearchParams(location.hash.split('?')[1])));
const silent = (page) => assert.deepEqual(page.complaints, []);

// Runs [body] with a page of its own at [path], which must not complain.
async function onPage(path, body, options) {
  const page = await open(browser, address, options);
  try {
    if (path) await go(page, path);
    await body(page);
    silent(page);
  } finally {
    await page.close();
  }
}

// The same while the mock's clock stands still, 90 s after its start.
async function atSecond90(path, body, options) {
  mock.held = mock.start + 90e3;
  try {
    await onPage(path, body, options);
  } finally {
    mock.held = null;
  }
}

await test('all processes are shown, with the reason for one that may not be read',
  () => onPage('', async (page) => {
    await has(page, 'shop');
    const text = await textOf(page);
    for (const word of ['recording', 'ended', 'Permission denied', 'Live',
                        'The minor heap is too small'])
      assert.ok(text.includes(word), word);
  }));

await test('sparklines begin with the past', () => onPage('', async (page) => {
  await until(page, () =>
    (document.querySelector('.spark .running')?.getAttribute('d') ?? '')
      .split('L').length > 40);
}));

await test('a process that starts appears, and one that is gone disappears',
  () => onPage('', async (page) => {
    await has(page, 'shop');
    mock.processes = 5;
    await has(page, 'pid 104');
    mock.processes = 3;
    await until(page, () => !document.body.innerText.includes('pid 104'));
  }));

await test('a killed process is shown after those that run, an ended one is folded',
  () => onPage('', async (page) => {
    mock.processes = 5;
    mock.states = { 1: 'ended', 3: 'killed' };
    try {
      await until(page, () => [...document.querySelectorAll('.process .state')]
        .map((e) => e.innerText || `(${e.textContent})`).join()
        === 'recording,recording,killed,not readable,(ended)');
      await click(page, '.ended summary');
      await has(page, 'Ended ones stay here for 10 minutes.');
    } finally {
      mock.processes = 3;
      mock.states = { 1: 'ended' };
    }
  }));

await test('recordings that the server has opened are not called saved', async () => {
  mock.processes = 4;
  mock.states = { 1: 'ended', 3: 'ended' };
  mock.recordings = [3];
  try {
    await onPage('', async (page) => {
      await has(page, '1 running, 3 ended, killed or opened');
      assert.equal(await page.$eval('.ended summary', (e) => e.innerText),
                   'Ended: 1, opened: 1');
    });
  } finally {
    mock.processes = 3;
    mock.states = { 1: 'ended' };
    mock.recordings = [];
  }
});

await test('500 processes: 50 at first, the others on demand',
  () => onPage('', async (page) => {
    mock.processes = 500;
    const rows = (n) => until(page, (wanted) =>
      document.querySelectorAll('.process').length === wanted, n);
    await rows(50);
    await (await seen(page, 'main > button')).click();
    await rows(500);
    mock.processes = 3;
  }));

await test('without a process the page says how to start one',
  () => onPage('', async (page) => {
    mock.processes = 0;
    await has(page, 'OCAML_EVENTRING_START=1');
    mock.processes = 3;
  }));

await test('the token leaves the address bar and is in no address',
  () => onPage('', async (page) => {
    await has(page, 'shop');
    assert.ok(!page.url().includes(token), page.url());
    assert.ok(mock.requests.length > 0);
    assert.deepEqual(mock.requests.filter((r) => r.includes(token)), []);
    await page.reload();
    await has(page, 'shop');
  }));

await test('an address that is malformed or unknown leaves no error', async () => {
  const malformed = '%E0%A4%A';
  await onPage(`#/process/${malformed}/charts`,
               (page) => has(page, 'The server no longer shows this process'));
  await onPage(`#/process/100/events?filter=${malformed}&from=x&to=-1&last=0`, (page) =>
    until(page, (text) => document.querySelector('input.filter')?.value === text,
          '\ufffd%A'));
  await onPage('#/process/100/constructor', (page) => seen(page, '.chart'));
  // Here the server refuses a request, which the browser reports.
  for (const [to, hash, text] of [
    [address, `#/compare/${malformed}/%`, 'no such page'],
    [address.replace(token, malformed), '', 'The server refuses the token']]) {
    const page = await open(browser, to);
    if (hash) await go(page, hash);
    await has(page, text);
    assert.deepEqual(page.complaints.filter(
      (text) => !text.startsWith('Failed to load resource')), []);
    await page.close();
  }
});

await test('the verdict comes first; behind it are all rules, and what they lack',
  () => onPage('', async (page) => {
    await click(page, '.process .verdict.warning');
    const text = () => page.$eval('.diagnosis', (e) => e.innerText);
    await until(page, () => /Nothing found: 1\s+A long stop/.test(
      document.querySelector('.diagnosis').innerText));
    await click(page, '.diagnosis summary');
    await until(page, () => !location.hash.includes('rules'));
    await click(page, '.diagnosis summary');
    await until(page, () => location.hash.endsWith('rules=1'));
    await page.reload();
    await until(page, () => document.querySelector('.diagnosis').open);
    await until(page, () => document.querySelector('.diagnosis ul'));
    assert.match(await text(), /OCAMLRUNPARAM=s=1M\s+promoted: 12.0 %/);
    assert.match(await text(), /judged at [\d:]+ by the events of 55.0 ms/);
    assert.match(await text(), /Not judged: 2\s+A large remembered set: not recorded/);
    await click(page, '.diagnosis button');
    await has(page, 'gc_detail is recorded for 10 s');
    assert.ok(mock.actions.some(({ action }) => action ===
      '{"action":"add","categories":["gc_detail"],"seconds":10}'));
    await click(page, '.diagnosis a[href*="/timeline"]');
    await until(page, () => location.hash.includes('from=29996000000&to=30008000000'));
    await seen(page, '.chosen');
  }));

await test('a rule that lacks time is judged by a recording', async () => {
  mock.saved = [{ id: '101', name: 'shop.evr', path: '/store/shop.evr',
                  program: '/usr/bin/shop', pid: 7, saved_unix_ns: 1e18, duration_ns: 1e9,
                  events: 1, lost_events: 0, bytes: 1, saved_by: 'hand', note: null }];
  try {
    await onPage('#/process/100/charts?rules=1', async (page) => {
      await has(page, 'fewer than 8 major cycles ended');
      mock.recordEnd = 'the store is full';
      await click(page, '.diagnosis p button');
      await has(page, mock.recordEnd);
      assert.ok(mock.actions.some(({ action }) =>
        action === '{"action":"start","seconds":10}'));
      mock.recordEnd = '/store/shop.evr';
      await click(page, '.diagnosis p button');
      await has(page, 'The recording has a verdict of its own: /store/shop.evr');
      await click(page, '.diagnosis .message a');
      await until(page, () => location.hash === '#/process/101/charts');
    });
  } finally {
    mock.saved = [];
  }
});

await test('the data points of the program are evaluated when the user asks',
  () => onPage('#/process/100/control', async (page) => {
    mock.points = [];
    await click(page, 'button.points');
    await has(page, 'It has none.');
    mock.points = [
      { name: hostile[0], type: 'int', value: 42 }, { name: 'queue', type: 'float', value: 0.5 },
      { name: 'broken', type: 'failed', value: 'Stdlib.Exit' }];
    await click(page, 'button.points');
    await seen(page, '[data-table=points] tbody');
    assert.deepEqual(await page.$$eval('[data-table=points] tbody tr', (rows) => rows
      .map((r) => [...r.cells].slice(1).map((c) => c.innerText))),
      [['int', '42'], ['float', '0.5'], ['failed', 'Stdlib.Exit']]);
    silent(page);
  }));

await test('without a token the page asks for it', async () => {
  const page = await open(browser, address.replace(/#.*/, ''));
  await has(page, 'A token is missing');
  await page.type('input[name=token]', address);
  await click(page, 'form button');
  await has(page, 'shop');
  silent(page);
  await page.close();
});

await test('a token opens the view of its address, wherever it stands there', async () => {
  const origin = new URL(address).origin;
  const view = '#/process/100/events?filter=minor&last=60';
  for (const hash of [`${view}&token=${token}`, `${view}&token=${token}&token=x`,
                      `#token=${token}&${view.slice(1)}`,
                      `#token=${token}${view}`, `${view}#token=${token}`,
                      view.replace('?', `?token=${token}&`)]) {
    const page = await open(browser, `${origin}/${hash}`);
    await until(page, () => document.querySelector('.filter')?.value === 'minor');
    assert.equal(page.url(), `${origin}/${view}`, hash);
    silent(page);
    await page.close();
  }
  // An address that is changed in a tab that has no token yet
  const page = await open(browser, `${origin}/${view}`);
  await has(page, 'and the view of this link opens');
  await page.evaluate((h) => { location.hash = h; }, `${view}&token=${token}`);
  await until(page, () => document.querySelector('.filter')?.value === 'minor');
  assert.equal(page.url(), `${origin}/${view}`);
  await page.close();
});

await test('a wrong token: the page says so and does not try again', async () => {
  const page = await open(browser, address.replace(token, 'wrong'));
  await has(page, 'The server refuses the token');
  const streams = () =>
    mock.requests.filter((r) => r.includes('/api/stream')).length;
  const before = streams();
  await pause(1500);
  assert.equal(streams(), before);
  await page.close();
});

await test('a view that is chosen while the page loads is shown', async () => {
  const page = await browser.newPage();
  await page.evaluateOnNewDocument(() =>
    addEventListener('DOMContentLoaded',
                     () => { location.hash = '#/process/100/charts'; }));
  await page.goto(address);
  await seen(page, '.tabs');
  await page.close();
});

const legend = (page) => page.evaluate(() =>
  document.querySelector('.chart .u-legend').innerText.replace(/\s+/g, ' '));

await test('charts have the past at once and then new points',
  () => onPage('#/process/100/charts', async (page) => {
    await until(page, () =>
      /Time ?\d\d:\d\d:\d\d/.test(document.querySelector('.chart .u-legend')
        ?.innerText.replace(/\s+/g, ' ') ?? ''));
    const before = await legend(page);
    await until(page, (old) => document.querySelector('.chart .u-legend')
      .innerText.replace(/\s+/g, ' ') !== old, before);
    assert.match(await legend(page), /running ?[\d.]+ %/);
  }));

// The last values of a chart, as it tells them to screen readers.
const told = (page, title) => page.evaluate((start) =>
  document.querySelector(`.plot[aria-label^="${start}: "]`)
    ?.ariaLabel.slice(start.length + 2), title);

await test('spans, waits and the heap have charts; what has no data has none',
  () => onPage('#/process/100/charts', async (page) => {
    await seen(page, '.plot[aria-label^="Spans: rate"]');
    assert.equal(await told(page, 'Spans: rate'), 'parse 81/s');
    assert.equal(await told(page, 'Spans: mean duration'), 'parse 1.50 ms');
    assert.equal(await told(page, 'Waits'),
                 'mutex wait 0.25, condition wait 1.50, unfinished wait 2.00');
    assert.match(await told(page, 'Major heap'), /large blocks 32.0 MiB, free 9/);
    assert.equal(await page.$('.plot[aria-label^="Requests"]'), null);
  }));

// The colours of the Utilisation chart, at parts of its width.
const pixels = (page, parts) => page.evaluate((at) => {
  const canvas = document.querySelector('.chart canvas');
  const over = document.querySelector('.chart .u-over');
  const ratio = canvas.width / canvas.clientWidth;
  const left = over.offsetLeft * ratio;
  const y = (over.offsetTop + over.clientHeight - 4) * ratio;
  const width = over.clientWidth * ratio;
  const { data } = canvas.getContext('2d').getImageData(left, y, width, 1);
  return at.map((part) => data.slice(4 * Math.round(part * width)).slice(0, 4)
    .join());
}, parts);

await test('a time without data is a gap in the charts',
  () => onPage('#/process/100/charts', async (page) => {
    await seen(page, '.chart canvas');
    const rows = page.waitForResponse((r) => r.url().endsWith('tier=1s'));
    await press(page, '10 min');
    await rows;
    await eventually(async () => {
      const now = mock.now() / 1e9;
      const at = (s) => s / now;
      const [before, gap, after] = await pixels(page, [at(15), at(22.5), at(30)]);
      assert.equal(before, after);
      assert.notEqual(before, gap);
    });
  }));

// Returns the titles of the charts over time that have a colour in a column of
// pixels at [part] of their width.
const drawnAt = (page, part) => page.evaluate((part) =>
  [...document.querySelectorAll('.chart:has(.u-over)')].filter((chart) => {
    const canvas = chart.querySelector('canvas');
    const over = chart.querySelector('.u-over');
    const ratio = canvas.width / canvas.clientWidth;
    const { data } = canvas.getContext('2d').getImageData(
      (over.offsetLeft + part * over.clientWidth) * ratio,
      over.offsetTop * ratio, 1, over.clientHeight * ratio);
    const coloured = (i) => data[i + 3] > 0 && Math.max(...data.slice(i, i + 3))
      - Math.min(...data.slice(i, i + 3)) > 40;
    return Array.from({ length: data.length / 4 }, (_, i) => 4 * i)
      .some(coloured);
  }).map((chart) => chart.querySelector('figcaption').innerText), part);

await test('the time in which the server was away is a gap in all charts, also of '
  + 'ranges that were shown before', async () => {
  // The mock's clock stands still, 90 s after its start.
  mock.held = mock.start + 90e3;
  const page = await open(browser, address);
  await page.setViewport({ width: 1200, height: 5000 }); // others are not drawn
  const seconds = () => mock.now() / 1e9;
  // Returns the charts that have something at [time] when the last [s] seconds
  // are shown.
  const drawn = (time, s) => {
    const begin = Math.max(0, seconds() - s);
    return drawnAt(page, (time - begin) / (seconds() - begin));
  };
  const from = seconds();
  const gap = async (begin, end, s) => {
    const before = await drawn(begin - 4, s);
    assert.ok(before.length > 8, `${before}`);
    assert.deepEqual(await drawn((begin + end) / 2, s), []);
    assert.deepEqual(await drawn(end + 2, s), before);
  };
  try {
    await go(page, '#/process/100/charts?last=60');
    await eventually(async () =>
      assert.ok((await drawn(from - 4, 60)).length > 8));
    await press(page, '10 min');
    await eventually(() => gap(20, 25, 600));
    mock.fails.add('/api/stream').add('/api/processes/100/history');
    mock.disconnect();
    await has(page, 'Disconnected');
    mock.skip(6);
    mock.forgotten = mock.now();
    const to = seconds();
    mock.skip(3);
    mock.fails.clear();
    await has(page, 'Live');
    await eventually(() => gap(from, to, 600));
    await press(page, '1 min');
    await eventually(() => gap(from, to, 60));
  } finally {
    mock.fails.clear();
    mock.held = null;
    mock.forgotten = 0;
  }
  await page.close();
});

await test('a chart is read and enlarged by the keyboard',
  () => onPage('#/process/100/charts?from=20000000000&to=30000000000', async (page) => {
    const time = () => page.$eval('.chart .u-legend', (e) => /\d\d:\d\d:\d\d/.exec(e.innerText)[0]);
    await until(page, () => document.querySelector('.chart .u-legend')?.innerText
      .match(/\d\d:\d\d:\d\d/));
    await page.focus('.plot');
    const last = await time();
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowLeft');
    await eventually(async () => assert.notEqual(await time(), last));
    const lengthIs = (s) => until(page, (wanted) => {
      const values = new URLSearchParams(location.hash.split('?')[1]);
      return Math.abs(values.get('to') - values.get('from') - wanted * 1e9) < 1e6;
    }, s);
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await lengthIs(2.5);
    await page.keyboard.press('-');
    await lengthIs(5);
  }));

await test('a key that zooms a chart starts from the time that the key before asked for',
  async () => {
    // Presses the key [n] times, before the browser does anything else; the range is
    // [length] seconds long.
    const zoom = async (page, key, n, length) => {
      await page.$eval('.plot', async (plot, ...given) => {
        for (let i = 0; i < given[1]; i++) {
          plot.dispatchEvent(new KeyboardEvent('keydown', { key: given[0], bubbles: true }));
          await null;
        }
      }, key, n);
      const { from, to } = await values(page);
      assert.ok(Math.abs(to - from - length * 1e9) < 1e4, `${from} ${to}`);
    };
    for (const view of ['charts?', 'flame?type=live&'])
      await onPage(`#/process/100/${view}from=20000000000&to=36000000000`, async (page) => {
        await until(page, () => /\d\d:\d\d/.test(
          document.querySelector('.chart .u-legend')?.innerText));
        mock.slow.add('live_sites');
        try {
          await zoom(page, '+', 3, 2);
          await zoom(page, '-', 2, 8);
        } finally {
          mock.release();
        }
      });
  });

await test('a chart that loses a series is drawn without it',
  () => onPage('#/process/100/charts?from=10000000000&to=30000000000', async (page) => {
    await page.setViewport({ width: 1200, height: 5000 });
    const label = (has_it) => until(page, (wanted) => {
      const plot = document.querySelector('.plot[aria-label^="Waits:"]');
      return plot && plot.ariaLabel.includes('semaphore wait') === wanted;
    }, has_it);
    await label(true);
    for (let i = 0; i < 2; i++) {
      await go(page, '#/process/100/charts?from=40000000000&to=50000000000');
      await label(false);
      await go(page, '#/process/100/charts?from=10000000000&to=30000000000');
      await label(true);
    }
    assert.ok(!(await textOf(page)).includes('This view failed'));
  }));

await test('names from the program are text, wherever they are shown', async () => {
  await onPage('', async (page) => {
    for (const view of ['charts', 'timeline', 'tables', 'events', 'between',
                        'flame', 'flame?type=live', 'control']) {
      await go(page, `#/process/100/${view}`);
      await seen(page, '.tabs');
      await pause(700);
      assert.deepEqual(await page.evaluate(() => [
        document.querySelectorAll('script:not([src])').length,
        document.querySelectorAll('img[src=x]').length]), [0, 0], view);
    }
  });
  await onPage('#/process/100/tables', async (page) => {
    await has(page, hostile[0]);
    const text = await textOf(page);
    for (const name of [hostile[1], '\\x1b[31mred\\x1b[0m', 'bad \\xff\\xfe bytes'])
      assert.ok(text.includes(name), name);
    assert.ok(!text.includes('\u001b') && !text.includes('\u202e'));
  });
});

await test('the tables have threads, and the domain that asked for a pause',
  () => onPage('#/process/100/tables', async (page) => {
    await seen(page, '[data-table=threads]');
    await seen(page, '[data-table=pauses]');
    const row = (name) => page.evaluate((which) => [...document.querySelector(
      `[data-table=${which}] tbody tr:last-child`).children]
      .map((cell) => cell.innerText), name);
    assert.deepEqual(await row('threads'), ['4243', 'backup', '–', '1', 'ended',
      '', '', '–', '–', '–', '–', '3.00 s']);
    assert.equal((await row('pauses'))[4], '2');
  }));

await test('tables of all that was read say from when on, for each domain',
  () => onPage('#/process/100/tables?last=all', async (page) => {
    await seen(page, '[data-table=spans]');
    await until(page, () => /12\.5 s to \d+\.\d s since the start; domain 1 only from 40\.0 s on: all that the server has read/
      .test(document.querySelector('[data-from]').innerText));
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(
      '[data-table=domains] tbody tr')].map((row) => row.children[3].innerText)),
    ['12.5 s', '40.0 s', '12.5 s', '12.5 s']);
    assert.equal(await page.evaluate(() => document.querySelector(
      '[data-table=domains] tbody tr').children[12].innerText), '8.87 GiB');
    assert.match(await page.evaluate(() =>
      document.querySelector('[data-totals]').innerText.replace(/\s+/g, ' ')),
    /^Since tracing started: 194 000 minor collections, 412 major cycles, 8\.01 GiB allocated, 201 000 pauses of 90\.0 s, the longest 12\.0 ms$/);
  }));

await test('samples from before the events of a recording have their own time', async () => {
  mock.first_sample_ns = 5e9;
  try {
    await onPage('#/process/101/flame?last=all', (page) => until(page, () =>
      / samples, 5\.0 s to /.test(document.querySelector('h2')?.innerText)));
  } finally {
    mock.first_sample_ns = 20e9;
  }
});

await test('views of the rings say from when on they have events of each domain',
  async () => {
    await onPage('#/process/100/events?filter=minor&last=all', (page) =>
      until(page, () => /12\.5 s to \d+\.\d s since the start; domain 1 only from 40\.0 s on/
        .test(document.body.innerText)));
    await onPage('#/process/100/flame?last=all', (page) =>
      until(page, () => /samples, 12\.5 s to \d+\.\d s since the start; domain 1 only from 40\.0 s on/
        .test(document.querySelector('h2')?.innerText)));
    await onPage('#/process/100/between?first=minor&then=minor', async (page) => {
      await press(page, 'All');
      await until(page, () =>
        /second events, 12\.5 s to .*domain 1 only from 40\.0 s on/
          .test(document.body.innerText));
    });
  });

await test('events that a ring no longer has are not called lost, and the number of '
  + 'lost ones says which', () => onPage('#/process/100/events?filter=minor&last=all&order=first', async (page) => {
    await has(page, '312 649 events before are no longer in the ring');
    assert.ok(!(await textOf(page)).includes('events lost'));
    assert.equal(await page.evaluate(() => [...document.querySelectorAll(
      '.numbers div')].find((d) => d.innerText.startsWith('Lost unread'))
      .innerText.split('\n')[1]), '250');
  }));

await test('the longest pause comes first', () => onPage('#/process/100/tables?last=all',
  async (page) => {
    await seen(page, '[data-table=pauses]');
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(
      '[data-table=pauses] tbody tr')].map((row) => row.children[1].innerText)),
    ['7.00 ms', '6.00 ms', '5.00 ms']);
  }));

await test('a pause of which the events are overwritten says so', async () => {
  mock.kept_s = 89;
  try {
    await atSecond90('#/process/100/tables?last=all', async (page) => {
      await seen(page, '[data-table=pauses]');
      assert.deepEqual(await page.$$eval('[data-table=pauses] tbody tr', (rows) => rows.map(
        (row) => row.innerText.includes('overwritten'))), [false, true, false]);
      mock.nothing = true;
      await click(page, '[data-table=pauses] tbody tr:nth-child(2) a');
      await has(page, 'Add a rule that saves the next one');
      assert.deepEqual(await page.$$eval('.details .facts div', (all) =>
        all.map((fact) => fact.innerText.split(/\s*\n\s*/))), [
        ['Cause', 'minor heap full'], ['Requested by', 'domain 2'], ['Domains', '4'],
        ['Arrived last', 'domain 3']]);
    });
  } finally {
    mock.kept_s = 40;
    mock.nothing = false;
  }
});

await test('a broken connection is shown, and mended without a reload', async () => {
  const page = await open(browser, address);
  await has(page, 'Live');
  mock.fails.add('/api/stream');
  mock.disconnect();
  await has(page, 'Disconnected');
  assert.ok((await textOf(page)).includes('shop'));
  mock.fails.clear();
  await has(page, 'Live');
  mock.processes = 4;
  await has(page, 'pid 103');
  mock.processes = 3;
  await page.close();
});

await test('an error of the server is one line of text', async () => {
  mock.fails.add('/api/processes/100/events');
  const page = await open(browser, address);
  await go(page, '#/process/100/events');
  const line = await (await seen(page, '.error')).evaluate((e) => e.innerText);
  assert.equal(line, `failed as asked: ${hostile[0]}`);
  mock.fails.clear();
  await page.close();
});

await test('a read-only server: the buttons are off and say why', async () => {
  mock.readOnly = true;
  try {
    await onPage('#/process/100/control', async (page) => {
      await has(page, 'read-only');
      await allDisabled(page, '--read-only');
      await seen(page, '.control fieldset:disabled');
    });
  } finally {
    mock.readOnly = false;
  }
});

await test('damage of a file is said', async () => {
  for (const path of ['', '#/process/101'])
    await onPage(path, async (page) => {
      if (!path) await click(page, '.ended summary');
      await has(page, 'Only a part of the file could be read: ' +
        '1 damaged block was left out.');
    });
});

await test('an ended process cannot be controlled, but saved: all, or its last seconds',
  () => onPage('#/process/101/charts', async (page) => {
    await allDisabled(page, 'ended', '.quick > button');
    await click(page, '.save button[type=button]');
    await has(page, 'Saved as /store/shop.evr');
    await click(page, '.save button:not([type])');
    await eventually(() => assert.deepEqual(
      mock.actions.filter((a) => a.process === '101').map((a) => a.action),
      ['{}', '{"seconds":10}']));
  }));

await test('the path of the file of a process is shown, as text',
  () => onPage('#/process/101/charts', async (page) => {
    await until(page, (text) => document.querySelector('.path')?.innerText === text,
                `/rings/101 ${hostile[0]} ${hostile[4].replace('\u202e', '\\u202e')}`);
  }));

await test('pause, categories and save are sent and listed',
  () => onPage('#/process/100/control', async (page) => {
    await (await seen(page, '.quick button:not(:disabled)')).click();
    await has(page, 'Resume tracing');
    assert.equal(mock.paused, true);
    await click(page, '.quick button');
    await has(page, 'Pause tracing');
    await click(page, 'input[name=gc]');
    await has(page, 'Category gc is off');
    assert.ok(!mock.categories.includes('gc'));
    await click(page, '.save button');
    await has(page, 'Saved as /store/shop.evr');
    await has(page, '{"seconds":10}');
  }));

const windows = () => mock.requests.filter((r) => r.includes('/timeline?'))
  .map((r) => new URL(r.slice(4), 'http://x').searchParams)
  .map((p) => Number(p.get('to')) - Number(p.get('from')));

await test('the timeline zooms from a minute to a microsecond, by keys and wheel',
  () => onPage('#/process/100/timeline?from=30000000000&to=90000000000', async (page) => {
    mock.requests.length = 0;
    const canvas = await seen(page, 'canvas.timeline');
    await canvas.focus();
    // A press a long time after the one before is a request of its own.
    let slow = 0;
    let before = Date.now();
    for (let i = 0; i < 26; i++) {
      const began = Date.now();
      await page.keyboard.press('+');
      slow += Date.now() - before >= 50;
      before = began;
    }
    await has(page, '894 ns');
    const { x, y } = await canvas.boundingBox();
    await page.mouse.move(x + 600, y + 100);
    await page.mouse.wheel({ deltaY: 400 });
    await has(page, '2.43 µs');
    await eventually(() =>
      assert.ok(Math.min(...windows()) < 5000, String(windows())));
    assert.ok(windows().length < 10 + slow,
              `keys in quick succession are one request: ${windows()}, ${slow}`);
  }));

await test('a click on a pause shows cause, requester, arrivals and events',
  () => onPage('#/process/100/timeline?from=40000000000&to=40002000000', async (page) => {
    const canvas = await seen(page, 'canvas.timeline');
    const { x, y } = await canvas.boundingBox();
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 14 + 7),
                () => document.querySelector('.chosen') !== null);
    await seen(page, '.arrivals');
    const text = await textOf(page);
    for (const word of ['domain 1', '150 µs', 'stop_the_world', 'Promoted'])
      assert.ok(text.includes(word), word);
    await seen(page, 'tr.marked');
    const chosen = () => page.$eval('.chosen', (e) => e.innerText);
    const before = await chosen();
    assert.ok(before.startsWith('minor (collector)'), before);
    const asked = windows().length;
    await canvas.focus();
    await page.keyboard.press('-');
    await until(page, () => /4\.00 ms/.test(
      document.querySelector('.toolbar:not(.range)').innerText));
    for (let i = 0; windows().length <= asked && i < 300; i++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await chosen(), before, 'another answer has other names');
  }));

await test('a click on a span of the end of the data holds the timeline',
  () => onPage('#/process/100/timeline?last=1', async (page) => {
    const canvas = await seen(page, 'canvas.timeline');
    const range = () => page.$eval('[data-range]', (e) => e.dataset.range);
    assert.equal(await range(), 'live');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const { x, y } = await canvas.boundingBox();
    // A collection is hit within two pixels; they are some nine pixels apart.
    for (let i = 0; i < 100 && !await page.$('.chosen'); i++) {
      await page.mouse.click(x + 400 + 3 * i, y + 24 + 2 * 14 + 7);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await seen(page, '.chosen');
    await until(page, () =>
      document.querySelector('[data-range]').dataset.range === 'fixed');
    // It follows again, and goes on to follow.
    await press(page, '1 s');
    await until(page, () =>
      document.querySelector('[data-range]').dataset.range === 'live');
    const asked = windows().length;
    await eventually(() => assert.ok(windows().length > asked + 3));
    assert.equal(await range(), 'live');
  }));

// The parameters of the last request for [part] of the process.
const lastAsked = (part) => Object.fromEntries(new URL(mock.requests.findLast(
  (r) => r.includes(`/${part}?`)).slice(4), 'http://x').searchParams);

// The height of all lanes, in pixels: 14 a row, 6 a lane and 24 the ruler.
const lanesHeight = (page) => page.$eval('.lanes .all', (e) => e.clientHeight);
// Waits until the lanes are [height] pixels high and the canvas is drawn in its size.
const lanesAre = (page, height) => until(page, (wanted) => {
  const canvas = document.querySelector('canvas.timeline');
  return document.querySelector('.lanes .all').clientHeight === wanted
    && canvas.height === Math.round(canvas.clientHeight * devicePixelRatio);
}, height);
// The mock's coarsest rows begin at 10 s.
const historyLoaded = (page) => until(page, () => document.querySelector('.minimap')
  .ariaLabel.startsWith('All of the time, 10.0 s'));
const pushed = (page, text) => page.evaluate((start) =>
  [...document.querySelectorAll('.toolbar button')]
    .find((b) => b.innerText.startsWith(start)).click(), text);

await test('the timeline follows a live range although answers take longer than it stands still',
  () => onPage('#/process/100/timeline?last=10', async (page) => {
    const shown = () => page.$eval('.toolbar:not(.range) .quiet', (e) => e.innerText);
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    mock.slow.add('timeline');
    try {
      await eventually(() => assert.equal(mock.waiting.length, 1));
      for (let moves = 0, last = await shown(); moves < 2; moves++, last = await shown())
        await eventually(async () => assert.notEqual(await shown(), last));
      // Neither cancelled nor asked twice
      assert.equal(mock.waiting.length, 1);
    } finally {
      mock.release();
    }
    const { to } = lastAsked('timeline');
    await eventually(() => assert.ok(Number(lastAsked('timeline').to) > Number(to)));
  }));

await test('four domains fit into the window; backup threads and rows without spans take '
  + 'no room', () => onPage('#/process/100/timeline?from=40000000000&to=40100000000',
  async (page) => {
    await seen(page, 'canvas.timeline');
    // Waits, stops, collections, spans and requests
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const { y, height } = await (await seen(page, '.lanes')).boundingBox();
    await seen(page, '.minimap');
    assert.ok(y + height <= 900, `${y} ${height}`);
    assert.ok(await page.$eval('.lanes', (e) => e.scrollHeight <= e.clientHeight));
    await pushed(page, 'Backup threads');
    await lanesAre(page, 24 + 4 * (5 * 14 + 6) + 2 * (14 + 6));
    assert.equal((await values(page)).backup, '1');
    await page.reload();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6) + 2 * (14 + 6));
    assert.equal(await page.$$eval('section .hint', (all) => all.length), 1);
    assert.ok(await page.$eval('section .hint', (e) => e.clientHeight < 24));
  }, { height: 900 }));

await test('lanes keep their rows while the user pans',
  () => onPage('#/process/100/timeline?from=40000000000&to=40001000000', async (page) => {
    const canvas = await seen(page, 'canvas.timeline');
    const all = 24 + 4 * (5 * 14 + 6);
    await lanesAre(page, all);
    await canvas.focus();
    // 5 ms later there are no stops and no collections.
    for (let i = 0; i < 25; i++) await page.keyboard.press('ArrowRight');
    await eventually(() => assert.ok(lastAsked('timeline').from > 40.003e9));
    assert.equal(await lanesHeight(page), all);
    await go(page, '#/process/100/timeline?from=40005000000&to=40006000000');
    await page.reload();
    await lanesAre(page, 24 + 4 * (3 * 14 + 6));
  }));

await test('lanes are hidden and pinned by the keyboard, as the address says',
  () => onPage('#/process/100/timeline?from=40000000000&to=40002000000', async (page) => {
    await seen(page, 'canvas.timeline');
    const lane = 5 * 14 + 6;
    await lanesAre(page, 24 + 4 * lane);
    await pushed(page, 'Lanes');
    await (await seen(page, '.lane-list input')).focus();
    await page.keyboard.press('Space');
    await lanesAre(page, 24 + 3 * lane);
    await (await page.$('.lane-list li:nth-child(4) button')).focus();
    await page.keyboard.press('Enter');
    await until(page, () => location.hash.includes('pin='));
    const { hide, pin } = await values(page);
    assert.deepEqual([hide, pin], ['0.4242', '3.4245']);
    await page.reload();
    await lanesAre(page, 24 + 3 * lane);
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 14 + 7),
                () => document.querySelector('.chosen') !== null);
    assert.match(await page.$eval('.chosen', (e) => e.innerText),
                 /minor \(collector\) in bad/);
    await has(page, 'Lanes (1 hidden)');
  }));

await test('an event leads to its span, also in the lane of a backup thread, or to its lane',
  () => onPage('#/process/100/events?from=40000000000&to=40020000000&filter=minor',
  async (page) => {
    await seen(page, '.log tbody a');
    const { sel } = Object.fromEntries(new URLSearchParams(await page.$eval(
      '.log tbody tr:last-child a', (a) => a.hash.split('?')[1])));
    assert.equal(sel, '0,4242,,40000000000,40000400000,minor');
    const place = '#/process/100/timeline?from=40000000000&to=40002000000&sel=';
    const lane = 5 * 14 + 6;
    const chosenIs = (text) => until(page, (wanted) => document.querySelector('.chosen')
      ?.innerText.includes(wanted), text);
    await go(page, place + encodeURIComponent(sel));
    await chosenIs(`minor (collector) in ${format.name(hostile[0])}`);
    await lanesAre(page, 24 + 4 * lane);
    await go(page, place + encodeURIComponent(sel.replace('4242', '5242')));
    await chosenIs('minor (collector) in backup 5242: 400 µs');
    await lanesAre(page, 24 + 4 * lane + 14 + 6);
    // The begin of a span
    await go(page, place + encodeURIComponent('0,4242,,40000000000,40000000000,minor'));
    await chosenIs(`minor (collector) in ${format.name(hostile[0])}: 400 µs`);
    await go(page, place + encodeURIComponent(
      '0,5242,,40001000000,40001000000,slice of, the world'));
    await chosenIs('slice of, the world in backup 5242, at 40.001');
    await chosenIs('the timeline has no span of it; it is outlined over its lane');
    // What was recorded before it, and a rule for the next one.
    const before = () => page.evaluate(() => document.querySelector('.pause .log tbody tr')
      ?.cells[0].innerText);
    await eventually(async () => assert.equal(await before(), format.moment(40.00045e9, 1)));
    assert.equal(await page.$eval('.pause h3 a', (a) =>
      new URLSearchParams(a.hash.split('?')[1]).get('when')), 'slice of, the world');
    // Also of a wait.
    await go(page, place + encodeURIComponent('0,4242,2,40000000000,40008000000'));
    await chosenIs('blocking_section (wait)');
    await until(page, () => document.querySelector('.pause h3 a')?.hash
      .includes('blocking_section+%3E+4ms'));
  }));

await test('a click in the ruler tells what each thread does at this moment',
  () => onPage('#/process/100/timeline?from=40010000000&to=40012000000', async (page) => {
    const { x, y, width } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const rows = () => page.$$eval('[data-table=moment] tbody tr', (all) =>
      all.map((row) => [...row.cells].slice(1).map((c) => c.innerText)));
    await page.mouse.click(x + 150 + 0.75 * (width - 150), y + 10);
    await until(page, () => /at=40011[45]/.test(location.hash));
    await seen(page, '[data-table=moment]');
    const inside = `checkout, ${format.name(hostile[0])}`;
    assert.deepEqual(await rows(), [
      ['0', 'running', '–', '–', inside],
      ['1', 'stop the world', format.moment(40e9, 1e3), '20.0 ms', inside],
      ['2', 'running', '–', '–', inside], ['3', 'running', '–', '–', inside]]);
    await go(page, '#/process/100/timeline?from=40010000000&to=40012000000&at=40010200000');
    await eventually(async () => assert.deepEqual((await rows())[0],
      ['0', 'stop the world', format.moment(40.01e9, 1e3), '300 µs', 'checkout']));
    // Of a wait of 5 s, the answer has two.
    await go(page, '#/process/100/timeline?from=62000000000&to=63000000000&at=62531900000');
    await eventually(async () => assert.deepEqual(
      (await rows()).find(([domain]) => domain === '3'), ['3', 'mutex wait',
      `before ${format.moment(61.5319e9, 1e3)}`, 'over 2.00 s', 'checkout']));
    await go(page, '#/process/100/timeline?from=40010000000&to=40012000000&at=40010200000');
    await eventually(async () => assert.equal((await rows())[0]?.[4], 'checkout'));
    // The buttons keep what is chosen in the middle.
    await pushed(page, '100 µs');
    await until(page, () => /from=40010150000&to=40010250000/.test(location.hash));
    await (await page.$('canvas.timeline')).focus();
    await page.keyboard.press('Escape');
    await until(page, () => !location.hash.includes('at=')
      && !document.querySelector('.moment'));
    await page.mouse.move(1, 1);
    await page.keyboard.press('x');
    await until(page, () => location.hash.includes('at=40010200000'));
  }));

await test('a thread of a domain that stands still for a stop does not run',
  () => onPage('#/process/100/timeline?from=40010000000&to=40012000000', async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const tooltip = async (lane) => {
      await page.mouse.move(x + 900, y + 24 + lane * (5 * 14 + 6) + 7);
      return page.evaluate(() => document.querySelector('.tooltip')?.innerText.split('\n'));
    };
    await eventually(async () => {
      assert.equal((await tooltip(0))[0], 'running');
      assert.deepEqual((await tooltip(1)).slice(0, 2),
                       ['stop_the_world', 'all domains stopped, 20.0 ms']);
    });
    silent(page);
  }));

await test('the line and the tooltip say what is under the pointer, and the picture is not '
  + 'drawn again', () => onPage('#/process/100/timeline?from=40000000000&to=40002000000',
  async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const at = async (dx, dy) => {
      await page.mouse.move(x + dx, y + dy);
      await until(page, (left) =>
        document.querySelector('.crosshair')?.style.left === left, `${dx}px`);
      return page.evaluate(() => [document.querySelector('.crosshair').innerText,
        document.querySelector('.tooltip')?.innerText.split('\n')]);
    };
    await page.evaluate(() => {
      const { clearRect } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        window.drawings += this.canvas.className === 'timeline';
        clearRect.apply(this, box);
      };
    });
    // The size of the canvas is followed by one more drawing.
    await eventually(async () => {
      await page.evaluate(() => { window.drawings = 0; });
      await at(300, 300);
      const [time, lines] = await at(200, 24 + 2 * 14 + 7);
      assert.match(time, /^40\.000.0\d\d s$/);
      assert.deepEqual(lines, ['minor', 'collector, 400 µs',
        'from 40.000 000 000 s'.replace(/ (?=0)/g, '\u202f'),
        'cause: minor heap full', hostile[0]]);
      assert.equal((await at(900, 24 + 2 * 14 + 7))[1], null);
      assert.equal(await page.evaluate(() => window.drawings), 0);
    });
    await page.mouse.move(x + 200, y - 20);
    await until(page, () => !document.querySelector('.crosshair'));
    await go(page, '#/process/100/timeline?from=19000000000&to=26000000000');
    await eventually(async () => assert.deepEqual(
      (await at(150 + Math.round((1128 - 32) * 5 / 7), 24 + 2 * 14 + 7))[1],
      ['paused', '3.00 s', hostile[0]]));
  }));

await test('each kind of wait has a colour, and the legend has those that occur',
  () => onPage('#/process/100/timeline?from=40000000000&to=40040000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const legend = () => page.$$eval('.legend li', (all) => all.map((e) => e.innerText));
    assert.deepEqual(await legend(), [
      'running', 'blocking section: system call, sleep', 'waiting for a mutex',
      'waiting on a condition', 'waiting for the domain lock', 'minor collection',
      'collecting', 'all domains stopped', 'span of the program', 'request']);
    const colours = await page.evaluate(() => {
      // Reading the pixels twice is a warning of the browser.
      const { data } = document.querySelector('canvas.timeline').getContext('2d')
        .getImageData(240, 0, 1, 200);
      const hex = (y) => `#${[...data.slice(4 * y, 4 * y + 3)]
        .map((c) => c.toString(16).padStart(2, '0')).join('')}`;
      const named = (name) => getComputedStyle(document.documentElement)
        .getPropertyValue(`--${name}`).trim();
      // Below the text of a span, in the first rows of two lanes
      return [hex(24 + 12), named('blocking'), hex(24 + 76 + 12), named('mutex')];
    });
    assert.equal(colours[0], colours[1]);
    assert.equal(colours[2], colours[3]);
  }));

await test('the page knows the colour of each wait of the runtime', () => {
  const table = fs.readFileSync(`${top}/runtime/caml/eventring_events.tbl`, 'utf8');
  const waits = [...table.matchAll(/^COMPLETE\(\w+, \d+, WAIT, "(\w+)"/gm)]
    .map(([, name]) => name);
  assert.equal(waits.length, 8);
  assert.deepEqual(waits.filter((name) => waitColour(name) === 'waiting'), []);
});

// Returns the least distance of two colours (CIELAB) as readers see them that lack the
// cones for red or for green (the matrices of Machado and others), or none.
function leastDistance(colours) {
  const eyes = [[1, 0, 0, 0, 1, 0, 0, 0, 1],
    [0.152, 1.053, -0.205, 0.115, 0.786, 0.099, -0.004, -0.048, 1.052],
    [0.367, 0.861, -0.228, 0.28, 0.673, 0.047, -0.012, 0.043, 0.969]];
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const times = (m, v) => [0, 3, 6].map((i) => Math.max(0, Math.min(1,
    m[i] * v[0] + m[i + 1] * v[1] + m[i + 2] * v[2])));
  const lab = (rgb) => {
    const [x, y, z] = times([0.434, 0.376, 0.19, 0.213, 0.715, 0.072, 0.018, 0.109,
                             0.873], rgb).map(Math.cbrt);
    return [116 * y, 500 * (x - y), 200 * (y - z)];
  };
  const seenBy = (eye) => colours.map((hex) => lab(times(eye, [1, 3, 5].map((i) =>
    linear(parseInt(hex.slice(i, i + 2), 16) / 255)))));
  return Math.min(...eyes.flatMap((eye) => seenBy(eye).flatMap((a, i, all) =>
    all.slice(i + 1).map((b) => Math.hypot(...a.map((v, j) => v - b[j]))))));
}

await test('colour-blind readers can tell the colours of waits and of series apart, light and dark',
  async () => {
    for (const dark of [false, true])
      await onPage('', async (page) => {
        const colours = await page.evaluate(() => ['running', 'collecting', 'waiting',
          'blocking', 'mutex', 'condition', 'domain-lock', 'join', 'other-wait'].map(
          (name) => getComputedStyle(document.documentElement)
            .getPropertyValue(`--${name}`).trim()));
        assert.ok(leastDistance(colours) > 15, `${leastDistance(colours)}`);
        const series = await page.evaluate(() => Array.from({ length: 10 }, (_, i) =>
          getComputedStyle(document.documentElement)
            .getPropertyValue(`--series-${i + 1}`).trim()));
        assert.ok(leastDistance(series) > 12, `${leastDistance(series)}`);
        assert.ok(leastDistance(series.slice(0, 4)) > 20);
      }, { dark });
  });

await test('an arrow shows who had the domain lock at the end of the wait that is chosen or '
  + 'under the pointer, and who held the mutex at its begin',
  () => onPage('#/process/100/timeline?from=40000000000&to=40040000000&backup=1',
  async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6) + 2 * (14 + 6));
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    const arrows = (n) => until(page, (wanted) =>
      document.querySelectorAll('.arrows line').length === wanted, n);
    await arrows(0);
    await page.mouse.move(x + 200, y + 24 + 7);
    await arrows(1);
    await has(page, 'backup 5242 had the domain lock');
    const line = () => page.$eval('.arrows line', (e) =>
      ['x1', 'y1', 'y2'].map((name) => Math.round(e.getAttribute(name))));
    // 8 of 40 ms, from the second lane to the first
    assert.deepEqual(await line(), [150 + Math.round((1246 - 150) / 5), 24 + 76 + 7, 24 + 7]);
    await page.mouse.move(x + 200, y + 24 + 76 + 20 + 7);
    await has(page, `${hostile[0]} held the mutex when the wait began`);
    // 0 of 40 ms, from the first lane to the third
    assert.deepEqual(await line(), [150, 24 + 7, 24 + 76 + 20 + 7]);
    await page.mouse.move(x + 200, y + 24 + 2 * (76 + 20) + 7);
    await has(page, 'condition_wait');
    await arrows(0);
    await page.mouse.click(x + 200, y + 24 + 7);
    await until(page, () => document.querySelector('.chosen')?.innerText
      .includes('backup 5242 had the domain lock'));
    await page.mouse.move(x + 200, y - 30);
    await until(page, () => !document.querySelector('.tooltip'));
    await arrows(1);
    // Without the lane of the other thread there is no arrow.
    await pushed(page, 'Backup threads');
    await arrows(0);
  }));

await test('the map of all of the time has a window that can be dragged',
  () => atSecond90('#/process/100/timeline?from=40000000000&to=50000000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const { x, y, width } = await (await seen(page, '.minimap')).boundingBox();
    const window = () => page.$eval('.minimap .window', (e) => e.getBoundingClientRect()
      .toJSON());
    await historyLoaded(page);
    const before = await window();
    const all = mock.now() - 10e9;
    assert.ok(Math.abs((before.left - x) / width - 30e9 / all) < 0.02);
    assert.ok(Math.abs(before.width / width - 10e9 / all) < 0.02);
    await page.mouse.move(before.left + before.width / 2, y + 10);
    await page.mouse.down();
    await page.mouse.move(before.left + before.width / 2 - 200, y + 10, { steps: 4 });
    await page.mouse.up();
    const expected = 40e9 - 200 / width * all;
    await eventually(async () => assert.ok(
      Math.abs((await values(page)).from - expected) < 1e9, expected));
    const { from, to } = await values(page);
    assert.ok(Math.abs(to - from - 10e9) < 2);
    // A press outside of the window moves it there.
    await page.mouse.click(x + width * 0.8, y + 10);
    await eventually(async () => {
      const { from, to } = await values(page);
      const middle = (Number(from) + Number(to)) / 2;
      assert.ok(Math.abs(middle - 10e9 - 0.8 * (mock.now() - 10e9)) < 2e9, middle);
    });
  }));

await test('tracks below the lanes have the heap and the counters, and can be hidden',
  () => onPage('#/process/100/timeline?from=40000000000&to=41000000000', async (page) => {
    await seen(page, '.track');
    const labels = () => page.$$eval('.track', (all) => all.map((e) => e.ariaLabel));
    await eventually(async () => {
      const [heap, counter] = await labels();
      assert.match(heap, /^Major heap: \d+\.?\d* MiB, at most \d+\.?\d* MiB$/);
      assert.match(counter, /^<img src=x onerror=alert\(2\)>: \d+, at most \d+$/);
    });
    await pushed(page, 'Lanes');
    await click(page, '.lane-list li:last-child input');
    await until(page, () => document.querySelectorAll('.track').length === 1);
    await page.reload();
    await seen(page, '.track');
    await has(page, 'Lanes (1 hidden)');
    assert.equal((await labels()).length, 1);
    assert.ok((await values(page)).hide.startsWith('counter:%3Cimg'));
  }));

await test('a finger scrolls the page or moves the timeline, and two fingers zoom',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await page.setViewport({ width: 400, height: 700, hasTouch: true, isMobile: true });
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.$eval('canvas.timeline', (e) => e.scrollIntoView({ block: 'center' }));
    const { x, y } = await (await page.$('canvas.timeline')).boundingBox();
    const cdp = await page.createCDPSession();
    const touch = (type, ...points) => cdp.send('Input.dispatchTouchEvent', {
      type, touchPoints: points.map(([dx, dy], id) => ({ x: x + dx, y: y + dy, id })) });
    const before = await page.evaluate(() => scrollY);
    await touch('touchStart', [300, 150]);
    for (let i = 1; i <= 10; i++) await touch('touchMove', [300 - 10 * i, 150]);
    await touch('touchEnd');
    await eventually(async () => assert.ok((await values(page)).from > 40.02e9));
    assert.equal(await page.evaluate(() => scrollY), before);
    assert.equal(await page.$('.chosen'), null);
    await touch('touchStart', [200, 150], [240, 150]);
    for (let i = 1; i <= 10; i++)
      await touch('touchMove', [200 - 4 * i, 150], [240 + 4 * i, 150]);
    await touch('touchEnd');
    // Three times the distance
    await eventually(async () => {
      const { from, to } = await values(page);
      assert.ok(Math.abs((to - from) - 1e8 / 3) < 1e6, `${from} ${to}`);
    });
    const address = page.url();
    await touch('touchStart', [200, 150]);
    for (let i = 1; i <= 10; i++) await touch('touchMove', [200, 150 + 8 * i]);
    await touch('touchEnd');
    await until(page, (top) => scrollY < top - 20, before);
    assert.equal(page.url(), address);
  }));

await test('? lists the keys, and Esc closes the list',
  () => onPage('#/process/100/timeline', async (page) => {
    await (await seen(page, 'canvas.timeline')).focus();
    await page.keyboard.press('?');
    await seen(page, 'dialog.keys[open]');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('dialog.keys').open);
    await page.keyboard.press('?');
    await seen(page, 'dialog.keys[open]');
  }));

await test('spans and times are selected by keys, and what they say is in sight',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await (await seen(page, 'canvas.timeline')).focus();
    const chosenIs = async (key, name, begin = '') => {
      await page.keyboard.press(key);
      await until(page, (...words) => {
        const text = document.querySelector('.chosen')?.innerText.replaceAll('\u202f', '');
        return text?.startsWith(words[0]) && text.includes(`from ${words[1]}`);
      }, name, begin);
    };
    await chosenIs('.', 'blocking_section (wait)', '40.000000000 s');
    await chosenIs('.', 'blocking_section (wait)', '40.050000000 s');
    await chosenIs('>', 'stop_the_world');
    await chosenIs('>', 'minor (collector)');
    await chosenIs(',', 'minor (collector)');
    await chosenIs('<', 'stop_the_world');
    await chosenIs('<', 'blocking_section (wait)');
    await page.keyboard.press('m');
    await has(page, 'Selected: 8.00 ms');
    await seen(page, '[data-table=selection]');
    const { bottom } = await page.$eval('.details', (e) => e.getBoundingClientRect().toJSON());
    assert.ok(bottom <= 800, bottom);
    assert.equal(await page.$eval('[data-table=selection] tbody tr', (e) =>
      e.cells[1].innerText), 'request');
  }));

const foundIs = (page, text) => until(page, (wanted) =>
  document.querySelector('.search .found')?.innerText === wanted, text);
const windowIs = (page, text) => until(page, (wanted) => document.querySelector(
  '.toolbar:not(.range)').innerText.replaceAll('\u202f', '').includes(wanted), text);

await test('/ searches in names of spans, without case; Enter, n and N go on, Esc ends it',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('/');
    await seen(page, '.search input');
    await page.keyboard.type('MINORws');
    await foundIs(page, 'Nothing found');
    await windowIs(page, '100 ms from 40.000 s');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    // A collection each 10 ms in four lanes, in twice the window
    await foundIs(page, '80 found');
    await page.keyboard.press('Enter');
    await foundIs(page, '21 of 80');
    assert.match(await page.$eval('.chosen', (e) => e.innerText),
                 /^minor \(collector\) in <script>.*, from 40.000.000.000 s/);
    await page.keyboard.press('Enter');
    await foundIs(page, '22 of 80');
    await (await seen(page, 'canvas.timeline')).focus();
    await page.keyboard.press('N');
    await foundIs(page, '21 of 80');
    await page.keyboard.press('N');
    // It was outside of the window, which moves there.
    await until(page, () => /from 39.990.000.000 s/.test(
      document.querySelector('.chosen').innerText));
    await windowIs(page, '100 ms from 39.940 s');
    await page.keyboard.press('n');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.search'));
    await seen(page, '.chosen');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.chosen'));
  }));

await test('the search says that merged spans have no names',
  () => onPage('#/process/100/timeline?from=40000000000&to=50000000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('/');
    await seen(page, '.search input');
    await page.keyboard.type('mutex');
    await foundIs(page, '400 found; shorter spans are merged: zoom in for more');
    await page.keyboard.type('es');
    await foundIs(page, 'Nothing found; shorter spans are merged: zoom in for more');
  }));

await test('lanes are searched, too, and come into view',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('/');
    await page.keyboard.type('bad');
    await foundIs(page, '1 found');
    await page.keyboard.press('Enter');
    await foundIs(page, '1 of 1');
    await until(page, () => document.querySelector('.lanes').scrollTop > 0);
  }, { height: 360 }));

await test('w and s zoom at the pointer, a and d move, f fits the selection or all',
  () => onPage('#/process/100/timeline?from=40000000000&to=40004000000', async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('w');
    await windowIs(page, '2.00 ms from 40.00100 s');
    await page.keyboard.press('s');
    await windowIs(page, '4.00 ms from 40.00000 s');
    await page.mouse.move(x + 150, y + 100);
    await page.keyboard.press('w');
    await windowIs(page, '2.00 ms from 40.00000 s');
    await page.keyboard.press('d');
    await windowIs(page, '2.00 ms from 40.00040 s');
    await page.keyboard.press('a');
    await windowIs(page, '2.00 ms from 40.00000 s');
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 14 + 7),
                () => document.querySelector('.chosen') !== null);
    await page.keyboard.press('f');
    await windowIs(page, '560 µs from 39.999920 s');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.chosen'));
    await historyLoaded(page);
    await page.keyboard.press('f');
    await windowIs(page, 's from 10');
  }));

// The range follows the window when it settles: from then on the window can move again.
const rangeIs = (page, text) => until(page, (wanted) => document.querySelector('.range')
  .innerText.replaceAll('\u202f', '').includes(wanted), text);

await test('a length is shown at the end of the data if the window reaches it, else in the middle',
  () => atSecond90('#/process/101/timeline', async (page) => {
    await seen(page, 'canvas.timeline');
    await historyLoaded(page);
    await press(page, '10 ms');
    await rangeIs(page, '89.990000 s to 90.000000 s');
    await press(page, '1 ms');
    await rangeIs(page, '89.999000 s to 90.000000 s');
    await go(page, '#/process/101/timeline?from=40000000000&to=50000000000');
    await rangeIs(page, '40.0 s to 50.0 s');
    await press(page, '10 ms');
    await rangeIs(page, '44.995000 s to 45.005000 s');
  }));

await test('arrows, Home and End move the window after a click on a button above it, not elsewhere',
  () => atSecond90('#/process/101/timeline?from=40000000000&to=50000000000', async (page) => {
    await seen(page, 'canvas.timeline');
    await historyLoaded(page);
    await click(page, 'button[aria-label="Zoom in"]');
    await rangeIs(page, '42.5 s to 47.5 s');
    await page.keyboard.press('ArrowRight');
    await rangeIs(page, '43.5 s to 48.5 s');
    await page.keyboard.press('End');
    await rangeIs(page, '85.0 s to 90.0 s');
    await page.keyboard.press('Home');
    await rangeIs(page, '10.0 s to 90.0 s');
    await page.focus('.tabs a');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    await rangeIs(page, '30.0 s to 70.0 s');
  }));

await test('a time that is selected has the numbers of stat for it, and is in the address',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const drag = async (x1, x2, dy) => {
      await page.mouse.move(x + x1, y + dy);
      await page.mouse.down();
      await page.mouse.move(x + x2, y + dy, { steps: 3 });
      await page.mouse.up();
    };
    // 1096 pixels are 100 ms.
    await drag(150 + 548, 150 + 274, 10);
    await until(page, () => location.hash.includes('to_sel='));
    await seen(page, '[data-table=selection]');
    const { from_sel, to_sel, from, to } = await values(page);
    assert.ok(Math.abs(from_sel - 40.025e9) < 1e5 && Math.abs(to_sel - 40.05e9) < 1e5);
    assert.deepEqual([from, to], ['40000000000', '40100000000'], 'the window stays');
    const asked = lastAsked('stat');
    assert.deepEqual([asked.from, asked.to], [from_sel, to_sel]);
    const rows = await page.$$eval('[data-table=selection] tbody tr', (all) =>
      all.map((row) => [...row.cells].map((c) => c.innerText).join(' | ')));
    assert.match(rows[1], /^parse \| span of the program \| 812 \| 812 ms \| 1.00 ms \| 6.00 ms \| 9.00 ms \| 32\d\d %$/);
    assert.ok(rows.some((row) => row.startsWith('checkout | request | 400 | 2.00 s')));
    assert.ok(rows.some((row) => row.startsWith('mutex wait | wait | 99')));
    await page.reload();
    await seen(page, '[data-table=selection]');
    await page.keyboard.press('f');
    await windowIs(page, '25.0 ms from 40.0250 s');
    await page.keyboard.down('Shift');
    await drag(200, 400, 100);
    await page.keyboard.up('Shift');
    await eventually(async () =>
      assert.notEqual((await values(page)).from_sel, from_sel));
    assert.match(await page.$eval('.toolbar:not(.range)', (e) => e.innerText), /25\.0 ms/);
    await page.keyboard.press('Escape');
    await until(page, () => !location.hash.includes('_sel'));
    assert.equal(await page.$('[data-table=selection]'), null);
    await drag(400, 600, 100);
    await until(page, () => /^25\.0 ms from 40\.020/.test(document.querySelector(
      '.toolbar:not(.range) > .quiet').innerText.replaceAll('\u202f', '')));
  }));

await test('a table is sorted by a column, the other way, and what is not known comes last',
  () => onPage('#/process/100/tables', async (page) => {
    await seen(page, '[data-table=threads]');
    const head = (label) => page.evaluateHandle((text) => [...document.querySelectorAll(
      '[data-table=threads] th')].find((th) => th.innerText.trim() === text), label);
    const press = async (label, sort) => {
      const th = await head(label);
      await th.evaluate((e) => e.querySelector('button').click());
      await eventually(async () => assert.equal(await th.evaluate((e) =>
        e.getAttribute('aria-sort')), sort));
      return page.$$eval('[data-table=threads] tbody tr', (rows) =>
        rows.map((row) => row.cells[0].innerText).join());
    };
    assert.equal(await press('Thread', 'descending'), '4243,4242');
    assert.equal(await press('Thread', 'ascending'), '4242,4243');
    assert.equal(await press('Doing', 'ascending'), '4243,4242');
    assert.equal(await press('Running', 'descending'), '4242,4243');
    assert.equal(await press('Running', 'ascending'), '4242,4243');
  }));

await test('tables of an ended process say how it ended, and its last events',
  () => onPage('#/process/101/tables', async (page) => {
    await seen(page, '[data-table=domains]');
    const cells = (name) => page.$$eval(`[data-table=${name}] tr`, (rows) =>
      rows.slice(0, 2).map((row) => [...row.cells].map((cell) => cell.innerText)));
    assert.equal((await cells('domains'))[1][2], 'ended');
    const [head, row] = await cells('threads');
    assert.equal(head[4], 'Did');
    assert.equal(head[5], 'Last event');
    assert.match(row[5], /^\d+\.\d{3}\s\d{3} s$/);
  }));

await test('the time between two events: asked by filters, shown in the timeline',
  () => onPage('#/process/100/between', async (page) => {
    await seen(page, 'input[name=first]');
    await until(page, () => document.querySelector('datalist option'));
    const suggested = await page.evaluate(() =>
      [...document.querySelectorAll('datalist option')].map((o) => o.value));
    assert.deepEqual(suggested, ['checkout', 'name="my span"', hostile[0],
                                 'name="bad ?? bytes"', 'minor']);
    await page.type('input[name=first]', 'minor');
    await page.type('input[name=then]', 'name="my span" form=end');
    await page.select('select[name=scope]', 'domain');
    mock.requests.length = 0;
    await page.keyboard.press('Enter');
    await has(page, 'First events without a pair: 2 before another first event');
    const asked = mock.requests.filter((r) => r.includes('/between?'))
      .map((r) => new URL(r.slice(4), 'http://x').searchParams);
    assert.equal(asked[0].get('first'), 'minor');
    assert.equal(asked[0].get('then'), 'name="my span" form=end');
    assert.equal(asked[0].get('scope'), 'domain');
    await seen(page, '.histogram');
    await seen(page, '.chart canvas');
    assert.ok((await textOf(page)).includes(
      `${hostile[0]} in domain 1, thread 4243 \\x1b[31mred\\x1b[0m`));
    await click(page, '[data-table=longest] a');
    await seen(page, 'canvas.timeline');
    assert.match(page.url(), /\/timeline\?.*&from=29998200000&to=30010800000&from_sel=30000000000&to_sel=30009000000$/);
  }));

const tab = async (page, view) => {
  await click(page, `.tabs a[href*="/${view}"]`);
  await until(page, (name) => location.hash.includes(`/${name}`) &&
    document.querySelector('.tabs [aria-current]')?.href.includes(`/${name}`), view);
};

await test('one range for all views is in the address; a reload and the way back show '
  + 'the same', () => onPage('#/process/100/charts?last=60', async (page) => {
  const plot = await (await seen(page, '.chart .u-over')).boundingBox();
  await page.mouse.move(plot.x + plot.width / 4, plot.y + 30);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width / 2, plot.y + 30, { steps: 5 });
  await page.mouse.up();
  await until(page, () => /from=\d+&to=\d+$/.test(location.hash));
  const { from, to } = await values(page);
  assert.ok(Math.abs(to - from - 15e9) < 1e9, `${from} ${to}`);
  const text = () => page.$eval('[data-range=fixed]', (e) => e.innerText);
  const before = await text();
  assert.match(before, /^Held: /);
  assert.match(await page.$eval('[data-range]', (e) => e.title), /new events overwrite/);
  for (const [view, part] of [['timeline', null], ['tables', 'stat'],
                              ['events', 'events'], ['flame', 'flame']]) {
    mock.requests.length = 0;
    await tab(page, view);
    assert.equal(await text(), before, view);
    if (!part) continue;
    await eventually(() => assert.ok(mock.requests.some((r) => r.includes(`/${part}?`))));
    const asked = lastAsked(part);
    assert.deepEqual([asked.from, asked.to], [from, to], view);
  }
  await page.reload();
  await seen(page, '.flame');
  assert.equal(await text(), before);
  await page.goBack();
  await seen(page, '.filter');
  assert.equal(await text(), before);
  await page.click('.save [title="The events of the range that is held"]');
  await has(page, 'Saved as /store/shop.evr');
  assert.deepEqual(JSON.parse(mock.actions.at(-1).action),
                   { from_ns: Number(from), to_ns: Number(to) });
  await press(page, 'Live');
  await seen(page, '[data-range=live]');
  assert.doesNotMatch(await page.$eval('[data-range]', (e) => e.innerText), /Held/);
  assert.deepEqual(await values(page), { last: String((to - from) / 1e9) });
}));

await test('filter, zoom, search and selection are in the address and survive a reload',
  () => onPage('#/process/100/events', async (page) => {
    await (await seen(page, '.filter')).type('minor');
    await page.keyboard.press('Enter');
    await until(page, () => location.hash.endsWith('filter=minor'));
    await tab(page, 'flame');
    await click(page, '.flame button[title^="Dune.main"]');
    await until(page, () => location.hash.includes('zoom=Dune.main'));
    await (await seen(page, '.toolbar input[type=search]')).type('MAP');
    await until(page, () => location.hash.includes('search=MAP'));
    await page.reload();
    await until(page, () => document.querySelector('.told')?.innerText
      .startsWith('Dune.main: '));
    assert.equal(await page.$eval('.found', (e) => e.innerText), '25.0 % found');
    await page.goBack();
    await until(page, () => document.querySelector('.told')?.innerText
      .startsWith('all: '));
    await tab(page, 'events');
    assert.equal(await page.$eval('.filter', (e) => e.value), 'minor');
    await go(page, '#/process/100/timeline?from=40000000000&to=40002000000');
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 14 + 7),
                () => document.querySelector('.chosen') !== null);
    const chosen = await page.$eval('.chosen', (e) => e.innerText);
    await until(page, () => location.hash.includes('sel='));
    await page.reload();
    await until(page, (text) => document.querySelector('.chosen')?.innerText === text,
                chosen);
  }));

await test('a pause of the tables is selected in the timeline',
  () => onPage('#/process/100/tables', async (page) => {
    // Tables above it may grow while the mouse is on its way.
    await (await seen(page, '[data-table=pauses] tbody a')).evaluate((a) => a.click());
    await seen(page, 'canvas.timeline');
    await seen(page, '.chosen');
    // No span has the time of this pause.
    assert.match(await page.$eval('.chosen', (e) => e.innerText), new RegExp(
      `^Pause of domain 1 \\(minor\\): 7.00 ms, .*; it is outlined over <img src`));
    await seen(page, '.arrivals');
    const [pixels, text] = await page.evaluate(() => new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const canvas = document.querySelector('canvas.timeline');
        const left = 150 + Math.round((canvas.clientWidth - 150) / 3) - 2;
        const { data } = canvas.getContext('2d').getImageData(left, 24 + 76 + 40, 5, 1);
        resolve([[0, 4, 8, 12, 16].map((i) => `#${[...data.slice(i, i + 3)]
          .map((c) => c.toString(16).padStart(2, '0')).join('')}`),
        getComputedStyle(document.documentElement).getPropertyValue('--text').trim()]);
      }));
    }));
    assert.ok(pixels.includes(text), `${pixels}`);
    const { sel } = await values(page);
    await pushed(page, 'Lanes');
    await click(page, '.lane-list li:nth-child(2) input');
    await until(page, () => document.querySelector('.chosen').innerText
      .includes('no lane of this domain is shown'));
    await page.reload();
    await until(page, () => document.querySelector('.chosen')?.innerText
      .includes('no lane of this domain is shown'));
    assert.equal((await values(page)).sel, sel);
  }));

await test('a pause of which the events are gone leads to a rule for the next one', async () => {
  mock.overwritten = true;
  try {
    await onPage('#/process/100/timeline?from=40000000000&to=40100000000' +
                 '&sel=1,,,40010000000,40017000000,minor', async (page) => {
      await has(page, 'Add a rule that saves the next one');
      await click(page, '.note a');
      await seen(page, 'form.rule');
      assert.deepEqual(await page.$$eval('form.rule input', (all) =>
        all.slice(0, 2).map((input) => input.value)), ['minor > 3ms', 'shop']);
    });
  } finally {
    mock.overwritten = false;
  }
});

await test('the slowest request, what its threads did, its timeline and its flame graph',
  () => onPage('#/process/100/requests?last=all', async (page) => {
    const rows = (name) => page.$$eval(`[data-table=${name}] tbody tr`, (all) =>
      all.map((row) => [...row.cells].map((c) => c.innerText)));
    assert.equal(await page.$eval('[data-table=request-kinds] a', (a) =>
      new URLSearchParams(a.hash.split('?')[1]).get('requests')), hostile[0]);
    await click(page, '[data-table=slowest] tbody a');
    await seen(page, '.one-request .runs');
    assert.deepEqual(await values(page), { last: 'all', request: '7' });
    assert.match(await page.$eval('.one-request', (e) => e.innerText),
      /30.0 ms, from 40.000.000 s: threads had it for 12.0 ms, with the waits below, and none for 18.0 ms/);
    assert.deepEqual((await rows('request-work')).map(([kind, , ...numbers]) =>
      [kind, ...numbers].join(' ')), [
      'wait 1 8.00 ms 8.00 ms', 'span of the program 4 4.00 ms 1.00 ms',
      'collector 2 800 µs 400 µs', 'all domains stopped 2 600 µs 300 µs']);
    const fills = await page.$$eval('.runs rect', (all) => all.map((rect) =>
      [rect.querySelector('title').textContent, rect.style.fill]));
    assert.deepEqual(fills.filter(([title]) => title.startsWith('blocking section')),
                     [['blocking section: 8.00 ms', 'var(--blocking)']]);
    // A stop is over a collection, which is over a wait.
    assert.deepEqual([...new Set(fills.map(([, fill]) => fill))], [
      'var(--running)', 'var(--blocking)', 'var(--minor)', 'var(--stopped)']);
    assert.deepEqual(await page.$$eval('.one-request .legend li', (all) =>
      all.map((li) => li.innerText)), [
      'running', 'blocking section: system call, sleep', 'minor collection',
      'all domains stopped']);
    const links = await page.$$eval('.one-request a', (all) =>
      all.map((link) => link.getAttribute('href')));
    assert.deepEqual(links.slice(1).map((link) => link.replace(/.*\//, '')), [
      'timeline?request=7&from=39998500000&to=40031500001&from_sel=40000000000&to_sel=40030000000',
      'flame?request=7&from=39998500000&to=40031500001']);
    await go(page, links[2]);
    await has(page, 'of request 7 only');
    await eventually(() =>
      assert.ok(mock.requests.some((r) => /\/flame\?.*request=7/.test(r))));
  }));

await test('a request of which the ring has no events is marked, and its waits are told',
  () => onPage('#/process/100/requests?last=all', async (page) => {
    const row = '[data-table=slowest] tbody tr:nth-child(2)';
    await seen(page, row);
    const cells = await page.$eval(row, (tr) => [...tr.cells].map((c) => c.innerText));
    assert.match(cells[0], / 9 overwritten$/);
    assert.deepEqual(cells.slice(4, 6),
      ['6.00 ms', 'mutex wait 3.00 ms, others 2.00 ms, blocking section 1.00 ms']);
    await click(page, `${row} a`);
    await has(page, 'They waited for: mutex wait 3.00 ms, others 2.00 ms, '
              + 'blocking section 1.00 ms.');
    await has(page, 'The events of this time are no longer in the rings');
    assert.equal(await page.$eval('.one-request .note a', (a) =>
      new URLSearchParams(a.hash.split('?')[1]).get('when')), `${hostile[0]} > 10ms`);
    assert.equal(await page.$('.one-request .runs'), null);
  }));

await test('requests and locks of a time that a ring no longer has are not called none',
  async () => {
    for (const view of ['requests', 'locks'])
      await onPage(`#/process/100/${view}?from=20000000000&to=25000000000`, (page) =>
        has(page, '20.0 s to 25.0 s since the start; domain 1 only from 40.0 s on'));
  });

await test('requests and tables of a time that no ring has any longer say so', async () => {
  const reason = 'The events of this time are no longer in the rings';
  for (const view of ['requests', 'tables']) {
    const path = `#/process/100/${view}?from=1000000000&to=2000000000`;
    mock.overwritten = true;
    try {
      await onPage(path, (page) => has(page, reason));
    } finally {
      mock.overwritten = false;
    }
    await onPage(path, async (page) => {
      await has(page, 'since the start; domain 1 only from 40.0 s on');
      assert.ok(!(await textOf(page)).includes(reason));
    });
  }
  await onPage('#/process/100/requests?from=1000000000&to=2000000000', (page) =>
    has(page, 'A program tells of its requests by Eventring.Request.'));
});

await test('a view that has nothing in a short range says how long it is, and offers a wider one',
  async () => {
    const range = 'from=1000000000&to=1002000000';
    const offered = (page, text) => until(page, (wanted) => document.querySelector('.wider')
      ?.innerText.replace(/\s+/g, ' ').trim() === wanted, text);
    mock.nothing = true;
    try {
      for (const view of ['requests?', 'locks?', 'events?', 'flame?type=io&',
                          'between?first=minor&then=minor&'])
        await onPage(`#/process/100/${view}${range}`, async (page) => {
          await offered(page, 'This range is 2.00 ms long. Live: the last 10.0 s');
          await click(page, '.wider button');
          await until(page, () => document.querySelector('[data-range=live]') &&
            !document.querySelector('.wider'));
          assert.equal((await values(page)).last, '10');
        });
      await onPage(`#/process/101/locks?${range}`, async (page) => {
        await offered(page, 'This range is 2.00 ms long. Show all');
        await click(page, '.wider button');
        await until(page, () => location.hash.endsWith('?last=all'));
      });
    } finally {
      mock.nothing = false;
    }
  });

await test('a stop says how long all domains stood still, and until the last went on',
  () => onPage('#/process/100/tables?last=60', async (page) => {
    await click(page, '[data-table=pauses] tbody a');
    await has(page, 'All stopped for');
    const facts = await page.$$eval('.pause .facts div', (all) => Object.fromEntries(
      all.map((fact) => [...fact.children].map((e) => e.innerText))));
    assert.equal(facts['All stopped for'], '200 µs');
    assert.equal(facts['Until the last went on'], '300 µs');
    silent(page);
  }));

await test('the latest events are shown, the latest at the top, or the first',
  () => onPage('#/process/100/events?from=20000000000&to=30000000000', async (page) => {
    const times = () => page.$$eval('.log tbody tr', (all) =>
      all.slice(0, 2).map((row) => row.cells[0].innerText));
    await seen(page, '.log tbody tr');
    assert.equal(lastAsked('events').order, 'latest');
    await has(page, 'promoted=960 B allocated=256 KiB cause=minor_heap_full requested_by=1');
    await has(page, '(domain=0 arrived_after=2.10 µs left_before=100 µs)');
    const latest = await times();
    await page.select('select[name=order]', 'first');
    await until(page, () => location.hash.includes('order=first'));
    await eventually(() => assert.equal(lastAsked('events').order, 'first'));
    await eventually(async () => assert.notDeepEqual(await times(), latest));
  }));

await test('events follow a live range; the time of one leads to the timeline, where it '
  + 'is selected', () => onPage('#/process/100/events?last=10', async (page) => {
  await seen(page, '.log tbody a');
  const { from: first } = lastAsked('events');
  await eventually(() => assert.ok(Number(lastAsked('events').from) > Number(first)));
  await page.evaluate(() => [...document.querySelectorAll('.range button')]
    .find((e) => e.innerText === 'Live').click());
  await until(page, () => document.querySelector('[data-range=fixed]'));
  await page.$eval('.log tbody a', (e) => e.click());
  await seen(page, 'canvas.timeline');
  await has(page, 'Selected: ');
  const { from_sel: from, to_sel: end, ...range } = await values(page);
  assert.ok(Number(range.from) < from && Number(end) < range.to, JSON.stringify(range));
}));

await test('a live range of a busy program is asked for up to the last event', async () => {
  mock.busy = true;
  try {
    await onPage('#/process/100/tables?last=1', () => eventually(() => {
      const { from, to } = lastAsked('stat');
      assert.ok(from && !to);
    }));
  } finally {
    mock.busy = false;
  }
});

// Checks that rows stay after [point] has pointed at the [first] link of them, and that
// the page says so, until [leave] points elsewhere.
async function rowsStay(page, point, leave) {
  const first = '.log tbody a';
  const count = () => mock.requests.filter((r) => r.includes('/events?')).length;
  await seen(page, first);
  assert.equal(await page.$('.held'), null);
  await retry(page, () => point(first), () => document.querySelector('.held') !== null);
  const text = await page.$eval(first, (e) => e.innerText);
  const before = count();
  await eventually(async () => {
    await point(first);
    assert.ok(count() >= before + 3);
  });
  assert.equal(await page.$eval(first, (e) => e.innerText), text);
  await leave();
  await until(page, (selector, old) => !document.querySelector('.held')
    && document.querySelector(selector).innerText !== old, first, text);
}

await test('a range that the rings no longer have says so in each view', async () => {
  mock.overwritten = true;
  try {
    await onPage('#/process/100/timeline?from=1000000&to=2000000', async (page) => {
      await has(page, 'A link to this range, or a download of it, has none. A rule saves');
      await go(page, '#/process/100/requests?from=1000000&to=2000000');
      await has(page, 'A link to this range, or a download of it, has none. A rule saves');
      await go(page, '#/process/100/requests?last=10');
      await until(page, () => !document.querySelector('.overwritten'));
    });
  } finally {
    mock.overwritten = false;
  }
});

await test('rows that follow a live range stay while a link of them is pointed at or has '
  + 'the focus of the keyboard', () => onPage('#/process/100/events?last=10',
  async (page) => {
    await rowsStay(page, (link) => page.hover(link), () => page.mouse.move(1, 1));
    await rowsStay(page, async (link) => {
      await page.focus('.log');
      await page.keyboard.press('Tab');
      await page.focus(link);
    }, () => page.focus('.filter'));
  }));

await test('rows that were touched stay, and the finger need not be there any longer',
  () => onPage('#/process/100/events?last=10', async (page) => {
    await page.setViewport({ width: 400, height: 700, hasTouch: true, isMobile: true });
    const touch = async (selector) => {
      await page.$eval(selector, (e) => e.scrollIntoView({ block: 'center' }));
      const { x, y } = await (await page.$(selector)).boundingBox();
      return page.touchscreen.tap(x + 2, y + 2);
    };
    await rowsStay(page, () => touch('.log tbody td:nth-child(2)'),
                   () => touch('.numbers dd'));
  }));

await test('locks have their waits, holders and spans',
  () => onPage('#/process/100/locks?last=all', async (page) => {
    await seen(page, '[data-table=locks]');
    await until(page, (name) => document.querySelector('[data-table=locks] tbody')
      .innerText.includes(`${name} 4242: 10.0 ms of 2 waits`), '\\x1b[31mred\\x1b[0m');
    const rows = await page.$$eval('[data-table=locks] tbody tr', (all) =>
      all.map((row) => [...row.cells].map((c) => c.innerText)));
    assert.deepEqual(rows.map((row) => row.slice(0, 5)), [
      ['mutex 0x1000', '3', '15.0 ms', '5.00 ms', '5.00 ms'],
      ['lock of domain 1', '1', '2.00 ms', '2.00 ms', '2.00 ms']]);
    assert.equal(rows[0][6], `${hostile[0]}: 15.0 ms of 3 waits`);
    await click(page, '[data-table=locks] tbody a');
    await until(page, () => document.querySelector('.chosen')
      .innerText.startsWith('blocking_section (wait)'));
    assert.deepEqual(await values(page), {
      from: '39998000000', to: '40013000000', sel: '0,4242,2,40003000000,40008000000' });
  }));

await test('two processes are compared: amounts and changes',
  () => onPage('#/compare/100/101', async (page) => {
    await seen(page, '[data-table=differences-causes]');
    const rows = await page.$$eval('[data-table^=differences] tbody tr', (all) =>
      all.map((row) => [...row.cells].map((c) => c.innerText).join(' | ')));
    assert.deepEqual(rows, [
      'collector | share | 20.0 % | 10.0 % | −50.0 %',
      'allocated | rate | – | 1.00 MiB/s | –',
      `${hostile[0]} | p99 | 1.00 ms | 2.50 ms | × 2.5`,
      'minor | rate | 100/s | 1 500/s | × 15',
      'checkout | p50 | 1.00 ms | 1.04 ms | +4.3 %',
      'mutex wait | mean | 1.00 µs | 1.00 µs | 0 %',
      'gc minor | rate | 0.0/s | 2.5/s | –']);
  }));

await test('a long run is compared with a short one over the length of the short one',
  async () => {
    const rows = (page, n) => until(page, (wanted) =>
      document.querySelector('.chart .u-over') &&
      document.querySelector('.toolbar [aria-pressed=true]').innerText === wanted, n);
    mock.short = true;
    try {
      await atSecond90('#/compare/100/101', async (page) => {
        await rows(page, 'The last 10.0 s of each');
        const ends = () => page.$$eval('.chart', ([chart]) =>
          chart.querySelector('[role=img]').ariaLabel);
        assert.match(await ends(), /^Collecting: A \d.* %, B \d.* %$/);
        await press(page, 'All of both');
        await rows(page, 'All of both');
        assert.match(await ends(), /^Collecting: A \d.* %, B –$/);
        // The rows of 100 ms have the last 60 s
        await until(page, () => /Time:?\s*90\.0 s/.test(
          document.querySelector('.u-legend').innerText));
      });
    } finally {
      mock.short = false;
    }
    await onPage('#/compare/100/101', (page) => rows(page, 'All of both'));
  });

await test('the flame graph enlarges what is clicked',
  () => onPage('#/process/100/flame', async (page) => {
    await click(page, '.flame button[title^="Dune.main"]');
    await page.mouse.move(0, 0);
    await until(page, () => document.querySelector('.told').innerText
      .includes('Dune.main: 800 ms, 80.0 %'));
  }));

await test('one bar of a flame graph has the focus; arrows move it, Enter enlarges',
  () => onPage('#/process/100/flame', async (page) => {
    const focused = () => page.evaluate(() => [...document.querySelectorAll(
      '.flame [tabindex="0"]')].map((b) => [b.innerText, b === document.activeElement]));
    await seen(page, '.flame');
    assert.deepEqual(await focused(), [['all', false]]);
    await page.focus('.flame [tabindex="0"]');
    for (const [key, name] of [
      ['ArrowDown', 'Dune.main'], ['ArrowRight', 'Stdlib__List.iter'],
      ['ArrowRight', 'Stdlib__List.iter'], ['ArrowLeft', 'Dune.main'],
      ['ArrowUp', 'all'], ['ArrowUp', 'all'], ['ArrowDown', 'Dune.main']]) {
      await page.keyboard.press(key);
      assert.deepEqual(await focused(), [[name, true]], key);
    }
    await page.keyboard.press('Enter');
    await until(page, () => document.querySelector('.flame .above')?.innerText === 'all');
    assert.equal((await focused()).length, 1);
  }));

await test('the type of the flame graph is chosen, and kept in the address',
  () => onPage('#/process/100/flame', async (page) => {
    await seen(page, '.flame');
    await has(page, 'Processor time by stack');
    await page.select('select[name=type]', 'alloc');
    await has(page, 'Allocated memory by stack');
    await until(page, () => document.querySelector('.told')?.innerText
      === 'all: 954 MiB, 100 %; self 0 B');
    assert.ok(page.url().endsWith('flame?type=alloc'), page.url());
    await page.select('select[name=type]', 'wait');
    await until(page, () => document.querySelector('.told')?.innerText
      === 'all: 1.00 s, 100 %; self 0 s');
    await page.goBack();
    await has(page, 'Allocated memory by stack');
    await page.select('select[name=type]', 'wall');
    await has(page, 'Small functions are left out');
    await seen(page, '.flame [title="[small parts]: 200 ms, 20.0 %; self 200 ms"]');
    await seen(page, '.flame [title="all: 1.00 s, 100 %; self 0 s"]');
    assert.deepEqual((await page.$$eval('.flame button', (all) => all.map((b) => b.title)))
      .slice(1), ['Dune.main: 750 ms, 75.0 %; self 350 ms',
                  '[blocking_section]: 200 ms, 20.0 %; self 200 ms',
                  '[mutex_wait]: 150 ms, 15.0 %; self 150 ms',
                  '[new_wait]: 50.0 ms, 5.0 %; self 50.0 ms',
                  '[small parts]: 200 ms, 20.0 %; self 200 ms',
                  '_start: 50.0 ms, 5.0 %; self 50.0 ms']);
    await go(page, '#/process/100/flame?type=constructor');
    await has(page, 'Processor time by stack');
  }));

const shares = (page) => page.$eval('[aria-label="Legend"]', (e) =>
  e.innerText.replace(/\s+/g, ' '));

await test('waits have their colours in the flame graph of wall-clock time, and their shares',
  () => onPage('#/process/100/flame?type=wall', async (page) => {
    await seen(page, '.flame');
    assert.equal(await shares(page), 'OCaml 35.0 % C 5.0 % not known 20.0 % ' +
      'blocking section: system call, sleep 20.0 % waiting for a mutex 15.0 % waiting 5.0 %');
    const colours = () => page.evaluate(() => ['blocking_section', 'mutex_wait', 'new_wait']
      .map((name) => getComputedStyle(document.querySelector(
        `.flame [title^="[${name}]"]`)).backgroundColor));
    assert.deepEqual(await colours(), await page.$$eval(
      '.legend i:not(.kind)', (all) => all.map((i) => getComputedStyle(i).backgroundColor)));
    assert.equal(new Set(await colours()).size, 3);
    const before = await colours();
    await page.type('[aria-label="Mark functions"]', 'mutex');
    await until(page, () => document.querySelector('.found').innerText === '15.0 % found');
    assert.deepEqual((await colours()).map((c, i) => c === before[i]), [true, false, true]);
  }));

await test('wall-clock time is of the time of which no ring has lost samples',
  () => onPage('#/process/100/flame?type=wall&from=30000000000&to=40000000000',
    async (page) => {
      await has(page, 'samples, 30.0 s to 40.0 s since the start; waits of domain 1 only ' +
        'from 40.0 s on');
      mock.overwritten = true;
      await page.reload();
      await has(page, 'samples, 32.5 s to 40.0 s since the start');
      await has(page, '234 samples are left out: other samples of their time are lost.');
      assert.doesNotMatch(await textOf(page), /only from/);
      mock.overwritten = false;
      await page.reload();
      await has(page, '30.0 s to 40.0 s since the start; waits');
      assert.doesNotMatch(await textOf(page), /left out: other/);
    }));

await test('the colours of a flame graph tell whose code it is, with the shares',
  () => onPage('#/process/100/flame', async (page) => {
    await seen(page, '.flame');
    assert.equal(await shares(page), 'OCaml 35.0 % C 50.0 % runtime 5.0 % collector 10.0 %');
    const colours = await page.evaluate(() => ['caml_alloc', 'caml_memory', 'Dune']
      .map((name) => getComputedStyle(document.querySelector(
        `.flame [title^="${name}"]`)).backgroundColor));
    assert.equal(new Set(colours).size, 3);
  }));

await test('a function with its callers and callees, by its name and by the keyboard',
  () => onPage('#/process/100/flame', async (page) => {
    const bars = (label) => page.$$eval(`.flame[aria-label="${label}"] button`, (all) =>
      all.map((b) => `${b.style.top} ${b.title.replace(/;.*/, '')}`));
    await seen(page, '.flame');
    await (await page.waitForFunction(() =>
      [...document.querySelectorAll('[data-table=functions] .link')]
        .find((b) => b.innerText === 'Stdlib__Map.add'))).focus();
    await page.keyboard.press('Enter');
    await until(page, () => location.hash.includes('focus=Stdlib__Map.add'));
    await seen(page, '.flame[aria-label=Callers]');
    // Calls from both callers count; the callers are above.
    assert.deepEqual(await bars('Callers'), [
      '18px Stdlib__Map.add: 300 ms, 30.0 %', '0px Dune.main: 200 ms, 20.0 %',
      '0px Stdlib__List.iter: 100 ms, 10.0 %']);
    assert.deepEqual(await bars('Callees'), [
      '0px Stdlib__Map.add: 300 ms, 30.0 %',
      '18px caml_alloc_small_dispatch: 100 ms, 10.0 %']);
    await page.reload();
    await click(page, '.flame[aria-label=Callers] [title^="Dune.main"]');
    await until(page, () => document.querySelectorAll(
      '.flame[aria-label=Callees] button').length === 4);
    assert.deepEqual((await bars('Callers')).length, 1);
    await page.keyboard.press('Escape');
    await seen(page, '.flame[aria-label="Flame graph"]');
    await go(page, '#/process/100/flame?focus=none');
    await has(page, 'No sample has the function none');
  }));

await test('the totals of functions that are estimates have intervals, unless of few samples',
  () => onPage('#/process/100/flame?type=alloc&last=all', async (page) => {
    await seen(page, '[data-table=functions]');
    const cells = await page.$$eval('[data-table=functions] tr', (all) =>
      all.map((row) => [row.cells[0].innerText, row.cells[4].innerText]));
    assert.equal(cells[0][1], 'Error');
    const of = Object.fromEntries(cells);
    assert.deepEqual([format.name(hostile[0]), 'Stdlib__Map.add', 'caml_memory', 'Dune.main']
      .map((name) => of[name]), ['± 3.9 %', '± 3.3 %', '–', '± 2.6 %']);
    await go(page, '#/process/100/flame?type=cpu&last=all');
    await has(page, 'Processor time by stack');
    await until(page, () => document.querySelector('[data-table=functions] tr')
      ?.cells[4].innerText === 'Self, of all');
  }));

await test('samples are selected by domain, thread, span and requests',
  () => onPage('#/process/100/flame', async (page) => {
    const asked = () => mock.requests.filter((r) => r.includes('/flame?')).at(-1);
    await seen(page, '.flame');
    for (const name of ['domain', 'thread', 'span', 'requests']) {
      const value = await page.waitForFunction((n) =>
        document.querySelector(`select[name=${n}]`)?.options[1]?.value, { timeout }, name);
      const text = await value.jsonValue();
      await page.select(`select[name=${name}]`, text);
      await eventually(() => assert.equal(
        new URLSearchParams(asked().split('?')[1]).get(name), text));
    }
    await page.reload();
    await seen(page, '.flame');
    const given = new URLSearchParams(asked().split('?')[1]);
    assert.deepEqual(['domain', 'thread', 'span', 'requests'].filter(
      (name) => given.get(name)).length, 4);
  }));

await test('the difference of two times, and of two processes',
  () => onPage('#/process/100/flame?from=2000000000&to=3000000000', async (page) => {
    const map = (page_) => page_.$eval('.flame [title^="Stdlib__Map.add"]', (b) => b.title);
    await seen(page, '.flame');
    await page.select('select[name=base]', 'before');
    await has(page, 'a larger share than in the base');
    // 200 ms of 1 s, and before that 400 ms of 1.2 s
    assert.match(await map(page), /base 400 ms, 33.3 %, −13.33 points/);
    assert.match(await textOf(page),
      /Compared with 1.20 s in 1.000 samples, 1.000.000 s to 2.000.000 s since the start/);
    assert.deepEqual(await page.$$eval('[data-table=functions] tr', (rows) => rows
      .find((r) => r.innerText.startsWith('Stdlib__Map.add')).innerText.split('\t').slice(-3)),
    ['30.0 %', '41.7 %', '−11.67 points']);
    await page.reload();
    await has(page, 'a larger share than in the base');
    await page.select('select[name=base]', '');
    await seen(page, '[aria-label="Legend"]');
    await press(page, 'Use as base');
    await until(page, () => location.hash.includes('base=100%2C2000000000%2C3000000000'));
    await go(page, `#/process/100/flame?base=100,2000000000,3000000000&from=1000000000&to=2000000000`);
    await until(page, () => document.querySelector('.flame [title^="Stdlib__Map.add"]')
      ?.title.includes('base 200 ms'));
    await page.select('select[name=base]', '101');
    await until(page, () => document.querySelector('.flame [title^="Stdlib__Map.add"]')
      ?.title.includes('base 400 ms'));
    assert.ok(mock.requests.some((r) => r.includes('/101/flame?type=cpu')));
    await go(page, '#/process/100/flame?last=all&base=before');
    await has(page, 'The base: there is no time before all: choose a shorter range.');
  }));

await test('without samples the flame graph says how to take them',
  () => onPage('#/process/100/flame?type=io', async (page) => {
    await has(page, 'There are no samples for this profile in this range. io is off.');
    await click(page, '.tabs a[href*="/control"]');
    await click(page, 'input[name=io]');
    await has(page, 'Category io is on');
    await go(page, '#/process/100/flame?type=io');
    await has(page, 'They are taken now: io is on');
    mock.overwritten = true;
    await go(page, '#/process/100/flame?type=io&from=1000000000&to=2000000000');
    await has(page, 'Later events took the place of the samples of this time');
    mock.overwritten = false;
  }));

await test('the categories that a flame graph lacks are recorded by one button, and a range '
  + 'that was held goes on to follow', async () => {
  mock.noSamples = true;
  try {
    await onPage('#/process/100/flame?type=wall&from=1000000000&to=2000000000',
      async (page) => {
        await has(page, 'profile and profile_wait are off.');
        await press(page, 'Record profile and profile_wait for 10 s', 'section button');
        await has(page, 'profile and profile_wait are recorded for 10 s.');
        assert.equal(mock.actions.at(-1).action,
          '{"action":"add","categories":["profile","profile_wait"],"seconds":10}');
        await until(page, () => location.hash.endsWith('?type=wall&last=10'));
      });
    await onPage('#/process/100/flame?type=wait', async (page) => {
      await has(page, 'profile_wait is off.');
      mock.noSamples = false;
      await press(page, 'Record profile_wait for 10 s', 'section button');
      // It is asked again without another click.
      await seen(page, '.flame');
      // When the time is over, the range is held.
      await page.evaluate(() => {
        const now = performance.now.bind(performance);
        performance.now = () => now() + 9500;
      });
      await until(page, () => document.querySelector('[data-range=fixed]')
        && !document.body.innerText.includes('profile_wait is recorded'));
    });
    mock.noSamples = true;
    mock.readOnly = true;
    await onPage('#/process/100/flame?type=wait', (page) =>
      allDisabled(page, '--read-only', 'section .empty button'));
  } finally {
    mock.noSamples = false;
    mock.readOnly = false;
  }
});

await test('the live heap by site: names are text, and new points come',
  () => onPage('#/process/100/flame?type=live', async (page) => {
    await seen(page, '.plot[aria-label^="Live heap by site"]');
    await seen(page, '.flame');
    const text = await told(page, 'Live heap by site');
    for (const name of [`${hostile[0]} ${hostile[1]}:7 4.00 MiB`,
                        '\\x1b[31mred\\x1b[0m ', 'other 1.00 MiB'])
      assert.ok(text.includes(name), text);
    assert.equal(await page.$('.legend img, .chart img, .chart script'), null);
    await until(page, (before) => document.querySelector(
      '.plot[aria-label^="Live heap by site: "]').ariaLabel !== before,
    `Live heap by site: ${text}`);
    const asked = mock.requests.filter((r) => r.includes('/live_sites?'));
    assert.ok(asked.every((r) => r.includes('width=120')), asked[0]);
  }));

await test('the distance of samples of allocation is sent',
  () => onPage('#/process/100/control', async (page) => {
    await page.locator('input[max="1000000000000"]').fill('5000');
    await page.keyboard.press('Enter');
    await has(page, 'One sample of allocation in 5 000 words');
    assert.ok(mock.actions.some(({ action }) =>
      action === '{"action":"alloc_rate","words":5000}'));
  }));

await test('the shortest wait is shown and set in microseconds',
  () => onPage('#/process/100/control', async (page) => {
    await (await seen(page, 'input[placeholder="2.5"]')).type('12.5');
    await page.keyboard.press('Enter');
    await has(page, 'Waits of 12.5 µs and more are recorded');
    assert.ok(mock.actions.some(({ action }) =>
      action === '{"action":"threshold","threshold_ns":12500}'));
  }));

await test('a duration at the border of two bars is in the longer one',
  () => onPage('#/process/100/charts', async (page) => {
    await seen(page, '.histogram');
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll(
      '.histogram title')].map((title) => title.textContent)),
    ['100 µs to 200 µs: 100', '200 µs to 500 µs: 199', '500 µs to 1.00 ms: 0',
     '1.00 ms to 2.00 ms: 0', '2.00 ms to 5.00 ms: 1']);
  }));

// Dark and light differ in colours only.
await test('nothing is wider than 400 pixels', () => onPage('', async (page) => {
  await has(page, 'shop');
  for (const view of ['charts', 'timeline', 'tables', 'events', 'between',
                      'flame', 'control']) {
    await go(page, `#/process/100/${view}`);
    await seen(page, '.tabs');
    await pause(500);
    assert.ok(await page.evaluate(() =>
      document.documentElement.scrollWidth <= 400), view);
  }
}, { width: 400, dark: true }));

await test('on a phone the header of a process leaves room for a view, and rows are low',
  async () => {
    mock.saved = [{ id: 'a', name: `shop-100-${'2'.repeat(40)}.evr`, program: '/usr/bin/shop',
                    pid: 100, saved_unix_ns: 1e18, duration_ns: 1e10, events: 84000,
                    lost_events: 0, bytes: 7e5, saved_by: 'hand', note: null }];
    const low = (page, of, edge, most) => until(page, (...given) => {
      const [selector, key, limit] = given;
      const box = document.querySelector(selector)?.getBoundingClientRect();
      return box && box[key] <= limit;
    }, of, edge, most);
    try {
      await onPage('#/process/100/charts', async (page) => {
        await seen(page, '.chart');
        await low(page, '.tabs', 'bottom', 400);
        await low(page, '.chart', 'top', 520);
        await go(page, '#/saved');
        await low(page, '[data-table=saved] tbody tr', 'height', 80);
      }, { width: 390, height: 844 });
    } finally {
      mock.saved = [];
    }
  });

await test('numbers and buttons of tables are not wrapped', async () => {
  mock.saved = [{ id: 'a', name: `shop-100-${'2'.repeat(40)}.evr`, program: '/usr/bin/shop',
                  pid: 170107, saved_unix_ns: 1e18, duration_ns: 824e9, events: 84000,
                  lost_events: 0, bytes: 7e5, saved_by: 'hand', note: 'a note '.repeat(20) }];
  try {
    await onPage('#/saved', async (page) => {
      for (const view of ['saved', 'rules']) {
        await go(page, `#/${view}`);
        await seen(page, `[data-table=${view}] td button`);
        // Lines are 20 pixels high.
        const high = await page.$$eval('td.number, td button', (all) => all.filter((e) => {
          const text = document.createRange();
          text.selectNodeContents(e);
          return text.getBoundingClientRect().height > 30;
        }).map((e) => e.innerText));
        assert.deepEqual(high, [], view);
      }
    }, { width: 1200 });
  } finally {
    mock.saved = [];
  }
});

// Clicks Copy link while the clipboard [takes] texts or refuses them; returns the text
// that it took.
async function copyLink(page, takes) {
  await seen(page, '.copy');
  await page.evaluate((yes) => {
    window.copied = null;
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: yes ? {
      writeText: async (text) => { window.copied = text; } } : undefined });
  }, takes);
  await click(page, '.copy');
  await until(page, () => document.querySelector('.copy + .message').innerText);
  return page.evaluate(() => window.copied);
}

await test('a link to the view has no token, and opens the view with that of the server',
  async () => {
    const hash = '#/process/100/timeline?from=30000000000&to=31000000000&search=mi';
    let link;
    await onPage(hash, async (page) => {
      link = await copyLink(page, true);
      assert.equal(link, `${new URL(address).origin}/${hash}`);
      await has(page, 'opens it with the token of this server');
      await go(page, '#/process/100/charts');
      await until(page, () => !document.querySelector('.copy + .message').innerText);
    });
    const page = await open(browser, link);
    await has(page, 'A token is missing');
    await page.type('input[name=token]', token);
    await click(page, 'form button');
    await seen(page, 'canvas.timeline');
    assert.equal(page.url(), link);
    silent(page);
    await page.close();
  });

await test('Control, the saved recordings and a comparison have a link that can be copied, too',
  () => onPage('', async (page) => {
    for (const hash of ['#/process/100/control', '#/saved', '#/compare/100/101']) {
      await go(page, hash);
      await until(page, () => !document.querySelector('.copy + .message')?.innerText);
      assert.equal(await copyLink(page, true), `${new URL(address).origin}/${hash}`);
    }
  }));

await test('where the browser has no clipboard, the link is shown',
  () => onPage('#/process/100/charts?last=60', async (page) => {
    assert.equal(await copyLink(page, false), null);
    await has(page, `Copy this address: ${page.url()}`);
  }));

await test('files that were saved are links to their recordings', async () => {
  mock.saved = [{ id: '101', name: 'shop.evr', path: '/store/shop.evr',
                  program: '/usr/bin/shop', pid: 7, saved_unix_ns: 1e18, duration_ns: 1e9,
                  events: 1, lost_events: 0, bytes: 1, saved_by: 'hand', note: null }];
  mock.ruleResult = '/store/shop.evr';
  try {
    await onPage('#/process/100/control', async (page) => {
      await click(page, '.save button');
      await until(page, () => document.querySelector('.quick .message a')?.innerText ===
        '/store/shop.evr');
      await until(page, () => document.querySelector('.control tbody a')?.hash ===
        '#/process/101/charts');
      await go(page, '#/rules');
      await until(page, () => document.querySelector('[data-table=rules] a')?.innerText ===
        'shop.evr');
      await click(page, '[data-table=rules] a');
      await until(page, () => location.hash === '#/process/101/charts');
      // The limits of the rule have removed the file.
      mock.saved = [];
      await go(page, '#/rules');
      await until(page, () => /shop.evr/.test(document.querySelector(
        '[data-table=rules]')?.innerText) && !document.querySelector('[data-table=rules] a'));
    });
  } finally {
    mock.saved = [];
    mock.ruleResult = null;
  }
});

await test('a rule that was added is shown with the unit of its time',
  () => onPage('#/rules', async (page) => {
    await seen(page, 'input[name=when]');
    await page.type('input[name=when]', 'checkout > 25');
    await click(page, 'form.rule button');
    await has(page, 'The rule is added: checkout > 25s.');
  }));

await test('the field When of a rule is as wide as its text', () => onPage(
  `#/rules?when=${encodeURIComponent(`${'a long name of a span '.repeat(3)}> 8us`)}`,
  async (page) => {
    for (const width of [1280, 390]) {
      await page.setViewport({ width, height: 844 });
      const [inner, text, page_] = await page.$eval('input[name=when]', (e) =>
        [e.clientWidth, e.scrollWidth, document.documentElement.scrollWidth]);
      if (width > 1000) assert.ok(text <= inner, `${text} ${inner}`);
      assert.ok(page_ <= width, `${page_}`);
    }
  }));

await test('columns of buttons have no button in the header',
  () => onPage('#/rules', async (page) => {
    await seen(page, '[data-table=rules] [aria-label^="Delete rule"]');
    assert.deepEqual(await page.$$eval('[data-table=rules] th', (heads) => heads
      .filter((th) => !th.querySelector('button')).map((th) => th.innerText)), ['Actions']);
    await go(page, '#/saved');
    await seen(page, '[data-table=candidates]');
    assert.deepEqual(await page.$$eval('[data-table=candidates] th button', (heads) =>
      heads.map((b) => b.innerText)), ['Program', 'Process', 'State']);
  }));

await browser.close();
mock.close();
finish();
