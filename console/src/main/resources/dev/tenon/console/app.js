// The shell: header, navigation, what is wrong with the connection, the page, and the dialog that asks for a key.
import { askForKey, connection, keyState, setKey } from './api.js';
import { ClusterPage } from './cluster.js';
import { DecodePage } from './decode.js';
import { DefinePage } from './define.js';
import { html, render, useEffect, useRef, useState } from './dom.js';
import { IdPage } from './id.js';
import { IdsPage } from './ids.js';
import { LockPage } from './lock.js';
import { LocksPage } from './locks.js';
import { MessagePage, OutboxPage } from './outbox.js';
import { OverviewPage } from './overview.js';
import { announce, Announcer, described, Dialog, Empty, Field, Page } from './parts.js';
import { hidden, hurry, useClock } from './poll.js';
import { useCaller } from './rights.js';
import { route, to } from './router.js';
import { useSignal } from './signal.js';
import { theme, toggleTheme } from './theming.js';
import { span } from './time.js';
import { TransactionPage } from './transaction.js';
import { TransactionsPage } from './transactions.js';

const LINKS = [
  { title: 'Overview', parts: [], of: [undefined] },
  { title: 'IDs', parts: ['ids'], of: ['ids', 'define'] },
  { title: 'Decode', parts: ['decode'], of: ['decode'] },
  { title: 'Locks', parts: ['locks'], of: ['locks'] },
  { title: 'Transactions', parts: ['transactions'], of: ['transactions'] },
  { title: 'Outbox', parts: ['outbox'], of: ['outbox'] },
  { title: 'Cluster', parts: ['cluster'], of: ['cluster'] },
];

function App() {
  const { parts, query } = useSignal(route);
  const key = useSignal(keyState);
  const where = parts.join('/');
  const arrived = useRef(false);
  useEffect(() => {
    if (arrived.current) {
      scrollTo(0, 0);
      document.getElementById('heading')?.focus({ preventScroll: true });
    }
    arrived.current = true;
  }, [where]);
  return html`
    <a class="skip" href="#main" onClick=${skip}>Skip to the content</a>
    <${Header} section=${parts[0]} />
    <${Connection} />
    <main id="main" tabindex="-1">${pageOf(parts, query)}</main>
    <${Announcer} />
    ${key.asked && html`<${KeyDialog} refused=${key.refused} />`}`;
}

function pageOf(parts, query) {
  const [section, name] = parts;
  if (parts.length <= 1) {
    const pages = {
      ids: IdsPage, decode: DecodePage, define: DefinePage, locks: LocksPage, transactions: TransactionsPage, outbox: OutboxPage,
      cluster: ClusterPage,
    };
    const page = section === undefined ? OverviewPage : pages[section];
    return page ? html`<${page} key=${section} query=${query} />` : html`<${Nowhere} />`;
  }
  const pages = { ids: IdPage, locks: LockPage, transactions: TransactionPage, outbox: MessagePage };
  return parts.length === 2 && pages[section] ? html`<${pages[section]} key=${parts.join('/')} name=${name} />` : html`<${Nowhere} />`;
}

function Nowhere() {
  return html`<${Page} title="Nothing here"><${Empty} title="There is no such page.">
    <p><a href=${to([])}>Go to the overview</a></p><//><//>`;
}

// The address is the router's, so the link does what its fragment would do.
function skip(event) {
  event.preventDefault();
  document.getElementById('main').focus();
}

function Header({ section }) {
  const look = useSignal(theme);
  const key = useSignal(keyState);
  const caller = useCaller();
  return html`<header class="top">
    <a class="brand" href=${to([])}><img src="/console/icon.svg" alt="" width="24" height="24" />Tenon</a>
    <nav aria-label="Main"><ul>${LINKS.map((link) => html`
      <li key=${link.title}><a href=${to(link.parts)} aria-current=${link.of.includes(section) ? 'page' : undefined}>${link.title}</a></li>`)}</ul></nav>
    <div class="tools">
      <${Liveness} />
      ${key.held && html`<span class="muted caller">${caller}</span>
        <button type="button" class="quiet" onClick=${() => { setKey(null); announce('The key is forgotten'); }}>Forget key</button>`}
      <button type="button" class="quiet" onClick=${toggleTheme} aria-pressed=${look === 'dark' ? 'true' : 'false'}>Dark</button>
    </div>
  </header>`;
}

function Liveness() {
  const { lost } = useSignal(connection);
  const away = useSignal(hidden);
  const state = lost ? 'reconnecting' : away ? 'paused' : 'live';
  return html`<span class="liveness ${state}" id="liveness">${state}</span>`;
}

function Connection() {
  const { lost, since } = useSignal(connection);
  const told = useRef(false);
  useEffect(() => {
    if (lost || told.current) {
      announce(lost ? 'The server does not answer. Reconnecting.' : 'Connected again.');
    }
    told.current = lost;
  }, [lost]);
  return lost ? html`<${Lost} since=${since} />` : null;
}

function Lost({ since }) {
  useClock();
  return html`<div class="banner" role="region" aria-label="Connection">
    <p><strong>Reconnecting …</strong> The server has not answered for ${span(Date.now() - since)}. What you see is from before.</p>
    <button type="button" onClick=${() => hurry.value++}>Try now</button>
  </div>`;
}

function KeyDialog({ refused }) {
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState('');
  const complaint = wrong || (refused && text === '' ? 'The server did not take the last key.' : '');
  function submit(event) {
    event.preventDefault();
    if (!/^[\x21-\x7e]+$/.test(text.trim())) {
      setWrong(text.trim() === '' ? 'Paste the key.' : 'A key has no spaces and no accents.');
      return;
    }
    setKey(text.trim());
  }
  return html`<${Dialog} title="This server asks for an API key" onClose=${() => askForKey(false)}>
    <form onSubmit=${submit} novalidate>
      <p>It is kept for this tab only, until you close it or have it forgotten.</p>
      <${Field} id="key" label="API key" complaint=${complaint}>
        <input ...${described('key', '', complaint)} type="password" autocomplete="off" value=${text} autofocus
          onInput=${(event) => { setText(event.target.value); setWrong(''); }} />
      <//>
      <div class="dialog-end">
        <button type="button" onClick=${() => askForKey(false)}>Not now</button>
        <button class="primary">Use it</button>
      </div>
    </form>
  <//>`;
}

const root = document.getElementById('app');
root.replaceChildren();
render(html`<${App} />`, root);
