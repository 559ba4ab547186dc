// Intervals of time, [from, to].

// Returns the length that two intervals have in common; below 0: the distance.
export const overlap = ([a, b], [c, d]) => Math.min(b, d) - Math.max(a, c);

// Returns the parts of the time [from, to] that are in none of [gaps].
export function outside(gaps, [from, to]) {
  const parts = [];
  for (const [begin, end] of [...gaps].sort((a, b) => a[0] - b[0])) {
    if (begin >= to) break;
    if (begin > from) parts.push([from, begin]);
    from = Math.max(from, end);
  }
  if (from < to) parts.push([from, to]);
  return parts;
}
