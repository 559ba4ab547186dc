// Spans at a place and by their name in the address.

import { overlap } from './intervals.js';
import {
  after, isMerged, isPause, isSameTime, laneKey, nearest, rowOf, row_px, ruler_px, wait,
} from './lanes.js';

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

// Returns the rows of [lanes] with their spans, by begin, from top to bottom.
function rowsOf(lanes) {
  const rows = [];
  for (const lane of lanes) {
    const own = Array.from({ length: lane.rows }, () => []);
    for (const span of lane.spans)
      if (!isMerged(span)) own[rowOf(lane, span)]?.push(span);
    own.forEach((spans, row) => spans.length &&
      rows.push({ lane, row, spans: spans.sort((a, b) => a[0] - b[0]) }));
  }
  return rows;
}

// Returns { lane, span }, the next span after [chosen] in the direction of [key]: '.' and
// ',' in its row, '>' and '<' in the row below and above: the first that begins in [chosen],
// else one around its begin, else the nearest.  Without a chosen one, the first that begins
// in the window [from, to], or else is in it.  Null: there is none.
export function nextSpan({ lanes }, chosen, key, [from, to]) {
  const rows = rowsOf(lanes);
  const at = !chosen?.span ? -1 : rows.findIndex(({ lane, row }) =>
    laneKey(lane) === laneKey(chosen.lane) && row === rowOf(lane, chosen.span));
  if (at < 0) {
    const first = rows.map(({ lane, spans }) => ({
      lane, span: spans.find((s) => s[0] >= from && s[0] <= to)
        ?? spans.find((s) => s[1] >= from && s[0] <= to) }));
    return first.find(({ span }) => span) ?? null;
  }
  const [begin, end] = chosen.span;
  const { lane, spans } = rows[key === '>' ? at + 1 : key === '<' ? at - 1 : at] ?? {};
  if (!spans) return null;
  if (key === '>' || key === '<')
    return { lane, span: spans.find((s) => begin <= s[0] && s[0] < end)
      ?? spans.reduce((best, span) =>
        distance(span, begin) < distance(best, begin) ? span : best) };
  const i = nearest(spans, chosen.span);
  const span = i >= 0 ? spans[i + (key === '.' ? 1 : -1)]
    : key === '.' ? spans.find((s) => s[0] > begin) : spans.findLast((s) => s[0] < begin);
  return span ? { lane, span } : null;
}

// A choice of a span has a name: its domain, thread, kind, begin and end.  A pause, of
// which the thread and the kind are not known, has neither, but the name of its event; an
// event, of which the kind is not known, has no kind, but its name.
export const nameOfChoice = ({ lane, span: [from, to, , , kind] }) =>
  [lane.domain, lane.thread ?? '', kind, from, to].join();

// Returns the key of the lane that [name] means, if it has a thread.
export function keyOfName(name) {
  const [domain, thread] = name.split(',');
  return thread && laneKey({ domain, thread });
}

// What the address of the timeline has of the range around a time of [ns] that ends at
// [to]; no moment is chosen.
const around = (to, ns) =>
  ({ from: Math.max(0, to - 2 * ns), to: to + ns, last: null, at: null });

// The address of the timeline around a pause.
export const pauseAddress = (address, { domain, end_ns, duration_ns, name }) =>
  address.to({
    ...around(end_ns, duration_ns),
    sel: [domain, '', '', end_ns - duration_ns, end_ns, name ?? ''].join() }, 'timeline');

// Returns what the address shall say of the time [from, to] that is selected in the
// timeline; null: none is.
export const selectionValues = (time) => ({
  from_sel: time && Math.max(0, Math.round(time[0])),
  to_sel: time && Math.round(time[1]) });

// The address of the timeline around [event], whose time is selected, too: that of its span
// or, if it has none, the millisecond before it.
export function eventAddress(address, { domain, thread, name, ns, duration_ns = 0 }) {
  const length = duration_ns || 1e6;
  const sel = thread === undefined ? null
    : [domain, thread, '', ns - duration_ns, ns, name ?? ''].join();
  return address.to({ ...around(ns, length), sel,
                      ...selectionValues([ns - length, after(ns)]) }, 'timeline');
}

// The address of the timeline around a wait of a thread.
export const waitAddress = (address, { domain, thread, from, to }) =>
  address.to({
    ...around(to, to - from),
    sel: [domain, thread, wait, from, to].join() }, 'timeline');

// Returns how much the times have in common, as a part of the longer one.
const likeness = (a, b) => overlap(a, b) < 0 ? 0
  : Math.max(overlap(a, b), 1) / Math.max(a[1] - a[0], b[1] - b[0], 1);

// Returns the span of [lanes] that is most like [time] and passes [is], as
// { lane, span }, or null if the times of all have less than [least] in common.
function mostLike(lanes, time, least, is) {
  let [best, most] = [null, least];
  for (const lane of lanes)
    for (const span of lane.spans)
      if (!isMerged(span) && is(lane, span) && likeness(span, time) > most) {
        best = { lane, span };
        most = likeness(span, time);
      }
  return best;
}

// Returns { lane, span } of a span of [lanes] that passes [is] and begins or ends at [ns],
// or null.
function edgeAt(lanes, ns, is) {
  for (const lane of lanes)
    for (const span of lane.spans)
      if (!isMerged(span) && is(lane, span)
          && (isSameTime(span[0], ns) || isSameTime(span[1], ns))) return { lane, span };
  return null;
}

// Returns { lane, span, names } of the span that [name] means best, or null.  A pause or
// an event without a span that is shown has { pause or event: its begin, end and name,
// domain } and a lane of its domain or thread, which is undefined when none is shown.
export function findChoice(picture, name) {
  const [domain, thread, kind, begin, end, ...event] = name.split(',');
  const time = [Number(begin), Number(end)];
  const { names } = picture;
  if (!(time[0] <= time[1])) return null;
  const isOfDomain = (lane) => `${lane.domain}` === domain;
  if (kind) {
    const found = mostLike(picture.all, time, 0, (lane, span) => isOfDomain(lane)
      && (!thread || `${lane.thread}` === thread) && `${span[4]}` === kind);
    return found && { ...found, names };
  }
  const isOfThread = (lane) => isOfDomain(lane) && `${lane.thread}` === thread;
  const isNamed = (lane, span) => isOfThread(lane) && names[span[2]] === event.join();
  const found = thread && time[0] === time[1] ? edgeAt(picture.lanes, time[0], isNamed)
    : mostLike(picture.lanes, time, 0.5, thread ? isNamed
      : (lane, span) => isOfDomain(lane) && isPause(span));
  if (found) return { ...found, names };
  const times = [...time, event.join()];
  if (thread)
    return { lane: picture.lanes.find(isOfThread), names, domain, event: times };
  const lanes = picture.lanes.filter(isOfDomain);
  return { lane: lanes.find((lane) => !lane.backup) ?? lanes[0], names, domain,
           pause: times };
}
