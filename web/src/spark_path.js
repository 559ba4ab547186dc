// The outline of a sparkline, as a path of SVG.

const height = 24;
const most_apart = 2.5e9;       // ns between points with a line between them

// [points]: with [t], in ascending order.  [value]: of a point, from 0 to 1, or
// null.  [now] is at the right edge, [seconds] before it at the left one.  There
// is nothing where a value is null, or between points that are far apart.
export function pathOf(points, value, now, seconds) {
  let path = '';
  let open = null;
  let last = null;
  const close = () => {
    if (open !== null) path += `L${last.x} ${height}L${open} ${height}Z`;
    open = null;
  };
  for (const p of points) {
    const x = (seconds - (now - p.t) / 1e9).toFixed(2);
    if (x < 0) continue;
    const y = value(p);
    if (y === null || last && p.t - last.t > most_apart) close();
    if (y !== null) {
      const top = height - height * Math.min(1, y);
      path += `${open === null ? 'M' : 'L'}${x} ${top.toFixed(2)}`;
      open ??= x;
    }
    last = { x, t: p.t };
  }
  close();
  return path;
}
