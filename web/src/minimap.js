// The whole known time of a process, from its history, with the window of the timeline,
// which can be dragged.

import { html, useRef } from './html.js';
import { useCanvas } from './canvas.js';
import { colour } from './colours.js';
import * as format from './format.js';
import { beginOf } from './history.js';
import { useFreshTier, useTiers } from './tiers.js';

const redraw_ns = 1e9;
const least_px = 3;             // of the window

// Draws the shares of each row: running at the bottom, collecting on it, waiting behind.
function draw(context, tier, [begin, end], width, height) {
  const first = Math.max(tier.first, Math.floor(begin / tier.ns));
  const column = (name) => tier.values(tier.columns[name], first, tier.end);
  const [running, collecting] = [column('running'), column('collecting')];
  const x = (ns) => (ns - begin) / (end - begin) * width;
  const colours = ['waiting', 'running', 'collecting'].map(colour);
  running.forEach((share, i) => {
    if (share === null) return;
    const [left, right] = [first + i, first + i + 1].map((row) => x(row * tier.ns));
    const bar = (fill, low, high) => {
      context.fillStyle = fill;
      context.fillRect(left, height * (1 - high), right - left + 0.5,
                       height * (high - low));
    };
    const top = Math.min(1, share + (collecting[i] ?? 0));
    bar(colours[0], top, 1);
    bar(colours[1], 0, share);
    bar(colours[2], share, top);
  });
}

// [view]: the window; [move] changes it.
export function Minimap({ data, live, view, move }) {
  const { history, now } = data;
  const begin = beginOf(history);
  const end = Math.max(now, begin + 1);
  const tier = history.tierFor(begin, end);
  useTiers(history.tiers, data, live);  // the begin is in the coarsest one
  useFreshTier(tier, data, live);
  const canvas = useCanvas(
    (context, width, height) => draw(context, tier, [begin, end], width, height),
    [tier, tier.loaded, begin, Math.floor(now / redraw_ns)]);
  const drag = useRef(null);
  const timeAt = ({ offsetX, currentTarget }) =>
    begin + offsetX / currentTarget.clientWidth * (end - begin);
  const onPointerDown = (event) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = timeAt(event);
    const length = view[1] - view[0];
    const inside = view[0] <= at && at <= view[1];
    const start = inside ? view : [at - length / 2, at + length / 2];
    drag.current = { at, start };
    if (!inside) move(start);
  };
  const onPointerMove = (event) => {
    if (!drag.current) return;
    const { at, start } = drag.current;
    move(start.map((ns) => ns + timeAt(event) - at));
  };
  const onPointerUp = () => { drag.current = null; };
  const part = (ns) => Math.min(1, Math.max(0, (ns - begin) / (end - begin)));
  const [left, right] = view.map(part);
  return html`<div class="minimap" role="img" aria-label=${
    `All of the time, ${format.moment(begin, 1e8)} to ${format.moment(end, 1e8)}`}
    title="Drag the window" ...${{ onPointerDown, onPointerMove, onPointerUp,
                                   onPointerCancel: onPointerUp }}>
    <canvas ref=${canvas}></canvas>
    <div class="window" style=${{ left: `min(${100 * left}%, 100% - ${least_px}px)`,
      width: `max(${100 * (right - left)}%, ${least_px}px)` }}></div></div>`;
}
