// Runs tests of the page that have one browser and one server of mock.js in common:
//
//     node run_pages.js NAME...       NAME.js has the tests

import process from 'node:process';
import { finish } from './browser.js';
import { browser, mock } from './page_kit.js';

for (const name of process.argv.slice(2)) await import(`./${name}.js`);
await browser.close();
mock.close();
finish();
