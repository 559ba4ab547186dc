// The line under the pointer and what is there.  It lies over the picture, which is not
// drawn again when the pointer moves.

import { html, useEffect, useState } from './html.js';
import { Arrows, holderText } from './arrows.js';
import * as format from './format.js';
import { find } from './choice.js';
import { isMerged, isOf, laneName, row_px, ruler_px } from './lanes.js';
import { gapText } from './picture.js';
import { spanFacts } from './chosen.js';

const gapAt = (picture, lane, t) => picture.gaps.find((gap) =>
  isOf(gap, lane) && gap[0] <= t && t < gap[1]);

// Returns the lines about { lane, span } of find, at time [t] and pixel [y]; null when
// nothing is known.
function linesAt(picture, place, { lane, span }, t, y) {
  const gap = gapAt(picture, lane, t);
  if (gap && (!span || isMerged(span)))
    return [gapText(gap), format.duration(gap[1] - gap[0]), laneName(lane)];
  const inFirstRow = y - ruler_px + place.top - lane.top < row_px;
  if (!span && inFirstRow && place.waits)
    span = lane.stops.find((stop) => stop[0] <= t && t < stop[1]);
  if (span) {
    const { name, kind, duration, begin, rest } = spanFacts(picture, span);
    return [name, [kind, duration].filter(Boolean).join(', '), begin, rest,
            holderText(picture, lane, span), laneName(lane)];
  }
  const [from, to] = lane.extent;
  return inFirstRow && place.waits && lane.runs && from <= t && t < to
    ? ['running', laneName(lane)] : null;
}

function Tooltip({ lines, x, y, place }) {
  const style = {
    [x < place.width / 2 ? 'left' : 'right']: `${x < place.width / 2 ? x + 12
      : place.width - x + 12}px`,
    [y < place.height / 2 ? 'top' : 'bottom']: `${y < place.height / 2 ? y + 12
      : place.height - y + 12}px` };
  return html`<div class="tooltip" role="tooltip" style=${style}>${
    lines.filter(Boolean).map((line, i) => html`<div key=${i}>${line}</div>`)}</div>`;
}

function Line({ at: [x, y], hit, picture, place }) {
  const ns_per_px = (place.to - place.from) / (place.width - place.left);
  const t = place.from + (x - place.left) * ns_per_px;
  const lines = hit && linesAt(picture, place, hit, t, y);
  return html`
    <div class="crosshair" style=${{ left: `${x}px` }}>
      <span class=${x > place.width - 120 ? 'before' : ''}>${
        format.moment(t, ns_per_px)}</span></div>
    ${lines && html`<${Tooltip} ...${{ lines, x, y, place }} />`}`;
}

// [pointer]: a reference to { at, show }; [show] gets the place of the pointer, [x, y],
// or null when there is none.  [chosen]: a span that has its arrow, too, or null.
export function Hover({ pointer, picture, place, chosen }) {
  const [at, set] = useState(null);
  useEffect(() => {
    pointer.current.show = set;
  }, []);
  if (!picture) return null;
  const hit = at && find(picture, place, ...at);
  const waits = [chosen, hit].filter((choice) => choice?.span);
  return html`
    <${Arrows} ...${{ picture, place, waits }} />
    ${at && at[0] >= place.left && html`<${Line} ...${{ at, hit, picture, place }} />`}`;
}
