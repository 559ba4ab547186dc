// The keys of the timeline.

import { html, useLayoutEffect, useRef } from './html.js';
import { beginOf } from './history.js';
import { hasModifier, isTyping } from './keyboard.js';
import { moved, zoomed } from './timeline_window.js';

const step = 0.2;               // of the window

// The window after a key was pressed.  [at]: the time under the pointer, or undefined.
export const windows = {
  a: (view) => moved(view, -step), d: (view) => moved(view, step),
  w: (view, _, at) => zoomed(view, 0.5, at), s: (view, _, at) => zoomed(view, 2, at),
  '+': (view) => zoomed(view, 0.5), '=': (view) => zoomed(view, 0.5),
  '-': (view) => zoomed(view, 2),
};

// The same for keys that have another meaning outside of the canvas and the toolbars.
const windowsInside = {
  ArrowLeft: windows.a, ArrowRight: windows.d,
  Home: (_, { now, history }) => [beginOf(history), now],
  End: ([from, to], { now }) => [now - (to - from), now],
};
export const windowOfAll = windowsInside.Home;

// Calls a function of [actions], by its key, or [zoom] with the new window, unless the
// user types somewhere.
export function useKeys(canvas, { actions, zoom, view, data, timeAtPointer }) {
  const state = useRef();
  state.current = { actions, zoom, view, data, timeAtPointer };
  // At once: the user may press the next key before the page is painted.
  useLayoutEffect(() => {
    const pressed = (event) => {
      const { key, target } = event;
      if (hasModifier(event) || isTyping(target)) return;
      const { actions, zoom, view, data, timeAtPointer } = state.current;
      const isInside = target === canvas.current || target.closest('.toolbar');
      const next = windows[key] ?? (isInside ? windowsInside[key] : undefined);
      if (actions[key]) actions[key]();
      else if (next) zoom(next(view, data, timeAtPointer()));
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

const meanings = [
  ['a d, ← →', 'move'], ['w s', 'zoom in and out at the pointer'],
  ['+ −', 'zoom in and out'], ['↑ ↓', 'scroll the lanes'],
  ['Home, End', 'show all; show the end'],
  ['. ,', 'select the next span in the row, the one before'],
  ['> <', 'select a span in the row below, above'],
  ['m', 'select the time of the span or of the window, and its numbers'],
  ['x', 'tell what each thread does at the pointer, or where the span begins'],
  ['f', 'fit the selection, or all'], ['Esc', 'clear the search or the selection'],
  ['/', 'search'], ['Enter, n', 'next match'], ['Shift Enter, N', 'previous match'],
  ['?', 'show these keys'],
  ['Click', 'select a span: its cause and its events'],
  ['Double click', 'enlarge a span'], ['Wheel', 'zoom; with Shift, move'],
  ['Click in the ruler', 'tell what each thread does at this moment'],
  ['Drag', 'move'], ['Drag in the ruler', 'select a time, and its numbers'],
  ['Shift drag', 'select a time'], ['Two fingers', 'zoom']];

// [dialog]: the reference for the element, which the caller opens.
export const KeyList = ({ dialog }) => html`
  <dialog ref=${dialog} class="keys" aria-label="Keys">
    <h2>Keys of the timeline</h2>
    <dl>${meanings.map(([key, meaning]) => html`
      <div key=${key}><dt>${key}</dt><dd>${meaning}</dd></div>`)}</dl>
    <form method="dialog"><button>Close</button></form>
  </dialog>`;
