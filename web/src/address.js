// The address of a view of a process: #/process/ID/VIEW?NAME=VALUE&...  It has all that
// the user has chosen, the range of time and what each view shows, so that a reload, a
// copied link and the way back show the same.

import { useMemo } from './html.js';

// [values]: by name; null and '' have no place.
export function processAddress(id, view = 'charts', values = {}) {
  const given = Object.entries(values).filter(([, v]) => v != null && v !== '');
  return `#/process/${encodeURIComponent(id)}/${view}` +
    (given.length ? `?${new URLSearchParams(given)}` : '');
}

// The comparison of two: processes or recordings, by their ids.
export const compareAddress = (a, b) =>
  `#/compare/${encodeURIComponent(a)}/${encodeURIComponent(b)}`;

// Goes to [hash]; [silent]: without a step for the way back.  The event is sent here, since
// the browser may send it after the next key.
function goTo(hash, silent) {
  history[silent ? 'replaceState' : 'pushState'](null, '', hash);
  dispatchEvent(new Event('hashchange'));
}

// Returns what [detail], behind the question mark of an address, has: values by name.
export const valuesOf = (detail) => Object.fromEntries(new URLSearchParams(detail ?? ''));

// What the address says, [detail] behind its question mark: [values] by name; [to]
// returns the address with changed values, perhaps of another view; [go] goes there,
// and with [silent] the way back leaves it out.
export function useAddress(id, view, detail) {
  return useMemo(() => {
    const values = valuesOf(detail);
    const to = (changes, other = view) =>
      processAddress(id, other, { ...values, ...changes });
    // A timer may call it later: the address may have other values then.
    const go = (changes, { silent = false } = {}) => {
      const [path, now] = location.hash.split('?');
      if (path !== processAddress(id, view)) return;
      const hash = processAddress(id, view, { ...valuesOf(now), ...changes });
      if (hash !== location.hash) goTo(hash, silent);
    };
    return { values, to, go };
  }, [id, view, detail]);
}
