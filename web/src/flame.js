// The view of profiles: processor time or another amount by stack.

import { html, useEffect, useMemo, useRef, useState } from './html.js';
import * as format from './format.js';
import { child, FlameGraph, newNode, sumUp } from './flame_graph.js';
import { LiveSites } from './live_sites.js';
import { typeLabels, typeNamed, typeOf } from './profile_types.js';
import { coverText, getCovered, limits } from './range.js';

// Returns the tree of an answer with its numbers of any unit.  A truncated answer
// lacks small nodes: what a node has called besides is "[small parts]".
function treeOf(answer, unit) {
  const root = newNode(answer.name);
  const fill = (node, from) => {
    const self = from[`self_${unit}`];
    let rest = from[`value_${unit}`] - self;
    node.self += self;
    for (const c of from.children) {
      rest -= c[`value_${unit}`];
      fill(child(node, c.name), c);
    }
    if (rest > 0) child(node, '[small parts]').self += rest;
  };
  fill(root, answer);
  sumUp(root);
  return root;
}

function NoSamples({ process, type, request }) {
  const off = type.categories.filter((c) => !process.categories?.includes(c));
  const names = (off.length ? off : type.categories).map((c, i) => html`${
    i > 0 && ' and '}<b key=${c}>${c}</b>`);
  const advice = process.state !== 'running'
    ? html`They are taken while ${names} is recorded.`
    : off.length ? html`Switch ${names} on (tab Control) to take some.`
    : html`They are taken now: ${names} is on.`;
  return html`<p class="empty">There are no samples for this profile ${
    request ? 'of this request' : 'in this range'}. ${advice}</p>`;
}

// The selection of the type.
function Types({ chosen, address }) {
  const choose = (event) => address.go({ type: event.target.value, zoom: null });
  return html`<label>Show <select name="type" value=${chosen}
    onChange=${choose}>${typeLabels.map(([key, label]) => html`
      <option key=${key} value=${key}>${label}</option>`)}</select></label>`;
}

// Asks for the tree of the samples of type [key] in the range.  An answer for another
// type than [key] is not returned.
function useAnswer(id, key, range, data, request) {
  const [answer, set] = useState(null);
  const now = useRef(0);
  now.current = data.now;
  useEffect(() => {
    const abort = new AbortController();
    const span = limits(range, now.current);
    getCovered(id, 'flame', { type: key, ...span, ...request && { request } },
               abort.signal)
      .then((found) => set({ ...found, key, span }), (e) => {
        if (e.name !== 'AbortError') set({ error: e.message, key });
      });
    return () => abort.abort();
  }, [id, key, JSON.stringify(range), request]);
  return answer?.key === key ? answer : null;
}

function Answer({ answer, process, type, address }) {
  const root = useMemo(() => answer?.name
    ? treeOf(answer, type.unit) : null, [answer, type]);
  if (!answer) return html`<p class="quiet">Loading…</p>`;
  if (answer.error)
    return html`<p class="error" role="alert">${format.name(answer.error)}</p>`;
  return root?.value
    ? html`${answer.truncated && html`<p class="note">Small functions are left out:
        there are more than 20 000 different stacks.</p>`}
      <${FlameGraph} root=${root} text=${type.text} bar=${type.bar}
        state=${address.values} set=${(changes) =>
          address.go(changes, { silent: !('zoom' in changes) })} />`
    : html`<${NoSamples} ...${{ process, type, request: address.values.request }} />`;
}

// A ring of samples belongs to a thread.  A recording does not say when its
// samples begin.
const timeOf = ({ span, kept, keptSamples }, now) => keptSamples.length > 0
  ? coverText(span, now, keptSamples, 'thread of domain')
  : coverText(span, now, kept);

export function Flame({ id, process, data, live, address, range, setRange }) {
  const key = typeNamed(address.values.type);
  const type = typeOf(key);
  const { request } = address.values;
  const answer = useAnswer(id, key, range, data, request);
  return html`<section>
    <div class="toolbar"><${Types} chosen=${key} address=${address} />
      ${request && html`<span>of <a href=${address.to({}, 'requests')}>request ${
        format.name(request)}</a> only
        ${' '}<a href=${address.to({ request: null, zoom: null })}>Show all</a></span>`}
    </div>
    <h2>${type.title} <small class="quiet">in ${
      type.unit === 'ns' ? 'time' : 'bytes'}${
      answer?.name ? `, ${format.count(answer.samples)} ${
        answer.samples === 1 ? 'sample' : 'samples'}, ${
        timeOf(answer, data.now)}` : ''}</small></h2>
    ${key === 'live' && html`<${LiveSites} ...${{ id, process, data, live,
      range }} onZoom=${setRange} />`}
    <${Answer} key=${key} ...${{ answer, process, type, address }} />
  </section>`;
}
