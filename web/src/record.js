// The button that starts and stops a recording of a process into the store.

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
