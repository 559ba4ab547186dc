// Groups of runs compared with the first of them, as `eventring compare` does it.

import { html } from './html.js';
import { useAnswer } from './answer.js';
import { CopyLink } from './copy_link.js';
import {
  changePercent, differs, directionClass, Facts, figureText, percent, runsText,
  Warnings,
} from './figures.js';
import * as format from './format.js';
import { Table } from './table.js';

const batch_runs = 999999;      // the most of one command

function verdictText({ verdict, bound, more_runs: more }) {
  if (differs(verdict)) return verdict;
  if (verdict === 'same')
    return bound ? `no difference larger than ${percent(bound)}` : 'no difference';
  return more == null ? 'cannot say'
    : more > batch_runs ? 'cannot say (varies too much)' : `cannot say (run ${more} more)`;
}

const classOf = ({ verdict, better }) => !differs(verdict) ? ''
  : directionClass(better, ['slower', 'more'].includes(verdict));

// The interval of a ratio around no change, where half of the picture is [limit]; what lies
// outside is a triangle at its end.
function Interval({ figure, limit }) {
  const { ratio, low, high } = figure;
  if (low == null || high == null) return '';
  const x = (v) => 80 + 70 * Math.max(-1, Math.min(1, (v - 1) / limit));
  const out = Math.abs(ratio - 1) > limit && Math.sign(ratio - 1);
  return html`<svg class=${`interval ${classOf(figure)}`} viewBox="0 0 160 16" role="img"
      aria-label=${`${changePercent(low - 1)} to ${changePercent(high - 1)}`}>
    <path class="none" d="M80 0V16" /><path d=${`M${x(low)} 8H${x(high)}`} />
    ${out ? html`<path class="out" d=${`M${80 + 72 * out} 3v10l${7 * out} -5z`} />`
      : html`<circle cx=${x(ratio)} cy="8" r="3.5" />`}</svg>`;
}

// Half the width of the pictures of [figures]: all intervals that are not too wide fit.
function limitOf(figures) {
  const ends = figures.filter((f) => f.high != null)
    .map((f) => Math.max(f.high - 1, 1 - f.low));
  return Math.min(0.5, Math.max(0.01, ...ends));
}

const columns = (limit) => [
  { label: 'Figure', value: (f) => f.name },
  { label: 'Base', value: (f) => f.base.median,
    cell: (f) => figureText(f.unit, f.base.median) },
  { label: 'This', value: (f) => f.this.median,
    cell: (f) => figureText(f.unit, f.this.median) },
  { label: 'Change', value: (f) => f.ratio == null ? null : f.ratio - 1,
    text: changePercent,
    meaning: 'From run to run: it may differ a little from that of the medians' },
  { label: `±${percent(limit)}`, buttons: true, value: () => '',
    meaning: 'The interval of 95 % of the change, from run to run',
    cell: (f) => html`<${Interval} figure=${f} limit=${limit} />` },
  { label: '95 %', value: (f) => f.low == null ? '' : `${changePercent(f.low - 1)} to ${
    changePercent(f.high - 1)}`, meaning: 'The interval of the change' },
  { label: 'Smallest', value: (f) => f.smallest_change, text: percent,
    meaning: 'The smallest change that so many runs show in 80 % of cases' },
  { label: 'Verdict', value: verdictText, meaning: 'Corrected for the number of figures',
    cell: (f, text) => html`<b class=${classOf(f)}>${text}</b>` }];

const isShown = (f) => f.main || differs(f.verdict);

const verdicts = { slower: 'slower', faster: 'faster', more: 'more', less: 'less',
                   same: 'without a difference', unknown: 'undecided' };

const countsText = (figures) => Object.entries(verdicts).map(([name, text]) =>
  [figures.filter((f) => f.verdict === name).length, text]).filter(([n]) => n)
  .map(([n, text]) => `${n} ${text}`).join(', ');

function Comparison({ comparison: { base, this: other, figures, manifest }, runs }) {
  const shown = figures.filter(isShown);
  const rest = figures.filter((f) => !isShown(f));
  const named = (group) => html`${format.name(group)} <small>(${
    runsText(runs(group))})</small>`;
  return html`<section>
    <h2>${named(other)} against ${named(base)}</h2>
    <p>${figures.length
      ? `Figures: ${countsText(figures)}.` : 'No figure can be compared.'}</p>
    <${Table} name="figures" rows=${shown} limit=${100} columns=${columns(limitOf(shown))} />
    <${Facts} facts=${manifest} />
    ${!manifest.length && html`<p class="quiet">The runs were made in the same way.</p>`}
    ${rest.length > 0 && html`<details><summary>${format.plural(rest.length, 'other figure')}, of which
      none shows a difference</summary><${Table} name="others" rows=${rest} limit=${1000}
      columns=${columns(limitOf(rest))} /></details>`}
  </section>`;
}

const otherMachines = '--other-machines';

// [other]: runs of different machines are compared, too.
export function RunsComparison({ groups, other }) {
  const { answer, error, again } = useAnswer('/api/batches/comparison',
    { parameters: { groups: JSON.stringify(groups), other_machines: other ? 1 : null } });
  const runs = (name) => answer.groups.find((g) => g.name === name)?.runs;
  return html`<main>
    <div class="heading"><a href="#/runs" class="back">‹ Runs</a>
      <h1>Comparison of runs</h1> <button onClick=${again}>Compute again</button>
      <${CopyLink} /></div>
    <p class="quiet">Medians of the runs; the change from run to run, with the interval that a
      rank test does not refute.</p>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${error?.includes(otherMachines) && html`<p><a href=${`${location.hash}&other=1`}>
      Compare runs of different machines, too</a></p>`}
    ${!answer && !error && html`<p class="quiet" role="status">Computing…</p>`}
    ${answer && html`<${Warnings} warnings=${answer.warnings} />
      ${answer.comparisons.map((c) => html`<${Comparison} key=${c.this} comparison=${c}
        runs=${runs} />`)}`}
  </main>`;
}
