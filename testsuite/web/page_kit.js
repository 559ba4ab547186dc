// The page of eventring serve in a browser, with the server of mock.js: what the
// tests of its views have in common.

import assert from 'node:assert/strict';
import { Mock } from './mock.js';
import { buildPage, click, launch, open, timeout, until, visit } from './browser.js';

export const mock = new Mock(buildPage());
export const address = await mock.listen();
export const browser = await launch();

export const has = (page, text) =>
  until(page, (wanted) => document.body.innerText.includes(wanted), text);
export const go = (page, hash) => page.evaluate((h) => { location.hash = h; }, hash);
export const seen = (page, selector) =>
  page.waitForSelector(selector, { visible: true, timeout });
export const press = async (page, label, of = '.toolbar button') => {
  const find = (text, selector) => [...document.querySelectorAll(selector)]
    .find((b) => b.innerText === text);
  const button = await page.waitForFunction(find, { timeout }, label, of);
  await button.evaluate((b) => b.click());
};
// What the address has behind its question mark.
export const values = (page) => page.evaluate(() =>
  Object.fromEntries(new URLSearchParams(location.hash.split('?')[1])));
export const silent = (page) => assert.deepEqual(page.complaints, []);

// A tab with nothing in it, to be used again: a new one takes the processor as long as the
// page does.
let tab_left;

// Runs [body] with a page at [path] that was loaded for it, which must not complain.
export async function onPage(path, body, options) {
  const page = tab_left ?? await open(browser, 'about:blank');
  tab_left = undefined;
  try {
    await visit(page, address, options);
    if (path) await go(page, path);
    await body(page);
    silent(page);
    await page.goto('about:blank');
    tab_left = page;
  } finally {
    if (tab_left !== page) await page.close();
  }
}

// The same while the mock's clock stands still, 90 s after its start.
export async function atSecond90(path, body, options) {
  mock.held = mock.start + 90e3;
  try {
    await onPage(path, body, options);
  } finally {
    mock.held = null;
  }
}

// The parameters of the last request for [part].
export const lastAsked = (part) => Object.fromEntries(new URL(mock.requests.findLast(
  (r) => r.includes(`/${part}?`)).slice(4), 'http://x').searchParams);

// The last values of a chart, as it tells them to screen readers.
export const told = (page, title) => page.evaluate((start) =>
  document.querySelector(`.plot[aria-label^="${start}: "]`)
    ?.ariaLabel.slice(start.length + 2), title);

// Presses the button of the toolbar that begins with [text].
export const pushed = (page, text) => page.evaluate((start) =>
  [...document.querySelectorAll('.toolbar button')]
    .find((b) => b.innerText.startsWith(start)).click(), text);

export const tab = async (page, view) => {
  await click(page, `.tabs a[href*="/${view}"]`);
  await until(page, (name) => location.hash.includes(`/${name}`) &&
    document.querySelector('.tabs [aria-current]')?.href.includes(`/${name}`), view);
};
