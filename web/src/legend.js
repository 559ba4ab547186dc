// What the colours of the timeline stand for: those that occur in a picture.

import { html, useMemo } from './html.js';
import { collects, colourOf, legend } from './picture.js';

function coloursOf({ lanes, names, gaps }, waits) {
  const colours = new Set(gaps.length > 0 ? ['gap'] : []);
  for (const lane of lanes) {
    if (waits && lane.runs) colours.add('running');
    if (waits && lane.stops.length > 0) colours.add('collecting');
    for (const span of lane.spans) {
      colours.add(colourOf(names, span));
      if (waits && lane.runs && collects(span)) colours.add('collecting');
    }
  }
  return colours;
}

// [waits]: waits are recorded.
export function Legend({ picture, waits }) {
  return html`<${LegendOf}
    colours=${useMemo(() => coloursOf(picture, waits), [picture, waits])} />`;
}

// [colours]: a set.
export function LegendOf({ colours }) {
  return html`<ul class="legend" aria-label="Legend">${
    legend.filter(([name]) => colours.has(name)).map(([name, label]) => html`
      <li key=${name}><i class=${name}></i>${label}</li>`)}</ul>`;
}
