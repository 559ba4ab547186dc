// The places of the monitor beside the processes.

import { html } from './html.js';
import { Compare } from './compare.js';
import { Fleet } from './fleet.js';
import { Rules } from './rules.js';
import { Runs } from './runs.js';
import { Saved } from './saved.js';

// Components by the first word of the address, which may be any word.
export const places = Object.assign(Object.create(null), {
  saved: Saved, runs: Runs, rules: Rules, compare: Compare, fleet: Fleet });

export function Places({ server }) {
  return html`<nav class="places" aria-label="Places">
    <a href="#/">Processes</a> <a href="#/saved">Saved</a>
    ${' '}<a href="#/runs">Runs</a> <a href="#/rules">Rules</a>
    ${server.hub && html`${' '}<a href="#/fleet">Fleet</a>`}</nav>`;
}
