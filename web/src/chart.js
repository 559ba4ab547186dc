// A chart of uPlot as a component.  [series]: objects with label, colour (name
// of a CSS variable), values (an array beside [seconds]), fill, and points (dots
// instead of a line); stacked ones lie on each other, the first at the bottom.

import uPlot from 'uplot';
import { html, useLayoutEffect, useRef } from './html.js';
import { savePng } from './chart_image.js';
import { colour } from './colours.js';
import * as format from './format.js';
import { hasModifier } from './keyboard.js';

// Returns the colour of series [i] of a chart.  Other colours have a meaning, such as
// running or waiting, in all views.
export const seriesColour = (i) => `series-${1 + i % 10}`;
export const heapColour = seriesColour(1);
export const counterColour = seriesColour(2);

// Calls back when the browser changes between light and dark.
export function onTheme(callback) {
  const media = matchMedia('(prefers-color-scheme: dark)');
  media.addEventListener('change', callback);
  return () => media.removeEventListener('change', callback);
}

const axisFont = '11px system-ui, sans-serif';

// Steps between the marks of an axis of bytes.
const powers = Array.from({ length: 50 }, (_, i) => 2 ** i);

// Of a logarithmic axis only the powers of ten have lines.
const decades = (_, marks) =>
  marks.map((v) => Math.log10(v) % 1 === 0 ? v : null);

function axes({ text, binary, logarithmic, relative }, size) {
  const common = { stroke: colour('quiet'), font: axisFont,
                   grid: { stroke: colour('grid'), width: 1 },
                   ticks: { show: false } };
  const grid = logarithmic ? { ...common.grid, filter: decades } : common.grid;
  const hour = '{HH}:{mm}';
  return [
    relative ? { ...common, size: 26, space: 60,
      values: (_, marks) => marks.map((v) => format.duration(v * 1e9)) }
    : { ...common, size: 26, space: 60,
      values: [[3600, hour], [60, hour], [1, `${hour}:{ss}`],
               [0.001, ':{ss}.{fff}']].map(([step, form]) =>
        [step, form, null, null, null, null, null, null, 1]) },
    { ...common, grid, size, space: 28, incrs: binary ? powers : undefined,
      values: (_, ticks) => ticks.map((v) => v == null ? '' : text(v)) }];
}

// Values of a log scale: no pause is no point, not a pause of 0.
const drawn = (logarithmic) => (v) => logarithmic && v === 0 ? null : v;

// Returns the place in [plot] of series [i] of [props]: that of the times is 0, and
// stacked series are the other way round.
const place = ({ series, stacked }, i) => stacked ? series.length - i : i + 1;

// Whether the reader has not hidden series [i] of [props], in its legend.
const isShown = (plot, props, i) => plot.series[place(props, i)].show;

// Returns the data that uPlot draws: stacked series as sums of those that are shown, the
// top one first, so that each fill covers the fill behind it.
function drawnData(plot, props) {
  const { seconds, series, stacked, logarithmic } = props;
  if (!stacked)
    return [seconds, ...series.map((s) => s.values.map(drawn(logarithmic)))];
  const sums = [];
  let below = null;
  series.forEach(({ values }, i) => {
    const last = below;
    const sum = values.map((v, at) => v === null ? null : v + (last?.[at] ?? 0));
    if (isShown(plot, props, i)) below = sum;
    sums.unshift(sum);
  });
  return [seconds, ...sums];
}

function seriesOptions(props) {
  const all = props.series.map((s, i) => ({
    label: s.label, stroke: colour(s.colour), width: s.fill ? 0.5 : 1.5,
    fill: s.fill ? colour(s.colour) : undefined,
    points: { show: Boolean(s.points), size: 5, fill: colour(s.colour) },
    paths: s.points ? () => null : undefined,
    dash: s.dash, value: (u, _, __, at) =>
      u.eventring.text(u.eventring.series[i]?.values[at]) }));
  return props.stacked ? all.reverse() : all;
}

function options(props, width) {
  const { height = 150, max, logarithmic, legend = true, onZoom,
          relative } = props;
  const time = (v) => v == null ? '' : relative ? format.duration(v * 1e9)
    : format.clock(v * 1e9);
  return {
    width, height, padding: [8, 26, 0, 0],
    cursor: { sync: { key: 'eventring' }, drag: { x: true, setScale: false },
              points: { size: 5 } },
    legend: { show: legend, live: true },
    scales: { x: { time: !relative }, y: logarithmic ? { distr: 3 }
      : { range: (_, low, high) =>
          [0, max ?? Math.max(high ?? 0, 1) * 1.05] } },
    axes: axes(props, 62), series: [
      { label: 'Time', value: (_, v) => time(v) },
      ...seriesOptions(props)],
    hooks: { setSelect: [(u) => {
      if (u.select.width < 4) return;
      onZoom(u.posToVal(u.select.left, 'x'),
             u.posToVal(u.select.left + u.select.width, 'x'));
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    }], ready: [makeButtons], setSeries: [(u, i, { show }) => {
      if (show === undefined) return;
      label(u, i).ariaPressed = show;
      update(u, u.eventring);
    }] } };
}

