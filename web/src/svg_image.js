// A picture of the page that is SVG already, as a file of its own.

import { saveText } from './save_file.js';

const namespace = 'http://www.w3.org/2000/svg';
const kept = ['fill', 'stroke', 'font-size', 'font-family', 'text-anchor'];

// Has the browser save [svg], an element of the page, as [name].svg, with the colours
// and fonts that the style sheet gives it.
export function saveSvg(name, svg) {
  const copy = svg.cloneNode(true);
  const elements = [svg, ...svg.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, i) => {
    const style = getComputedStyle(elements[i]);
    for (const property of kept)
      element.setAttribute(property, style.getPropertyValue(property));
  });
  const paper = document.createElementNS(namespace, 'rect');
  for (const [key, value] of [['width', '100%'], ['height', '100%'], [
    'fill', getComputedStyle(svg.parentNode).backgroundColor]])
    paper.setAttribute(key, value);
  copy.prepend(paper);
  saveText(`${name}.svg`, new XMLSerializer().serializeToString(copy),
           'image/svg+xml');
}
