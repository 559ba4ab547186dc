// What the monitor costs, and how it behaves under load.
//
//     bench/run-monitor [SECONDS]     120 by default; the figures of the README took 600
//
// 1. Load: a program of 8 domains writes a million events a second; eventring
//    serve shows it to one Chromium and nine clients that read the stream.
//    Printed: the longest task of the page's main thread, the page's heap after a
//    collection and the server's memory, both at a fifth of the time and at its
//    end, and the time from a mark written to the mark visible.  No data of the
//    measurement is in the page.  With less than 300 seconds, the charts of the
//    last minute are not full at the first look.
// 2. A recording of 50 million events (EVENTS) is opened, and zoomed.
// 3. The slow-down of a program that does a fixed amount of work, in interleaved
//    rounds without a monitor and with one: medians of time and processor time.
//
// Leaves monitor.tsv in the folder of measurements.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { launch, open, top } from '../../testsuite/web/browser.js';

const build = process.env.EVENTRING_BUILD ?? path.join(top, '_build');
const eventring = path.join(build, 'bin/eventring');
const seconds = Number(process.argv[2] ?? 120);
const events = Number(process.env.EVENTS ?? 50e6);
const rounds = Number(process.env.ROUNDS ?? 7);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'monitor-'));
const load = path.join(folder, 'load');
const results = [];
const started = [];

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function say(what, value, unit, note = '') {
  results.push([what, value, unit, note].join('\t'));
  console.log(`${what.padEnd(52)} ${String(value).padStart(10)} ${unit}  ${note}`);
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
const median = (values) => percentile(values, 0.5);

function run(program, args, options = {}) {
  const child = spawn(program, args, {
    cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], ...options });
  started.push(child);
  return child;
}

const traced = {
  ...process.env, OCAML_EVENTRING_START: '1', OCAML_EVENTRING_PREFIX: folder };

// Starts the server.  Returns its process and its address with the token.
async function serve(...args) {
  const server = run(eventring, ['serve', ...args]);
  const address = await new Promise((done, failed) => {
    server.stdout.once('data', (line) => done(String(line).trim()));
    server.once('exit', (code) => failed(new Error(`serve ended with ${code}`)));
  });
  const [origin, token] = address.split('/#token=');
  const get = (route, options = {}) => fetch(origin + route, {
    ...options, headers: { Authorization: `Bearer ${token}` } });
  return { server, address, get };
}

async function end(child) {
  if (child.exitCode !== null) return;
  const gone = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await gone;
}

// Returns the resident memory of [child] in MiB.
function memoryOf(child) {
  const status = fs.readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
}

// Reads the stream and forgets it.
async function follow(get, process, counts) {
  const response = await get(`/api/stream?process=${process}`);
  for await (const chunk of response.body) counts.bytes += chunk.length;
}

// Opens the page of a process, and watches the tasks of its main thread.
async function openPage(browser, address, process) {
  const page = await open(browser, address);
  await page.evaluate(() => {
    window.longestTask = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        window.longestTask = Math.max(window.longestTask, duration);
    }).observe({ entryTypes: ['longtask'] });
  });
  await page.waitForFunction(() => !location.hash.includes('token'));
  await page.evaluate((id) => { location.hash = `#/process/${id}`; }, process);
  await page.waitForSelector('nav.tabs', { timeout: 60000 });
  return page;
}

const longest = async (page) =>
  Math.round(await page.evaluate(() => window.longestTask));
const forgetTasks = (page) => page.evaluate(() => { window.longestTask = 0; });

// Returns the heap of the page after a collection, with its typed arrays, in MiB.
async function heapOf(page) {
  const client = await page.createCDPSession();
  await client.send('HeapProfiler.enable');
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } =
    await client.send('Runtime.getHeapUsage');
  await client.detach();
  return (usedSize + backingStorageSize) / 2 ** 20;
}

// Looks ten times in ten seconds.  Returns the page's heap, the least since the
// page draws between the collection and the look, and the median of the server's
// memory.
async function memoryInUse(page, server) {
  const looks = [];
  for (let i = 0; i < 10; i++) {
    looks.push([await heapOf(page), memoryOf(server)]);
    await sleep(1000);
  }
  return [Math.min(...looks.map(([heap]) => heap)),
          median(looks.map(([, memory]) => memory))];
}

async function onlyProcess(get, wanted) {
  for (let i = 0; i < 100; i++) {
    const { processes } = await (await get('/api/processes')).json();
    const found = processes.find(wanted);
    if (found) return found;
    await sleep(100);
  }
  throw new Error('the process does not appear');
}

const change = (before, after) => `${((after / before - 1) * 100).toFixed(1)} %`;

