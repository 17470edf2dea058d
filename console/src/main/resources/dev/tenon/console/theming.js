// Dark or light: what the system prefers, until the reader chooses otherwise.
import { Signal } from './signal.js';

const KEY = 'tenon.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

/** 'dark' or 'light', whichever is shown. */
export const theme = new Signal(shown());
system.addEventListener('change', () => {
  theme.value = shown();
});

function shown() {
  return document.documentElement.dataset.theme || (system.matches ? 'dark' : 'light');
}

/** Changes to the other one, and keeps that for the next time, unless it is what the system prefers anyway. */
export function toggleTheme() {
  const next = shown() === 'dark' ? 'light' : 'dark';
  const preferred = system.matches ? 'dark' : 'light';
  if (next === preferred) {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = next;
  }
  try {
    if (next === preferred) {
      localStorage.removeItem(KEY);
    } else {
      localStorage.setItem(KEY, next);
    }
  } catch (e) {
    // it holds for this page then
  }
  theme.value = next;
}
