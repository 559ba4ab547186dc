// Arrows from the thread that held a mutex when a wait for it began, or had the domain lock
// when a wait ended, to the thread that waited, as [ns, domain, from, to, since, what] of
// the server.  They lie over the picture.

import { html } from './html.js';
import { isSameTime, laneName, row_px, ruler_px, wait } from './lanes.js';

const most_visible = 200;       // with more, an arrow says little

const isOfMutex = (arrow) => arrow[5] === 'mutex';

// Returns the time at which the holder is known.
const timeOf = (arrow) => isOfMutex(arrow) ? arrow[4] : arrow[0];

// Returns the arrow of the wait [span] of [lane]; undefined if there is none.
export const arrowOf = ({ arrows }, lane, span) => span[4] !== wait ? undefined
  : arrows.find(([ns, domain, , to]) =>
      isSameTime(ns, span[1]) && domain === lane.domain && to === lane.thread);

// Returns the lane of the thread that an arrow comes from, of [lanes]: one of the same
// domain if there is one.
const laneFrom = (lanes, [, domain, thread]) =>
  lanes.find((l) => l.domain === domain && l.thread === thread) ??
  lanes.find((l) => l.thread === thread && !l.backup);

// Says who held what a thread waited for; null if that is not known.
export function holderText(picture, lane, span) {
  const arrow = arrowOf(picture, lane, span);
  if (!arrow) return null;
  const from = laneFrom(picture.all, arrow);
  return `${from ? laneName(from) : `thread ${arrow[2]}`} ${
    isOfMutex(arrow) ? 'held the mutex when the wait began' : 'had the domain lock'}`;
}

// [waits]: { lane, span } of those that are chosen and under the pointer.
export function Arrows({ picture, place, waits }) {
  const { from, to, left, width, height, top } = place;
  const visible = picture.arrows.filter((arrow) =>
    from <= timeOf(arrow) && timeOf(arrow) <= to);
  if (visible.length >= most_visible) return null;
  const drawn = waits.map(({ lane, span }) => arrowOf(picture, lane, span))
    .filter((arrow) => visible.includes(arrow))
    .map((arrow) => ({
      x: left + (timeOf(arrow) - from) / (to - from) * (width - left),
      begin: laneFrom(picture.lanes, arrow)?.top,
      end: picture.lanes.find((lane) => lane.domain === arrow[1] &&
                                        lane.thread === arrow[3])?.top }))
    .filter((arrow) => arrow.begin !== undefined && arrow.end !== undefined);
  const y = (row) => row - top + ruler_px + row_px / 2;
  return html`<svg class="arrows" width=${width} height=${height}>${
    drawn.map(({ x, begin, end }, i) => {
      const back = begin < end ? -7 : 7;
      return html`<g key=${i}><line x1=${x} x2=${x} y1=${y(begin)} y2=${y(end)} />
        <path d=${`M${x} ${y(end)}l-5 ${back}h10z`} /></g>`;
    })}</svg>`;
}
