// See store.t.  The environment has the address of the server, ORDERS, the pipe
// to the program, ANSWERS, its output, and STORE.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import process from 'node:process';
import {
  ask, click, eventually, finish, launch, open, pause, test, textOf, timeout, until,
} from './browser.js';

const { ADDRESS: address, ORDERS: orders, ANSWERS: answers, STORE: store,
        EVENTRING_BIN: command } = process.env;
const browser = await launch();
const downloads = fs.mkdtempSync(`${store}-downloads-`);
await (await browser.target().createCDPSession()).send(
  'Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads });
const api = (path) => ask(address, path);

const holds = (condition) => eventually(async () =>
  assert.ok(await condition(), String(condition)));

// Has the program carry out [order], and waits until it has.
async function tell(order) {
  const count = () => fs.readFileSync(answers, 'utf8').split('\n').length;
  const before = count();
  fs.writeFileSync(orders, `${order}\n`);
  await holds(() => count() > before);
}

await holds(async () => (await api('/api/processes')).processes.length === 1);
const { processes: [{ id }] } = await api('/api/processes');
const page = await open(browser, address);
const has = (text) =>
  until(page, (wanted) => document.body.innerText.includes(wanted), text);
const go = (hash) => page.evaluate((h) => { location.hash = h; }, hash);
const seen = (selector) =>
  page.waitForSelector(selector, { visible: true, timeout });
// At once: buttons are disabled for a moment while another view opens its stream.
const press = (text) => until(page, (label) => {
  const button = [...document.querySelectorAll('main button')]
    .find((b) => b.innerText === label && !b.disabled);
  button?.click();
  return button !== undefined;
}, text);
const rows = (name) => page.evaluate((which) =>
  [...document.querySelectorAll(`[data-table=${which}] tbody tr`)].map((row) =>
    [...row.children].map((cell) => cell.innerText.trim())), name);
const silent = () => assert.deepEqual(page.complaints.splice(0), []);

await test('the list of saved recordings is empty, and says how to fill it',
  async () => {
    await has('slow');
    await go('#/saved');
    await has('Nothing is saved yet');
    silent();
  });

await test('a recording is started and stopped', async () => {
  await go(`#/process/${id}/charts`);
  await press('Record to a file');
  await has('A recording has begun');
  await tell('work 1500');
  await until(page, () =>
    /End the recording/.test(document.querySelector('.record').innerText));
  await click(page, '.record');
  await has('Saved ');
  await has('Record to a file');
  const [file] = fs.readdirSync(store);
  assert.match(execFileSync(command, ['check', `${store}/${file}`],
                            { encoding: 'utf8' }), /balanced/);
  silent();
});

await test('it is listed, with the number of its events', async () => {
  await go('#/saved');
  await seen('[data-table=saved] a');
  const { saved: [{ events }] } = await api('/api/saved');
  const [row] = await rows('saved');
  assert.equal(row[1], 'slow');
  assert.equal(Number(row[5].replace(/\D/g, '')), events);
  assert.equal(row[8], 'by hand');
  silent();
});

await test('it gets a note and another name, and is downloaded as it is', async () => {
  const [old] = fs.readdirSync(store);
  const whole = fs.readFileSync(`${store}/${old}`);
  await click(page, `[aria-label="Add a note ${old}"]`);
  await page.type('input[name=note]', 'a first try');
  await page.keyboard.press('Enter');
  await has('a first try');
  await click(page, `[aria-label="Rename ${old}"]`);
  await page.locator('input[name=rename]').fill('first try.evr');
  await page.keyboard.press('Enter');
  await click(page, '[aria-label="Download first try.evr"]');
  await has('Downloaded firsttry.evr');
  await eventually(() => assert.ok(
    fs.readFileSync(`${downloads}/firsttry.evr`).equals(whole)));
  assert.equal((await rows('saved'))[0][10].startsWith('a first try'), true);
  silent();
});

await test('it is opened like a process', async () => {
  await click(page, '[data-table=saved] a');
  await has('Utilisation');
  await until(page, () => /\d\d:\d\d:\d\d/.test(
    document.querySelector('.chart .u-legend')?.innerText ?? ''));
  assert.equal(new URL(page.url()).hash.includes(id), false);
  await seen('.histogram');
  assert.equal(await page.$eval('.state', (e) => e.innerText), 'saved');
  await click(page, '.menu summary');
  await press('Chrome trace');
  await has('Downloaded slow-');
  await eventually(() => {
    const name = fs.readdirSync(downloads).find((f) => f.endsWith('.json'));
    JSON.parse(fs.readFileSync(`${downloads}/${name}`));
  });
  assert.equal(await page.$('.quick'), null);
  silent();
});

await test('a rule is added, fires, and its recording is listed', async () => {
  await go('#/rules');
  await page.type('input[name=when]', 'minor > 5ms');
  await page.$eval('input[name=after_s]', (e) => { e.value = '0.2'; });
  await press('Add the rule');
  await has('The rule is added');
  await has('1 process is watched');
  await tell('minor 6000000');
  await until(page, () =>
    /\.evr/.test(document.querySelector('[data-table=rules] tbody a')?.innerText));
  const [row] = await rows('rules');
  assert.deepEqual(row.slice(0, 2), ['minor > 5ms', 'all']);
  assert.deepEqual(row.slice(6, 8), ['1', '1']);
  await go('#/saved');
  await has('rule minor > 5ms');
  silent();
});

await test('a wrong rule is refused with a reason', async () => {
  await go('#/rules');
  await seen('input[name=when]');
  await page.$eval('input[name=when]', (e) => { e.value = ''; });
  await page.type('input[name=when]', 'minor > soon');
  await press('Add the rule');
  await has("'soon' is not a time");
  assert.ok(page.complaints.splice(0).every((c) => c.includes('400')));
});

await test('the text of a rule is text', async () => {
  const text = '<img src=x onerror=alert(1)>';
  await page.$eval('input[name=when]', (e) => { e.value = ''; });
  await page.type('input[name=when]', `${text} > 1ms`);
  await press('Add the rule');
  await has(text);
  assert.equal(await page.$('img[src=x]'), null);
  silent();
});

await test('rules are deleted', async () => {
  for (let left = 2; left > 0; left--) {
    await click(page, '[data-table=rules] td button');
    await until(page, (n) =>
      document.querySelectorAll('[data-table=rules] tbody tr').length === n,
                left - 1);
  }
  assert.deepEqual((await api('/api/rules')).rules, []);
  silent();
});

// A number as the page shows it.
function shown(text) {
  const factors = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, '%': 0.01, B: 1,
                    KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, '': 1 };
  const [, number, unit] = /^<?([\d. ]+?) ?([^\d /]*)(\/s)?$/.exec(text);
  return Number(number.replaceAll(' ', '')) * factors[unit];
}

