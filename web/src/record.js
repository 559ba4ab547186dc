// Buttons that record: a process into the store, and categories for a short time.

import { html } from './html.js';
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

export const recordedText = (categories) => `${categories.join(' and ')} ${
  categories.length === 1 ? 'is' : 'are'} recorded for ${record_s} s`;

// The button that records [categories], which are off, for a short time.  [why]: the
// process cannot be controlled, or null.
export function RecordFor({ categories, record, why }) {
  return html`<button type="button" disabled=${why !== null} title=${why ?? ''}
    onClick=${() => record(categories)}>
    Record ${categories.join(' and ')} for ${record_s} s</button>`;
}
