// Two answers with events, of which the one begins before the other ends.

// The server converts the ticks of each answer to times anew, so that the times of one
// event may differ by some ns.
const clock_ns = 100;

const keys = ['name', 'form', 'domain', 'thread'];

// Returns the events of [early], and those of [late] that come after them: both have all
// events from their first one to their last, by time.
export function joinEvents(early, late) {
  const last = early.at(-1);
  if (!last) return late;
  const off = (e) => Math.abs(e.ns - last.ns);
  const same = late.filter((e) => off(e) <= clock_ns && keys.every((k) => e[k] === last[k]))
    .reduce((best, e) => !best || off(e) < off(best) ? e : best, null);
  return [...early, ...same ? late.slice(late.indexOf(same) + 1)
    : late.filter((e) => e.ns > last.ns)];
}
