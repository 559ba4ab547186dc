// Figures of runs, as `eventring compare` and `timeline` have them (doc/JSON.md), and what
// the views of both show beside them.

import { html } from './html.js';
import * as format from './format.js';
import { Table } from './table.js';

export const runsText = (n) => format.plural(n, 'run');

// Two digits of a share, and a sign if it is a change.
export const percent = (share) => share == null ? format.unknown
  : `${Number((100 * share).toPrecision(2))} %`;
export const changePercent = (share) => share == null ? format.unknown
  : `${share > 0 ? '+' : share < 0 ? '−' : ''}${percent(Math.abs(share))}`;

const texts = {
  ns: format.duration, bytes: format.bytes, share: format.share,
  words: (n) => n == null ? format.unknown : `${format.compact(n)} words` };
export const figureText = (unit, value) => texts[unit]?.(value)
  ?? (Number.isInteger(value) ? format.count(value) : format.compact(value));

// Good and bad only where it is known which is which.
export const differs = (verdict) => !['same', 'unknown'].includes(verdict);
export const directionClass = (better, more) => better !== 'less' ? 'changed'
  : more ? 'worse' : 'better';

// The values of a member of manifests.
export const factText = (list) => !list.length ? 'not set'
  : list.map((v) => format.name(typeof v === 'string' ? v : JSON.stringify(v))).join(', ');

// Members of the manifests that differ.
export function Facts({ facts, base = 'Base', these = 'This' }) {
  return html`<${Table} name="facts" title="Differences of the manifests" rows=${facts}
    columns=${[{ label: 'Fact', value: (f) => f.fact },
      { label: base, value: (f) => factText(f.base) },
      { label: these, value: (f) => factText(f.values) }]} />`;
}

export function Warnings({ warnings }) {
  return warnings.length > 0 && html`<section class="warnings"
    aria-label="Reasons to doubt"><b>Reasons to doubt</b>
    <ul>${warnings.map((w) => html`<li key=${w}>${format.name(w)}</li>`)}</ul></section>`;
}