const label = (plot, i) => plot.root.querySelectorAll('.u-legend .u-label')[i];

// Gives the keyboard what a click on a series in the legend does: it hides or shows it, or
// with Ctrl all others.
function makeButtons(plot) {
  for (let i = 1; label(plot, i); i++)
    Object.assign(label(plot, i), { tabIndex: 0, role: 'button', ariaPressed: true,
      onkeydown: (event) => {
        const { key, ctrlKey, metaKey } = event;
        if (!['Enter', ' '].includes(key)) return;
        event.currentTarget.dispatchEvent(
          new MouseEvent('click', { bubbles: true, ctrlKey, metaKey }));
        event.preventDefault();
      } });
}

function update(plot, props) {
  plot.eventring = props;
  plot.setData(drawnData(plot, props), false);
  plot.setScale('x', { min: props.from, max: props.to });
  if (plot.cursor.idx == null)
    plot.setLegend({ idx: props.seconds.length - 1 }, false);
}

// Left and right move the cursor by a value, plus and minus zoom at the cursor, Esc hides it.
function onKey(event, plot, { from, to: end, asked = [from, end], onZoom }) {
  const { idx } = plot.cursor;
  const [times] = plot.data;
  const last = times.length - 1;
  const to = (i) => {
    const left = Math.min(plot.valToPos(times[i], 'x'), plot.over.clientWidth - 1);
    plot.setCursor({ left: Math.max(0, left), top: plot.over.clientHeight / 2 });
  };
  const zoom = (factor) => {
    const at = times[idx] ?? (asked[0] + asked[1]) / 2;
    onZoom(...asked.map((limit) => at + (limit - at) * factor));
  };
  const actions = {
    ArrowLeft: () => to(Math.max(0, (idx ?? last + 1) - 1)),
    ArrowRight: () => to(Math.min(last, (idx ?? last - 1) + 1)),
    '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
    Escape: () => plot.setCursor({ left: -10, top: -10 }) };
  if (!Object.hasOwn(actions, event.key) || hasModifier(event) || last < 0) return;
  actions[event.key]();
  event.preventDefault();
}

// Only charts within the window, or nearly, are drawn again, and all before they are printed.
const nearly = { rootMargin: '20px' };

// [seconds]: times of the values; [from], [to]: what is shown; all in seconds
// since the epoch.  [asked]: the time that was asked for, from which keys zoom, if an
// answer may come later or not have all of it.  [text]: formats a value.  [max]: end of the y axis.
// [binary]: it is a number of bytes.  [relative]: [seconds] count from a begin.
// [link]: an element behind the note.  [onZoom]: gets the times that the user selects.
export function Chart(props) {
  const element = useRef(null);
  const plot = useRef(null);
  const latest = useRef(props);
  const visible = useRef(true);
  latest.current = props;
  const shape = props.series.map((s) => s.label).join('\n');
  // Before the update below, which would give a chart another number of series
  useLayoutEffect(() => {
    const make = () => {
      plot.current?.destroy();
      const { clientWidth } = element.current;
      plot.current = new uPlot(options(latest.current, clientWidth), [[]],
                               element.current);
      plot.current.eventring = latest.current;
      update(plot.current, latest.current);
    };
    make();
    const resized = new ResizeObserver(([{ contentRect }]) =>
      plot.current.setSize({ width: contentRect.width,
                             height: latest.current.height ?? 150 }));
    resized.observe(element.current);
    const scrolled = new IntersectionObserver((entries) => {
      visible.current = entries.at(-1).isIntersecting;
      if (visible.current) update(plot.current, latest.current);
    }, nearly);
    scrolled.observe(element.current);
    const ends = onTheme(make);
    const print = () => update(plot.current, latest.current);
    addEventListener('beforeprint', print);
    return () => {
      ends();
      removeEventListener('beforeprint', print);
      resized.disconnect();
      scrolled.disconnect();
      plot.current.destroy();
      plot.current = null;
    };
  }, [shape]);
  // In the frame of the texts, not in one of its own
  useLayoutEffect(() => {
    if (plot.current && visible.current) update(plot.current, props);
  });
  return html`<figure class=${`chart ${props.wide ? 'wide' : ''}`}>
    <figcaption>${props.title}${' '}<small>${props.note} ${props.link}</small>
      <button type="button" class="save-as" title=${`Save ${props.title} as PNG`}
        onClick=${() => {
          update(plot.current, props);
          savePng(plot.current, { ...props, series: props.series.filter((_, i) =>
            isShown(plot.current, props, i)) });
        }}>PNG</button></figcaption>
    <div ref=${element} class="plot" role="group" tabindex="0"
      onKeyDown=${(e) => onKey(e, plot.current, props)} aria-label=${
      `${props.title}: ${props.series.map((s) =>
        `${s.label} ${props.text(s.values.at(-1))}`).join(', ')}`}></div>
  </figure>`;
}
