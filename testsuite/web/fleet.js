// See fleet.t.  The environment has the address of the server.

import assert from 'node:assert/strict';
import process from 'node:process';
import {
  ask, click, eventually, finish, launch, open, test, until,
} from './browser.js';

const { ADDRESS: address } = process.env;
const browser = await launch();
const page = await open(browser, address);
const silent = () => assert.deepEqual(page.complaints.splice(0), []);
const cells = (name) => page.evaluate((which) =>
  [...document.querySelectorAll(`[data-table=${which}] tbody tr`)].map((row) =>
    [...row.children].map((cell) => cell.innerText.trim())), name);

await test('the hub lists the process of the agent', () => eventually(async () => {
  const { nodes, processes } = await ask(address, '/api/fleet');
  assert.deepEqual(nodes.map((n) => [n.node, n.joined, n.silent]),
                   [['web-1', true, false]]);
  assert.equal(processes.length, 1);
  assert.equal(processes[0].state, 'running');
  assert.ok(processes[0].bytes > 0);
}));

await test('the page has a link to the fleet, with its nodes and processes',
  async () => {
    await click(page, 'a[href="#/fleet"]');
    await until(page, () => document.querySelector('[data-table=fleet] button.link'));
    const [node] = await cells('nodes');
    assert.deepEqual(node.slice(0, 3), ['web-1', 'connected', '1']);
    const [row] = await cells('fleet');
    assert.deepEqual([row[0], row[1], row[3]], ['rounds', 'web-1', 'running']);
    if (process.env.SCREENSHOT)
      await page.screenshot({ path: process.env.SCREENSHOT });
    silent();
  });

await test('a click opens the recording, also when the server is read-only',
  async () => {
    await click(page, '[data-table=fleet] button.link');
    await until(page, () => document.body.innerText.includes('Utilisation'));
    await until(page, () => document.querySelector('.state')?.innerText === 'saved');
    const { processes } = await ask(address, '/api/processes');
    assert.equal(processes.length, 1);
    assert.ok(processes[0].now_ns > 0);
    silent();
  });

await test('a later click gets later events', async () => {
  const before = (await ask(address, '/api/processes')).processes[0];
  await eventually(async () => {
    await page.evaluate(() => { location.hash = '#/fleet'; });
    await until(page, () => document.querySelector('[data-table=fleet] button.link'));
    await click(page, '[data-table=fleet] button.link');
    await until(page, () => location.hash.startsWith('#/process/'));
    const { processes } = await ask(address, '/api/processes');
    assert.ok(processes.some((p) => p.now_ns > before.now_ns));
  });
  silent();
});

await test('names that are no names are refused', async () => {
  const token = new URL(address).hash.slice('#token='.length);
  for (const [body, status] of [
    [{}, 400], [{ node: '../hub', stream: 'a' }, 400],
    [{ node: 'web-1', stream: 'a/b' }, 400],
    [{ node: 'web-1', stream: 'nothing' }, 502]]) {
    const response = await fetch(new URL('/api/fleet', address), {
      method: 'POST', body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${token}` } });
    assert.equal(response.status, status, JSON.stringify(body));
  }
});

await browser.close();
finish();
