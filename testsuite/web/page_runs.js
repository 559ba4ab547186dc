// Batches of runs, their comparison and their timeline: see page_tables.t.

import assert from 'node:assert/strict';
import { hostile } from './mock.js';
import { click, eventually, test, until } from './browser.js';
import { has, mock, onPage, press, seen, values } from './page_kit.js';

const asked = (part) => JSON.parse(new URL(mock.requests.findLast(
  (r) => r.includes(`/api/batches/${part}?`)).slice(4), 'http://x')
  .searchParams.get('groups'));

const rows = (page, name) => page.$$eval(`[data-table=${name}] tbody tr`, (all) =>
  all.map((row) => [...row.cells].map((cell) => cell.innerText.trim())));

await test('batches are listed, and their commands are chosen for a comparison',
  () => onPage('#/runs', async (page) => {
    await seen(page, '[data-table=batches]');
    const [first, broken] = await rows(page, 'batches');
    assert.deepEqual([first[0], ...first.slice(2, 5)], ['nightly', '24', '1', 'running']);
    assert.deepEqual([broken[1], broken[4]], ['–', 'cannot read batch.json']);
    const compare = 'Compare the chosen commands';
    const disabled = () => page.$$eval('.heading button', (all, text) =>
      all.find((b) => b.innerText === text).disabled, compare);
    for (const label of [hostile[0], 'stock']) {
      assert.equal(await disabled(), true);
      await page.$$eval('.command', (all, label) => all.find((e) =>
        e.innerText.trim().startsWith(label)).querySelector('input').click(), label);
      await until(page, (label) => [...document.querySelectorAll('.command')].find((e) =>
        e.innerText.trim().startsWith(label)).querySelector('input').checked, label);
    }
    assert.match(await page.$eval('[data-table=batches]', (e) => e.innerText),
                 /alert\(1\)<\/script> \(base\)/);
    await press(page, compare, '.heading button');
    await seen(page, '[data-table=figures]');
    assert.deepEqual(asked('comparison'), [`nightly:${hostile[0]}`, 'nightly:stock']);
  }));

await test('a batch has its runs, also failed and damaged ones',
  () => onPage('#/runs', async (page) => {
    await click(page, '[data-table=batches] a');
    await seen(page, '[data-table=runs]');
    assert.equal((await values(page)).batch, 'nightly');
    const list = await rows(page, 'runs');
    assert.deepEqual(list[0].slice(3), ['1.50 s', '1.20 s', '16.0 MiB', 'exit code 0']);
    assert.deepEqual(list.map((row) => row.at(-1)),
                     ['exit code 0', 'signal 11', 'it has no JSON']);
    const opens = '[data-table=runs] td button';
    assert.deepEqual(await page.$$eval(opens, (all) => all.map((b) => b.innerText)), ['1']);
    await click(page, opens);
    await seen(page, '.tabs');
    assert.match(await page.evaluate(() => location.hash), /^#\/process\/101\/charts/);
  }));

await test('a comparison has verdicts with intervals, and what was made otherwise',
  () => onPage('#/runs/comparison?groups=["nightly"]', async (page) => {
    await seen(page, '[data-table=figures]');
    assert.deepEqual(asked('comparison'), ['nightly']);
    await has(page, `few runs of ${hostile[0]}`);
    await has(page, 'Figures: 1 faster, 1 more, 1 without a difference, 1 undecided.');
    const [time, memory] = await rows(page, 'figures');
    assert.deepEqual([...time.slice(0, 4), ...time.slice(5)],
      ['wall_ns', '1.00 s', '950 ms', '−5 %', '−6 % to −4 %', '0.8 %', 'faster']);
    assert.deepEqual(memory.slice(0, 4),
                     ['total.allocated_words', '2M words', '2.08M words', '+4 %']);
    assert.deepEqual(await page.$$eval('[data-table=figures] tbody svg', (all) =>
      all.map((e) => e.getAttribute('class'))), ['interval better', 'interval changed']);
    assert.deepEqual(await rows(page, 'facts'), [['git.commit', 'aaaa', hostile[0]]]);
    await click(page, 'section details summary');
    await eventually(async () => assert.deepEqual(
      (await rows(page, 'others')).map((row) => row.at(-1)),
      ['no difference larger than 1.1 %', 'cannot say (run 8 more)']));
  }));

await test('a timeline has the first version after a change, and what may be its cause',
  () => onPage('#/runs/timeline?groups=["nightly"]', async (page) => {
    await seen(page, '.versions');
    assert.deepEqual(asked('timeline'), ['nightly']);
    await has(page, 'First after: v3 Change 3, or one from v2 to v4 (95 %)');
    assert.deepEqual(await rows(page, 'steps'),
                     [['wall_ns', '1.00 s', '1.05 s', '+5 %', '0.0040']]);
    assert.deepEqual(await rows(page, 'functions'), [[hostile[0], '10 %', '14 %', '0.010']]);
    await has(page, 'Not listed: 1 change too uncertain for 9 tests, 0 smaller than 0.1 %.');
    await has(page, `${'3'.repeat(12)} ${hostile[0]} (likely)`);
    await has(page, 'cd /src && eventring batch --commits=a..b -- ./shop');
    assert.equal(await page.$$eval('.versions', (all) => all.length), 1);
    assert.equal(await page.$$eval('.versions circle', (all) => all.length), 5);
  }));

await test('a server that is busy is asked again', async () => {
  mock.busy_once = true;
  await onPage('#/runs?batch=nightly', async (page) => {
    await has(page, 'busy: ask again later');
    await seen(page, '[data-table=runs]');
    page.complaints.length = 0;         // The browser reports the status 503
  });
});

await test('runs of different machines are compared when the reader says so', async () => {
  mock.otherMachines = true;
  try {
    await onPage('#/runs/comparison?groups=["nightly"]', async (page) => {
      await click(page, 'main a[href*="&other=1"]');
      await seen(page, '[data-table=figures]');
      assert.deepEqual(asked('comparison'), ['nightly']);
      page.complaints.length = 0;       // The browser reports the status 409
    });
  } finally {
    mock.otherMachines = false;
  }
});

await test('a refusal is shown, and a wrong address asks for no group',
  async () => {
    mock.fails.add('/api/batches/comparison');
    try {
      await onPage('#/runs/comparison?groups=["nightly"', async (page) => {
        await has(page, `failed as asked: ${hostile[0]}`);
        assert.deepEqual(asked('comparison'), []);
        page.complaints.length = 0;     // The browser reports the status 500
      });
    } finally {
      mock.fails.clear();
    }
  });
