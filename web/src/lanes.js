// The picture of the timeline: a lane for each domain, thread and request, with
// its spans in rows by depth.  Only what the canvas shows is drawn.

import * as format from './format.js';
import { colour } from './chart.js';
import { fit } from './fit.js';
import { outside, overlap } from './intervals.js';

export const row_px = 15;
export const lane_gap = 7;
export const ruler_px = 24;

// Kinds of spans, by their numbers in the answer of the server.
export const stop = 3;
const collector = 0, program = 1, wait = 2, request = 4, other = 5;
export const kindNames = ['collector', 'span of the program', 'wait',
                          'all domains stopped', 'request',
                          'other work of the runtime'];

// Colours and what they stand for.
export const legend = [
  ['running', 'running'], ['waiting', 'waiting'], ['minor', 'minor collection'],
  ['major', 'major collection'], ['collecting', 'collecting'],
  ['stopped', 'all domains stopped'], ['other', 'other work of the runtime'],
  ['user', 'span of the program'], ['request', 'request']];
const colourOfKind = ['collecting', 'user', 'waiting', 'stopped', 'request',
                      'other'];

// The kinds from top to bottom; the first row has the waits.
const order = [wait, stop, collector, other, program, request];

export const isMerged = (span) => span[2] === null;
export const isPause = (span) => !isMerged(span) &&
  (span[4] === collector || span[4] === stop);
export const nameOf = (answer, span) => isMerged(span)
  ? `${format.count(span[6])} of kind ${kindNames[span[4]]}`
  : format.name(answer.names[span[2]]);

function colourOf(names, span) {
  const name = isMerged(span) ? '' : names[span[2]] ?? '';
  if (span[4] === collector && /^minor|_minor/.test(name)) return 'minor';
  if (span[4] === collector && /^major|_major/.test(name)) return 'major';
  return colourOfKind[span[4]] ?? 'other';
}

export const nameWidth = (width) => width < 600 ? 84 : 150;

// The rows that each kind needs in a lane: as many as it ever had, so that
// lanes do not jump.  [seen]: a Map that the caller keeps.
function rowsOf(lane, seen) {
  const key = `${lane.domain} ${lane.thread}`;
  const rows = seen.get(key) ?? [0, 0, 1, 0, 0, 0];
  for (const [, , , depth, kind] of lane.spans)
    if (kind < rows.length) rows[kind] = Math.max(rows[kind], depth + 1);
  seen.set(key, rows);
  return rows;
}

// Whether a span shows in the first row, that the thread does not run.
const collects = (span) =>
  (span[4] === collector || span[4] === stop) && span[3] === 0;

// Whether a lane is of a thread that runs the program: the backup thread of a
// domain only collects.
const runsProgram = (lane) => lane.thread !== null && !lane.backup;

// The time between the first and the last event of a lane, in which its thread
// runs or collects when it does not wait.
function extent(spans) {
  let [from, to] = [Infinity, -Infinity];
  for (const span of spans) {
    from = Math.min(from, span[0]);
    to = Math.max(to, span[1]);
  }
  return [from, to];
}

const isOf = ([, , , domain], lane) => domain == null || domain === lane.domain;

// Gives each lane of an answer its place: [top], in pixels below the ruler,
// [rows] and [first], the first row of each kind.  Returns the height of all.
export function layOut(lanes, seen) {
  let top = 0;
  lanes.sort((a, b) => a.domain - b.domain || a.thread - b.thread);
  for (const lane of lanes) {
    const rows = rowsOf(lane, seen);
    lane.first = [];
    lane.rows = 0;
    for (const kind of order) {
      lane.first[kind] = lane.rows;
      lane.rows += rows[kind];
    }
    lane.top = top;
    lane.extent = extent(lane.spans);
    lane.runs = runsProgram(lane);
    top += lane.rows * row_px + lane_gap;
  }
  return top;
}

const rowOf = (lane, span) => (lane.first[span[4]] ?? 0) + span[3];

const steps = [1, 2, 5];

// Returns the distance of marks on the ruler, in ns: at least 90 pixels.
export function markStep(ns_per_px) {
  for (let power = 1; ; power *= 10)
    for (const step of steps)
      if (step * power >= 90 * ns_per_px) return step * power;
}

function drawRuler(context, { from, to, left, width, height }) {
  const scale = (width - left) / (to - from);
  const step = markStep(1 / scale);
  context.fillStyle = colour('panel');
  context.fillRect(0, 0, width, ruler_px);
  context.font = '11px system-ui, sans-serif';
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    const x = left + (t - from) * scale;
    context.fillStyle = colour('grid');
    context.fillRect(x, ruler_px, 1, height);
    context.fillStyle = colour('quiet');
    context.fillText(format.moment(t, step), x + 3, ruler_px / 2);
  }
}

// A merged span has a share: its bar is as high as the share.
function drawSpan(context, span, x, end, y, label) {
  const width = Math.max(end - x, 1);
  const part = isMerged(span) ? Math.max(0.15, Math.min(1, span[5])) : 1;
  const height = (row_px - 1) * part;
  context.fillRect(x, y + row_px - 1 - height, width, height);
  if (width < 24 || isMerged(span)) return;
  context.fillStyle = colour(span[4] === wait ? 'on-pale' : 'on-bar');
  context.fillText(fit(label, width - 6, 6.6), x + 3, y + row_px / 2);
}

