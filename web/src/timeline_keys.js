// The keys of the timeline.

import { html, useEffect, useRef } from './html.js';
import { beginOf } from './history.js';
import { moved, zoomed } from './timeline_window.js';

// The window after a key was pressed.
export const windows = {
  ArrowLeft: (view) => moved(view, -0.2),
  ArrowRight: (view) => moved(view, 0.2),
  '+': (view) => zoomed(view, 0.5), '=': (view) => zoomed(view, 0.5),
  '-': (view) => zoomed(view, 2), Home: (_, { now, history }) => [beginOf(history), now],
  End: ([from, to], { now }) => [now - (to - from), now],
};

const meanings = [
  ['← →', 'move'], ['↑ ↓', 'scroll the lanes'], ['+ −', 'zoom in and out'],
  ['Home, End', 'show all; show the end'], ['Esc', 'clear the selection'],
  ['?', 'show these keys'],
  ['Click', 'select a span: its cause and its events'],
  ['Double click', 'enlarge a span'], ['Wheel', 'zoom; with Shift, move'],
  ['Drag', 'move'], ['Drag in the ruler', 'enlarge a time']];

// [shown]: whether the list is open; [close] is called when the user closes it.
export function KeyList({ shown, close }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (shown) dialog.current.showModal();
    else dialog.current.close();
  }, [shown]);
  return html`<dialog ref=${dialog} class="keys" aria-label="Keys" onClose=${close}>
    <h2>Keys of the timeline</h2>
    <dl>${meanings.map(([key, meaning]) => html`
      <div key=${key}><dt>${key}</dt><dd>${meaning}</dd></div>`)}</dl>
    <form method="dialog"><button>Close</button></form>
  </dialog>`;
}
