// One lock: everyone who holds it, and everyone who waits, in turn.
import { get, path } from './api.js';
import { html, useState } from './dom.js';
import { ReleaseDialog, RevokeDialog } from './lockDialogs.js';
import { Countdown, Mode, Owner } from './locks.js';
import { Badge, Empty, Moment, Page, Polled, Section, Table } from './parts.js';
import { usePoll } from './poll.js';
import { useRights } from './rights.js';
import { to } from './router.js';

const PERIOD_MS = 1000;

export function LockPage({ name }) {
  const may = useRights(name);
  const [dialog, setDialog] = useState();
  const poll = usePoll((signal) => get(path('v1', 'locks', name), {}, signal), PERIOD_MS, [name]);
  const close = () => setDialog(undefined);
  return html`<${Page} title=${name} lead=${html`<a href=${to(['locks'])}>Locks</a>`}
      actions=${poll.data?.held && may('USE', 'locks')
        && html`<button type="button" onClick=${() => setDialog({ revoke: true })}>Ask to let go …</button>`}>
    <${Polled} poll=${poll}>${(lock) => html`
      <${Holders} lock=${lock} at=${poll.at} release=${may('ADMIN', 'locks') && ((holder) => setDialog({ holder }))} />
      <${Queue} queue=${lock.queue} at=${poll.at} />`}
    <//>
    ${dialog?.holder && html`<${ReleaseDialog} name=${name} holder=${dialog.holder} onDone=${poll.refresh} onClose=${close} />`}
    ${dialog?.revoke && html`<${RevokeDialog} name=${name} onDone=${poll.refresh} onClose=${close} />`}
  <//>`;
}

function Holders({ lock, at, release }) {
  if (!lock.held) {
    return html`<${Empty} title="Nobody holds it."><p>It shows here as soon as somebody does.</p><//>`;
  }
  return html`<${Section} title=${lock.holders.length === 1 ? 'Holder' : `${lock.holders.length} holders`} id="holders">
    <${Table} label="Holders" columns=${[{ name: 'Owner' }, { name: 'Token', class: 'number' }, { name: 'Mode', class: 'medium' },
      { name: 'Since', class: 'medium' }, { name: 'Lease left', class: 'number' }, { name: 'Actions', unseen: true }]}>
      ${lock.holders.map((holder) => html`<tr key=${`${holder.token} ${holder.session}`}>
        <th scope="row"><${Owner} of=${holder} />
          ${holder.revokedBy && html` <${Badge} tone="warn">asked to let go by ${holder.revokedBy}<//>`}
          <div class="muted small">session ${holder.session}</div></th>
        <td class="number"><code>${String(holder.token)}</code></td>
        <td class="medium"><${Mode} of=${holder} /></td>
        <td class="medium"><${Moment} at=${holder.since} /></td>
        <td class="number"><${Countdown} left=${holder.leaseLeft} at=${at} /></td>
        <td class="end">${release && html`<button type="button" class="quiet danger" onClick=${() => release(holder)}
          aria-label="Take it from ${holder.owner} by force">Release …</button>`}</td>
      </tr>`)}
    <//>
  <//>`;
}

function Queue({ queue, at }) {
  return html`<${Section} title="Queue" id="queue" aside=${html`<span class="muted">${queue.length} waiting</span>`}>
    ${queue.length === 0 ? html`<p class="muted">Nobody waits.</p>` : html`
      <${Table} label="Queue, in turn" columns=${[{ name: 'Turn', class: 'short' }, { name: 'Owner' }, { name: 'Mode', class: 'medium' },
        { name: 'Since', class: 'medium' }, { name: 'Gives up in', class: 'number' }]}>
        ${queue.map((waiter, i) => html`<tr key=${`${waiter.session} ${waiter.since}`}>
          <td class="short">${i + 1}</td>
          <th scope="row"><${Owner} of=${waiter} /><div class="muted small">session ${waiter.session}</div></th>
          <td class="medium"><${Mode} of=${waiter} /></td>
          <td class="medium"><${Moment} at=${waiter.since} /></td>
          <td class="number"><${Countdown} left=${waiter.waitLeft} at=${at} /></td>
        </tr>`)}
      <//>`}
  <//>`;
}
