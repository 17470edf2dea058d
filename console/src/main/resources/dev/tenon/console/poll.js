// Keeps what a page shows up to date: asks again and again, less often while nobody answers, never while nobody looks.
import { connection, keyChanges, Refusal, Unreachable } from './api.js';
import { Signal, useSignal } from './signal.js';
import { useEffect, useState } from './dom.js';

const SLOWEST_MS = 15000;
const FIRST_RETRY_MS = 1000;

/** Changed to have every page ask at once. */
export const hurry = new Signal(0);

/** Whether the tab is hidden, and nothing is asked. */
export const hidden = new Signal(document.hidden);
document.addEventListener('visibilitychange', () => {
  hidden.value = document.hidden;
});
globalThis.addEventListener('online', () => {
  hurry.value++;
});

/**
 * Calls load(signal) every `period` ms as long as the view is there. Answers {data, error, at}: the last good answer, what
 * went wrong since (undefined: nothing), and the moment of the answer on the page's monotonic clock. A refusal takes the
 * data away; an unreachable server, or one that can't answer now, does not.
 */
export function usePoll(load, period, dependencies) {
  const [state, setState] = useState({});
  useEffect(() => {
    let timer;
    let asking;
    let failures = 0;
    let over = false;
    async function round() {
      clearTimeout(timer);
      if (asking) {
        asking.abort();
      }
      const mine = new AbortController();
      asking = mine;
      try {
        const data = await load(mine.signal);
        if (mine.signal.aborted) {
          return;
        }
        failures = 0;
        setState({ data, at: performance.now() });
      } catch (error) {
        if (mine.signal.aborted) {
          return;
        }
        failures++;
        setState((before) => (passes(error) ? { ...before, error } : { error }));
      }
      if (!over && !hidden.value) {
        timer = setTimeout(round, pause(failures, period));
      }
    }
    round();
    const stops = [
      hurry.follow(round),
      hidden.follow((away) => (away ? clearTimeout(timer) : round())),
      keyChanges.follow(round),
      connection.follow((now) => !now.lost && failures > 0 && round()),
    ];
    return () => {
      over = true;
      clearTimeout(timer);
      asking.abort();
      stops.forEach((stop) => stop());
    };
  }, dependencies);
  return { ...state, refresh: () => hurry.value++ };
}

function passes(error) {
  return error instanceof Unreachable || (error instanceof Refusal && error.status >= 500);
}

function pause(failures, period) {
  if (failures === 0) {
    return period;
  }
  const wanted = Math.min(SLOWEST_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
  return wanted * (0.8 + 0.4 * Math.random());
}

/** Drawn again every second, while somebody looks; answers the page's monotonic clock. */
export function useClock() {
  const [now, setNow] = useState(performance.now());
  const away = useSignal(hidden);
  useEffect(() => {
    if (away) {
      return undefined;
    }
    setNow(performance.now());
    const timer = setInterval(() => setNow(performance.now()), 1000);
    return () => clearInterval(timer);
  }, [away]);
  return now;
}
