// One transaction: its branches, its history, and what an operator can do for it.
import { get, path, send } from './api.js';
import { Asking } from './asking.js';
import { html, useState } from './dom.js';
import { announce, Badge, Facts, Moment, Notice, Page, Polled, Problem, Section, Table } from './parts.js';
import { usePoll } from './poll.js';
import { useRights } from './rights.js';
import { to } from './router.js';
import { State } from './transactions.js';

const PERIOD_MS = 1000;
const TONES = { STUCK: 'bad', REFUSED: 'warn', DONE: 'good', CONFIRMED: 'good' };

export function TransactionPage({ name }) {
  const may = useRights(name);
  const [dialog, setDialog] = useState('');
  const [error, setError] = useState();
  const where = path('v1', 'transactions', name);
  const poll = usePoll((signal) => get(where, {}, signal), PERIOD_MS, [name]);
  async function act(word, reason) {
    const tx = await send('POST', `${where}/${word}`, { body: { reason } });
    announce(`${name} is ${tx.state.toLowerCase()}${tx.suspended || tx.stuckAt ? ', and stuck' : ''}`);
    setError(undefined);
    poll.refresh();
  }
  const now = (word) => () => act(word, 'from the console').catch(setError);
  const close = () => setDialog('');
  return html`<${Page} title=${name} lead=${html`<a href=${to(['transactions'])}>Transactions</a>`}
      actions=${poll.data && !poll.data.endedAt && html`<${Actions} tx=${poll.data} may=${may} now=${now} ask=${setDialog} />`}>
    ${error && html`<${Problem} error=${error} />`}
    <${Polled} poll=${poll}>${(tx) => html`
      ${tx.suspended && html`<${Notice} tone="bad" title="It waits for an operator.">${tx.suspended}<//>`}
      ${tx.stuckAt && !tx.suspended && html`<${Notice} tone="bad" title="It does not get on.">
        A call fails again and again. It is made on; see the last errors below.<//>`}
      ${tx.closed && html`<${Notice} title="It was given up as it is.">${tx.closed}<//>`}
      <${Section} title="Transaction" id="facts">
        <${Facts} of=${[['State', html`<${State} of=${tx} />`], ['Kind', tx.kind], ['Begun', html`<${Moment} at=${tx.createdAt} />`],
          [tx.endedAt ? 'Ended' : 'Deadline', html`<${Moment} at=${tx.endedAt || tx.deadline} />`], ['Failing since', tx.failingSince && html`<${Moment} at=${tx.failingSince} />`],
          ['Reported as stuck', tx.stuckAt && html`<${Moment} at=${tx.stuckAt} />`], ['Driven by', tx.service], ['Name', tx.name],
          ['Part of', tx.parent && html`<a href=${to(['transactions', tx.parent])}>${tx.parent}</a>`]]} />
      <//>
      <${Branches} branches=${tx.branches} />
      <${History} events=${tx.history} />`}
    <//>
    ${dialog && html`<${Why} word=${dialog} name=${name} act=${act} onClose=${close} />`}
  <//>`;
}

function Actions({ tx, may, now, ask }) {
  const operator = may('ADMIN', 'transactions');
  return html`
    ${operator && html`<button type="button" onClick=${now('retry')}>Retry now</button>`}
    ${operator && (tx.suspended
      ? html`<button type="button" onClick=${now('resume')}>Resume</button>`
      : html`<button type="button" onClick=${() => ask('suspend')}>Suspend …</button>`)}
    ${tx.state === 'ACTIVE' && may('USE', 'transactions')
      && html`<button type="button" class="danger" onClick=${() => ask('abort')}>Abort …</button>`}
    ${operator && (tx.state !== 'ACTIVE' || tx.suspended)
      && html`<button type="button" class="danger" onClick=${() => ask('close')}>Close as it is …</button>`}`;
}

/** What a dialog asks before it does it. */
const WORDS = {
  abort: { verb: 'Abort', title: 'Abort', danger: true,
    tells: html`<p>What it has done so far is undone. <strong>A decision is never taken back.</strong></p>` },
  suspend: { verb: 'Suspend', title: 'Suspend', danger: false,
    tells: html`<p>Nobody drives it until it is resumed. Nothing is decided by that, and calls under way are not called back.</p>` },
  close: { verb: 'Close it', title: 'Close as it is:', danger: true,
    tells: html`<p>Nobody is called for it any more. Nothing more is committed, and nothing more is undone: reservations stay,
      and so do steps that were not compensated. See to them first. <strong>What is closed is never opened again.</strong></p>` },
};

function Why({ word, name, act, onClose }) {
  const { verb, title, danger, tells } = WORDS[word];
  return html`<${Asking} title="${title} ${name}" label="Reason" hint="goes into its history and the audit log"
      verb=${verb} blank="Say why: somebody will ask." onClose=${onClose} danger=${danger} act=${(reason) => act(word, reason)}>
    ${tells}
  <//>`;
}

function Branches({ branches }) {
  return html`<${Section} title="Branches" id="branches">
    <${Table} label="Branches" columns=${[{ name: 'Branch' }, { name: 'State' }, { name: 'Calls', class: 'number' },
      { name: 'Next call', class: 'wide' }, { name: 'Last error', class: 'medium' }]}>
      ${branches.map((branch) => html`<tr key=${branch.name}>
        <th scope="row">${branch.name}${branch.pivot && html` <${Badge}>pivot<//>`}
          ${branch.after.length > 0 && html`<div class="muted small">after ${branch.after.join(', ')}</div>`}
          ${Object.entries(branch.targets).map(([operation, target]) => html`
            <div class="muted small" key=${operation}>${operation} ${target}</div>`)}</th>
        <td><${Badge} tone=${TONES[branch.state]}>${branch.state.toLowerCase()}<//></td>
        <td class="number">${String(branch.attempts)}</td>
        <td class="wide">${branch.dueAt && html`<${Moment} at=${branch.dueAt} />`}</td>
        <td class="medium">${branch.lastError}</td>
      </tr>`)}
    <//>
  <//>`;
}

function History({ events }) {
  return html`<${Section} title="History" id="history">
    ${events.length === 0 ? html`<p class="muted">Nobody had to do anything.</p>` : html`
      <${Table} label="History" columns=${[{ name: 'When' }, { name: 'What' }, { name: 'By', class: 'medium' }, { name: 'Why' }]}>
        ${events.map((event) => html`<tr key=${`${event.at} ${event.what}`}>
          <td><${Moment} at=${event.at} /></td>
          <th scope="row">${event.what}</th>
          <td class="medium">${event.by}</td>
          <td>${event.detail}</td>
        </tr>`)}
      <//>`}
  <//>`;
}
