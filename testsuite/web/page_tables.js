// See page_tables.t.

import assert from 'node:assert/strict';
import { hostile } from './mock.js';
import { click, eventually, pause, retry, test, textOf, until } from './browser.js';
import {
  mock, address, has, go, seen, press, values, silent, onPage, lastAsked, pushed, tab }
  from './page_kit.js';

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

await test('a thread has its request, as a link, and its open spans',
  () => onPage('#/process/100/tables', async (page) => {
    await seen(page, '[data-table=threads]');
    const row = await page.$eval('[data-table=threads] tbody tr', (e) => e.innerText);
    assert.ok(row.includes(`${hostile[1]} 7`) && row.includes(`serve › ${hostile[0]}`), row);
    await click(page, '[data-table=threads] td a');
    await until(page, () => /requests\?.*request=7/.test(location.hash));
  }));

await test('tables of an ended process say how it ended, and its last events',
  () => onPage('#/process/101/tables', async (page) => {
    await seen(page, '[data-table=domains]');
    const cells = (name) => page.$$eval(`[data-table=${name}] tr`, (rows) =>
      rows.slice(0, 2).map((row) => [...row.cells].map((cell) => cell.innerText)));
    assert.equal((await cells('domains'))[1][2], 'ended');
    const [head, row] = await cells('threads');
    assert.equal(head[4], 'Did');
    assert.equal(head[5], 'Had waited');
    assert.equal(head[6], 'Last event');
    assert.match(row[6], /^\d+\.\d{3}\s\d{3} s$/);
  }));

await test('the longest pauses of the chart are in view',
  () => onPage('#/process/100/charts', async (page) => {
    await page.setViewport({ width: 1200, height: 500 });
    await click(page, '.charts a[href*="table=pauses"]');
    await seen(page, '[data-table=pauses]');
    await until(page, () => document.querySelector('[data-table=pauses]')
      .getBoundingClientRect().top < innerHeight / 2);
    assert.equal(await page.$eval('[data-range=live]', (e) => e.innerText), 'The last 10.0 s');
  }));

await test('the time between two events: asked by filters, shown in the timeline',
  () => onPage('#/process/100/between', async (page) => {
    await seen(page, 'input[name=first]');
    await until(page, () => document.querySelector('datalist option'));
    const suggested = await page.evaluate(() =>
      [...document.querySelectorAll('datalist option')].map((o) => o.value));
    assert.deepEqual(suggested, ['checkout', 'name="my span"', hostile[0],
                                 'name="bad ?? bytes"', 'minor', 'name="wait>5ms"']);
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
      `${hostile[0]} in domain 1, \\x1b[31mred\\x1b[0m 4243`));
    await click(page, '[data-table=longest] a');
    await seen(page, 'canvas.timeline');
    assert.match(page.url(), /\/timeline\?.*&from=29998200000&to=30010800000&from_sel=30000000000&to_sel=30009001000$/);
  }));

await test('the time between two events: examples, of which a click shows the answer',
  () => onPage('#/process/100/between', async (page) => {
    await has(page, 'from one minor to the next');
    await click(page, '.note a');
    await seen(page, '.histogram');
    assert.deepEqual(await page.$$eval('input[type=search]', (all) =>
      all.map((input) => input.value)), ['minor', 'minor']);
    assert.equal((await values(page)).scope, 'domain');
  }));

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
  mock.completeFrom = 35e9;
  await page.click('.save [title="The events of the range that is held"]');
  await has(page, 'The rings had all events only from 35.000 s on. Saved as /store/shop.evr');
  mock.completeFrom = null;
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
        all.slice(0, 2).map((input) => input.value)), ['minor > 6.9ms', 'shop']);
    });
  } finally {
    mock.overwritten = false;
  }
});

