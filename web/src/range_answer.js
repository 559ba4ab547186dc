// An answer of the server for the range, asked for again and again while it is live.

import { useEffect, useRef, useState } from './html.js';
import { getCovered, isFixed, limits } from './range.js';

const refresh_ms = 2000;

const touched_ms = 3000;

// The last press or move of a pointer, and whether it was in rows of a table.
let last = { at: 0, touch: false, inRows: false };
for (const type of ['pointerdown', 'pointermove'])
  addEventListener(type, ({ pointerType, target }) => {
    last = { at: performance.now(), touch: pointerType === 'touch',
             inRows: Boolean(target.closest?.('tbody')) };
  }, { capture: true, passive: true });

// Returns whether a link of a table is under the mouse or has the focus of the keyboard,
// or rows were touched just now: another answer may put another row in their place.
const isPointedAt = () => last.touch
  ? last.inRows && performance.now() - last.at < touched_ms
  : document.querySelector('tbody a:hover, tbody a:focus-visible') !== null;

// Asks for [part] of the process [id], again when [round] changes, and not while [part]
// is null.  Returns { found, error }: [found] is null or { span, parameters, answer },
// with the limits and parameters that the answer is for; the answer as of getCovered.
// It stays while a link of a table is pointed at.
export function useRangeAnswer(id, part, range, data, alive, parameters = {}, round = 0) {
  const [found, set] = useState(null);
  const [error, setError] = useState(null);
  const now = useRef(0);
  now.current = data.now;
  useEffect(() => {
    if (part === null) return undefined;
    const abort = new AbortController();
    let timer;
    let answered = false;
    const follows = alive && !isFixed(range);
    const ask = async () => {
      const { from, to } = limits(range, now.current);
      try {
        // Up to the end of the data: a busy ring may have no event of a second ago.
        const answer = await getCovered(id, part, { ...parameters, from,
                                                    to: follows ? null : to }, abort.signal);
        const span = { from, to: follows && to !== null ? now.current : to };
        if (!answered || !isPointedAt()) set({ span, parameters, answer });
        answered = true;
        setError(null);
      } catch (e) {
        if (abort.signal.aborted) return;
        setError(e.message);
      }
      if (follows) timer = setTimeout(ask, refresh_ms);
    };
    ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [id, part, JSON.stringify([range, parameters]), alive, round]);
  return { found, error };
}
