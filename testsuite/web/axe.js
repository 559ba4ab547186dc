// See axe.t.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { Mock } from './mock.js';
import { buildPage, finish, launch, open, packages, pause, test, timeout } from './browser.js';
import { views } from './views.js';

const axe = fs.readFileSync(path.join(packages(), 'axe-core/axe.min.js'), 'utf8');
const mock = new Mock(buildPage());
const address = await mock.listen();
const browser = await launch();

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((n) =>
      `${n.target.join(' ')} ${n.any.map((a) => a.message).join(' ')}`).join('; ')}`);
}

// What has -1 is one of a row that the arrow keys go through.
const controls = 'a[href], button, input, select, summary, textarea'.split(', ')
  .map((name) => `${name}:not([tabindex="-1"])`).join();
// A drag in these has keys of the chart around it, and of the timeline.
const dragged = '.u-wrap, .u-over, .minimap';
const pointer = ['change', 'click', 'input', 'mousedown', 'pointerdown'];

// Presses Tab until it has gone round, and returns the elements that a pointer can use, by
// themselves or by a listener, and that Tab did not reach, nor an element in them.
async function notReached(page) {
  await page.evaluate(() => { globalThis.reached = new Set(); });
  const isNew = () => page.evaluate(() => {
    const { activeElement, body } = document;
    const found = activeElement !== body && !globalThis.reached.has(activeElement);
    if (found) globalThis.reached.add(activeElement);
    return found;
  });
  const goRound = async () => {
    do await page.keyboard.press('Tab'); while (await isNew());
  };
  await goRound(); // From where the focus was to the end
  await goRound();
  const client = await page.createCDPSession();
  const ask = (method, values) => client.send(method, values);
  const { result: { objectId } } = await ask('Runtime.evaluate', { expression: `
    [...document.body.querySelectorAll('*:not([tabindex="-1"], ${dragged})')].filter((e) => e.checkVisibility() &&
      !e.disabled && ![...reached].some((r) => e.contains(r)))` });
  const { result } = await ask('Runtime.getProperties', { objectId, ownProperties: true });
  const found = [];
  for (const { name, value } of result.filter((r) => /^\d+$/.test(r.name))) {
    const { listeners } = await ask('DOMDebugger.getEventListeners', value);
    if (listeners.some(({ type }) => pointer.includes(type))) found.push(value.description);
  }
  await client.detach();
  return found.concat(await page.$$eval(controls, (all) => all.filter((e) =>
    e.checkVisibility() && !e.disabled && !globalThis.reached.has(e))
    .map((e) => e.outerHTML.slice(0, 80))));
}

for (const dark of [false, true])
  for (const [name, [hash, selector, first]] of Object.entries(views))
    await test(`${name}, ${dark ? 'dark' : 'light'}`, async () => {
      const page = await open(browser, address, { dark });
      try {
        await page.evaluate((h) => { location.hash = h; }, hash);
        if (first) await page.locator(first).setTimeout(timeout).click();
        await page.waitForSelector(selector, { visible: true, timeout });
        await pause(300);
        assert.deepEqual(await violations(page), []);
        if (!dark) assert.deepEqual(await notReached(page), []);
      } finally {
        await page.close();
      }
    });

await browser.close();
mock.close();
finish();
