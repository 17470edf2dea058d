// The public HTTP API, and nothing else of the server. The API key lives in this tab's session storage only.
import { parse, write } from './json.js';
import { Signal } from './signal.js';

const PATIENCE_MS = 15000;
const KEY = 'tenon.key';
const PROBLEM = 'urn:tenon:problem:';

/** Answered, but not with what was asked for. */
export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail || problem.title || `The server answered ${status}.`);
    this.status = status;
    this.kind = String(problem.type || '').startsWith(PROBLEM) ? problem.type.slice(PROBLEM.length) : '';
    this.title = problem.title || `The server answered ${status}`;
    this.problem = problem;
  }
}

/** Not answered at all. */
export class Unreachable extends Error {}

/** {lost: false}, or {lost: true, since: when that was noticed}. */
export const connection = new Signal({ lost: false });

/** {held: is there a key, asked: is the reader asked for one, refused: did the server not take it, dismissed: not now}. */
export const keyState = new Signal({ held: Boolean(stored()), asked: false, refused: false, dismissed: false });

/** Changes with the key itself. */
export const keyChanges = new Signal(0);

/** Takes a key for this tab; null forgets it. */
export function setKey(key) {
  try {
    if (key) {
      sessionStorage.setItem(KEY, key);
    } else {
      sessionStorage.removeItem(KEY);
    }
  } catch (e) {
    // without storage the key is kept until the page is left
  }
  inMemory = key || '';
  keyState.value = { held: Boolean(key), asked: false, refused: false, dismissed: false };
  keyChanges.value++;
}

export function askForKey(asked) {
  keyState.value = { ...keyState.value, asked, dismissed: !asked };
}

let inMemory = '';
function stored() {
  try {
    return sessionStorage.getItem(KEY) || '';
  } catch (e) {
    return '';
  }
}

/** A path of segments, each of which may have any character. */
export function path(...segments) {
  return '/' + segments.map((segment) => encodeURIComponent(segment)).join('/');
}

export async function get(where, query, signal) {
  return parse(await text('GET', where, { query, signal }));
}

export async function send(method, where, { query, body } = {}) {
  const answer = await text(method, where, { query, body });
  return answer ? parse(answer) : undefined;
}

/** The body of the answer as it came. */
export async function text(method, where, { query, body, signal, accept = 'application/json' } = {}) {
  const headers = { Accept: accept };
  const sentKey = inMemory || stored();
  if (sentKey) {
    headers.Authorization = `Bearer ${sentKey}`;
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  let response;
  let answer;
  try {
    response = await fetch(where + queryText(query), {
      method,
      headers,
      body: body === undefined ? undefined : write(body),
      cache: 'no-store',
      redirect: 'error',
      signal: anyOf(signal, AbortSignal.timeout(PATIENCE_MS)),
    });
    answer = await response.text();
  } catch (e) {
    if (signal && signal.aborted) {
      throw e;
    }
    if (!connection.value.lost) {
      connection.value = { lost: true, since: Date.now() };
    }
    throw new Unreachable('The server does not answer.');
  }
  if (connection.value.lost) {
    connection.value = { lost: false };
  }
  if (response.ok) {
    return answer;
  }
  const refusal = new Refusal(response.status, problemIn(answer));
  if (response.status === 401 && sentKey === (inMemory || stored())) {
    const { asked, dismissed } = keyState.value;
    if (!asked && !dismissed) {
      keyState.value = { held: Boolean(sentKey), asked: true, refused: Boolean(sentKey), dismissed };
    }
  }
  throw refusal;
}

function problemIn(answer) {
  try {
    const problem = parse(answer);
    return problem !== null && typeof problem === 'object' ? problem : {};
  } catch (e) {
    return {};
  }
}

function queryText(query) {
  const given = Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

function anyOf(one, other) {
  return one ? AbortSignal.any([one, other]) : other;
}
