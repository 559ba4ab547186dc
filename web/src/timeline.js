// The timeline: it shows a window of time, [from, to] in ns; the server is
// asked for that window and half as much on both sides.  A request that is no
// longer wanted is cancelled.

import { html, useEffect, useMemo, useRef, useState } from './html.js';
import { get, ofProcess } from './api.js';
import * as format from './format.js';
import { useCanvas } from './canvas.js';
import { beginOf } from './history.js';
import {
  draw, find, findChoice, isMerged, isPause, kindNames, laneName, layOut, legend, nameOf,
  nameOfChoice, nameWidth, ruler_px, stop } from './lanes.js';
import { PauseDetail } from './pause.js';
import { isFixed, limits } from './range.js';

const shortest_ns = 200;
const most_pixels = 8192;       // of the server
const settle_ms = 60;           // the user may turn the wheel further
const settle_range_ms = 400;    // and the address can wait longer
const follow_ms = 500;
const presets = [[1e8, '100 ms'], [1e7, '10 ms'], [1e6, '1 ms'], [1e5, '100 µs']];

function clamp([from, to], now) {
  const length = Math.max(shortest_ns, Math.min(to - from, 1.2 * now));
  const middle = (from + to) / 2;
  const start = Math.max(-0.1 * length,
                         Math.min(middle - length / 2, now - 0.2 * length));
  return [start, start + length];
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

// The view of the range: [from, to] in ns since the start.
function viewOf(range, { now, history }) {
  const { from, to } = limits(range, now);
  return [from ?? beginOf(history), Math.max(to ?? now, (from ?? 0) + shortest_ns)];
}

// The window: [view], and [move] it.  While the range is live it follows the end of
// the data; what the user moves becomes the range when it settles, or [at_once].
function useWindow(data, alive, range, setRange) {
  const key = JSON.stringify(range);
  const [moved, set] = useState({});
  const live = alive && !isFixed(range);
  const shown = useRef({});
  const mine = moved.key === key ? moved.view : null;
  useEffect(() => {
    if (!mine) return undefined;
    const [from, to] = mine;
    const timer = setTimeout(() => setRange({ from: Math.max(0, from), to },
                                            { silent: !moved.at_once }),
                             moved.at_once ? 0 : settle_range_ms);
    return () => clearTimeout(timer);
  }, [mine]);
  // A live range moves twice a second, not with each row of data.
  const step = Math.floor(data.now / (follow_ms * 1e6));
  if (shown.current.key !== key || live && shown.current.step !== step)
    shown.current = { key, step, view: viewOf(range, data) };
  const move = (next, at_once = false) => set({
    key, at_once, view: clamp(next, Math.max(data.now, 1e6)) });
  return { view: mine ?? shown.current.view, move, follow: live && !mine };
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
  '-': (view) => zoomed(view, 2), Home: (_, { now, history }) => [beginOf(history), now],
  End: ([from, to], { now }) => [now - (to - from), now],
};

// The mouse, touch and keyboard on the canvas.  [place]: geometry of the view.
// [hold] ends following, so that the chosen span stays in view.
function useInput({ canvas, place, view, move, hold, scroll, choose, answer,
                    data }) {
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
    if (d?.moving && d.select)
      move([d.x, x].sort((a, b) => a - b).map(timeAt), true);
    else if (d && !d.moving && answer) {
      const hit = find(answer, place, x, y);
      if (hit?.span) hold();
      choose(hit && { ...hit, names: answer.names });
    }
  };
  const onDblClick = ({ offsetX: x, offsetY: y }) => {
    const hit = answer && find(answer, place, x, y)?.span;
    if (hit) move(zoomed([hit[0], hit[1]], 1.4), true);
  };
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown')
      scroll(place.top + (event.key === 'ArrowUp' ? -40 : 40));
    else if (event.key === 'Escape') choose(null);
    else if (keys[event.key]) move(keys[event.key](view, data));
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

function Toolbar({ view, move, follow, now }) {
  const middle = (view[0] + view[1]) / 2;
  return html`<div class="toolbar" role="group" aria-label="Zoom">
    ${presets.map(([ns, label]) => html`<button key=${label} onClick=${() =>
      move(follow ? [now - ns, now] : [middle - ns / 2, middle + ns / 2], true)}>
      ${label}</button>`)}
    <button aria-label="Zoom in"
      onClick=${() => move(keys['+'](view))}>+</button>
    <button aria-label="Zoom out"
      onClick=${() => move(keys['-'](view))}>−</button>
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

// The span that the address names, as it was chosen or, after a reload, as the answer
// has it.
function useChosen(address, answer) {
  const { sel } = address.values;
  const [chosen, set] = useState(null);
  const choose = (hit) => {
    const name = hit?.span && !isMerged(hit.span) ? nameOfChoice(hit) : null;
    set(hit && { ...hit, sel: name });
    address.go({ sel: name }, { silent: true });
  };
  const known = chosen && (chosen.sel ?? undefined) === sel ? chosen : null;
  const found = useMemo(() => !known && sel && answer ? findChoice(answer, sel) : null,
                        [known, sel, answer]);
  useEffect(() => { if (found) set({ ...found, sel }); }, [found]);
  return [known ?? found, choose];
}

export function Timeline({ id, process, data, address, range, setRange }) {
  const alive = process.state === 'running';
  const { view, move, follow } = useWindow(data, alive, range, setRange);
  const [size, setSize] = useState([0, 0]);
  const [scrolled, setTop] = useState(0);
  const { answer, error } = useAnswer(id, view, size[0]);
  const [chosen, choose] = useChosen(address, answer);
  // While the window follows, it moves when its data is there.
  const [from, to] = follow && answer ? answer.view : view;
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
    hold: () => follow && move([from, to]), data,
    scroll: (y) => setTop(Math.max(0, Math.min(y, most))) }));
  return html`<section>
    <${Toolbar} ...${{ view, move, follow, now: data.now }} />
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
