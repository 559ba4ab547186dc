// See page_timeline.t.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as format from '../../web/src/format.js';
import { waitColour } from '../../web/src/waits.js';
import { hostile } from './mock.js';
import { click, eventually, retry, test, textOf, top, until } from './browser.js';
import {
  mock, address, has, go, seen, press, values, silent, onPage, atSecond90, lastAsked,
  pushed } from './page_kit.js';

const windows = () => mock.requests.filter((r) => r.includes('/timeline?'))
  .map((r) => new URL(r.slice(4), 'http://x').searchParams)
  .map((p) => Number(p.get('to')) - Number(p.get('from')));

// The parameters of the last request for [part] of the process.
// The height of all lanes, in pixels: 14 a row, 6 a lane and 24 the ruler.
const lanesHeight = (page) => page.$eval('.lanes .all', (e) => e.clientHeight);
// Waits until the lanes are [height] pixels high and the canvas is drawn in its size.
const lanesAre = (page, height) => until(page, (wanted) => {
  const canvas = document.querySelector('canvas.timeline');
  return document.querySelector('.lanes .all').clientHeight === wanted
    && canvas.height === Math.round(canvas.clientHeight * devicePixelRatio);
}, height);
// The mock's coarsest rows begin at 10 s.
const historyLoaded = (page) => until(page, () => document.querySelector('.minimap')
  .ariaLabel.startsWith('All of the time, 10.0 s'));

await test('the timeline zooms from a minute to a microsecond, by keys and wheel',
  () => onPage('#/process/100/timeline?from=30000000000&to=90000000000', async (page) => {
    mock.requests.length = 0;
    const canvas = await seen(page, 'canvas.timeline');
    await historyLoaded(page);
    await canvas.focus();
    // A press a long time after the one before is a request of its own.
    let slow = 0;
    let before = Date.now();
    for (let i = 0; i < 26; i++) {
      const began = Date.now();
      await page.keyboard.press('+');
      slow += Date.now() - before >= 50;
      before = began;
    }
    await has(page, '894 ns');
    const { x, y } = await canvas.boundingBox();
    await page.mouse.move(x + 600, y + 100);
    await page.mouse.wheel({ deltaY: 400 });
    await has(page, '2.43 µs');
    await eventually(() =>
      assert.ok(Math.min(...windows()) < 5000, String(windows())));
    assert.ok(windows().length < 10 + slow,
              `keys in quick succession are one request: ${windows()}, ${slow}`);
  }));

await test('a click on a pause shows cause, requester, arrivals and events',
  () => onPage('#/process/100/timeline?from=40000000000&to=40002000000', async (page) => {
    const canvas = await seen(page, 'canvas.timeline');
    const { x, y } = await canvas.boundingBox();
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 14 + 7),
                () => document.querySelector('.chosen') !== null);
    await seen(page, '.arrivals');
    const text = await textOf(page);
    for (const word of ['domain 1', '150 µs', 'stop_the_world', 'Promoted'])
      assert.ok(text.includes(word), word);
    await seen(page, 'tr.marked');
    const chosen = () => page.$eval('.chosen', (e) => e.innerText);
    const before = await chosen();
    assert.ok(before.startsWith('minor (collector)'), before);
    const asked = windows().length;
    await canvas.focus();
    await page.keyboard.press('-');
    await until(page, () => /4\.00 ms/.test(
      document.querySelector('.toolbar:not(.range)').innerText));
    for (let i = 0; windows().length <= asked && i < 300; i++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await chosen(), before, 'another answer has other names');
  }));

