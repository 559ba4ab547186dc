// What is behind a chosen span: the raw events up to its begin and its end and, of a pause,
// its cause, the domain that requested it, and when each domain arrived at the stop.

import { html, useEffect, useState } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import { EventTable } from './events.js';
import { joinEvents } from './join_events.js';
import { isSameTime } from './lanes.js';
import { OverwrittenEvents, RuleForNext } from './overwritten.js';

const most_events = 100;        // up to the begin, and up to the end
const back_ns = 1e8;            // from here on before these times
const margin = 2e3;             // ns: two answers differ by less in the time of an event
const stop_margin = 1e7;        // ns in which a stop ends after its pause

const overlaps = (event, from, to) =>
  event.ns - (event.duration_ns ?? 0) < to && event.ns > from;

// The stop that belongs to the pause from..to: the longest that overlaps it.
function stopOf(events, from, to) {
  return events
    .filter((e) => e.name === 'stop_the_world' && overlaps(e, from, to))
    .sort((a, b) => b.duration_ns - a.duration_ns)[0];
}

// The event that ends in the pause, in its domain, and tells a cause.
function causeOf(events, domain, from, to) {
  return events.filter((e) => e.fields?.cause && overlaps(e, from, to) &&
                       (domain == null || e.domain === domain))
    .sort((a, b) => (b.duration_ns ?? 0) - (a.duration_ns ?? 0))[0];
}

function Arrivals({ rounds }) {
  const last = Math.max(1, ...rounds.map((r) => r.arrived_after));
  const late = rounds.find((r) => r.arrived_after === last);
  return html`
    <h3>Arrival of each domain after the request</h3>
    <svg class="arrivals" viewBox=${`0 0 400 ${rounds.length * 18}`} role="img"
      aria-label=${`Domain ${late?.domain} arrived last, after ${
        format.duration(last)}`}>${rounds.map((r, i) => html`
        <g key=${i}><text x="0" y=${i * 18 + 13}>${`domain ${r.domain}`}</text>
          <rect x="70" y=${i * 18 + 3} height="12"
            width=${Math.max(1, 240 * r.arrived_after / last)}
            class=${r === late ? 'late' : ''} />
          <text x=${76 + 240 * r.arrived_after / last} y=${i * 18 + 13}>${
            format.duration(r.arrived_after)}</text></g>`)}</svg>`;
}

// The time from the last arrival until the first domain went on.
const allStopped = ({ duration_ns, fields }) => Math.max(0, duration_ns -
  Math.max(0, ...(fields?.rounds ?? []).map((r) => r.left_before ?? 0)));

// The domain that went on last, of several, as text.
function wentOnLast({ fields }) {
  const rounds = fields?.rounds ?? [];
  const last = rounds.find((r) => rounds.every((other) => r.left_before <= other.left_before));
  return rounds.length > 1 && last ? ` (domain ${last.domain})` : '';
}

const List = ({ facts }) => html`<dl class="facts">${
  facts.filter(([, value]) => value).map(([label, value]) => html`
    <div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;

function Facts({ cause, stop }) {
  const fields = { ...stop?.fields, ...cause?.fields };
  return html`<${List} facts=${[
    ['Cause', fields.cause && format.phrase(fields.cause)],
    ['Requested by', fields.requested_by !== undefined &&
      `domain ${fields.requested_by}`],
    ['Reason of the stop', stop?.fields?.reason &&
      format.phrase(stop.fields.reason)],
    ['All stopped for', stop && format.duration(allStopped(stop))],
    ['Until the last went on', stop && `${format.duration(stop.duration_ns)}${
      wentOnLast(stop)}`],
    ['Promoted', fields.promoted !== undefined &&
      format.words(fields.promoted)],
    ['Allocated', fields.allocated !== undefined &&
      format.words(fields.allocated)],
  ]} />`;
}

// Asks for the events up to the begin and the end of a span, and for the stops that overlap
// it; of a [pause] that they do not tell, for what the server keeps of the longest, as
// [known].
async function ask(id, [from, to], domain, pause, signal) {
  const events = (parameters) => get(ofProcess(id, 'events'), parameters, signal);
  const upTo = (time) => events({ from: Math.max(0, time - back_ns), to: time + margin,
                                  order: 'latest', limit: most_events });
  const [of, begin, end] = await Promise.all([
    events({ from, to: to + stop_margin, filter: 'stop_the_world' }), upTo(from), upTo(to)]);
  const all = joinEvents(begin.events, end.events);
  const told = !pause || stopOf(of.events, from, to) || causeOf(all, domain, from, to);
  const stat = told ? null
    : await get(ofProcess(id, 'stat'), { from, to: to + margin }, signal);
  return { events: all, stops: of.events, units: { ...begin.units, ...end.units },
           more: begin.more || end.more,
           known: stat?.long_pauses?.find((p) => p.domain === domain
                                              && isSameTime(p.end_ns, to)) };
}

// Returns how long the event [name] of the span from..to took by itself: a pause for a stop
// begins with the request, the stop itself with the last arrival, and a rule goes by that.
function ownTime({ events }, stop, name, domain, from, to) {
  if (stop?.name === name) return stop.duration_ns;
  return Math.max(0, ...events.filter((e) => e.name === name && e.domain === domain &&
    overlaps(e, from, to)).map((e) => e.duration_ns ?? 0)) || to - from;
}

// What the server keeps of a pause when its events are overwritten.
function Known({ pause }) {
  return html`<${List} facts=${[
    ['Cause', pause.cause && format.phrase(pause.cause)],
    ['Requested by', pause.requested_by !== null && `domain ${pause.requested_by}`],
    ['Domains', pause.domains],
    ['Arrived last', pause.arrived_last !== null && `domain ${pause.arrived_last}`],
  ]} />`;
}

// [span]: of the timeline; [domain]: its domain's id; [name]: of its event, if known; [pause]:
// it is one.
export function SpanDetail({ id, process, span, domain, name, pause }) {
  const [from, to] = span;
  const [answer, set] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    set(null);
    ask(id, span, domain, pause, abort.signal).then(set, (e) => {
      if (e.name !== 'AbortError') set({ error: e.message });
    });
    return () => abort.abort();
  }, [id, from, to, domain]);
  if (!answer) return html`<p class="quiet">Loading…</p>`;
  if (answer.error)
    return html`<p class="error" role="alert">${format.name(answer.error)}</p>`;
  const stop = pause && stopOf(answer.stops, from, to);
  const own_ns = pause ? ownTime(answer, stop, name, domain, from, to) : to - from;
  const rule = { process, name, ns: own_ns };
  if (!answer.events.length && !answer.stops.length)
    return html`${answer.known && html`<${Known} pause=${answer.known} />`}
      <${OverwrittenEvents} ...${rule} />`;
  return html`<section class="pause">
    ${answer.known ? html`<${Known} pause=${answer.known} />` : pause && html`
      <${Facts} cause=${causeOf(answer.events, domain, from, to)} stop=${stop} />`}
    ${stop?.fields?.rounds?.length > 0 && html`
      <${Arrivals} rounds=${stop.fields.rounds} />`}
    <h3>Events up to its end and its begin <small>the latest first${answer.more &&
      `, ${most_events} of each`}</small>
      ${' '}<small><${RuleForNext} ...${rule} /></small></h3>
    <${EventTable} events=${answer.events.toReversed()} units=${answer.units}
      mark=${(e) => overlaps(e, from, to)} />
  </section>`;
}
