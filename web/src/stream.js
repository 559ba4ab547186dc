// The server-sent events, read with fetch, since EventSource cannot send the
// Authorization header.  A connection that breaks, or is silent, is opened
// again after a pause that doubles each time.

import { request } from './api.js';

const silence_ms = 5000;        // the server sends something each second
const first_pause_ms = 500;
const longest_pause_ms = 10000;
const longest_event = 16 << 20;

// Cuts text that arrives in chunks into events, and calls back with the name
// and the parsed data of each.
export class EventParser {
  constructor(callback) {
    this.callback = callback;
    this.rest = '';
  }

  add(text) {
    this.rest += text;
    if (this.rest.length > longest_event)
      throw new Error('an event of the server is too long');
    for (let end; (end = this.rest.indexOf('\n\n')) >= 0;) {
      this.#event(this.rest.slice(0, end));
      this.rest = this.rest.slice(end + 2);
    }
  }

  #event(block) {
    let name = 'message';
    let data = '';
    for (const line of block.split('\n')) {
      if (line.startsWith('event:')) name = line.slice(6).trim();
      else if (line.startsWith('data:')) data += line.slice(5);
    }
    if (data) this.callback(name, JSON.parse(data));
  }
}

async function read(process, signal, heard, callback) {
  const response = await request('/api/stream', { process }, { signal });
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser(callback);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    parser.add(decoder.decode(value, { stream: true }));
  }
}

// Opens the stream, of one process too when [process] is its id.  [onEvent]
// gets the name and the data of each event; [onState] an object with [state]:
// connecting, live, waiting (with [reason] and, until the next attempt,
// [retry_ms], which is 0 while it is made) or refused (with
// [reason]: trying again is useless).  Returns a function that ends it.
export function openStream(process, onEvent, onState) {
  let ended = false;
  let timer;
  let abort;
  let pause_ms = first_pause_ms;
  let failure = null;           // of the last attempt

  async function connect() {
    abort = new AbortController();
    const mine = abort;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => mine.abort(), silence_ms);
    };
    onState(failure ? { state: 'waiting', reason: failure, retry_ms: 0 }
      : { state: 'connecting' });
    watch();
    let reason = 'the server closed the connection';
    try {
      await read(process, abort.signal, watch, (name, data) => {
        pause_ms = first_pause_ms;
        failure = null;
        if (ended) return;
        onState({ state: 'live' });
        onEvent(name, data);
      });
    } catch (error) {
      reason = error.name === 'AbortError' ? 'the server is silent'
        : error.message;
      if ([400, 401, 403, 404].includes(error.status))
        ended = refused(reason, error);
    }
    clearTimeout(timer);
    if (!ended) wait(reason);
  }

  function refused(reason, { status }) {
    if (!ended) onState({ state: 'refused', reason, status });
    return true;
  }

  function wait(reason) {
    failure = reason;
    onState({ state: 'waiting', reason, retry_ms: pause_ms });
    timer = setTimeout(connect, pause_ms);
    pause_ms = Math.min(2 * pause_ms, longest_pause_ms);
  }

  connect();
  return () => {
    ended = true;
    clearTimeout(timer);
    abort.abort();
  };
}
