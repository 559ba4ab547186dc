// The last minute of a process as a small picture: running below, collecting
// above.  History comes from the server once; each list of processes adds a
// point.

import { html, useEffect, useRef, useState } from './html.js';
import { get, ofProcess } from './api.js';
import { pathOf } from './spark_path.js';

const seconds = 60;
const at_once = 4;              // requests for history at the same time

const running = (p) => p.running;
const busy = (p) => p.running === null ? null : p.running + (p.collecting ?? 0);

export function Sparkline({ points = [], label }) {
  const now = points.length ? points[points.length - 1].t : 0;
  return html`
    <svg class="spark" viewBox="0 0 60 24" preserveAspectRatio="none" role="img"
      aria-label=${`Utilisation of ${label} in the last minute`}>
      <title>Last minute: running, and collecting above it</title>
      <path class="collecting" d=${pathOf(points, busy, now, seconds)} />
      <path class="running" d=${pathOf(points, running, now, seconds)} />
    </svg>`;
}

function pointOf(process) {
  const collecting = process.gc_share ?? null;
  return { t: process.now_ns, collecting,
           running: process.utilisation_share == null ? null
             : Math.max(0, process.utilisation_share - (collecting ?? 0)) };
}

function addPoint(sparks, process) {
  const points = sparks.get(process.id) ?? [];
  const last = points[points.length - 1];
  if (process.now_ns == null || last?.t >= process.now_ns) return;
  points.push(pointOf(process));
  if (points.length > seconds + 10) points.shift();
  sparks.set(process.id, points);
}

async function fetchPast(id, sparks, signal) {
  const { t, running, collecting } =
    await get(ofProcess(id, 'history'), { tier: '1s' }, signal);
  const past = t.map((t, i) =>
    ({ t, running: running[i], collecting: collecting[i] }));
  const live = sparks.get(id) ?? [];
  const first = live.length ? live[0].t - 5e8 : Infinity;
  sparks.set(id, [...past.slice(-seconds).filter((p) => p.t < first), ...live]);
}

// Returns a Map from the ids of [processes] to their points.
export function useSparklines(processes) {
  const sparks = useRef(new Map()).current;
  const asked = useRef(new Set()).current;
  const [, redraw] = useState(0);
  const abort = useRef(null);
  useEffect(() => {
    abort.current = new AbortController();
    return () => abort.current.abort();
  }, []);
  const alive = processes.filter((p) => !p.error);
  alive.forEach((p) => addPoint(sparks, p));
  const ids = alive.map((p) => p.id).join();
  useEffect(() => {
    const wanted = alive.map((p) => p.id).filter((id) => !asked.has(id));
    wanted.forEach((id) => asked.add(id));
    const work = async () => {
      for (let id; (id = wanted.shift()) !== undefined;)
        await fetchPast(id, sparks, abort.current.signal).catch(() => {});
      redraw((n) => n + 1);
    };
    for (let i = 0; i < Math.min(at_once, wanted.length); i++) work();
    for (const id of sparks.keys())
      if (!alive.some((p) => p.id === id)) sparks.delete(id);
  }, [ids]);
  return sparks;
}
