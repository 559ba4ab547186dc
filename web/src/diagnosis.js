// What diagnose says of a process: the verdict, and behind it each rule: what it found,
// with evidence and advice, what it could not judge, and what it did not find.

import { html, useEffect, useState } from './html.js';
import { get, ofProcess } from './api.js';
import { pauseAddress } from './choice.js';
import * as format from './format.js';
import { Message, obstacle, saveObstacle, useAction } from './control.js';
import { rangeValues } from './range.js';
import { RecordFile, RecordFor, record_s, recordedText } from './record.js';
import { Verdict } from './verdict.js';

function evidenceText({ name, unit, value }) {
  const text = { ns: format.duration, bytes: format.bytes, count: format.count,
                 share: format.share }[unit]
    ?? (name.startsWith('cause') ? format.phrase : format.name);
  return `${format.name(name)}: ${text(value)}`;
}

function Finding({ finding: f, address }) {
  return html`<li>
    <p><span class=${`certainty ${f.certainty}`}>${f.certainty}</span>
      ${' '}<b>${format.name(f.title)}</b></p>
    <p>${format.name(f.advice)}</p>
    <p class="quiet">${f.evidence.map(evidenceText).join(' · ')}</p>
    ${f.pause && html`<p><a href=${pauseAddress(address, f.pause)}>
      Show it in the timeline</a></p>`}
    ${f.request && html`<p><a href=${address.to(
      { request: f.request, rules: null }, 'requests')}>Show the request</a></p>`}
    ${f.event && html`<p><a href=${address.to(
      { filter: f.event, rules: null, ...rangeValues({ last: null }) }, 'events')}>
      Show these events: ${format.phrase(f.event)}</a></p>`}</li>`;
}

function NotJudged({ rule: r, record, why }) {
  return html`<li>${format.name(r.title)}: <span class="quiet">${
    format.name(r.reason)}</span>
    ${r.category && html`${' '}<${RecordFor} ...${{
      categories: [r.category], record, why }} />`}</li>`;
}

const three = (x) => String(Number(x.toPrecision(3)));

// A limit, after the value that was compared with it, if there is one.
const limitText = ({ number, unit, meaning, measured }) =>
  `${measured == null ? '' : `${three(measured)} of `}${number} ${unit}: ${meaning}`;

function Passed({ rule: { title, limits } }) {
  return html`<li>Not found: ${format.name(title)} <small class="quiet">${
    limits.map(limitText).join(' · ')}</small></li>`;
}

function Rules({ id, process, diagnosis, address, server, live }) {
  const { act, say, message } = useAction(id);
  const { findings, not_judged: open, passed } = diagnosis;
  const why = obstacle(process, server, live);
  const record = (categories) => act('control',
    { action: 'add', categories, seconds: record_s },
    `${recordedText(categories)}; the rules are applied again then.`);
  return html`
    ${findings.length > 0 && html`<ul>${findings.map((finding) => html`
      <${Finding} key=${finding.rule} ...${{ finding, address }} />`)}</ul>`}
    ${open.length > 0 && html`<h3>Not judged: ${open.length}</h3>
      <ul>${open.map((rule) => html`<${NotJudged} key=${rule.rule}
        ...${{ rule, record, why }} />`)}</ul>
      ${open.some((rule) => !rule.category) && html`
        <${RecordFile} ...${{ id, act, say }} why=${why ?? saveObstacle(server, live)} />`}
      <${Message} message=${message} />`}
    ${passed.length > 0 && html`<h3>Nothing found: ${passed.length}</h3>
      <ul>${passed.map((rule) => html`<${Passed} key=${rule.rule} rule=${rule} />`)}</ul>`}`;
}

// Asks for the diagnosis again whenever the server has made another.
function useDiagnosis(id, made) {
  const [diagnosis, set] = useState(null);
  useEffect(() => {
    if (!made) return undefined;
    const abort = new AbortController();
    get(ofProcess(id, 'last_diagnosis'), {}, abort.signal).then(set, () => {});
    return () => abort.abort();
  }, [id, made]);
  return diagnosis;
}

export function Diagnosis(given) {
  const { id, process, address } = given;
  const diagnosis = useDiagnosis(id, process.verdict_unix_ns ?? process.verdict);
  if (!process.verdict) return null;
  const toggled = (event) =>
    address.go({ rules: event.currentTarget.open ? 1 : null }, { silent: true });
  return html`<details class="diagnosis" open=${address.values.rules === '1'}
    onToggle=${toggled}>
    <summary><${Verdict} process=${process} />${process.verdict_unix_ns &&
      html`${' '}<small class="quiet">judged at ${
        format.clock(process.verdict_unix_ns)}${diagnosis?.watched_ns > 0 &&
        ` by the events of ${format.duration(diagnosis.watched_ns)}`}</small>`}</summary>
    ${diagnosis && html`<${Rules} ...${given} diagnosis=${diagnosis} />`}
  </details>`;
}
