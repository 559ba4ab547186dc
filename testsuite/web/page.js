// See page.t.

import assert from 'node:assert/strict';
import { Mock, hostile, token } from './mock.js';
import {
  allDisabled, buildPage, click, eventually, finish, launch, open, pause, retry,
  test, textOf, timeout, until } from './browser.js';

const mock = new Mock(buildPage());
const address = await mock.listen();
const browser = await launch();

const has = (page, text) =>
  until(page, (wanted) => document.body.innerText.includes(wanted), text);
const go = (page, hash) => page.evaluate((h) => { location.hash = h; }, hash);
const seen = (page, selector) =>
  page.waitForSelector(selector, { visible: true, timeout });
// Waits for the button [label] of a toolbar, and clicks it.
const press = async (page, label) => (await page.waitForFunction((text) =>
  [...document.querySelectorAll('.toolbar button')]
    .find((b) => b.innerText === text), { timeout, polling: 50 }, label))
  .evaluate((button) => button.click());
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
    await seen(page, '.process .verdict.warning');
    await go(page, '#/process/100/charts');
    await click(page, '.diagnosis summary');
    const text = () => page.$eval('.diagnosis', (e) => e.innerText);
    await until(page, () => /Nothing found: 1\s+A long stop/.test(
      document.querySelector('.diagnosis').innerText));
    assert.match(await text(), /OCAMLRUNPARAM=s=1M\s+promoted: 12.0 %/);
    assert.match(await text(), /Not judged: 1\s+A large remembered set: not recorded/);
    await click(page, '.diagnosis button');
    await has(page, 'gc_detail is recorded for 10 s');
    assert.ok(mock.actions.some(({ action }) => action ===
      '{"action":"add","categories":["gc_detail"],"seconds":10}'));
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
    await pause(500);           // the browser warns of pixels read twice
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
  + 'lost ones says which', () => onPage('#/process/100/events?filter=minor&last=all', async (page) => {
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
    await has(page, 'Resume recording');
    assert.equal(mock.paused, true);
    await click(page, '.quick button');
    await has(page, 'Pause recording');
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
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 15 + 7),
                () => document.body.innerText.includes('minor heap full'));
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
      await page.mouse.click(x + 400 + 3 * i, y + 24 + 2 * 15 + 7);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await seen(page, '.chosen');
    await until(page, () =>
      document.querySelector('[data-range]').dataset.range === 'fixed');
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
    assert.match(page.url(), /\/timeline\?.*&from=29998200000&to=30010800000$/);
  }));

// The parameters of the last request for [part] of the process.
const lastAsked = (part) => Object.fromEntries(new URL(mock.requests.findLast(
  (r) => r.includes(`/${part}?`)).slice(4), 'http://x').searchParams);
const values = (page) => page.evaluate(() =>
  Object.fromEntries(new URLSearchParams(location.hash.split('?')[1])));
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
  await press(page, 'Live');
  await seen(page, '[data-range=live]');
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
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 15 + 7),
                () => document.querySelector('.chosen') !== null);
    const chosen = await page.$eval('.chosen', (e) => e.innerText);
    await until(page, () => location.hash.includes('sel='));
    await page.reload();
    await until(page, (text) => document.querySelector('.chosen')?.innerText === text,
                chosen);
  }));

await test('a pause of the tables is selected in the timeline',
  () => onPage('#/process/100/tables', async (page) => {
    await click(page, '[data-table=pauses] tbody a');
    await seen(page, 'canvas.timeline');
    await seen(page, '.chosen');
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

await test('the flame graph enlarges what is clicked',
  () => onPage('#/process/100/flame', async (page) => {
    await click(page, '.flame button[title^="Dune.main"]');
    await page.mouse.move(0, 0);
    await until(page, () => document.querySelector('.told').innerText
      .includes('Dune.main: 800 ms, 80.0 %'));
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
    await go(page, '#/process/100/flame?type=constructor');
    await has(page, 'Processor time by stack');
  }));

await test('without samples the flame graph says how to take them',
  () => onPage('#/process/100/flame?type=io', async (page) => {
    await has(page, 'Switch io on (tab Control) to take some');
    await click(page, '.tabs a[href*="/control"]');
    await click(page, 'input[name=io]');
    await has(page, 'Category io is on');
    await go(page, '#/process/100/flame?type=io');
    await has(page, 'They are taken now: io is on');
  }));

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

await browser.close();
mock.close();
finish();
