// See fleet_comparison.t.  The environment has the address of the server.

import assert from 'node:assert/strict';
import process from 'node:process';
import {
  ask, eventually, finish, launch, open, test, until,
} from './browser.js';

const { ADDRESS: address } = process.env;
const browser = await launch();
const page = await open(browser, address);
const silent = () => assert.deepEqual(page.complaints.splice(0), []);
const cells = (name) => page.evaluate((which) =>
  [...document.querySelectorAll(`[data-table=${which}] tbody tr`)].map((row) =>
    [...row.children].map((cell) => cell.innerText.trim())), name);

const comparison = () => ask(address, '/api/fleet/comparison');
const nodes = ['web-1', 'web-2', 'web-3'];

await test('the comparison has the figures of all nodes', () =>
  eventually(async () => {
    const { processes, unread, programs } = await comparison();
    assert.deepEqual([processes, unread], [4, 0]);
    assert.equal(programs.length, 1);
    assert.equal(programs[0].program, 'rounds');
    assert.deepEqual(programs[0].nodes.map((n) => [n.node, n.processes]),
                     [['web-1', 1], ['web-2', 2], ['web-3', 1]]);
    for (const { figures } of programs[0].nodes) {
      assert.ok(figures.longest_pause_ns >= figures.p99_pause_ns);
      assert.ok(figures.collecting > 0 && figures.collecting < 1);
      assert.ok(figures.alloc_bytes_per_s > 0);
      assert.equal(figures.lost, 0);
    }
  }));

await test('the node with the small minor heap differs, and its OCAMLRUNPARAM',
  () => eventually(async () => {
    const { outliers } = (await comparison()).programs[0];
    const found = outliers.find((o) => o.figure === 'collecting');
    assert.ok(found, JSON.stringify(outliers));
    assert.equal(found.node, 'web-3');
    assert.ok(found.value > 1.5 * found.median);
    assert.deepEqual(found.differs, [{ fact: 'OCAMLRUNPARAM',
                                       values: ['s=4k'], others: [] }]);
  }));

await test('versions are told apart by the build id', async () => {
  const { versions } = await comparison();
  assert.deepEqual(versions.map((v) => v.processes).sort(), [1, 3]);
  const [one, three] = versions.sort((a, b) => a.processes - b.processes);
  assert.deepEqual(one.nodes, ['web-2']);
  assert.deepEqual(three.nodes.sort(), nodes);
  assert.match(one.build_id, /^[0-9a-f]{16,}$/);
  assert.notEqual(one.build_id, three.build_id);
  assert.ok(one.figures.collecting > 0);
});

await test('the page shows nodes side by side, outliers and versions', async () => {
  await page.evaluate(() => { location.hash = '#/fleet'; });
  await until(page, () => document.querySelectorAll(
    '[data-table=comparison] tbody tr').length === 3);
  assert.deepEqual((await cells('comparison')).map((row) => row[0]), nodes);
  await until(page, () => document.querySelector('.outliers') &&
    document.querySelector('[data-table=comparison] .outlier'));
  const marked = await page.evaluate(() =>
    [...document.querySelectorAll('[data-table=comparison] .outlier')].map(
      (cell) => cell.closest('tr').children[0].innerText.trim()));
  assert.ok(marked.includes('web-3'));
  const text = await page.evaluate(() =>
    document.querySelector('.outliers').innerText);
  assert.match(text, /web-3: collecting [\d.]+ %, median of all nodes/);
  assert.match(text, /Only there: OCAMLRUNPARAM s=4k \(others: not set\)/);
  assert.equal((await cells('versions')).length, 2);
  if (process.env.SCREENSHOT)
    await page.screenshot({ path: process.env.SCREENSHOT, fullPage: true });
  silent();
});

await browser.close();
finish();
