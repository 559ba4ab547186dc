// An answer of the server as state of a component.

import { useEffect, useState } from './html.js';
import { get } from './api.js';

const busy = 503;               // the status of a server that may answer later
const retry_ms = 2000;

// Asks for [path], unless it is null, again each [period_ms] if that is given, else when the
// server was busy, and when [key] changes.  Returns { answer, error, again }: the last
// answer, the text of an error, and a function that asks once more.
export function useAnswer(path, { parameters, period_ms, key } = {}) {
  const [state, set] = useState({ answer: null, error: null });
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    const ask = () => get(path, parameters, abort.signal).then(
      (answer) => set({ answer, error: null }),
      (error) => {
        if (error.name === 'AbortError') return;
        set((old) => ({ ...old, error: error.message }));
        if (error.status === busy && !period_ms) retry = setTimeout(ask, retry_ms);
      });
    let retry;
    const timer = period_ms && setInterval(ask, period_ms);
    ask();
    return () => {
      clearInterval(timer);
      clearTimeout(retry);
      abort.abort();
    };
  }, [path, key, period_ms, count]);
  return { ...state, again: () => setCount((n) => n + 1) };
}
