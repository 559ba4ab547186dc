// The monitor: takes the token, keeps one stream of events open, and shows the
// view that the address names: #/ all processes, #/process/ID/VIEW?DETAIL one,
// #/saved, #/runs, #/rules, #/compare/ID/ID, #/fleet.

import {
  html, render, useCallback, useEffect, useLayoutEffect, useRef, useState,
} from './html.js';
import { decoded, get, hasToken, setToken, takeToken, tokenIn } from './api.js';
import { openStream } from './stream.js';
import * as format from './format.js';
import { useNotifications } from './notify.js';
import { Overview } from './overview.js';
import { Places, places } from './places.js';
import { Process } from './process.js';

function route() {
  const [path, detail] = location.hash.slice(1).split('?');
  const [, what, id, view] = path.split('/');
  return what === 'process' && id
    ? { id: decoded(id), view: view || 'charts', detail }
    : { id: null, Place: places[what], rest: [id, view], detail };
}

// Returns the route, which changes with the address.
// The listener is added with the first drawing, not in a task after it, so that
// no change of the address is missed.
function useRoute() {
  const [current, set] = useState(route);
  useLayoutEffect(() => {
    const changed = () => set(route());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return current;
}

// Opens the stream for the process [id], or for none.  Returns the state of the
// connection, the list of processes and [subscribe], which calls back with the
// events of the process.
function useStream(id) {
  const [connection, setConnection] = useState({ state: 'connecting' });
  const [processes, setProcesses] = useState(null);
  const listeners = useRef(new Set());
  const subscribe = useCallback((listener) => {
    listeners.current.add(listener);
    return () => listeners.current.delete(listener);
  }, []);
  useEffect(() => openStream(id, (name, data) => {
    if (name === 'processes') setProcesses(data.processes);
    else listeners.current.forEach((listener) => listener(name, data));
  }, (next) => setConnection((old) => old.state === next.state &&
                             next.state === 'live' ? old : next)), [id]);
  return { connection, processes, subscribe };
}

function useServer(live) {
  const [server, set] = useState({});
  useEffect(() => {
    if (live) get('/api/server').then(set, () => {});
  }, [live]);
  return server;
}

const connectionText = {
  connecting: () => 'Connecting',
  live: () => 'Live',
  waiting: ({ reason, retry_ms }) =>
    `Disconnected: ${reason}. ${retry_ms ? `Next attempt in ${
      Math.ceil(retry_ms / 1000)} s` : 'Trying again'}`,
  refused: ({ reason }) => `Refused: ${reason}`,
};

function Header({ connection, server }) {
  return html`
    <header class="top">
      <a class="brand" href="#/">
        <img src="/monitor.svg" alt="" width="22" height="22" />
        Eventring monitor</a>
      <${Places} server=${server} />
      ${server.read_only && html`<span class="badge"
          title="The server was started with --read-only">read-only</span>`}
      <span class=${`connection ${connection.state}`} role="status">
        ${connectionText[connection.state](connection)}</span>
    </header>`;
}

// Asks for the token, when the address has none or the server refuses it.
function TokenForm({ reason }) {
  const submit = (event) => {
    event.preventDefault();
    const text = event.target.elements.token.value;
    setToken(tokenIn(text) ?? text);
    location.reload();
  };
  return html`
    <main class="empty">
      <h1>${reason ? 'The server refuses the token' : 'A token is missing'}</h1>
      <p>The first line that <code>eventring serve</code> prints is an address with the
        token: <code>#token=…</code>. Open that address, or paste it or the token
        here${location.hash.startsWith('#/') && ', and the view of this link opens'}:</p>
      <form onSubmit=${submit}>
        <input name="token" aria-label="Address or token" autocomplete="off"
          required /> <button>Open</button>
      </form>
      ${reason && html`<p class="quiet">The server says: ${reason}</p>`}
    </main>`;
}

function App() {
  const { id, view, detail, Place, rest } = useRoute();
  const { connection, processes, subscribe } = useStream(id);
  const server = useServer(connection.state === 'live');
  useNotifications(connection.state === 'live');
  const process = processes?.find((p) => p.id === id);
  useEffect(() => {
    document.title =
      `${process ? `${format.program(process)} - ` : ''}Eventring`;
  }, [process && format.program(process)]);
  // The link may be wrong.
  const refused = connection.state === 'refused' &&
    ![400, 404].includes(connection.status);
  return html`
    <${Header} connection=${connection} server=${server} />
    ${connection.state === 'waiting' && html`<p class="banner" role="alert">The server
      does not answer: these are its last numbers.</p>`}
    <div class=${connection.state === 'waiting' ? 'stale' : ''}>${refused ? html`<${TokenForm} reason=${connection.reason} />`
      : Place ? html`<${Place} server=${server} processes=${processes}
          rest=${rest} detail=${detail} key=${rest.join()} />`
      : id === null ? html`<${Overview} processes=${processes}
          server=${server} />`
      : html`<${Process} key=${id} id=${id} view=${view} detail=${detail}
          server=${server}
          process=${process}
          gone=${connection.state === 'refused' || processes &&
                 !processes.some((p) => p.id === id)}
          live=${connection.state === 'live'} subscribe=${subscribe} />`}</div>`;
}

takeToken();
// A new token starts anew.
addEventListener('hashchange', () => { if (takeToken()) location.reload(); });
render(hasToken() ? html`<${App} />` : html`<${TokenForm} />`,
       document.getElementById('page'));
