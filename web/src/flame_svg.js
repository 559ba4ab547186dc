// A flame graph as a picture that needs no other file.

import * as format from './format.js';
import { fit } from './fit.js';

const width_px = 1200;
const row_px = 18;
const margin_px = 10;
const head_px = 34;

// Names have no control characters here; these have no place in XML either.
const escaped = (text) => format.name(text)
  .replace(/[\ud800-\udfff\ufffe\uffff]/gu, '\ufffd')
  .replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function bar({ node, depth, from, to, above }, [fill, ink], tell) {
  const inner = width_px - 2 * margin_px;
  const x = margin_px + inner * from;
  const width = Math.max(1, inner * (to - from) - 1);
  const y = head_px + depth * row_px;
  const label = fit(format.name(node.name), width - 6, 6.7);
  const text = label && `<text x="${(x + 3).toFixed(1)}" y="${y + 12.5}" fill="${ink}">${
    escaped(label)}</text>`;
  return `<g${above ? ' opacity="0.5"' : ''}><title>${escaped(tell)}</title>` +
    `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${
      row_px - 1}" rx="2" fill="${fill}"/>${text}</g>`;
}

// Returns the text of the picture.  [boxes]: objects with node, depth, and from and to
// in parts of the width; [coloursOf] and [tell] return the colours of a box and of its
// text, and what it shows.
export function flameSvg(title, boxes, coloursOf, tell) {
  const deepest = boxes.reduce((most, { depth }) => Math.max(most, depth), 0);
  const height = head_px + (1 + deepest) * row_px + margin_px;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width_px}" height="${
    height}" viewBox="0 0 ${width_px} ${height}" font-family="monospace" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${margin_px}" y="21" font-family="sans-serif" font-size="14">${
    escaped(title)}</text>
${boxes.map((box) => bar(box, coloursOf(box), tell(box.node))).join('\n')}
</svg>
`;
}
