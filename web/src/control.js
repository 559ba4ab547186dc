// Control of a process: pausing, categories, threshold, profiling, saving; and
// the list of all actions.

import { html, useEffect, useRef, useState } from './html.js';
import { get, ofProcess, post } from './api.js';
import * as format from './format.js';
import { ActionTable, isSaved } from './overview.js';
import { Points } from './points.js';
import { completeText } from './overwritten.js';
import { isFixed } from './range.js';
import { RecordButton } from './record.js';
import { fileOf } from './save_file.js';
import { SavedLink } from './saved_link.js';

const readOnly = 'The server was started with --read-only: it only shows.';
const noAnswer = 'The server does not answer at the moment.';

// Returns why [process] cannot be controlled, or null.
export function obstacle(process, server, live) {
  if (server.read_only) return readOnly;
  if (isSaved(process))
    return 'This is a saved recording: there is nothing to control.';
  if (process.state !== 'running')
    return `The process is ${process.state}: there is nothing to control.`;
  return live ? null : noAnswer;
}

// Returns why no process, running or ended, can be saved, or null.
export function saveObstacle(server, live) {
  if (server.read_only) return readOnly;
  if (!server.store) return 'There is no store: set EVENTRING_STORE.';
  return live ? null : noAnswer;
}

// Returns [act], which sends an action, keeps its result in [message], and
// returns whether it succeeded.  [text]: of the message, or a function that makes the
// message of the answer: { text, file }, of which [file] is a saved recording.  [say]
// shows another message.
export function useAction(id) {
  const [message, set] = useState(null);
  const act = async (what, body, text) => {
    set({ text: 'Sending…' });
    try {
      const answer = await post(ofProcess(id, what), body);
      set(typeof text === 'function' ? text(answer) : { text });
      return true;
    } catch (error) {
      set({ text: error.message, failed: true });
      return false;
    }
  };
  return { act, say: set, message };
}

export function Message({ message }) {
  return html`<p class=${`message ${message?.failed ? 'error' : ''}`}
    role="status">${message ? format.name(message.text) : ''}${message?.file && html`
      ${' '}<${SavedLink} path=${message.file} />`}</p>`;
}

function PauseButton({ process, act, why }) {
  const action = process.paused ? 'resume' : 'pause';
  return html`<button disabled=${why !== null} title=${why ?? ''}
    onClick=${() => act('control', { action }, process.paused
      ? 'Tracing goes on.' : 'Tracing is paused.')}>
    ${process.paused ? 'Resume tracing' : 'Pause tracing'}</button>`;
}

function SaveForm({ act, range, why }) {
  const save = (body) => act('save', body, ({ file, complete_from_ns: complete }) => ({
    text: complete != null
      ? `${completeText(complete, body.to_ns)} Saved as`
      : 'Saved as',
    file }));
  const submit = (event) => {
    event.preventDefault();
    save({ seconds: Number(event.target.elements.seconds.value) });
  };
  return html`
    <form onSubmit=${submit} class="save">
      <label>Save the last <input type="number" name="seconds" min="1"
        max="86400" defaultValue="10" disabled=${why !== null} /> s</label>
      ${' '}<button disabled=${why !== null} title=${why ?? ''}>Save</button>
      ${' '}<button type="button" disabled=${why !== null}
        title=${why ?? 'All events that the rings hold'}
        onClick=${() => save({})}>Save all</button>
      ${' '}<button type="button" disabled=${why !== null || !isFixed(range)}
        title=${why ?? (isFixed(range) ? 'The events of the range that is held'
          : 'Hold a range first: drag in a chart or the timeline')}
        onClick=${() => save({ from_ns: Math.round(range.from),
                               to_ns: Math.round(range.to) })}>
        Save the range</button>
    </form>`;
}

// The buttons above all views.
export function QuickControl({ id, process, server, live, range }) {
  const { act, message } = useAction(id);
  const why = obstacle(process, server, live);
  return html`
    <div class="quick" role="group" aria-label="Control">
      <${PauseButton} process=${process} act=${act} why=${why} />
      <${SaveForm} ...${{ act, range }} why=${saveObstacle(server, live)} />
      <${RecordButton} id=${id} act=${act} why=${why} />
      <span class="quiet one-line">Categories: ${
        process.categories?.map(format.name).join(', ')}</span>
      <${Message} message=${message} />
    </div>`;
}

// Returns the categories that are recorded: those that the user has just asked
// for, until the process tells others.
function useCategories(process) {
  const told = (process.categories ?? []).join();
  const [asked, ask] = useState(null);
  useEffect(() => ask(null), [told]);
  return [asked ?? process.categories ?? [], ask];
}

