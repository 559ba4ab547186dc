// An answer of the server for the range, asked for again and again while it is live.

import { useEffect, useRef, useState } from './html.js';
import { isOverwritten } from './overwritten.js';
import { getCovered, isFixed, limits, useShown } from './range.js';

const refresh_ms = 2000;

const touched_ms = 3000;

// The pointer that came over an element last, as a finger does when it touches, and
// whether it was in rows of a table.
let last = { at: 0, touch: false, inRows: false };
addEventListener('pointerover', ({ pointerType, target }) => {
  last = { at: performance.now(), touch: pointerType === 'touch',
           inRows: Boolean(target.closest?.('tbody')) };
}, { capture: true, passive: true });

// Returns whether a link of a table or a row of events is under the mouse or has the focus
// of the keyboard, or rows were touched just now: another answer may put another row in
// their place.
// After a touch, :hover is the link that was touched.
const isPointedAt = () => document.querySelector('tbody a:focus-visible') !== null ||
  (last.touch ? last.inRows && performance.now() - last.at < touched_ms
    : document.querySelector('tbody a:hover, .log tbody:hover') !== null);

// Asks for [part] of the process [id], again when [round] changes, and not while [part]
// is null.  Returns { found, error }: [found] is null or { span, parameters, answer },
// with the limits and parameters that the answer is for; the answer as of getCovered.
// It stays while such a link or row is pointed at, which [data.hold] is told.
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
    const asks = (span) => getCovered(id, part, { ...parameters, ...span }, abort.signal);
    const ask = async () => {
      const span = limits(range, now.current);
      try {
        let answer = await asks(span);
        // A busy ring may have no event of a moment ago.
        if (follows && span.to !== null && isOverwritten(answer.kept, span.to)) {
          answer = await asks({ ...span, to: null });
          span.to = Math.max(span.to, now.current);
        }
        const held = answered && isPointedAt();
        if (!held) set({ span, parameters, answer });
        data.hold(held);
        answered = true;
        setError(null);
      } catch (e) {
        if (abort.signal.aborted) return;
        setError(e.message);
        data.hold(false);
      }
      if (follows) timer = setTimeout(ask, refresh_ms);
    };
    ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
      data.hold(false);
    };
  }, [id, part, JSON.stringify([range, parameters]), alive, round]);
  useShown(data.shown, found?.span);
  return { found, error };
}