await test('a click on a span of the end of the data holds the timeline',
  () => onPage('#/process/100/timeline?last=1', async (page) => {
    const canvas = await seen(page, 'canvas.timeline');
    const range = () => page.$eval('[data-range]', (e) => e.dataset.range);
    assert.equal(await range(), 'live');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const { x, y } = await canvas.boundingBox();
    // A collection is hit within two pixels; they are some nine pixels apart.
    for (let i = 0; i < 100 && !await page.$('.chosen'); i++) {
      await page.mouse.click(x + 400 + 3 * i, y + 24 + 2 * 14 + 7);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await seen(page, '.chosen');
    await until(page, () =>
      document.querySelector('[data-range]').dataset.range === 'fixed');
    // It follows again, and goes on to follow.
    await press(page, '1 s');
    await until(page, () =>
      document.querySelector('[data-range]').dataset.range === 'live');
    const asked = windows().length;
    await eventually(() => assert.ok(windows().length > asked + 3));
    assert.equal(await range(), 'live');
  }));

await test('the timeline follows a live range although answers take longer than it stands still',
  () => onPage('#/process/100/timeline?last=10', async (page) => {
    const shown = () => page.$eval('.toolbar:not(.range) .quiet', (e) => e.innerText);
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    mock.slow.add('timeline');
    try {
      await eventually(() => assert.equal(mock.waiting.length, 1));
      for (let moves = 0, last = await shown(); moves < 2; moves++, last = await shown())
        await eventually(async () => assert.notEqual(await shown(), last));
      // Neither cancelled nor asked twice
      assert.equal(mock.waiting.length, 1);
    } finally {
      mock.release();
    }
    const { to } = lastAsked('timeline');
    await eventually(() => assert.ok(Number(lastAsked('timeline').to) > Number(to)));
  }));

await test('four domains fit into the window; backup threads and rows without spans take '
  + 'no room', () => onPage('#/process/100/timeline?from=40000000000&to=40100000000',
  async (page) => {
    await seen(page, 'canvas.timeline');
    // Waits, stops, collections, spans and requests
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const { y, height } = await (await seen(page, '.lanes')).boundingBox();
    await seen(page, '.minimap');
    assert.ok(y + height <= 900, `${y} ${height}`);
    assert.ok(await page.$eval('.lanes', (e) => e.scrollHeight <= e.clientHeight));
    await pushed(page, 'Backup threads');
    await lanesAre(page, 24 + 4 * (5 * 14 + 6) + 2 * (14 + 6));
    assert.equal((await values(page)).backup, '1');
    await page.reload();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6) + 2 * (14 + 6));
    assert.equal(await page.$$eval('section .hint', (all) => all.length), 1);
    assert.ok(await page.$eval('section .hint', (e) => e.clientHeight < 24));
  }, { height: 900 }));

await test('lanes keep their rows while the user pans',
  () => onPage('#/process/100/timeline?from=40000000000&to=40001000000', async (page) => {
    const canvas = await seen(page, 'canvas.timeline');
    const all = 24 + 4 * (5 * 14 + 6);
    await lanesAre(page, all);
    await canvas.focus();
    // 5 ms later there are no stops and no collections.
    for (let i = 0; i < 25; i++) await page.keyboard.press('ArrowRight');
    await eventually(() => assert.ok(lastAsked('timeline').from > 40.003e9));
    assert.equal(await lanesHeight(page), all);
    await go(page, '#/process/100/timeline?from=40005000000&to=40006000000');
    await page.reload();
    await lanesAre(page, 24 + 4 * (3 * 14 + 6));
  }));

await test('lanes are hidden and pinned by the keyboard, as the address says',
  () => onPage('#/process/100/timeline?from=40000000000&to=40002000000', async (page) => {
    await seen(page, 'canvas.timeline');
    const lane = 5 * 14 + 6;
    await lanesAre(page, 24 + 4 * lane);
    await pushed(page, 'Lanes');
    await (await seen(page, '.lane-list input')).focus();
    await page.keyboard.press('Space');
    await lanesAre(page, 24 + 3 * lane);
    await (await page.$('.lane-list li:nth-child(4) button')).focus();
    await page.keyboard.press('Enter');
    await until(page, () => location.hash.includes('pin='));
    const { hide, pin } = await values(page);
    assert.deepEqual([hide, pin], ['0.4242', '3.4245']);
    await page.reload();
    await lanesAre(page, 24 + 3 * lane);
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 14 + 7),
                () => document.querySelector('.chosen') !== null);
    assert.match(await page.$eval('.chosen', (e) => e.innerText),
                 /minor \(collector\) in bad/);
    await has(page, 'Lanes (1 hidden)');
  }));

