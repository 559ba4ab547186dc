// See walk.t.

import assert from 'node:assert/strict';
import { test, textOf, timeout } from './browser.js';
import { onPage, seen } from './page_kit.js';
import { views } from './views.js';

for (const [name, [hash, selector, first]] of Object.entries(views))
  await test(name, () => onPage(hash, async (page) => {
    if (first) await page.locator(first).setTimeout(timeout).click();
    await seen(page, selector);
    assert.doesNotMatch(await textOf(page), /\b(NaN|undefined|null)\b|\[object /);
  }));
