// Chromium for the tests of the page, and TAP.
//
//     test(NAME, FUNCTION)   passes when FUNCTION does not throw
//     finish()               prints the plan and ends the process

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const here = path.dirname(fileURLToPath(import.meta.url));
export const top = process.env.EVENTRING_TOP ?? path.join(here, '../..');
const build = process.env.EVENTRING_BUILD ?? path.join(top, '_build');
const folder = path.join(build, 'test/web');

// Brings the page up to date with its sources.  Returns the folder of its files.
export function buildPage() {
  const out = path.join(build, 'web');
  const { MAKEFLAGS, MFLAGS, MAKELEVEL, ...env } = process.env;
  execFileSync('make', ['-s', path.relative(top, path.join(out, 'monitor.js'))],
               { cwd: top, env, stdio: ['ignore', 2, 2] });
  return out;
}

// Brings the packages, by the hashes of the lock file.  Returns their folder.
export function packages() {
  fs.mkdirSync(folder, { recursive: true });
  execFileSync('flock', ['lock', 'sh', '-c', `
    cmp -s "$1/package-lock.json" installed || {
      cp "$1/package.json" "$1/package-lock.json" . &&
        npm ci --ignore-scripts --no-audit --no-fund >&2 &&
        cp package-lock.json installed
    }`, 'sh', here], { cwd: folder, stdio: ['ignore', 2, 2] });
  return path.join(folder, 'node_modules');
}

// Returns the path of the browser of the tests.
const chromium = () => execFileSync('sh', ['-c', '. "$0" && echo "$CHROMIUM"',
  path.join(here, 'chromium.sh')], { encoding: 'utf8' }).trim();

export function launch() {
  const puppeteer = createRequire(packages())('puppeteer-core');
  return puppeteer.launch({
    executablePath: chromium(), headless: true, timeout,
    // A page that is left must end its connections at once, of which a server has six.
    args: ['--no-sandbox', '--disable-gpu', '--no-proxy-server',
           '--disable-features=BackForwardCache'] });
}

// Opens [address] in a new tab.  The page's complaints (errors, violations of the
// policy of content, dialogs) are collected in page.complaints.
export async function open(browser, address, options) {
  const page = await browser.newPage();
  page.on('console', (message) => {
    // The tests read pixels, the page does not.
    if (['error', 'warn'].includes(message.type())
        && !message.text().startsWith('Canvas2D: Multiple readback'))
      page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  if (process.env.BROWSER_SLOWNESS)
    await page.emulateCPUThrottling(Number(process.env.BROWSER_SLOWNESS));
  // What a test looks at may not be there yet.
  const evaluate = page.$eval.bind(page);
  page.$eval = async (selector, ...rest) => {
    await page.waitForSelector(selector, { timeout });
    return evaluate(selector, ...rest);
  };
  await visit(page, address, options);
  return page;
}

// Loads [address] in [page], which has no complaints then.
export async function visit(page, address, options = {}) {
  const { width = 1280, height = 800, dark = false } = options;
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.mouse.move(0, 0);    // the page before may have left it elsewhere
  page.complaints = [];
  await page.goto(address, { waitUntil: 'load', timeout });
}

export const timeout = 60000;     // ms; the machine may be busy
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Waits until [condition], run in the page with [args], is true.  One that throws is not
// true yet: waitForFunction never asks again when the first call throws.
export async function until(page, condition, ...args) {
  try {
    await eventually(async () => assert.ok(await page.evaluate(condition, ...args)));
  } catch (error) {
    throw new Error(`not true in time: ${condition}\nThe page says:\n${
      await textOf(page)}`, { cause: error });
  }
}

// Waits until all buttons of [selector], by default those above the view of a
// process, of which there are some, are disabled because of [reason].
export const allDisabled = (page, reason, selector = '.quick button') =>
  until(page, (wanted, of) => {
    const buttons = [...document.querySelectorAll(of)];
    return buttons.length > 0
      && buttons.every((b) => b.disabled && b.title.includes(wanted));
  }, reason, selector);

// Waits for the element [selector], until it can be clicked, and clicks it.
export const click = (page, selector) =>
  page.locator(selector).setTimeout(timeout).click();

// Calls [check] until it does not throw.
export async function eventually(check) {
  const end = Date.now() + timeout;
  while (true)
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(50);
    }
}

// Carries out [action] again and again until [condition] is true in the page.
export async function retry(page, action, condition, ...args) {
  const end = Date.now() + timeout;
  while (!await page.evaluate(condition, ...args)) {
    assert.ok(Date.now() < end, String(condition));
    await action();
    await pause(500);
  }
}

export const textOf = (page) => page.evaluate(() => document.body.innerText);

let tests = 0;
let failed = 0;

export async function test(name, body) {
  tests++;
  try {
    await body();
    console.log(`ok ${tests} - ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok ${tests} - ${name}`);
    console.log(String(error.stack ?? error).replace(/^/gm, '# '));
  }
}

export function finish() {
  console.log(`1..${tests}`);
  process.exit(failed ? 1 : 0);
}

// Returns the JSON that the server at [address] answers to GET [path].
export async function ask(address, path) {
  const [origin, token] = address.split('/#token=');
  const response = await fetch(origin + path, {
    headers: { Authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200, path);
  return response.json();
}