await test('an event leads to its span, also in the lane of a backup thread, or to its lane',
  () => onPage('#/process/100/events?from=40000000000&to=40020000000&filter=minor',
  async (page) => {
    await seen(page, '.log tbody a');
    const { sel } = Object.fromEntries(new URLSearchParams(await page.$eval(
      '.log tbody tr:last-child a', (a) => a.hash.split('?')[1])));
    assert.equal(sel, '0,4242,,40000000000,40000400000,minor');
    const place = '#/process/100/timeline?from=40000000000&to=40002000000&sel=';
    const lane = 5 * 14 + 6;
    const chosenIs = (text) => until(page, (wanted) => document.querySelector('.chosen')
      ?.innerText.includes(wanted), text);
    await go(page, place + encodeURIComponent(sel));
    await chosenIs(`minor (collector) in ${format.name(hostile[0])} 4242`);
    await lanesAre(page, 24 + 4 * lane);
    await go(page, place + encodeURIComponent(sel.replace('4242', '5242')));
    await chosenIs('minor (collector) in backup 5242: 400 µs');
    await lanesAre(page, 24 + 4 * lane + 14 + 6);
    // The begin of a span
    await go(page, place + encodeURIComponent('0,4242,,40000000000,40000000000,minor'));
    await chosenIs(`minor (collector) in ${format.name(hostile[0])} 4242: 400 µs`);
    await go(page, place + encodeURIComponent(
      '0,5242,,40001000000,40001000000,slice of, the world'));
    await chosenIs('slice of, the world in backup 5242, at 40.001');
    await chosenIs('the timeline has no span of it; it is outlined over its lane');
    // What was recorded before it, and a rule for the next one.
    const before = () => page.evaluate(() => document.querySelector('.pause .log tbody tr')
      ?.cells[0].innerText);
    await eventually(async () => assert.equal(await before(), format.moment(40.00045e9, 1)));
    assert.equal(await page.$eval('.pause h3 a', (a) =>
      new URLSearchParams(a.hash.split('?')[1]).get('when')), 'slice of, the world');
    // Also of a wait.
    await go(page, place + encodeURIComponent('0,4242,2,40000000000,40008000000'));
    await chosenIs('blocking_section (wait)');
    await until(page, () => document.querySelector('.pause h3 a')?.hash
      .includes('blocking_section+%3E+7.9ms'));
  }));

await test('a click in the ruler tells what each thread does at this moment',
  () => onPage('#/process/100/timeline?from=40010000000&to=40012000000', async (page) => {
    const { x, y, width } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const rows = () => page.$$eval('[data-table=moment] tbody tr', (all) =>
      all.map((row) => [...row.cells].slice(1).map((c) => c.innerText)));
    await page.mouse.click(x + 150 + 0.75 * (width - 150), y + 10);
    await until(page, () => /at=40011[45]/.test(location.hash));
    await seen(page, '[data-table=moment]');
    const inside = `checkout, ${format.name(hostile[0])}`;
    assert.deepEqual(await rows(), [
      ['0', 'running', '–', '–', inside],
      ['1', 'stop the world', format.moment(40e9, 1e3), '20.0 ms', inside],
      ['2', 'running', '–', '–', inside], ['3', 'running', '–', '–', inside]]);
    await go(page, '#/process/100/timeline?from=40010000000&to=40012000000&at=40010200000');
    await eventually(async () => assert.deepEqual((await rows())[0],
      ['0', 'stop the world', format.moment(40.01e9, 1e3), '300 µs', 'checkout']));
    // Of a wait of 5 s, the answer has two.
    await go(page, '#/process/100/timeline?from=62000000000&to=63000000000&at=62531900000');
    await eventually(async () => assert.deepEqual(
      (await rows()).find(([domain]) => domain === '3'), ['3', 'mutex wait',
      `before ${format.moment(61.5319e9, 1e3)}`, 'over 2.00 s', 'checkout']));
    await go(page, '#/process/100/timeline?from=40010000000&to=40012000000&at=40010200000');
    await eventually(async () => assert.equal((await rows())[0]?.[4], 'checkout'));
    // The buttons keep what is chosen in the middle.
    await pushed(page, '100 µs');
    await until(page, () => /from=40010150000&to=40010250000/.test(location.hash));
    await (await page.$('canvas.timeline')).focus();
    await page.keyboard.press('Escape');
    await until(page, () => !location.hash.includes('at=')
      && !document.querySelector('.moment'));
    await page.mouse.move(1, 1);
    await page.keyboard.press('x');
    await until(page, () => location.hash.includes('at=40010200000'));
  }));

await test('a thread of a domain that stands still for a stop does not run',
  () => onPage('#/process/100/timeline?from=40010000000&to=40012000000', async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const tooltip = async (lane) => {
      await page.mouse.move(x + 900, y + 24 + lane * (5 * 14 + 6) + 7);
      return page.evaluate(() => document.querySelector('.tooltip')?.innerText.split('\n'));
    };
    await eventually(async () => {
      assert.equal((await tooltip(0))[0], 'running');
      assert.deepEqual((await tooltip(1)).slice(0, 2),
                       ['stop_the_world', 'all domains stopped, 20.0 ms']);
    });
    silent(page);
  }));

