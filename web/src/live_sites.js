// The chart of the live heap: bytes alive over time, by the line that allocated
// them.

import { html, useEffect, useRef, useState } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import { Chart, seriesColour } from './chart.js';
import { isFixed, limits } from './range.js';

const refresh_ms = 3000;
const most_moments = 120;

const note = 'bytes alive, by the line that allocated them, estimated from ' +
  'samples of what was allocated while profile_alloc was on; blank: no samples, or ' +
  'overwritten';

// The label of a site: the function and, if they are known, the line and the file
// without its folder.
const label = ({ name, file, line }) => format.name(!file || !line ? name
  : `${name} ${file.slice(file.lastIndexOf('/') + 1)}:${line}`);

// Asks for the sites in the range, again and again while it is live.
function useSites(id, range, data, live) {
  const [answer, set] = useState(null);
  const now = useRef(0);
  now.current = data.now;
  useEffect(() => {
    const abort = new AbortController();
    let timer;
    const ask = () => get(ofProcess(id, 'live_sites'),
                          { ...limits(range, now.current), width: most_moments },
                          abort.signal)
      .then(set, (e) => {
        if (e.name !== 'AbortError') set({ error: e.message });
      })
      .finally(() => {
        if (live && !isFixed(range) && !abort.signal.aborted)
          timer = setTimeout(ask, refresh_ms);
      });
    ask();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, JSON.stringify(range), live]);
  return answer;
}

// [selected]: the flame graph below shows some samples only; [onZoom]: gets the range that
// the user selects.
export function LiveSites({ id, process, data, live, range, selected, onZoom }) {
  const answer = useSites(id, range, data,
                          live && process.state === 'running');
  if (answer?.error)
    return html`<p class="error" role="alert">${
      format.name(answer.error)}</p>`;
  if (!answer?.samples) return null;
  const started = process.started_unix_ns;
  const { from, to } = limits(range, data.now);
  const seconds = answer.t.map((ns) => (started + ns) / 1e9);
  const sites = answer.sites.map((site, i) => ({
    label: label(site), colour: seriesColour(i), fill: true,
    values: site.bytes }));
  const series = answer.other.some((v) => v > 0)
    ? [...sites, { label: 'other', colour: 'other', fill: true,
                   values: answer.other }] : sites;
  return html`
    <div class="charts"><${Chart} title="Live heap by site" wide=${true}
      height=${180} stacked=${true} binary=${true} text=${format.bytes}
      note=${selected ? `of all threads, spans and requests: ${note}` : note}
      process=${process}
      seconds=${seconds} from=${seconds[0]} to=${seconds.at(-1)} series=${series}
      asked=${to === null ? undefined : [from, to].map((ns) => (started + ns) / 1e9)}
      onZoom=${(...times) => {
        const [from, to] = times.map((s) => Math.max(0, s * 1e9 - started));
        onZoom({ from, to });
      }} />
    </div>
    ${answer.left_out > 0 && html`<p class="note">${
      `${format.count(answer.left_out)} samples are left out.`}</p>`}`;
}