// A change as the page shows it, as a factor.
function factor(text) {
  const number = Number(text.replace('−', '-').replace(/[×% +]/g, ''));
  return text.startsWith('×') ? number : 1 + number / 100;
}

await test('a recording of a window is sound, and is deleted after a question',
  async () => {
    const { saved: [link] } = await api('/api/saved');
    const { process: { started_ns }, first_ns } = JSON.parse(
      execFileSync(command, ['stat', '--json', link.path], { encoding: 'utf8' }));
    const from = Math.floor((first_ns - started_ns) / 1e6) * 1e6;
    const to = from + 1e9;
    await go(`#/process/${link.id}/tables?from=${from}&to=${to}`);
    await click(page, '.menu summary');
    await press('Recording');
    const end = [from, to].map((ns) => `-${(ns / 1e9).toFixed(3)}s`).join('') + '.evr';
    await eventually(() => {
      const name = fs.readdirSync(downloads).find((f) => f.endsWith(end));
      assert.ok(name);
      assert.match(execFileSync(command, ['check', `${downloads}/${name}`],
                                { encoding: 'utf8' }), /events/);
    });
    fs.copyFileSync(link.path, `${store}/copy.evr`);
    await go('#/saved');
    await click(page, '[aria-label="Delete copy.evr"]');
    await click(page, 'dialog .delete');
    await until(page, () => !document.querySelector('main').innerText
      .includes('copy.evr'));
    assert.ok(!fs.existsSync(`${store}/copy.evr`));
    silent();
  });

await test('two recordings are compared: the table has the numbers of the server',
  async () => {
    await go('#/saved');
    await seen('[data-table=saved] input');
    for (const box of await page.$$('[data-table=saved] input')) await box.click();
    await press('Compare the two that are chosen');
    await seen('[data-table=differences-total]');
    const [, , a, b] = page.url().split('/').slice(-4);
    const { differences } = await api(`/api/compare?a=${a}&b=${b}`);
    const table = await rows('differences-total');
    let compared = 0;
    for (const [name, measure, ...values] of table) {
      const wanted = differences.find((d) => d.group === 'total' &&
        d.name === name && d.measure === measure);
      assert.ok(wanted, name);
      ['a', 'b'].forEach((key, i) => {
        if (wanted[key] === null || values[i].startsWith('<')) return;
        compared++;
        assert.ok(Math.abs(shown(values[i]) - wanted[key]) <=
                  0.0051 * wanted[key] + 0.051, `${name}: ${values[i]}`);
      });
      const change = wanted.b / wanted.a;
      if (wanted.a && wanted.b !== null)
        assert.ok(Math.abs(factor(values[2]) - change) <= 0.051 * change + 0.0006,
                  `${name}: ${values} for ${wanted.a}, ${wanted.b}`);
    }
    assert.ok(compared >= 10, String(compared));
    silent();
  });

await test('charts of both lie on each other', async () => {
  await seen('.chart canvas');
  await until(page, () => [...document.querySelectorAll('.chart .u-legend')]
    .every((l) => /A/.test(l.innerText) && /B/.test(l.innerText)));
  assert.equal((await page.$$('.chart')).length, 6);
  silent();
});

await test('a recording is compared with the live process', async () => {
  await go('#/saved');
  await seen('[data-table=candidates] input');
  await click(page, '[data-table=saved] input');
  await click(page, '[data-table=candidates] input');
  await press('Compare the two that are chosen');
  await seen('[data-table=differences-total]');
  const text = await textOf(page);
  assert.ok(text.includes(', recording,') && text.includes(', ring,'));
  silent();
});

await test('an address that names nothing shows the reason', async () => {
  await go('#/compare/0000000000000000/1111111111111111');
  await has('there is no such process');
  page.complaints.splice(0);
  await go('#/constructor');
  await has('running');
  silent();
});

for (const width of [400, 1280])
  await test(`nothing is wider than ${width} pixels`, async () => {
    await page.setViewport({ width, height: 800 });
    const { saved: [{ id: other }] } = await api('/api/saved');
    for (const place of ['saved', 'rules', `compare/${other}/${id}`]) {
      await go(`#/${place}`);
      await seen('main h1');
      await pause(700);
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/${
          place.split('/')[0]}-${width}.png`, fullPage: true });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <=
        innerWidth), place);
    }
  });

await browser.close();
finish();
