// The picture of the timeline: a lane for each thread, with its spans in rows.  Only what
// the canvas shows is drawn.

import * as format from './format.js';
import { colour, textOn } from './colours.js';
import { fit } from './fit.js';
import { outside } from './intervals.js';
import {
  collector, isMerged, isOf, laneKey, laneName, rowOf, row_px, ruler_px, stop, wait,
} from './lanes.js';
import { waitColour, waitLegend } from './waits.js';

// Colours and what they stand for.
export const legend = [
  ['running', 'running'], ...waitLegend, ['waiting', 'waiting'],
  ['minor', 'minor collection'], ['major', 'major collection'],
  ['collecting', 'collecting'], ['stopped', 'all domains stopped'],
  ['other', 'other work of the runtime'], ['user', 'span of the program'],
  ['request', 'request'], ['gap', 'not recorded, lost or overwritten']];
const colourOfKind = ['collecting', 'user', 'waiting', 'stopped', 'request',
                      'other'];

// Returns the colour of [span], a CSS variable.
export function colourOf(names, span) {
  const name = isMerged(span) ? '' : names[span[2]] ?? '';
  if (span[4] === collector && /^minor|_minor/.test(name)) return 'minor';
  if (span[4] === collector && /^major|_major/.test(name)) return 'major';
  if (span[4] === wait) return waitColour(name);
  return colourOfKind[span[4]] ?? 'other';
}

// Whether a span shows in the first row, that the thread does not run.
export const collects = (span) =>
  (span[4] === collector || span[4] === stop) && span[3] === 0;

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
    const text = format.moment(t, step);
    if (x + 3 + context.measureText(text).width <= width)
      context.fillText(text, x + 3, ruler_px / 2);
  }
}

// A merged span has a share: its bar is as high as the share.
function drawSpan(context, span, x, end, y, fill, label) {
  context.fillStyle = fill;
  const width = Math.max(end - x, 1);
  const part = isMerged(span) ? Math.max(0.15, Math.min(1, span[5])) : 1;
  const height = (row_px - 1) * part;
  context.fillRect(x, y + row_px - 1 - height, width, height);
  if (width < 24 || isMerged(span)) return;
  context.fillStyle = textOn(fill);
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
    // A thread that waits is not concerned: its wait is drawn over them.
    for (const stop of lane.stops) {
      const place = clip(stop[0], stop[1], view);
      if (place) drawSpan(context, stop, ...place, y, colours.collecting, '');
    }
  }
  for (const span of lane.spans) {
    const place = clip(span[0], span[1], view);
    if (!place) continue;
    if (alive && collects(span))
      drawSpan(context, span, ...place, y, colours.collecting, '');
    drawSpan(context, span, ...place, y + rowOf(lane, span) * row_px,
             colours[colourOf(names, span)],
             isMerged(span) ? '' : format.phrase(names[span[2]]));
  }
}

function drawName(context, lane, { left, top }) {
  const y = lane.top - top + ruler_px;
  context.fillStyle = colour('text');
  context.fillText(fit(laneName(lane), left - 10, 6.3), 4, y + row_px / 2);
  if (lane.rows < 2) return;
  context.fillStyle = colour('quiet');
  const number = lane.domain == null ? '' : `domain ${lane.domain}`;
  context.fillText(number, 4, y + 1.5 * row_px);
}

// Says what a gap is: events lost, overwritten or not recorded.
export function gapText([, , reason, , overwritten]) {
  return typeof reason === 'string' ? format.name(reason)
    : `${format.count(reason)} events ${
      overwritten ? 'no longer in the ring' : 'lost'}`;
}

// Draws the gaps of a lane, which its domain or all domains have.  A domain may have
// several rings with gaps at the same time: the longest is drawn, with its text.
function drawGaps(context, gaps, lane, view) {
  const y = lane.top - view.top + ruler_px;
  let drawn = -Infinity;
  for (const gap of gaps.filter((g) => isOf(g, lane))
    .sort((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const place = clip(gap[0], gap[1], view);
    if (!place) continue;
    const x = Math.max(place[0], drawn);
    const width = Math.max(place[0] + 2, place[1]) - x;
    if (width <= 0) continue;
    drawn = x + width;
    context.fillStyle = colour('gap');
    context.fillRect(x, y, width, lane.rows * row_px);
    context.fillStyle = colour('text');
    context.fillText(fit(gapText(gap), width - 8), x + 4,
                     y + row_px * (lane.rows - 0.5));
  }
}

// Outlines a chosen span, or over all of its lane a pause or an event.  The lane of [chosen]
// may be of an earlier answer.
function outline(context, lanes, { lane: before, span, pause, event }, view) {
  const lane = lanes.find((l) => before && laneKey(l) === laneKey(before));
  const place = clip(...(span ?? pause ?? event).slice(0, 2), view);
  if (!place || !lane) return;
  context.strokeStyle = colour('text');
  context.lineWidth = 2;
  const y = lane.top - view.top + ruler_px;
  context.strokeRect(place[0], y + (span ? rowOf(lane, span) * row_px : 0),
                     Math.max(2, place[1] - place[0]),
                     (span ? 1 : lane.rows) * row_px - 1);
}

function drawLanes(context, picture, view, chosen) {
  context.save();
  context.beginPath();
  context.rect(0, ruler_px, view.width, view.height);
  context.clip();
  const colours = Object.fromEntries(legend.map(([c]) => [c, colour(c)]));
  const visible = picture.lanes.filter((lane) => {
    const y = lane.top - view.top;
    return y + lane.rows * row_px > 0 && y < view.height;
  });
  for (const lane of visible) {
    drawLane(context, lane, picture, view, colours);
    drawName(context, lane, view);
    drawGaps(context, picture.gaps, lane, view);
  }
  if (chosen) outline(context, visible, chosen, view);
  context.restore();
}

// Draws the time [from, to] that the user selects.
function drawSelection(context, [from, to], view) {
  const place = clip(from, to, view);
  if (!place) return;
  const [x, width] = [place[0], Math.max(1, place[1] - place[0])];
  context.fillStyle = colour('selection');
  context.fillRect(x, 0, width, view.height);
  context.fillStyle = colour('accent');
  for (const [time, edge] of [[from, x], [to, x + width - 1]])
    if (view.from <= time && time <= view.to) context.fillRect(edge, 0, 1, view.height);
}

function drawMoment(context, t, view) {
  const place = clip(t, t, view);
  if (!place) return;
  context.fillStyle = colour('accent');
  context.fillRect(place[0], 0, 2, view.height);
}

// Draws an answer of the server with the lanes of layOut.  [view]: from, to in ns, left
// (width of the names), width, height and top (of the lanes, scrolled) in pixels;
// [waits]: waits are recorded, so that a thread without one runs; [moment]: of useMoment.  [chosen]: as of
// useChosen; [selection]: a time or null.
export function draw(context, picture, view, chosen, selection) {
  context.textBaseline = 'middle';
  drawRuler(context, view);
  context.font = '11px system-ui, sans-serif';
  drawLanes(context, picture, view, chosen);
  if (selection) drawSelection(context, selection, view);
  if (view.moment !== null) drawMoment(context, view.moment, view);
}
