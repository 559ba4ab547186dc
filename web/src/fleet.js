// The nodes and processes of a hub, when the server shows one.  A click gets the
// recording of a process from the hub and opens it.

import { html, useState } from './html.js';
import { post } from './api.js';
import { useAnswer } from './answer.js';
import { FleetComparison } from './fleet_comparison.js';
import * as format from './format.js';
import { processAddress } from './address.js';
import { Table } from './table.js';

// The time of the node's clock ahead of the hub's is between offset - bound and
// offset + bound.
const clockOf = (n) => n.clock?.bound_ns == null ? format.unknown
  : `±${format.duration(n.clock.bound_ns)}`;

const nodeColumns = (processes, now) => [
  { label: 'Node', value: (n) => n.node },
  { label: 'State', value: (n) => !n.joined ? 'forgotten'
    : n.silent ? 'silent' : 'connected',
    meaning: 'A node is silent when it has sent no report for 10 s' },
  { label: 'Running', meaning: 'Processes that run', value: (n) =>
    processes.filter((p) => p.node === n.node && p.state === 'running').length },
  { label: 'Lost', meaning: 'Events of all its processes that were overwritten',
    value: (n) => processes.filter((p) => p.node === n.node)
      .reduce((sum, p) => sum + (p.lost ?? 0), 0) },
  { label: 'Dropped parts', value: (n) => n.dropped?.parts ?? 0,
    meaning: 'Parts that the agent gave up because its spool was full' },
  { label: 'Stored', value: (n) => n.bytes ?? null, text: format.bytes },
  { label: 'Clock', value: clockOf,
    meaning: 'How exactly the clock of the node is known to the hub' },
  { label: 'Last report', value: (n) => n.received_realtime_ns == null ? null
    : now - n.received_realtime_ns,
    text: (v) => v == null ? format.unknown : `${format.duration(v)} ago` },
  { label: 'Version', value: (n) => n.version ?? format.unknown }];

const processColumns = (open, opening, now) => [
  { label: 'Program', value: (p) => format.fileName(p.program ?? '?'),
    cell: (p, text) => html`<button class="link" disabled=${opening}
      title=${format.name(p.stream)} onClick=${() => open(p)}>
      ${text}</button>` },
  { label: 'Node', value: (p) => p.node },
  { label: 'Process', value: (p) => p.pid ?? null,
    text: (v) => v ?? format.unknown },
  { label: 'State', value: (p) => p.state ?? format.unknown },
  { label: 'Events', value: (p) => p.events ?? null },
  { label: 'Lost', value: (p) => p.lost ?? null },
  { label: 'Stored', value: (p) => p.bytes ?? null, text: format.bytes },
  { label: 'Last data', value: (p) => p.last_data_realtime_ns == null ? null
    : now - p.last_data_realtime_ns,
    text: (v) => v == null ? format.unknown : `${format.duration(v)} ago` }];

export function Fleet({ server }) {
  const { answer, error } = useAnswer('/api/fleet', { period_ms: 2000 });
  const [state, set] = useState({});
  const open = async ({ node, stream }) => {
    set({ opening: true });
    try {
      const { id } = await post('/api/fleet', { node, stream });
      location.hash = processAddress(id);
    } catch (failure) {
      set({ error: failure.message });
    }
  };
  const message = state.error ?? (server.hub === false
    ? 'The server shows no hub: start it with --hub.' : error);
  const now = answer?.realtime_ns;
  return html`<main>
    <div class="heading"><h1>Fleet</h1><span class="quiet">The nodes and
      processes of the hub. A click gets the recording of a process, up to now,
      and opens it.</span></div>
    ${message && html`<p class="error" role="alert">${
      format.name(message)}</p>`}
    ${state.opening && html`<p class="message" role="status">The recording is
      on its way</p>`}
    ${answer && !answer.nodes.length && html`<p class="note">No node has joined
      yet: start an agent with the line that <code>eventring hub</code>
      prints.</p>`}
    <${Table} name="nodes" title="Nodes" rows=${answer?.nodes}
      columns=${answer && nodeColumns(answer.processes, now)} />
    <${Table} name="fleet" title="Processes" rows=${answer?.processes}
      columns=${answer && processColumns(open, state.opening, now)} />
    ${answer?.processes.length > 0 && html`<${FleetComparison} />`}
  </main>`;
}
