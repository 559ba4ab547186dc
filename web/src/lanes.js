// The lanes of the timeline: one for each thread, with a row for each kind and depth of
// its spans.

import * as format from './format.js';

export const row_px = 14;
export const lane_gap = 6;
export const ruler_px = 24;

// Kinds of spans, by their numbers in the answer of the server.
export const collector = 0, program = 1, wait = 2, stop = 3, request = 4, other = 5;
export const kindNames = ['collector', 'span of the program', 'wait',
                          'all domains stopped', 'request',
                          'other work of the runtime'];

// The kinds from top to bottom; the first row has the waits.
const order = [wait, stop, collector, other, program, request];

// Two answers may have times of an event that differ by some nanoseconds; less than
// CLOCKS_APART_NS of the server.
const clocks_apart_ns = 1000;
export const isSameTime = (a, b) => Math.abs(a - b) < clocks_apart_ns;

// The end of a range that has an event at [ns], in any answer.
export const after = (ns) => ns + clocks_apart_ns;

// Returns the index in [spans] of [span], of another answer perhaps; -1: it is not there.
export function nearest(spans, [from, to]) {
  const apart = (s) => Math.abs(s[0] - from) + Math.abs(s[1] - to);
  let best = -1;
  spans.forEach((s, i) => {
    if (isSameTime(s[0], from) && isSameTime(s[1], to) &&
        (best < 0 || apart(s) < apart(spans[best]))) best = i;
  });
  return best;
}

export const isMerged = (span) => span[2] === null;
export const isPause = (span) => !isMerged(span) &&
  (span[4] === collector || span[4] === stop);
export const nameOf = (answer, span) => isMerged(span)
  ? `${format.count(span[6])} of kind ${kindNames[span[4]]}`
  : format.name(answer.names[span[2]]);

export const laneKey = (lane) => `${lane.domain}.${lane.thread ?? ''}`;
// The name of a thread and its id in the system, by which it is known in all views.
export const threadName = ({ thread, name, backup }) =>
  `${backup ? 'backup' : name ? format.name(name) : 'thread'} ${thread}`;
export const laneName = (lane) =>
  lane.thread ? threadName(lane) : `domain ${lane.domain}`;

export const nameWidth = (width) => width < 600 ? 84 : 150;
export const rowOf = (lane, span) => (lane.first[span[4]] ?? 0) + span[3];
export const isOf = ([, , , domain], lane) => domain == null || domain === lane.domain;

// Whether a lane is of a thread that runs the program: the backup thread of a
// domain only collects.
const runsProgram = (lane) => lane.thread !== null && !lane.backup;

// A window that is this much longer or shorter than the one before has rows of its own.
const other_zoom = 4;

// Remembers the rows that lanes had, so that lanes do not jump while the user pans.
export class SeenRows {
  rows = new Map();
  length = 0;                   // of the window in which they were seen

  // Forgets all rows when the window [from, to] is another zoom.
  enter([from, to]) {
    const ratio = (to - from) / this.length;
    if (ratio < other_zoom && ratio > 1 / other_zoom) return;
    this.rows.clear();
    this.length = to - from;
  }

  // Returns the rows that each kind needs in [lane]: as many as it ever had.
  of(lane) {
    const key = laneKey(lane);
    const rows = this.rows.get(key) ?? [0, 0, runsProgram(lane) ? 1 : 0, 0, 0, 0];
    for (const [, , , depth, kind] of lane.spans)
      if (kind < rows.length) rows[kind] = Math.max(rows[kind], depth + 1);
    this.rows.set(key, rows);
    return rows;
  }
}

// The time between the first and the last event of a lane, in which its thread
// runs or collects when it does not wait.
function extent(spans) {
  let [from, to] = [Infinity, -Infinity];
  for (const span of spans) {
    from = Math.min(from, span[0]);
    to = Math.max(to, span[1]);
  }
  return [from, to];
}

// Gives each lane of an answer its rows: their number, [rows], and [first], the first row
// of each kind; and [stops], of its domain, if its thread runs the program.  [seen]:
// SeenRows.
export function giveRows({ lanes, stops }, seen) {
  lanes.sort((a, b) => a.domain - b.domain || a.thread - b.thread);
  for (const lane of lanes) {
    const rows = seen.of(lane);
    lane.first = [];
    lane.rows = 0;
    for (const kind of order) {
      lane.first[kind] = lane.rows;
      lane.rows += rows[kind];
    }
    lane.rows ||= 1;            // for its name
    lane.extent = extent(lane.spans);
    lane.runs = runsProgram(lane);
    lane.stops = lane.runs ? stops.find((s) => s.domain === lane.domain)?.spans ?? [] : [];
  }
}

// Returns the lanes that are shown, from top to bottom, with their place, [top], in
// pixels below the ruler, and the height of all.  [backup]: show those of backup
// threads, and not only where a domain has no other; [hidden], [pinned]: sets of keys;
// [chosen]: the key of the lane of the chosen span, which is shown like those of no backup
// thread.
export function layOut(lanes, { backup, hidden, pinned, chosen }) {
  const others = new Set(lanes.filter((l) => !l.backup).map((l) => l.domain));
  const shown = lanes.filter((lane) =>
    (backup || !lane.backup || !others.has(lane.domain) || laneKey(lane) === chosen) &&
      !hidden.has(laneKey(lane)));
  const isPinned = (lane) => pinned.has(laneKey(lane));
  const sorted = [...shown.filter(isPinned), ...shown.filter((l) => !isPinned(l))];
  let height = 0;
  for (const lane of sorted) {
    lane.top = height;
    height += lane.rows * row_px + lane_gap;
  }
  return { lanes: sorted, height };
}
