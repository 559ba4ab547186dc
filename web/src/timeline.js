// The timeline: lanes of threads in a window of time, and what the user selects there.

import { html, useMemo, useRef, useState } from './html.js';
import * as format from './format.js';
import { useCanvas } from './canvas.js';
import { nextSpan } from './choice.js';
import { Chosen, useChosen } from './chosen.js';
import { Hover } from './hover.js';
import { useLaneChoice, useLaneList } from './lane_list.js';
import { layOut, nameWidth, row_px, ruler_px } from './lanes.js';
import { Legend } from './legend.js';
import { Minimap } from './minimap.js';
import { Moment, useMoment } from './moment.js';
import { draw } from './picture.js';
import { useShown } from './range.js';
import { SelectionTable, useTimeSelection } from './selection.js';
import { useInput } from './timeline_input.js';
import { KeyList, useKeys, windowOfAll, windows } from './timeline_keys.js';
import { useSearch } from './timeline_search.js';
import { Tracks, tracksOf } from './tracks.js';
import { useAnswer, useWindow, zoomed } from './timeline_window.js';

const presets = [[1e8, '100 ms'], [1e7, '10 ms'], [1e6, '1 ms'], [1e5, '100 µs']];

// [chosen]: the time that is selected, or nothing.
function Toolbar({ view, move, follow, now, chosen, children }) {
  const inView = chosen && chosen[0] < view[1] && view[0] < chosen[1];
  const [from, to] = inView
    ? [Math.max(view[0], chosen[0]), Math.min(view[1], chosen[1])] : view;
  const middle = (from + to) / 2;
  // What happened last matters most, in particular when the process has ended.
  const atEnd = follow || view[1] >= now;
  return html`<div class="toolbar" role="group" aria-label="Zoom and lanes">
    ${presets.map(([ns, label]) => html`<button key=${label} onClick=${() =>
      move(atEnd && !inView ? [now - ns, now] : [middle - ns / 2, middle + ns / 2], true)}>
      ${label}</button>`)}
    <button aria-label="Zoom in"
      onClick=${() => move(windows['+'](view))}>+</button>
    <button aria-label="Zoom out"
      onClick=${() => move(windows['-'](view))}>−</button>
    ${children}
    <span class="quiet">${format.duration(view[1] - view[0])} from ${
      format.moment(view[0], (view[1] - view[0]) / 100)}</span>
  </div>`;
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

// Returns a window with [span] in its middle, of [length] or longer.
function aroundSpan([begin, end], length) {
  const half = Math.max(1.4 * (end - begin), length) / 2;
  return [(begin + end) / 2 - half, (begin + end) / 2 + half];
}

export function Timeline({ id, process, data, live, address, range, setRange }) {
  const alive = process.state === 'running';
  const { view, move, follow } = useWindow(data, alive, range, setRange);
  const [size, setSize] = useState([0, 0]);
  const [top, setTop] = useState(0);
  const keyList = useRef(null);
  const scroller = useRef(null);
  const pointer = useRef({ at: null, show: null });
  const { answer, error } = useAnswer(id, view, size[0], follow && range);
  const { choice, change } = useLaneChoice(address);
  const picture = useMemo(() => answer && {
    ...answer, all: answer.lanes, ...layOut(answer.lanes, choice) }, [answer, choice]);
  const [chosen, choose] = useChosen(address, picture);
  const tracks = tracksOf(data);
  const { buttons, list } = useLaneList(answer?.lanes ?? [], tracks, choice, change);
  const [selected, setSelected] = useTimeSelection(address);
  const [moment, setMoment] = useMoment(address);
  // While the window follows, it moves when its data is there.
  const [from, to] = follow && answer ? answer.view : view;
  useShown(data.shown, { from: Math.max(0, from), to });
  const place = { from, to, left: nameWidth(size[0]), width: size[0],
                  height: size[1], top, waits: process.categories?.includes('wait'),
                  moment };
  const [selecting, select] = useState(null);
  const canvas = useCanvas((context, width, height) => {
    if (width !== size[0] || height !== size[1]) setSize([width, height]);
    if (picture)
      draw(context, picture, { ...place, left: nameWidth(width), width, height }, chosen,
           selecting ?? selected);
  }, [picture, ...Object.values(place), chosen, selected, selecting]);
  const timeAt = (x) => from + (x - place.left) / (size[0] - place.left) * (to - from);
  const hold = () => follow && move([from, to]);
  const scroll = (y) => { scroller.current.scrollTop = y; };
  const selectTime = (span) => {
    hold();
    choose(null);
    setSelected(span);
  };
  const selectMoment = (ns) => {
    hold();
    setMoment(ns);
  };
  const handlers = useInput({
    canvas, place, view, move, choose, picture, pointer, select, timeAt, hold, scroll,
    setSelected: selectTime, setMoment: selectMoment });
  const reveal = ({ lane, span }) => {
    const last = lane.top + lane.rows * row_px - (size[1] - ruler_px);
    if (top < last || top > lane.top) scroll(Math.min(lane.top, Math.max(0, last)));
    if (!span) return;
    choose({ lane, span, names: picture.names });
    if (from <= span[0] && span[1] <= to) hold();
    else move(aroundSpan(span, to - from), true);
  };
  const search = useSearch(picture, from, reveal, () => canvas.current.focus());
  const [begin, end] = chosen?.span ?? chosen?.pause ?? chosen?.event ?? [];
  const fit = () => move(chosen ? zoomed([begin, end], 1.4)
    : selected ?? windowOfAll(view, data), true);
  const step = (key) => {
    const next = picture && nextSpan(picture, chosen, key, [from, to]);
    if (next) reveal(next);
  };
  const showKeys = () => keyList.current.showModal();
  const clear = () => search.isOpen ? search.close() : chosen ? choose(null)
    : selected ? setSelected(null) : setMoment(null);
  const timeAtPointer = () => {
    const x = pointer.current.at?.[0];
    return x >= place.left ? timeAt(x) : undefined;
  };
  useKeys(canvas, { zoom: move, view, data, timeAtPointer,
    actions: {
      f: fit, '?': showKeys, '/': search.open,
      n: () => search.go(false), N: () => search.go(true),
      ...Object.fromEntries([...'.,<>'].map((key) => [key, () => step(key)])),
      m: () => selectTime(chosen ? [begin, end] : [from, to]),
      x: () => selectMoment(timeAtPointer() ?? begin ?? (from + to) / 2),
      Escape: clear } });
  return html`<section>
    <${Toolbar} ...${{ view, move, follow, now: data.now }}
      chosen=${chosen ? [begin, end]
        : selected ?? (moment !== null && [moment, moment])}>
      ${buttons}${search.field}<//>
    ${list}
    ${error && html`<p class="error" role="alert">${error}</p>`}
    <${Minimap} ...${{ data, live, view: [from, to], move }} />
    <div ref=${scroller} class="lanes" onScroll=${() =>
      setTop(scroller.current.scrollTop)}
      style=${picture && { '--all': `${picture.height + ruler_px}px` }}>
      <div class="all"><div class="stage">
        <canvas ref=${canvas} class="timeline" tabindex="0" role="application"
          aria-label="Timeline: arrows move, plus and minus zoom, ? lists the keys"
          ...${handlers}></canvas>
        <${Hover} ...${{ pointer, picture, place, chosen }} />
      </div></div>
    </div>
    <${Tracks} ...${{ tracks, hidden: choice.hidden, data, live, place }} />
    <${Incomplete} answer=${answer} />
    ${picture && html`<${Legend} picture=${picture} waits=${place.waits} />`}
    <p class="quiet hint">Click selects a span or, in the ruler, a moment; drag moves
      or, in the ruler, selects a time; the wheel zooms;${' '}
      <button class="link" onClick=${showKeys}>all keys (?)</button></p>
    <${KeyList} dialog=${keyList} />
    ${(selected || chosen || moment !== null) && html`
      <div class="details" tabindex="0" role="region" aria-label="Selection">
      ${moment !== null && html`<${Moment} id=${id} at=${moment} waits=${place.waits} backup=${choice.backup}
        clear=${() => setMoment(null)} />`}
      ${selected && html`<${SelectionTable} ...${{ id, address, selected }}
        fit=${() => move(selected, true)} clear=${() => setSelected(null)} />`}
      ${chosen && html`<${Chosen} ...${{ id, process, chosen, picture }} />`}</div>`}
  </section>`;
}
