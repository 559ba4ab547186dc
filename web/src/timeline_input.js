// The mouse on the picture of the timeline.

import { useEffect, useRef } from './html.js';
import { find } from './choice.js';
import { ruler_px } from './lanes.js';
import { moved, zoomed } from './timeline_window.js';

const still_px = 4;             // a shorter movement is a click

// Tells [pointer] where the mouse is: [x, y] or null.
function point({ current }, at) {
  current.at = at;
  current.show(at);
}

// Wheel: zooms at the pointer or, with Shift, moves.
function useWheel(canvas, state) {
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
}

// Returns the handlers of the canvas.  [place]: geometry of the view.  [select] gets the
// time that is being selected and, at the end, null; [setSelected] the one that is.  [hold] ends following, so that the chosen span stays in view.
// [scroll]: scrolls the lanes to a pixel; [timeAt] returns the time at a pixel.  [pointer]: as of Hover.
export function useInput({ canvas, place, view, move, hold, scroll, choose, picture,
                           pointer, select, setSelected, timeAt }) {
  const drag = useRef(null);
  const state = useRef();
  state.current = { view, move, timeAt };
  useWheel(canvas, state);
  const between = (...pixels) => pixels.sort((a, b) => a - b).map(timeAt);
  const onPointerDown = (event) => {
    if (event.button !== 0) return;
    canvas.current.setPointerCapture(event.pointerId);
    const { offsetX: x, offsetY: y, shiftKey } = event;
    drag.current = { x, y, view, top: place.top,
                     select: shiftKey || y < ruler_px };
  };
  const onPointerMove = ({ offsetX: x, offsetY: y, pointerType }) => {
    const d = drag.current;
    point(pointer, d?.moving || pointerType === 'touch' ? null : [x, y]);
    if (!d || !d.moving && Math.hypot(x - d.x, y - d.y) < still_px) return;
    d.moving = true;
    if (d.select) {
      select(between(d.x, x));
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
      setSelected(between(d.x, x));
    else if (d && !d.moving && picture) {
      const hit = find(picture, place, x, y);
      if (hit?.span) hold();
      choose(hit && { ...hit, names: picture.names });
    }
  };
  const onPointerLeave = () => point(pointer, null);
  const onDblClick = ({ offsetX: x, offsetY: y }) => {
    const hit = picture && find(picture, place, x, y)?.span;
    if (hit) move(zoomed([hit[0], hit[1]], 1.4), true);
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerLeave, onDblClick };
}
