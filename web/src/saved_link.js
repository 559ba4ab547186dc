// The file of a saved recording, as a link to the page of the recording.

import { html } from './html.js';
import { processAddress } from './address.js';
import { useAnswer } from './answer.js';
import * as format from './format.js';

// [path]: of the file.  [text]: what is shown of it; plain text if the store has no such
// recording.
export function SavedLink({ path, text = path }) {
  const { answer } = useAnswer('/api/saved', { key: path });
  const name = path.slice(path.lastIndexOf('/') + 1);
  const saved = answer?.saved.find((s) => s.name === name && !s.error);
  return saved ? html`<a href=${processAddress(saved.id)}>${format.name(text)}</a>`
    : format.name(text);
}
