// See page.t.

import assert from 'node:assert/strict';
import { hostile, token } from './mock.js';
import {
  allDisabled, click, eventually, open, pause, test, textOf, until } from
  './browser.js';
import {
  mock, address, browser, has, go, seen, press, values, silent, onPage, atSecond90, told }
  from './page_kit.js';

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
    await until(page, () => /Nothing found: 1\s+Not found: A long stop 20.5 of 100 ms: least length · 2 stops: least number/.test(
      document.querySelector('.diagnosis').innerText));
    await click(page, '.diagnosis summary');
    await until(page, () => !location.hash.includes('rules'));
    await click(page, '.diagnosis summary');
    await until(page, () => location.hash.endsWith('rules=1'));
    await page.reload();
    await until(page, () => document.querySelector('.diagnosis').open);
    await until(page, () => document.querySelector('.diagnosis ul'));
    assert.match(await text(), /OCAMLRUNPARAM=s=1M\s+promoted: 12.0 %/);
    assert.match(await text(), /cause: minor heap full/);
    assert.equal(await page.$eval('.diagnosis a[href*="/requests"]', (a) => a.hash),
                 '#/process/100/requests?request=7');
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

await test('a series of a chart is hidden by its legend, by the keyboard, too',
  () => onPage('#/process/100/charts?from=20000000000&to=30000000000', async (page) => {
    // Before its values come, the chart has a line of the grid there.
    await until(page, () => /running \d/.test(
      document.querySelector('.plot[aria-label^="Utilisation"]')?.ariaLabel));
    const bottom = () => page.$eval('.plot[aria-label^="Utilisation"]', (plot) => {
      const canvas = plot.querySelector('canvas');
      const over = plot.querySelector('.u-over');
      const ratio = canvas.width / canvas.clientWidth;
      return canvas.getContext('2d').getImageData(
        (over.offsetLeft + over.clientWidth / 2) * ratio,
        (over.offsetTop + over.clientHeight - 2) * ratio, 1, 1).data.join();
    });
    const press = async (label, key) => {
      await page.$$eval('.plot[aria-label^="Utilisation"] [role=button]', (all, label) =>
        all.find((e) => e.innerText === label).focus(), label);
      await page.keyboard.press(key);
    };
    const pressed = () => page.$$eval('.plot[aria-label^="Utilisation"] [role=button]', (all) =>
      all.map((e) => `${e.innerText} ${e.ariaPressed}`));
    await eventually(async () => assert.match(await bottom(), /,2\d\d$/));
    const whole = await bottom();
    await press('running', 'Enter');
    assert.deepEqual(await pressed(), ['waiting true', 'collecting true',
                                       'running false']);
    await eventually(async () => assert.notEqual(await bottom(), whole));
    await press('running', ' ');
    await page.keyboard.down('Control');
    await press('collecting', 'Enter');
    assert.deepEqual(await pressed(), ['waiting false', 'collecting true',
                                       'running false']);
    await press('collecting', 'Enter');
    await page.keyboard.up('Control');
    await eventually(async () => assert.equal(await bottom(), whole));
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
      '–', '', '', '', '–', '–', '–', '–', '3.00 s']);
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
