// The view of profiles: processor time or another amount by stack.

import { html, useEffect, useMemo, useRef, useState } from './html.js';
import { Message, obstacle, useAction } from './control.js';
import * as format from './format.js';
import { FlameGraph } from './flame_graph.js';
import {
  allSamples, Base, baseOf, isSelected, Selection, selectionOf,
} from './flame_selection.js';
import { child, fromOCaml, newNode, sumUp } from './flame_tree.js';
import { LiveSites } from './live_sites.js';
import { typeLabels, typeNamed, typeOf } from './profile_types.js';
import {
  coverText, getCovered, isFixed, limits, rangeText, rangeValues, useShown,
} from './range.js';
import { RecordFor, record_s, recordedText } from './record.js';

const refresh_ms = 2000;        // while a recording was asked for

// Adds the tree of [answer] to [root]: what ends in a node to its [field], and, of 'self',
// the variance and the samples by which it was estimated.  A truncated
// answer lacks small nodes: what a node has called besides is "[small parts]".
function addAnswer(root, answer, unit, field) {
  const fill = (node, from) => {
    const self = from[`self_${unit}`];
    let rest = from[`value_${unit}`] - self;
    node[field] += self;
    if (field === 'self') {
      node.variance += (from[`self_error_${unit}`] ?? 0) ** 2;
      node.samples += from.self_samples ?? 0;
    }
    for (const c of from.children) {
      rest -= c[`value_${unit}`];
      fill(child(node, c.name, c.kind), c);
    }
    if (rest > 0) child(node, '[small parts]')[field] += rest;
  };
  if (answer?.name) fill(root, answer);
}

// Returns the tree of [answer], compared with that of [base], with numbers of any unit.
function treeOf({ base, ...answer }, { unit, fromOCaml: cut }) {
  const whole = newNode(answer.name);
  addAnswer(whole, answer, unit, 'self');
  addAnswer(whole, base, unit, 'baseSelf');
  const root = cut ? fromOCaml(whole) : whole;
  sumUp(root);
  return root;
}

// What the rings with the samples of [type] have, and whose they are.  A ring of samples
// belongs to a thread.  A recording does not say when its samples begin.
const ringsOf = ({ kept, keptSamples }, type) => type.ownRings && keptSamples.length > 0
  ? [keptSamples, 'thread of domain']
  : [kept, type.categories.length > 1 ? 'waits of domain' : 'domain'];

// A profile may have only the time from [answer.from_ns] on, of which no ring has lost
// samples.  A recording does not tell where its rings of samples begin, which may be
// before those of events.
function timeOf(answer, type, now, span = answer.span) {
  const rings = ringsOf(answer, type);
  const begin = Math.min(...rings[0].map((k) => k.from_ns));
  const from = span.from ?? 0;
  if (answer.from_ns !== undefined)
    return rangeText({ from: Math.max(from, answer.from_ns), to: span.to }, now);
  return type.ownRings && !answer.keptSamples.length && answer.first_ns < begin
    ? rangeText({ from: Math.max(from, answer.first_ns), to: span.to }, now)
    : coverText(span, now, ...rings);
}

// [record]: records categories; [why]: it cannot, or null.
function NoSamples({ process, type, selected, answer, address, now, record, why, wider }) {
  if (answer.earlier_samples > 0) return null;
  const [kept] = ringsOf(answer, type);
  const to = answer.span.to ?? now;
  // Without rings of samples none was taken so far.
  const taken = !type.ownRings || answer.keptSamples.length > 0;
  if (taken && kept.length > 0 && kept.every((k) => k.begin_lost && k.from_ns > to))
    return html`<p class="empty">Later events took the place of the samples of this time:
      the rings have ${timeOf(answer, type, now, limits({ last: null }))}.${wider}</p>`;
  const off = type.categories.filter((c) => !process.categories?.includes(c));
  const names = (off.length ? off : type.categories).map((c, i) => html`${
    i > 0 && ' and '}<b key=${c}>${c}</b>`);
  const advice = process.state !== 'running'
    ? html`They are taken while ${names} is recorded.`
    : off.length ? html`${names} ${off.length > 1 ? 'are' : 'is'} off.<br />
      <${RecordFor} categories=${off} ...${{ record, why }} />
      ${' '}<a href=${address.to({}, 'control')}>Switch on for longer</a>`
    : html`They are taken now: ${names} ${names.length > 1 ? 'are' : 'is'} on.`;
  const one = address.values.request && html` One request may run for less than the time
    between two samples, and one that has ended gets no more of them:${' '}<a href=${address.to({ request: null, zoom: null })}>show all
    requests</a>, and select its kind.`;
  return html`<p class="empty">There are no samples for this profile ${
    selected ? 'that are selected' : 'in this range'}. ${advice}${one}${wider}</p>`;
}

