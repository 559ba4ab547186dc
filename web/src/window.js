// The choice of a window of time for tables, events and the flame graph: the
// last seconds, all, or what the timeline shows.

import { html } from './html.js';
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

// [span]: { from, to }, as of limits.  [kept]: the time of the earliest event that
// is kept, if it is known.
export function windowText({ from, to }, now, kept) {
  if (from === null && kept != null)
    return `${windowText({ from: kept, to }, now)}: begins with the earliest ${
      'event that is kept; other domains may have later ones only'}`;
  const step = (to ?? now) - (from ?? 0) > 1e9 ? 1e8 : 1e3;
  return `${format.moment(from ?? 0, step)} to ${
    format.moment(to ?? now, step)} since the start`;
}