async function measureLoad(browser) {
  const written = new Map();
  const program = run(load, ['events', String(seconds + 20), '8', '1000000'],
                      { env: traced });
  let rest = '';
  program.stdout.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const [n, ms] = line.split(' ').map(Number);
      written.set(n, ms);
    }
  });
  await once(program.stdout, 'data');     // it is traced now
  const { server, address, get } = await serve(String(program.pid));
  const { id } = await onlyProcess(get, (p) => p.pid === program.pid);
  const counts = { bytes: 0 };
  for (let i = 0; i < 9; i++) follow(get, id, counts).catch(() => {});
  const page = await openPage(browser, address, id);
  const delays = [];
  await page.exposeFunction('markShown', (n, ms) => {
    const delay = ms - written.get(n);
    if (delay >= 0) delays.push(delay);
  });
  await page.evaluate(() => {
    let last;
    const look = () => {
      const shown = document.querySelector('[data-counter="mark"]')?.textContent;
      if (shown && shown !== last) window.markShown(Number(shown), Date.now());
      last = shown;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });

  await sleep(seconds * 200);
  const before = await memoryInUse(page, server);
  await forgetTasks(page);
  await sleep(Math.max(0, seconds * 800 - 20000));
  say('longest task of the page', await longest(page), 'ms', 'at most 100');
  const after = await memoryInUse(page, server);
  ["the page's heap", "the server's memory"].forEach((what, i) => {
    say(`${what}, at a fifth of the time`, before[i].toFixed(2), 'MiB');
    say(`${what}, at the end`, after[i].toFixed(2), 'MiB',
        `${change(before[i], after[i])}, at most 5 %`);
  });
  say('from a mark to the screen, median', median(delays).toFixed(0), 'ms',
      `${delays.length} marks`);
  say('from a mark to the screen, p99', percentile(delays, 0.99).toFixed(0), 'ms',
      'at most 150');
  const { lost_events: lost } =
    await onlyProcess(get, (p) => p.pid === program.pid);
  say('events lost by the server', lost, '');
  say('streams to nine clients', (counts.bytes / 2 ** 20).toFixed(1), 'MiB');
  await page.close();
  await end(server);
  await end(program);
}

async function measureRecording(browser) {
  const file = path.join(folder, 'large.evr');
  execFileSync(eventring, ['run', '-q', '--ring=20', '-o', file, '--',
                           load, 'flood', String(events), '2'],
               { stdio: 'ignore', cwd: folder });
  const [{ events: recorded }] = [JSON.parse(execFileSync(eventring,
    ['check', '--json', file], { maxBuffer: 1 << 26 }).toString())]
    .map((o) => o.processes[0]);
  say('events of the large recording', recorded, '',
      `${(fs.statSync(file).size / 2 ** 20).toFixed(0)} MiB`);
  const began = Date.now();
  const { server, address, get } = await serve(file);
  const { id } = await onlyProcess(get, () => true);
  const page = await openPage(browser, address, id);
  await page.waitForSelector('.charts canvas', { visible: true, timeout: 60000 });
  say('from the start of serve to the first chart', Date.now() - began, 'ms',
      'at most 2000');
  while ((await onlyProcess(get, () => true)).reading) await sleep(50);
  say('until all of it was read', Date.now() - began, 'ms');

  await forgetTasks(page);
  await page.evaluate((process) => {
    location.hash = `#/process/${process}/timeline`;
  }, id);
  const canvas = await page.waitForSelector('.timeline canvas, canvas.timeline',
                                            { visible: true });
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  for (let i = 0; i < 60; i++) {
    await page.mouse.wheel({ deltaY: i < 40 ? -240 : 240 });
    await sleep(50);
  }
  await sleep(1000);
  say('longest task while zooming', await longest(page), 'ms', 'at most 100');
  say("the server's memory", memoryOf(server).toFixed(1), 'MiB');
  await page.close();
  await end(server);
}

// Runs the work once.  Returns [seconds, processor seconds].
async function work() {
  const out = path.join(folder, 'times');
  const child = run('/bin/sh', ['-c',
    'TIMEFORMAT="%R %U %S"; exec bash -c "time \\"$0\\" work 1500 2" 2>"$1"',
    load, out], { env: { ...traced, TIMEFORMAT: '%R %U %S' } });
  await new Promise((done) => child.once('exit', done));
  const [real, user, system] =
    fs.readFileSync(out, 'utf8').trim().split(' ').map(Number);
  return [real, user + system];
}

async function measureSlowDown(browser) {
  const ratios = [[], []];
  for (let i = 0; i < rounds; i++) {
    const alone = await work();
    const { server, address } = await serve();
    const page = await open(browser, address);
    await sleep(1000);
    const watched = await work();
    ratios.forEach((list, j) => list.push(watched[j] / alone[j]));
    await page.close();
    await end(server);
  }
  const spread = (list) => `${Math.min(...list).toFixed(3)} to ` +
    `${Math.max(...list).toFixed(3)} in ${rounds} rounds`;
  say('time with the monitor', median(ratios[0]).toFixed(3), 'times', spread(ratios[0]));
  say('processor time of the program with it', median(ratios[1]).toFixed(3), 'times',
      spread(ratios[1]));
}

async function main() {
  fs.copyFileSync(path.join(top, 'bench/monitor/load.ml'), `${load}.ml`);
  execFileSync(path.join(build, 'stage/bin/ocamlopt'),
    ['-I', '+unix', 'unix.cmxa', 'load.ml', '-o', 'load'], { cwd: folder });
  const browser = await launch();
  try {
    await measureLoad(browser);
    await measureRecording(browser);
    await measureSlowDown(browser);
  } finally {
    await browser.close();
    started.forEach((child) => child.kill('SIGKILL'));
    fs.mkdirSync(path.join(build, 'bench'), { recursive: true });
    fs.writeFileSync(path.join(build, 'bench/monitor.tsv'),
                     'what\tvalue\tunit\tnote\n' + results.join('\n') + '\n');
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

await main();
