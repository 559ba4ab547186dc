// What can be done with a saved recording: download, rename, a note, delete.

import { html, useEffect, useRef, useState } from './html.js';
import { ofProcess, post } from './api.js';
import { useDownload } from './download.js';
import * as format from './format.js';

// Returns the state of the edits of the list of saved recordings, with functions that
// change it; [again] asks for the list anew.  [edit]: { name, what, text }, the
// recording and its field that is being edited, or null; [condemned]: the recording
// that the user is asked about, or null.
export function useEdits(again) {
  const [edit, setEdit] = useState(null);
  const [condemned, condemn] = useState(null);
  const [failure, fail] = useState(null);
  const { save, message } = useDownload();
  const act = async (body) => {
    try {
      await post('/api/saved', body);
      // The user may edit another field by now.
      setEdit((now) => now?.name === body.name && now.what === body.action ? null
        : now);
      fail(null);
    } catch (error) {
      fail({ text: error.message, failed: true });
    }
    condemn(null);
    again();
  };
  return { edit, setEdit, condemned, condemn, act,
           message: failure ?? message,
           download: (s) => save(ofProcess(s.id, 'recording')) };
}

// The text of a field [what], 'rename' or 'note', or the form that changes it.
function Field({ s, what, text, label, edits }) {
  const { edit, setEdit, act } = edits;
  if (edit?.name !== s.name || edit.what !== what)
    return html`<span>${text}</span>${' '}<button type="button" class="link"
      aria-label=${`${label} ${format.name(s.name)}`}
      onClick=${() => setEdit({ name: s.name, what,
        text: what === 'note' ? s.note ?? '' : s.name })}>${label}</button>`;
  const submit = (event) => {
    event.preventDefault();
    const { name } = s;
    act(what === 'note' ? { action: 'note', name, note: edit.text }
      : { action: 'rename', name, to: edit.text });
  };
  return html`<form class="inline" onSubmit=${submit}>
    <input name=${what} value=${edit.text} aria-label=${label} spellcheck=${false}
      ref=${(e) => e && !e.dataset.begun && (e.dataset.begun = '1', e.focus())}
      onInput=${(e) => setEdit({ ...edit, text: e.target.value })} />
    ${' '}<button>Save</button>
    ${' '}<button type="button" onClick=${() => setEdit(null)}>Cancel</button>
  </form>`;
}

// Columns for the note and the name of the file; with [readOnly] they only show.
export const fieldColumns = (edits, readOnly) => [
  { label: 'Note', value: (s) => s.note ?? '', cell: readOnly ? undefined
    : (s, text) => html`<${Field} ...${{ s, text, edits }} what="note"
        label=${s.note ? 'Change' : 'Add a note'} />` },
  { label: 'File', value: (s) => s.name, cell: readOnly ? undefined
    : (s, text) => html`<${Field} ...${{ s, text, edits }} what="rename"
        label="Rename" />` }];

export const fileColumn = (edits, readOnly) => ({
  label: 'Actions', buttons: true, value: () => '', cell: (s) => html`
    ${!s.error && html`<button type="button"
      aria-label=${`Download ${format.name(s.name)}`}
      onClick=${() => edits.download(s)}>Download</button>`}
    ${' '}${!readOnly && html`<button type="button"
      aria-label=${`Delete ${format.name(s.name)}`}
      onClick=${() => edits.condemn(s)}>Delete</button>`}` });

// Asks whether the recording is really to be deleted.
export function DeleteDialog({ condemned, condemn, act }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (condemned) dialog.current.showModal();
    else dialog.current.close();
  }, [condemned]);
  return html`<dialog ref=${dialog} onClose=${() => condemn(null)}>
    <p>Delete ${format.name(condemned?.name ?? '')}? Its events are gone then.</p>
    <button type="button" class="delete" onClick=${() =>
      act({ action: 'delete', name: condemned.name })}>Delete</button>
    ${' '}<button type="button" autofocus
      onClick=${() => condemn(null)}>Keep it</button>
  </dialog>`;
}
