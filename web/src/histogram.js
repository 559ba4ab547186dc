// How many durations were how long: bars on a logarithmic axis.

import { html, useRef, useState } from './html.js';
import * as format from './format.js';
import { saveSvg } from './svg_image.js';

const steps = [1, 2, 5];

// Returns the borders 1, 2, 5, 10, 20... ns from the one at or below [low] to
// the one above [high].
function borders(low, high) {
  const list = [];
  for (let power = 1; power <= 1e13; power *= 10)
    for (const step of steps) list.push(step * power);
  const first = list.findLastIndex((b) => b <= low);
  const last = list.findIndex((b) => b > high);
  return list.slice(Math.max(0, first), last + 1);
}

// Returns bars [from, to, count] from the fine buckets of the server.
export function bars(buckets) {
  const edges = borders(buckets[0].from_ns, buckets.at(-1).from_ns);
  const counts = edges.slice(1).map((to, i) => [edges[i], to, 0]);
  let i = 0;
  for (const { from_ns, count } of buckets) {
    while (i < counts.length - 1 && from_ns >= counts[i][1]) i++;
    counts[i][2] += count;
  }
  return counts;
}

// [label]: says of what, for screen readers.
export function Bars({ buckets, label }) {
  const list = bars(buckets);
  const most = Math.max(...list.map((b) => b[2]));
  const width = 600 / list.length;
  const every = Math.ceil(list.length / 9);
  const numbers = list.length < 14;
  return html`
    <svg class="histogram" viewBox="0 0 640 170" role="img"
      aria-label=${label}>${list.map(([from, to, count], i) => {
        const height = count
          ? Math.max(2, 120 * Math.log1p(count) / Math.log1p(most)) : 0;
        return html`<g key=${from}>
          <title>${`${format.duration(from)} to ${format.duration(to)}: ${
            count}`}</title>
          <rect class="hit" x=${i * width} y="0" width=${width} height="145" />
          <rect class="bar" x=${i * width + 1} y=${145 - height}
            width=${width - 2} height=${height} />
          ${numbers && count > 0 && html`<text class="count"
            x=${(i + 0.5) * width} y=${140 - height}>
            ${format.compact(count)}</text>`}
          ${i % every === 0 && html`<text x=${i * width} y="162"
            class="edge">${format.duration(from)}</text>`}</g>`;
      })}</svg>`;
}

// [distributions]: as eventring latency --json; undefined before they are
// known.
export function Histogram({ distributions }) {
  const [name, choose] = useState('any');
  const figure = useRef(null);
  if (!distributions?.length) return null;
  const shown = distributions.find((d) => d.name === name) ?? distributions[0];
  return html`<figure class="chart" ref=${figure}>
    <figcaption>Histogram of <select aria-label="Kind of pause"
      value=${shown.name} onChange=${(e) => choose(e.target.value)}>
      ${distributions.map((d) => html`
        <option key=${d.name} value=${d.name}>${
          d.name === 'any' ? 'all pauses' : format.phrase(d.name)}
        </option>`)}</select>
      ${' '}<small>since the start, height logarithmic</small>
      ${shown.buckets?.length > 0 && html`<button type="button" class="save-as"
        title="Save the histogram as SVG" onClick=${() => saveSvg('histogram',
          figure.current.querySelector('svg'))}>SVG</button>`}</figcaption>
    ${shown.buckets?.length ? html`<${Bars} buckets=${shown.buckets}
      label="Histogram of pauses" />`
      : html`<p class="quiet">None yet.</p>`}
  </figure>`;
}
