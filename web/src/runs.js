// Batches of runs in the store, the runs of one, and the groups of runs that are to be
// compared or put into a timeline: #/runs, #/runs?batch=NAME,
// #/runs/comparison?groups=[...], #/runs/timeline?groups=[...].

import { html, useState } from './html.js';
import { processAddress, valuesOf } from './address.js';
import { post } from './api.js';
import { useAnswer } from './answer.js';
import { CopyLink } from './copy_link.js';
import { runsText } from './figures.js';
import * as format from './format.js';
import { RunsComparison } from './runs_comparison.js';
import { RunsTimeline } from './runs_timeline.js';
import { Table } from './table.js';

const batchAddress = (batch) => `#/runs?${new URLSearchParams({ batch })}`;
const groupsAddress = (view, groups) =>
  `#/runs/${view}?${new URLSearchParams({ groups: JSON.stringify(groups) })}`;

// In ns since 1970; null: not known, or no date.
const timeOf = (text) => Date.parse(text) * 1e6 || null;
const dateText = (ns) => ns === null ? format.unknown : format.date(ns);

const stateText = (b) => b.error ?? (b.running ? 'running' : b.damaged
  ? `${runsText(b.damaged)} damaged` : 'ended');

const toggled = (chosen, group) => chosen.includes(group)
  ? chosen.filter((other) => other !== group) : [...chosen, group];

const many = 6;                 // commands, which are folded
const most_groups = 32;         // that the server takes

// What was chosen last, for the way back.
let lastChosen = [];

// Boxes for the commands of a batch: [chosen] are groups, in the order of the choice.
function Commands({ batch: { name, labels = [] }, chosen, choose }) {
  const boxes = labels.map((label) => {
    const group = `${name}:${label}`;
    return html`<label class="command" key=${label}><input type="checkbox"
      checked=${chosen.includes(group)}
      title=${chosen[0] === group ? 'The base of a comparison' : undefined}
      onChange=${() => choose(toggled(chosen, group))} /> ${format.name(label)}${
      chosen[0] === group && ' (base)'}</label>`;
  });
  return labels.length <= many ? boxes
    : html`<details><summary>${labels.length} commands</summary>${boxes}</details>`;
}

const columns = (chosen, choose) => [
  { label: 'Batch', value: (b) => b.name,
    cell: (b, text) => html`<a href=${batchAddress(b.name)}>${text}</a>` },
  { label: 'Created', value: (b) => timeOf(b.created), text: dateText },
  { label: 'Runs', value: (b) => b.runs ?? null },
  { label: 'Failed', value: (b) => b.failed ?? null },
  { label: 'State', value: stateText },
  { label: 'Views', buttons: true, value: () => '', cell: (b) => b.error ? '' : html`
    ${b.labels.length > 1 && html`<a href=${groupsAddress('comparison', [b.name])}>
      Compare</a>${' '}`}<a href=${groupsAddress('timeline', [b.name])}>Timeline</a>` },
  { label: 'Commands', value: (b) => (b.labels ?? []).join(), cell: (b) =>
    html`<${Commands} batch=${b} chosen=${chosen} choose=${choose} />` }];

function Batches() {
  const { answer, error } = useAnswer('/api/batches', { period_ms: 15000 });
  const [chosen, choose] = useState(lastChosen);
  lastChosen = chosen;
  const go = (view) => () => { location.hash = groupsAddress(view, chosen); };
  const most = chosen.length > most_groups && `No more than ${most_groups} commands`;
  return html`<main>
    <div class="heading"><h1>Runs</h1>
      <button disabled=${chosen.length < 2 || most} onClick=${go('comparison')}
        title=${most || 'All with the one that was chosen first'}>Compare the chosen
        commands</button>
      <button disabled=${!chosen.length || most} onClick=${go('timeline')}
        title=${most || undefined}>Timeline of the chosen commands</button><${CopyLink} /></div>
    <p class="quiet">Batches of runs, which <code>eventring batch</code> made. Ticks choose
      commands, of one batch or of several; the first one is the base.</p>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!answer && !error && html`<p class="quiet">Loading…</p>`}
    ${answer && !answer.batches.length && html`<p class="note">There is no batch yet${
      answer.store && html` in <code>${format.name(answer.store)}</code>`}:${' '}
      <code>eventring batch -- PROGRAM -- OTHER</code> makes one.</p>`}
    <${Table} name="batches" columns=${columns(chosen, choose)} rows=${answer?.batches} />
  </main>`;
}

const endText = (r) => r.error ?? (r.signal != null ? `signal ${r.signal}`
  : `exit code ${r.exit_code}`);

const runColumns = (open) => [
  { label: 'Run', value: (r) => r.number, cell: (r) => !r.traced ? r.number
    : html`<button class="link" title="Open the recording of this run"
        onClick=${() => open(r)}>${r.number}</button>` },
  { label: 'Command', value: (r) => r.label ?? '' },
  { label: 'Started', value: (r) => timeOf(r.started), text: dateText },
  { label: 'Wall time', value: (r) => r.wall_ns ?? null, text: format.duration },
  { label: 'CPU time', value: (r) => r.user_ns == null ? null : r.user_ns + r.system_ns,
    text: format.duration },
  { label: 'Memory', value: (r) => r.max_rss_bytes ?? null, text: format.bytes,
    meaning: 'The largest resident memory' },
  { label: 'End', value: endText }];

const node = { label: 'Node', value: (r) => r.node ?? '' };

function Batch({ batch }) {
  const { answer, error } = useAnswer('/api/batches/runs',
                                      { parameters: { batch }, key: batch });
  const [failure, fail] = useState(null);
  const open = ({ number }) => post('/api/batches/runs', { batch, number }).then(
    ({ id }) => { location.hash = processAddress(id); }, ({ message }) => fail(message));
  const columns = runColumns(open);
  return html`<main>
    <div class="heading"><a href="#/runs" class="back">‹ Runs</a>
      <h1>${format.name(batch)}</h1>
      ${answer?.batch.commands.length > 1 && html`<a
        href=${groupsAddress('comparison', [batch])}>Compare its commands</a>`}
      <a href=${groupsAddress('timeline', [batch])}>Timeline</a><${CopyLink} /></div>
    ${(failure ?? error) && html`<p class="error" role="alert">${
      format.name(failure ?? error)}</p>`}
    ${!answer && !error && html`<p class="quiet">Loading…</p>`}
    ${answer && html`<p class="quiet">${runsText(answer.runs.length)}, in <code>${
      format.name(answer.path)}</code>${answer.runs.some((r) => r.traced) &&
      '; a click on a number opens a recording'}.</p>`}
    <${Table} name="runs" rows=${answer?.runs} limit=${200} file=${batch}
      title="Runs" columns=${answer?.batch.nodes ? [...columns, node] : columns} />
  </main>`;
}

// Returns the groups that an address names; none if it is malformed.
function groupsOf({ groups = '' }) {
  try {
    const list = JSON.parse(groups);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

const views = Object.assign(Object.create(null), {
  comparison: RunsComparison, timeline: RunsTimeline });

// [rest]: the view, from the address; [detail]: what is behind its question mark.
export function Runs({ rest: [view], detail }) {
  const given = valuesOf(detail);
  const View = views[view];
  if (View) return html`<${View} key=${detail} groups=${groupsOf(given)}
    other=${given.other === '1'} />`;
  return given.batch ? html`<${Batch} key=${given.batch} batch=${given.batch} />`
    : html`<${Batches} />`;
}
