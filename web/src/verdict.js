// The verdict of diagnose in one line, with its level as a sign and a colour.

import { html } from './html.js';
import * as format from './format.js';

const levels = {
  good: ['✓', 'all is well'], warning: ['!', 'look at this'], bad: ['✕', 'bad'],
  unknown: ['?', 'not known'],
};

// [process]: as in the list of processes; its verdict is null before the first.
export function Verdict({ process }) {
  if (!process.verdict) return null;
  const level = Object.hasOwn(levels, process.level) ? process.level : 'unknown';
  const [sign, meaning] = levels[level];
  return html`<span class=${`verdict ${level}`}><span class="level" role="img"
    aria-label=${meaning}>${sign}</span> ${format.name(process.verdict)}</span>`;
}
