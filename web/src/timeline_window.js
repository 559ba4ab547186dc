// The window of the timeline, [from, to] in ns, and its answer: the server is asked for
// the window and, unless it follows the data, half as much on both sides.  A request that
// is no longer wanted is cancelled.

import { useEffect, useRef, useState } from './html.js';
import { get, ofProcess } from './api.js';
import { beginOf } from './history.js';
import { giveRows, SeenRows } from './lanes.js';
import { isFixed, limits } from './range.js';

const shortest_ns = 200;
export const most_pixels = 8192;       // of the server
const settle_ms = 60;           // the user may turn the wheel further
const settle_range_ms = 400;    // and the address can wait longer
const follow_ms = 1000;

function clamp([from, to], now) {
  const length = Math.max(shortest_ns, Math.min(to - from, 1.2 * now));
  const middle = (from + to) / 2;
  const start = Math.max(-0.1 * length,
                         Math.min(middle - length / 2, now - 0.2 * length));
  return [start, start + length];
}

// Asks for the timeline of [view], which is [width] pixels wide, and of [margin], a part of
// it, on both sides; [signal] ends it.
async function ask(id, view, width, margin, signal) {
  const more = margin * (view[1] - view[0]);
  return { ...await get(ofProcess(id, 'timeline'), {
    from: Math.max(0, view[0] - more), to: view[1] + more,
    width: Math.min((1 + 2 * margin) * width, most_pixels) }, signal), view };
}

// Asks for [view] when it settles or, if it follows the end of the data for [range] (else
// false), a while after the last answer, which may take longer than the view stands still.
// Returns the last answer, with the rows of its lanes and with the [view] that it was
// for.
export function useAnswer(id, view, width, range) {
  const [answer, set] = useState(null);
  const [error, setError] = useState(null);
  const seen = useRef(new SeenRows()).current;
  const latest = useRef();
  latest.current = view;
  useEffect(() => {
    if (!width) return undefined;
    const abort = new AbortController();
    let asked = null;
    const update = async () => {
      try {
        if (latest.current !== asked) {
          asked = latest.current;
          const next = await ask(id, asked, width, range ? 0 : 0.5, abort.signal);
          seen.enter(next.view);
          giveRows(next, seen);
          set(next);
          setError(null);
        }
      } catch (e) {
        if (abort.signal.aborted) return;
        setError(e.message);
      }
      if (range) timer = setTimeout(update, follow_ms);
    };
    let timer = setTimeout(update, settle_ms);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, width, JSON.stringify(range || view)]);
  return { answer, error };
}

// The view of the range: [from, to] in ns since the start.
function viewOf(range, { now, history }) {
  const { from, to } = limits(range, now);
  return [from ?? beginOf(history), Math.max(to ?? now, (from ?? 0) + shortest_ns)];
}

// The window: [view], and [move] it.  While the range is live it follows the end of
// the data; what the user moves becomes the range when it settles, or [at_once].
export function useWindow(data, alive, range, setRange) {
  const key = JSON.stringify(range);
  const [moved, set] = useState({});
  const live = alive && !isFixed(range);
  const shown = useRef({});
  const mine = moved.key === key ? moved.view : null;
  useEffect(() => {
    if (!mine) return undefined;
    const [from, to] = mine;
    const timer = setTimeout(() => setRange({ from: Math.max(0, from), to },
                                            { silent: !moved.at_once }),
                             moved.at_once ? 0 : settle_range_ms);
    return () => clearTimeout(timer);
  }, [mine]);
  // Or it would move again when the range comes back.
  useEffect(() => set((last) => last.key === key ? last : {}), [key]);
  // A live range moves once a second, not with each row of data.
  const step = Math.floor(data.now / (follow_ms * 1e6));
  if (shown.current.key !== key || live && shown.current.step !== step)
    shown.current = { key, step, view: viewOf(range, data) };
  const move = (next, at_once = false) => set({
    key, at_once, view: clamp(next, Math.max(data.now, 1e6)) });
  return { view: mine ?? shown.current.view, move, follow: live && !mine };
}

export const zoomed = ([from, to], factor, at = (from + to) / 2) =>
  [at - (at - from) * factor, at + (to - at) * factor];
export const moved = ([from, to], part) =>
  [from + (to - from) * part, to + (to - from) * part];
