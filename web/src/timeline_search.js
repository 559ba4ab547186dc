// The search in the names of spans and lanes, as far as the last answer has them: merged
// spans have none.

import { html, useLayoutEffect, useMemo, useRef, useState } from './html.js';
import * as format from './format.js';
import { isMerged, laneKey, laneName, nearest } from './lanes.js';

const begin = ({ span }) => span ? span[0] : -Infinity;

// Returns the index in [matches] of [match], of another answer perhaps; -1: it is not there.
function indexOf(matches, match) {
  if (!match) return -1;
  const alike = matches.filter(({ lane, span }) => laneKey(lane) === laneKey(match.lane)
    && (span && match.span ? span[4] === match.span[4] && span[3] === match.span[3]
      : span === match.span));
  const at = match.span ? nearest(alike.map(({ span }) => span), match.span) : 0;
  return matches.indexOf(alike[at]);
}

// Returns the lanes and spans, { lane, span }, whose names have [text], by their begin.
function matchesOf(picture, text) {
  const wanted = text.trim().toLowerCase();
  if (!picture || !wanted) return [];
  const has = (name) => [format.name(name), format.phrase(name)]
    .some((shown) => shown.toLowerCase().includes(wanted));
  const named = picture.names.map(has);
  const matches = [];
  for (const lane of picture.lanes) {
    if (has(laneName(lane))) matches.push({ lane, span: null });
    for (const span of lane.spans)
      if (!isMerged(span) && named[span[2]]) matches.push({ lane, span });
  }
  return matches.sort((a, b) => begin(a) - begin(b) || a.lane.top - b.lane.top);
}

// Returns the number of the match after or before [current], or from [ns] on.
function nextIndex(matches, current, ns, back) {
  const { length } = matches;
  const at = indexOf(matches, current);
  if (at >= 0) return (at + (back ? length - 1 : 1)) % length;
  const after = matches.findIndex((match) => !match.span || begin(match) >= ns);
  return back ? (after + length - 1) % length : Math.max(0, after);
}

function Field({ text, set, go, close, said }) {
  const input = useRef(null);
  // Before the next key is pressed
  useLayoutEffect(() => input.current.focus(), []);
  const onKeyDown = (event) => {
    if (event.key === 'Enter') go(event.shiftKey);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  return html`<span class="search" role="search">
    <input ref=${input} type="search" size="18" placeholder="Name of a span or lane"
      aria-label="Search" value=${text} onInput=${(e) => set(e.target.value)}
      onKeyDown=${onKeyDown} />
    <span class="found quiet" role="status">${said}</span></span>`;
}

// Returns { field, isOpen, open, close, go }; [go(back)] calls [show] with the next or
// previous match.  [from]: begin of the window.  [leave] is called when the field closes.
export function useSearch(picture, from, show, leave) {
  const [text, set] = useState(null);
  const [current, setCurrent] = useState(null);
  const matches = useMemo(() => matchesOf(picture, text ?? ''), [picture, text]);
  const go = (back) => {
    if (matches.length === 0) return;
    const match = matches[nextIndex(matches, current, from, back)];
    setCurrent(match);
    show(match);
  };
  const close = () => {
    set(null);
    setCurrent(null);
    leave();
  };
  const at = indexOf(matches, current);
  const merged = useMemo(() => picture?.lanes.some(({ spans }) => spans.some(isMerged)),
                         [picture]);
  const said = !text?.trim() ? '' : (matches.length === 0 ? 'Nothing found'
    : at < 0 ? `${format.count(matches.length)} found`
    : `${format.count(at + 1)} of ${format.count(matches.length)}`) +
    (merged ? '; shorter spans are merged: zoom in for more' : '');
  const field = text === null
    ? html`<button onClick=${() => set('')}>Search</button>`
    : html`<${Field} ...${{ text, set, go, close, said }} />`;
  return { field, isOpen: text !== null, open: () => set(text ?? ''), close, go };
}