await test('a filter of events that a rule can have leads to the rule', async () => {
  const offered = 'Add a rule that saves the next one';
  const view = (filter) => `#/process/100/events?last=10&filter=${encodeURIComponent(filter)}`;
  await onPage(view('minor'), async (page) => {
    for (const [filter, when] of [
      ['minor', 'minor'], ['longer-than=5ms name="my span"', 'my span > 5ms'],
      ['"my span" > 5ms', 'my span > 5ms'], ['minor>5ms', 'minor > 5ms']]) {
      await go(page, view(filter));
      await eventually(async () => assert.equal(await page.$eval('a[href^="#/rules?"]', (a) =>
        new URLSearchParams(a.hash.split('?')[1]).get('when')), when));
    }
    for (const filter of ['', 'mino*', 'minor domain=1', 'longer-than=1ms', '> 1ms',
      'a->b > 1ms', '"minor>5"', 'minor>1ms>2ms', hostile[0]]) {
      await go(page, view(filter));
      await until(page, (text, value) => !document.body.innerText.includes(text)
        && document.querySelector('.filter').value === value, offered, filter);
    }
  });
});

await test('the stacks of all threads, when the user asks',
  () => onPage('#/process/100/tables?last=10', async (page) => {
    await click(page, '.stacks button');
    await has(page, `Deadlock: front 4242, ${hostile[0]} 4243 wait for mutexes of each other.`);
    const threads = () => page.$$eval('.stacks details', (all) => all.map((d) =>
      [d.querySelector('summary').innerText, d.querySelectorAll('li').length]));
    assert.deepEqual(await threads(), [
      [`front 4242, domain 0: waits for a mutex, 0x1000, which ${hostile[0]} 4243 has`, 2],
      [`${hostile[0]} 4243, domain 0: waits for a mutex, 0x1000, which front 4242 has`, 2],
      ['shop 4244: in read of descriptor 3 (pipe:[1])', 30]]);
    assert.equal(await page.$eval('.stacks .ocaml', (e) => e.innerText),
                 '\\x1b[31mred\\x1b[0m shop.ml:12');
    await click(page, '.stacks details:last-child button');
    await until(page, () => document.querySelectorAll(
      '.stacks details:last-child li').length === 41);
    silent(page);
  }));

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
      /30.0 ms, from 40.000.000 s: threads had it for 12.0 ms; it was queued for 18.0 ms/);
    assert.deepEqual((await rows('request-work')).map(([kind, , ...numbers]) =>
      [kind, ...numbers].join(' ')), [
      'wait 1 8.00 ms 8.00 ms', 'span of the program 4 4.00 ms 1.00 ms',
      'all domains stopped 2 1.30 ms 1.00 ms', 'collector 2 800 µs 400 µs',
      'wait 1 500 µs –']);
    const fills = await page.$$eval('.runs rect', (all) => all.map((rect) =>
      [rect.querySelector('title').textContent, rect.style.fill]));
    assert.deepEqual(fills.filter(([title]) => title.startsWith('blocking section')),
                     [['blocking section: 8.00 ms', 'var(--blocking)']]);
    // A wait is over a stop, which did not hold it up, and that over a collection.
    assert.deepEqual([...new Set(fills.map(([, fill]) => fill))], [
      'var(--running)', 'var(--minor)', 'var(--stopped)', 'var(--blocking)']);
    assert.deepEqual(await page.$$eval('.one-request .legend li', (all) =>
      all.map((li) => li.innerText)), [
      'running', 'blocking section: system call, sleep', 'minor collection',
      'all domains stopped']);
    const links = await page.$$eval('.one-request a', (all) =>
      all.map((link) => link.getAttribute('href')));
    assert.deepEqual(links.slice(1).map((link) => link.replace(/.*\//, '')), [
      'timeline?request=7&from=39998500000&to=40031500001&from_sel=40000000000&to_sel=40030001000',
      'tables?from=39998500000&to=40031500001',
      'flame?request=7&from=39998500000&to=40031500001']);
    assert.match(await page.$eval('.one-request', (e) => e.innerText),
                 /Flame graph of 1 000 samples/);
    await go(page, links[3]);
    await has(page, 'of request 7 only');
    await eventually(() =>
      assert.ok(mock.requests.some((r) => /\/flame\?.*request=7/.test(r))));
  }));

