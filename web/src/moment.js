// What each thread does at a moment, which the user chooses in the ruler of the timeline.
// The address has it, as at, in ns since the start.

import { html, useEffect, useState } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import {
  collector, giveRows, isMerged, isOf, kindNames, laneKey, laneName, other, program,
  request, SeenRows, stop, wait,
} from './lanes.js';
import { gapText } from './picture.js';
import { Table } from './table.js';
import { most_pixels } from './timeline_window.js';

// The times asked for on both sides of the moment.  The short one has short spans, which
// the server merges in the long one; the long one has the lanes, and the times of longer
// spans, unless they begin before it or end after it.
const [short_ns, long_ns] = [1e6, 1e9];

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

// Returns the lane of [answer] that is [lane]; undefined: it has none.
const laneOf = ({ lanes }, lane) => lanes.find((l) => laneKey(l) === laneKey(lane));

// Returns the stops of the domain of [lane], if its thread runs the program.
const stopsOf = ({ stops }, lane) => lane.runs
  ? stops.find((s) => s.domain === lane.domain)?.spans ?? [] : [];

// Returns what [lane] does at [t], by [answer], in which it has [spans], of which merged
// ones tell least: the span that tells it, or the text.
function doingAt(t, answer, lane, spans, waits) {
  const whole = spans.filter((s) => !isMerged(s));
  const own = innermost(whole, doing) ?? stopsOf(answer, lane).find(holds(t));
  if (own) return { span: own, text: format.phrase(answer.names[own[2]]) };
  const merged = innermost(spans, doing);
  if (merged) return { text: `many short ones: ${kindNames[merged[4]]}` };
  const gap = answer.gaps.find((g) => isOf(g, lane) && holds(t)(g));
  if (gap) return { text: gapText(gap), gap };
  return { text: waits && lane.runs && holds(t)(lane.extent) ? 'running' : format.unknown };
}

// Returns whether [answer] has the begin, and the end, of [span].
const edgesIn = ({ from, to }, span) => [span[0] > from, span[1] < to];

// Returns the texts of the begin of [span] of [lane], which holds [t], and of its duration:
// by [long] if [answer] cuts it and [long] has it, too.
function timesOf(t, answer, long, lane, span) {
  const isIt = (s) => !isMerged(s) && s[4] === span[4] && s[3] === span[3]
    && long.names[s[2]] === answer.names[span[2]] && holds(t)(s);
  const found = edgesIn(answer, span).every(Boolean) ? undefined
    : [...lane.spans, ...stopsOf(long, lane)].find(isIt);
  const [from, to] = found ?? span;
  const [begins, ends] = edgesIn(found ? long : answer, [from, to]);
  return { since: `${begins ? '' : 'before '}${format.moment(from, 1e3)}`,
           duration: `${begins && ends ? '' : 'over '}${format.duration(to - from)}` };
}

// Returns a row for each lane of [long]; without [backup], those of backup threads have one
// if they do something.  [answer] and [long]: of the short and the long time.
function rowsAt(t, [answer, long], waits, backup) {
  return long.lanes.map((lane) => {
    const spans = laneOf(answer, lane)?.spans.filter(holds(t)) ?? [];
    const { span, text, gap } = doingAt(t, answer, lane, spans, waits);
    const inside = spans.filter((s) => (s[4] === program || s[4] === request) && !isMerged(s))
      .sort((a, b) => b[4] - a[4] || a[3] - b[3]);
    return { lane, text, idle: !span && (gap || text === format.unknown),
             ...span && timesOf(t, answer, long, lane, span),
             inside: inside.map((s) => format.phrase(answer.names[s[2]])).join(', ') };
  }).filter(({ lane, idle }) => backup || !lane.backup || !idle);
}

const columns = [
  { label: 'Thread', value: (r) => laneName(r.lane) },
  { label: 'Domain', value: (r) => r.lane.domain },
  { label: 'Doing', value: (r) => r.text },
  { label: 'Since', value: (r) => r.since ?? format.unknown },
  { label: 'For', value: (r) => r.duration ?? format.unknown,
    meaning: 'From its begin to its end, as far as that is within a second' },
  { label: 'In', value: (r) => r.inside,
    meaning: 'Its request and spans of the program, the outermost first' }];

// [waits]: they are recorded; [backup]: lanes of backup threads are shown; [clear]: forgets
// the moment.
export function Moment({ id, at, waits, backup, clear }) {
  const [state, set] = useState({});
  useEffect(() => {
    const abort = new AbortController();
    const around = (ns) => get(ofProcess(id, 'timeline'), {
      from: Math.max(0, at - ns), to: at + ns, width: most_pixels }, abort.signal);
    Promise.all([around(short_ns), around(long_ns)]).then(([answer, long]) => {
      giveRows(long, new SeenRows());
      set({ at, answers: [answer, long] });
    }).catch((e) => { if (e.name !== 'AbortError') set({ at, error: e.message }); });
    return () => abort.abort();
  }, [id, at]);
  const { answers, error } = state.at === at ? state : {};
  return html`<section class="moment" role="status">
    <div class="toolbar"><b>At ${format.moment(at, 1e3)}</b>
      <button onClick=${clear}>Clear</button></div>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!answers && !error && html`<p class="quiet">Computing…</p>`}
    ${answers && html`<${Table} name="moment" columns=${columns}
      rows=${rowsAt(at, answers, waits, backup)} />`}</section>`;
}
