// What the colours of the timeline stand for.

import { html } from './html.js';
import { legend } from './picture.js';

export function Legend() {
  return html`<ul class="legend" aria-label="Legend">${
    legend.map(([name, label]) => html`
      <li key=${name}><i class=${name}></i>${label}</li>`)}
    <li><i class="gap"></i>not recorded, lost or overwritten</li></ul>`;
}
