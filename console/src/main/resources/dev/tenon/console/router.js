// Addresses behind the hash, such as #/locks/orders?x=y: one page is served, and every view has a link.
import { Signal } from './signal.js';

export const route = new Signal(read());
globalThis.addEventListener('hashchange', () => {
  route.value = read();
});

function read() {
  const [where, query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return {
    parts: where === '' ? [] : where.split('/').map(decoded),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch (e) {
    return segment;
  }
}

/** The address of a view. */
export function to(parts, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const tail = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}${tail}`;
}

export function go(parts, query) {
  location.hash = to(parts, query);
}

/** Changes the address without a step in the history, such as while somebody types a filter. */
export function replace(parts, query) {
  history.replaceState(null, '', to(parts, query));
  route.value = read();
}
