// The time that the user selects in the timeline, in ns since the start, and its numbers,
// which the server computes as eventring stat does for this window.  The address has
// the time, as from_sel and to_sel.

import { html, useEffect, useMemo, useState } from './html.js';
import { selectionValues } from './choice.js';
import { allSamples } from './flame_selection.js';
import * as format from './format.js';
import { isOverwritten, overwrittenText } from './overwritten.js';
import { getCovered, rangeValues } from './range.js';
import { Table } from './table.js';

// Returns [[from, to] or null, a function that changes it].
export function useTimeSelection({ values, go }) {
  const [from, to] = [values.from_sel, values.to_sel].map(Number);
  const selected = useMemo(() => values.from_sel && values.to_sel && from < to
    ? [from, to] : null, [from, to]);
  const select = (time) => go(selectionValues(time), { silent: true });
  return [selected, select];
}

const ns = (label, key) =>
  ({ label, value: (row) => row[key], text: format.duration });

const columns = [
  { label: 'Name', value: (row) => row.name, text: format.phrase },
  { label: 'Kind', value: (row) => row.kind },
  { label: 'Count', value: (row) => row.count },
  ns('Total', 'total_ns'), ns('p50', 'p50_ns'), ns('p99', 'p99_ns'),
  ns('Longest', 'max_ns'),
  { label: 'Share', value: (row) => row.share, text: format.share,
    meaning: 'The total as a part of the selected time: more than 100 % when ' +
             'threads did it at once; not told when something lasted longer than it' }];

// Returns the rows of the table from an answer to GET stat: first what the program knows,
// and of each kind what took longest.
function rowsOf({ spans = [], waits = [], requests = [], total }, length) {
  const pauses = Object.entries(total?.pauses ?? {}).map(([name, d]) => ({ ...d, name }));
  const of = (list, kind) => list.filter((d) => d.count > 0)
    .map((d) => ({ ...d, kind, share: d.max_ns > length ? null : d.total_ns / length }))
    .sort((a, b) => b.total_ns - a.total_ns);
  return [...of(requests, 'request'),
          ...of(spans.filter((s) => s.user), 'span of the program'),
          ...of(waits, 'wait'), ...of(pauses, 'pause'),
          ...of(spans.filter((s) => !s.user), 'span of the runtime')];
}

// The views that can show the selected time alone.
const others = [['flame', 'Flame graph'], ['requests', 'Requests'], ['events', 'Events']];

// [fit]: brings the selected time into view; [clear]: ends the selection.
export function SelectionTable({ id, address, selected: [from, to], fit, clear }) {
  const [stat, set] = useState(null);
  const [error, setError] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    set(null);
    setError(null);
    getCovered(id, 'stat', { from, to }, abort.signal).then(set, (e) => {
      if (e.name !== 'AbortError') setError(e.message);
    });
    return () => abort.abort();
  }, [id, from, to]);
  const rows = stat && rowsOf(stat, to - from);
  return html`<section class="selected-time">
    <div class="toolbar">
      <b>Selected: ${format.duration(to - from)}</b>
      <span class="quiet">${format.moment(from, 1e3)} to ${format.moment(to, 1e3)}</span>
      <button onClick=${fit}>Zoom to selection</button>
      <button onClick=${clear}>Clear</button>
      ${others.map(([view, label]) => html`<a key=${view} href=${address.to({
        ...allSamples, ...rangeValues({ from, to }), ...selectionValues(null) }, view)}>${label}</a>`)}</div>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!stat && !error && html`<p class="quiet">Computing…</p>`}
    ${rows?.length === 0 && html`<p class="quiet">${isOverwritten(stat.kept, to)
      ? overwrittenText : 'Nothing ended in this time.'}</p>`}
    ${rows?.length > 0 && html`<p class="quiet">What ended in this time, with its whole
      duration; the pauses <i>any</i> and <i>while waiting</i> have only the part in this
      time.</p>`}
    <${Table} name="selection" columns=${columns} rows=${rows} />
  </section>`;
}