await test('a request without a sample leads to the samples of its kind', async () => {
  mock.noSamples = true;
  try {
    await onPage('#/process/100/requests?last=all&request=7', async (page) => {
      await has(page, 'No sample was taken in it');
      assert.equal(await page.$eval('.one-request a[href*="/flame?"]', (a) =>
        new URLSearchParams(a.hash.split('?')[1]).get('requests')), hostile[0]);
    });
  } finally {
    mock.noSamples = false;
  }
});

await test('a request of which the ring has no events is marked, and its waits are told',
  () => onPage('#/process/100/requests?last=all', async (page) => {
    const row = '[data-table=slowest] tbody tr:nth-child(2)';
    await seen(page, row);
    const cells = await page.$eval(row, (tr) => [...tr.cells].map((c) => c.innerText));
    assert.match(cells[0], / 9 overwritten$/);
    assert.deepEqual(cells.slice(2, 7), ['4.00 ms', '2.00 ms', '8.00 ms',
      '6.00 ms', 'mutex wait 3.00 ms, others 2.00 ms, blocking section 1.00 ms']);
    await click(page, `${row} a`);
    await has(page, 'While they had it: in the collector 2.00 ms; waits: mutex wait 3.00 ms, '
              + 'others 2.00 ms, blocking section 1.00 ms; the rest they ran or waited too shortly');
    await has(page, 'The events of this time are no longer in the rings');
    // The rings of samples go back farther.
    await has(page, 'Flame graph of 1 000 samples');
    assert.equal(await page.$eval('.one-request .note a', (a) =>
      new URLSearchParams(a.hash.split('?')[1]).get('when')), 'checkout > 19ms');
    assert.equal(await page.$('.one-request .runs'), null);
  }));

await test('a request that goes on, or is overwritten, leads to its samples',
  () => onPage('#/process/100/requests?last=10&request=8', async (page) => {
    mock.categories.push('profile');
    try {
      await has(page, 'There is no end of this request');
      await until(page, () => document.querySelector('.one-request .note a')?.hash
        .endsWith('/flame?last=all&request=8'));
    } finally {
      mock.categories.pop();
    }
  }));

await test('a request that has not ended says what its thread does, and is asked for again',
  () => onPage('#/process/100/requests?last=all', async (page) => {
    await click(page, '[data-table=open] tbody a');
    await has(page, `4242 has it, waiting for 25.0 ms, in serve › ${hostile[0]}. 1.00 s so far`);
    const asked = () => mock.requests.filter((r) => r.includes('request=11')).length;
    const before = asked();
    await eventually(() => assert.ok(asked() > before + 1));
    await click(page, '.one-request a[href$="/tables?last=all"]');
    await seen(page, '[data-table=threads]');
  }));

await test('what a killed program had not ended', () => onPage(
  '#/process/101/requests?request=11', async (page) => {
    await has(page, 'It had not ended by the last event');
    await has(page, 'Requests without an end');
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
          if (view.startsWith('between'))
            await has(page, 'No event passes the filter minor.');
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
    assert.equal(facts['Until the last went on'], '300 µs (domain 1)');
    silent(page);
  }));

await test('a rule for the next stop goes by its own time, without that until all had arrived',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000' +
               '&sel=9,,,40020000000,40020450000,stop_the_world', async (page) => {
    await seen(page, '.pause .arrivals');
    assert.equal(await page.$eval('.pause a[href^="#/rules?"]', (a) =>
      new URLSearchParams(a.hash.split('?')[1]).get('when')), 'stop_the_world > 290us');
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
    await pause(500);
    assert.ok(count() >= before + 2);
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
      mock.overwritten = false;
      await go(page, '#/process/100/requests?from=39000000000&to=41000000000');
      await has(page, 'All events are there only from 40.0 s on');
      mock.overwritten = true;
      // Samples of processor time have rings of their own.
      await go(page, '#/process/100/flame?type=wall&from=1000000&to=2000000');
      await has(page, 'A link to this range, or a download of it, has none. A rule saves');
      await go(page, '#/process/100/flame?type=cpu&from=1000000&to=2000000');
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
      // An answer may come while the focus is elsewhere.
      if (await page.$eval(link, (e) => e.matches(':focus-visible'))) return;
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
