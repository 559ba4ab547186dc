// The choice of a window of time for tables, events and the flame graph: the
// last seconds, all, or what the timeline shows.

import { html } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';

const lasts = [[1e9, 'Last 1 s'], [10e9, 'Last 10 s'], [60e9, 'Last minute']];
export const all = 'all';
export const ofTimeline = 'timeline';

// Returns { from, to } of [choice], in ns since the start; null: no limit.
// [data]: of the process; its [window] is the timeline's, if it was open.
export function limits(choice, data) {
  if (choice === all) return { from: null, to: null };
  if (choice === ofTimeline && data.shared.window) {
    const [from, to] = data.shared.window;
    return { from: Math.max(0, Math.round(from)), to: Math.round(to) };
  }
  return { from: Math.max(0, Math.round(data.now - choice)),
           to: Math.round(data.now) };
}

// Returns whether the window of [choice] moves while the process runs.
export const moves = (choice) => choice !== ofTimeline;

export function Windows({ choice, choose, data }) {
  const shown = [...lasts, [all, 'All']];
  if (data.shared.window) shown.push([ofTimeline, 'As in the timeline']);
  return shown.map(([value, label]) => html`
    <button type="button" key=${label} aria-pressed=${value === choice}
      onClick=${() => choose(value)}>${label}</button>`);
}

// [span]: { from, to }, as of limits.
export function windowText({ from, to }, now) {
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
  return windowText({ from: known, to }, now) + lateText(kept, known, what);
}

// Asks for [part] of the process [id], and for what its rings have now, as [kept].
export async function getCovered(id, part, parameters, signal) {
  const [answer, { rings }] = await Promise.all([
    get(ofProcess(id, part), parameters, signal),
    get(ofProcess(id, 'kept'), {}, signal)]);
  const kept = (samples) => rings.filter((r) => r.samples === samples);
  return { ...answer, kept: kept(false), keptSamples: kept(true) };
}
