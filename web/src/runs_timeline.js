// The figures of groups of runs over the versions of programs, as `eventring timeline`
// computes them, with the changes and what may be their cause.

import { html } from './html.js';
import { useAnswer } from './answer.js';
import { CopyLink } from './copy_link.js';
import {
  changePercent, directionClass, Facts, figureText, percent, runsText, Warnings,
} from './figures.js';
import * as format from './format.js';
import { Table } from './table.js';

const [width, height, edge] = [900, 130, 8];
const names_px = 16;
const least_versions = 14;

const versionText = ({ name, subject }) =>
  `${format.name(name)}${subject ? ` ${format.name(subject)}` : ''}`;

// The medians of the versions, with a line for the medians between the changes.
function FigureChart({ figure, versions }) {
  const { name, unit, better, medians, outliers } = figure;
  const known = medians.filter((v) => v !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const x = (i) => edge + (width - 2 * edge) * (versions.length < 2 ? 0.5
    : i / (versions.length - 1));
  const y = (v) => high === low ? height / 2
    : height - edge - (height - 2 * edge) * (v - low) / (high - low);
  const changes = figure.changes.filter((c) => c.listed);
  return html`<figure class="chart wide"><figcaption>${format.name(name)} <small>${
      figureText(unit, low)} to ${figureText(unit, high)}</small></figcaption>
    <svg class="versions" viewBox=${`0 0 ${width} ${height + names_px}`} role="img"
      aria-label=${`${format.name(name)} of ${versions.length} versions`}>
      ${changes.map((c, at) => html`
        <rect class=${directionClass(better, c.step > 0)} y="0" height=${height}
          x=${x(c.low - 1)} width=${x(c.high) - x(c.low - 1)} />
        <path class="level" d=${`M${x(changes[at - 1]?.index ?? 0)} ${
          y(c.median_before)}H${x(c.index - 1)}`} />
        <path class="level" d=${`M${x(c.index)} ${y(c.median_after)}H${
          x((changes[at + 1]?.index ?? versions.length) - 1)}`} />`)}
      ${medians.map((v, i) => v !== null && html`<circle cx=${x(i)} cy=${y(v)} r="4"
        class=${outliers.includes(i) ? 'outlier' : ''}><title>${
        versionText(versions[i])}: ${figureText(unit, v)}</title></circle>`)}
      ${[versions[0], versions.at(-1)].map((v, at) => html`<text y=${height + 12}
        x=${at ? width : 0} text-anchor=${at ? 'end' : 'start'}>${
        format.name(v.name)}</text>`)}
    </svg></figure>`;
}

const commitText = ({ commit, subject }) =>
  html`<code>${format.name(commit.slice(0, 12))}</code> ${format.name(subject ?? '')}`;

function Change({ change, series: { versions, figures } }) {
  const { index, low, high, before, commits, manifest, functions, next } = change;
  const range = low === high ? '' : `, or one from ${format.name(versions[low].name)} to ${
    format.name(versions[high].name)} (95 %)`;
  const steps = figures.flatMap((f) => f.changes.filter((c) => c.listed &&
    change.figures.includes(f.name) && c.low <= high && c.high >= low)
    .map((c) => ({ ...c, name: f.name, unit: f.unit, better: f.better })));
  return html`<section class="change">
    <h3>First after: ${versionText(versions[index])}<small>${range}</small></h3>
    <${Table} name="steps" rows=${steps} columns=${[
      { label: 'Figure', value: (s) => s.name },
      { label: 'Before', value: (s) => s.median_before,
        cell: (s) => figureText(s.unit, s.median_before) },
      { label: 'After', value: (s) => s.median_after,
        cell: (s) => figureText(s.unit, s.median_after) },
      { label: 'Change', value: (s) => s.step, cell: (s) => html`<b class=${
        directionClass(s.better, s.step > 0)}>${changePercent(s.step)}</b>` },
      { label: 'Adjusted p', value: (s) => s.adjusted_p, text: (p) => p.toPrecision(2) }]} />
    ${commits.length > 0 && html`<p>Commits after ${format.name(versions[before].name)}:</p>
      <ul>${commits.map((c) => html`<li key=${c.commit} class=${c.likely ? 'likely' : ''}>${
        commitText(c)}${c.likely ? ' (likely)' : ''}${
        c.measured ? '' : ' (not measured)'}</li>`)}</ul>`}
    <${Table} name="functions" title="Functions" rows=${functions} columns=${[
      { label: 'Function', value: (f) =>
        f.name.replace(/^functions\.(.*)\.self_share$/, '$1') },
      { label: 'Before', value: (f) => f.before, text: percent },
      { label: 'After', value: (f) => f.after, text: percent },
      { label: 'Adjusted p', value: (f) => f.adjusted_p, text: (p) => p.toPrecision(2) }]} />
    <${Facts} facts=${manifest} base="Before" these="After" />
    ${next.length > 0 && html`<p>Run next:</p><ul>${next.map((n) => html`<li
      key=${n.commit}>${commitText(n)}${n.command && html`<br /><code>cd ${
      format.name(n.directory)} && ${format.name(n.command)}</code>`}</li>`)}</ul>`}
  </section>`;
}

// Changes that are no result, in words.
function NotListed({ uncertain, small, tests }) {
  return uncertain + small > 0 && html`<p class="quiet">Not listed: ${
    format.plural(uncertain, 'change')} too uncertain for ${format.plural(tests, 'test')}, ${
    small} smaller than 0.1 %.</p>`;
}

function Series({ series }) {
  const { name, machine, processor, order, runs, versions, figures, changes, enough,
          failed } = series;
  const changed = (f) => f.changes.some((c) => c.listed);
  const shown = figures.filter((f) => f.medians.some((v) => v !== null) &&
    (changed(f) || f.main)).sort((a, b) => changed(b) - changed(a));
  return html`<section>
    <h2>${format.name(name)}</h2>
    <p class="quiet">${runsText(runs)} of ${format.plural(versions.length, 'version')} by ${order}${
      failed ? `, ${failed} failed` : ''}; ${processor ? format.name(processor) : 'machine'} ${
      format.name(machine)}</p>
    <p>${!enough ? `There are too few versions to find a change: it takes ${
      least_versions}.` : changes.length === 0
      ? 'No figure changed.' : ''}</p>
    ${changes.map((c) => html`<${Change} key=${c.index} change=${c} series=${series} />`)}
    <div class="charts">${shown.map((f) => html`
      <${FigureChart} key=${f.name} figure=${f} versions=${versions} />`)}</div>
  </section>`;
}

export function RunsTimeline({ groups }) {
  const { answer, error, again } = useAnswer('/api/batches/timeline',
    { parameters: { groups: JSON.stringify(groups) } });
  return html`<main>
    <div class="heading"><a href="#/runs" class="back">‹ Runs</a>
      <h1>Timeline of versions</h1> <button onClick=${again}>Compute again</button>
      <${CopyLink} /></div>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!answer && !error && html`<p class="quiet" role="status">Computing…</p>`}
    ${answer && html`<${Warnings} warnings=${answer.warnings} />
      ${answer.series.map((s) => html`<${Series} key=${s.name + s.machine} series=${s} />`)}
      <${NotListed} ...${answer} />`}
  </main>`;
}
