// The nodes of a hub side by side, for each program: its figures on each node, the
// figures in which a node differs from the others with the facts that only this
// node has, and the versions of all programs.

import { html } from './html.js';
import { useAnswer } from './answer.js';
import { factText } from './figures.js';
import * as format from './format.js';
import { Table } from './table.js';

const figures = {
  longest_pause_ns: ['Longest pause', format.duration],
  p99_pause_ns: ['99 % of pauses', format.duration],
  collecting: ['Collecting', format.share],
  alloc_bytes_per_s: ['Allocation', format.byteRate],
  lost: ['Events lost', format.share] };

const names = Object.keys(figures);

const meaning = {
  longest_pause_ns: 'The longest pause of a domain',
  p99_pause_ns: 'The pause that 99 % of the pauses do not exceed',
  collecting: 'Share of the time of domains in the collector',
  alloc_bytes_per_s: 'Bytes allocated for each second of a process',
  lost: 'Share of the events that are not at the hub' };

// Columns for the figures; [differs] says whether a row differs in a figure.
const figureColumns = (differs = () => false) => names.map((name) => {
  const [label, text] = figures[name];
  return { label, meaning: meaning[name], text,
           value: (row) => row.figures[name],
           cell: (row, shown) => differs(row, name)
             ? html`<b class="outlier">${shown}</b>` : shown };
});

const factNames = {
  build_id: 'build', runtime: 'OCaml', argv: 'arguments',
  'machine.release': 'kernel', 'machine.cpus': 'CPUs',
  'machine.processor': 'processor', 'machine.memory_mib': 'memory in MiB' };

function Outlier({ outlier: { figure, node, value, median, differs } }) {
  const [label, text] = figures[figure];
  return html`<li><b>${format.name(node)}</b>: ${label.toLowerCase()} ${
    text(value)}, median of all nodes ${text(median)}. ${differs.length
    ? html`Only there: ${differs.map(({ fact, values: its, others }, i) =>
        html`${i ? '; ' : ''}${format.name(factNames[fact] ?? fact)} <code>${
          factText(its)}</code> (others: ${factText(others)})`)}.`
    : 'No recorded fact is only there.'}</li>`;
}

function Program({ program: { program, nodes, outliers } }) {
  const differs = (row, name) =>
    outliers.some((o) => o.node === row.node && o.figure === name);
  const columns = [
    { label: 'Node', value: (n) => n.node },
    { label: 'Processes', value: (n) => n.processes },
    ...figureColumns(differs)];
  const enough = nodes.length >= 3;
  return html`
    <${Table} name="comparison" title=${format.name(program)} rows=${nodes}
      columns=${columns} note=${enough ? 'on the nodes'
        : 'outliers need three nodes'} />
    ${outliers.length > 0 && html`<ul class="outliers">${outliers.map((o) =>
      html`<${Outlier} key=${o.figure + o.node} outlier=${o} />`)}</ul>`}`;
}

const versionColumns = [
  { label: 'Program', value: (v) => v.program },
  { label: 'Build', value: (v) => v.build_id ?? format.unknown,
    text: (v) => v.slice(0, 12) },
  { label: 'OCaml', value: (v) => v.runtime || format.unknown },
  { label: 'Nodes', value: (v) => v.nodes.length,
    cell: (v, text) => html`<span title=${v.nodes.join(', ')}>${text}</span>` },
  { label: 'Processes', value: (v) => v.processes }, ...figureColumns()];

export function FleetComparison() {
  const { answer, error } = useAnswer('/api/fleet/comparison',
                                      { period_ms: 5000 });
  if (error) return html`<p class="error" role="alert">${
    format.name(error)}</p>`;
  if (!answer) return null;
  return html`
    <div class="heading"><h1>Comparison</h1><span class="quiet">Of the processes
      that run or had events in the last five minutes. ${answer.unread > 0 &&
      `${answer.unread} recordings are not read yet.`}</span></div>
    ${answer.programs.map((p) => html`
      <${Program} key=${p.program} program=${p} />`)}
    <${Table} name="versions" title="Versions" rows=${answer.versions}
      columns=${versionColumns} />`;
}
