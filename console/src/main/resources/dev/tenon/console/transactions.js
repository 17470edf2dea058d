// Which transactions there are, and which of them can't go on by themselves.
import { get } from './api.js';
import { html } from './dom.js';
import { Badge, Empty, Moment, Page, Polled, Table } from './parts.js';
import { usePoll } from './poll.js';
import { go, replace, to } from './router.js';

const PERIOD_MS = 1000;
const PAGE = 50;
const STATES = ['ACTIVE', 'COMMITTING', 'COMMITTED', 'ABORTING', 'ABORTED'];
const TONES = { COMMITTED: 'good', ABORTED: 'warn' };

const COLUMNS = [
  { name: 'Transaction' },
  { name: 'Kind', class: 'medium' },
  { name: 'State' },
  { name: 'Begun', class: 'wide' },
  { name: 'Branches', class: 'number medium' },
  { name: 'Trouble', class: 'medium' },
];

export function TransactionsPage({ query }) {
  const { state = '', stuck = '', after = '' } = query;
  const asked = { state, suspended: stuck ? 'true' : '', after, limit: PAGE };
  const poll = usePoll((signal) => get('/v1/transactions', asked, signal), PERIOD_MS, [state, stuck, after]);
  return html`<${Page} title="Transactions" lead="What is under way, what came of it, and what is stuck and why.">
    <div class="toolbar">
      <div class="field inline"><label for="state">State</label>
        <select id="state" value=${state} onChange=${(event) => replace(['transactions'], { state: event.target.value, stuck })}>
          <option value="">any</option>
          ${STATES.map((one) => html`<option key=${one} value=${one}>${one.toLowerCase()}</option>`)}
        </select></div>
      <div class="field inline"><label for="stuck">Only stuck ones</label>
        <input id="stuck" type="checkbox" checked=${Boolean(stuck)}
          onChange=${(event) => replace(['transactions'], { state, stuck: event.target.checked ? 'yes' : '' })} /></div>
    </div>
    <${Polled} poll=${poll}>${(page) => html`
      ${page.transactions.length === 0 ? html`<${None} filtered=${Boolean(state || stuck || after)} />` : html`
        <${Table} label="Transactions" columns=${COLUMNS}>
          ${page.transactions.map((tx) => html`<${Row} key=${tx.gid} tx=${tx} />`)}
        <//>`}
      ${(after || page.next) && html`<nav class="pages" aria-label="Pages">
        <button type="button" disabled=${!after} onClick=${() => go(['transactions'], { state, stuck })}>First</button>
        <button type="button" disabled=${!page.next} onClick=${() => go(['transactions'], { state, stuck, after: page.next })}>Next</button>
      </nav>`}`}
    <//>
  <//>`;
}

function None({ filtered }) {
  if (filtered) {
    return html`<${Empty} title="There is no such transaction."><p><a href=${to(['transactions'])}>Show all transactions</a></p><//>`;
  }
  return html`<${Empty} title="There is no transaction.">
    <p>They begin with <code>POST /v1/transactions</code>, or in a Java service over the same log, and show up here by themselves.</p><//>`;
}

function Row({ tx }) {
  return html`<tr>
    <th scope="row"><a href=${to(['transactions', tx.gid])}>${tx.gid}</a></th>
    <td class="medium">${tx.kind}</td>
    <td><${State} of=${tx} /></td>
    <td class="wide"><${Moment} at=${tx.createdAt} /></td>
    <td class="number medium">${tx.branches.length}</td>
    <td class="medium">${trouble(tx) || html`<span class="muted">none</span>`}</td>
  </tr>`;
}

/** The state, and whether an operator is waited for. */
export function State({ of: { state, suspended } }) {
  return html`<${Badge} tone=${TONES[state]}>${state.toLowerCase()}<//>${suspended && html` <${Badge} tone="bad">stuck<//>`}`;
}

/** Why it waits for an operator, or what a branch said that has to be called again. */
function trouble({ suspended, endedAt, branches }) {
  const failed = endedAt ? undefined : branches.find((branch) => branch.lastError);
  return suspended || (failed && `${failed.name}: ${failed.lastError}`);
}
