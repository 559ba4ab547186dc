// Mouse and fingers on the picture of the timeline.

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

// Two fingers: returns a handler for each kind of event, which returns whether it took
// the event.  [begin] is called when the second finger comes.
function usePinch({ view, move, timeAt, width, begin }) {
  const fingers = useRef(new Map()).current;
  const first = useRef(null);
  const measure = () => {
    const [a, b] = [...fingers.values()];
    return { distance: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)),
             middle: (a.x + b.x) / 2 };
  };
  const down = ({ pointerId, pointerType, offsetX: x, offsetY: y }) => {
    if (pointerType !== 'touch') return false;
    fingers.set(pointerId, { x, y });
    if (fingers.size !== 2) return fingers.size > 2;
    const { distance, middle } = measure();
    first.current = { distance, middle, view, time: timeAt(middle) };
    begin();
    return true;
  };
  const changed = ({ pointerId, offsetX: x, offsetY: y }) => {
    if (!fingers.has(pointerId)) return false;
    fingers.set(pointerId, { x, y });
    if (!first.current) return false;
    if (fingers.size !== 2) return true;
    const { distance, middle } = measure();
    const next = zoomed(first.current.view, first.current.distance / distance,
                        first.current.time);
    move(moved(next, (first.current.middle - middle) / width));
    return true;
  };
  const up = ({ pointerId }) => {
    const pinched = first.current !== null;
    fingers.delete(pointerId);
    if (fingers.size === 0) first.current = null;
    return pinched;
  };
  return { down, changed, up };
}

// Returns the handlers of the canvas.  [place]: geometry of the view.  [select] gets
// the time that is being selected and, at the end, null; [setSelected] the one that is;
// [setMoment] the time of a click in the ruler.
// [hold] ends following, so that the chosen span stays in view.  [scroll] scrolls the
// lanes to a pixel; [timeAt] returns the time at a pixel.  [pointer]: as of Hover.
export function useInput({ canvas, place, view, move, hold, scroll, choose, picture,
                           pointer, select, setSelected, setMoment, timeAt }) {
  const drag = useRef(null);
  const state = useRef();
  state.current = { view, move, timeAt };
  useWheel(canvas, state);
  const between = (...pixels) => pixels.sort((a, b) => a - b).map(timeAt);
  const stop = () => {
    drag.current = null;
    select(null);
  };
  const pinch = usePinch({ view, move, timeAt, width: place.width - place.left,
                           begin: stop });
  const onPointerDown = (event) => {
    if (pinch.down(event) || event.button !== 0) return;
    canvas.current.setPointerCapture(event.pointerId);
    const { offsetX: x, offsetY: y, shiftKey } = event;
    drag.current = { x, y, view, top: place.top,
                     select: shiftKey || y < ruler_px };
  };
  const onPointerMove = (event) => {
    const { offsetX: x, offsetY: y } = event;
    const d = drag.current;
    const touch = event.pointerType === 'touch';
    point(pointer, d?.moving || touch ? null : [x, y]);
    if (pinch.changed(event)) return;
    if (!d || !d.moving && Math.hypot(x - d.x, y - d.y) < still_px) return;
    d.moving = true;
    if (d.select) {
      select(between(d.x, x));
      return;
    }
    move(moved(d.view, (d.x - x) / (place.width - place.left)));
    if (!touch) scroll(d.top + d.y - y);        // the browser scrolls for a finger
  };
  const onPointerUp = (event) => {
    const { offsetX: x, offsetY: y } = event;
    const d = drag.current;
    stop();
    if (pinch.up(event)) return;
    if (d?.moving && d.select)
      setSelected(between(d.x, x));
    else if (d && !d.moving && y < ruler_px && x >= place.left)
      setMoment(timeAt(x));
    else if (d && !d.moving && picture) {
      const hit = find(picture, place, x, y);
      if (hit?.span) hold();
      choose(hit?.span ? { ...hit, names: picture.names } : null);
    }
  };
  // The browser scrolls the page.
  const onPointerCancel = (event) => {
    stop();
    pinch.up(event);
  };
  const onPointerLeave = () => point(pointer, null);
  const onDblClick = ({ offsetX: x, offsetY: y }) => {
    const hit = picture && find(picture, place, x, y)?.span;
    if (hit) move(zoomed([hit[0], hit[1]], 1.4), true);
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave,
           onDblClick };
}
