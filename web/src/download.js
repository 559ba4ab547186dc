// Downloads of a process for the range that is shown: its recording, traces for
// viewers, profiles for pprof.

import { html, useEffect, useState } from './html.js';
import { download, get, ofProcess } from './api.js';
import * as format from './format.js';
import { Menu } from './menu.js';
import { isSaved } from './overview.js';
import { completeText } from './overwritten.js';
import { typeLabels } from './profile_types.js';
import { limits } from './range.js';

const files = [
  ['Recording', 'recording', {}, 'For eventring, and for this page'],
  ['Perfetto trace', 'trace', { format: 'perfetto' }, 'For ui.perfetto.dev'],
  ['Chrome trace', 'trace', { format: 'chrome' },
    'JSON, for chrome://tracing and speedscope']];

// Returns [save], which downloads a file and keeps the result in [message].
export function useDownload() {
  const [message, set] = useState(null);
  const save = async (path, parameters) => {
    set({ text: 'The server makes the file…' });
    try {
      const { name, complete } = await download(path, parameters);
      set({ text: `${complete ? `${completeText(complete, parameters?.to)} ` : ''}Downloaded ${name}` });
    } catch (error) {
      set({ text: error.message, failed: true });
    }
  };
  return { save, message };
}

// Returns whether the process may have samples; null while that is not known.  A
// recording does not tell.
function useSamples(id, process) {
  const [samples, set] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    get(ofProcess(id, 'kept'), {}, abort.signal).then(
      ({ rings }) => set(isSaved(process) || rings.some((r) => r.samples)),
      () => {});
    return () => abort.abort();
  }, [id]);
  return samples;
}

// [shown]: the parameters of the flame graph that is shown, or {}.
function Pprof({ save, shown }) {
  const [type, choose] = useState(shown.type ?? 'cpu');
  return html`<div><button type="button" title="For go tool pprof"
      onClick=${() => save('pprof', { ...shown, type })}>Profile for pprof</button>
    ${' '}<select aria-label="Type of the profile" name="pprof" value=${type}
      onChange=${(e) => choose(e.target.value)}>${typeLabels.map(([key, label]) => html`
        <option key=${key} value=${key}>${label}</option>`)}</select></div>`;
}

function Panel({ id, process, data, range, shown, save, message }) {
  const samples = useSamples(id, process);
  const fetchPart = (part, parameters) =>
    save(ofProcess(id, part), { ...limits(range, data.now), ...parameters });
  return html`<p class="quiet">Of the range of time that is shown.</p>
    ${files.map(([label, part, parameters, use]) => html`
      <div key=${label}><button type="button" title=${use}
        onClick=${() => fetchPart(part, parameters)}>${label}</button></div>`)}
    ${samples && html`<${Pprof} key=${JSON.stringify(shown)} save=${fetchPart}
      shown=${shown} />`}
    <p class=${`message ${message?.failed ? 'error' : ''}`} role="status">${
      message ? format.name(message.text) : ''}</p>`;
}

// [shown]: the parameters of the flame graph that is shown, or {}.
export function DownloadMenu(given) {
  const { save, message } = useDownload();
  return html`<${Menu} label="Download" panel=${() => html`
    <${Panel} ...${{ ...given, save, message }} />`} />`;
}
