// Intervals of time, [from, to].

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
