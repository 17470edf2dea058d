// The small set of components that pages are made of.
import { connection, keyState, Refusal, Unreachable, askForKey } from './api.js';
import { html, useEffect, useRef, useState } from './dom.js';
import { useSignal, Signal } from './signal.js';
import { isMoment, moment, relative } from './time.js';

const announced = new Signal('');

/** Has a screen reader say something, when it has come to an end with what it says. */
export function announce(text) {
  announced.value = '';
  setTimeout(() => {
    announced.value = text;
  }, 50);
}

export function Announcer() {
  return html`<div class="unseen" aria-live="polite" role="status" id="announcer">${useSignal(announced)}</div>`;
}

/** A page: its heading takes the focus when the page is come to by a link. */
export function Page({ title, lead, actions, children }) {
  useEffect(() => {
    document.title = `${title} – Tenon`;
  }, [title]);
  return html`
    <header class="page-head">
      <div>
        <h1 tabindex="-1" id="heading">${title}</h1>
        ${lead && html`<p class="lead">${lead}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}`;
}

export function Section({ title, id, aside, children }) {
  return html`
    <section class="card" aria-labelledby=${id}>
      <div class="card-head"><h2 id=${id}>${title}</h2>${aside}</div>
      ${children}
    </section>`;
}

/** tone: info, good, warn or bad. */
export function Notice({ tone = 'info', title, children }) {
  return html`<div class="notice ${tone}" role=${tone === 'bad' ? 'alert' : 'note'}>
    ${title && html`<strong>${title}</strong>`}<div>${children}</div>
  </div>`;
}

/** Why there is nothing to see, and what to do next. */
export function Empty({ title, children }) {
  return html`<div class="empty"><p class="empty-title">${title}</p><div>${children}</div></div>`;
}

export function Badge({ tone = '', children }) {
  return html`<span class="badge ${tone}">${children}</span>`;
}

/** What a poll has: its content, or why it has none. */
export function Polled({ poll, children }) {
  const late = useLate(300);
  if (poll.data !== undefined) {
    return html`${poll.error instanceof Refusal && html`<${Problem} error=${poll.error} />`}${children(poll.data)}`;
  }
  if (poll.error && !(poll.error instanceof Unreachable)) {
    return html`<${Problem} error=${poll.error} />`;
  }
  return late ? html`<p class="waiting">${poll.error ? 'Waiting for the server …' : 'Loading …'}</p>` : null;
}

function useLate(ms) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

/** What went wrong, in the server's words. */
export function Problem({ error }) {
  const key = useSignal(keyState);
  if (error.status === 401) {
    return html`<${Notice} tone="warn" title="This server asks for an API key.">
      <p>${error.message}</p>
      <button type="button" onClick=${() => askForKey(true)}>Enter a key</button>
    <//>`;
  }
  if (error.status === 403) {
    return html`<${Notice} tone="warn" title="Your key may not do this.">
      <p>${error.message}</p>
      ${key.held && html`<button type="button" onClick=${() => askForKey(true)}>Use another key</button>`}
    <//>`;
  }
  return html`<${Notice} tone="bad" title=${error.title}>${error.message}<//>`;
}

/** Name and value pairs: [[name, value], …]; those without a value are left out. */
export function Facts({ of }) {
  const shown = of.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A moment in local time, with the exact one and how long ago it was where the pointer rests. */
export function Moment({ at }) {
  return isMoment(at)
    ? html`<time datetime=${at} title="${at}, ${relative(at)}">${moment(at)}</time>`
    : html`<span>${String(at)}</span>`;
}

export function Copy({ text, label = 'Copy' }) {
  const [done, setDone] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      announce('Copied');
      setTimeout(() => setDone(false), 1500);
    } catch (e) {
      announce('The browser does not let this page copy');
    }
  }
  return html`<button type="button" class="quiet" onClick=${copy}>${done ? 'Copied' : label}</button>`;
}

/** An input with its label, hint and complaint. */
export function Field({ id, label, hint, complaint, children }) {
  return html`<div class="field ${complaint ? 'wrong' : ''}">
    <label for=${id}>${label}</label>
    ${children}
    ${complaint ? html`<p class="complaint" id="${id}-complaint">${complaint}</p>` : hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`;
}

/** The attributes of an input inside a Field. */
export function described(id, hint, complaint) {
  return {
    id,
    'aria-describedby': complaint ? `${id}-complaint` : hint ? `${id}-hint` : undefined,
    'aria-invalid': complaint ? 'true' : undefined,
  };
}

/** A modal dialog: the browser keeps the focus inside, Esc closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children }) {
  const ref = useRef();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before && before.isConnected) {
        before.focus();
      } else {
        document.getElementById('heading')?.focus();
      }
    };
  }, []);
  function closed(event) {
    event.preventDefault();
    onClose();
  }
  return html`<dialog ref=${ref} aria-labelledby="dialog-title" onCancel=${closed}>
    <h2 id="dialog-title">${title}</h2>
    ${children}
  </dialog>`;
}

/** A table whose rows have keys, so that what is focused stays focused while it is live. */
export function Table({ label, columns, children }) {
  return html`<div class="table-frame">
    <table aria-label=${label}>
      <thead><tr>${columns.map((column) => html`<th scope="col" key=${column.name} class=${column.class}>
        ${column.unseen ? html`<span class="unseen">${column.name}</span>` : column.name}</th>`)}</tr></thead>
      <tbody>${children}</tbody>
    </table>
  </div>`;
}

/** Whether this moment is one at which changes can be made. */
export function useReachable() {
  return !useSignal(connection).lost;
}
