// What the key in use may do, so that nothing is offered that would be refused. The server decides; this only looks nicer.
import { get, keyChanges } from './api.js';
import { useEffect, useState } from './dom.js';
import { usePoll } from './poll.js';

const ORDER = ['READ', 'USE', 'ADMIN'];
const PERIOD_MS = 60000;

/** may(right, scope) for a name, or for no name in particular; false until the server has said so. */
export function useRights(name = '') {
  const { data } = usePoll((signal) => get('/v1/access', { name }, signal), PERIOD_MS, [name]);
  return (right, scope) => ORDER.indexOf(data?.[scope]) >= ORDER.indexOf(right);
}

/** Who the server takes this page for; empty until it has said so. */
export function useCaller() {
  const [caller, setCaller] = useState('');
  useEffect(() => {
    let over = false;
    const load = () => get('/v1/access')
      .then((access) => !over && setCaller(access.caller))
      .catch(() => !over && setCaller(''));
    load();
    const stop = keyChanges.follow(load);
    return () => {
      over = true;
      stop();
    };
  }, []);
  return caller;
}