function Categories({ process, known, act, why }) {
  const [on, ask] = useCategories(process);
  const toggle = (name) => async () => {
    const was = on.includes(name);
    const categories = was ? on.filter((c) => c !== name) : [...on, name];
    ask(categories);
    if (!await act('control', { action: 'categories', categories },
                   `Category ${name} is ${was ? 'off' : 'on'}.`))
      ask(null);
  };
  return html`<fieldset disabled=${why !== null}>
    <legend>Categories of events</legend>
    ${known.map(({ name, meaning }) => html`
      <label key=${name} class="category"><input type="checkbox"
        name=${name} checked=${on.includes(name)} onChange=${toggle(name)} />
        <span><b>${format.name(name)}</b> <span class="quiet">${
          meaning ? format.name(meaning) : ''}</span></span></label>`)}
  </fieldset>`;
}

const number = (event) => Number(event.target.elements.value.value);

function Threshold({ process, act, why }) {
  const submit = (event) => {
    event.preventDefault();
    const threshold_ns = Math.round(number(event) * 1000);
    act('control', { action: 'threshold', threshold_ns },
        `Waits of ${format.duration(threshold_ns)} and more are recorded.`);
  };
  return html`<form onSubmit=${submit}><fieldset disabled=${why !== null}>
    <legend>Shortest wait</legend>
    <label>Record waits of <input type="number" name="value" min="0"
      step="any" required placeholder=${process.threshold_ns == null ? ''
        : String(process.threshold_ns / 1000)} /> µs and more</label>
    ${' '}<button>Set</button></fieldset></form>`;
}

function ProfileRate({ process, act, why }) {
  const submit = (event) => {
    event.preventDefault();
    const rate_hz = number(event);
    act('control', { action: 'profile_rate', rate_hz },
        `${rate_hz} samples a second of processor time.`);
  };
  return html`<form onSubmit=${submit}><fieldset disabled=${why !== null}>
    <legend>Profile</legend>
    <label>Samples in a second <input type="number" name="value"
      min="1" max="10000" required
      defaultValue=${process.profile_rate_hz ?? 100} /></label>
    ${' '}<button>Set</button>
    <p class="quiet">A second of processor time of each thread; samples are
      taken while the category profile is on.</p>
  </fieldset></form>`;
}

function AllocRate({ process, act, why }) {
  const submit = (event) => {
    event.preventDefault();
    const words = number(event);
    act('control', { action: 'alloc_rate', words },
        `One sample of allocation in ${format.count(words)} words.`);
  };
  return html`<form onSubmit=${submit}><fieldset disabled=${why !== null}>
    <legend>Samples of allocation</legend>
    <label>One sample in <input type="number" name="value"
      min="1" max="1000000000000" required
      defaultValue=${process.alloc_period_words ?? 100000} /> words</label>
    ${' '}<button>Set</button>
    <p class="quiet">Of all words that are allocated, in the mean; samples are
      taken while the category profile_alloc is on.</p>
  </fieldset></form>`;
}

// The list is asked for again and again: others may act too.
function Actions({ process }) {
  const [actions, set] = useState([]);
  useEffect(() => {
    const abort = new AbortController();
    const ask = () => get('/api/actions', {}, abort.signal)
      .then((answer) => set(answer.actions), () => {});
    const timer = setInterval(ask, 1000);
    ask();
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, []);
  return html`<h2>Actions</h2>${actions.length
    ? html`<${ActionTable} actions=${actions}
      processes=${[process]} />`
    : html`<p class="quiet">Nobody has controlled a process yet.</p>`}`;
}

// Returns the categories that the process knows, or, when the server does not
// tell, those that were recorded since the page was opened.
function useKnown(process, detail) {
  const seen = useRef(new Set()).current;
  for (const name of process.categories ?? []) seen.add(name);
  return detail?.known_categories ?? [...seen].map((name) => ({ name }));
}

export function Control({ id, process, data, server, live }) {
  const { act, message } = useAction(id);
  const why = obstacle(process, server, live);
  return html`<section class="control">
    ${why && html`<p class="note">${why}</p>`}
    <${Message} message=${message} />
    <${Categories} process=${process} act=${act} why=${why}
      known=${useKnown(process, data.detail)} />
    <div class="side"><${Threshold} process=${process} act=${act} why=${why} />
    <${ProfileRate} process=${process} act=${act} why=${why} />
    <${AllocRate} process=${process} act=${act} why=${why} /></div>
    <div class="wide"><${Points} ...${{ id, why }} file=${fileOf(process)} />
      <${Actions} process=${process} /></div>
  </section>`;
}
