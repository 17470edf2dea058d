// Which transactions there are, the newest first, and which of them do not get on.
import { get } from './api.js';
import { html } from './dom.js';
import { Badge, Empty, Moment, Page, Polled, Table } from './parts.js';
import { usePoll } from './poll.js';
import { go, replace, to } from './router.js';

const PERIOD_MS = 1000;
const PAGE = 50;
const LONGEST = { prefix: 128, service: 200, error: 200 };
const STATES = ['ACTIVE', 'COMMITTING', 'COMMITTED', 'ABORTING', 'ABORTED', 'CLOSED'].map((one) => [one, one.toLowerCase()]);
const KINDS = ['saga', 'tcc', 'message', 'notify', 'xa', 'at'].map((one) => [one, one]);
const AGES = [['PT1M', '1 min'], ['PT5M', '5 min'], ['PT1H', '1 h'], ['P1D', '1 day'], ['P7D', '7 days']];
const TONES = { COMMITTED: 'good', ABORTED: 'warn', CLOSED: 'warn' };

const COLUMNS = [
  { name: 'Transaction' },
  { name: 'Kind', class: 'medium' },
  { name: 'State' },
  { name: 'Begun', class: 'wide' },
  { name: 'Branches', class: 'number medium' },
  { name: 'Trouble', class: 'medium' },
];

export function TransactionsPage({ query }) {
  const { after = '', ...filter } = query;
  const { state = '', kind = '', stuck = '', service = '', prefix = '', error = '', older = '', younger = '' } = filter;
  const asked = { state, kind, stuck: stuck ? 'true' : '', service, prefix, error, olderThan: older, youngerThan: younger, after, limit: PAGE };
  const poll = usePoll((signal) => get('/v1/transactions', asked, signal), PERIOD_MS, Object.values(asked));
  return html`<${Page} title="Transactions" lead="What is under way, what came of it, and what is stuck and why.">
    <${Filters} of=${filter} />
    <${Polled} poll=${poll}>${(page) => html`
      ${page.transactions.length === 0 ? html`<${None} filtered=${Object.values(query).some(Boolean)} />` : html`
        <${Table} label="Transactions" columns=${COLUMNS}>
          ${page.transactions.map((tx) => html`<${Row} key=${tx.gid} tx=${tx} />`)}
        <//>`}
      ${(after || page.next) && html`<nav class="pages" aria-label="Pages">
        <button type="button" disabled=${!after} onClick=${() => go(['transactions'], filter)}>First</button>
        <button type="button" disabled=${!page.next} onClick=${() => go(['transactions'], { ...filter, after: page.next })}>Next</button>
      </nav>`}`}
    <//>
  <//>`;
}

/** What narrows the list; each change goes into the address, and back to the first page. */
function Filters({ of }) {
  const set = (name) => (value) => replace(['transactions'], { ...of, [name]: value });
  return html`<div class="toolbar">
    <${Words} id="prefix" label="IDs beginning with" of=${of} set=${set} placeholder="all" />
    <${Choice} id="state" label="State" of=${of} set=${set} from=${STATES} />
    <${Choice} id="kind" label="Kind" of=${of} set=${set} from=${KINDS} />
    <${Words} id="service" label="Service" of=${of} set=${set} placeholder="any" />
    <${Choice} id="older" label="Older than" of=${of} set=${set} from=${AGES} />
    <${Choice} id="younger" label="Younger than" of=${of} set=${set} from=${AGES} />
    <${Words} id="error" label="Error has" of=${of} set=${set} placeholder="any" />
    <div class="field inline"><label for="stuck">Only stuck ones</label>
      <input id="stuck" type="checkbox" checked=${Boolean(of.stuck)} onChange=${(event) => set('stuck')(event.target.checked ? 'yes' : '')} /></div>
  </div>`;
}

function Words({ id, label, of, set, placeholder }) {
  return html`<div class="field inline"><label for=${id}>${label}</label>
    <input id=${id} type="search" value=${of[id] || ''} maxlength=${LONGEST[id]} autocomplete="off" spellcheck="false"
      placeholder=${placeholder} onInput=${(event) => set(id)(event.target.value)} /></div>`;
}

function Choice({ id, label, of, set, from }) {
  return html`<div class="field inline"><label for=${id}>${label}</label>
    <select id=${id} value=${of[id] || ''} onChange=${(event) => set(id)(event.target.value)}>
      <option value="">any</option>
      ${from.map(([value, name]) => html`<option key=${value} value=${value}>${name}</option>`)}
    </select></div>`;
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

/** The state, and whether somebody has to look: it waits for an operator, or is reported as stuck. */
export function State({ of: { state, suspended, stuckAt } }) {
  return html`<${Badge} tone=${TONES[state]}>${state.toLowerCase()}<//>${(suspended || stuckAt) && html` <${Badge} tone="bad">stuck<//>`}`;
}

/** Why it waits for an operator or was closed, or what a branch said that has to be called again. */
function trouble({ suspended, closed, endedAt, branches }) {
  const failed = endedAt ? undefined : branches.find((branch) => branch.lastError);
  return suspended || closed || (failed && `${failed.name}: ${failed.lastError}`);
}