await test('the line and the tooltip say what is under the pointer, and the picture is not '
  + 'drawn again', () => onPage('#/process/100/timeline?from=40000000000&to=40002000000',
  async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const at = async (dx, dy) => {
      await page.mouse.move(x + dx, y + dy);
      await until(page, (left) =>
        document.querySelector('.crosshair')?.style.left === left, `${dx}px`);
      return page.evaluate(() => [document.querySelector('.crosshair').innerText,
        document.querySelector('.tooltip')?.innerText.split('\n')]);
    };
    await page.evaluate(() => {
      const { clearRect } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        window.drawings += this.canvas.className === 'timeline';
        clearRect.apply(this, box);
      };
    });
    // The size of the canvas is followed by one more drawing.
    await eventually(async () => {
      await page.evaluate(() => { window.drawings = 0; });
      await at(300, 300);
      const [time, lines] = await at(200, 24 + 2 * 14 + 7);
      assert.match(time, /^40\.000.0\d\d s$/);
      assert.deepEqual(lines, ['minor', 'collector, 400 µs',
        'from 40.000 000 000 s'.replace(/ (?=0)/g, '\u202f'),
        'cause: minor heap full', `${hostile[0]} 4242`]);
      assert.equal((await at(900, 24 + 2 * 14 + 7))[1], null);
      assert.equal(await page.evaluate(() => window.drawings), 0);
    });
    await page.mouse.move(x + 200, y - 20);
    await until(page, () => !document.querySelector('.crosshair'));
    await go(page, '#/process/100/timeline?from=19000000000&to=26000000000');
    await eventually(async () => assert.deepEqual(
      (await at(150 + Math.round((1128 - 32) * 5 / 7), 24 + 2 * 14 + 7))[1],
      ['paused', '3.00 s', `${hostile[0]} 4242`]));
  }));

await test('each kind of wait has a colour, and the legend has those that occur',
  () => onPage('#/process/100/timeline?from=40000000000&to=40040000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const legend = () => page.$$eval('.legend li', (all) => all.map((e) => e.innerText));
    assert.deepEqual(await legend(), [
      'running', 'blocking section: system call, sleep', 'waiting for a mutex',
      'waiting on a condition', 'waiting for the domain lock', 'minor collection',
      'collecting', 'all domains stopped', 'span of the program', 'request']);
    const colours = await page.evaluate(() => {
      // Reading the pixels twice is a warning of the browser.
      const { data } = document.querySelector('canvas.timeline').getContext('2d')
        .getImageData(240, 0, 1, 200);
      const hex = (y) => `#${[...data.slice(4 * y, 4 * y + 3)]
        .map((c) => c.toString(16).padStart(2, '0')).join('')}`;
      const named = (name) => getComputedStyle(document.documentElement)
        .getPropertyValue(`--${name}`).trim();
      // Below the text of a span, in the first rows of two lanes
      return [hex(24 + 12), named('blocking'), hex(24 + 76 + 12), named('mutex')];
    });
    assert.equal(colours[0], colours[1]);
    assert.equal(colours[2], colours[3]);
  }));