// The selection of the type.
function Types({ chosen, address }) {
  const choose = (event) => address.go({ type: event.target.value, zoom: null });
  return html`<label>Show <select name="type" value=${chosen}
    onChange=${choose}>${typeLabels.map(([key, label]) => html`
      <option key=${key} value=${key}>${label}</option>`)}</select></label>`;
}

// Asks for the tree of the samples of type [key] that the address selects in the range,
// and in the base, if there is one, again for each [round].  An answer for another type than
// [key] is not returned.
function useAnswer(id, key, range, data, values, round) {
  const [answer, set] = useState(null);
  const now = useRef(0);
  now.current = data.now;
  const selection = selectionOf(values);
  useEffect(() => {
    const abort = new AbortController();
    const [asked, span] = [now.current, limits(range, now.current)];
    const base = baseOf(values.base, id, span);
    const ask = (of, limits_, selected) => getCovered(
      of, 'flame', { type: key, ...limits_, ...selected }, abort.signal);
    // Other processes have other threads and requests.
    const { request: _, thread: __, ...alike } = selection;
    const askBase = async () => {
      if (!base) return { error: 'there is no time before all: choose a shorter range' };
      try {
        const other = await ask(base.id, base.span, base.id === id ? selection : alike);
        return { ...other, span: base.span };
      } catch (e) {
        if (e.name === 'AbortError') throw e;
        return { error: e.message };
      }
    };
    Promise.all([ask(id, span, selection), values.base && askBase()])
      .then(([found, other]) => set({ ...found, base: other, key, span, now: asked }), (e) => {
        if (e.name !== 'AbortError') set({ error: e.message, key });
      });
    return () => abort.abort();
  }, [id, key, JSON.stringify([range, selection]), values.base, round]);
  return answer?.key === key ? answer : null;
}

const sumText = (answer, type) =>
  `${type.text(answer[`value_${type.unit}`])} in ${format.plural(answer.samples, 'sample')}`;

function baseText(base, type, now) {
  if (base.error) return `The base: ${format.name(base.error)}`;
  if (!base.name) return 'The base has no such samples';
  return `Compared with ${sumText(base, type)}, ${
    base.span.to === null && base.from_ns === undefined ? 'all that is there'
      : timeOf(base, type, now)}`;
}

// Says how many samples are left out, and why.
const leftOut = (answer, whose) => [
  [answer.earlier_samples, 'other samples of their time are lost'],
  [answer.unknown_requests, 'the events of their requests are lost'],
  [answer.unknown_threads, 'the threads that allocated them are not known']]
  .filter(([n]) => n > 0).map(([n, why]) => html`<p key=${why} class="note">${whose}${
    format.plural(n, 'sample')} ${n === 1 ? 'is' : 'are'} left out: ${why}.</p>`);

// How much of the range is without samples at its begin and end when that is told: this part
// of it, and so long.
const [told_part, told_ns] = [0.2, 1e9];

// Says that the samples that the rings have are of a part of the range only, unless some are
// selected.
function PartlySampled({ answer, type, selected }) {
  const { span, first_ns, last_ns, now } = answer;
  const [kept] = ringsOf(answer, type);
  const late = kept.filter((k) => k.begin_lost).map((k) => k.from_ns);
  const from = Math.max(span.from ?? 0, ...late);
  const to = span.to ?? now;
  const without = to - from - (last_ns - Math.max(first_ns, from));
  return (type.ownRings || type === typeOf('alloc')) && !selected &&
    without > Math.max(told_ns, told_part * (to - from)) && html`
      <p class="note">Of this time there are samples only from ${rangeText(
        { from: first_ns, to: last_ns }, now)}: before and after, they were not taken, or
        the program had nothing to sample.</p>`;
}

const few_samples = 100;        // the largest functions have some ten of them

// Says of [root], of [answer], how far its numbers can be trusted.
function Reservations({ root, answer, type, process, address }) {
  const off = process.state === 'running' && type === typeOf('live') &&
    !process.categories?.includes('profile_alloc');
  return html`${root.variance > 0 && answer.samples < few_samples && html`
    <p class="note">Estimated from ${format.plural(answer.samples, 'sample')}: record for
      longer, or <a href=${address.to({}, 'control')}>sample more often</a>.</p>`}${
    off && html`<p class="note"><b>profile_alloc</b> is off: blocks that were freed since
      then count as alive.</p>`}`;
}

// The requests with the most samples, unless one was chosen.  The links hold the range: it
// moves on.
function MostRequests({ answer: { requests, span }, address, now }) {
  const most = requests?.slice(0, 3) ?? [];
  // With one sample each they are as good as any others.
  if (address.values.request || !(most[0]?.samples > 1)) return null;
  const held = rangeValues({ from: span.from ?? 0, to: span.to ?? now });
  return html`<p class="note">Requests with the most samples: ${most.map((r, i) =>
    html`${i > 0 && ', '}<a key=${r.number} href=${address.to({
      ...allSamples, ...held, request: `${r.number}` })}>${r.name ? format.name(r.name) : 'request'} ${
      r.number}</a> (${format.count(r.samples)})`)}.</p>`;
}

