// The file of a saved recording, as a link to the page of the recording.

import { html } from './html.js';
import { processAddress } from './address.js';
import { useAnswer } from './answer.js';
import { CopyLink } from './copy_link.js';
import * as format from './format.js';

const savedAt = (path, saved) => saved?.find((s) => s.path === path && !s.error);

// [path]: of the file; [text]: what is shown of it; [saved]: the recordings of the store.
// Plain text if the store has no such recording.
export function LinkTo({ path, text = path, saved }) {
  const one = savedAt(path, saved);
  return one ? html`<a href=${processAddress(one.id)}>${format.name(text)}</a>`
    : format.name(text);
}

// The link to a file that was saved just now, to follow or to give away.
export function SavedLink({ path }) {
  const { answer } = useAnswer('/api/saved', { key: path });
  const one = savedAt(path, answer?.saved);
  return html`<${LinkTo} path=${path} saved=${answer?.saved} />${one && html`
    ${' '}<${CopyLink} to=${processAddress(one.id)} what="the saved recording" />`}`;
}
