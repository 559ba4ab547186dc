// The places of the monitor beside the processes.

import { html } from './html.js';
import { Compare } from './compare.js';
import { Rules } from './rules.js';
import { Saved } from './saved.js';

// Components by the first word of the address, which may be any word.
export const places = Object.assign(Object.create(null), {
  saved: Saved, rules: Rules, compare: Compare });

export function Places() {
  return html`<nav class="places" aria-label="Places">
    <a href="#/">Processes</a> <a href="#/saved">Saved</a>
    ${' '}<a href="#/rules">Rules</a></nav>`;
}
