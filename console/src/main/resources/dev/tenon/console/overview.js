// The first page: is all well, and how much is going on.
import { get, Refusal, text } from './api.js';
import { html } from './dom.js';
import { first, sums } from './metrics.js';
import { Badge, Notice, Page, Polled, Section } from './parts.js';
import { Plot } from './plot.js';
import { usePoll } from './poll.js';
import { to } from './router.js';
import { grouped } from './time.js';

const PERIOD_MS = 2000;
const KEPT = 150;
const LOCKS_SEEN = 1000;

// The first of these names that the server has is drawn.
const METRICS = {
  requests: ['tenon_requests_seconds_count', 'tenon_requests_total'],
  ids: ['tenon_ids_issued_total'],
  held: ['tenon_locks_held'],
  waiting: ['tenon_lock_waiters'],
};

// Kept while other pages are shown; begins anew with the page.
const history = { times: [], requests: [], ids: [], held: [], waiting: [] };
let before;

async function load(signal) {
  const [ids, locks, metrics, ready] = await Promise.all([
    get('/v1/ids', {}, signal), get('/v1/locks', { limit: LOCKS_SEEN }, signal), metricsOf(signal), readiness(signal)]);
  const counted = {
    requests: first(metrics, METRICS.requests),
    ids: first(metrics, METRICS.ids) ?? ids.ids.reduce((sum, entry) => sum + Number(entry.issued), 0),
  };
  const now = {
    held: first(metrics, METRICS.held) ?? locks.locks.filter((lock) => lock.held).length,
    waiting: first(metrics, METRICS.waiting) ?? locks.locks.reduce((sum, lock) => sum + lock.queue.length, 0),
  };
  remember(counted, now);
  return { names: ids.ids.length, more: Boolean(locks.next), ready, ...now };
}

let withoutMetrics = false;
async function metricsOf(signal) {
  if (withoutMetrics) {
    return {};
  }
  try {
    return sums(await text('GET', '/metrics', { signal, accept: 'text/plain' }));
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) {
      withoutMetrics = error.status === 404;
      return {};
    }
    throw error;
  }
}

async function readiness(signal) {
  try {
    await get('/readyz', {}, signal);
    return { ok: true };
  } catch (error) {
    if (error instanceof Refusal) {
      return { ok: false, detail: error.message, title: error.title };
    }
    throw error;
  }
}

function remember(counted, now) {
  const at = Date.now() / 1000;
  const rate = (name) => before && counted[name] !== undefined && before[name] !== undefined
    ? Math.max(0, (counted[name] - before[name]) / Math.max(0.001, at - before.at)) : undefined;
  if (before) {
    push('times', at);
    push('requests', rate('requests'));
    push('ids', rate('ids'));
    push('held', now.held);
    push('waiting', now.waiting);
  }
  before = { ...counted, at };
}

function push(name, value) {
  history[name].push(value ?? null);
  if (history[name].length > KEPT) {
    history[name].shift();
  }
}

export function OverviewPage() {
  const poll = usePoll(load, PERIOD_MS, []);
  return html`<${Page} title="Overview" lead="What this server does right now.">
    <${Polled} poll=${poll}>${(now) => html`
      ${!now.ready.ok && html`<${Notice} tone="bad" title=${now.ready.title}>${now.ready.detail}<//>`}
      <div class="tiles">
        ${history.requests.some((value) => value !== null) && html`<${Tile} name="requests" title="Requests" unit="a second" />`}
        <${Tile} name="ids" title="IDs" unit="a second" link=${to(['ids'])} />
        <${Tile} name="held" title="Locks held" now=${now.held} more=${now.more} link=${to(['locks'])} />
        <${Tile} name="waiting" title="Waiting for locks" now=${now.waiting} more=${now.more} link=${to(['locks'])} />
      </div>
      <${NextSteps} names=${now.names} ready=${now.ready.ok} />`}
    <//>
  <//>`;
}

function Tile({ name, title, unit = '', now, more, link }) {
  const values = history[name];
  const latest = now ?? values.at(-1) ?? undefined;
  const said = latest === undefined ? '–' : grouped(latest < 10 && !Number.isInteger(latest) ? latest.toFixed(1) : Math.round(latest)) + (more ? '+' : '');
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  return html`<section class="tile" aria-label=${title}>
    <h2>${link ? html`<a href=${link}>${title}</a>` : title}</h2>
    <p class="figure">${said} ${unit && html`<span class="muted">${unit}</span>`}</p>
    <${Plot} times=${history.times} values=${values}
      label="${title}${unit && ` ${unit}`} over the last minutes: now ${said}, at most ${grouped(Math.round(most))}" />
  </section>`;
}

function NextSteps({ names, ready }) {
  return html`<div class="columns">
    <${Section} title="State" id="state" aside=${html`<${Badge} tone=${ready ? 'good' : 'bad'}>${ready ? 'ready' : 'not ready'}<//>`}>
      <p>${ready ? 'The store answers, and nothing in it has gone back.' : 'Requests that need the store are refused for now.'}
        ${' '}<a href=${to(['ids'])}>${grouped(names)} ${names === 1 ? 'name' : 'names'}</a> of IDs ${names === 1 ? 'is' : 'are'} defined.</p>
    <//>
    <${Section} title="Try it" id="try">
      <pre tabindex="0" aria-label="Commands"><code>${`./tenon id next default -n 3
./tenon lock run orders -- sleep 30
curl -X POST ${location.origin}/v1/ids/default/next`}</code></pre>
    <//>
  </div>`;
}
