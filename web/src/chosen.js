// The span or pause that is chosen in the timeline, and the facts about it.

import { html, useEffect, useMemo, useState } from './html.js';
import { holderText } from './arrows.js';
import { findChoice, nameOfChoice } from './choice.js';
import * as format from './format.js';
import { isMerged, isPause, kindNames, laneName, nameOf, stop } from './lanes.js';
import { SpanDetail } from './span_detail.js';

// Returns [the span or pause that the address names, as it was chosen or, after a reload,
// as [picture] has it; a function that chooses another one or, with null, none].
export function useChosen(address, picture) {
  const { sel } = address.values;
  const [chosen, set] = useState(null);
  const choose = (hit) => {
    const name = hit && !isMerged(hit.span) ? nameOfChoice(hit) : null;
    set(hit && { ...hit, sel: name });
    address.go({ sel: name }, { silent: true });
  };
  const known = chosen && (chosen.sel ?? undefined) === sel ? chosen : null;
  const found = useMemo(() => !known && sel && picture ? findChoice(picture, sel) : null,
                        [known, sel, picture]);
  // A pause may have a span in another answer.
  useEffect(() => { if (found?.span) set({ ...found, sel }); }, [found]);
  return [known ?? found, choose];
}

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

function Span({ id, process, chosen, picture }) {
  const { lane, span, names } = chosen;
  const holder = picture && holderText(picture, lane, span);
  const { name, kind, duration, begin, rest } = spanFacts(chosen, span);
  return html`<p class="chosen"><b>${name}</b>${kind && ` (${kind})`} in ${
    laneName(lane)}: ${duration}, ${begin}${rest && ` · ${rest}`}${
    holder && ` · ${holder}`}</p>
    ${!isMerged(span) && html`<${SpanDetail} ...${{ id, process, span }}
      domain=${lane.domain} name=${names[span[2]]} pause=${isPause(span)} />`}`;
}

// A pause of which no span is drawn: in it, the domain stood still for others.
function Pause({ id, process, chosen: { domain, lane, pause } }) {
  const [from, to, name] = pause;
  return html`<p class="chosen"><b>Pause of domain ${domain}</b>${
    name && ` (${format.phrase(name)})`}: ${format.duration(to - from)}, from ${
    format.moment(from, 1)} · ${lane
      ? `no span has this time; it is outlined over ${laneName(lane)}`
      : 'no lane of this domain is shown'}</p>
    <${SpanDetail} ...${{ id, process, name }} span=${pause} pause=${true}
      domain=${Number(domain)} />`;
}

// An event of which no span is drawn.
function Event({ id, process, chosen: { domain, lane, event } }) {
  const [from, to, name] = event;
  return html`<p class="chosen"><b>${format.phrase(name)}</b>${
    lane && ` in ${laneName(lane)}`}${to > from && `: ${format.duration(to - from)}, from ${
    format.moment(from, 1)}`}${to === from && `, at ${format.moment(to, 1)}`} · ${lane
      ? 'the timeline has no span of it; it is outlined over its lane'
      : 'no lane of its thread is shown'}</p>
    <${SpanDetail} ...${{ id, process, name }} span=${event} domain=${Number(domain)} />`;
}

// [chosen]: with the names of its own answer; the next answer has others.
export const Chosen = (given) => given.chosen.span ? html`<${Span} ...${given} />`
  : given.chosen.event ? html`<${Event} ...${given} />` : html`<${Pause} ...${given} />`;
