// Times of which the rings no longer have the events: later ones took their place.

import { useAnswer } from './answer.js';
import { ofProcess } from './api.js';
import * as format from './format.js';
import { html } from './html.js';
import { isFixed } from './range.js';
import { ruleAddress, whenLike } from './rules.js';

// Returns whether all of [kept] begin later than [to], since the events before were lost
// or overwritten.
export const isOverwritten = (kept, to) => kept.length > 0 &&
  kept.every((k) => k.begin_lost && k.from_ns >= to);

export const overwrittenText =
  'The events of this time are no longer in the rings: later ones took their place.';

export const OverwrittenMark = () => html`
  ${' '}<span class="quiet" title=${overwrittenText}>overwritten</span>`;

// Says from when on the rings had all events of a file up to [to], if that is known.
export const completeText = (ns, to = Infinity) => ns < to
  ? `The rings had all events only from ${format.moment(ns, 1e6)} on.`
  : 'The rings had lost events up to the end of this time, or all of them.';

// Returns the rings of the process [id] with what they have now, those with samples if
// [samples]; [] without a fixed range [of].
export function useKept(id, of, alive, samples) {
  const { answer } = useAnswer(isFixed(of) ? ofProcess(id, 'kept') : null,
                               { period_ms: alive ? 5000 : 0, key: of.to });
  return isFixed(of) && answer
    ? answer.rings.filter((ring) => Boolean(ring.samples) === samples) : [];
}

// Says that [kept] have only a part of the events of a fixed range.
export function PartlyOverwritten({ from, to, kept }) {
  const late = kept.filter((k) => k.begin_lost && k.from_ns > from);
  return late.length > 0 && !isOverwritten(kept, to) && html`
    <span class="quiet partly" role="status" title="Later events take the place of those of
this range. Save the range keeps what is left.">All events are there only from ${
      format.moment(Math.max(...late.map((k) => k.from_ns)), 1e8)} on</span>`;
}

// Says that [kept] no longer have the events of a fixed range up to [to]: a view may still
// show those that it has asked for before.
export const OverwrittenRange = ({ to, kept, alive }) => isOverwritten(kept, to) && html`
  <p class="note overwritten" role="status">${overwrittenText} A link to this range, or a
    download of it, has none.${alive && html`
    ${' '}<a href="#/rules">A rule</a> saves the next ones of their kind.`}</p>`;

// A link to the rule that saves the next events called [name], which took [ns]: those that
// take about as long or longer, or [when].  [name]: null if it is not known; a rule cannot
// have one with a >.
export const RuleForNext = ({ process, name, ns, when = whenLike(name, ns) }) =>
  process.state === 'running' && name && !name.includes('>') &&
  html`<a href=${ruleAddress(process, when)}>Add a rule that saves the next one</a>`;

// Says that the events called [name], which took [ns], are gone, and how to keep the next
// ones.
export const OverwrittenEvents = (given) => html`<p class="note">${overwrittenText}
  ${' '}<${RuleForNext} ...${given} /></p>`;

// Says from which time on all events of [from] and later are there, unless they all are.
export function Complete({ from, kept }) {
  const late = kept.filter((k) => k.begin_lost && k.from_ns > from);
  return late.length > 0 && html`<p class="note">Complete only from ${
    format.moment(Math.max(...late.map((k) => k.from_ns)), 1e6)} on: the events before are
    overwritten.</p>`;
}
