// A canvas as wide as its element, drawn once a frame at most.

import { useEffect, useRef } from './html.js';
import { onTheme } from './chart.js';

// Calls [draw(context, width, height)] when a member of [inputs], the size or the theme
// changes.  Returns the reference for the canvas.
export function useCanvas(draw, inputs) {
  const canvas = useRef(null);
  const latest = useRef(draw);
  const frame = useRef(0);
  latest.current = draw;
  const paint = useRef(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      const element = canvas.current;
      if (!element) return;
      const { clientWidth: width, clientHeight: height } = element;
      const ratio = devicePixelRatio;
      const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (element.width !== w || element.height !== h)
        Object.assign(element, { width: w, height: h });
      const context = element.getContext('2d');
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, height);
      latest.current(context, width, height);
    });
  }).current;
  useEffect(paint, inputs);
  useEffect(() => {
    const resized = new ResizeObserver(paint);
    resized.observe(canvas.current);
    const ends = onTheme(paint);
    return () => {
      resized.disconnect();
      ends();
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    };
  }, []);
  return canvas;
}
