// One ID definition: its counters and outlook, who holds which worker ID, and a way to take some.
import { get, path, send } from './api.js';
import { html, useState } from './dom.js';
import { plain } from './definitions.js';
import { Outlook } from './ids.js';
import { announce, Badge, Copy, Facts, Field, described, Moment, Notice, Page, Polled, Problem, Section, Table, useReachable } from './parts.js';
import { usePoll } from './poll.js';
import { useRights } from './rights.js';
import { go, to } from './router.js';
import { grouped, millis, span } from './time.js';

const PERIOD_MS = 2000;
const COUNT_MAX = 1000;

export function IdPage({ name }) {
  const may = useRights(name);
  const poll = usePoll((signal) => get(path('v1', 'ids', name), {}, signal), PERIOD_MS, [name]);
  return html`<${Page} title=${name} lead=${html`<a href=${to(['ids'])}>IDs</a>`}>
    <${Polled} poll=${poll}>${(report) => html`
      ${report.regression && html`<${Notice} tone="bad" title="Its store went back.">
        <p>${report.regression}. Nothing is issued until it was raised: <code>./tenon id raise ${name}</code></p><//>`}
      ${report.outlook?.warning && html`<${Notice} tone="warn" title="It ends soon.">${report.outlook.warning}.<//>`}
      ${report.byCode?.warning && html`<${Notice} tone="warn" title="By code, JavaScript rounds its numbers.">
        <p>They have more than 53 bits. Call <code>${report.byCode.text}</code> there.</p><//>`}
      ${report.unreadable && html`<${Notice} tone="bad" title="It can’t be read.">${report.unreadable}<//>`}
      <div class="columns">
        <${Counters} report=${report} />
        ${report.definition && html`<${Definition} definition=${report.definition} />`}
      </div>
      ${(report.unissued || report.unreadable) && may('ADMIN', 'ids') && html`<${Delete} name=${name} unreadable=${report.unreadable} />`}
      ${report.definition && may('USE', 'ids') && html`<${Take} name=${name} kind=${report.definition.kind} taken=${poll.refresh} />`}
      ${report.workers && html`<${Workers} workers=${report.workers} outlook=${report.outlook} />`}`}
    <//>
  <//>`;
}

function Delete({ name, unreadable }) {
  const [state, setState] = useState({});
  const reachable = useReachable();
  async function remove() {
    setState({ asked: true, busy: true });
    try {
      await send('DELETE', path('v1', 'ids', name));
      announce(`${name} was deleted`);
      go(['ids']);
    } catch (error) {
      setState({ error });
    }
  }
  return html`<${Section} title="Delete" id="delete">
    <p class="hint">${unreadable ? 'Nothing can be issued of it here.' : 'No ID of it was issued.'} Its name can be defined anew.</p>
    ${state.asked
      ? html`<div class="row"><button type="button" class="danger-solid" disabled=${!reachable || state.busy} onClick=${remove}>Delete ${name}</button>
          <button type="button" onClick=${() => setState({})}>Keep it</button></div>`
      : html`<button type="button" disabled=${!reachable} onClick=${() => setState({ asked: true })}>Delete the definition …</button>`}
    ${state.error && html`<${Problem} error=${state.error} />`}
  <//>`;
}

function Counters({ report }) {
  const { name, definition, issued, outlook, regression, workers, ...rest } = report;
  return html`<${Section} title="Counters" id="counters">
    <${Facts} of=${[
      ['Issued by this server', grouped(issued)],
      ['Highest seen', rest.highestSeen && html`<code>${rest.highestSeen}</code>`],
      ['At hand', rest.atHand !== undefined && grouped(rest.atHand)],
      ['Worker ID', rest.workerId],
      ['By code', rest.byCode && html`<code>${rest.byCode.text}</code>`],
      ['Outlook', outlook && html`<${Outlook} of=${outlook} />`],
      ['A second and worker', outlook?.idsPerSecond !== undefined && `${grouped(outlook.idsPerSecond)} at most`],
    ].map(([label, value]) => [label, value === false ? undefined : value])} />
  <//>`;
}

function Definition({ definition }) {
  return html`<${Section} title="Definition" id="definition">
    <${Facts} of=${Object.entries(definition).map(([field, value]) => [field, plain(value)])} />
    <p class="hint">A definition never changes: define another name instead, or delete this one as long as no ID was issued.</p>
  <//>`;
}

function Take({ name, kind, taken }) {
  const [count, setCount] = useState('1');
  const [shardKey, setShardKey] = useState('');
  const [state, setState] = useState({});
  const reachable = useReachable();
  const number = Number(count);
  const wrong = /^\d+$/.test(count) && number >= 1 && number <= COUNT_MAX ? '' : `From 1 to ${grouped(COUNT_MAX)}.`;
  async function take(event) {
    event.preventDefault();
    if (wrong || state.busy) {
      return;
    }
    setState({ ...state, busy: true });
    try {
      const query = kind === 'gene' ? { count, shardKey } : { count };
      const { ids } = await send('POST', path('v1', 'ids', name, 'next'), { query });
      setState({ ids });
      announce(`${ids.length} ${ids.length === 1 ? 'ID' : 'IDs'} taken`);
      taken();
    } catch (error) {
      setState({ error });
    }
  }
  return html`<${Section} title="Take some" id="take" aside=${state.ids && html`<${Copy} text=${state.ids.join('\n')} label="Copy all" />`}>
    <form class="row" onSubmit=${take} novalidate>
      <${Field} id="count" label="How many" complaint=${wrong}>
        <input ...${described('count', '', wrong)} inputmode="numeric" class="short" value=${count} autocomplete="off"
          onInput=${(event) => setCount(event.target.value.trim())} />
      <//>
      ${kind === 'gene' && html`<${Field} id="shardKey" label="Shard key" hint="whose IDs these are">
        <input ...${described('shardKey', 'yes')} value=${shardKey} onInput=${(event) => setShardKey(event.target.value)} />
      <//>`}
      <button class="primary" disabled=${!reachable}>Take</button>
    </form>
    <p class="hint">These are taken for good: nobody else gets them.</p>
    ${state.error && html`<${Problem} error=${state.error} />`}
    ${state.ids && html`<ol class="taken" tabindex="0" aria-label="Taken IDs">${state.ids.map((id) => html`
      <li key=${id}><a href=${to(['decode'], { id })} title="Decode it">${id}</a></li>`)}</ol>`}
  <//>`;
}

function Workers({ workers, outlook }) {
  const held = workers.filter((worker) => worker.held).length;
  return html`<${Section} title="Workers" id="workers"
      aside=${html`<span class="muted">${held} held${outlook?.workers ? ` of ${grouped(outlook.workers)}` : ''}</span>`}>
    <${Table} label="Worker IDs" columns=${[{ name: 'Worker ID', class: 'short' }, { name: 'Held' }, { name: 'Owner' },
      { name: 'Since', class: 'medium' }, { name: 'Lease left', class: 'medium' }]}>
      ${workers.map((worker) => html`<tr key=${worker.workerId}>
        <th scope="row" class="short">${worker.workerId}</th>
        <td><${Badge} tone=${worker.held ? 'good' : ''}>${worker.held ? 'held' : 'free'}<//></td>
        <td>${worker.owner}</td>
        <td class="medium"><${Moment} at=${worker.since} /></td>
        <td class="medium">${worker.leaseLeft ? span(millis(worker.leaseLeft)) : '–'}</td>
      </tr>`)}
    <//>
  <//>`;
}
