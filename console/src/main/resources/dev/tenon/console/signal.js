// A value that views follow.
import { useEffect, useState } from './dom.js';

export class Signal {
  #followers = new Set();
  #value;

  constructor(value) {
    this.#value = value;
  }

  get value() {
    return this.#value;
  }

  set value(value) {
    if (value !== this.#value) {
      this.#value = value;
      for (const follower of [...this.#followers]) {
        follower(value);
      }
    }
  }

  /** Calls back on each change, until the returned function is called. */
  follow(follower) {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}

/** The value, in a view that is drawn again when it changes. */
export function useSignal(signal) {
  const [, draw] = useState(0);
  useEffect(() => {
    const seen = signal.value;
    const stop = signal.follow(() => draw((n) => n + 1));
    if (signal.value !== seen) {
      draw((n) => n + 1);
    }
    return stop;
  }, [signal]);
  return signal.value;
}
