// node viewer.js TRACE: loads a Chrome trace into speedscope, in Chromium, and
// prints a line for each thread that it has found, "profile NAME", then one for
// each row of its table, "frame TOTAL (SHARE) SELF (SHARE) NAME", and one for
// each complaint, "complaint TEXT".

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { launch, open, packages, textOf, until } from '../web/browser.js';

const trace = process.argv[2];
const viewer = path.join(packages(), 'speedscope/dist/release');
const types = { '.html': 'text/html', '.js': 'text/javascript',
                '.css': 'text/css', '.wasm': 'application/wasm' };

function serve(request, response) {
  const name = request.url.split('?')[0];
  const file = name === '/trace.json' ? trace : path.join(viewer, name);
  if (!fs.existsSync(file)) {
    response.writeHead(404);
    return response.end();
  }
  response.setHeader('Content-Type',
                     types[path.extname(file)] ?? 'application/octet-stream');
  fs.createReadStream(file).pipe(response);
}

const server = http.createServer(serve);
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const address = `http://127.0.0.1:${server.address().port}`;
const browser = await launch();
try {
  const file = encodeURIComponent(`${address}/trace.json`);
  const page = await open(browser, `${address}/index.html#profileURL=${file}`,
                          { height: 4000 });
  // Its table is made of text, its flame graphs of pixels.
  await page.locator('::-p-text(Sandwich)').click();
  for (let i = 1, count = 1; i <= count; i++) {
    await until(page, (number) =>
      document.body.innerText.includes(` (${number}/`) &&
      document.querySelectorAll('tr').length > 1, i);
    const title = (await textOf(page)).match(/^(.*) \(\d+\/(\d+)\)$/m);
    count = Number(title[2]);
    console.log('profile', title[1]);
    const rows = await page.$$eval('tr', (all) => all.map((row) => row.innerText));
    for (const row of rows)
      console.log('frame', row.trim().replace(/\s+/g, ' '));
    await page.keyboard.press('n');
  }
  for (const text of page.complaints) console.log('complaint', text);
} catch (error) {
  console.error(String(error).split('\n')[0]);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.close();
}
