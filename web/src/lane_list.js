// The choice of lanes and tracks: which ones are shown, and which lanes are at the top.
// The address has it: backup, hide and pin.

import { html, useMemo, useState } from './html.js';
import { keyOfName } from './choice.js';
import { laneKey, laneName } from './lanes.js';

const setOf = (text) => new Set((text ?? '').split(' ').filter(Boolean));

function toggled(set, key) {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return [...next].join(' ');
}

// Returns the choice, as of layOut, and functions that change it.
export function useLaneChoice({ values, go }) {
  const { backup, hide, pin, sel } = values;
  const choice = useMemo(() => ({
    backup: backup === '1', hidden: setOf(hide), pinned: setOf(pin),
    chosen: sel && keyOfName(sel) }), [backup, hide, pin, sel]);
  const silent = { silent: true };
  return { choice, change: {
    backup: () => go({ backup: choice.backup ? null : 1 }, silent),
    hide: (key) => go({ hide: toggled(choice.hidden, key) }, silent),
    pin: (key) => go({ pin: toggled(choice.pinned, key) }, silent) } };
}

function Lane({ lane, choice, change }) {
  const key = laneKey(lane);
  const name = laneName(lane);
  return html`<li>
    <label><input type="checkbox" checked=${!choice.hidden.has(key)}
      onChange=${() => change.hide(key)} />${' '}${name}${' '}
      <span class="quiet">domain ${lane.domain}</span></label>
    <button aria-label=${`Pin ${name} to the top`}
      aria-pressed=${choice.pinned.has(key)} onClick=${() => change.pin(key)}>
      Pin</button></li>`;
}

const Track = ({ track: { key, label }, choice, change }) => html`<li>
  <label><input type="checkbox" checked=${!choice.hidden.has(key)}
    onChange=${() => change.hide(key)} />${' '}${label}</label></li>`;

// The buttons, and [list]: the list of lanes and tracks when it is open.
export function useLaneList(lanes, tracks, choice, change) {
  const [open, setOpen] = useState(false);
  const hidden = [...lanes.map(laneKey), ...tracks.map((track) => track.key)]
    .filter((key) => choice.hidden.has(key)).length;
  const buttons = html`
    <button aria-expanded=${open} onClick=${() => setOpen(!open)}>Lanes${
      hidden > 0 && ` (${hidden} hidden)`}</button>
    ${lanes.some((lane) => lane.backup) && html`
      <button aria-pressed=${choice.backup} onClick=${change.backup}
        title="The backup thread of a domain takes part in stops while the domain waits"
        >Backup threads</button>`}`;
  const list = open && html`<ul class="lane-list" aria-label="Lanes">${
    lanes.filter((lane) => choice.backup || !lane.backup || laneKey(lane) === choice.chosen).map((lane) => html`
      <${Lane} key=${laneKey(lane)} ...${{ lane, choice, change }} />`)}${
    tracks.map((track) => html`
      <${Track} key=${track.key} ...${{ track, choice, change }} />`)}</ul>`;
  return { buttons, list };
}
