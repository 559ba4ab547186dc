// The range of time that all views of a process show: the last seconds up to now, all,
// or a fixed part, as the address has it.

import { html, useEffect } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';

const lasts = [[1e9, '1 s'], [10e9, '10 s'], [60e9, '1 min'], [600e9, '10 min'],
               [null, 'All']];
const usual = 10e9;

// Returns the range that the address has: { last }, in ns, or null for all; or
// { from, to }, in ns since the start.  [alive]: there is a now.
export function rangeOf({ from, to, last }, alive) {
  const [begin, end, seconds] = [from, to, last].map(Number);
  if (from && to && begin >= 0 && begin < end) return { from: begin, to: end };
  if (last === 'all' || !alive && !(seconds > 0)) return { last: null };
  return { last: seconds > 0 ? 1e9 * seconds : usual };
}

export const isFixed = (range) => 'from' in range;

// Returns what the address shall say of [range].
export const rangeValues = (range) => isFixed(range)
  ? { from: Math.round(range.from), to: Math.round(range.to), last: null }
  : { from: null, to: null, last: range.last === null ? 'all' : range.last / 1e9 };

// Returns { from, to } of [range] when it is [now], in ns since the start; null: no
// limit.
export function limits(range, now) {
  if (isFixed(range)) return range;
  return range.last === null ? { from: null, to: null }
    : { from: Math.max(0, Math.round(now - range.last)), to: Math.round(now) };
}

// Notes in [shown] the limits of the answer that a view shows, while there is one with an
// end: a live range has gone on since.
export function useShown(shown, { from, to } = {}) {
  useEffect(() => {
    shown.current = to == null ? null : { from, to };
    return () => { shown.current = null; };
  }, [from, to]);
}

const overwriting = 'The process goes on: new events overwrite those of this range, ' +
  'which is grey then. Save or record them to keep them';

// The choice of the range.  [begin]: of what is known.
export function RangeBar({ range, choose, now, begin, alive }) {
  const fixed = isFixed(range);
  const { from, to } = limits(range, now);
  const [first, end] = [from ?? begin, to ?? now];
  const held = fixed ? range : { from: first, to: end };
  return html`<div class="toolbar range" role="group" aria-label="Range of time">
    ${lasts.map(([ns, label]) => html`
      <button key=${label} type="button" aria-pressed=${!fixed && ns === range.last}
        title=${ns === null ? 'All that is known' : `The last ${label}`}
        onClick=${() => choose({ last: ns })}>${label}</button>`)}
    ${alive && html`<button type="button" aria-pressed=${!fixed}
      title=${fixed ? 'Follow the process' : 'Hold this range'}
      onClick=${() => choose(fixed ? { last: range.to - range.from } : held)}>
      Live</button>`}
    <span class="quiet" data-range=${fixed ? 'fixed' : 'live'}
      title=${alive && fixed ? overwriting : undefined}>${
      !alive ? rangeText(held, now) : fixed ? `Held: ${rangeText(held, now)}`
        : range.last === null ? `From ${format.moment(first, 1e8)} since the start`
          : `The last ${format.duration(range.last)}`}</span>
  </div>`;
}

// Returns the end of the message of a view that has nothing in a fixed range: it says how
// long the range is and offers the last seconds, or all if the process is not [alive].
// Returns null for other ranges.
export function widerOffer(range, choose, alive) {
  if (!isFixed(range)) return null;
  const length = range.to - range.from;
  const last = alive ? Math.max(usual, length) : null;
  return html`<span class="wider">This range is ${format.duration(length)} long.
    ${' '}<button type="button" onClick=${() => choose({ last })}>${
      alive ? `Live: the last ${format.duration(last)}` : 'Show all'}</button></span>`;
}

// [span]: { from, to }, as of limits.
export function rangeText({ from, to }, now) {
  const step = (to ?? now) - (from ?? 0) > 1e9 ? 1e8 : 1e3;
  return `${format.moment(from ?? 0, step)} to ${
    format.moment(to ?? now, step)} since the start`;
}

// Says which of [kept] begin later than [from], since events before were lost or
// overwritten.
function lateText(kept, from, what) {
  const late = kept.filter((k) => k.begin_lost && k.from_ns > from);
  const begin = (k) => format.moment(k.from_ns, 1e8);
  if (late.length === 0) return '';
  if (late.length <= 3)
    return `; ${late.map((k) => `${what} ${k.domain} only from ${begin(k)} on`)
      .join(', ')}`;
  const last = late.reduce((a, b) => a.from_ns > b.from_ns ? a : b);
  return `; ${late.length} ${what}s only later, the last from ${begin(last)} on`;
}

// Says which time the numbers for [span] cover.  [kept]: objects with domain,
// from_ns (when its events begin) and begin_lost (there were earlier ones);
// [what] each of them is.
export function coverText({ from, to }, now, kept, what = 'domain') {
  const begin = from ?? kept.reduce((ns, k) => Math.min(ns, k.from_ns), Infinity);
  const known = Number.isFinite(begin) ? begin : 0;
  return rangeText({ from: known, to }, now) + lateText(kept, known, what);
}

// Asks for [part] of the process [id], and for what its rings have now, as [kept].
export async function getCovered(id, part, parameters, signal) {
  const [answer, { rings }] = await Promise.all([
    get(ofProcess(id, part), parameters, signal),
    get(ofProcess(id, 'kept'), {}, signal)]);
  const kept = (samples) => rings.filter((r) => r.samples === samples);
  return { ...answer, kept: kept(false), keptSamples: kept(true) };
}
