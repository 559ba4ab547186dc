// Requests to the server.  The token comes from the fragment of the address,
// which the browser sends nowhere; it is removed from the address bar and goes
// only into the Authorization header.

import { saveFile } from './save_file.js';

const storageKey = 'eventring-token';
let token = '';

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

// Returns the text that [part] of an address stands for; [part] itself if it is
// malformed, as an address that was cut is.
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// A token with the sign before it, wherever it stands in an address.
const tokenPattern = /(^|[#?&\s])token=([\w.~%-]+)&*/;

// Returns the token in [text], an address or a part of one, or null.
export function tokenIn(text) {
  const found = tokenPattern.exec(text);
  return found && decoded(found[2]);
}

// Takes the token from the address, or from this tab's earlier visit; the view that the
// address names stays in it.  Returns whether the address had a token.
export function takeToken() {
  const found = tokenIn(location.hash);
  if (found === null) {
    token ||= sessionStorage.getItem(storageKey) ?? '';
    return false;
  }
  setToken(found);
  let view = location.hash;
  while (tokenIn(view) !== null)
    view = view.replace(tokenPattern, (all, sign) => all.endsWith('&') ? sign : '');
  history.replaceState(null, '', location.pathname + view);
  return true;
}

export function setToken(text) {
  token = text.trim();
  sessionStorage.setItem(storageKey, token);
}

export function hasToken() {
  return token !== '';
}

// Returns the path of a part of a process, such as 'history'.
export function ofProcess(id, part) {
  return `/api/processes/${encodeURIComponent(id)}/${part}`;
}

function query(parameters) {
  const given = Object.entries(parameters).filter(([, v]) => v != null);
  const rounded = given.map(
    ([k, v]) => [k, typeof v === 'number' ? Math.round(v) : v]);
  return given.length ? `?${new URLSearchParams(rounded)}` : '';
}

async function refusal(response) {
  const body = await response.json().catch(() => ({}));
  return new ApiError(
    body.error ?? `the server answered with status ${response.status}`,
    response.status);
}

// Sends a request and returns the response when its status is a success.
// Throws an ApiError, or AbortError when [signal] cancels it.
export async function request(path, parameters = {}, options = {}) {
  let response;
  try {
    response = await fetch(path + query(parameters), {
      ...options, cache: 'no-store', credentials: 'omit',
      headers: { ...options.headers, Authorization: `Bearer ${token}` } });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ApiError('the server does not answer', 0);
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

export async function get(path, parameters, signal) {
  return (await request(path, parameters, { signal })).json();
}

// Has the browser save the file of the answer.  Returns its name and, if the rings had not
// all of its events, from when on they had them.  The token goes with the request: a link
// to the file would have it in its address.
export async function download(path, parameters) {
  const response = await request(path, parameters);
  const [, name = 'download'] = /filename="([^"]+)"/.exec(
    response.headers.get('Content-Disposition')) ?? [];
  saveFile(name, await response.blob());
  const complete = response.headers.get('Eventring-Complete-From');
  return { name, complete: complete && Number(complete) };
}

export async function post(path, body) {
  const response = await request(path, {}, {
    method: 'POST', body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' } });
  return response.json().catch(() => ({}));
}

export async function remove(path, parameters) {
  await request(path, parameters, { method: 'DELETE' });
}
