// See page_flame.t.

import assert from 'node:assert/strict';
import * as format from '../../web/src/format.js';
import { hostile, token } from './mock.js';
import {
  allDisabled, click, eventually, open, pause, test, textOf, timeout, until } from
  './browser.js';
import {
  mock, address, browser, has, go, seen, press, silent, onPage, atSecond90, told } from
  './page_kit.js';

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
    await has(page, 'most changed from A to B: collector −50.0 %.');
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
        await has(page, 'A is 9.0 times as long: that alone makes its maxima larger.');
        const ends = () => page.$$eval('.chart', ([chart]) =>
          chart.querySelector('.plot').ariaLabel);
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
    await onPage('#/compare/100/101', async (page) => {
      await rows(page, 'All of both');
      assert.doesNotMatch(await textOf(page), /times as long/);
    });
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
      assert.doesNotMatch(await textOf(page), /domain 1 only from/);
      mock.overwritten = false;
      await page.reload();
      await has(page, '30.0 s to 40.0 s since the start; waits');
      assert.doesNotMatch(await textOf(page), /left out: other/);
    }));

await test('samples of a part of the range only say so, unless some are selected', async () => {
  const range = 'from=20000000000&to=40000000000';
  [mock.first_sample_ns, mock.last_sample_ns] = [25e9, 35e9];
  try {
    await onPage(`#/process/100/flame?${range}`, (page) =>
      has(page, 'Of this time there are samples only from 25.0 s to 35.0 s'));
    await onPage(`#/process/100/flame?${range}&domain=1`, async (page) => {
      await has(page, 'samples,');
      assert.ok(!(await textOf(page)).includes('there are samples only'));
    });
  } finally {
    [mock.first_sample_ns, mock.last_sample_ns] = [20e9, undefined];
  }
});

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

await test('the functions with the largest times of their own are above the graph',
  () => onPage('#/process/100/flame', async (page) => {
    const text = await (await seen(page, '.largest')).evaluate((e) => e.innerText);
    const rows = await page.$$eval('[data-table=functions] tbody tr', (all) =>
      all.map(({ cells }) => `${cells[0].innerText} ${cells[4].innerText}`));
    assert.equal(text, `Largest self: ${rows.slice(0, 4).join(', ')} · all functions`);
    await click(page, '.largest button:last-child');
    await until(page, () => {
      const { top } = document.querySelector('[data-table=functions]').getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    });
    await click(page, '.largest button');
    await seen(page, '.flame[aria-label=Callers]');
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

await test('the requests with the most samples lead to their own samples',
  () => onPage('#/process/100/flame?last=60', async (page) => {
    await has(page, `Requests with the most samples: ${hostile[0]} 7 (3), request 9 (1).`);
    await click(page, '.note a[href*="request=7"]');
    await has(page, 'of request 7 only');
    await until(page, () => !document.body.innerText.includes('Requests with the most samples'));
    assert.match(page.url(), /[?&]from=\d+&to=\d+/);
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

await test('a recording is called by its file, where a profile is compared', async () => {
  mock.saved = ['one', 'two'].map((name) => (
    { id: name, name: `${name}.evr`, program: '/usr/bin/shop', pid: 100 }));
  await onPage('#/process/100/flame', (page) => until(page, () => [
    ...document.querySelectorAll('select[name=base] option')].map((o) => o.innerText)
    .filter((text) => text.includes('.evr')).join() === 'one.evr, all,two.evr, all'));
  mock.saved = [];
});

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
    // There are no rings of samples: none was taken.
    mock.noSamples = true;
    await go(page, '#/process/100/flame?type=cpu&from=1000000000&to=2000000000');
    await has(page, 'There are no samples for this profile in this range');
    mock.overwritten = mock.noSamples = false;
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
    await has(page, 'bytes alive, by the line');
    await go(page, '#/process/100/flame?type=live&thread=7');
    await has(page, 'of all threads, spans and requests: bytes alive');
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

await test('a link to a live view holds the time that it shows, not the time after it',
  () => onPage('#/process/100/charts?last=60', async (page) => {
    const link = await copyLink(page, true);
    const { from, to } = Object.fromEntries(new URLSearchParams(link.split('?')[1]));
    assert.equal(to - from, 60e9);
    assert.ok(!link.includes('last='), link);
    await has(page, 'It holds this time');
    await go(page, '#/process/100/flame?last=10');
    await seen(page, '.flame');
    const asked = mock.requests.findLast((r) => r.includes('/flame?'));
    await until(page, (was) => document.querySelector('[data-range=live]') &&
      was !== document.body.innerText, await page.evaluate(() => document.body.innerText));
    const [, shown] = (await copyLink(page, true)).split('?');
    const values = Object.fromEntries(new URLSearchParams(shown));
    assert.ok(asked.includes(`from=${values.from}&to=${values.to}`), `${asked} ${shown}`);
  }));

await test('where the browser has no clipboard, the link is shown',
  () => onPage('#/process/100/charts?last=all', async (page) => {
    assert.equal(await copyLink(page, false), null);
    await has(page, `Copy this address: ${page.url()}`);
    await has(page, 'It follows the process');
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
      assert.equal(await copyLink(page, true),
                   `${new URL(address).origin}/#/process/101/charts`);
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

await test('a rule says that no event has its name, and that its webhook fails', async () => {
  mock.rule = { when: 'minro', webhook: 'https://example.org', seen: false,
                webhook_result: 'refused' };
  await onPage('#/rules', async (page) => {
    await has(page, 'minro no such event yet');
    await has(page, 'https://example.org refused');
    mock.rule = { when: 'minor', webhook: 'https://example.org', seen: true,
                  webhook_result: 'ok' };
    await until(page, () => /minor\t.*https:\/\/example.org\t/.test(
      document.querySelector('[data-table=rules] tbody tr').innerText));
  });
  mock.rule = {};
});

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