await test('the page knows the colour of each wait of the runtime', () => {
  const table = fs.readFileSync(`${top}/runtime/caml/eventring_events.tbl`, 'utf8');
  const waits = [...table.matchAll(/^COMPLETE\(\w+, \d+, WAIT, "(\w+)"/gm)]
    .map(([, name]) => name);
  assert.equal(waits.length, 8);
  assert.deepEqual(waits.filter((name) => waitColour(name) === 'waiting'), []);
});

// Returns the least distance of two colours (CIELAB) as readers see them that lack the
// cones for red or for green (the matrices of Machado and others), or none.
function leastDistance(colours) {
  const eyes = [[1, 0, 0, 0, 1, 0, 0, 0, 1],
    [0.152, 1.053, -0.205, 0.115, 0.786, 0.099, -0.004, -0.048, 1.052],
    [0.367, 0.861, -0.228, 0.28, 0.673, 0.047, -0.012, 0.043, 0.969]];
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const times = (m, v) => [0, 3, 6].map((i) => Math.max(0, Math.min(1,
    m[i] * v[0] + m[i + 1] * v[1] + m[i + 2] * v[2])));
  const lab = (rgb) => {
    const [x, y, z] = times([0.434, 0.376, 0.19, 0.213, 0.715, 0.072, 0.018, 0.109,
                             0.873], rgb).map(Math.cbrt);
    return [116 * y, 500 * (x - y), 200 * (y - z)];
  };
  const seenBy = (eye) => colours.map((hex) => lab(times(eye, [1, 3, 5].map((i) =>
    linear(parseInt(hex.slice(i, i + 2), 16) / 255)))));
  return Math.min(...eyes.flatMap((eye) => seenBy(eye).flatMap((a, i, all) =>
    all.slice(i + 1).map((b) => Math.hypot(...a.map((v, j) => v - b[j]))))));
}

await test('colour-blind readers can tell the colours of waits and of series apart, light and dark',
  async () => {
    for (const dark of [false, true])
      await onPage('', async (page) => {
        const colours = await page.evaluate(() => ['running', 'collecting', 'waiting',
          'blocking', 'mutex', 'condition', 'domain-lock', 'join', 'other-wait'].map(
          (name) => getComputedStyle(document.documentElement)
            .getPropertyValue(`--${name}`).trim()));
        assert.ok(leastDistance(colours) > 15, `${leastDistance(colours)}`);
        const series = await page.evaluate(() => Array.from({ length: 10 }, (_, i) =>
          getComputedStyle(document.documentElement)
            .getPropertyValue(`--series-${i + 1}`).trim()));
        assert.ok(leastDistance(series) > 12, `${leastDistance(series)}`);
        assert.ok(leastDistance(series.slice(0, 4)) > 20);
      }, { dark });
  });

await test('an arrow shows who had the domain lock at the end of the wait that is chosen or '
  + 'under the pointer, and who held the mutex at its begin',
  () => onPage('#/process/100/timeline?from=40000000000&to=40040000000&backup=1',
  async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6) + 2 * (14 + 6));
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    const arrows = (n) => until(page, (wanted) =>
      document.querySelectorAll('.arrows line').length === wanted, n);
    await arrows(0);
    await page.mouse.move(x + 200, y + 24 + 7);
    await arrows(1);
    await has(page, 'backup 5242 had the domain lock');
    const line = () => page.$eval('.arrows line', (e) =>
      ['x1', 'y1', 'y2'].map((name) => Math.round(e.getAttribute(name))));
    // 8 of 40 ms, from the second lane to the first
    assert.deepEqual(await line(), [150 + Math.round((1246 - 150) / 5), 24 + 76 + 7, 24 + 7]);
    await page.mouse.move(x + 200, y + 24 + 76 + 20 + 7);
    await has(page, `${hostile[0]} 4242 held the mutex when the wait began`);
    // 0 of 40 ms, from the first lane to the third
    assert.deepEqual(await line(), [150, 24 + 7, 24 + 76 + 20 + 7]);
    await page.mouse.move(x + 200, y + 24 + 2 * (76 + 20) + 7);
    await has(page, 'condition_wait');
    await arrows(0);
    await page.mouse.click(x + 200, y + 24 + 7);
    await until(page, () => document.querySelector('.chosen')?.innerText
      .includes('backup 5242 had the domain lock'));
    await page.mouse.move(x + 200, y - 30);
    await until(page, () => !document.querySelector('.tooltip'));
    await arrows(1);
    // Without the lane of the other thread there is no arrow.
    await pushed(page, 'Backup threads');
    await arrows(0);
  }));

await test('the map of all of the time has a window that can be dragged',
  () => atSecond90('#/process/100/timeline?from=40000000000&to=50000000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const { x, y, width } = await (await seen(page, '.minimap')).boundingBox();
    const window = () => page.$eval('.minimap .window', (e) => e.getBoundingClientRect()
      .toJSON());
    await historyLoaded(page);
    const before = await window();
    const all = mock.now() - 10e9;
    assert.ok(Math.abs((before.left - x) / width - 30e9 / all) < 0.02);
    assert.ok(Math.abs(before.width / width - 10e9 / all) < 0.02);
    await page.mouse.move(before.left + before.width / 2, y + 10);
    await page.mouse.down();
    await page.mouse.move(before.left + before.width / 2 - 200, y + 10, { steps: 4 });
    await page.mouse.up();
    const expected = 40e9 - 200 / width * all;
    await eventually(async () => assert.ok(
      Math.abs((await values(page)).from - expected) < 1e9, expected));
    const { from, to } = await values(page);
    assert.ok(Math.abs(to - from - 10e9) < 2);
    // A press outside of the window moves it there.
    await page.mouse.click(x + width * 0.8, y + 10);
    await eventually(async () => {
      const { from, to } = await values(page);
      const middle = (Number(from) + Number(to)) / 2;
      assert.ok(Math.abs(middle - 10e9 - 0.8 * (mock.now() - 10e9)) < 2e9, middle);
    });
  }));

