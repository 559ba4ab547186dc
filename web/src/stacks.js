// What each thread of the process does now, with its stack, when the user asks.

import { html, useState } from './html.js';
import { ofProcess, post } from './api.js';
import * as format from './format.js';
import { threadName } from './lanes.js';

const waits = { mutex: 'waits for a mutex', condition: 'waits for a condition',
                domain_lock: 'waits for the lock of its domain',
                thread_join: 'waits for a thread to end' };

// The name of the thread with the id [thread].
const nameOf = (threads, thread) =>
  threadName(threads.find((t) => t.thread === thread) ?? { thread });

function callText({ name, descriptor, file }) {
  const of = descriptor === undefined ? '' : ` of descriptor ${descriptor}${
    file ? ` (${format.name(file)})` : ''}`;
  return `in ${name === 'restart_syscall' ? 'sleep or poll' : name ?? 'a system call'}${of}`;
}

function doing(threads, { state, waits_for: wait, mutex, holder, call }) {
  if (state === 'running') return 'runs';
  if (state === 'stopped') return 'stopped by a signal';
  if (wait && mutex) return `${waits[wait]}, ${mutex}, which ${nameOf(threads, holder)} has`;
  return wait ? waits[wait] : call ? callText(call) : 'state not known';
}

function Frame({ frame: { function: name, kind, file, line } }) {
  return html`<li class=${kind}>${format.name(name)}${file && html`${' '}<small>${
    format.name(file)}${line && `:${line}`}</small>`}</li>`;
}

const few = 30;                 // functions that are shown at first

function Thread({ threads, thread }) {
  const [all, setAll] = useState(false);
  const { name, backup, domain, request, spans, frames, cut } = thread;
  const shown = all ? frames : frames.slice(0, few);
  return html`<details open=${!backup}>
    <summary><b>${threadName({ thread: thread.thread, name })}</b>${
      domain !== null && `, ${backup ? 'backup thread of ' : ''}domain ${domain}`}:
      ${' '}${doing(threads, thread)}</summary>
    ${request && html`<p class="quiet">Request ${request.name ? format.name(request.name) : ''} ${
      request.number}</p>`}
    ${spans?.length > 0 && html`<p class="quiet">Spans: ${spans.map(format.phrase).join(', ')}</p>`}
    <ol>${shown.map((frame, i) => html`<${Frame} key=${i} frame=${frame} />`)}
      ${cut && shown === frames && html`<li class="quiet">… ${cut}</li>`}</ol>
    ${shown.length < frames.length && html`<button type="button"
      onClick=${() => setAll(true)}>Show all ${frames.length}</button>`}</details>`;
}

function Answer({ stacks: { threads, deadlocks, stopped_ns: stopped } }) {
  return html`<p class="quiet">${format.plural(threads.length, 'thread')}; the process was
      stopped for ${format.duration(stopped)}.</p>
    ${deadlocks.map((circle, i) => html`<p key=${i} class="error" role="alert">Deadlock: ${
      circle.map((id) => nameOf(threads, id)).join(', ')} ${circle.length > 1
      ? 'wait for mutexes of each other' : 'waits for a mutex that it has'}.</p>`)}
    ${threads.map((thread) => html`
      <${Thread} key=${thread.thread} ...${{ threads, thread }} />`)}`;
}

// [why]: the process cannot be stopped, or null.
export function Stacks({ id, why }) {
  const [{ stacks, error, asked }, set] = useState({});
  const ask = () => {
    set(({ stacks: last }) => ({ stacks: last, asked: true }));
    post(ofProcess(id, 'stacks'), {}).then((answer) => set({ stacks: answer }),
                                           ({ message }) => set({ error: message }));
  };
  return html`<section class="stacks">
    <p><button type="button" disabled=${why !== null || asked} title=${why ?? ''}
      onClick=${ask}>Stacks of all threads now</button>${' '}<span class="quiet">${
      asked ? 'The server reads them…' : 'The process is stopped for some milliseconds.'}</span></p>
    ${error && html`<p class="error" role="alert">${format.name(error)}</p>`}
    ${stacks && html`<${Answer} stacks=${stacks} />`}</section>`;
}
