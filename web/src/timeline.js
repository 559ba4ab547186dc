// The timeline: it shows a window of time, [from, to] in ns; the server is
// asked for that window and half as much on both sides.  A request that is no
// longer wanted is cancelled.

import { html, useEffect, useMemo, useRef, useState } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import { useCanvas } from './canvas.js';
import {
  draw, find, isMerged, isPause, kindNames, laneName, layOut, legend, nameOf,
  nameWidth, ruler_px, stop } from './lanes.js';
import { PauseDetail } from './pause.js';

const shortest_ns = 200;
const most_pixels = 8192;       // of the server
const settle_ms = 60;           // the user may turn the wheel further
const follow_ms = 500;
const presets = [[1e10, '10 s'], [1e9, '1 s'], [1e8, '100 ms'], [1e7, '10 ms'],
                 [1e6, '1 ms'], [1e5, '100 µs']];

function clamp([from, to], now) {
  const length = Math.max(shortest_ns, Math.min(to - from, 1.2 * now));
  const middle = (from + to) / 2;
  const start = Math.max(-0.1 * length,
                         Math.min(middle - length / 2, now - 0.2 * length));
  return [start, start + length];
}

// The window from the address: FROM-TO.
function fromAddress(detail) {
  const found = /^(-?\d+)-(\d+)$/.exec(detail ?? '');
  return found ? [Number(found[1]), Number(found[2])] : null;
}

// Asks for [view] when it settles.  Returns the last answer, with its lanes
// laid out and with the [view] that it was for.
function useAnswer(id, view, width) {
  const [answer, set] = useState(null);
  const [error, setError] = useState(null);
  const seen = useRef(new Map()).current;
  useEffect(() => {
    if (!width) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const margin = (view[1] - view[0]) / 2;
      try {
        const next = await get(ofProcess(id, 'timeline'), {
          from: Math.max(0, view[0] - margin), to: view[1] + margin,
          width: Math.min(2 * width, most_pixels) }, abort.signal);
        next.height = layOut(next.lanes, seen);
        next.view = view;
        set(next);
        setError(null);
      } catch (e) {
        if (e.name !== 'AbortError') setError(e.message);
      }
    }, settle_ms);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, view[0], view[1], width]);
  return { answer, error };
}

// The window: [view], [move] it, and whether it follows the end of the data.
function useWindow(data, alive, detail) {
  const given = useMemo(() => fromAddress(detail), [detail]);
  const [follow, setFollow] = useState(alive && !given);
  const [view, set] = useState(() => given ??
    [Math.max(0, data.now - 1e9), Math.max(data.now, 1e6)]);
  const now = useRef(0);
  now.current = data.now;
  useEffect(() => {
    if (!given) return;
    setFollow(false);
    set(given);
  }, [given]);
  useEffect(() => {
    if (!follow) return undefined;
    const timer = setInterval(() => set(([from, to]) =>
      [now.current - (to - from), now.current]), follow_ms);
    return () => clearInterval(timer);
  }, [follow]);
  const move = (next) => {
    setFollow(false);
    set(clamp(next, Math.max(now.current, 1e6)));
  };
  return { view, move, follow, setFollow };
}

const zoomed = ([from, to], factor, at = (from + to) / 2) =>
  [at - (at - from) * factor, at + (to - at) * factor];
const moved = ([from, to], part) =>
  [from + (to - from) * part, to + (to - from) * part];

// The window after a key was pressed.
const keys = {
  ArrowLeft: (view) => moved(view, -0.2),
  ArrowRight: (view) => moved(view, 0.2),
  '+': (view) => zoomed(view, 0.5), '=': (view) => zoomed(view, 0.5),
  '-': (view) => zoomed(view, 2), Home: (_, now) => [0, now],
  End: ([from, to], now) => [now - (to - from), now],
};

// The mouse, touch and keyboard on the canvas.  [place]: geometry of the view.
// [hold] ends following, so that the chosen span stays in view.
function useInput({ canvas, place, view, move, hold, scroll, choose, answer,
                    now }) {
  const drag = useRef(null);
  const [selection, select] = useState(null);
  const timeAt = (x) => place.from + (x - place.left) /
    (place.width - place.left) * (place.to - place.from);
  const state = useRef();
  state.current = { view, move, timeAt };
  useEffect(() => {
    const wheel = (event) => {
      event.preventDefault();
      const { view, move, timeAt } = state.current;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        move(moved(view, (event.deltaX || event.deltaY) / 1000));
      else
        move(zoomed(view, Math.exp(event.deltaY / 400), timeAt(event.offsetX)));
    };
    const element = canvas.current;
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);
  const onPointerDown = (event) => {
    if (event.button !== 0) return;
    canvas.current.setPointerCapture(event.pointerId);
    const { offsetX: x, offsetY: y, shiftKey } = event;
    drag.current = { x, y, view, top: place.top,
                     select: shiftKey || y < ruler_px };
  };
  const onPointerMove = ({ offsetX: x, offsetY: y }) => {
    const d = drag.current;
    if (!d || !d.moving && Math.hypot(x - d.x, y - d.y) < 4) return;
    d.moving = true;
    if (d.select) {
      select([d.x, x]);
      return;
    }
    move(moved(d.view, (d.x - x) / (place.width - place.left)));
    scroll(d.top + d.y - y);
  };
  const onPointerUp = ({ offsetX: x, offsetY: y }) => {
    const d = drag.current;
    drag.current = null;
    select(null);
    if (d?.moving && d.select) move([d.x, x].sort((a, b) => a - b).map(timeAt));
    else if (d && !d.moving && answer) {
      const hit = find(answer, place, x, y);
      if (hit?.span) hold();
      choose(hit && { ...hit, names: answer.names });
    }
  };
  const onDblClick = ({ offsetX: x, offsetY: y }) => {
    const hit = answer && find(answer, place, x, y)?.span;
    if (hit) move(zoomed([hit[0], hit[1]], 1.4));
  };
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown')
      scroll(place.top + (event.key === 'ArrowUp' ? -40 : 40));
    else if (event.key === 'Escape') choose(null);
    else if (keys[event.key]) move(keys[event.key](view, now));
    else return;
    event.preventDefault();
  };
  return { selection, handlers: { onPointerDown, onPointerMove, onPointerUp,
                                  onDblClick, onKeyDown } };
}

