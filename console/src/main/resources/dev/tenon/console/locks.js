// Who holds what, and who waits.
import { get } from './api.js';
import { html, useEffect, useRef, useState } from './dom.js';
import { ReleaseDialog } from './lockDialogs.js';
import { announce, Badge, Empty, Moment, Page, Polled, Table } from './parts.js';
import { useClock, usePoll } from './poll.js';
import { useRights } from './rights.js';
import { go, replace, to } from './router.js';
import { millis, span } from './time.js';

const PERIOD_MS = 1000;
const PAGE = 50;
const URGENT_MS = 5000;

const COLUMNS = [
  { name: 'Lock' },
  { name: 'Holder' },
  { name: 'Mode', class: 'medium' },
  { name: 'Since', class: 'wide' },
  { name: 'Lease left', class: 'number' },
  { name: 'Waiting', class: 'number medium' },
  { name: 'Actions', unseen: true, class: 'medium' },
];

export function LocksPage({ query }) {
  const { prefix = '', after = '' } = query;
  const [releasing, setReleasing] = useState();
  const may = useRights(prefix);
  const poll = usePoll((signal) => get('/v1/locks', { prefix, after, limit: PAGE }, signal), PERIOD_MS, [prefix, after]);
  return html`<${Page} title="Locks" lead="Who holds what since when, and who waits for it.">
    <div class="toolbar">
      <div class="field inline"><label for="prefix">Names beginning with</label>
        <input id="prefix" type="search" value=${prefix} autocomplete="off" spellcheck="false" placeholder="all"
          onInput=${(event) => replace(['locks'], { prefix: event.target.value })} /></div>
      ${poll.data && html`<${Count} page=${poll.data} />`}
    </div>
    <${Polled} poll=${poll}>${(page) => html`
      ${page.locks.length === 0 ? html`<${None} prefix=${prefix} after=${after} />` : html`
        <${Table} label="Locks" columns=${COLUMNS}>
          ${page.locks.map((lock) => html`<${Row} key=${lock.name} lock=${lock} at=${poll.at}
            release=${may('ADMIN', 'locks') && (() => setReleasing({ name: lock.name, holder: lock.holder }))} />`)}
        <//>`}
      ${(after || page.next) && html`<nav class="pages" aria-label="Pages">
        <button type="button" disabled=${!after} onClick=${() => go(['locks'], { prefix })}>First</button>
        <button type="button" disabled=${!page.next} onClick=${() => go(['locks'], { prefix, after: page.next })}>Next</button>
      </nav>`}`}
    <//>
    ${releasing && html`<${ReleaseDialog} ...${releasing} onDone=${poll.refresh} onClose=${() => setReleasing(undefined)} />`}
  <//>`;
}

function None({ prefix, after }) {
  if (prefix || after) {
    return html`<${Empty} title=${after ? 'No lock after that.' : `No lock begins with “${prefix}”.`}>
      <p><a href=${to(['locks'])}>Show all locks</a></p><//>`;
  }
  return html`<${Empty} title="Nobody holds a lock.">
    <p>Take one from a shell, and it shows up here by itself:</p>
    <pre><code>./tenon lock run orders -- sleep 30</code></pre><//>`;
}

/** How many are shown; a change is announced, but not more often than one can listen to. */
function Count({ page }) {
  const count = `${page.locks.length}${page.next ? '+' : ''}`;
  const told = useRef({ count, at: performance.now() });
  useEffect(() => {
    if (told.current.count !== count && performance.now() - told.current.at > URGENT_MS) {
      told.current = { count, at: performance.now() };
      announce(`${count} locks`);
    }
  });
  return html`<p class="count">${count} ${count === '1' ? 'lock' : 'locks'}</p>`;
}

function Row({ lock, at, release }) {
  const { holder, holders, queue } = lock;
  return html`<tr>
    <th scope="row"><a href=${to(['locks', lock.name])}>${lock.name}</a></th>
    <td>${holder ? html`<${Owner} of=${holder} />${holders.length > 1 && html` <span class="muted">and ${holders.length - 1} more</span>`}`
      : html`<span class="muted">nobody</span>`}
      ${holder?.revokedBy && html` <${Badge} tone="warn">asked to let go<//>`}</td>
    <td class="medium">${holder && html`<${Mode} of=${holder} />`}</td>
    <td class="wide">${holder && html`<${Moment} at=${holder.since} />`}</td>
    <td class="number">${holder && html`<${Countdown} left=${holder.leaseLeft} at=${at} />`}</td>
    <td class="number medium">${queue.length}</td>
    <td class="end medium">${release && holder && html`<button type="button" class="quiet danger" onClick=${release}
      aria-label="Release ${lock.name} by force">Release …</button>`}</td>
  </tr>`;
}

/** An owner such as app@host, with the host set apart. */
export function Owner({ of: { owner, session } }) {
  const cut = owner.lastIndexOf('@');
  return cut > 0
    ? html`<span class="owner" title="session ${session}">${owner.slice(0, cut)}<span class="muted">@${owner.slice(cut + 1)}</span></span>`
    : html`<span class="owner" title="session ${session}">${owner}</span>`;
}

export function Mode({ of: { mode, permits } }) {
  return html`<span>${mode}${permits !== undefined && html`<span class="muted"> × ${permits}</span>`}</span>`;
}

/** What is left of a duration that was told at a moment, counting down. */
export function Countdown({ left, at }) {
  const now = useClock();
  const ms = millis(left) - Math.max(0, now - at);
  return html`<span class="countdown ${ms < URGENT_MS ? 'warn' : ''}">${ms <= 0 ? 'ends now' : span(ms)}</span>`;
}