await test('tracks below the lanes have the heap and the counters, and can be hidden',
  () => onPage('#/process/100/timeline?from=40000000000&to=41000000000', async (page) => {
    await seen(page, '.track');
    const labels = () => page.$$eval('.track', (all) => all.map((e) => e.ariaLabel));
    await eventually(async () => {
      const [heap, counter] = await labels();
      assert.match(heap, /^Major heap: \d+\.?\d* MiB, at most \d+\.?\d* MiB$/);
      assert.match(counter, /^<img src=x onerror=alert\(2\)>: \d+, at most \d+$/);
    });
    await pushed(page, 'Lanes');
    await click(page, '.lane-list li:last-child input');
    await until(page, () => document.querySelectorAll('.track').length === 1);
    await page.reload();
    await seen(page, '.track');
    await has(page, 'Lanes (1 hidden)');
    assert.equal((await labels()).length, 1);
    assert.ok((await values(page)).hide.startsWith('counter:%3Cimg'));
  }));

await test('a finger scrolls the page or moves the timeline, and two fingers zoom',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await page.setViewport({ width: 400, height: 700, hasTouch: true, isMobile: true });
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.$eval('canvas.timeline', (e) => e.scrollIntoView({ block: 'center' }));
    const { x, y } = await (await page.$('canvas.timeline')).boundingBox();
    const cdp = await page.createCDPSession();
    const touch = (type, ...points) => cdp.send('Input.dispatchTouchEvent', {
      type, touchPoints: points.map(([dx, dy], id) => ({ x: x + dx, y: y + dy, id })) });
    const before = await page.evaluate(() => scrollY);
    await touch('touchStart', [300, 150]);
    for (let i = 1; i <= 10; i++) await touch('touchMove', [300 - 10 * i, 150]);
    await touch('touchEnd');
    await eventually(async () => assert.ok((await values(page)).from > 40.02e9));
    assert.equal(await page.evaluate(() => scrollY), before);
    assert.equal(await page.$('.chosen'), null);
    await touch('touchStart', [200, 150], [240, 150]);
    for (let i = 1; i <= 10; i++)
      await touch('touchMove', [200 - 4 * i, 150], [240 + 4 * i, 150]);
    await touch('touchEnd');
    // Three times the distance
    await eventually(async () => {
      const { from, to } = await values(page);
      assert.ok(Math.abs((to - from) - 1e8 / 3) < 1e6, `${from} ${to}`);
    });
    const address = page.url();
    await touch('touchStart', [200, 150]);
    for (let i = 1; i <= 10; i++) await touch('touchMove', [200, 150 + 8 * i]);
    await touch('touchEnd');
    await until(page, (top) => scrollY < top - 20, before);
    assert.equal(page.url(), address);
  }));

await test('? lists the keys, and Esc closes the list',
  () => onPage('#/process/100/timeline', async (page) => {
    await (await seen(page, 'canvas.timeline')).focus();
    await page.keyboard.press('?');
    await seen(page, 'dialog.keys[open]');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('dialog.keys').open);
    await page.keyboard.press('?');
    await seen(page, 'dialog.keys[open]');
  }));

await test('spans and times are selected by keys, and what they say is in sight',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await (await seen(page, 'canvas.timeline')).focus();
    const chosenIs = async (key, name, begin = '') => {
      await page.keyboard.press(key);
      await until(page, (...words) => {
        const text = document.querySelector('.chosen')?.innerText.replaceAll('\u202f', '');
        return text?.startsWith(words[0]) && text.includes(`from ${words[1]}`);
      }, name, begin);
    };
    await chosenIs('.', 'blocking_section (wait)', '40.000000000 s');
    await chosenIs('.', 'blocking_section (wait)', '40.050000000 s');
    await chosenIs('>', 'stop_the_world');
    await chosenIs('>', 'minor (collector)');
    await chosenIs(',', 'minor (collector)');
    await chosenIs('<', 'stop_the_world');
    await chosenIs('<', 'blocking_section (wait)');
    await page.keyboard.press('m');
    await has(page, 'Selected: 8.00 ms');
    await seen(page, '[data-table=selection]');
    const { bottom } = await page.$eval('.details', (e) => e.getBoundingClientRect().toJSON());
    assert.ok(bottom <= 800, bottom);
    assert.equal(await page.$eval('[data-table=selection] tbody tr', (e) =>
      e.cells[1].innerText), 'request');
    assert.deepEqual(await page.$$eval('.selected-time a', (all) =>
      all.map((a) => `${a.innerText} ${a.hash}`)), [
      'Flame graph #/process/100/flame?from=40050000000&to=40058000000',
      'Requests #/process/100/requests?from=40050000000&to=40058000000',
      'Events #/process/100/events?from=40050000000&to=40058000000']);
  }));

