// Locks: how often and how long threads waited for each, who held it, and in which spans.

import { html } from './html.js';
import * as format from './format.js';
import { waitAddress } from './choice.js';
import { allSamples } from './flame_selection.js';
import { threadName } from './lanes.js';
import { coverText } from './range.js';
import { useRangeAnswer } from './range_answer.js';
import { fileOf } from './save_file.js';
import { Table } from './table.js';

const share = (part) => `${format.duration(part.total_ns)} of ${
  format.count(part.waits)}${part.waits === 1 ? ' wait' : ' waits'}`;

// The texts of the first few of [list].
const few = 3;
const first = (list, text) => [...list.slice(0, few).map(text),
  ...list.length > few ? ['others'] : []].join('; ');

const columns = (threads, address) => [
  { label: 'Lock', value: (l) => l.kind === 'domain lock'
    ? `lock of domain ${l.lock}` : `${l.kind} ${l.lock ?? '(not known)'}` },
  { label: 'Waits', value: (l) => l.waits },
  { label: 'Total', value: (l) => l.total_ns, text: format.duration,
    meaning: 'For the lock itself: a thread that has a mutex may wait for the lock of its ' +
      'domain, too, which counts there' },
  { label: 'Mean', value: (l) => l.total_ns / l.waits, text: format.duration },
  { label: 'Longest', value: (l) => l.longest_ns, text: format.duration,
    cell: ({ longest }, text) => html`<a
      title="Show it in the timeline" href=${waitAddress(address, longest)}>${text}</a>` },
  { label: 'Held at begin by', meaning: 'The threads that held it when a wait began, ' +
    'or the lock of a domain when the wait ended',
    value: (l) => first(l.holders, (h) =>
      `${threadName({ ...threads.get(h.thread), thread: h.thread })}: ${share(h)}`) },
  { label: 'Waited for in', meaning: 'The innermost span of the program',
    value: (l) => first(l.spans, (s) => `${s.span}: ${share(s)}`) }];

export function Locks({ id, process, data, address, range, wider }) {
  const { found, error } = useRangeAnswer(id, 'locks', range, data,
                                          process.state === 'running');
  const threads = new Map(data.detail?.threads?.map((t) => [t.id, t]));
  const recorded = process.categories?.includes('wait');
  return html`<section>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${!found && !error && html`<p class="quiet">Computing…</p>`}
    ${found?.answer.left_out > 0 && html`<p class="note">There are too many locks: ${
      format.count(found.answer.left_out)} waits for others are left out.</p>`}
    ${found && html`<p class="quiet">Waits for locks that ended from ${
      coverText(found.span, data.now, found.answer.kept)}. <a href=${address.to({ ...allSamples, type: 'wait' }, 'flame')}>
      The stacks of waits</a>${process.state === 'running' && html`. For what threads wait
      now, the <a href=${address.to({}, 'tables')}>stacks of all threads</a> say`}</p>
      ${found.answer.locks.length
        ? html`<${Table} name="locks" title="Locks" file=${fileOf(process)} columns=${columns(threads, address)}
          rows=${found.answer.locks} />`
        : html`<p class="empty">${recorded ? 'There is no wait for a lock in this range.'
          : html`Waits are not recorded: <a href=${address.to({}, 'control')}>switch
            on</a> <b>wait</b>.`}${wider}</p>`}`}
  </section>`;
}