function Legend() {
  return html`<ul class="legend" aria-label="Legend">${
    legend.map(([name, label]) => html`
      <li key=${name}><i class=${name}></i>${label}</li>`)}
    <li><i class="gap"></i>not recorded, lost or overwritten</li></ul>`;
}

function Toolbar({ view, move, follow, setFollow, alive, now }) {
  const middle = (view[0] + view[1]) / 2;
  return html`<div class="toolbar" role="group" aria-label="Window of time">
    ${presets.map(([ns, label]) => html`<button key=${label} onClick=${() =>
      move(follow ? [now - ns, now] : [middle - ns / 2, middle + ns / 2])}>
      ${label}</button>`)}
    <button onClick=${() => move([0, now])}>All</button>
    <button aria-label="Zoom in"
      onClick=${() => move(keys['+'](view))}>+</button>
    <button aria-label="Zoom out"
      onClick=${() => move(keys['-'](view))}>−</button>
    ${alive && html`<button aria-pressed=${follow}
      onClick=${() => setFollow(!follow)}>Follow</button>`}
    <span class="quiet">${format.duration(view[1] - view[0])} from ${
      format.moment(view[0], (view[1] - view[0]) / 100)}</span>
  </div>`;
}

// [chosen]: with the names of its own answer; the next answer has others.
function Chosen({ chosen }) {
  const { lane, span, names } = chosen;
  const [from, to, , , kind, last] = span;
  const merged = isMerged(span);
  return html`<p class="chosen"><b>${nameOf(chosen, span)}</b>
    ${!merged && ` (${kindNames[kind]})`} in ${laneName(lane)}: ${
      format.duration(to - from)}, from ${format.moment(from, 1)}
    ${merged
      ? ` · they fill ${format.share(last)} of this time; zoom in to see each`
      : last != null && ` · ${kind === stop ? 'reason' : 'cause'}: ${
        format.phrase(names[last])}`}</p>`;
}

// Says that the server stopped before the end of the window.
function Incomplete({ answer }) {
  if (answer?.complete !== false) return null;
  return html`<p class="note">There are too many events in this window: it is
    shown until ${format.moment(answer.until_ns, 1e6)}. Zoom in to see
    more.${answer.domains_left_out > 0
      && ` Behind it, ${answer.domains_left_out} further domains are left out.`
    }</p>`;
}

export function Timeline({ id, process, data, detail }) {
  const alive = process.state === 'running';
  const { view, move, follow, setFollow } = useWindow(data, alive, detail);
  const [size, setSize] = useState([0, 0]);
  const [scrolled, setTop] = useState(0);
  const [chosen, choose] = useState(null);
  const { answer, error } = useAnswer(id, view, size[0]);
  // While the window follows, it moves when its data is there.
  const [from, to] = follow && answer ? answer.view : view;
  data.shared.window = [from, to];
  const most = Math.max(0, (answer?.height ?? 0) - (size[1] - ruler_px));
  const place = { from, to, left: nameWidth(size[0]),
                  width: size[0], height: size[1],
                  top: Math.min(scrolled, most),
                  waits: process.categories?.includes('wait') };
  const input = {};
  const canvas = useCanvas((context, width, height) => {
    if (width !== size[0] || height !== size[1]) setSize([width, height]);
    else if (answer)
      draw(context, answer, place, chosen?.span ? chosen : null,
           input.selection);
  });
  Object.assign(input, useInput({ canvas, place, view, move, choose, answer,
    hold: () => follow && move([from, to]), now: data.now,
    scroll: (y) => setTop(Math.max(0, Math.min(y, most))) }));
  return html`<section>
    <${Toolbar} ...${{ view, move, follow, setFollow, alive, now: data.now }} />
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <canvas ref=${canvas} class="timeline" tabindex="0" role="application"
      aria-label="Timeline: arrows move, plus and minus zoom, Home shows all"
      style=${{ maxHeight: answer ? `${answer.height + ruler_px}px` : null }}
      ...${input.handlers}></canvas>
    <${Incomplete} answer=${answer} />
    <${Legend} />
    <p class="quiet hint">Click on a span for its cause and its events, double
      click enlarges it. Wheel zooms, drag moves, drag in the ruler enlarges a
      time.${most > 0 && ' Drag up, or press ↓, for the threads below.'}</p>
    <p class="quiet hint">Each thread has a first row that says whether it runs
      or waits, and rows for its stops, collections, spans and requests. The
      backup thread of a domain takes part in stops while the domain waits.</p>
    ${chosen?.span && html`
      <${Chosen} chosen=${chosen} />
      ${isPause(chosen.span) && html`
        <${PauseDetail} id=${id} span=${chosen.span}
          domain=${chosen.lane.domain} />`}`}
  </section>`;
}