// Returns the pixels of from..to within the view, or null.
function clip(from, to, view) {
  if (to < view.from || from > view.to) return null;
  const scale = (view.width - view.left) / (view.to - view.from);
  return [Math.max(view.left, view.left + (from - view.from) * scale),
          Math.min(view.width, view.left + (to - view.from) * scale)];
}

// In a gap nobody knows whether the thread runs.
function drawRunning(context, lane, gaps, view, y) {
  const own = gaps.filter((gap) => isOf(gap, lane));
  for (const part of outside(own, lane.extent)) {
    const place = clip(...part, view);
    if (place) context.fillRect(place[0], y, place[1] - place[0], row_px - 1);
  }
}

function drawLane(context, lane, { names, gaps }, view, colours) {
  const y = lane.top - view.top + ruler_px;
  const alive = view.waits && lane.runs;
  if (alive) {
    context.fillStyle = colours.running;
    drawRunning(context, lane, gaps, view, y);
  }
  for (const span of lane.spans) {
    const place = clip(span[0], span[1], view);
    if (!place) continue;
    if (alive && collects(span)) {
      context.fillStyle = colours.collecting;
      drawSpan(context, span, ...place, y, '');
    }
    context.fillStyle = colours[colourOf(names, span)];
    drawSpan(context, span, ...place, y + rowOf(lane, span) * row_px,
             isMerged(span) ? '' : format.phrase(names[span[2]]));
  }
}

export const laneName = (lane) =>
  lane.backup ? `backup ${lane.thread}`
  : lane.name ? format.name(lane.name)
  : lane.thread ? `thread ${lane.thread}` : `domain ${lane.domain}`;

function drawName(context, lane, { left, top }) {
  const y = lane.top - top + ruler_px;
  context.fillStyle = colour('text');
  context.fillText(fit(laneName(lane), left - 10, 6.3), 4, y + row_px / 2);
  if (lane.rows < 2) return;
  context.fillStyle = colour('quiet');
  const number = lane.domain == null ? '' : `domain ${lane.domain}`;
  context.fillText(number, 4, y + 1.5 * row_px);
}

// A gap: events lost, overwritten or not recorded, in the lanes of a domain or
// in all.
function drawGap(context, gap, lanes, view) {
  const [begin, end, reason, , overwritten] = gap;
  const place = clip(begin, end, view);
  if (!place) return;
  const [x, width] = [place[0], Math.max(2, place[1] - place[0])];
  const text = typeof reason === 'string' ? format.name(reason)
    : `${format.count(reason)} events ${
      overwritten ? 'no longer in the ring' : 'lost'}`;
  for (const lane of lanes) {
    if (!isOf(gap, lane)) continue;
    const y = lane.top - view.top + ruler_px;
    context.fillStyle = colour('gap');
    context.fillRect(x, y, width, lane.rows * row_px);
    context.fillStyle = colour('text');
    context.fillText(fit(text, width - 8), x + 4,
                     y + row_px * (lane.rows - 0.5));
  }
}

function outline(context, { lane, span }, view) {
  const place = clip(span[0], span[1], view);
  if (!place) return;
  context.strokeStyle = colour('text');
  context.lineWidth = 2;
  const y = lane.top - view.top + ruler_px + rowOf(lane, span) * row_px;
  context.strokeRect(place[0], y,
                     Math.max(2, place[1] - place[0]), row_px - 1);
}

function drawLanes(context, answer, view, chosen) {
  context.save();
  context.beginPath();
  context.rect(0, ruler_px, view.width, view.height);
  context.clip();
  const colours = Object.fromEntries(legend.map(([c]) => [c, colour(c)]));
  const visible = answer.lanes.filter((lane) => {
    const y = lane.top - view.top;
    return y + lane.rows * row_px > 0 && y < view.height;
  });
  for (const lane of visible) {
    drawLane(context, lane, answer, view, colours);
    drawName(context, lane, view);
  }
  for (const gap of answer.gaps) drawGap(context, gap, visible, view);
  if (chosen) outline(context, chosen, view);
  context.restore();
}

// Draws [answer] of the server.  [view]: from, to in ns, left (width of the
// names), width, height and top (of the lanes, scrolled) in pixels; [waits]:
// waits are recorded, so that a thread without one runs.
export function draw(context, answer, view, chosen, selection) {
  context.textBaseline = 'middle';
  drawRuler(context, view);
  context.font = '11px system-ui, sans-serif';
  drawLanes(context, answer, view, chosen);
  if (selection) {
    context.fillStyle = colour('gap');
    context.fillRect(Math.min(...selection), ruler_px,
                     Math.abs(selection[1] - selection[0]), view.height);
  }
}

const distance = (span, t) =>
  t < span[0] ? span[0] - t : t > span[1] ? t - span[1] : 0;

// Returns the lane and the span at pixel [x], [y] of the view; the span is null
// between spans.  A span is hit within two pixels.
export function find(answer, view, x, y) {
  const below = y - ruler_px + view.top;
  const lane = answer.lanes.find(
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