const foundIs = (page, text) => until(page, (wanted) =>
  document.querySelector('.search .found')?.innerText === wanted, text);
const windowIs = (page, text) => until(page, (wanted) => document.querySelector(
  '.toolbar:not(.range)').innerText.replaceAll('\u202f', '').includes(wanted), text);

await test('a timeline that follows asks for what it shows, a held one for some around it',
  () => onPage('#/process/100/timeline?last=10', async (page) => {
    await seen(page, 'canvas.timeline');
    await eventually(() => assert.equal(windows().at(-1), 10e9));
    await page.evaluate(() => [...document.querySelectorAll('.range button')]
      .find((b) => b.innerText === 'Live').click());
    await eventually(() => assert.equal(windows().at(-1), 20e9));
  }));

await test('/ searches in names of spans, without case; Enter, n and N go on, Esc ends it',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('/');
    await seen(page, '.search input');
    await page.keyboard.type('MINORws');
    await foundIs(page, 'Nothing found');
    await windowIs(page, '100 ms from 40.000 s');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    // A collection each 10 ms in four lanes, in twice the window
    await foundIs(page, '80 found');
    await page.keyboard.press('Enter');
    await foundIs(page, '21 of 80');
    assert.match(await page.$eval('.chosen', (e) => e.innerText),
                 /^minor \(collector\) in <script>.*, from 40.000.000.000 s/);
    await page.keyboard.press('Enter');
    await foundIs(page, '22 of 80');
    await (await seen(page, 'canvas.timeline')).focus();
    await page.keyboard.press('N');
    await foundIs(page, '21 of 80');
    await page.keyboard.press('N');
    // It was outside of the window, which moves there.
    await until(page, () => /from 39.990.000.000 s/.test(
      document.querySelector('.chosen').innerText));
    await windowIs(page, '100 ms from 39.940 s');
    await page.keyboard.press('n');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.search'));
    await seen(page, '.chosen');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.chosen'));
  }));

await test('the search says that merged spans have no names',
  () => onPage('#/process/100/timeline?from=40000000000&to=50000000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('/');
    await seen(page, '.search input');
    await page.keyboard.type('mutex');
    await foundIs(page, '400 found; shorter spans are merged: zoom in for more');
    await page.keyboard.type('es');
    await foundIs(page, 'Nothing found; shorter spans are merged: zoom in for more');
  }));

await test('lanes are searched, too, and come into view',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('/');
    await page.keyboard.type('bad');
    await foundIs(page, '1 found');
    await page.keyboard.press('Enter');
    await foundIs(page, '1 of 1');
    await until(page, () => document.querySelector('.lanes').scrollTop > 0);
  }, { height: 360 }));

await test('w and s zoom at the pointer, a and d move, f fits the selection or all',
  () => onPage('#/process/100/timeline?from=40000000000&to=40004000000', async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    await page.keyboard.press('w');
    await windowIs(page, '2.00 ms from 40.00100 s');
    await page.keyboard.press('s');
    await windowIs(page, '4.00 ms from 40.00000 s');
    await page.mouse.move(x + 150, y + 100);
    await page.keyboard.press('w');
    await windowIs(page, '2.00 ms from 40.00000 s');
    await page.keyboard.press('d');
    await windowIs(page, '2.00 ms from 40.00040 s');
    await page.keyboard.press('a');
    await windowIs(page, '2.00 ms from 40.00000 s');
    await retry(page, () => page.mouse.click(x + 200, y + 24 + 2 * 14 + 7),
                () => document.querySelector('.chosen') !== null);
    await page.keyboard.press('f');
    await windowIs(page, '560 µs from 39.999920 s');
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.chosen'));
    await historyLoaded(page);
    await page.keyboard.press('f');
    await windowIs(page, 's from 10');
  }));

