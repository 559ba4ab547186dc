// Spans at a place and by their name in the address.

import { isMerged, isPause, rowOf, row_px, ruler_px } from './lanes.js';

const distance = (span, t) =>
  t < span[0] ? span[0] - t : t > span[1] ? t - span[1] : 0;

// Returns the lane and the span at pixel [x], [y] of the view; the span is null
// between spans.  A span is hit within two pixels.
export function find(picture, view, x, y) {
  const below = y - ruler_px + view.top;
  const lane = picture.lanes.find(
    (l) => below >= l.top && below < l.top + l.rows * row_px);
  if (!lane || x < view.left) return null;
  const row = Math.floor((below - lane.top) / row_px);
  const px = (view.to - view.from) / (view.width - view.left);
  const t = view.from + (x - view.left) * px;
  let best = null;
  for (const span of lane.spans)
    if (rowOf(lane, span) === row && distance(span, t) <= 2 * px &&
        (!best || distance(span, t) < distance(best, t)))
      best = span;
  return { lane, span: best };
}

// A choice of a span has a name: its domain, thread, kind, begin and end.  A pause, of
// which the thread and the kind are not known, has neither.
export const nameOfChoice = ({ lane, span: [from, to, , , kind] }) =>
  [lane.domain, lane.thread ?? '', kind, from, to].join();

// The address of the timeline around a pause.
export const pauseAddress = (address, { domain, end_ns, duration_ns }) => address.to({
  from: Math.max(0, end_ns - 2 * duration_ns), to: end_ns + duration_ns, last: null,
  sel: [domain, '', '', end_ns - duration_ns, end_ns].join() }, 'timeline');

const overlap = ([a, b], [c, d]) => Math.min(b, d) - Math.max(a, c);

// Returns { lane, span, names } of the span that [name] means best, or null.
export function findChoice(answer, name) {
  const [domain, thread, kind, from, to] = name.split(',');
  const wanted = [Number(from), Number(to)];
  let best = null, most = 0;
  for (const lane of answer.lanes) {
    if (`${lane.domain}` !== domain || thread && `${lane.thread}` !== thread) continue;
    for (const span of lane.spans) {
      if (isMerged(span) || (kind ? `${span[4]}` !== kind : !isPause(span))) continue;
      const common = Math.max(overlap(span, wanted), 1) /
        Math.max(span[1] - span[0], wanted[1] - wanted[0], 1);
      if (overlap(span, wanted) >= 0 && common > most) {
        best = { lane, span, names: answer.names };
        most = common;
      }
    }
  }
  return best;
}
