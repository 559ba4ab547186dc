// The facts about a span of the timeline.

import { html } from './html.js';
import * as format from './format.js';
import { isMerged, kindNames, laneName, nameOf, stop } from './lanes.js';

// Returns texts about [span], which has its name and its cause in [names]; [rest]: the
// cause, or what merged spans have instead.
export function spanFacts({ names }, span) {
  const [from, to, , , kind, last] = span;
  const merged = isMerged(span);
  return {
    name: nameOf({ names }, span), kind: merged ? null : kindNames[kind],
    duration: format.duration(to - from), begin: `from ${format.moment(from, 1)}`,
    rest: merged ? `they fill ${format.share(last)} of this time; zoom in to see each`
      : last == null ? null
      : `${kind === stop ? 'reason' : 'cause'}: ${format.phrase(names[last])}` };
}

// [chosen]: with the names of its own answer; the next answer has others.
export function Chosen({ chosen }) {
  const { name, kind, duration, begin, rest } = spanFacts(chosen, chosen.span);
  return html`<p class="chosen"><b>${name}</b>${kind && ` (${kind})`} in ${
    laneName(chosen.lane)}: ${duration}, ${begin}${rest && ` · ${rest}`}</p>`;
}