function Answer({ answer, process, type, address, now, record, why, wider }) {
  const root = useMemo(() => answer?.name
    ? treeOf(answer, type) : null, [answer, type]);
  if (!answer) return html`<p class="quiet">Loading…</p>`;
  if (answer.error)
    return html`<p class="error" role="alert">${format.name(answer.error)}</p>`;
  const { base } = answer;
  return html`${leftOut(answer, '')}${base && leftOut(base, 'Of the base, ')}${root?.value
    ? html`${base && html`<p class="note">${baseText(base, type, now)}.</p>`}
      <${PartlySampled} ...${{ answer, type }} selected=${isSelected(address.values)} />
      <${Reservations} ...${{ root, answer, type, process, address }} />
      <${MostRequests} ...${{ answer, address, now }} />
      ${(answer.truncated || base?.truncated) && html`<p class="note">Small functions are
        left out: there are more than 20 000 different stacks.${base &&
        ' Their differences are not known.'}</p>`}
      <${FlameGraph} root=${root} text=${type.text} bar=${type.bar}
        compared=${base?.name ? 'share' : null} state=${address.values} set=${(changes) =>
          address.go(changes, { silent: !('zoom' in changes || 'focus' in changes) })} />`
    : html`<${NoSamples} ...${{
        process, type, selected: isSelected(address.values), answer, address, now, record,
        why, wider }} />`}`;
}

// Returns { record, message } for the process [id]: [record] records categories for a
// short time, in which [again] is called after each [answer], and at its end [ended].
function useRecord(id, answer, again, ended) {
  const { act, say, message } = useAction(id);
  const [{ end_ms, text }, setEnd] = useState({ end_ms: 0 });
  useEffect(() => {
    if (!end_ms) return undefined;
    const left = Math.max(0, end_ms - performance.now());
    const timer = setTimeout(again, Math.min(refresh_ms, left + 1));
    const end = setTimeout(() => {
      setEnd({ end_ms: 0 });
      say((now) => now?.text === text ? null : now);
      ended();
    }, left);
    return () => {
      clearTimeout(timer);
      clearTimeout(end);
    };
  }, [answer, end_ms]);
  const record = async (categories) => {
    const recorded = `${recordedText(categories)}.`;
    const done = await act('control',
      { action: 'add', categories, seconds: record_s }, recorded);
    if (done) setEnd({ end_ms: performance.now() + record_s * 1e3, text: recorded });
    return done;
  };
  return { record, message };
}

export function Flame(given) {
  const { id, process, data, live, server, address, range, setRange, wider } = given;
  const key = typeNamed(address.values.type);
  const type = typeOf(key);
  const { request } = address.values;
  const [round, setRound] = useState(0);
  const again = () => setRound((n) => n + 1);
  const answer = useAnswer(id, key, range, data, address.values, round);
  useShown(data.shown, answer?.span);
  const latest = useRef();
  latest.current = { range, now: data.now };
  const begin = useRef(0);
  // A live range would soon have no sample any more.
  const holdRecorded = () => isFixed(latest.current.range) ||
    setRange({ from: begin.current, to: latest.current.now }, { silent: true });
  const { record, message } = useRecord(id, answer, again, holdRecorded);
  const recordShown = async (categories) => {
    begin.current = latest.current.now;
    // The samples will be later than a range that is held.
    if (await record(categories) && isFixed(range)) setRange({ last: record_s * 1e9 });
  };
  return html`<section>
    <div class="toolbar"><${Types} chosen=${key} address=${address} />
      <${Selection} data=${data} address=${address} />
      ${request && html`<span>of <a href=${address.to({}, 'requests')}>request ${
        format.name(request)}</a> only
        ${' '}<a href=${address.to({ request: null, zoom: null })}>Show all</a></span>`}
      <${Base} ...${{ id, data, address, range }} />
      ${!isFixed(range) && process.state === 'running' && html`<button type="button"
        title="The samples up to now" onClick=${again}>Again</button>`}
    </div>
    <${Message} message=${message} />
    <h2>${type.title} <small class="quiet">in ${
      type.unit === 'ns' ? 'time' : 'bytes'}${
      answer?.name ? `, ${sumText(answer, type)}, ${timeOf(answer, type, data.now)}`
        : ''}</small></h2>
    ${key === 'live' && html`<${LiveSites} ...${{ id, process, data, live,
      range }} selected=${isSelected(address.values)} onZoom=${setRange} />`}
    <${Answer} key=${key} ...${{ answer, process, type, address, now: data.now,
      wider, record: recordShown, why: obstacle(process, server, live) }} />
  </section>`;
}