// The range follows the window when it settles: from then on the window can move again.
const rangeIs = (page, text) => until(page, (wanted) => document.querySelector('.range')
  .innerText.replaceAll('\u202f', '').includes(wanted), text);

await test('a length is shown at the end of the data if the window reaches it, else in the middle',
  () => atSecond90('#/process/101/timeline', async (page) => {
    await seen(page, 'canvas.timeline');
    await historyLoaded(page);
    await press(page, '10 ms');
    await rangeIs(page, '89.990000 s to 90.000000 s');
    await press(page, '1 ms');
    await rangeIs(page, '89.999000 s to 90.000000 s');
    await go(page, '#/process/101/timeline?from=40000000000&to=50000000000');
    await rangeIs(page, '40.0 s to 50.0 s');
    await press(page, '10 ms');
    await rangeIs(page, '44.995000 s to 45.005000 s');
  }));

await test('arrows, Home and End move the window after a click on a button above it, not elsewhere',
  () => atSecond90('#/process/101/timeline?from=40000000000&to=50000000000', async (page) => {
    await seen(page, 'canvas.timeline');
    await historyLoaded(page);
    await click(page, 'button[aria-label="Zoom in"]');
    await rangeIs(page, '42.5 s to 47.5 s');
    await page.keyboard.press('ArrowRight');
    await rangeIs(page, '43.5 s to 48.5 s');
    await page.keyboard.press('End');
    await rangeIs(page, '85.0 s to 90.0 s');
    await page.keyboard.press('Home');
    await rangeIs(page, '10.0 s to 90.0 s');
    await page.focus('.tabs a');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('+');
    await rangeIs(page, '30.0 s to 70.0 s');
  }));

await test('a time that is selected has the numbers of stat for it, and is in the address',
  () => onPage('#/process/100/timeline?from=40000000000&to=40100000000', async (page) => {
    const { x, y } = await (await seen(page, 'canvas.timeline')).boundingBox();
    await lanesAre(page, 24 + 4 * (5 * 14 + 6));
    const drag = async (x1, x2, dy) => {
      await page.mouse.move(x + x1, y + dy);
      await page.mouse.down();
      await page.mouse.move(x + x2, y + dy, { steps: 3 });
      await page.mouse.up();
    };
    // 1096 pixels are 100 ms.
    await drag(150 + 548, 150 + 274, 10);
    await until(page, () => location.hash.includes('to_sel='));
    await seen(page, '[data-table=selection]');
    const { from_sel, to_sel, from, to } = await values(page);
    assert.ok(Math.abs(from_sel - 40.025e9) < 1e5 && Math.abs(to_sel - 40.05e9) < 1e5);
    assert.deepEqual([from, to], ['40000000000', '40100000000'], 'the window stays');
    const asked = lastAsked('stat');
    assert.deepEqual([asked.from, asked.to], [from_sel, to_sel]);
    const rows = await page.$$eval('[data-table=selection] tbody tr', (all) =>
      all.map((row) => [...row.cells].map((c) => c.innerText).join(' | ')));
    assert.match(rows[1], /^parse \| span of the program \| 812 \| 812 ms \| 1.00 ms \| 6.00 ms \| 9.00 ms \| 32\d\d %$/);
    assert.ok(rows.some((row) => row.startsWith('checkout | request | 400 | 2.00 s')));
    assert.ok(rows.some((row) => row.startsWith('mutex wait | wait | 99')));
    await page.reload();
    await seen(page, '[data-table=selection]');
    await page.keyboard.press('f');
    await windowIs(page, '25.0 ms from 40.0250 s');
    await page.keyboard.down('Shift');
    await drag(200, 400, 100);
    await page.keyboard.up('Shift');
    await eventually(async () =>
      assert.notEqual((await values(page)).from_sel, from_sel));
    assert.match(await page.$eval('.toolbar:not(.range)', (e) => e.innerText), /25\.0 ms/);
    await page.keyboard.press('Escape');
    await until(page, () => !location.hash.includes('_sel'));
    assert.equal(await page.$('[data-table=selection]'), null);
    await drag(400, 600, 100);
    await until(page, () => /^25\.0 ms from 40\.020/.test(document.querySelector(
      '.toolbar:not(.range) > .quiet').innerText.replaceAll('\u202f', '')));
  }));
