// A chart of uPlot as a picture, with its title and its legend.

import * as format from './format.js';
import { fileOf, safeName, saveFile } from './save_file.js';

const title_px = 26;
const about_px = 18;
const row_px = 18;
const margin_px = 10;
const swatch_px = 10;

const variable = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Returns the entries of the legend: text, colour, and their place in rows as wide as
// [width].
function legendOf(context, { series, text }, width) {
  let [x, row] = [margin_px, 0];
  return series.map((s) => {
    const label = `${s.label}: ${text(s.values.findLast((v) => v !== null))}`;
    const wide = swatch_px + 5 + context.measureText(label).width + 16;
    if (x > margin_px && x + wide > width) [x, row] = [margin_px, row + 1];
    const entry = { label, colour: variable(s.colour), x, row };
    x += wide;
    return entry;
  });
}

// Returns what a chart of a process is of: the process, and the date and time that are
// shown.
function aboutText({ scales: { x } }, { process }) {
  return !process ? '' : `${format.program(process)}, pid ${process.pid}, ${
    format.date(x.min * 1e9)} to ${format.clock(x.max * 1e9)}`;
}

function draw(canvas, plot, props) {
  const { title, note } = props;
  const about = aboutText(plot, props);
  const head_px = title_px + (about ? about_px : 0);
  const source = plot.ctx.canvas;
  const ratio = source.width / plot.width;
  const context = canvas.getContext('2d');
  const font = () => { context.font = '12px system-ui, sans-serif'; };
  font();
  const legend = legendOf(context, props, plot.width);
  const height = head_px + plot.height + row_px * (1 + (legend.at(-1)?.row ?? 0)) + margin_px;
  canvas.width = source.width;
  canvas.height = Math.ceil(height * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = variable('panel');
  context.fillRect(0, 0, plot.width, height);
  context.drawImage(source, 0, head_px, plot.width, plot.height);
  context.fillStyle = variable('text');
  context.textBaseline = 'middle';
  context.font = 'bold 13px system-ui, sans-serif';
  context.fillText(title, margin_px, title_px / 2);
  const noteX = margin_px + context.measureText(title).width + 6;
  font();
  context.fillStyle = variable('quiet');
  if (typeof note === 'string') context.fillText(note, noteX, title_px / 2);
  context.fillText(about, margin_px, title_px + about_px / 3, plot.width - 2 * margin_px);
  for (const { label, colour, x, row } of legend) {
    const y = head_px + plot.height + row_px * (row + 0.5);
    context.fillStyle = colour;
    context.fillRect(x, y - swatch_px / 2, swatch_px, swatch_px);
    context.fillStyle = variable('text');
    context.fillText(label, x + swatch_px + 5, y);
  }
}

// Has the browser save the chart [plot] of [props], those of a Chart, as PNG.
export function savePng(plot, props) {
  const canvas = document.createElement('canvas');
  const name = safeName(format.name(props.title));
  draw(canvas, plot, props);
  canvas.toBlob((blob) => saveFile(
    `${props.process ? `${fileOf(props.process)}-${name}` : name}.png`, blob), 'image/png');
}
