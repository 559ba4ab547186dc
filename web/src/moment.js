// What each thread does at a moment, which the user chooses in the ruler of the timeline.
// The address has it, as at, in ns since the start.

import { html, useEffect, useRef, useState } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import {
  collector, isMerged, isOf, laneKey, laneName, other, program, request, stop, wait,
} from './lanes.js';
import { gapText } from './picture.js';
import { Table } from './table.js';

// The times asked for on both sides of the moment: the short one has short spans, which the
// server merges in the long one, and cuts spans; the server knows longer spans whole.
const [short_ns, long_ns] = [1e6, 1e9];
const width = 8192;             // most pixels of the server

// Returns [the moment or null, a function that changes it].
export const useMoment = ({ values, go }) => [
  values.at >= 0 ? Number(values.at) : null,
  (ns) => go({ at: ns === null ? null : Math.max(0, Math.round(ns)) }, { silent: true })];

// Kinds of spans that say what a thread does, the one that counts first.
const doing = [wait, stop, collector, other];

const holds = (t) => ([from, to]) => from <= t && t < to;

// Returns the innermost of [spans] that has the first kind of [kinds] that one has.
const innermost = (spans, kinds) => kinds.map((kind) => spans.filter((s) => s[4] === kind)
  .reduce((best, s) => !best || s[3] > best[3] ? s : best, null)).find(Boolean);

// Returns the text of a span of [answer], and the span.
const tell = ({ names }, span) => ({
  text: isMerged(span) ? 'many short ones' : format.phrase(names[span[2]]),
  span: isMerged(span) ? null : span });

// Returns the lane of [answer] that is [lane]; undefined: it has none.
const laneOf = ({ lanes }, lane) => lanes.find((l) => laneKey(l) === laneKey(lane));

// Returns the stops of the domain of [lane].
const stopsOf = ({ stops }, lane) =>
  stops.find((s) => s.domain === lane.domain)?.spans ?? [];

// Returns [span] of [lane], which holds [t], with its whole time by [long] if [answer] cuts
// it; null if its time is not known.
function wholeSpan(t, answer, long, lane, span) {
  if (span[0] > answer.from && span[1] < answer.to) return span;
  const alike = (s) => !isMerged(s) && s[4] === span[4] && s[3] === span[3] &&
    long.names[s[2]] === answer.names[span[2]] && holds(t)(s);
  return laneOf(long, lane)?.spans.find(alike) ?? stopsOf(long, lane).find(alike) ?? null;
}

// Returns what [lane] does at [t], by [answer], in which it has [spans]: { text, span }.
function doingAt(t, answer, lane, spans, waits) {
  const own = innermost(spans, doing);
  if (own?.[4] === wait) return tell(answer, own);
  const gap = answer.gaps.find((g) => isOf(g, lane) && holds(t)(g));
  if (gap && !own) return { text: gapText(gap), span: null };
  const stopped = lane.runs ? stopsOf(answer, lane).find(holds(t)) : null;
  if (own ?? stopped) return tell(answer, own ?? stopped);
  const runs = waits && lane.runs && holds(t)(lane.extent);
  return { text: runs ? 'running' : format.unknown, span: null };
}

// Returns a row for each of [lanes] that is not of a backup thread or does something.
// [answer] and [long]: of the short and the long time.
function rowsAt(t, [answer, long], lanes, waits) {
  return lanes.map((lane) => {
    const spans = laneOf(answer, lane)?.spans.filter(holds(t)) ?? [];
    const { text, span } = doingAt(t, answer, lane, spans, waits);
    const inside = spans.filter(([, , , , kind]) => kind === program || kind === request)
      .sort((a, b) => b[4] - a[4] || a[3] - b[3]);
    return { lane, text, span: span && wholeSpan(t, answer, long, lane, span),
             inside: inside.map((s) => tell(answer, s).text).join(', ') };
  }).filter(({ lane, text }) => !lane.backup || text !== format.unknown);
}

const columns = [
  { label: 'Thread', value: (r) => laneName(r.lane) },
  { label: 'Domain', value: (r) => r.lane.domain },
  { label: 'Doing', value: (r) => r.text },
  { label: 'Since', value: (r) => r.span?.[0] ?? null, unit: 'ns',
    text: (ns) => format.moment(ns, 1e3) },
  { label: 'For', value: (r) => r.span ? r.span[1] - r.span[0] : null,
    text: format.duration, meaning: 'From its begin to its end' },
  { label: 'In', value: (r) => r.inside,
    meaning: 'Its request and spans of the program, the outermost first' }];

// [lanes]: of the timeline, whose window has the moment when it is chosen; [waits]: they
// are recorded; [clear]: forgets the moment.
export function Moment({ id, at, lanes, waits, clear }) {
  const [state, set] = useState({});
  const latest = useRef();
  latest.current = lanes;
  useEffect(() => {
    const abort = new AbortController();
    const around = (ns) => get(ofProcess(id, 'timeline'), {
      from: Math.max(0, at - ns), to: at + ns, width }, abort.signal);
    Promise.all([around(short_ns), around(long_ns)])
      .then((answers) => set({ at, answers, lanes: latest.current }), (e) => {
        if (e.name !== 'AbortError') set({ at, error: e.message });
      });
    return () => abort.abort();
  }, [id, at]);
  const { answers, error } = state.at === at ? state : {};
  return html`<section class="moment">
    <div class="toolbar"><b>At ${format.moment(at, 1e3)}</b>
      <button onClick=${clear}>Clear</button></div>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!answers && !error && html`<p class="quiet">Computing…</p>`}
    ${answers && html`<${Table} name="moment" columns=${columns}
      rows=${rowsAt(at, answers, state.lanes, waits)} />`}</section>`;
}
