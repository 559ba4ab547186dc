// Buttons that record: a process into the store, and categories for a short time.

import { html } from './html.js';
import { get } from './api.js';
import { useAnswer } from './answer.js';
import * as format from './format.js';

export function RecordButton({ id, act, why }) {
  const { answer, again } = useAnswer('/api/recordings', { period_ms: 2000 });
  const recording = answer?.recordings.find((r) => r.process === id);
  const press = async () => {
    await act('record', { action: recording ? 'stop' : 'start' },
              recording ? ({ file, events }) =>
                ({ text: `Saved ${format.count(events)} events as`, file })
                : 'A recording has begun.');
    again();
  };
  return html`<button class="record" disabled=${why !== null && !recording}
    title=${why ?? 'All events from now on, and those that the rings hold'}
    aria-pressed=${Boolean(recording)} onClick=${press}>${recording
      ? `End the recording (${format.bytes(recording.bytes)})`
      : 'Record to a file'}</button>`;
}

export const record_s = 10;
const poll_ms = 1000;
const most_ms = 60000;          // a large file takes time

export const recordedText = (categories) => `${categories.join(' and ')} ${
  categories.length === 1 ? 'is' : 'are'} recorded for ${record_s} s`;

// The button that records [categories], which are off, for a short time.  [why]: the
// process cannot be controlled, or null.
export function RecordFor({ categories, record, why }) {
  return html`<button type="button" disabled=${why !== null} title=${why ?? ''}
    onClick=${() => record(categories)}>
    Record ${categories.join(' and ')} for ${record_s} s</button>`;
}

// Waits for the end of the recording of process [id] that began just now, which is among
// the actions then.  Returns its file.
async function recordedFile(id) {
  const actions = async (name) => (await get('/api/actions')).actions.filter((a) =>
    a.process === id && name.test(a.action));
  const [start] = await actions(/^record: start$/);
  const limit_ms = performance.now() + 2e3 * record_s + most_ms;
  while (performance.now() < limit_ms) {
    const ends = (await actions(/^record: (?!start$)/))
      .filter((a) => !start || a.unix_ns > start.unix_ns);
    if (ends.length > 0) {
      const { result } = ends.at(-1);
      if (result.endsWith('.evr')) return result;
      throw new Error(result);
    }
    await new Promise((resolve) => { setTimeout(resolve, poll_ms); });
  }
  throw new Error('the recording has not ended');
}

// Records all events into a file, which has a verdict of its own.
export function RecordFile({ id, act, say, why }) {
  const press = async () => {
    const text = `All events are recorded for ${record_s} s; then a link to the verdict ` +
      'of the recording appears here.';
    if (!await act('record', { action: 'start', seconds: record_s }, text)) return;
    try {
      say({ text: 'The recording has a verdict of its own:', file: await recordedFile(id) });
    } catch (error) {
      say({ text: error.message, failed: true });
    }
  };
  return html`<p><button disabled=${why !== null} title=${why ?? ''} onClick=${press}>
    Record ${record_s} s to a file</button> <span class="quiet">and judge that, if the
    rings hold too little for a rule</span></p>`;
}
