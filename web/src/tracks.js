// Tracks below the lanes of the timeline: the size of the heap and the counters of the
// program in the same window, from the history.

import { html } from './html.js';
import { useCanvas } from './canvas.js';
import { fit } from './fit.js';
import { counterColour, heapColour } from './chart.js';
import { colour } from './colours.js';
import * as format from './format.js';
import { useFreshTier, useTiers } from './tiers.js';

const most_counters = 8;

// Returns what there is to show: { key, for the address; label, text, colour, column; known:
// the latest value, which may come after the last row; undefined: not known }.
export function tracksOf({ history, detail }) {
  const { columns } = history.tiers[0];
  const counters = Object.keys(columns.counters ?? {}).slice(0, most_counters);
  return [
    ...columns.heap_bytes ? [{ key: 'heap', label: 'Major heap', text: format.bytes,
                               colour: heapColour, column: (all) => all.heap_bytes }] : [],
    ...counters.map((name) => ({
      key: `counter:${encodeURIComponent(name)}`, label: format.name(name),
      text: format.compact, colour: counterColour, column: (all) => all.counters?.[name],
      known: detail?.counters?.find((c) => c.name === name)?.value }))];
}

// Returns the values of the rows in the window, null where none is known, and the number
// of the first row.
function valuesOf(track, tier, { from, to }) {
  const first = Math.max(tier.first, Math.floor(from / tier.ns));
  const end = Math.min(tier.end, Math.ceil(to / tier.ns));
  return { first, values: tier.values(track.column(tier.columns), first, end) };
}

function drawTrack(context, { track, tier, first, values, most, place }, height) {
  const { from, to, left, width } = place;
  const x = (ns) => Math.max(left, left + (ns - from) / (to - from) * (width - left));
  context.fillStyle = colour(track.colour);
  values.forEach((value, i) => {
    if (value === null) return;
    const [begin, end] = [first + i, first + i + 1].map((row) => x(row * tier.ns));
    const bar = Math.max(1, (height - 4) * value / (most || 1));
    context.fillRect(begin, height - bar, end - begin + 0.5, bar);
  });
}

// Values stand for the time of their rows; [place]: as of the lanes.
function Track({ track, tier, place, step }) {
  const { first, values } = valuesOf(track, tier, place);
  const most = values.reduce((a, b) => Math.max(a, b ?? 0), 0);
  const last = (place.to >= tier.end * tier.ns ? track.known : undefined)
    ?? values.findLast((value) => value !== null);
  const canvas = useCanvas((context, width, height) => {
    drawTrack(context, { track, tier, first, values, most, place }, height);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = colour('text');
    context.fillText(fit(track.label, place.left - 10, 6.3), 4, 9);
    context.fillStyle = colour('quiet');
    context.fillText(track.text(last), 4, 23);
  }, [track.key, tier, place.from, place.to, place.width, step, last, most]);
  return html`<canvas ref=${canvas} class="track" role="img" aria-label=${
    `${track.label}: ${track.text(last)}, at most ${track.text(most)}`}></canvas>`;
}

export function Tracks({ tracks, hidden, data, live, place }) {
  const { history } = data;
  const shown = tracks.filter(({ key }) => !hidden.has(key));
  const tier = history.tierFor(place.from, place.to);
  useTiers(shown.length > 0 ? [tier] : [], data, live);
  useFreshTier(tier, data, live && shown.length > 0);
  if (shown.length === 0) return null;
  return html`<div class="tracks">${shown.map((track) => html`
    <${Track} key=${track.key} ...${{ track, tier, place, step: tier.end }} />`)}</div>`;
}
